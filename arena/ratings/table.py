"""The rating table of a set of matches: the fixed point of expectation propagation over all of them at once.

TrueSkill (Herbrich, Minka and Graepel 2007) with skills that do not change. If it is updated match by match, the result
depends on their order. The fixed point does not: a sweep updates every factor from the same marginals, and then all of
them move together. Knows names and ranks; knows no records, games or files.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import log, sqrt
from statistics import NormalDist

from msgspec import Struct

from arena.ratings.blocks import BlockOutcomes
from arena.ratings.factor import BETA2
from arena.ratings.factors import Factors
from arena.ratings.joint import deviations, solve
from arena.ratings.outcomes import Outcomes, factors_of, laid_out
from arena.spill import Reals

MU = 25.0
SIGMA = 25 / 3
SWEEPS = 100
STILL = 1e-7
"""The table stands when no mean moves by this much and no precision by ten times this share of it."""
_PRIOR = 1 / SIGMA**2
_STALLED = 0.5
"""Means that move by more than this share of their last move do not contract."""
_NESTED = 0.1
"""Held precisions follow when the means move by less than this share of what the precisions are about to."""
_CLOSE = 0.1
"""Messages within a match rest at this share of the means' last move."""

_CONTRACTS = 0.03
"""Moves that are less than this share of the last one will go on like that."""


class Unsettled(ArithmeticError):
    """The ratings still move after ``SWEEPS`` sweeps."""


class Rating(Struct, frozen=True):
    """A bot's skill. ``sigma`` is the standard deviation of the skill less the mean skill of its component."""

    mu: float = MU
    sigma: float = SIGMA
    component: int = 0
    """Bots of different components never met, not even through others: their ratings do not compare."""

    @property
    def rating(self) -> float:
        """The skill a bot has almost surely: ``mu - 3 * sigma``."""
        return self.mu - 3 * self.sigma


class Solution(Struct, frozen=True, kw_only=True):
    """The fixed point of a component's fit, to find how far other matches would have moved it."""

    names: tuple[str, ...]
    """Its bots, sorted; everything else knows them by their place here."""
    rows: list[dict[int, float]]
    """Precision of the joint distribution of the skills, by row and column."""
    outcomes: list[Outcomes]
    pulls: Reals
    """Seat by seat of these outcomes, how strongly one such match pulls the bot: its gradient."""

    def parts(self) -> Iterator[tuple[Outcomes, Reals]]:
        """The outcomes of each shape, and their pulls."""
        start = 0
        for outcomes in self.outcomes:
            end = start + len(outcomes.bots)
            yield outcomes, self.pulls[start:end]
            start = end

    def seats(self) -> Iterator[tuple[int, Sequence[int], Sequence[float]]]:
        """Of each outcome how often it was seen, the bots of one such match and how strongly it pulls each."""
        for outcomes, pulls in self.parts():
            seats = sum(outcomes.shape)
            for at, count in enumerate(outcomes.counts):
                here = slice(at * seats, (at + 1) * seats)
                yield count, outcomes.bots[here], pulls[here]


class Ratings(Struct, frozen=True):
    """The ratings by name, in the order of the names."""

    ratings: dict[str, Rating]
    draw_probability: float
    """The share of neighbours in rank that tied, ``(tied + 1) / (neighbours + 2)``, which set the draw margin."""
    sweeps: int


def fit(matches: Iterable[tuple[Sequence[str], Sequence[int]]], entrants: Iterable[str] = ()) -> Ratings:
    """Rate the bots of these matches; each match is (the bot in each seat, the rank of each seat, 0 best).

    The matches are read once and only counted, so there may be millions of them. ``entrants`` that never played get the
    prior. Neither the order of the matches nor that of the seats changes the result, and names do by rounding alone.

    Raises:
        ValueError: a match is malformed, see ``BlockOutcomes.add``.
        Unsettled: the ratings do not converge.
    """
    blocks = BlockOutcomes()
    for bots, ranks in matches:
        blocks.add(0, bots, ranks)
    return fit_blocks(blocks, entrants)[0]


