"""All that one seat has learnt in Lure, as it is sent to a bot. Knows the cards; knows no rule of play."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.lure.cards import Die, Fish, Lure
from arena.games.lure.odds import Move
from arena.structs import asks

Step: TypeAlias = Literal["setup", "dice", "lures", "adjust", "over"]
"""What the table waits for: nobody yet, the dice of all, the lures of all, the Adjusts of a group; or the end."""

question: Final = asks(
    {
        "dice": "Which dice do you cast?",
        "lures": "Which lures do you add?",
        "adjust": "Do you adjust a die? ({0.adjusts} left)",
    }
)


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Fields *by seat* have one entry for each seat."""

    seat: Seat
    seats: int
    effects: Literal["on", "off"]
    """The variant: whether fish do something when they are revealed."""
    step: Step
    round: int
    """The round being played, from 1."""
    deck: int
    """Fish left in the deck."""
    fish: tuple[Fish, ...]
    """Fish in the middle, as they were revealed."""
    lures: tuple[Lure, ...]
    """The seat's own lures behind its screen."""
    held: tuple[int, ...]
    """By seat: how many lures it has behind its screen."""
    lure_pile: int
    """Lures in the draw pile."""
    piles: tuple[dict[Lure, int], ...]
    """Copies of each lure in all hands at the first reshuffle, then in each pile made since; empty before."""
    moves: tuple[tuple[Move, ...], ...]
    """By seat: what it drew and played since the first reshuffle, as ``odds`` has it; empty before."""
    drawn: tuple[tuple[Lure, ...], ...]
    """By pile: the lures that the seat itself drew of it."""
    discards: dict[Lure, int]
    """Copies of each lure in the discard pile."""
    boosts: tuple[int, ...]
    """By seat: Boosts scored."""
    score_piles: tuple[tuple[str, ...], ...]
    """By seat: names of the fish in its score pile."""
    vp: tuple[int, ...]
    """By seat: victory points of fish and Boosts."""
    resting: tuple[tuple[Die, ...], ...]
    """By seat: special dice that cannot be chosen this round."""
    chosen: tuple[Die, ...]
    """The seat's own dice for the next cast, while the table waits for lures."""
    dice: tuple[tuple[Die, ...], ...]
    """By seat: dice of the last cast that was revealed: of this round while Adjusts are asked for, else of the last."""
    rolls: tuple[tuple[int, ...], ...]
    """By seat: what these dice show to everyone; empty before the roll, and if there was none."""
    played: tuple[tuple[Lure, ...], ...]
    """By seat: lures of that cast that are not discarded or scored yet."""
    group: tuple[Seat, ...]
    """Who is rolling together, while the table waits for their Adjusts."""
    numbers: tuple[int, ...]
    """In the group: the numbers of the seat's own dice as adjusted so far."""
    adjusts: int
    """In the group: Adjusts the seat may still use; 0 once it has said done."""

    def __str__(self) -> str:
        lines = [f"round {self.round}; fish in the deck: {self.deck}; lures in the draw pile: {self.lure_pile}"]
        lines += [f"in the middle: {fish}" for fish in self.fish]
        for seat in range(self.seats):
            fish = ", ".join(self.score_piles[seat]) or "no fish"
            parts = [f"{self.vp[seat]} VP ({fish}), boosts {self.boosts[seat]}, lures {self.held[seat]}"]
            if self.resting[seat]:
                parts.append(f"resting: {', '.join(self.resting[seat])}")
            if self.step == "adjust" and self.dice[seat]:
                parts.append(f"cast: {', '.join([*self.dice[seat], *self.played[seat]])}")
                if self.rolls[seat]:
                    parts.append(f"rolled: {', '.join(map(str, self.rolls[seat]))}")
            lines.append(f"seat {seat}: {'; '.join(parts)}")
        for said, cards in (("lures", self.lures), ("dice", self.chosen), ("numbers now", self.numbers)):
            if cards:
                lines.append(f"your {said}: {', '.join(map(str, cards))}")
        return "\n".join([*lines, question(self)]).rstrip()
