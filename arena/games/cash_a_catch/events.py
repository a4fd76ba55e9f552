"""What everyone at the table sees in Cash-a-Catch; there are no private events. Knows the cards and no rule of play."""

from msgspec import Struct

from arena.game import Seat
from arena.games.cash_a_catch.cards import PLACES, Card, Kind, Place


class Turned(Struct, frozen=True, tag="turned", tag_field="type", gc=False):
    """The auctioneer put the next card of the supply on the table (the end phase is set aside)."""

    seat: Seat
    card: Card

    def __str__(self) -> str:
        return f"seat {self.seat} turns up {self.card}"


class Rang(Struct, frozen=True, tag="rang", tag_field="type", gc=False):
    """These seats rang on the same beat."""

    seats: tuple[Seat, ...]

    def __str__(self) -> str:
        return f"{' and '.join(f'seat {seat}' for seat in self.seats)} rang the bell"


class Bought(Struct, frozen=True, tag="bought", tag_field="type", gc=False):
    """A seat paid ``price`` Euro to the bank and took the lot."""

    seat: Seat
    lot: tuple[Card, ...]
    price: int

    def __str__(self) -> str:
        return f"seat {self.seat} buys {', '.join(self.lot)} for {self.price} Euro"


class Commission(Struct, frozen=True, tag="commission", tag_field="type", gc=False):
    """The auctioneer got ``money`` Euro from the bank for the cards just sold."""

    seat: Seat
    money: int

    def __str__(self) -> str:
        return f"seat {self.seat} takes a commission of {self.money} Euro"


class Stole(Struct, frozen=True, tag="stole", tag_field="type", gc=False):
    """A fish thief took the topmost card of a place of ``victim``; the thief was discarded."""

    seat: Seat
    victim: Seat
    place: Place
    card: Card

    def __str__(self) -> str:
        return f"seat {self.seat} steals {self.card} from {PLACES[self.place]} of seat {self.victim}"


class Unused(Struct, frozen=True, tag="unused", tag_field="type", gc=False):
    """An action card was discarded without effect."""

    seat: Seat
    card: Card

    def __str__(self) -> str:
        return f"seat {self.seat} discards a {self.card} unused"


class Threw(Struct, frozen=True, tag="threw", tag_field="type", gc=False):
    """All cards of a kind, of catch and board, went into the garbage can of their owner."""

    seat: Seat
    kind: Kind
    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} throws all {self.kind} away: {', '.join(self.cards)}"


class Placed(Struct, frozen=True, tag="placed", tag_field="type", gc=False):
    """A card of the catch went on top of a place."""

    seat: Seat
    card: Card
    place: Place

    def __str__(self) -> str:
        return f"seat {self.seat} places {self.card} in {PLACES[self.place]}"


class Canned(Struct, frozen=True, tag="canned", tag_field="type", gc=False):
    """Canned fish took these cards out of a garbage can; they and the canned fish were discarded."""

    seat: Seat
    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} takes {', '.join(self.cards)} out of the garbage can"


class Sold(Struct, frozen=True, tag="sold", tag_field="type", gc=False):
    """All fish of a kind on one board were sold for ``price`` Euro; at half price when the market had closed."""

    seat: Seat
    kind: Kind
    fish: int
    price: int
    half_price: bool = False

    def __str__(self) -> str:
        return (
            f"seat {self.seat} sells {self.fish} {self.kind} for {self.price} Euro{' (half price)' * self.half_price}"
        )


class Spoiled(Struct, frozen=True, tag="spoiled", tag_field="type", gc=False):
    """A card went from a crate into the garbage can of its owner, for another seat sold that kind."""

    seat: Seat
    card: Card
    place: Place

    def __str__(self) -> str:
        return f"{self.card} in {PLACES[self.place]} of seat {self.seat} spoils"


class Garbage(Struct, frozen=True, tag="garbage", tag_field="type", gc=False):
    """At the end a seat paid for the fish in its garbage can; ``cards`` are what lies there."""

    seat: Seat
    cards: tuple[Card, ...]
    price: int

    def __str__(self) -> str:
        return f"seat {self.seat} pays {self.price} Euro for its garbage: {', '.join(self.cards)}"


class Final(Struct, frozen=True, tag="final", tag_field="type", gc=False):
    """The last count: money and rank of every seat."""

    money: tuple[int, ...]
    ranks: tuple[int, ...]

    def __str__(self) -> str:
        counts = (
            f"seat {seat} has {money} Euro (place {rank + 1})"
            for seat, (money, rank) in enumerate(zip(self.money, self.ranks, strict=True))
        )
        return f"the game is over: {', '.join(counts)}"


Event = (
    Turned | Rang | Bought | Commission | Stole | Unused | Threw | Placed | Canned | Sold | Spoiled | Garbage | Final
)
