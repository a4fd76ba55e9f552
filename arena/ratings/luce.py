"""Who finishes ahead of whom, given everybody at the table: R. D. Luce's choice (1959), by groups of equal rank.

The first group of a match is chosen from all bots, the next from the rest, and so on; within a group all tie. A bot is
chosen in proportion to the exponential of its strength. Where each rank has one bot, who else sits changes nothing for
two bots. Where the first wins all and the others tie, a weak neighbour raises everybody's share: hence this module.

Pure arithmetic: knows strengths and shapes, no bots, blocks or games.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import exp

from arena.ratings.outcomes import Shape

Table = tuple[tuple[int, ...], Shape]
"""Who sits, as numbers, and how many share each rank, best rank first."""
_CLOSE = 3e-4
"""Strengths have settled if no bot's share is further than this from what they lead to."""
_MOST_SWEEPS = 60
_STEP = 1.0
"""A strength moves by no more than this in a sweep."""
_CALM = 0.8
"""The part of a step that is taken: all move at once, so whole steps could swing."""
_NUDGE = 0.01
_LEVEL = 1e-9


def shares(strengths: Sequence[float], shape: Shape) -> list[list[float]]:
    """For each two seats the share of matches of this shape that the first finishes ahead of the second, ties half."""
    seats = range(len(strengths))
    top = max(strengths)
    weights = [exp(each - top) for each in strengths]
    if max(shape) == 1:
        return [[weights[one] / (weights[one] + weights[two]) for two in seats] for one in seats]
    found = [[0.5] * len(weights) for _ in seats]
    chances: dict[frozenset[int], float] = {frozenset(seats): 1.0}
    for size in shape[:-1]:
        after: dict[frozenset[int], float] = {}
        for left, chance in chances.items():
            for group in combinations(sorted(left), size):
                rest = left.difference(group)
                both = chance * _chosen([weights[seat] for seat in group], sum(weights[seat] for seat in left))
                after[rest] = after.get(rest, 0.0) + both
                for one in group:
                    for two in rest:
                        found[one][two] += both / 2
                        found[two][one] -= both / 2
        chances = after
    return found


def _chosen(weights: Sequence[float], whole: float) -> float:
    """The chance that bots of these weights are chosen first, in any order, of weights of this sum."""
    if len(weights) == 1:
        return weights[0] / whole
    total = 0.0
    for order in permutations(weights):
        left, chance = whole, 1.0
        for weight in order:
            chance *= weight / left
            left -= weight
        total += chance
    return total


def strengths_of(bots: int, tables: Mapping[Table, int], ahead: Sequence[float]) -> list[float] | None:
    """The strengths that lead to the shares that were seen; None if they do not settle.

    Args:
        bots: how many there are.
        tables: how many matches of each there were.
        ahead: of each bot the opponents that it finished ahead of in all matches, a tie half.
    """
    found = [0.0] * bots
    met = [0] * bots
    for (seated, _), matches in tables.items():
        for bot in seated:
            met[bot] += matches * (len(seated) - 1)
    steep = [0.0] * bots
    for sweep in range(_MOST_SWEEPS):
        led = [0.0] * bots
        # slopes change little, and take most of the time: they are renewed in sweeps 0, 1, 2, 4, 8, ...
        fresh = not sweep & (sweep - 1)
        if fresh:
            steep = [0.0] * bots
        for (seated, shape), matches in tables.items():
            now = [found[bot] for bot in seated]
            for seat, (bot, sure) in enumerate(zip(seated, _led(now, shape), strict=True)):
                led[bot] += matches * sure
                if fresh:
                    nudged = [strength + _NUDGE * (at == seat) for at, strength in enumerate(now)]
                    steep[bot] += matches * (_led(nudged, shape)[seat] - sure) / _NUDGE
        gaps = [seen - lead for seen, lead in zip(ahead, led, strict=True)]
        if all(abs(gap) <= _CLOSE * times for gap, times in zip(gaps, met, strict=True)):
            return found
        found = [
            strength + min(max(_CALM * gap / max(slope, _LEVEL), -_STEP), _STEP)
            for strength, gap, slope in zip(found, gaps, steep, strict=True)
        ]
    return None


def _led(strengths: Sequence[float], shape: Shape) -> list[float]:
    """For each seat how many opponents it finishes ahead of in the mean, a tie half."""
    return [sum(row) - 0.5 for row in shares(strengths, shape)]
