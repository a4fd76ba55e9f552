"""What everyone at the table sees in Cash-a-Catch; there are no private events. Knows the cards and no rule of play."""

from arena.game import Seat
from arena.games.cash_a_catch.cards import PLACES, Card, Kind, Place
from arena.structs import Phrase, list_seats, places


class Event(Phrase, frozen=True):
    """What the table sees."""


class Turned(Event, frozen=True, tag="turned"):
    """The auctioneer put the next card of the supply on the table (the end phase is set aside)."""

    seat: Seat
    card: Card
    words = "seat {seat} turns up {card}"


class Rang(Event, frozen=True, tag="rang"):
    """These seats rang on the same beat."""

    seats: tuple[Seat, ...]
    weight = 0

    def __str__(self) -> str:
        return f"{list_seats(self.seats)} rang the bell"


class Bought(Event, frozen=True, tag="bought"):
    """A seat paid ``price`` Euro to the bank and took the lot."""

    seat: Seat
    lot: tuple[Card, ...]
    price: int
    weight = 2
    words = "seat {seat} buys {lot} for {price} Euro"


class Commission(Event, frozen=True, tag="commission"):
    """The auctioneer got ``money`` Euro from the bank for the cards just sold."""

    seat: Seat
    money: int
    weight = 0
    words = "seat {seat} takes a commission of {money} Euro"


class Stole(Event, frozen=True, tag="stole"):
    """A fish thief took the topmost card of a place of ``victim``; the thief was discarded."""

    seat: Seat
    victim: Seat
    place: Place
    card: Card
    weight = 2

    def __str__(self) -> str:
        return f"seat {self.seat} steals {self.card} from {PLACES[self.place]} of seat {self.victim}"


class Unused(Event, frozen=True, tag="unused"):
    """An action card was discarded without effect."""

    seat: Seat
    card: Card
    weight = 0
    words = "seat {seat} discards a {card} unused"


class Threw(Event, frozen=True, tag="threw"):
    """All cards of a kind, of catch and board, went into the garbage can of their owner."""

    seat: Seat
    kind: Kind
    cards: tuple[Card, ...]
    words = "seat {seat} throws all {kind} away: {cards}"


class Placed(Event, frozen=True, tag="placed"):
    """A card of the catch went on top of a place."""

    seat: Seat
    card: Card
    place: Place

    def __str__(self) -> str:
        return f"seat {self.seat} places {self.card} in {PLACES[self.place]}"


class Canned(Event, frozen=True, tag="canned"):
    """Canned fish took these cards out of a garbage can; they and the canned fish were discarded."""

    seat: Seat
    cards: tuple[Card, ...]
    words = "seat {seat} takes {cards} out of the garbage can"


class Sold(Event, frozen=True, tag="sold"):
    """All fish of a kind on one board were sold for ``price`` Euro; at half price when the market had closed."""

    seat: Seat
    kind: Kind
    fish: int
    price: int
    half_price: bool = False
    weight = 2

    def __str__(self) -> str:
        return (
            f"seat {self.seat} sells {self.fish} {self.kind} for {self.price} Euro{' (half price)' * self.half_price}"
        )


class Spoiled(Event, frozen=True, tag="spoiled"):
    """A card went from a crate into the garbage can of its owner, for another seat sold that kind."""

    seat: Seat
    card: Card
    place: Place

    def __str__(self) -> str:
        return f"{self.card} in {PLACES[self.place]} of seat {self.seat} spoils"


class Garbage(Event, frozen=True, tag="garbage"):
    """At the end a seat paid for the fish in its garbage can; ``cards`` are what lies there."""

    seat: Seat
    cards: tuple[Card, ...]
    price: int
    words = "seat {seat} pays {price} Euro for its garbage: {cards}"


class Final(Event, frozen=True, tag="final"):
    """The last count: money and rank of every seat."""

    money: tuple[int, ...]
    ranks: tuple[int, ...]
    weight = 0

    def __str__(self) -> str:
        return f"the game is over: {places(self.ranks, '{} Euro', self.money)}"
