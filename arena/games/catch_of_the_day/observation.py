"""What one seat of Catch of the Day knows, as it is sent to a bot. Knows the cards and no rule of play."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.catch_of_the_day.cards import DAYS, FISH, Card, FishCard
from arena.structs import asks

Mode: TypeAlias = Literal["basic", "advanced"]
Step: TypeAlias = Literal["setup", "draft", "assign", "select", "choice", "over"]
"""What is asked: nothing yet, the sub-phases of that name, nothing any more."""

question: Final = asks(
    {
        "draft": "Which Request do you keep?",
        "assign": "Which Request do you share with your left neighbor, and which with your right?",
        "select": "Which Fish card do you select?",
        "choice": "You played Choice: which two types do you pick?",
    }
)


def _cards(cards: Sequence[Card]) -> str:
    return ", ".join([f"'{card}'" for card in cards])


def _fish(counts: Sequence[int]) -> str:
    return ", ".join([f"{count} {fish}" for fish, count in zip(FISH, counts, strict=True)])


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Counts by type: Dorado, Rosefish, Tuna; Requests are their texts."""

    seat: Seat
    seats: int
    mode: Mode
    step: Step
    day: int
    """From 1 to 5; 0 before the first."""
    market_supply: tuple[int, ...]
    """By type."""
    leftover_storage: tuple[int, ...]
    """By type."""
    bag: tuple[int, ...]
    """Dice left in the bag, by type."""
    fish: tuple[tuple[int, ...], ...]
    """By seat, the Fish tokens by type."""
    requests: tuple[Card, ...]
    """The public Requests."""
    complaints: tuple[Card, ...]
    private_requests: tuple[tuple[Card, ...], ...]
    """By seat, the Requests it shares with its left neighbor, the next seat; empty lists before all have assigned."""
    set_aside: int
    """Number of Requests set aside face down."""
    pack: tuple[Card, ...]
    """Draft: the Requests in hand to pick one from, by id."""
    kept: tuple[Card, ...]
    """The Requests drafted, as they came."""
    passed: tuple[Card, ...]
    """The Requests passed to the left in the draft, first the two of one pack, then the one of the other."""
    assigned: tuple[Card, ...]
    """The Requests shared with the left and the right neighbor, once all have assigned; the third was put back."""
    choice: tuple[Seat, ...]
    """In the Choice sub-phase, who played Choice."""
    card: FishCard | None
    """In the Choice sub-phase, the seat's own Fish card."""
    tie_break: Card | None
    """The Request flipped for a tie at the end."""

    def __str__(self) -> str:
        lines = [f"public Requests: {_cards(self.requests)}", f"Complaints: {_cards(self.complaints)}"]
        if self.day:
            lines += [
                f"day {self.day} of {DAYS}; Market Supply: {_fish(self.market_supply)}",
                f"Leftover Storage: {_fish(self.leftover_storage)}; dice in the bag: {_fish(self.bag)}",
            ]
            lines += [
                f"seat {seat}: {_fish(fish)}; shares with seat {(seat + 1) % self.seats} {_cards(shared)}"
                for seat, (fish, shared) in enumerate(zip(self.fish, self.private_requests, strict=True))
            ]
        if self.kept and not self.assigned:
            lines.append(f"you have kept {_cards(self.kept)}")
        if self.passed and not self.assigned:
            lines.append(f"you have passed on {_cards(self.passed)}")
        return "\n".join([*lines, question(self)]).rstrip()
