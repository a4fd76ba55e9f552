"""The rating table of a set of matches: the fixed point of expectation propagation over all of them at once.

TrueSkill (Herbrich, Minka and Graepel 2007) with skills that do not change. If it is updated match by match, the result
depends on their order. The fixed point does not: a sweep updates every factor from the same marginals, and then all of
them move together. Knows names and ranks; knows no records, games or files.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import log, sqrt
from statistics import NormalDist

from msgspec import Struct

from arena.ratings.factor import BETA2
from arena.ratings.factors import Factors
from arena.ratings.joint import deviations, solve
from arena.ratings.outcomes import Outcome, factors_of, laid_out

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
    places: "array[int]"
    """By outcome, in the order of the counts that were fitted, its place in a fixed order; -1: of another component."""
    counts: "array[int]"
    """By place, how often the outcome was seen."""
    starts: "array[int]"
    """Where the seats of each outcome begin in ``bots`` and ``pulls``, and where the last one's end."""
    bots: "array[int]"
    """By seat, the bot."""
    pulls: "array[float]"
    """By seat, how strongly one such match pulls the bot: its gradient."""

    def seats(self) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """By outcome the bots of one such match and how strongly it pulls each."""
        for start, end in pairwise(self.starts):
            yield self.bots[start:end], self.pulls[start:end]


class Ratings(Struct, frozen=True):
    """The ratings by name, in the order of the names."""

    ratings: dict[str, Rating]
    draw_probability: float
    """The share of neighbours in rank that tied, ``(tied + 1) / (neighbours + 2)``, which set the draw margin."""
    sweeps: int


def outcome_of(bots: Sequence[str], ranks: Sequence[int]) -> Outcome:
    """A match without the order of its seats and the size of gaps between ranks, which do not matter.

    Raises:
        ValueError: not as many ranks as bots, fewer than two bots, or a bot sits twice.
    """
    if len(bots) != len(ranks):
        raise ValueError(f"expected one rank for each of {len(bots)} bots, got {len(ranks)}")
    if len(bots) < 2:  # noqa: PLR2004 - nobody is better than nobody
        raise ValueError(f"expected at least 2 bots in a match, got {len(bots)}")
    if len(set(bots)) < len(bots):
        raise ValueError(f"expected each bot once in a match, got {', '.join(bots)}")
    return tuple(
        [
            tuple(sorted([bots[seat] for seat in seats])) if len(seats) > 1 else (bots[seats[0]],)
            for seats in _groups(tuple(ranks))
        ]
    )


@lru_cache(maxsize=4096)
def _groups(ranks: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The seats of each rank, best rank first."""
    return tuple([tuple([seat for seat, other in enumerate(ranks) if other == rank]) for rank in sorted(set(ranks))])


def fit(matches: Iterable[tuple[Sequence[str], Sequence[int]]], entrants: Iterable[str] = ()) -> Ratings:
    """Rate the bots of these matches; each match is (the bot in each seat, the rank of each seat, 0 best).

    The matches are read once and only counted, so there may be millions of them. ``entrants`` that never played get the
    prior. Neither the order of the matches nor that of the seats changes the result, and names do by rounding alone.

    Raises:
        ValueError: a match is malformed, see ``outcome_of``.
        Unsettled: the ratings do not converge.
    """
    return fit_counts(Counter(outcome_of(bots, ranks) for bots, ranks in matches), entrants)[0]


def fit_counts(counts: Mapping[Outcome, int], entrants: Iterable[str] = ()) -> tuple[Ratings, list[Solution]]:
    """The table of outcomes with their counts, and the solution of each component that played.

    Raises:
        Unsettled: the ratings do not converge.
    """
    neighbours = sum(count * (sum(map(len, outcome)) - 1) for outcome, count in counts.items())
    parted = sum(count * (len(outcome) - 1) for outcome, count in counts.items())
    draw_probability = (neighbours - parted + 1) / (neighbours + 2)
    margin = margin_of(draw_probability)
    ratings: dict[str, Rating] = {}
    solutions: list[Solution] = []
    most_sweeps = 0
    outcomes, times = list(counts), list(counts.values())
    for component, (names, numbers) in enumerate(_components(outcomes, entrants).items()):
        if not numbers:
            ratings[names[0]] = Rating(component=component)
            continue
        laid = laid_out([outcomes[number] for number in numbers], names)
        order = array("L", map(numbers.__getitem__, laid.order))
        counted = array("L", map(times.__getitem__, order))
        factors = factors_of(laid, counted, len(names))
        means, sigmas, sweeps = settle(factors, len(names), margin)
        most_sweeps = max(most_sweeps, sweeps)
        for name, mean, sigma in zip(names, means, sigmas, strict=True):
            ratings[name] = Rating(mu=MU + mean, sigma=sigma, component=component)
        places = array("l", [-1]) * len(outcomes)
        for place, number in enumerate(order):
            places[number] = place
        solutions.append(
            Solution(
                names=names,
                rows=factors.joint(_PRIOR, means)[0],
                places=places,
                counts=counted,
                starts=laid.starts(),
                bots=laid.bots,
                pulls=array("d", factors.pulls()),
            )
        )
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


def _components(outcomes: Sequence[Outcome], entrants: Iterable[str]) -> dict[tuple[str, ...], Sequence[int]]:
    """The names that are connected by matches, sorted, with the places of their outcomes; the first name's first."""
    chief: dict[str, str] = {name: name for name in entrants}

    def root(name: str) -> str:
        chief.setdefault(name, name)
        while chief[name] != name:
            chief[name] = chief[chief[name]]
            name = chief[name]
        return name

    together: set[str] = set()
    for outcome in outcomes:
        if not together.issuperset(chain.from_iterable(outcome)):
            first = root(outcome[0][0])
            for name in chain.from_iterable(outcome):
                chief[root(name)] = first
            together = {name for name in chief if root(name) == first}
    names: dict[str, list[str]] = {}
    for name in sorted(chief):
        names.setdefault(root(name), []).append(name)
    if len(names) == 1:
        return {tuple(members): range(len(outcomes)) for members in names.values()}
    found: dict[str, list[int]] = {chief_name: [] for chief_name in names}
    for at, outcome in enumerate(outcomes):
        found[root(outcome[0][0])].append(at)
    return {tuple(members): found[chief_name] for chief_name, members in names.items()}
