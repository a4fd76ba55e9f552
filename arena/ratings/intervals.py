"""The uncertainty of a rating table: intervals of ratings and places from whole blocks. docs/ratings.md tells how.

Knows names and blocks; knows no records, games or files.
"""

from collections import Counter
from collections.abc import Collection
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.numeric import np
from arena.ratings.pairwise import Better, Gap, better_of, gaps_of
from arena.ratings.quantiles import FEWEST_BLOCKS, SIDE, Looks, student
from arena.ratings.scores import MeanScores
from arena.ratings.table import Fit, Solution
from arena.ratings.uncertainty import Uncertainty, greatest_moves, uncertainty_of

if TYPE_CHECKING:
    from arena.ratings.ahead import Pair


class Interval(Struct, frozen=True, kw_only=True):
    """The places of one bot that are not ruled out for certain, for the whole table, and where its mu lies."""

    rank_low: int
    """One more than the bots that are certainly better."""
    rank_high: int
    """All bots less those that are certainly worse."""
    low: float | None = None
    """Of mu; None of an only anchor, and if the bot, or one that it is held against, sat in too few blocks."""
    high: float | None = None


class Intervals(Struct, frozen=True, kw_only=True):
    """The intervals by name, in the order of the names, and notes on them."""

    bots: dict[str, Interval]
    few: tuple[str, ...]
    """Bots that played, but in fewer than ``FEWEST_BLOCKS`` blocks."""
    parted: tuple[tuple[tuple[str, ...], ...], ...]
    """See ``classes_of``, by component, where there are several classes and blocks enough."""
    better: Better = frozenset()
    """See ``arena.ratings.pairwise``."""
    gaps: tuple[Gap, ...] = ()
    """What it goes by: the difference of every two bots that are on the table."""


def intervals_of(
    fit: Fit,
    past: Collection[str] = (),
    anchors: Collection[str] = (),
    looks: Looks = "one",
    *,
    scores: MeanScores | None = None,
    best: str = "",
    share: float = 1.0,
) -> Intervals:
    """The intervals of a table, the same whatever order its matches came in.

    Bots of the ``past`` take up no rank, and no bot is above or below them. mu is meant relative to the mean of the
    component, or, where some of the ``anchors`` are in it, to theirs. With ``scores`` these tell who is above whom, and
    the ratings only where mu lies. ``best`` is what the format has found, ``share`` that of ``better_of``.
    """
    ends: dict[str, float] = {}
    few: list[str] = []
    parted = []
    for solution in fit.solutions:
        uncertainty = uncertainty_of(fit, solution)
        few += [name for name, sat in zip(solution.names, uncertainty.sat, strict=True) if sat < FEWEST_BLOCKS]
        ends |= _spread(fit, solution, uncertainty, anchors)
        if len(uncertainty.classes) > 1 and max(uncertainty.sat) >= FEWEST_BLOCKS:
            parted.append(uncertainty.classes)
    names = [name for name in fit.ratings if name not in past]
    gaps = gaps_in(fit, past=past, looks=looks, scores=scores)
    better = better_among(gaps, names, looks=looks, best=best, share=share)
    over, under = Counter(worse for _, worse in better), Counter(first for first, _ in better)
    by_name = {}
    for name, rating in fit.ratings.items():
        half = ends.get(name)
        by_name[name] = Interval(
            rank_low=1 + over[name],
            rank_high=len(names) - under[name],
            low=None if half is None else rating.mu - half,
            high=None if half is None else rating.mu + half,
        )
    return Intervals(bots=by_name, few=tuple(sorted(few)), parted=tuple(parted), better=better, gaps=tuple(gaps))


def gaps_in(fit: Fit, *, past: Collection[str], looks: Looks, scores: MeanScores | None) -> list[Gap]:
    """The differences by which a table goes: of ratings, of pairs in their own matches, or of ``scores``."""
    if looks == "answer":
        return []
    if scores is not None:
        return scores.gaps(past, looks)
    if looks == "pairs":
        from arena.ratings.ahead import pairs  # noqa: PLC0415 - only a table by pairs needs it

        void = Counter(both for bots in fit.outcomes.voids for both in combinations(sorted({*bots} - {*past}), 2))
        return [
            _gap_of(pair, void[pair.bot, pair.other]) for pair in pairs(fit) if not {pair.bot, pair.other} & {*past}
        ]
    return [gap for solution in fit.solutions for gap in gaps_of(solution.names, uncertainty_of(fit, solution), past)]


def _gap_of(pair: "Pair", void: int) -> Gap:
    """The difference of two bots in the matches that both sat in; in the void ones the one that is ahead lost."""
    lead = abs(2 * pair.share - 1) * pair.matches
    shrinkage = max(lead - void, 0.0) / lead * pair.matches / (pair.matches + void) if lead else 0.0
    return Gap(
        bot=pair.bot, other=pair.other, score=pair.deviations * shrinkage, blocks=pair.blocks, fewest=pair.blocks
    )


def better_among(
    gaps: Collection[Gap], bots: Collection[str], *, looks: Looks, best: str = "", share: float = 1.0
) -> Better:
    """Who of these bots is certainly better than whom; where only the format tells, by the ``best`` that it found."""
    if looks == "answer":
        return frozenset((best, other) for other in bots if other != best and best in bots)
    return better_of(gaps, bots=len(bots), looks=looks, share=share)


def spread_of(fit: Fit) -> dict[str, float]:
    """Half of a 95 % interval of mu, for bots that sat in enough blocks."""
    halves: dict[str, float] = {}
    for solution in fit.solutions:
        halves |= _spread(fit, solution, uncertainty_of(fit, solution), ())
    return halves


def _spread(fit: Fit, solution: Solution, uncertainty: Uncertainty, anchors: Collection[str]) -> dict[str, float]:
    """The same of a component, of mu minus that of its anchors.

    The fit has bent towards each block, by about one part in as many as the bot sat in; leaving out one after the other
    (the jackknife) gives ``blocks / (blocks - 1)``. Blocks that all say the same are no evidence that mu is so much and
    no more: the deviation is at least what the greatest match would make of it, had it ended otherwise; and where the
    prior decides how far classes are apart, at least sigma.
    """
    moves, greatest = uncertainty.moves, uncertainty.greatest
    fixed = [index for index, name in enumerate(solution.names) if name in anchors]
    if fixed:
        moves = moves - moves[fixed].mean(axis=0)
        covariances = solution.covariances - solution.covariances[fixed].mean(axis=0)
        greatest = np.maximum(greatest_moves(solution, covariances), uncertainty.least)
    fewest = min((uncertainty.sat[index] for index in fixed), default=len(fit.outcomes))
    deviations = np.sqrt((moves**2).sum(axis=1)).tolist()
    halves = {}
    for index, name in enumerate(solution.names):
        # an only anchor stands still by agreement: that is no interval
        if (blocks := min(uncertainty.sat[index], fewest)) < FEWEST_BLOCKS or fixed == [index]:
            continue
        deviation = max(deviations[index] * blocks / (blocks - 1), 2 * float(greatest[index]))
        half = student(SIDE, blocks - 1) * deviation
        halves[name] = half if len(uncertainty.classes) == 1 else max(half, SIDE * fit.ratings[name].sigma)
    return halves
