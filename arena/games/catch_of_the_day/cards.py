"""What is in the box of Catch of the Day, as data, and how a card compares players. Knows no rule of play and no state.

A card is its own text: a Request or Complaint reads the same for a bot and a person (``"closest to 5 tuna without
busting"``) and tells all that counts. What the thirty Requests and ten Complaints say, and the faces of the dice, was
designed in the words of the rulebook's glossary; how many of each there are is the rulebook's. One small vocabulary
serves all forty cards (rulebook, Glossary).
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from arena.game import Seat
from arena.values import Among

Fish: TypeAlias = Literal["dorado", "rosefish", "tuna"]
"""A type of fish, which is also a color of dice and a Fish card."""
FishCard: TypeAlias = Literal["choice", "dorado", "rosefish", "tuna", "last call"]
Card: TypeAlias = str
"""A Request or Complaint by its text."""

FISH: Final[tuple[Fish, ...]] = get_args(Fish)
"""The types in the order in which all counts by type stand."""
CHOICE: Final = "choice"
LAST_CALL: Final = "last call"
FISH_CARDS: Final[tuple[FishCard, ...]] = get_args(FishCard)
"""A player's five Fish cards, in the order in which they are offered (ruling 38)."""
FISH_CARD_SETS: Final = 8
CHOICE_PICKS: Final = 2
"""Fish cards shown by a player of the Choice card."""

DICE: Final = 15
"""Dice of each color."""
FACES: Final = 6
DICE_PER_PLAYER: Final[dict[int, int]] = {4: 2, 5: 1, 6: 1, 7: 1, 8: 1}
"""Dice drawn a day for each player, by number of players."""
DAYS: Final = 5
FOUR: Final = 4
"""The number of players with two dice each, for whom the numbers in brackets are printed (ruling 22)."""

PUBLIC_REQUESTS: Final = 3
COMPLAINTS_IN_PLAY: Final = 2
REQUESTS_PER_PAIR: Final = 2
"""Requests shared by each two neighbors."""
PACK: Final = 3
"""Requests dealt to each player in the Advanced Game."""

Kind: TypeAlias = Literal["most", "least", "closest", "busted", "furthest", "more", "fewer"]
Measure: TypeAlias = Literal[
    "dorado",
    "rosefish",
    "tuna",
    "pairs of dorado and rosefish",
    "pairs of rosefish and tuna",
    "pairs of dorado and tuna",
    "sets",
    "fish",
]
"""What is counted: a type, pairs of two types, Sets, or all Fish."""

WORDS: Final[dict[Kind, str]] = {
    "most": "most {of}",
    "least": "least {of}",
    "closest": "closest to {number} {of} without busting",
    "busted": "busted {number} {of}",
    "furthest": "furthest from {number} {of}",
    "more": "more {of} than both neighbors",
    "fewer": "fewer {of} than both neighbors",
}
"""How a card of each kind reads."""


class Attribute(Struct, frozen=True):
    """What a card describes: how players are compared, by what, and against which number if the kind has one."""

    kind: Kind
    of: Measure
    number: int = 0
    """For 5 to 8 players."""
    number_for_4: int = 0
    """The number in brackets, which counts with 4 players (ruling 22)."""

    def find_number(self, seats: int) -> int:
        """The number that counts at a table of this many seats."""
        return self.number_for_4 if seats == FOUR else self.number

    def text(self, seats: int) -> Card:
        """The card as it reads there."""
        return WORDS[self.kind].format(number=self.find_number(seats), of=self.of)


REQUEST_CARDS: Final[dict[str, Attribute]] = {
    "R01": Attribute("most", "dorado"),
    "R02": Attribute("most", "rosefish"),
    "R03": Attribute("most", "tuna"),
    "R04": Attribute("least", "dorado"),
    "R05": Attribute("least", "rosefish"),
    "R06": Attribute("least", "tuna"),
    "R07": Attribute("closest", "dorado", 5, 10),
    "R08": Attribute("closest", "rosefish", 5, 10),
    "R09": Attribute("closest", "tuna", 5, 10),
    "R10": Attribute("closest", "dorado", 8, 16),
    "R11": Attribute("closest", "rosefish", 8, 16),
    "R12": Attribute("closest", "tuna", 8, 16),
    "R13": Attribute("most", "pairs of dorado and rosefish"),
    "R14": Attribute("most", "pairs of rosefish and tuna"),
    "R15": Attribute("most", "pairs of dorado and tuna"),
    "R16": Attribute("most", "sets"),
    "R17": Attribute("closest", "sets", 2, 4),
    "R18": Attribute("most", "fish"),
    "R19": Attribute("least", "fish"),
    "R20": Attribute("closest", "fish", 15, 30),
    "R21": Attribute("closest", "fish", 20, 40),
    "R22": Attribute("more", "dorado"),
    "R23": Attribute("more", "rosefish"),
    "R24": Attribute("more", "tuna"),
    "R25": Attribute("fewer", "dorado"),
    "R26": Attribute("fewer", "rosefish"),
    "R27": Attribute("fewer", "tuna"),
    "R28": Attribute("more", "fish"),
    "R29": Attribute("fewer", "fish"),
    "R30": Attribute("more", "sets"),
}
COMPLAINT_CARDS: Final[dict[str, Attribute]] = {
    "C01": Attribute("least", "dorado"),
    "C02": Attribute("least", "rosefish"),
    "C03": Attribute("least", "tuna"),
    "C04": Attribute("busted", "dorado", 10, 20),
    "C05": Attribute("busted", "rosefish", 10, 20),
    "C06": Attribute("busted", "tuna", 10, 20),
    "C07": Attribute("busted", "fish", 24, 48),
    "C08": Attribute("furthest", "fish", 16, 32),
    "C09": Attribute("least", "sets"),
    "C10": Attribute("fewer", "fish"),
}

