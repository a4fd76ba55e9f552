"""The rating table of a set of matches: the fixed point of expectation propagation over all of them at once.

TrueSkill (Herbrich, Minka and Graepel 2007) with skills that do not change. If it is updated match by match, the result
depends on their order. The fixed point does not: a sweep updates every factor from the same marginals, and then all of
them move together. Knows names and ranks; knows no records, games or files.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from statistics import NormalDist

from msgspec import Struct

from arena.numeric import Array, np
from arena.ratings.factors import BETA2, Factor, Sums, factors_of
from arena.ratings.outcomes import Different, Outcomes, outcomes_of

MU = 25.0
SIGMA = 25 / 3
SWEEPS = 100
STILL = 1e-7
"""How still a table stands that is shown in figures: see ``fit_outcomes``."""
_PRIOR = 1 / SIGMA**2
_STALLED = 0.5
"""Means that move by more than this share of their last move do not contract."""
_NESTED = 0.1
"""Held precisions follow when the means move by less than this share of what the precisions are about to."""
_CLOSE = 0.1
"""Messages within a match rest at this share of the means' last move."""
_CONTRACTS = 0.03
"""Moves that are less than this share of the last one will go on like that, ..."""
_BY_CHANCE = 0.001
"""... but never faster than by this: such a step happened to be small."""
_TOGETHER = 1 << 14
"""So many outcomes are worked on at once."""


class NotConverged(ArithmeticError):
    """The ratings still move after ``SWEEPS`` sweeps."""


class Rating(Struct, frozen=True):
    """A bot's skill. ``sigma`` is the standard deviation of the skill minus the mean skill of its component."""

    mu: float = MU
    sigma: float = SIGMA
    component: int = 0
    """Bots of different components never met, not even through others: their ratings do not compare."""

    @property
    def rating(self) -> float:
        """The skill a bot has almost surely: ``mu - 3 * sigma``."""
        return self.mu - 3 * self.sigma


class Solution(Struct, frozen=True, eq=False, kw_only=True):
    """The fixed point of a component's fit, to find how far other matches would have moved it."""

    names: tuple[str, ...]
    """Its bots, sorted; everything else knows them by their place here."""
    covariances: Array
    """Of the posterior, of skills minus the mean of the component: how far pulls that sum to nothing move each."""
    outcomes: list[Different]
    pulls: list[Array]
    """Of these outcomes, a row each, how strongly one such match pulls each of its bots: its gradient."""

    def parts(self) -> Iterator[tuple[Array, Array, Array]]:
        """Some outcomes of one shape at a time: how often each was seen, and by outcome and seat the bots and pulls."""
        for outcomes, pulls in zip(self.outcomes, self.pulls, strict=True):
            for start in range(0, len(pulls), _TOGETHER):
                part = slice(start, start + _TOGETHER)
                yield outcomes.counts[part], outcomes.bots[part], pulls[part]


class Fit(Struct, frozen=True, eq=False, kw_only=True):
    """Ratings that were fitted to outcomes."""

    outcomes: Outcomes
    ratings: dict[str, Rating]
    """In the order of the names."""
    draw_probability: float
    """The share of neighbours in rank that tied, ``(tied + 1) / (neighbours + 2)``, which set the draw margin."""
    solutions: list[Solution]
    """Of each component that played."""
    sweeps: int
    influences: dict[tuple[str, ...], tuple[Array, Array]] = {}
    """See ``arena.ratings.uncertainty``: by the names of a component, once somebody asked for them."""


def fit(matches: Iterable[tuple[Sequence[str], Sequence[int]]], entrants: Iterable[str] = ()) -> Fit:
    """Rate the bots of these matches; each match is (the bot in each seat, the rank of each seat, 0 best).

    The matches are read once and only counted, so there may be millions of them. ``entrants`` that never played get the
    prior. Neither the order of the matches nor that of the seats changes the result, and names do by rounding alone.

    Raises:
        ValueError: a match is malformed, see ``outcomes_of``.
        NotConverged: the ratings do not converge.
    """
    return fit_outcomes(outcomes_of((0, *match) for match in matches), entrants)


