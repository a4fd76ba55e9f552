"""How much better one bot is than another: the difference of their ratings with an interval from whole blocks.

Knows names and blocks; knows no records, games or files.
"""

from collections.abc import Iterable

from msgspec import Struct

from arena.ratings.blocks import BlockOutcomes
from arena.ratings.quantiles import FEWEST_BLOCKS, SIDE, at_every_look, student
from arena.ratings.table import Ratings, Solution
from arena.ratings.uncertainty import uncertainty_of


class Difference(Struct, frozen=True, kw_only=True):
    """The mu of one bot less that of another."""

    mu: float
    deviation: float | None = None
    """None if either sat in fewer than ``FEWEST_BLOCKS`` blocks, or they never met, not even through others."""
    blocks: int = 0
    """Those that either sat in."""

    def interval(self, *, every_look: bool) -> tuple[float, float] | None:
        """With 95 % confidence: at one look that the matches did not decide on, or at every look at once."""
        if self.deviation is None:
            return None
        half = student(at_every_look(self.blocks) if every_look else SIDE, self.blocks - 1) * self.deviation
        return self.mu - half, self.mu + half

    @property
    def certain(self) -> int:
        """1 if at one look the first is certainly better, -1 if the second is, else 0."""
        ends = self.interval(every_look=False)
        return 0 if ends is None else (ends[0] > 0) - (ends[1] < 0)


def difference_of(
    one: str, *, other: str, blocks: BlockOutcomes, table: Ratings, solutions: Iterable[Solution]
) -> Difference:
    """The difference of two bots of a table that was fitted to these blocks.

    It is certain where ``arena.ratings.uncertainty.told_apart`` would tell the two apart if there were no other bots.
    """
    mu = table.ratings[one].mu - table.ratings[other].mu
    for solution in solutions:
        if one in solution.names and other in solution.names:
            break
    else:
        return Difference(mu=mu)
    known = uncertainty_of(blocks, table, solution)
    at, there = solution.names.index(one), solution.names.index(other)
    either = known.seen(at, there)
    few = min(len(known.sat[at]), len(known.sat[there])) < FEWEST_BLOCKS
    return Difference(mu=mu, deviation=None if few else known.apart(at, there), blocks=either)