REQUESTS: Final[dict[int, tuple[Card, ...]]] = {
    seats: tuple(card.text(seats) for card in REQUEST_CARDS.values()) for seats in DICE_PER_PLAYER
}
"""The texts of the thirty Requests by number of players, by id upwards."""
COMPLAINTS: Final[dict[int, tuple[Card, ...]]] = {
    seats: tuple(card.text(seats) for card in COMPLAINT_CARDS.values()) for seats in DICE_PER_PLAYER
}
"""The texts of the ten Complaints by number of players, by id upwards."""
Request: TypeAlias = Annotated[Card, Among(REQUESTS.__getitem__)]
Complaint: TypeAlias = Annotated[Card, Among(COMPLAINTS.__getitem__)]
RANK: Final[dict[Card, int]] = {text: rank for texts in REQUESTS.values() for rank, text in enumerate(texts)}
"""The place of a Request in the order of ids."""


MEASURES: dict[Measure, Callable[[Sequence[int]], int]] = {
    "dorado": itemgetter(0),
    "rosefish": itemgetter(1),
    "tuna": itemgetter(2),
    "pairs of dorado and rosefish": lambda fish: min(fish[0], fish[1]),
    "pairs of rosefish and tuna": lambda fish: min(fish[1], fish[2]),
    "pairs of dorado and tuna": lambda fish: min(fish[0], fish[2]),
    "sets": min,
    "fish": sum,
}
"""How much of a measure a player has with this many Dorado, Rosefish and Tuna (rulings 23 and 24)."""

ATTRIBUTES: dict[Card, tuple[Kind, Measure, int]] = {
    card.text(seats): (card.kind, card.of, card.find_number(seats))
    for card in (*REQUEST_CARDS.values(), *COMPLAINT_CARDS.values())
    for seats in DICE_PER_PLAYER
}
"""The attribute that each text describes: the same text is always the same card."""


def all_with(value: object, values: Sequence[object]) -> tuple[Seat, ...]:
    """The seats of this value, by the values of all seats."""
    if values.count(value) == 1:
        return (values.index(value),)
    return tuple([seat for seat, other in enumerate(values) if other == value])


def most(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have the most."""
    return all_with(max(values), values)


def least(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have the least."""
    return all_with(min(values), values)


def closest_without_busting(values: list[int], number: int) -> tuple[Seat, ...]:
    """All who have the most of those who have at most the number; if all have busted nobody (ruling 21)."""
    best = -1
    for value in values:
        if best < value <= number:
            best = value
    return all_with(best, values)


def busted(values: list[int], number: int) -> tuple[Seat, ...]:
    """All who have more than the number."""
    return tuple([seat for seat, value in enumerate(values) if value > number])


def furthest(values: list[int], number: int) -> tuple[Seat, ...]:
    """All who are furthest away from the number."""
    away = [abs(value - number) for value in values]
    return all_with(max(away), away)


def more(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have more than both neighbors; counted from the end, the seat after the last is the first."""
    after = 1 - len(values)
    return tuple([seat for seat, value in enumerate(values) if values[seat - 1] < value > values[seat + after]])


def fewer(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have fewer than both neighbors."""
    after = 1 - len(values)
    return tuple([seat for seat, value in enumerate(values) if values[seat - 1] > value < values[seat + after]])


KINDS: dict[Kind, Callable[[list[int], int], tuple[Seat, ...]]] = {
    "most": most,
    "least": least,
    "closest": closest_without_busting,
    "busted": busted,
    "furthest": furthest,
    "more": more,
    "fewer": fewer,
}
"""Whom a card of each kind describes, by how much each player has and the number on the card."""


def closest(card: Card, fish: Sequence[Sequence[int]]) -> tuple[Seat, ...]:
    """The players who satisfy a Request that all share, or receive a Complaint.

    Args:
        card: its text.
        fish: the Dorado, Rosefish and Tuna of every player, in the order of the seats.
    """
    kind, of, number = ATTRIBUTES[card]
    return KINDS[kind](list(map(MEASURES[of], fish)), number)
