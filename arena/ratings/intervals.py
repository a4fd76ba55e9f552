"""The uncertainty of a rating table: intervals of ratings and ranks from whole blocks, resampled.

A table of resampled blocks costs a sum of what each block moves the ratings by, and no fit. Knows names and blocks;
knows no records, games or files.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import frexp, ldexp
from operator import sub
from sys import byteorder

from msgspec import Struct

from arena.chance import Chance
from arena.ratings.blocks import BlockOutcomes
from arena.ratings.certain import Better, Gap, better_of, by_bets, gaps_of, in_a_longer_run
from arena.ratings.quantiles import FEWEST_BLOCKS, LEVEL, SIDE, Looks, chance, holm, student
from arena.ratings.table import Rating, Ratings, Solution
from arena.ratings.uncertainty import greatest_moves, uncertainty_of

TABLES = 1000
"""How many tables are resampled."""
_KEY = b"arena resampled blocks"
_FIELD = 8
"""Bytes of an unsigned integer of ``array("Q")``."""


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
    """See ``arena.ratings.certain``."""
    bets: Better = frozenset()
    """The part of it that bets find too, where it has to hold at every look."""
    longer: tuple[int, int] | None = None
    """See ``arena.ratings.certain.in_a_longer_run``."""


def intervals_of(
    blocks: BlockOutcomes,
    table: Ratings,
    solutions: Iterable[Solution],
    past: Collection[str] = (),
    anchors: Collection[str] = (),
    looks: Looks = "one",
) -> Intervals:
    """The intervals of a table that was fitted to these blocks; the same whatever order they came in.

    Bots of the ``past`` take up no rank, and no bot is above or below them. mu is meant relative to
    the mean of the component, or, where some of the ``anchors`` are in it, to theirs.
    """
    ends: dict[str, tuple[float, float]] = {}
    few: list[str] = []
    parted = []
    gaps: list[Gap] = []
    for solution in solutions:
        names = solution.names
        known = uncertainty_of(blocks, table, solution)
        sat, moves, greatest = known.sat, known.moves, known.greatest
        gaps += gaps_of(names, known, past)
        fixed = [at for at, name in enumerate(names) if name in anchors]
        if fixed:
            moves = _less(moves, fixed)
            greatest = list(map(max, greatest_moves(solution, _less(known.covariances, fixed)), known.least))
        fewest = min((len(sat[at]) for at in fixed), default=len(blocks))
        alone = len(known.classes) == 1
        if not alone and max(map(len, sat)) >= FEWEST_BLOCKS:
            parted.append(known.classes)
        resampled = tables(moves)
        for at, name in enumerate(names):
            if len(sat[at]) < FEWEST_BLOCKS:
                few.append(name)
            # an only anchor stands still by agreement: that is no interval
            elif (seen := min(len(sat[at]), fewest)) >= FEWEST_BLOCKS and fixed != [at]:
                ends[name] = _ends(table.ratings[name], sorted(resampled[at]), seen, greatest[at], alone=alone)
    shown = [name for name in table.ratings if name not in past]
    better = better_of(gaps, bots=len(shown), looks=looks)
    over, under = Counter(worse for _, worse in better), Counter(first for first, _ in better)
    ranges = _one_by_one(gaps) if looks == "one" else {name: (over[name], under[name]) for name in shown}
    found = {}
    for name in table.ratings:
        above, below = ranges.get(name, (0, 0))
        low, high = ends.get(name, (None, None))
        found[name] = Interval(
            rank_low=1 + above,
            rank_high=len(shown) - below,
            certain_low=1 + over[name],
            certain_high=len(shown) - under[name],
            low=low,
            high=high,
        )
    return Intervals(
        bots=found,
        few=tuple(sorted(few)),
        parted=tuple(parted),
        better=better,
        bets=better & by_bets(blocks, shown) if better and looks != "one" else frozenset(),
        longer=in_a_longer_run(gaps, shown),
    )


def _one_by_one(gaps: Iterable[Gap]) -> dict[str, tuple[int, int]]:
    """By bot how many are above it and below it: of 100 bots 95 have no wrong one among them.

    Its difference from each other bot is held against the deviation of that, together by S. Holm's procedure. So two
    bots may be told apart for one of them and not for the other: each range has its own bot in view.
    """
    of_bot: dict[str, dict[tuple[str, str], float]] = {}
    for gap in gaps:
        pair = (gap.one, gap.other) if gap.score > 0 else (gap.other, gap.one)
        found = chance(gap.score, blocks=gap.blocks, looks="one", error=1 - LEVEL)
        for name in pair:
            of_bot.setdefault(name, {})[pair] = found
    places = {}
    for name, chances in of_bot.items():
        clear = holm(chances, error=1 - LEVEL, claims=len(chances))
        below = sum(first == name for first, _ in clear)
        places[name] = len(clear) - below, below
    return places


def tables(moves: Sequence[Sequence[float]]) -> list[list[float]]:
    """By bot, how far its mu moves in each of ``TABLES`` tables of as many groups drawn with replacement.

    The bootstrap is balanced (Davison, Hinkley and Schechtman 1986): over all tables each group is drawn equally often.
    """
    groups = len(moves[0])
    order = list(range(groups)) * TABLES
    Chance(_KEY).shuffle(order)
    fields, scale, origin = _in_fields(moves)
    moved: list[list[float]] = [[] for _ in moves]
    for start in range(0, len(order), groups):
        total = sum(map(fields.__getitem__, order[start : start + groups]))
        sums = array("Q", total.to_bytes(_FIELD * len(moves), byteorder))
        for found, bot in zip(sums, moved, strict=True):
            bot.append((found - groups * origin) / scale)
    return moved


def _in_fields(moves: Sequence[Sequence[float]]) -> tuple[list[int], float, int]:
    """For each group one long integer: in ``_FIELD`` bytes each, the move of every bot times a scale, plus an origin.

    So one addition moves all bots at once. As many integers as there are groups add up without a carry from
    one field to the next. Each move is rounded to a share of the greatest: to 2**-51 with 1,000 groups.

    Returns:
        the integers, the scale and the origin.
    """
    groups = len(moves[0])
    digits = 8 * _FIELD - 2 - groups.bit_length()
    _, exponent = frexp(max(max(map(abs, column)) for column in moves))
    scale = ldexp(1.0, digits - exponent)
    origin = 1 << digits
    fields = [
        int.from_bytes(array("Q", [origin + round(move * scale) for move in of_group]), byteorder)
        for of_group in zip(*moves, strict=True)
    ]
    return fields, scale, origin


def _less(rows: Sequence[Sequence[float]], fixed: Sequence[int]) -> list[list[float]]:
    """The rows of all bots, each less the mean of the rows of the fixed bots."""
    means = [sum(each) / len(fixed) for each in zip(*(rows[at] for at in fixed), strict=True)]
    return [list(map(sub, row, means)) for row in rows]


def _ends(rating: Rating, moved: Sequence[float], blocks: int, greatest: float, *, alone: bool) -> tuple[float, float]:
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
        rating.mu + min(moved[tail] * widened, -least),
        rating.mu + max(moved[-1 - tail] * widened, least),
    )
