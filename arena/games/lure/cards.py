"""What is in the box of Lure, as data: dice, lures, fish. Knows no rule of play, no state and no seat.

Numbers of components are publicly known; which lures the 24 are, and what the 30 fish are, is arena's own choice
(RULINGS.md).
"""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

Die: TypeAlias = Literal["d6", "d12", "d20"]
"""A die by its number of sides; a d12 or d20 is a special die."""
Lure: TypeAlias = Literal[
    "adjust",
    "extra die 1",
    "extra die 2",
    "extra die 3",
    "extra die 4",
    "extra die 5",
    "extra die 6",
    "boost",
]
"""A lure token by its name; an Extra Die bears its number."""
Requirement: TypeAlias = Literal[
    "contains a 1",
    "contains a 6",
    "contains a 3",
    "contains a 1 and a 5",
    "contains two 4s",
    "contains a 2 and a 6",
    "two dice alike",
    "three dice alike",
    "two pairs",
    "no two dice alike",
    "all dice even",
    "all dice odd",
    "no die shows 1",
    "a die shows 10 or more",
]
"""What a roll must meet, besides its number."""
OnReveal: TypeAlias = Literal["reveal 1 more fish", "each player draws 1 lure"]
"""What some fish do when they are revealed."""

SIDES: Final[dict[Die, int]] = {"d6": 6, "d12": 12, "d20": 20}
D6: Final[Die] = "d6"
D6S: Final = 5
"""Six-sided dice of each player."""
SPECIAL_DICE: Final[tuple[Die, ...]] = ("d12", "d20")
"""Special dice of each player, one each."""

ADJUST: Final[Lure] = "adjust"
BOOST: Final[Lure] = "boost"
EXTRA_DIE: Final[dict[Lure, int]] = {
    "extra die 1": 1,
    "extra die 2": 2,
    "extra die 3": 3,
    "extra die 4": 4,
    "extra die 5": 5,
    "extra die 6": 6,
}
"""The number on each Extra Die."""
LURES: Final[dict[Lure, int]] = {ADJUST: 8, **dict.fromkeys(EXTRA_DIE, 2), BOOST: 4}
"""Tokens of each lure, in the order in which lures are always listed."""
PLACE: Final = {lure: place for place, lure in enumerate(LURES)}
"""The place of each lure in this order."""
BOOST_VP: Final = 2
START_LURES: Final = 1


class Fish(Struct, frozen=True):
    """A fish card. What it does when revealed is in ``ON_REVEAL``: once it lies in the middle, that has happened."""

    name: str
    catch: int
    """Catch number: what the roll must add up to at least."""
    requirement: Requirement | None
    vp: int

    def __str__(self) -> str:
        needs = f", {self.requirement}" if self.requirement else ""
        return f"{self.name} (catch {self.catch}{needs}; {self.vp} VP)"


FISH: Final = (
    Fish("Minnow", 3, None, 1),
    Fish("Bleak", 5, None, 1),
    Fish("Roach", 7, None, 2),
    Fish("Perch", 9, None, 2),
    Fish("Bream", 11, None, 2),
    Fish("Chub", 13, None, 3),
    Fish("Tench", 16, None, 3),
    Fish("Carp", 19, None, 4),
    Fish("Pike", 22, None, 5),
    Fish("Catfish", 26, None, 6),
    Fish("Sturgeon", 30, None, 7),
    Fish("Gudgeon", 4, "contains a 1", 2),
    Fish("Rudd", 8, "contains a 6", 2),
    Fish("Dace", 10, "contains a 3", 3),
    Fish("Barbel", 9, "contains a 1 and a 5", 4),
    Fish("Burbot", 8, "contains two 4s", 5),
    Fish("Ide", 12, "contains a 2 and a 6", 4),
    Fish("Bluegill", 6, "two dice alike", 2),
    Fish("Crappie", 10, "two dice alike", 3),
    Fish("Walleye", 9, "three dice alike", 5),
    Fish("Muskellunge", 14, "two pairs", 6),
    Fish("Whitefish", 10, "no two dice alike", 3),
    Fish("Zander", 15, "no two dice alike", 4),
    Fish("Trout", 6, "all dice even", 3),
    Fish("Grayling", 5, "all dice odd", 3),
    Fish("Char", 12, "all dice even", 5),
    Fish("Salmon", 11, "all dice odd", 5),
    Fish("Taimen", 18, "all dice even", 7),
    Fish("Eel", 12, "no die shows 1", 3),
    Fish("Arapaima", 20, "a die shows 10 or more", 5),
)
"""The fish cards, one of each."""

MORE_FISH: Final[OnReveal] = "reveal 1 more fish"
MORE_LURES: Final[OnReveal] = "each player draws 1 lure"
ON_REVEAL: Final[dict[str, OnReveal]] = {
    "Minnow": MORE_FISH,
    "Bleak": MORE_LURES,
    "Dace": MORE_LURES,
    "Bluegill": MORE_FISH,
    "Grayling": MORE_FISH,
    "Eel": MORE_LURES,
}
"""The fish that do something when they are revealed, by name."""

REMOVED: Final[dict[int, int]] = {2: 10, 3: 10, 4: 0, 5: 0}
"""Fish removed unseen, by number of players."""
REVEALED: Final[dict[int, int]] = {2: 2, 3: 2, 4: 3, 5: 3}
"""Fish revealed in each Splash, by number of players."""
