"""What is in the box of Cash-a-Catch, as data, and the options that are no plain words. Knows no rule of play.

A card is its own name: fish cards are a kind and a number of fish (``"eel 3"``), the others a name alone. The printed
total, kinds, values and prices are the rulebook's; the number of copies of each card is arena's own choice.
"""

from typing import Annotated, TypeAlias

from arena.game import Seat
from arena.structs import Phrase
from arena.values import LEFT_OUT, Among

Kind: TypeAlias = str
"""A kind of fish, such as ``"eel"``; ``"octopus"`` is the joker."""
Card: TypeAlias = str
"""A card by name, such as ``"eel 3"`` or ``"fish thief"``."""
Place: TypeAlias = Annotated[int, Among((0, 1, 2))]
"""A place on a player board: an index into ``PLACES``."""

FISH: tuple[Kind, ...] = ("eel", "shark", "flounder", "crawfish", "tuna", "lobster")
OCTOPUS: Kind = "octopus"
VALUES = (1, 2, 3)
"""How many fish a fish card may show."""
FISH_COPIES = 5
OCTOPUS_COPIES = 2

FISH_THIEF: Card = "fish thief"
CANNED_FISH: Card = "canned fish"
END_PHASE: Card = "end phase"
MARKET_CLOSED: Card = "market closed"
ACTION_COPIES = 3

KIND: dict[Card, Kind] = {f"{kind} {value}": kind for kind in (*FISH, OCTOPUS) for value in VALUES}
"""The kind of every fish card and joker; no other card is here."""
VALUE: dict[Card, int] = {f"{kind} {value}": value for kind in (*FISH, OCTOPUS) for value in VALUES}
"""The fish on every fish card and joker."""

FishCard: TypeAlias = Annotated[Card, Among(tuple(KIND))]
"""A fish card or a joker."""

SUPPLY: dict[Card, int] = {
    **{card: OCTOPUS_COPIES if kind == OCTOPUS else FISH_COPIES for card, kind in KIND.items()},
    FISH_THIEF: ACTION_COPIES,
    CANNED_FISH: ACTION_COPIES,
}
"""Copies of every card but the end phase and market closed, of which there is one each."""

BELOW_END_PHASE = 16
"""Cards under the end phase: ten, and the last six."""
LAST_CARDS = 6
"""The bottom cards among which market closed is shuffled, itself counted."""

PLACES = ("crate 1", "crate 2", "ice tub")
CRATES: tuple[Place, ...] = (0, 1)

START_MONEY = 30
LOT_PRICE = 10
COMMISSION = 1
"""Euro for each card sold in an auction."""
GARBAGE_PRICE = 1
"""Euro for each fish in the garbage can at the end."""
CARDS_PER_CAN = 2
"""Cards one canned fish may take out of the garbage can."""

PRICES = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30)
"""Euro for 1, 2, ... 9, 10 or more fish of one kind."""
HALF_PRICES = (1, 1, 2, 3, 4, 5, 8, 10, 13, 15)
"""The same when the market has closed."""


def price(fish: int, prices: tuple[int, ...] = PRICES) -> int:
    """Euro for this many fish of one kind, at least one; more than 10 are paid as 10."""
    return prices[min(fish, len(prices)) - 1]


RING = "ring"


class Theft(Phrase, frozen=True, tag="steal"):
    """Take the topmost ``card`` of a place of another seat's board."""

    seat: Seat
    """Whose board."""
    place: Place
    card: Annotated[Card, LEFT_OUT]

    def __str__(self) -> str:
        return f"steal {self.card} from {PLACES[self.place]} of seat {self.seat}"


class Placing(Phrase, frozen=True, tag="place"):
    """Put a card of the catch on top of a place of the own board."""

    card: FishCard
    place: Place

    def __str__(self) -> str:
        return f"place {self.card} in {PLACES[self.place]}"


class Removal(Phrase, frozen=True, tag="remove"):
    """Take a card out of the own garbage can; ``at`` is its index in the can and tells like cards apart."""

    card: FishCard
    at: Annotated[int, LEFT_OUT]
    words = "remove {card} (number {at} of the garbage can)"


Option = Annotated[str, Among((RING, *FISH, OCTOPUS))] | Theft | Placing | Removal

PLACINGS: dict[Card, tuple[Placing, ...]] = {
    card: tuple(Placing(card, place) for place in range(len(PLACES))) for card in KIND
}
"""Every placing there is, by card and place: made once, as they are asked for so often."""
