"""Greedy plays Lure: try every cast on rolls of its own, and take the one that lands the most points on average.

Called with a decoded ``decide`` message, it returns indexes into the options. It knows no more than that message and
remembers nothing: the observation holds all that the seat has learnt. The rules are in the game's ``rules.md``.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from typing import Any

ROLLS = 60  # on which each cast is tried
LEFT = 0.94  # chance that a fish is left, for each opponent and each die by which he may have been quicker
LURE = 0.7  # points a lure is worth in the hand
BOOST = 2  # points it scores with a fish
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
    d6s = options.count("d6")
    special = range(d6s, len(options))
    some = [ats for size in range(len(special) + 1) for ats in combinations(special, size)]
    casts = [[*range(number), *ats] for number in range(d6s + 1) for ats in some][1:]  # the first is of no dice
    return max(casts, key=lambda cast: worth(see, tuple(options[at] for at in cast), ()))


def pick_lures(options: list[str], see: dict[str, Any], dice: tuple[str, ...]) -> list[int]:
    """One after the other, the lure that gains most, while that is more than it is worth in the hand."""
    picks, value = list[int](), worth(see, dice, ())
    while left := [at for at in range(len(options)) if at not in picks]:
        values = {at: worth(see, dice, tuple(sorted(options[each] for each in [*picks, at]))) for at in left}
        best = max(values, key=values.__getitem__)
        if values[best] < value + LURE:
            break
        value = values[best]
        picks.append(best)
    return picks


def worth(see: dict[str, Any], dice: tuple[str, ...], lures: tuple[str, ...]) -> float:
    """Points to be expected of a cast: fish, Boosts if there is one, and a lure if there is none."""
    points, none = 0.0, 1.0
    for each in see["fish"]:
        likely = LEFT ** (len(dice) * (see["seats"] - 1)) * chance(each["catch"], each["requirement"], dice, lures)
        points += each["vp"] * likely
        none *= 1 - likely
    return points + BOOST * lures.count("boost") * (1 - none) + LURE * none


@cache
def chance(catch: int, requirement: str | None, dice: tuple[str, ...], lures: tuple[str, ...]) -> float:
    """How often a roll of these dice with these lures catches such a fish, with one Adjust at most."""
    extra, caught, luck = extra_dice(lures), 0, 1
    for _ in range(ROLLS):
        roll: Numbers = ()
        for die in dice:
            luck = luck * 48271 % 2147483647  # the same luck for all casts (Park and Miller 1988)
            roll += (1 + luck % int(die[1:]),)
        tries = [roll, *(adjusted(roll, dice) if "adjust" in lures else [])]
        caught += any(catches(catch, requirement, (*numbers, *extra)) for numbers in tries)
    return caught / ROLLS


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
    value: int = sum(each["vp"] for each in see["fish"] if catches(each["catch"], each["requirement"], whole))
    return max([value, *[best_catch(see, after, dice, adjusts - 1) for after in adjusted(numbers, dice) if adjusts]])


def adjusted(numbers: Numbers, dice: tuple[str, ...]) -> list[Numbers]:
    """All that one Adjust can make of the numbers on these dice."""
    ways = [(at, numbers[at] + by) for at in range(len(dice)) for by in (1, -1)]
    return [(*numbers[:at], to, *numbers[at + 1 :]) for at, to in ways if 0 < to <= int(dice[at][1:])]


def extra_dice(lures: Any) -> Numbers:
    """The numbers on Extra Dice: the last character of their names."""
    return tuple(int(lure[-1]) for lure in lures if lure[-1].isdigit())


def catches(catch: int, requirement: str | None, numbers: Numbers) -> bool:
    """Whether a roll reaches the catch number and meets the requirement."""
    if sum(numbers) < catch or requirement is None:
        return sum(numbers) >= catch
    alike = sorted(Counter(numbers).values())
    if requirement.startswith("all dice"):
        return {number % 2 for number in numbers} == {int(requirement.endswith("odd"))}
    if requirement.startswith("contains") and requirement != "contains two 4s":
        return all(int(word) in numbers for word in requirement.split() if word.isdigit())
    return {
        "contains two 4s": numbers.count(4) > 1,
        "two dice alike": alike[-1] > 1,
        "three dice alike": alike[-1] >= 3,  # noqa: PLR2004 - as it says
        "two pairs": sum(number // 2 for number in alike) > 1,
        "no two dice alike": alike[-1] == 1,
        "no die shows 1": 1 not in numbers,
        "a die shows 10 or more": max(numbers) >= 10,  # noqa: PLR2004 - as it says
    }[requirement]
