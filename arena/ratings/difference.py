"""How much better one bot is than another: the difference of their ratings with an interval from whole blocks.

The pulls of blocks are those of ``arena.ratings.intervals``, held against the one difference that is asked for. Knows
names and blocks; knows no records, games or files.
"""

from collections.abc import Iterable
from math import hypot, sqrt
from operator import sub
from statistics import NormalDist

from msgspec import Struct

from arena.ratings.blocks import Blocks
from arena.ratings.intervals import FEWEST_BLOCKS, LEVEL, classes_of, influences, student
from arena.ratings.joint import differences
from arena.ratings.table import STILL, Solution, Table

_SIDE = NormalDist().inv_cdf((1 + LEVEL) / 2)


class Difference(Struct, frozen=True):
    """The mu of one bot less that of another."""

    mu: float
    low: float | None = None
    """With 95 % confidence; None if either sat in fewer than ``FEWEST_BLOCKS`` blocks, or they never met."""
    high: float | None = None
    blocks: int = 0
    """Those that either sat in."""

    @property
    def certain(self) -> int:
        """1 if the first is certainly better, -1 if the second is, else 0."""
        if self.low is None or self.high is None:
            return 0
        return (self.low > 0) - (self.high < 0)


def difference_of(one: str, other: str, blocks: Blocks, table: Table, solutions: Iterable[Solution]) -> Difference:
    """The difference of two bots of a table that was fitted to these blocks.

    It is certain where ``arena.ratings.intervals.told_apart`` would tell the two apart if there were no other bots.
    """
    mu = table.ratings[one].mu - table.ratings[other].mu
    for solution in solutions:
        if one in solution.names and other in solution.names:
            break
    else:
        return Difference(mu)
    at, there = solution.names.index(one), solution.names.index(other)
    moves, sat = influences(blocks, solution)
    either = len(sat[at] | sat[there])
    if min(len(sat[at]), len(sat[there])) < FEWEST_BLOCKS:
        return Difference(mu, blocks=either)
    deviation = hypot(STILL, *map(sub, moves[at], moves[there])) * sqrt(either / (either - 1))
    half = student(_SIDE, either - 1) * deviation
    low, high = mu - half, mu + half
    if not any(one in members and other in members for members in classes_of(solution.pulls)):
        # one was ahead in every match on the way to the other: how far the gap may reach, the prior decides
        apart = [0.0] * len(solution.names)
        apart[at], apart[there] = 1.0, -1.0
        (along,) = differences(solution.rows, [apart])
        reach = _SIDE * sqrt(along[at] - along[there])
        low, high = (low, max(high, mu + reach)) if mu > 0 else (min(low, mu - reach), high)
    return Difference(mu, low, high, either)
