"""What a seat may pick in Cash-a-Catch besides plain words. Knows the cards and no rule of play."""

from msgspec import Struct

from arena.game import Seat
from arena.games.cash_a_catch.cards import KIND, PLACES, Card, Place

RING = "ring"


class Theft(Struct, frozen=True, tag="steal", tag_field="type", gc=False):
    """Take the topmost ``card`` of a place of another seat's board."""

    seat: Seat
    """Whose board."""
    place: Place
    card: Card

    def __str__(self) -> str:
        return f"steal {self.card} from {PLACES[self.place]} of seat {self.seat}"


class Placing(Struct, frozen=True, tag="place", tag_field="type", gc=False):
    """Put a card of the catch on top of a place of the own board."""

    card: Card
    place: Place

    def __str__(self) -> str:
        return f"place {self.card} in {PLACES[self.place]}"


class Removal(Struct, frozen=True, tag="remove", tag_field="type", gc=False):
    """Take a card out of the own garbage can; ``at`` is its index in the can and tells like cards apart."""

    card: Card
    at: int

    def __str__(self) -> str:
        return f"remove {self.card} (number {self.at} of the garbage can)"


Option = str | Theft | Placing | Removal

PLACINGS: dict[Card, tuple[Placing, ...]] = {
    card: tuple(Placing(card, place) for place in range(len(PLACES))) for card in KIND
}
"""Every placing there is, by card and place: made once, as they are asked for so often."""
