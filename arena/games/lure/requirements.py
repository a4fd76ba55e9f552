"""Whether the numbers of a roll meet what a fish requires. Knows the cards, and no state and no seat.

A roll is the numbers of all dice rolled, as adjusted, and of all Extra Dice played: every one counts and none may be
left out (rulings 5, 6, 26, 27).
"""

from collections.abc import Callable, Sequence
from typing import Final

from arena.games.lure.cards import SIDES, Fish, Requirement

PAIR: Final = 2
NUMBERS: Final = range(1, max(SIDES.values()) + 1)
"""All that a die can show."""
BIG: Final = 10
"""What only a special die can show, or more."""


def contains(number: int) -> Callable[[Sequence[int]], bool]:
    """A die shows exactly this number."""
    return lambda numbers: number in numbers


def contains_both(one: int, other: int) -> Callable[[Sequence[int]], bool]:
    """A die shows the one number, and another die the other."""
    return lambda numbers: one in numbers and other in numbers


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
