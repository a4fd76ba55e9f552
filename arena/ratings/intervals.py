"""How sure a rating table is: intervals of ratings and ranks from whole blocks, resampled.

At the fixed point the pulls of all blocks and of the prior balance. Blocks more or less move the ratings, to first
order, by the inverse of the joint precision times their pulls (one Newton step; the infinitesimal jackknife of Jaeckel
1972). So a table of resampled blocks costs a sum and no fit. Knows names and blocks; knows no records, games or files.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import compress, pairwise
from math import expm1, hypot, sqrt
from operator import itemgetter, mul, sub
from statistics import NormalDist

from msgspec import Struct

from arena.chance import Chance
from arena.ratings.blocks import Blocks
from arena.ratings.joint import differences
from arena.ratings.table import STILL, Outcome, Rating, Solution, Table

LEVEL = 0.95
TABLES = 1000
"""How many tables are resampled."""
FEWEST_BLOCKS = 10
"""A bot that sat in fewer blocks gets no interval and is told apart from nobody."""
MOST_GROUPS = 1000
"""More blocks than these are put together into so many groups by lot; deviations are then good to a 45th."""
_MOST_MOVES = 100_000
"""With many bots there are fewer groups, so that bots times groups stay below this."""
_FEWEST_GROUPS = 100
_KEY = b"arena resampled blocks"
_NORMAL = NormalDist()
_SIDE = _NORMAL.inv_cdf((1 + LEVEL) / 2)


class Interval(Struct, frozen=True):
    """What can be said of one bot with 95 % confidence."""

    rank_low: int
    """One more than the bots that are certainly above it."""
    rank_high: int
    """All bots less those that are certainly below it."""
    low: float | None = None
    """Of mu; None if the bot, or one that it is held against, sat in too few blocks."""
    high: float | None = None


class Intervals(Struct, frozen=True):
    """The intervals by name, in the order of the names, and what to know beside them."""

    bots: dict[str, Interval]
    few: tuple[str, ...]
    """Bots that played, but in fewer than ``FEWEST_BLOCKS`` blocks."""
    parted: tuple[tuple[tuple[str, ...], ...], ...]
    """See ``classes_of``, by component, where there are several classes and blocks enough."""


def intervals_of(
    blocks: Blocks,
    table: Table,
    solutions: Iterable[Solution],
    past: Collection[str] = (),
    anchors: Collection[str] = (),
) -> Intervals:
    """The intervals of a table that was fitted to these blocks; the same whatever order they came in.

    Bots of the ``past`` take up no rank, and are nobody whom others could be above or below. mu is meant relative to
    the mean of the component, or, where some of the ``anchors`` are in it, to theirs.
    """
    everybody = len(table.ratings) - len(past)
    found = {name: Interval(1, everybody) for name in table.ratings}
    few: list[str] = []
    parted = []
    for solution in solutions:
        names = solution.names
        ratings = [table.ratings[name] for name in names]
        moves, sat = influences(blocks, solution)
        fixed = [at for at, name in enumerate(names) if name in anchors]
        if fixed:
            means = [sum(each) / len(fixed) for each in zip(*(moves[at] for at in fixed), strict=True)]
            moves = [list(map(sub, column, means)) for column in moves]
        fewest = min((len(sat[at]) for at in fixed), default=len(blocks.names))
        classes = classes_of(solution.pulls)
        if len(classes) > 1 and max(map(len, sat)) >= FEWEST_BLOCKS:
            parted.append(classes)
        resampled = tables(moves)
        present = [set() if name in past else groups for name, groups in zip(names, sat, strict=True)]
        for at, (name, rating) in enumerate(zip(names, ratings, strict=True)):
            if len(sat[at]) < FEWEST_BLOCKS:
                few.append(name)
                continue
            above, below = told_apart(at, [rating.mu for rating in ratings], moves, present)
            known = min(len(sat[at]), fewest)
            low = high = None
            if known >= FEWEST_BLOCKS:
                low, high = _ends(rating, sorted(resampled[at]), known, alone=len(classes) == 1)
            found[name] = Interval(1 + above, everybody - below, low, high)
    return Intervals(found, tuple(sorted(few)), tuple(parted))


def influences(blocks: Blocks, solution: Solution) -> tuple[list[list[float]], list[set[int]]]:
    """By bot, how far each group of blocks moves its mu, less the mean of all groups; and the groups that it sat in.

    mu is meant relative to the mean of the component; the moves of a bot sum to nothing.
    """
    size = len(solution.names)
    group_of = blocks.groups(max(_FEWEST_GROUPS, min(MOST_GROUPS, _MOST_MOVES // size)))
    pulls = [[0.0] * size for _ in range(max(group_of) + 1)]
    seated: list[set[int]] = [set() for _ in range(size)]
    for block, outcome in blocks.matches():
        if outcome in solution.pulls:
            group = group_of[block]
            row = pulls[group]
            for bot, pull in solution.pulls[outcome]:
                row[bot] += pull
                seated[bot].add(group)
    moves = [list(column) for column in zip(*differences(solution.rows, pulls), strict=True)]
    for column in moves:
        mean = sum(column) / len(column)
        column[:] = [move - mean for move in column]
    return moves, seated


def design_effect(blocks: Blocks, solutions: Iterable[Solution]) -> float | None:
    """The variance of the ratings, as blocks have it, as a share of what as many single matches would have.

    Single matches means: each on a deal of its own, seats drawn by lot, so that none depends on another. Below 1,
    mirrored blocks save matches. None without a bot that sat in ``FEWEST_BLOCKS`` blocks.
    """
    of_blocks = of_matches = 0.0
    counts = blocks.counts()
    for solution in solutions:
        moves, sat = influences(blocks, solution)
        told = [len(groups) >= FEWEST_BLOCKS for groups in sat]
        of_blocks += sum(sum(map(mul, column, column)) for column in compress(moves, told))
        singles = []
        for pulls in solution.pulls.values():
            row = [0.0] * len(sat)
            for bot, pull in pulls:
                row[bot] = pull
            singles.append(row)
        for outcome, row in zip(solution.pulls, differences(solution.rows, singles), strict=True):
            of_matches += counts[outcome] * sum(move * move for move in compress(row, told))
    return of_blocks / of_matches if of_matches else None


def tables(moves: Sequence[Sequence[float]]) -> list[list[float]]:
    """By bot, how far its mu moves in each of ``TABLES`` tables of as many groups drawn with replacement.

    The bootstrap is balanced (Davison, Hinkley and Schechtman 1986): over all tables each group is drawn equally often.
    """
    groups = len(moves[0])
    order = list(range(groups)) * TABLES
    Chance(_KEY).shuffle(order)
    moved: list[list[float]] = [[] for _ in moves]
    for start in range(0, len(order), groups):
        drawn = order[start : start + groups]
        # one getter for all bots, since it runs through the drawn groups without a step of Python
        of_drawn = itemgetter(*drawn, drawn[0])
        for column, bot in zip(moves, moved, strict=True):
            bot.append(sum(of_drawn(column)) - column[drawn[0]])
    return moved


def told_apart(
    at: int, means: Sequence[float], moves: Sequence[Sequence[float]], sat: Sequence[set[int]]
) -> tuple[int, int]:
    """How many bots are certainly above and certainly below one of them: together wrong in 5 of 100 tournaments.

    Its difference from each other bot is held against the deviation that resampling gives it, the clearest first, each
    at the level that leaves 5 % for all that remain (Holm 1979, Sidak 1967).
    """
    found = []
    for other, mean in enumerate(means):
        if other == at or len(sat[other]) < FEWEST_BLOCKS:
            continue
        apart = mean - means[at]
        freedom = len(sat[at] | sat[other]) - 1
        # what the sweeps left open is no difference
        deviation = hypot(STILL, *map(sub, moves[other], moves[at])) * sqrt((freedom + 1) / freedom)
        found.append((abs(apart) / deviation, apart > 0, freedom))
    found.sort(reverse=True)
    above = below = 0
    for left, (score, is_above, freedom) in zip(range(len(found), 0, -1), found, strict=True):
        if score < student(_NORMAL.inv_cdf((1 + LEVEL ** (1 / left)) / 2), freedom):
            break
        above += is_above
        below += not is_above
    return above, below


def student(normal: float, freedom: int) -> float:
    """The quantile of Student's distribution that belongs to one of the normal, to three digits (Wallace 1959)."""
    scaled = normal * (8 * freedom + 3) / (8 * freedom + 1)
    return sqrt(freedom * expm1(scaled * scaled / freedom))


