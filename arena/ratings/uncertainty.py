"""How surely two bots of one table differ, and how many single matches a block is worth.

Blocks more or less move the ratings, to first order, by the inverse of the joint precision times their pulls (one
Newton step; the infinitesimal jackknife of Jaeckel, 1972). A difference of two ratings deviates as its blocks do, but
at least as much as one match would make of it, had it ended otherwise; where matches have no pull at all, as ties among
equals, as the model expects of a match; and between classes of bots, of which one was always ahead, as the joint
posterior. Knows names and blocks; knows no records, games or files.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import sqrt

from msgspec import Struct

from arena.numeric import Array, np
from arena.ratings.factors import BETA2
from arena.ratings.outcomes import Different, Outcomes
from arena.ratings.quantiles import FEWEST_BLOCKS, NORMAL, SIDE, normal_score, quantile_at_every_look, student
from arena.ratings.table import STILL, Fit, Solution

MOST_GROUPS = 1000
"""More blocks than these are put together into this many groups by lot; deviations are then good to a 45th."""
_MOST_MOVES = 100_000
"""With many bots there are fewer groups, so that bots times groups stay below this."""
_FEWEST_GROUPS = 100
_LEAST_TAIL = 1e-12


def influences(fit: Fit, solution: Solution) -> tuple[Array, Array]:
    """By bot and group of blocks, how far it moves its mu, minus the mean of all groups; and whether it sat in it.

    mu is meant relative to the mean of the component; the moves of a bot sum to nothing.
    """
    if solution.names not in fit.influences:
        fit.influences[solution.names] = _influences(fit.outcomes, solution)
    return fit.influences[solution.names]


def group_blocks(outcomes: Outcomes, size: int) -> tuple[Array, Array]:
    """Every block in canonical order and its group, for so many bots."""
    return outcomes.groups(max(_FEWEST_GROUPS, min(MOST_GROUPS, _MOST_MOVES // size)))


def _influences(outcomes: Outcomes, solution: Solution) -> tuple[Array, Array]:
    size = len(solution.names)
    blocks, group = group_blocks(outcomes, size)
    number = int(group.max()) + 1
    pulls, seated = np.zeros(number * size), np.zeros(number * size, bool)
    of_shape = {alike.shape: alike.blocks for alike in outcomes.shapes}
    for different, of_seats in zip(solution.outcomes, solution.pulls, strict=True):
        inside = different.places >= 0
        places = different.places[inside]
        of_match = group[np.searchsorted(blocks, of_shape[different.shape][inside])]
        for bots, of_bots in zip(different.bots.T, of_seats.T, strict=True):
            cells = of_match * size + bots[places]
            pulls += np.bincount(cells, of_bots[places], number * size)
            seated[cells] = True
    moves: Array = solution.covariances @ pulls.reshape(number, size).T
    moves -= moves.mean(axis=1, keepdims=True)
    return moves, seated.reshape(number, size).T


def design_effect(fit: Fit) -> float | None:
    """The variance of the ratings by blocks, as a share of the variance if all matches were independent.

    Single matches means: each on a deal of its own, seats drawn by lot, so that none depends on another. Below 1,
    mirrored blocks save matches. None without a bot that sat in ``FEWEST_BLOCKS`` blocks.
    """
    of_blocks = of_matches = 0.0
    for solution in fit.solutions:
        moves, seated = influences(fit, solution)
        mask = seated.sum(axis=1) >= FEWEST_BLOCKS
        of_blocks += float((moves[mask] ** 2).sum())
        products = solution.covariances[mask].T @ solution.covariances[mask]
        for counts, bots, pulls in solution.parts():
            both = products[bots[:, :, None], bots[:, None, :]] * pulls[:, :, None] * pulls[:, None, :]
            of_matches += float(counts @ both.sum(axis=(1, 2)))
    return of_blocks / of_matches if of_matches else None


def classes_of(outcomes: Iterable[Different], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Classes of bots that met, each ahead of all later ones in every match that they shared.

    ``names`` are all bots of these outcomes, which are of one component. If there is more than one class, no ratings
    fit the outcomes best (Ford 1957): the gaps between them are the prior's.
    """
    # for each two bots, whether the first once did not finish behind the second
    steps = np.zeros((len(names), len(names)), bool)
    for different in outcomes:
        for place, other in _not_behind(different.shape):
            steps[different.bots[:, place], different.bots[:, other]] = True
    rest = np.ones(len(names), bool)
    classes = []
    while rest.any():
        first = int(np.argmax(rest))
        reached = _reached(first, steps)
        members = reached & _reached(first, steps.T)
        classes.append((-int(reached.sum()), np.flatnonzero(members).tolist()))
        rest &= ~members
    return tuple([tuple([names[bot] for bot in members]) for _, members in sorted(classes)])


