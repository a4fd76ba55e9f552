"""What is in the box of Fish Food, as data. Knows no rules of play, no state and no seat.

Names, what the Actions do and the start and winning sizes are the rulebook's; how many copies of each card there are,
Sunken Treasure, the creatures and what the Events do are arena's own (RULINGS.md).
"""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from arena.values import Among

Action: TypeAlias = Literal[
    "Fish Food",
    "Caught in the Net",
    "Sunken Treasure",
    "School of Fish",
    "Stun",
    "Swim Away",
    "Switcheroo",
    "Lost at Sea",
]
"""A card of the Actions deck by its name."""

EventCard: TypeAlias = Literal["Shark", "Take the Bait", "Feeding Frenzy"]

Creature: TypeAlias = Annotated[int, Among(tuple(range(1, 11)))]
"""A creature by its size."""

Encounter: TypeAlias = Creature | EventCard
"""A card of the Encounters deck: an attacking creature is its size, an Event its name."""

CHARACTERS: Final = 6
START_SIZE: Final = 3
WINNING_SIZE: Final = 10

ACTIONS: Final[dict[Action, int]] = {
    "Fish Food": 16,
    "Caught in the Net": 14,
    "Sunken Treasure": 8,
    "School of Fish": 8,
    "Stun": 4,
    "Swim Away": 4,
    "Switcheroo": 3,
    "Lost at Sea": 3,
}
"""Copies of each Action."""

BEGINNER_ACTIONS: Final[tuple[Action, ...]] = ("Fish Food", "Caught in the Net", "Sunken Treasure", "School of Fish")

MODIFIERS: Final[dict[Action, int]] = {
    "Fish Food": 1,
    "Caught in the Net": -1,
    "Sunken Treasure": 2,
    "School of Fish": 4,
}
"""What an Action adds to the size of the Character or creature it is played on; the others add nothing."""

SCHOOL_AT_MOST: Final = 3
"""The greatest starting size School of Fish may be played on."""

LOST_AT_SEA_TAKES: Final = 2

CREATURES: Final[dict[Encounter, int]] = {1: 7, 2: 7, 3: 7, 4: 5, 5: 4, 6: 3, 7: 3, 8: 2, 9: 1, 10: 1}
"""Copies of the creature of each size."""

CREATURE_NAMES: Final[dict[int, str]] = {
    1: "Shrimp",
    2: "Minnow",
    3: "Seahorse",
    4: "Crab",
    5: "Pufferfish",
    6: "Squid",
    7: "Barracuda",
    8: "Moray",
    9: "Swordfish",
    10: "Orca",
}

EVENTS: Final[dict[Encounter, int]] = {"Shark": 3, "Take the Bait": 3, "Feeding Frenzy": 2}
"""Copies of each Event."""

SHARK_BITES: Final = 2
"""What the biggest Character loses, if it is the only one."""
SHARK_BITES_EACH: Final = 1
"""What each loses if several are biggest."""
BAIT_SIZES: Final = 2
"""How much a player who took the bait grows or loses."""
FRENZY_AT_MOST: Final = 5
"""The greatest size that grows in a Feeding Frenzy."""
FRENZY_GROWS: Final = 1

HAND_LIMIT: Final[dict[int, int]] = {2: 7, 3: 7, 4: 7, 5: 5, 6: 5}
"""Cards dealt to each hand and kept at the end of a turn, by number of players."""
BEGINNER_HAND_LIMIT: Final = 5
EVENTS_LEAVE_FROM: Final = 5
"""From this many players on, Events leave the game after use, unless a variant says otherwise."""

TURN_LIMIT: Final = 500
"""Turns of all players together after which the game stops (ruling 39)."""

ACTION_PLACE: Final[dict[Action, int]] = {action: place for place, action in enumerate(get_args(Action))}
"""The place of each Action in the order of the table, in which hands are sorted and copies are counted."""
ACTION_LETTER: Final[dict[Action, str]] = dict(zip(ACTIONS, "abcdefgh", strict=True))
"""The letter of each Action in the history of hands, in the order of the table."""

ENCOUNTER_COPIES: Final[dict[Encounter, int]] = {**CREATURES, **EVENTS}
ENCOUNTER_PLACE: Final[dict[Encounter, int]] = {card: place for place, card in enumerate(ENCOUNTER_COPIES)}
"""The place of each card in counts of Encounters: creatures by size, then the Events."""
