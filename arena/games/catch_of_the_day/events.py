"""What the table sees in Catch of the Day, or some seats alone in the draft. Knows the cards and no rule of play."""

from typing import TypeAlias

from arena.game import Seat
from arena.games.catch_of_the_day.cards import FISH, Card, Fish, FishCard, Request
from arena.structs import Phrase, list_seats, places
from arena.words import plural

Option: TypeAlias = FishCard | Request
"""A Request by its text, a Fish card, or a type of fish."""


def _cards(cards: tuple[Card, ...]) -> str:
    return ", ".join(f"'{card}'" for card in cards)


def _phase(card: FishCard) -> str:
    return "reveal" if card in FISH else card


class Event(Phrase, frozen=True):
    """What the table sees."""


class Setup(Event, frozen=True, tag="setup"):
    """The public Requests and the Complaints were dealt face up."""

    requests: tuple[Card, ...]
    complaints: tuple[Card, ...]
    weight = 0

    def __str__(self) -> str:
        return f"the public Requests are {_cards(self.requests)}, the Complaints {_cards(self.complaints)}"


class Dealt(Event, frozen=True, tag="dealt"):
    """A player was dealt these Requests face down; only that player hears it."""

    seat: Seat
    requests: tuple[Card, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} is dealt {_cards(self.requests)}"


class DraftPick(Event, frozen=True, tag="kept"):
    """A player drafted a Request; only that player hears it."""

    seat: Seat
    request: Card
    words = "seat {seat} keeps '{request}'"


class Passed(Event, frozen=True, tag="passed"):
    """A player passed these Requests to the left ``neighbor``; only these two hear it."""

    seat: Seat
    neighbor: Seat
    requests: tuple[Card, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} passes {_cards(self.requests)} to seat {self.neighbor}"


class Assigned(Event, frozen=True, tag="assigned"):
    """Which Request a player gave to the left and to the right, and which was put back; only that player hears it."""

    seat: Seat
    left: Card
    right: Card
    back: Card

    def __str__(self) -> str:
        shares = f"shares '{self.left}' to the left and '{self.right}' to the right"
        return f"seat {self.seat} {shares}, and puts '{self.back}' back"


class Shared(Event, frozen=True, tag="shared"):
    """Two neighbors share these private Requests, which lie face up."""

    seats: tuple[Seat, ...]
    requests: tuple[Card, ...]
    weight = 0

    def __str__(self) -> str:
        return f"{list_seats(self.seats)} share {_cards(self.requests)}"


class Rolled(Event, frozen=True, tag="rolled"):
    """A day began: the pips of the dice drawn, by color. Their sums are the Market Supply."""

    day: int
    dorado: tuple[int, ...]
    rosefish: tuple[int, ...]
    tuna: tuple[int, ...]

    def __str__(self) -> str:
        dice = zip(FISH, (self.dorado, self.rosefish, self.tuna), strict=True)
        rolls = ", ".join(f"{' + '.join(map(str, pips)) or 'no'} {fish}" for fish, pips in dice)
        return f"day {self.day}: the dice show {rolls}"


class ChoiceShown(Event, frozen=True, tag="choice"):
    """All have selected, and these players revealed their Choice card."""

    seats: tuple[Seat, ...]
    weight = 0

    def __str__(self) -> str:
        return f"{list_seats(self.seats)} played Choice"


class Picked(Event, frozen=True, tag="picked"):
    """A player of the Choice card revealed two more Fish cards."""

    seat: Seat
    fish: tuple[Fish, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} picks {' and '.join(self.fish)}"


class Revealed(Event, frozen=True, tag="revealed"):
    """The Fish card of every player, by seat; those of Choice were known."""

    cards: tuple[FishCard, ...]

    def __str__(self) -> str:
        return f"the cards are shown: {', '.join(f'seat {seat} {card}' for seat, card in enumerate(self.cards))}"


class FishShare(Event, frozen=True, tag="given"):
    """Each of these players got so many fish of a type, by the Choice card, the card of that type, or Last Call."""

    card: FishCard
    fish: Fish
    seats: tuple[Seat, ...]
    each: int
    weight = 2

    def __str__(self) -> str:
        name = " each" if len(self.seats) > 1 else ""
        return f"{_phase(self.card)}: {self.each} {self.fish}{name} for {list_seats(self.seats)}"


class NoFish(Event, frozen=True, tag="none"):
    """More ``cards`` than ``supply`` were revealed for a type, and nobody got any of it."""

    card: FishCard
    fish: Fish
    cards: int
    supply: int

    def __str__(self) -> str:
        cards = plural(self.cards, "card")
        return f"{_phase(self.card)}: {cards} for {self.supply or 'no'} {self.fish}, so nobody gets any"


class Cleanup(Event, frozen=True, tag="cleanup"):
    """What remained of the Market Supply was moved to Leftover Storage, which now holds so many of each type."""

    day: int
    leftover_storage: tuple[int, ...]
    weight = 0

    def __str__(self) -> str:
        stored = ", ".join(f"{fish} {name}" for name, fish in zip(FISH, self.leftover_storage, strict=True))
        return f"day {self.day} ends with {stored} in Leftover Storage"


class Satisfied(Event, frozen=True, tag="satisfied"):
    """A public Request, or a private one of the two ``sharers``, was satisfied by these seats."""

    request: Card
    seats: tuple[Seat, ...]
    sharers: tuple[Seat, ...] = ()
    weight = 3

    def __str__(self) -> str:
        whose = f"shared by {list_seats(self.sharers)}" if self.sharers else "public"
        return f"'{self.request}', {whose}, is satisfied by {list_seats(self.seats)}"


class Received(Event, frozen=True, tag="received"):
    """These seats received a Complaint."""

    complaint: Card
    seats: tuple[Seat, ...]
    weight = 3

    def __str__(self) -> str:
        return f"the Complaint '{self.complaint}' is received by {list_seats(self.seats)}"


class TieBreak(Event, frozen=True, tag="tie"):
    """A new Request was flipped for the players ``tied`` for first; of them these ``seats`` satisfy it."""

    tied: tuple[Seat, ...]
    request: Card
    seats: tuple[Seat, ...]
    weight = 2

    def __str__(self) -> str:
        return f"of {list_seats(self.tied)}, tied for first, '{self.request}' is satisfied by {list_seats(self.seats)}"


class TotalSatisfaction(Event, frozen=True, tag="final"):
    """Total satisfaction and rank of every seat."""

    satisfaction: tuple[int, ...]
    ranks: tuple[int, ...]
    weight = 0

    def __str__(self) -> str:
        return f"total satisfaction: {places(self.ranks, '{}', self.satisfaction)}"