def fit_blocks(blocks: BlockOutcomes, entrants: Iterable[str] = ()) -> tuple[Ratings, list[Solution]]:
    """The table of these matches, and the solution of each component that played.

    Raises:
        Unsettled: the ratings do not converge.
    """
    played = [(len(matches.blocks), shape) for shape, matches in blocks.shapes.items()]
    neighbours = sum(number * (sum(shape) - 1) for number, shape in played)
    parted = sum(number * (len(shape) - 1) for number, shape in played)
    draw_probability = (neighbours - parted + 1) / (neighbours + 2)
    margin = margin_of(draw_probability)
    ratings: dict[str, Rating] = {}
    solutions: list[Solution] = []
    most_sweeps = 0
    for component, names in enumerate(_components(blocks, entrants)):
        outcomes = laid_out(blocks, names) if len(names) > 1 else []
        if not outcomes:
            ratings[names[0]] = Rating(component=component)
            continue
        factors = factors_of(outcomes, len(names), blocks.spill)
        means, sigmas, sweeps = settle(factors, len(names), margin)
        most_sweeps = max(most_sweeps, sweeps)
        for name, mean, sigma in zip(names, means, sigmas, strict=True):
            ratings[name] = Rating(mu=MU + mean, sigma=sigma, component=component)
        rows = factors.joint(_PRIOR, means)[0]
        solutions.append(Solution(names=names, rows=rows, outcomes=outcomes, pulls=factors.pulls()))
    return Ratings(dict(sorted(ratings.items())), draw_probability, most_sweeps), solutions


def margin_of(draw_probability: float) -> float:
    """The difference of performances below which two tie, so that equals tie with this probability."""
    return -NormalDist().inv_cdf((1 - draw_probability) / 2) * sqrt(2 * BETA2)


def settle(factors: Factors, size: int, margin: float) -> tuple[list[float], list[float], int]:
    """Means less ``MU``, deviations and number of sweeps for ``size`` bots that all met, if only through others.

    A sweep visits each factor; then the means take the Newton step to the mean of the joint distribution that all the
    sites define. While that contracts, the marginal precisions follow at once. Where it does not (somebody wins nearly
    always: a small change of precision moves the tail, and so the mean, by far more), precisions are held until the
    means have settled under them, ten times closer than the precisions are about to move.
    """
    means = [0.0] * size
    precisions = [_PRIOR] * size
    moved = turned = 0.0
    nested = False
    for sweep in range(1, SWEEPS + 1):
        if sweep == 1:
            factors.open(precision=_PRIOR, margin=margin, close=_CLOSE)
        else:
            factors.visit(means=means, precisions=precisions, margin=margin, close=_CLOSE * min(moved, 1.0))
        rows, right = factors.joint(_PRIOR, means)
        step = solve(rows, right)
        means = [mean + by for mean, by in zip(means, step, strict=True)]
        factors.follow(step)
        fresh = [_PRIOR + offered for offered in factors.offered()]
        turned_before, turned = turned, max(abs(log(new / old)) for new, old in zip(fresh, precisions, strict=True))
        moved_before, moved = moved, max(map(abs, step))
        if _next(moved, moved_before) < STILL and _next(turned, turned_before) < 10 * STILL:
            return means, deviations(rows, _PRIOR), sweep
        nested = nested or (sweep > 2 and moved > _STALLED * moved_before and moved > 10 * STILL)  # noqa: PLR2004 - the first two steps start from nothing
        if not nested or moved < max(_NESTED * turned, STILL):
            precisions = fresh
            factors.adopt()
    raise Unsettled(f"expected ratings that converge within {SWEEPS} sweeps, got a last move of {moved:.1e}")


def _next(now: float, before: float) -> float:
    """The next move, where each is a small share of the one before it; else no less than this one."""
    return now * now / before if now < _CONTRACTS * before else now


def _components(blocks: BlockOutcomes, entrants: Iterable[str]) -> list[tuple[str, ...]]:
    """The names that are connected by matches, sorted; the first name's first."""
    bots = list(blocks.bots)
    chief = {name: name for name in [*entrants, *bots]}

    def root(name: str) -> str:
        while chief[name] != name:
            chief[name] = chief[chief[name]]
            name = chief[name]
        return name

    left = len(chief)
    for matches in blocks.shapes.values():
        for row, _ in matches.pieces() if left > 1 else ():
            for place in range(1, matches.seats) if left > 1 else ():
                for one, other in set(zip(row[:: matches.seats], row[place :: matches.seats], strict=True)):
                    joined, to = root(bots[one]), root(bots[other])
                    left -= joined != to
                    chief[joined] = to
    members: dict[str, list[str]] = {}
    for name in sorted(chief):
        members.setdefault(root(name), []).append(name)
    return list(map(tuple, members.values()))
