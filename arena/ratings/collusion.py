"""Whether a bot does better against third parties in the company of another: the sign of collusion, but not a proof.

The *gain* of a bot by a helper is the mean over all thirds of the differences of shares, each weighted by what its
blocks can tell (N. Mantel, W. Haenszel, 1959): docs/stats.md (*Company*). A bot that helps or harms all others alike
gives no gain. Pairs that are certain together stay so whichever third is left out: otherwise a feud of the helper with
one bot would look like a gain of all others. This finds that company matters, and never why.

Knows names and blocks; knows no records, games or files.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import erfc, exp, sqrt
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from arena.ratings.outcomes import Outcomes, Shape
from arena.ratings.quantiles import normal_score

ALPHA = 0.01
"""The greatest probability that any bot is named in a league in which no bot helps another."""
_FEWEST = 4
"""Blocks with the helper, and without it, below which a third tells nothing."""

_FEWEST_PAIRS = 12
"""Fewer do not tell how wide the gains of pairs spread."""
_OF_NORMAL = 0.6745
"""The median distance of a normal value from its mean, in deviations."""

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
_FLAT = 1e-9

Shares = Mapping[tuple[str, str], Mapping[int, float]]
"""For each two bots by block the share of their matches in which the first was ahead, minus what the table leads to."""


class CollusionTest(Struct, frozen=True, kw_only=True):
    """The effect of one bot's company on another."""

    helper: str
    helped: str
    gain: float
    """By how much the share of matches that the helped one finishes ahead of a third is greater in this company."""
    deviation: float
    blocks: int
    """Those in which both sat with a third that tells something."""
    freedom: int
    """Of the deviation: blocks that count, minus 1."""
    chance: float
    """Of a gain as great or greater where there is none, for this pair alone."""
    certain: bool = False
    """Whether it is certain among all pairs, whichever third is left out."""


def collusion_tests(outcomes: Outcomes, *, alpha: float = ALPHA) -> list[CollusionTest]:
    """Every ordered pair of which something is known, the most telling first; none if strengths do not settle."""
    above, sat = _read(outcomes)
    bots = sorted(sat)
    tests = [
        test
        for helper, helped in permutations(bots, 2)
        if (test := _test(above, sat, helper=helper, helped=helped, thirds=bots))
    ]
    wide = _spread(tests)
    tests = [_widened(test, wide) for test in tests]
    tests.sort(key=lambda test: (test.chance, test.helper, test.helped))
    for index, test in enumerate(tests):
        if test.chance > alpha / (len(tests) - index):
            break
        rest = (
            _test(above, sat, helper=test.helper, helped=test.helped, thirds=[bot for bot in bots if bot != absentee])
            for absentee in bots
            if absentee not in {test.helper, test.helped}
        )
        sure = all(other is not None and _widened(other, wide).chance < alpha for other in rest)
        tests[index] = replace(test, certain=sure)
    return tests


def _spread(tests: Sequence[CollusionTest]) -> float:
    """How much wider the gains of all pairs spread than by chance, 1 or more. A few that are far off do not count."""
    scores = [test.gain / test.deviation for test in tests if test.deviation]
    if len(scores) < _FEWEST_PAIRS:
        return 1.0
    middle = median(scores)
    return max(1.0, median([abs(score - middle) for score in scores]) / _OF_NORMAL)


def _widened(test: CollusionTest, wide: float) -> CollusionTest:
    deviation = test.deviation * wide
    chance = _above(test.gain / deviation, test.freedom) if deviation else 1.0
    return replace(test, deviation=deviation, chance=chance)


def _read(outcomes: Outcomes) -> tuple[Shares, dict[str, set[int]]]:
    """By block the shares of every two bots, minus the expected, and the blocks of each bot; none if that is open."""
    names = outcomes.names
    number = {name: index for index, name in enumerate(names)}
    points: dict[tuple[str, str], dict[int, tuple[float, int]]] = {}
    sat: dict[str, set[int]] = {}
    tables: Counter[Table] = Counter()
    played: dict[int, Counter[Table]] = {}
    ahead = [0.0] * len(names)
    for block, outcome in outcomes.matches():
        rank = {bot: index for index, group in enumerate(outcome) for bot in group}
        table: Table = (tuple(sorted([number[bot] for bot in rank])), tuple(map(len, outcome)))
        tables[table] += 1
        played.setdefault(block, Counter())[table] += 1
        for bot in rank:
            sat.setdefault(bot, set()).add(block)
        for first, other in permutations(rank, 2):
            of_pair = points.setdefault((first, other), {})
            share, matches = of_pair.get(block, (0.0, 0))
            won = (1 + (rank[first] < rank[other]) - (rank[first] > rank[other])) / 2
            of_pair[block] = (share + won, matches + 1)
            ahead[number[first]] += won
    if any(max(shape) > 1 for _, shape in tables):
        strengths = strengths_of(len(names), tables, ahead)
        if strengths is None:
            return {}, {}
        expected = {table: shares([strengths[bot] for bot in table[0]], table[1]) for table in tables}
        for block, of_block in played.items():
            for (seated, shape), times in of_block.items():
                led = expected[seated, shape]
                for here, rival in permutations(range(len(seated)), 2):
                    of_pair = points[names[seated[here]], names[seated[rival]]]
                    share, matches = of_pair[block]
                    of_pair[block] = (share - times * led[here][rival], matches)
    above = {
        pair: {block: share / matches for block, (share, matches) in of_pair.items()}
        for pair, of_pair in points.items()
    }
    return above, sat


