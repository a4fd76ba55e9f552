"""How surely two bots of one table differ.

A difference of two ratings deviates as its blocks do, but at least as much as two things demand. One match that had
ended otherwise would move it by twice its pull: blocks that all split alike are no proof that none could. Where matches
have no pull at all, as ties among equals, it is what the model expects of a match. And where one
of the two was ahead of all others, or both were in matches that they did not share, no ratings fit best, and the prior
decides how far they lie apart: there the joint posterior deviation is the least. Knows names and blocks; knows no
records, games or files.
"""

from collections.abc import Sequence
from math import dist, hypot, sqrt
from operator import mul

from msgspec import Struct

from arena.ratings.blocks import BlockOutcomes
from arena.ratings.classes import classes_of
from arena.ratings.influences import influences
from arena.ratings.joint import differences
from arena.ratings.outcomes import by_arrays
from arena.ratings.quantiles import normal_score
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
    least: list[float]
    """How far a match moves each mu if the model is true: sigma over the root of the matches."""
    greatest: list[float]
    """How far any one of its matches moves each mu at most; no less than that."""
    classes: tuple[tuple[str, ...], ...]
    """See ``arena.ratings.classes.classes_of``."""
    class_of: list[int]
    """In which of them each bot is."""
    each: float = 1.0
    """How many blocks there are in a group, about."""

    def seen(self, one: int, other: int) -> int:
        """The groups of blocks in which one of them sat."""
        return (self.marks[one] | self.marks[other]).bit_count()

    def looked_at(self, one: int, other: int) -> float:
        """About how many blocks these are."""
        return self.seen(one, other) * self.each

    def score(self, one: int, *, other: int) -> float:
        """The difference of two mu in normal deviates: those that are as improbable as it is by Student's."""
        freedom = max(self.seen(one, other) - 1, 1)
        return normal_score((self.means[one] - self.means[other]) / self.apart(one, other), freedom=freedom)

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
    groups = len(moves[0])
    least = [
        least_move(sqrt(of_bot[at]), blocks=blocks, groups=groups, sat=max(len(sat[at]), 1))
        for at, of_bot in enumerate(covariances)
    ]
    found = {name: number for number, members in enumerate(classes) for name in members}
    return Uncertainty(
        means=[table.ratings[name].mu for name in solution.names],
        moves=moves,
        sat=sat,
        marks=[sum(1 << group for group in groups) for groups in sat],
        covariances=covariances,
        least=least,
        greatest=list(map(max, greatest_moves(solution, covariances), least)),
        classes=classes,
        class_of=[found[name] for name in solution.names],
        each=max(sum(len(shape.blocks) / shape.seats for shape in blocks.shapes.values()) / groups, 1.0),
    )


def least_move(sigma: float, *, blocks: BlockOutcomes, groups: int, sat: int) -> float:
    """How far a match moves mu if the model is true, of a bot that sat in so many of the groups of all blocks."""
    return sigma / sqrt(len(blocks) / groups * sat)


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
