"""The luck that Lure tells: the odds of each fish, held against every roll there is."""

from fractions import Fraction
from itertools import product
from math import prod
from typing import TypeAlias

import pytest

from arena.games.lure.cards import FISH, Fish, can_catch
from arena.games.lure.luck import chances

Dice: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""The sides of the dice that a seat rolls, and the numbers on its Extra Dice."""

GROUPS: list[tuple[Dice, ...]] = [
    (((6,), ()),),
    (((6, 6, 6), (1, 4)),),
    (((12, 6, 6), (3,)),),
    (((20, 12), ()),),
    (((6, 6, 6, 6), ()),),
    (((6, 6), (4,)), ((6, 6), ())),
    (((12, 6), ()), ((6,), (1, 6))),
    (((20,), ()), ((6, 6), (6,))),
    (((6,), (3, 3)), ((6,), ()), ((12,), ())),
]


def counted(fish: Fish, group: tuple[Dice, ...]) -> list[Fraction]:
    """How likely each of a group is to catch a fish: every roll is made, and the rules say who catches it."""
    caught = [0] * len(group)
    for rolls in product(*[product(*[range(1, each + 1) for each in sides]) for sides, _ in group]):
        whole = [roll + extra for roll, (_, extra) in zip(rolls, group, strict=True)]
        able = [(sum(each), seat) for seat, each in enumerate(whole) if can_catch(fish, sum(each), each)]
        lowest = [seat for total, seat in able if total == min(able)[0]]
        if len(lowest) == 1:
            caught[lowest[0]] += 1
    every = prod(each for sides, _ in group for each in sides)
    return [Fraction(each, every) for each in caught]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: " against ".join(map(str, group)))
def test_odds_are_those_of_every_roll(group: tuple[Dice, ...]) -> None:
    """Each seat of a group catches each fish as often as it does over all rolls of all their dice."""
    for fish in FISH:
        told = chances(fish, group)
        assert told == pytest.approx([float(each) for each in counted(fish, group)], abs=1e-12), fish
        assert sum(told) <= 1 + 1e-12
