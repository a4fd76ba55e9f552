"""Whether a bot meets each requirement of the protocol. Knows players, games and the referee; knows no run."""

from msgspec import Struct


class TrialTable(Struct, frozen=True):
    """A match in which the bot is tried: a game, the number of seats, the bot's seat, and the variants."""

    game: str
    seats: int
    seat: int
    variants: dict[str, str]
    unusual: str = ""
    """The variant that is not the default, as ``name=value``."""

    def __str__(self) -> str:
        unusual = f" with {self.unusual}" if self.unusual else ""
        return f"{self.game}{unusual}, seat {self.seat} of {self.seats}"
