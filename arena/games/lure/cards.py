"""What is in the box of Lure, as data, and whether a roll meets what a fish requires. Knows no state and no seat.

Numbers of components are publicly known; which lures the 24 are, and what the 30 fish are, is arena's own choice
(RULINGS.md). A roll is the numbers of all dice rolled, as adjusted, and of all Extra Dice played: every one counts and
none may be left out (rulings 5, 6, 26, 27).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from arena.values import LEFT_OUT, Among

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


_FISH: Final = (
    *("Minnow", "Bleak", "Roach", "Perch", "Bream", "Chub", "Tench", "Carp", "Pike", "Catfish", "Sturgeon", "Gudgeon"),
    *("Rudd", "Dace", "Barbel", "Burbot", "Ide", "Bluegill", "Crappie", "Walleye", "Muskellunge", "Whitefish"),
    *("Zander", "Trout", "Grayling", "Char", "Salmon", "Taimen", "Eel", "Arapaima"),
)


class Fish(Struct, frozen=True):
    """A fish card. What it does when revealed is in ``ON_REVEAL``: once it lies in the middle, that has happened."""

    name: Annotated[str, Among(_FISH)]
    catch: Annotated[int, LEFT_OUT]
    """Catch number: what the roll must add up to at least."""
    requirement: Annotated[Requirement | None, LEFT_OUT]
    vp: Annotated[int, LEFT_OUT]

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


PAIR: Final = 2
NUMBERS: Final = range(1, max(SIDES.values()) + 1)
"""All that a die can show."""
BIG: Final = 10
"""What only a special die can show, or more."""


def contains(number: int) -> Callable[[Sequence[int]], bool]:
    """A die shows exactly this number."""
    return lambda numbers: number in numbers


def contains_both(number: int, other: int) -> Callable[[Sequence[int]], bool]:
    """A die shows the one number, and another die the other."""
    return lambda numbers: number in numbers and other in numbers


def two_fours(numbers: Sequence[int]) -> bool:
    """Two dice or more show a 4."""
    return numbers.count(4) >= PAIR


def two_alike(numbers: Sequence[int]) -> bool:
    """Two dice or more show the same number; a single die never meets this (37)."""
    return len(set(numbers)) < len(numbers)


def none_alike(numbers: Sequence[int]) -> bool:
    """All dice differ; a single die meets this (37)."""
    return len(set(numbers)) == len(numbers)


def three_alike(numbers: Sequence[int]) -> bool:
    """Three dice or more show the same."""
    return max(map(numbers.count, numbers)) > PAIR


def two_pairs(numbers: Sequence[int]) -> bool:
    """Two different pairs, or four dice alike."""
    return sum([numbers.count(number) // PAIR for number in set(numbers)]) >= PAIR


MEETS: Final[dict[Requirement, Callable[[Sequence[int]], bool]]] = {
    "contains a 1": contains(1),
    "contains a 6": contains(6),
    "contains a 3": contains(3),
    "contains a 1 and a 5": contains_both(1, 5),
    "contains two 4s": two_fours,
    "contains a 2 and a 6": contains_both(2, 6),
    "two dice alike": two_alike,
    "three dice alike": three_alike,
    "two pairs": two_pairs,
    "no two dice alike": none_alike,
    "all dice even": frozenset(NUMBERS[1::2]).issuperset,
    "all dice odd": frozenset(NUMBERS[::2]).issuperset,
    "no die shows 1": lambda numbers: 1 not in numbers,
    "a die shows 10 or more": lambda numbers: max(numbers) >= BIG,
}
"""Each requirement as a question about the numbers of a roll."""


def can_catch(fish: Fish, total: int, numbers: Sequence[int]) -> bool:
    """Whether a roll of these numbers, adding up to ``total``, catches the fish: number and requirement."""
    if total < fish.catch:
        return False
    requirement = fish.requirement
    return requirement is None or MEETS[requirement](numbers)
