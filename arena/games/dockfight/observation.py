"""What one seat of Dockfight knows, as it is sent to a bot. Knows no rules and no state."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.dockfight.events import Move
from arena.structs import asks

Step: TypeAlias = Literal["hit", "move", "burn", "over"]
"""The question to the player in turn: HIT or STOP, which Burn-3 move, which three cards to burn; or none any more."""

question: Final = asks(
    {
        "hit": "STOP or HIT?",
        "move": "Do you burn three cards for a move?",
        "burn": "Which three Days do you burn to {0.move}?",
    }
)


def _days(days: Sequence[int]) -> str:
    return ", ".join(map(str, days))


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Fields of tuples by seat run over all seats; cards are Day numbers."""

    seat: Seat
    seats: int
    step: Step
    turn: Seat
    stalled: int
    """Stalled turns in a row before this one."""
    stalling: bool
    """Whether this turn has had neither HIT nor burn yet."""
    frank: Seat | None
    """Who has Fisherman Frank, None for the DOCK."""
    draw_pile: int
    """Number of cards in it."""
    discard_pile: tuple[int, ...]
    """Copies of Day 1, Day 2, ... Day 12 in it."""
    cast: tuple[int, ...]
    """CAST of the player in turn, in order of drawing."""
    move: Move | None
    """The Burn-3 move that is being paid for."""
    livewell: tuple[int, ...]
    """The seat's own LIVEWELL, Days upwards."""
    stringers: tuple[tuple[int, ...], ...]
    """By seat: the Days of the completed Catch Sets."""
    broken_hauls: tuple[tuple[int, ...], ...]
    """By seat: the Days of the BROKEN HAULS."""
    protected: tuple[bool, ...]
    """By seat: whether it cannot be cut."""
    shown: tuple[tuple[int, ...], ...]
    """By seat: the cards that everyone knows to be in its LIVEWELL, Days upwards."""
    unseen: tuple[int, ...]
    """By seat: the number of further cards in its LIVEWELL, known to that seat alone."""
    at_most: tuple[tuple[int, ...], ...]
    """By seat: how many of Day 1 ... Day 12 its unseen cards can hold, by what it built; empty: no limit."""
    laid: tuple[tuple[int, ...], ...]
    """By seat: cards of its opening hand that were unseen until it built with them; empty with no unseen card left."""

    def __str__(self) -> str:
        where = "on the DOCK" if self.frank is None else f"with seat {self.frank}"
        lines = [f"draw pile: {self.draw_pile}; Fisherman Frank is {where}"]
        for seat in range(self.seats):
            parts = [f"sets of Day {_days(self.stringers[seat])}" if self.stringers[seat] else "no sets"]
            if self.broken_hauls[seat]:
                parts.append(f"broken hauls of Day {_days(self.broken_hauls[seat])}")
            if self.protected[seat]:
                parts.append("protected")
            if seat == self.seat:
                parts.append(f"LIVEWELL: {_days(self.livewell) or '-'}")
            else:
                parts.append(f"LIVEWELL: {', '.join([*map(str, self.shown[seat]), *'?' * self.unseen[seat]]) or '-'}")
            lines.append(f"seat {seat}: {'; '.join(parts)}")
        if self.cast:
            lines.append(f"your CAST: {_days(self.cast)}")
        return "\n".join([*lines, question(self)]).rstrip()