def fit_outcomes(outcomes: Outcomes, entrants: Iterable[str] = (), *, still: float = STILL) -> Fit:
    """Rate the bots of these matches; ``entrants`` that never played get the prior.

    The table stands when no mean moves by ``still`` and no precision by ten times this share of it.

    Raises:
        NotConverged: the ratings do not converge.
    """
    neighbours = sum(len(alike.blocks) * (sum(alike.shape) - 1) for alike in outcomes.shapes)
    parted = sum(len(alike.blocks) * (len(alike.shape) - 1) for alike in outcomes.shapes)
    draw_probability = (neighbours - parted + 1) / (neighbours + 2)
    margin = margin_of(draw_probability)
    alone = [((name,), [-1]) for name in {*entrants} - {*outcomes.names}]
    together = [(tuple([outcomes.names[bot] for bot in members]), members) for members in outcomes.components()]
    ratings: dict[str, Rating] = {}
    solutions: list[Solution] = []
    most_sweeps = 0
    for component, (names, members) in enumerate(sorted([*alone, *together])):
        if len(names) == 1:
            ratings[names[0]] = Rating(component=component)
            continue
        different = outcomes.different(members)
        factors = factors_of(different)
        means, covariances, step, sweeps = converge(factors, len(names), margin=margin, still=still)
        most_sweeps = max(most_sweeps, sweeps)
        pulls = [factor.pulls(step) for factor in factors]
        solutions.append(Solution(names=names, covariances=covariances, outcomes=different, pulls=pulls))
        for name, mean, variance in zip(names, means.tolist(), np.diag(covariances).tolist(), strict=True):
            ratings[name] = Rating(mu=MU + mean, sigma=sqrt(max(variance, 0.0)), component=component)
    return Fit(
        outcomes=outcomes,
        ratings=dict(sorted(ratings.items())),
        draw_probability=draw_probability,
        solutions=solutions,
        sweeps=most_sweeps,
    )


def margin_of(draw_probability: float) -> float:
    """The difference of performances below which two tie, so that equals tie with this probability."""
    return -NormalDist().inv_cdf((1 - draw_probability) / 2) * sqrt(2 * BETA2)


def converge(factors: Sequence[Factor], size: int, *, margin: float, still: float) -> tuple[Array, Array, Array, int]:
    """Means less ``MU``, covariances (``Solution``), the last step of the means, and the number of sweeps.

    The bots all met, if only through others.

    A sweep visits each factor; then the means take the Newton step to the mean of the joint distribution that all the
    sites define. While that contracts, the marginal precisions follow at once. Where it does not (somebody wins nearly
    always: a small change of precision moves the tail, and so the mean, by far more), precisions are held until the
    means have settled under them, ten times closer than the precisions are about to move.

    Raises:
        NotConverged: the ratings do not converge.
    """
    means: Array = np.zeros(size)
    step: Array = np.zeros(size)
    precisions: Array = np.full(size, _PRIOR)
    moved = turned = 0.0
    nested = False
    for sweep in range(1, SWEEPS + 1):
        sums = Sums(size)
        for factor in factors:
            if sweep == 1:
                factor.open(precision=_PRIOR, margin=margin, close=_CLOSE, sums=sums)
            else:
                close = _CLOSE * min(moved, 1.0)
                factor.visit(means, precisions, step, margin=margin, close=close, sums=sums)
        matrix = sums.matrix.reshape(size, size) + _PRIOR * np.eye(size)
        step = np.linalg.solve(matrix, sums.right - _PRIOR * means)
        means = means + step
        fresh: Array = _PRIOR + sums.offered
        turned_before, turned = turned, float(np.abs(np.log(fresh / precisions)).max())
        moved_before, moved = moved, float(np.abs(step).max())
        if _next(moved, moved_before) < still and _next(turned, turned_before) < 10 * still:
            return means, covariances_of(matrix), step, sweep
        nested = nested or (sweep > 2 and moved > _STALLED * moved_before and moved > 10 * still)  # noqa: PLR2004 - the first two steps start from nothing
        if not nested or moved < max(_NESTED * turned, still):
            precisions = fresh
            for factor in factors:
                factor.adopt()
    raise NotConverged(f"expected ratings that converge within {SWEEPS} sweeps, got a last move of {moved:.1e}")


def _next(now: float, before: float) -> float:
    """The next move, where each is a small share of the one before it; else no less than this one."""
    return now * max(now / before, _BY_CHANCE) if now < _CONTRACTS * before else now


def covariances_of(matrix: Array) -> Array:
    """The covariances of all skills minus their mean, for this precision of their joint distribution.

    The mean of all skills is independent of every difference, so its precision may be changed at will: it is raised to
    the size of the others, which keeps the digits that a subtraction of the prior's large variance would lose.
    """
    size = len(matrix)
    covariances: Array = np.linalg.solve(matrix + np.trace(matrix) / size**2, np.eye(size) - 1 / size)
    return covariances
