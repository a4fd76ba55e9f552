"""The uncertainty of a rating table: intervals of ratings and ranks from whole blocks, resampled.

docs/ratings.md tells how. A table of resampled blocks costs a sum of what each block moves the ratings by, and no fit.
Knows names and blocks; knows no records, games or files.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from msgspec import Struct

from arena.chance import Chance
from arena.numeric import Array, np
from arena.ratings.pairwise import Better, Gap, better_of, by_bets, gaps_of, in_a_longer_run
from arena.ratings.quantiles import FEWEST_BLOCKS, LEVEL, SIDE, Looks, chance, holm, student
from arena.ratings.scores import MeanScores
from arena.ratings.table import Fit, Rating
from arena.ratings.uncertainty import greatest_moves, uncertainty_of

TABLES = 1000
"""How many tables are resampled."""
_KEY = b"arena resampled blocks"


class Interval(Struct, frozen=True, kw_only=True):
    """The ranges of one bot, each right for 95 of 100 bots, and the places that are certain for the whole table."""

    rank_low: int
    """At one look: one more than the bots that are above it. Else as ``certain_low``."""
    rank_high: int
    certain_low: int
    """One more than the bots that are certainly better."""
    certain_high: int
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
    bets: Better = frozenset()
    """The part of it that bets find too, where it has to hold at every look."""
    longer: tuple[int, int] | None = None
    """See ``arena.ratings.pairwise.in_a_longer_run``."""


def intervals_of(
    fit: Fit,
    past: Collection[str] = (),
    anchors: Collection[str] = (),
    looks: Looks = "one",
    *,
    scores: MeanScores | None = None,
) -> Intervals:
    """The intervals of a table, the same whatever order its matches came in.

    Bots of the ``past`` take up no rank, and no bot is above or below them. mu is meant relative to
    the mean of the component, or, where some of the ``anchors`` are in it, to theirs. With ``scores`` these tell who is
    above whom, and the ratings only where mu lies.
    """
    ends: dict[str, tuple[float, float]] = {}
    few: list[str] = []
    parted = []
    gaps: list[Gap] = []
    for solution in fit.solutions:
        names = solution.names
        known = uncertainty_of(fit, solution)
        sat, moves, greatest = known.sat, known.moves, known.greatest
        gaps += gaps_of(names, known, past)
        fixed = [index for index, name in enumerate(names) if name in anchors]
        if fixed:
            moves = moves - moves[fixed].mean(axis=0)
            covariances = solution.covariances - solution.covariances[fixed].mean(axis=0)
            greatest = np.maximum(greatest_moves(solution, covariances), known.least)
        fewest = min((sat[index] for index in fixed), default=len(fit.outcomes))
        alone = len(known.classes) == 1
        if not alone and max(sat) >= FEWEST_BLOCKS:
            parted.append(known.classes)
        resampled = np.sort(tables(moves), axis=1)
        for position, name in enumerate(names):
            if sat[position] < FEWEST_BLOCKS:
                few.append(name)
            # an only anchor stands still by agreement: that is no interval
            elif (seen := min(sat[position], fewest)) >= FEWEST_BLOCKS and fixed != [position]:
                ends[name] = _ends(fit.ratings[name], resampled[position], seen, float(greatest[position]), alone=alone)
    if scores is not None:
        gaps = scores.gaps(past, looks)
    shown = [name for name in fit.ratings if name not in past]
    better = better_of(gaps, bots=len(shown), looks=looks)
    over, under = Counter(worse for _, worse in better), Counter(first for first, _ in better)
    ranges = _one_by_one(gaps) if looks == "one" else {name: (over[name], under[name]) for name in shown}
    by_name = {}
    for name in fit.ratings:
        above, below = ranges.get(name, (0, 0))
        low, high = ends.get(name, (None, None))
        by_name[name] = Interval(
            rank_low=1 + above,
            rank_high=len(shown) - below,
            certain_low=1 + over[name],
            certain_high=len(shown) - under[name],
            low=low,
            high=high,
        )
    return Intervals(
        bots=by_name,
        few=tuple(sorted(few)),
        parted=tuple(parted),
        better=better,
        bets=better & by_bets(fit.outcomes, shown) if better and looks != "one" and scores is None else frozenset(),
        longer=in_a_longer_run(gaps, shown),
    )


def _one_by_one(gaps: Iterable[Gap]) -> dict[str, tuple[int, int]]:
    """By bot how many are above it and below it: of 100 bots 95 have no wrong one among them.

    Its difference from each other bot is held against the deviation of that, together by S. Holm's procedure. So two
    bots may be told apart for one of them and not for the other: each range has its own bot in view.
    """
    of_bot: dict[str, dict[tuple[str, str], float]] = {}
    for gap in gaps:
        for name in gap.pair:
            tail = chance(gap.score, blocks=gap.blocks, looks="one", error=1 - LEVEL)
            of_bot.setdefault(name, {})[gap.pair] = tail
    places = {}
    for name, chances in of_bot.items():
        clear = holm(chances, error=1 - LEVEL, claims=len(chances))
        below = sum(first == name for first, _ in clear)
        places[name] = len(clear) - below, below
    return places


def tables(moves: Array) -> Array:
    """By bot, how far its mu moves in each of ``TABLES`` tables of as many groups drawn with replacement.

    The bootstrap is balanced (Davison, Hinkley and Schechtman 1986): over all tables each group is drawn equally often.
    """
    groups = moves.shape[1]
    order = list(range(groups)) * TABLES
    Chance(_KEY).shuffle(order)
    cells = np.repeat(np.arange(TABLES), groups) * groups + np.array(order)
    drawn = np.bincount(cells, minlength=TABLES * groups).reshape(TABLES, groups)
    moved: Array = moves @ drawn.T
    return moved


def _ends(rating: Rating, moved: Array, blocks: int, greatest: float, *, alone: bool) -> tuple[float, float]:
    """The interval of mu from its sorted moves: their percentiles, widened as so few blocks demand.

    The fit has bent towards each block, by about one part in as many as the bot sat in; leaving out one after the other
    (the jackknife) gives ``blocks / (blocks - 1)``.

    Blocks that all say the same are no evidence that mu is so much and no more: the deviation is at least what the
    ``greatest`` match would make of it, had it ended otherwise; and where the prior decides how far classes are apart,
    at least sigma.
    """
    tail = round(len(moved) * (1 - LEVEL) / 2)
    quantile = student(SIDE, blocks - 1)
    widened = quantile / SIDE * blocks / (blocks - 1)
    least = max(quantile * 2 * greatest, 0.0 if alone else SIDE * rating.sigma)
    return (
        rating.mu + min(float(moved[tail]) * widened, -least),
        rating.mu + max(float(moved[-1 - tail]) * widened, least),
    )