def classes_of(outcomes: Iterable[Outcome]) -> tuple[tuple[str, ...], ...]:
    """Classes of bots that met, each ahead of all later ones in every match that they shared.

    If there is more than one, no ratings fit the outcomes best (Ford 1957): the gaps between them are the prior's.
    """
    behind: dict[str, set[str]] = {}
    ahead: dict[str, set[str]] = {}
    for outcome in outcomes:
        for one, other in _not_behind(outcome):
            behind.setdefault(one, set()).add(other)
            ahead.setdefault(other, set()).add(one)
    left = sorted(behind.keys() | ahead.keys())
    found = []
    while left:
        reached = _reached(left[0], behind)
        members = reached & _reached(left[0], ahead)
        found.append((-len(reached), tuple(sorted(members))))
        left = [name for name in left if name not in members]
    return tuple(members for _, members in sorted(found))


def _not_behind(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Pairs of which the first did not finish behind the second; all others follow from these."""
    for group in outcome:
        yield from zip(group, (*group[1:], group[0]), strict=True)
    yield from ((above[0], below[0]) for above, below in pairwise(outcome))


def _reached(start: str, steps: dict[str, set[str]]) -> set[str]:
    found = {start}
    edge = [start]
    while edge:
        fresh = steps.get(edge.pop(), set()) - found
        found |= fresh
        edge += fresh
    return found


def _ends(rating: Rating, moved: Sequence[float], blocks: int, *, alone: bool) -> tuple[float, float]:
    """The interval of mu from its sorted moves: their percentiles, widened as so few blocks demand.

    The fit has bent towards each block, by about one part in as many as the bot sat in; leaving out one after the other
    (the jackknife) gives ``blocks / (blocks - 1)``.

    Where the prior decides how far classes are apart, blocks that all say the same are no evidence that this is so much
    and no more: the interval is at least that of sigma.
    """
    tail = round(len(moved) * (1 - LEVEL) / 2)
    widened = student(_SIDE, blocks - 1) / _SIDE * blocks / (blocks - 1)
    least = 0.0 if alone else _SIDE * rating.sigma
    return (
        rating.mu + min(moved[tail] * widened, -least),
        rating.mu + max(moved[-1 - tail] * widened, least),
    )
