"""What a seat may pick in Cash-a-Catch besides plain words. Knows the cards and no rule of play."""

from arena.game import Seat
from arena.games.cash_a_catch.cards import KIND, PLACES, Card, Place
from arena.structs import Said

RING = "ring"


class Theft(Said, frozen=True, tag="steal"):
    """Take the topmost ``card`` of a place of another seat's board."""

    seat: Seat
    """Whose board."""
    place: Place
    card: Card

    def __str__(self) -> str:
        return f"steal {self.card} from {PLACES[self.place]} of seat {self.seat}"


class Placing(Said, frozen=True, tag="place"):
    """Put a card of the catch on top of a place of the own board."""

    card: Card
    place: Place

    def __str__(self) -> str:
        return f"place {self.card} in {PLACES[self.place]}"


class Removal(Said, frozen=True, tag="remove"):
    """Take a card out of the own garbage can; ``at`` is its index in the can and tells like cards apart."""

    card: Card
    at: int
    words = "remove {card} (number {at} of the garbage can)"


Option = str | Theft | Placing | Removal

PLACINGS: dict[Card, tuple[Placing, ...]] = {
    card: tuple(Placing(card, place) for place in range(len(PLACES))) for card in KIND
}
"""Every placing there is, by card and place: made once, as they are asked for so often."""
