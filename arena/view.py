"""A table as a picture, as plain data: zones with cards, counters, badges. Knows no game, no bot and no page.

A game's ``view(observation)`` returns a ``Table``; a browser and a terminal draw it. A view is given what one seat was
sent and never the state, so it cannot show what the seat does not know. ``together`` is the picture for everyone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

Hue: TypeAlias = Literal[
    "red", "orange", "amber", "olive", "green", "teal", "cyan", "blue", "indigo", "violet", "pink", "brown", "grey"
]
"""The name of a hue. What draws it has one colour for light and one for dark, both easy to read."""


class CardStyle(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the cards of one kind look."""

    hue: Hue = "grey"
    glyph: str = ""
    """SVG path data in a box of 48 by 32, filled in one colour; empty: only the name is written."""


Looks: TypeAlias = Callable[[], Mapping[str, CardStyle]]
"""The looks of a game by the kind of card. A function, since only a page needs them."""


class Card(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A card, a chip or a die. A name that leaves one zone and comes to another has moved."""

    name: str = ""
    """As events and options say it; empty for a card that lies face down."""
    kind: str = ""
    """The key of its look."""
    value: str = ""
    """What stands in its corner."""
    text: str = ""
    """What it does or is worth, in at most 60 characters: the same for a name and a kind throughout a match."""
    face: str = ""
    """The same in at most 28 characters, for a card as large as that; a card without a value has it."""
    count: int = 1
    """How many cards alike lie on one heap."""
    seat: int | None = None
    """On a track: whose chip it is."""
    at: int = 0
    """On a track: the space on which it stands."""


class Zone(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place for cards."""

    id: str
    """The same throughout a match and for every seat."""
    title: str
    kind: Literal["row", "fan", "pile", "track", "tokens"] = "row"
    """Cards side by side; cards that overlap, the last on top; a heap; chips on spaces; small things, such as dice.

    What lies on a track or in ``tokens`` is not counted as cards.
    """
    cards: tuple[Card, ...] = ()
    owner: int | None = None
    """The seat before which it lies; None: the middle of the table."""
    spaces: int = 0
    """Of a track: its spaces are 0 to this."""
    quiet: bool = False
    """Whether it is left out while it is empty."""
    note: str = ""
    """What the cards amount to, in a word or two: ``7 fish``."""


class Counter(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A number that matters: money, size, points."""

    title: str
    value: int
    owner: int | None = None
    """The seat it belongs to; None: the whole table."""
    unit: str = ""
    most: int | None = None
    """The greatest value, if there is one: a bar then shows how far it is."""
    change: int = 0
    """What is added to it for a while, such as for this turn."""


class Badge(Struct, frozen=True):
    """A word that is true of a seat now: ``auctioneer``, ``stunned``, ``out``."""

    seat: int
    text: str


class Table(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that there is to see at one moment."""

    title: str = ""
    """Where the game stands, in a few words."""
    question: str = ""
    """What the table waits for, as one would ask a person; empty if it waits for nobody."""
    zones: tuple[Zone, ...] = ()
    """In the order in which they are shown."""
    counters: tuple[Counter, ...] = ()
    badges: tuple[Badge, ...] = ()
    text: str = ""
    """In the place of a picture: the observation in words, for a game that has no view."""


View: TypeAlias = Callable[[Any], Table]
"""The table as the seat of an observation sees it."""


def together(tables: Sequence[Table]) -> Table:
    """What all seats know together: of each zone the version of the seat that saw most of it. At least one table."""
    zones: dict[str, Zone] = {}
    counters: dict[tuple[str, int | None], Counter] = {}
    for table in tables:
        for zone in table.zones:
            if zone.id not in zones or _known_cards(zone) > _known_cards(zones[zone.id]):
                zones[zone.id] = zone
        for counter in table.counters:
            counters.setdefault((counter.title, counter.owner), counter)
    return Table(
        title=tables[0].title,
        question=tables[0].question,
        zones=tuple(zones.values()),
        counters=tuple(counters.values()),
        badges=tuple(dict.fromkeys(badge for table in tables for badge in table.badges)),
        text="\n\n".join(table.text for table in tables if table.text),
    )


def _known_cards(zone: Zone) -> int:
    return sum(card.count for card in zone.cards if card.name)


def card_texts(table: Table) -> tuple[str, ...]:
    """What the cards that can be seen do, a line for each different one, in the order of the table."""
    cards = (card for zone in table.zones for card in zone.cards)
    return tuple(dict.fromkeys(f"{card.name}: {card.text}" for card in cards if card.text))


def face_down(count: int) -> tuple[Card, ...]:
    """A heap of this many cards face down; no card for 0."""
    return (Card(count=count),) if count else ()


def backs(count: int) -> tuple[Card, ...]:
    """This many cards face down, side by side."""
    return (Card(),) * count


def heap(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Those of the cards of which there are any: for cards that are given with their copies."""
    return tuple(card for card in cards if card.count)
