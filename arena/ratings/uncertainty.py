"""How surely two bots of one table differ.

A difference of two ratings deviates as its blocks do, but at least as much as two things demand. One match that had
ended otherwise would move it by twice its pull: blocks that all split alike are no proof that none could. And where one
of the two was ahead of all others, or both were in matches that they did not share, no ratings fit best, and the prior
decides how far they lie apart: there the joint posterior deviation is the least. Knows names and blocks; knows no
records, games or files.
"""

from collections.abc import Collection, Sequence
from math import dist, hypot, sqrt
from operator import mul

from msgspec import Struct

from arena.ratings.blocks import BlockOutcomes
from arena.ratings.classes import classes_of
from arena.ratings.influences import influences
from arena.ratings.joint import differences
from arena.ratings.outcomes import by_arrays
from arena.ratings.quantiles import FEWEST_BLOCKS, LEVEL, NORMAL, student
from arena.ratings.table import STILL, Ratings, Solution

_PARTS = 64
"""After each such part of the matches those that can move nobody by more than others did are left out."""
_ROUNDING = 1 + 1e-6


class Uncertainty(Struct, frozen=True, kw_only=True):
    """The uncertainty of the bots of one component. All lists are in the order of ``Solution.names``."""

    means: list[float]
    """mu of each bot."""
    moves: list[list[float]]
    """See ``arena.ratings.influences.influences``."""
    sat: list[set[int]]
    """The groups of blocks in which each bot sat."""
    marks: list[int]
    """The same as bits."""
    covariances: list[list[float]]
    """Of the posterior, of skills less the mean skill of the component."""
    greatest: list[float]
    """How far any one of its matches moves each mu, at most."""
    classes: tuple[tuple[str, ...], ...]
    """See ``arena.ratings.classes.classes_of``."""
    class_of: list[int]
    """In which of them each bot is."""

    def seen(self, one: int, other: int) -> int:
        """The groups of blocks in which one of them sat."""
        return (self.marks[one] | self.marks[other]).bit_count()

    def apart(self, one: int, other: int) -> float:
        """The deviation of the difference of two mu; see the top of this module."""
        blocks = self.seen(one, other)
        # at least STILL: what the sweeps leave open is never taken for a difference
        of_blocks = hypot(STILL, dist(self.moves[one], self.moves[other])) * sqrt(blocks / max(blocks - 1, 1))
        found = max(of_blocks, 2 * (self.greatest[one] + self.greatest[other]))
        if self.class_of[one] != self.class_of[other]:
            of_one, of_other = self.covariances[one], self.covariances[other]
            found = max(found, sqrt(of_one[one] + of_other[other] - of_one[other] - of_other[one]))
        return found


def uncertainty_of(blocks: BlockOutcomes, table: Ratings, solution: Solution) -> Uncertainty:
    """The uncertainty of one component of a table that was fitted to these blocks."""
    moves, sat = influences(blocks, solution)
    size = len(solution.names)
    # a right-hand side for each bot: its skill less the mean of all
    rights = ([(at == bot) - 1 / size for at in range(size)] for bot in range(size))
    covariances = list(differences(solution.rows, rights))
    classes = classes_of(solution.outcomes, solution.names)
    found = {name: number for number, members in enumerate(classes) for name in members}
    return Uncertainty(
        means=[table.ratings[name].mu for name in solution.names],
        moves=moves,
        sat=sat,
        marks=[sum(1 << group for group in groups) for groups in sat],
        covariances=covariances,
        greatest=greatest_moves(solution, covariances),
        classes=classes,
        class_of=[found[name] for name in solution.names],
    )


def greatest_moves(solution: Solution, covariances: Sequence[Sequence[float]]) -> list[float]:
    """By bot, how far one match that it sat in moves its mu at most, to first order."""
    if by_arrays(len(solution.pulls)):
        from arena.ratings.sums import greatest_moves_of  # noqa: PLC0415 - numpy is not always there

        return greatest_moves_of(solution, covariances)
    found = [0.0] * len(solution.names)
    every = list(solution.seats())
    # a bot moves by its own pull times its variance, and by those of others times covariances, which mostly are small
    steepest = {bot: top for bot, row in enumerate(covariances) if (top := max(map(abs, row)))}
    beside = _ROUNDING * max(
        (
            abs(value) / top
            for bot, top in steepest.items()
            for other, value in enumerate(covariances[bot])
            if other != bot
        ),
        default=0.0,
    )
    least = 0.0
    for part in range(_PARTS):
        for _, bots, pulls in every[part::_PARTS]:
            sizes = list(map(abs, pulls))
            if max(sizes) + beside * sum(sizes) > least:
                for bot in bots:
                    move = sum(map(mul, pulls, map(covariances[bot].__getitem__, bots)))
                    found[bot] = max(found[bot], abs(move))
        least = min((found[bot] / top for bot, top in steepest.items()), default=0.0)
    return found


def told_apart(at: int, known: Uncertainty, absent: Collection[int] = ()) -> tuple[int, int]:
    """How many bots are certainly above and certainly below one of them: together wrong in 5 of 100 tournaments.

    Its difference from each other bot is held against the deviation of that, the clearest first, each at the level that
    leaves 5 % for all that remain (Holm 1979, Sidak 1967). Who is ``absent`` is above or below nobody.
    """
    found = []
    for other, mean in enumerate(known.means):
        if other == at or other in absent or len(known.sat[other]) < FEWEST_BLOCKS:
            continue
        apart = mean - known.means[at]
        freedom = known.seen(at, other) - 1
        found.append((abs(apart) / known.apart(at, other), apart > 0, freedom))
    found.sort(reverse=True)
    above = below = 0
    for left, (score, is_above, freedom) in zip(range(len(found), 0, -1), found, strict=True):
        if score < student(NORMAL.inv_cdf((1 + LEVEL ** (1 / left)) / 2), freedom):
            break
        above += is_above
        below += not is_above
    return above, below