def _reached(start: int, steps: Array) -> Array:
    reached: Array = np.arange(len(steps)) == start
    while True:
        further: Array = reached | steps[reached].any(axis=0)
        if (further == reached).all():
            return further
        reached = further


def _not_behind(shape: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of seats of which the first did not finish behind the second; all others follow from these."""
    yield from pairwise(range(sum(shape)))
    for start, end in pairwise(accumulate(shape, initial=0)):
        if end - start > 1:
            yield end - 1, start


class Uncertainty(Struct, frozen=True, eq=False, kw_only=True):
    """The uncertainty of the bots of one component. All that runs over bots is in the order of ``Solution.names``."""

    means: list[float]
    """mu of each bot."""
    moves: Array
    """See ``influences``."""
    sat: list[int]
    """In how many groups of blocks each bot sat."""
    union: Array
    """In how many groups of blocks one of two bots sat."""
    apart: Array
    """The deviation of the difference of two mu; see the top of this module."""
    least: Array
    """How far a match moves each mu if the model is true: sigma over the root of the matches."""
    greatest: Array
    """How far any one of its matches moves each mu at most; no less than that."""
    classes: tuple[tuple[str, ...], ...]
    """See ``classes_of``."""
    blocks: float = 1.0
    """How many blocks there are in a group, about."""

    shrunk: "Array | None" = None
    """By two bots, how far their difference falls if the first lost all of its void matches; None: there are none."""

    def difference(self, bot: int, *, other: int) -> float:
        """How far apart two mu are, if the one that is ahead lost all of its void matches."""
        by = self.means[bot] - self.means[other]
        if self.shrunk is None:
            return by
        falls = float(self.shrunk[bot, other] if by > 0 else self.shrunk[other, bot])
        return max(by - falls, 0.0) if by > 0 else min(by + falls, 0.0)

    def score(self, bot: int, *, other: int) -> float:
        """The difference of two mu in normal deviates: those that are as improbable as it is by Student's."""
        freedom = max(int(self.union[bot, other]) - 1, 1)
        return normal_score(self.difference(bot, other=other) / float(self.apart[bot, other]), freedom=freedom)


def uncertainty_of(fit: Fit, solution: Solution) -> Uncertainty:
    """The uncertainty of one component."""
    moves, seated = influences(fit, solution)
    groups = moves.shape[1]
    sat = seated.sum(axis=1)
    both = seated.astype(np.int64)
    union = sat[:, None] + sat - both @ both.T
    variances = np.maximum(np.diag(solution.covariances), 0.0)
    least = least_move(np.sqrt(variances), matches=len(fit.outcomes), groups=groups, sat=np.maximum(sat, 1))
    greatest = np.maximum(greatest_moves(solution, solution.covariances), least)
    # at least STILL: what the sweeps leave open is never taken for a difference
    squares = np.array([((moves - of_bot) ** 2).sum(axis=1) for of_bot in moves]) + STILL**2
    apart = np.sqrt(squares * union / np.maximum(union - 1, 1))
    apart = np.maximum(apart, 2 * (greatest[:, None] + greatest))
    classes = classes_of(solution.outcomes, solution.names)
    number = {name: index for index, members in enumerate(classes) for name in members}
    class_of = np.array([number[name] for name in solution.names])
    of_prior = np.sqrt(np.maximum(variances[:, None] + variances - solution.covariances - solution.covariances.T, 0.0))
    return Uncertainty(
        means=[fit.ratings[name].mu for name in solution.names],
        moves=moves,
        sat=sat.tolist(),
        union=union,
        apart=np.where(class_of[:, None] != class_of, np.maximum(apart, of_prior), apart),
        least=least,
        greatest=greatest,
        classes=classes,
        blocks=fit.outcomes.blocks_in(groups),
        shrunk=_shrunk(fit, solution) if fit.outcomes.voids else None,
    )


def _shrunk(fit: Fit, solution: Solution) -> Array:
    """``Uncertainty.shrunk``: each void match pulls as one that was lost to the weakest of its others, to first order.

    That is more than such a match would do, for each further one pulls less.
    """
    place = {name: index for index, name in enumerate(solution.names)}
    means = [fit.ratings[name].mu for name in solution.names]
    shrunk = np.zeros((len(means), len(means)))
    width = sqrt(2 * BETA2)
    for bots in fit.outcomes.voids:
        seated = [place[bot] for bot in bots if bot in place]
        for loser in seated:
            others = [other for other in seated if other != loser]
            if others:
                weakest = min(others, key=lambda other: (means[other], other))
                gap = (means[loser] - means[weakest]) / width
                pull = NORMAL.pdf(gap) / max(NORMAL.cdf(-gap), _LEAST_TAIL) / width
                moved = pull * (solution.covariances[:, weakest] - solution.covariances[:, loser])
                shrunk[loser] += moved - moved[loser]
    return shrunk


def least_move(sigma: Array, *, matches: int, groups: int, sat: Array) -> Array:
    """How far a match moves mu if the model is true, of bots that sat in so many of the groups of all blocks."""
    moves: Array = sigma / np.sqrt(matches / groups * sat)
    return moves


def greatest_moves(solution: Solution, covariances: Array) -> Array:
    """By bot, how far one match that it sat in moves its mu at most, to first order."""
    greatest = np.zeros(len(solution.names))
    for _, bots, pulls in solution.parts():
        moves = (covariances[bots[:, :, None], bots[:, None, :]] * pulls[:, None, :]).sum(axis=2)
        np.maximum.at(greatest, bots.ravel(), np.abs(moves).ravel())
    return greatest


class Difference(Struct, frozen=True, kw_only=True):
    """The mu of one bot minus that of another."""

    mu: float
    deviation: float | None = None
    """None if either sat in fewer than ``FEWEST_BLOCKS`` blocks, or they never met, not even through others."""
    blocks: int = 0
    """Those that either sat in."""

    def interval(self, *, every_look: bool) -> tuple[float, float] | None:
        """With 95 % confidence: at one look that the matches did not decide on, or at every look at once."""
        if self.deviation is None:
            return None
        half = student(quantile_at_every_look(self.blocks) if every_look else SIDE, self.blocks - 1) * self.deviation
        return self.mu - half, self.mu + half

    @property
    def certain(self) -> int:
        """1 if at one look the first is certainly better, -1 if the second is, else 0."""
        ends = self.interval(every_look=False)
        return 0 if ends is None else (ends[0] > 0) - (ends[1] < 0)


def difference_of(fit: Fit, bot: str, *, other: str) -> Difference:
    """The difference of two bots.

    It is certain where the two would be told apart if there were no other bots.
    """
    mu = fit.ratings[bot].mu - fit.ratings[other].mu
    solution = next((solution for solution in fit.solutions if bot in solution.names and other in solution.names), None)
    if solution is None:
        return Difference(mu=mu)
    uncertainty = uncertainty_of(fit, solution)
    index, column = solution.names.index(bot), solution.names.index(other)
    few = min(uncertainty.sat[index], uncertainty.sat[column]) < FEWEST_BLOCKS
    return Difference(
        mu=mu,
        deviation=None if few else float(uncertainty.apart[index, column]),
        blocks=int(uncertainty.union[index, column]),
    )
