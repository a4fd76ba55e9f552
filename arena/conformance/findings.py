"""The task and the findings of a check: plain data between a lane and its runner."""

from typing import Literal, TypeAlias

from msgspec import Struct

from arena.game import Game

Status: TypeAlias = Literal["ok", "failed", "note", "skipped"]


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


def tables(game: Game, counts: tuple[int, ...]) -> list[TrialTable]:
    """Each of these seat counts with each value of each variant, the other variants at their defaults."""
    settings = [(game.settle({}), "")]
    settings += [(variants, f"{name}={value}") for name, value, variants in game.unusual()]
    listed: list[TrialTable] = []
    for variants, unusual in settings:
        # the bot moves from seat to seat
        listed += [
            TrialTable(game=game.name, seats=seats, seat=(at + seats) % seats, variants=variants, unusual=unusual)
            for at, seats in enumerate(counts)
        ]
    return listed


class Line(Struct, frozen=True):
    """A line that went from the house to the bot, or came from it; without its newline."""

    sent: bool
    text: bytes


class Failure(Struct, frozen=True, kw_only=True):
    """Where a sentence did not hold, and how."""

    where: str
    rule: str
    """What was expected and what was got."""
    hint: str
    """How to mend it."""
    lines: tuple[Line, ...] = ()
    """The last lines of the conversation, oldest first."""
    errors: bytes = b""
    """What the process had written to stderr, its middle left out."""
    isolation: str = ""
    """What the bot could read, where that may be the reason."""
    limits: str = ""
    """The limits of its processes, where they may be the reason."""
    also: tuple[str, ...] = ()
    """Where else it did not hold."""

    @property
    def offending(self) -> Line | None:
        """The line that broke the sentence; None if none came."""
        return self.lines[-1] if self.lines and not self.lines[-1].sent else None


class CheckResult(Struct, frozen=True):
    """The result of one sentence."""

    number: int
    status: Status
    remark: str = ""
    failure: Failure | None = None


class Findings(Struct, frozen=True):
    """The results of all sentences, in their order."""

    results: tuple[CheckResult, ...]
    matches: int
    questions: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether no sentence failed."""
        return all(result.status != "failed" for result in self.results)
