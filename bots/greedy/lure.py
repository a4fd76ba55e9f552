"""Greedy plays Lure: try every cast on rolls of its own, and take the one that lands the most points on average.

It knows no more than a decoded ``decide`` message: the observation holds all that the seat has learnt.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from collections.abc import Callable
    from typing import Any

ROLLS = 60  # on which each cast is tried
LEFT = (0.86, 0.91, 0.97)  # chance that a fish is left, for each opponent and die that may be quicker, by turns
LURE, BOOST = 0.7, 2  # points a lure is worth in the hand, and a Boost with a fish
LOOKAHEAD = 2  # Adjusts that are thought through at once

Numbers = tuple[int, ...]


def decide(message: dict[str, Any]) -> list[int]:
    """Pick for whatever is asked; ``step`` says what that is."""
    options, see = message["options"], message["observation"]
    if see["step"] == "dice":
        return pick_dice(options, see)
    if see["step"] == "lures":
        return pick_lures(options, see, tuple(see["chosen"]))
    return [pick_adjust(options, see)]


def pick_dice(options: list[str], see: dict[str, Any]) -> list[int]:
    """Any number of the d6s, which stand first, with any of the special dice."""
    cast = max(casts(tuple(options)), key=lambda dice: worth(see, dice, ()))
    return [*range(cast.count("d6")), *[options.index(die) for die in cast if die != "d6"]]


@cache
def casts(options: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All casts of these dice."""
    d6s = options.count("d6")
    special = [dice for size in range(len(options)) for dice in combinations(options[d6s:], size)]
    return [("d6",) * number + dice for number in range(d6s + 1) for dice in special][1:]  # the first is of no dice


def pick_lures(options: list[str], see: dict[str, Any], dice: tuple[str, ...]) -> list[int]:
    """One after the other, the lure that gains most, while that is more than it is worth in the hand."""
    picks, value = list[int](), worth(see, dice, ())
    while left := [at for at in range(len(options)) if at not in picks]:
        values = {at: worth(see, dice, tuple(sorted(options[each] for each in [*picks, at]))) for at in left}
        best = max(values, key=values.__getitem__)
        if values[best] < value + LURE:
            break
        picks, value = [*picks, best], values[best]
    return picks


def worth(see: dict[str, Any], dice: tuple[str, ...], lures: tuple[str, ...]) -> float:
    """Points to be expected of a cast: fish, Boosts if there is one, and a lure if there is none."""
    # who guesses as all others do casts as they do, and meets them at the same fish
    guess = LEFT[(see["seat"] + see["round"]) % len(LEFT)]
    points, none, left = 0.0, 1.0, guess ** (len(dice) * (see["seats"] - 1))
    for each in see["fish"]:
        likely = left * chance(each["catch"], each["requirement"], dice, lures)
        points += each["vp"] * likely
        none *= 1 - likely
    return points + BOOST * lures.count("boost") * (1 - none) + LURE * none


@cache
def chance(catch: int, requirement: str | None, dice: tuple[str, ...], lures: tuple[str, ...]) -> float:
    """How often a roll of these dice with these lures catches such a fish, with one Adjust at most."""
    totals = best_totals(requirement, dice, extra_dice(lures), "adjust" in lures)
    return sum([total >= catch for total in totals]) / ROLLS


@cache
def best_totals(requirement: str | None, dice: tuple[str, ...], extra: Numbers, adjusts: bool) -> list[int]:
    """Of each roll the highest total that meets the requirement, -1 if there is none."""
    asked, tried = meets(requirement), rolls(dice, adjusts)
    return [next((sum(numbers + extra) for numbers in tries if asked(numbers + extra)), -1) for tries in tried]


@cache
def rolls(dice: tuple[str, ...], adjusts: bool) -> list[list[Numbers]]:
    """Rolls of these dice, of the same luck for all casts (Park and Miller 1988); each as it is, and once adjusted."""
    luck, sides, found = 1, [int(die[1:]) for die in dice], []
    for _ in range(ROLLS):
        roll = tuple([1 + (luck := luck * 48271 % 2147483647) % most for most in sides])
        found.append(sorted([roll, *adjusted(roll, dice)], key=sum, reverse=True) if adjusts else [roll])
    return found


def pick_adjust(options: list[Any], see: dict[str, Any]) -> int:
    """The option after which most can be caught; done stands first, so an Adjust must gain something."""
    numbers, dice = tuple(see["numbers"]), tuple(see["dice"][see["seat"]])
    values = [best_catch(see, numbers, dice, 0)]
    for option in options[1:]:
        after = (*numbers[: option["at"]], option["number"] + option["by"], *numbers[option["at"] + 1 :])
        values.append(best_catch(see, after, dice, min(see["adjusts"], LOOKAHEAD) - 1))
    return values.index(max(values))


def best_catch(see: dict[str, Any], numbers: Numbers, dice: tuple[str, ...], adjusts: int) -> int:
    """Points of the fish that these numbers catch, after so many more Adjusts at best."""
    whole = (*numbers, *extra_dice(see["played"][see["seat"]]))
    total, further = sum(whole), adjusted(numbers, dice) if adjusts else []
    value: int = sum(each["vp"] for each in see["fish"] if total >= each["catch"] and meets(each["requirement"])(whole))
    return max([value, *[best_catch(see, after, dice, adjusts - 1) for after in further]])


def adjusted(numbers: Numbers, dice: tuple[str, ...]) -> list[Numbers]:
    """All that one Adjust can make of the numbers on these dice."""
    ways = [(at, numbers[at] + by) for at in range(len(dice)) for by in (1, -1)]
    return [(*numbers[:at], to, *numbers[at + 1 :]) for at, to in ways if 0 < to <= int(dice[at][1:])]


def extra_dice(lures: Any) -> Numbers:
    """The numbers on Extra Dice: the last character of their names."""
    return tuple(int(lure[-1]) for lure in lures if lure[-1].isdigit())


@cache
def meets(requirement: str | None) -> Callable[[Numbers], bool]:
    """What a requirement asks of the numbers of a roll: None nothing, most for a 1, or a 2 and a 6."""
    asked: dict[str | None, Callable[[Numbers], bool]] = {
        None: bool,  # there are numbers
        "all dice even": lambda numbers: {number % 2 for number in numbers} == {0},
        "all dice odd": lambda numbers: {number % 2 for number in numbers} == {1},
        "contains two 4s": lambda numbers: numbers.count(4) > 1,
        "two dice alike": lambda numbers: len(set(numbers)) < len(numbers),
        "three dice alike": lambda numbers: max(map(numbers.count, numbers)) >= 3,  # noqa: PLR2004 - as it says
        "two pairs": lambda numbers: sum([numbers.count(number) // 2 for number in set(numbers)]) > 1,
        "no two dice alike": lambda numbers: len(set(numbers)) == len(numbers),
        "no die shows 1": lambda numbers: 1 not in numbers,
        "a die shows 10 or more": lambda numbers: max(numbers) >= 10,  # noqa: PLR2004 - as it says
    }
    return asked.get(requirement, {int(word) for word in (requirement or "").split() if word.isdigit()}.issubset)