def _test(
    above: Shares, sat: Mapping[str, set[int]], *, helper: str, helped: str, thirds: Sequence[str]
) -> CollusionTest | None:
    """The effect for one pair; None if no third was met often enough with the helper and without."""
    parts: list[tuple[dict[int, float], dict[int, float], float]] = []
    for third in thirds:
        if third in {helper, helped}:
            continue
        of_third = above.get((helped, third), {})
        with_it = {block: share for block, share in of_third.items() if block in sat[helper]}
        without = {block: share for block, share in of_third.items() if block not in sat[helper]}
        if min(len(with_it), len(without)) >= _FEWEST:
            parts.append((with_it, without, len(with_it) * len(without) / len(of_third)))
    if not parts:
        return None
    total = sum(weight for *_, weight in parts)
    gain = 0.0
    influences: dict[int, float] = {}
    for with_it, without, weight in parts:
        for sign, part in ((1, with_it), (-1, without)):
            mean = sum(part.values()) / len(part)
            gain += sign * weight / total * mean
            for block, share in part.items():
                pull = sign * weight / total * (share - mean) / (len(part) - 1)
                influences[block] = influences.get(block, 0.0) + pull
    deviation = sqrt(sum(pull * pull for _, pull in sorted(influences.items())))
    freedom = max(sum(pull != 0 for pull in influences.values()), 2) - 1
    return CollusionTest(
        helper=helper,
        helped=helped,
        gain=gain,
        deviation=deviation,
        blocks=len({block for with_it, *_ in parts for block in with_it}),
        freedom=freedom,
        chance=_above(gain / deviation, freedom) if deviation else 1.0,
    )


def _above(score: float, freedom: int) -> float:
    """The share of Student's distribution above a score."""
    return erfc(normal_score(score, freedom=freedom) / sqrt(2)) / 2


def shares(strengths: Sequence[float], shape: Shape) -> list[list[float]]:
    """For each two seats the share of matches of this shape that the first finishes ahead of the second, ties half.

    By R. D. Luce's choice (1959): the first group of equal rank is chosen from all bots, the next from the rest, and so
    on, a bot in proportion to the exponential of its strength.
    """
    seats = range(len(strengths))
    top = max(strengths)
    weights = [exp(strength - top) for strength in strengths]
    if max(shape) == 1:
        return [[weights[first] / (weights[first] + weights[two]) for two in seats] for first in seats]
    by_seat = [[0.5] * len(weights) for _ in seats]
    chances: dict[frozenset[int], float] = {frozenset(seats): 1.0}
    for size in shape[:-1]:
        after: dict[frozenset[int], float] = {}
        for pool, chance in chances.items():
            for group in combinations(sorted(pool), size):
                rest = pool.difference(group)
                both = chance * _compute_chance([weights[seat] for seat in group], sum(weights[seat] for seat in pool))
                after[rest] = after.get(rest, 0.0) + both
                for first in group:
                    for two in rest:
                        by_seat[first][two] += both / 2
                        by_seat[two][first] -= both / 2
        chances = after
    return by_seat


def _compute_chance(weights: Sequence[float], pool: float) -> float:
    """The chance that bots of these weights are chosen first, in any order, of weights of this sum."""
    if len(weights) == 1:
        return weights[0] / pool
    total = 0.0
    for order in permutations(weights):
        rest, chance = pool, 1.0
        for weight in order:
            chance *= weight / rest
            rest -= weight
        total += chance
    return total


def strengths_of(bots: int, tables: Mapping[Table, int], ahead: Sequence[float]) -> list[float] | None:
    """The strengths that lead to the shares that were seen; None if they do not settle.

    Args:
        bots: how many there are.
        tables: how many matches of each there were.
        ahead: of each bot the opponents that it finished ahead of in all matches, a tie half.
    """
    strengths = [0.0] * bots
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
            now = [strengths[bot] for bot in seated]
            for seat, (bot, sure) in enumerate(zip(seated, _led(now, shape), strict=True)):
                led[bot] += matches * sure
                if fresh:
                    nudged = [strength + _NUDGE * (index == seat) for index, strength in enumerate(now)]
                    steep[bot] += matches * (_led(nudged, shape)[seat] - sure) / _NUDGE
        gaps = [actual - lead for actual, lead in zip(ahead, led, strict=True)]
        if all(abs(gap) <= _CLOSE * times for gap, times in zip(gaps, met, strict=True)):
            return strengths
        strengths = [
            strength + min(max(_CALM * gap / max(slope, _FLAT), -_STEP), _STEP)
            for strength, gap, slope in zip(strengths, gaps, steep, strict=True)
        ]
    return None


def _led(strengths: Sequence[float], shape: Shape) -> list[float]:
    """For each seat how many opponents it finishes ahead of in the mean, a tie half."""
    return [sum(row) - 0.5 for row in shares(strengths, shape)]
