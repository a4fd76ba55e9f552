"""Who finishes ahead of whom: for each two bots the share of their matches, with an interval from whole blocks.

Uses a pair's own matches alone, not the ratings; so it shows where bots beat each other in a circle. Knows
names and blocks; knows no records, games or files.
"""

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, groupby
from math import sqrt
from operator import itemgetter

from msgspec import Struct

from arena.ratings.blocks import BlockOutcomes, Shape
from arena.ratings.certain import CIRCLES, Better
from arena.ratings.factor import BETA2
from arena.ratings.outcomes import by_arrays
from arena.ratings.quantiles import FEWEST_BLOCKS, NORMAL, SIDE, Looks, chance, holm, normal_score, student
from arena.ratings.table import Ratings, margin_of


class Pair(Struct, frozen=True):
    """Two bots in the matches that both sat in."""

    bot: str
    other: str
    matches: int
    ahead: int
    """In how many ``bot`` finished ahead of ``other``."""
    tied: int
    share: float
    """``(ahead + tied / 2) / matches``."""
    low: float | None
    """Of the share, with 95 % confidence; None if they met in fewer than ``FEWEST_BLOCKS`` blocks."""
    high: float | None
    expected: float
    """The share that their ratings lead to."""
    deviations: float = 0.0
    """How far the share is above a half, in normal deviates; 0 if they met in too few blocks."""
    blocks: int = 0
    """In how many they met."""
    certain: int = 0
    """1 if ``bot`` is certainly the better one by all matches of the table, -1 if ``other`` is, else 0."""

    @property
    def turned(self) -> "Pair":
        """The same seen from the other bot."""
        return Pair(
            bot=self.other,
            other=self.bot,
            matches=self.matches,
            ahead=self.matches - self.ahead - self.tied,
            tied=self.tied,
            share=1 - self.share,
            low=None if self.high is None else 1 - self.high,
            high=None if self.low is None else 1 - self.low,
            expected=1 - self.expected,
            deviations=-self.deviations,
            blocks=self.blocks,
            certain=-self.certain,
        )


class PairSums(Struct):
    """Of a pair: matches, and over its blocks the squares and products that a variance takes. Points are in halves."""

    matches: int = 0
    ahead: int = 0
    tied: int = 0
    blocks: int = 0
    points_points: int = 0
    points_matches: int = 0
    matches_matches: int = 0


def pairs(blocks: BlockOutcomes, table: Ratings, better: Better = frozenset()) -> list[Pair]:
    """Every two bots that met, each pair once, by name; ``table`` holds their ratings, ``better`` what is certain."""
    names = sorted(blocks.bots)
    known = {name: at for at, name in enumerate(names)}
    place = array("I", map(known.__getitem__, blocks.bots))
    if by_arrays(len(blocks)):
        from arena.ratings.sums import sums_of_pairs  # noqa: PLC0415 - numpy is not always there

        found = sums_of_pairs(blocks, place)
    else:
        found = _sums_of_pairs(blocks, place)
    return [_pair(names[one], names[other], sums, table, better) for (one, other), sums in sorted(found.items())]


def points_of(shape: Shape) -> list[tuple[int, int, int]]:
    """Each two places from the best, the better first, and the first one's points in halves: 2 ahead, 1 tied."""
    ranks = [rank for rank, group in enumerate(shape) for _ in range(group)]
    return [(one, other, 1 + (ranks[one] < ranks[other])) for one, other in combinations(range(len(ranks)), 2)]


def _sums_of_pairs(blocks: BlockOutcomes, place: Sequence[int]) -> dict[tuple[int, int], PairSums]:
    """The sums of every two bots by their ``place`` among the names, the first name's first."""
    shapes = [(matches, points_of(shape)) for shape, matches in blocks.shapes.items()]
    in_blocks = sorted(
        (block, shape, row) for shape, (matches, _) in enumerate(shapes) for block, row in matches.rows()
    )
    sums: defaultdict[tuple[int, int], PairSums] = defaultdict(PairSums)
    for _, of_block in groupby(in_blocks, itemgetter(0)):
        points: dict[tuple[int, int], tuple[int, int, int]] = {}
        for _, shape, bots in of_block:
            row = [place[bot] for bot in bots]
            for better, worse, twice in shapes[shape][1]:
                one, other = row[better], row[worse]
                pair, halves = ((one, other), twice) if one < other else ((other, one), 2 - twice)
                before, tied, met = points.get(pair, (0, 0, 0))
                points[pair] = before + halves, tied + (twice == 1), met + 1
        for pair, (of_pair, tied, met) in points.items():
            found = sums[pair]
            found.matches += met
            found.ahead += (of_pair - tied) // 2
            found.tied += tied
            found.blocks += 1
            found.points_points += of_pair * of_pair
            found.points_matches += of_pair * met
            found.matches_matches += met * met
    return sums


def cycles(found: Sequence[Pair], *, bots: int, looks: Looks) -> list[tuple[str, str, str]]:
    """Circles of three bots: the first is certainly ahead of the second, that of the third, that of the first.

    By their own matches alone: any is wrong with a chance of ``arena.ratings.certain.CIRCLES``. The first by name
    stands first.
    """
    claims = max(bots * (bots - 1) // 2, 1)
    chances = {
        (pair.bot, pair.other) if pair.deviations > 0 else (pair.other, pair.bot): chance(
            pair.deviations, blocks=pair.blocks, looks=looks, error=CIRCLES / claims
        )
        for pair in found
        if pair.blocks >= FEWEST_BLOCKS
    }
    beaten: dict[str, set[str]] = {}
    for winner, loser in holm(chances, error=CIRCLES, claims=claims):
        beaten.setdefault(winner, set()).add(loser)
    none: set[str] = set()
    return [
        (one, two, three)
        for one in sorted(beaten)
        for two in sorted(beaten[one])
        for three in sorted(beaten.get(two, none))
        if one in beaten.get(three, none) and one < min(two, three)
    ]


def _pair(bot: str, other: str, sums: PairSums, table: Ratings, better: Better) -> Pair:
    """The share of a pair; its variance is that of a ratio of sums over blocks."""
    share = (sums.ahead + sums.tied / 2) / sums.matches
    gap = table.ratings[bot].mu - table.ratings[other].mu
    margin = margin_of(table.draw_probability)
    luck = sqrt(2 * BETA2)
    low = high = None
    deviations = 0.0
    if sums.blocks >= FEWEST_BLOCKS:
        worth = _worth(share, sums)
        low, high = _interval(share, worth, sums.blocks)
        deviations = normal_score((2 * share - 1) * sqrt(worth), freedom=sums.blocks - 1)
    return Pair(
        bot=bot,
        other=other,
        matches=sums.matches,
        ahead=sums.ahead,
        tied=sums.tied,
        share=share,
        low=low,
        high=high,
        expected=(NORMAL.cdf((gap - margin) / luck) + NORMAL.cdf((gap + margin) / luck)) / 2,
        deviations=deviations,
        blocks=sums.blocks,
        certain=((bot, other) in better) - ((other, bot) in better),
    )


def _worth(share: float, sums: PairSums) -> float:
    """For as many independent matches as this many the blocks are worth (E. L. Korn, B. I. Graubard, 1998).

    That is ``share * (1 - share)`` over the variance of the share, which is at least what one match that ended
    otherwise would make of it; and the number of blocks for who is always or never ahead.
    """
    if not 0 < share < 1:
        return float(sums.blocks)
    squares = sums.points_points - 4 * share * sums.points_matches + 4 * share**2 * sums.matches_matches
    squares *= sums.blocks / (sums.blocks - 1)
    return share * (1 - share) * (2 * sums.matches) ** 2 / max(squares, 4.0)


def _interval(share: float, worth: float, blocks: int) -> tuple[float, float]:
    """The interval of a share of so many independent matches (E. B. Wilson, 1927), widened for few blocks."""
    square = student(SIDE, blocks - 1) ** 2
    middle = (share + square / (2 * worth)) / (1 + square / worth)
    half = sqrt(square * (share * (1 - share) / worth + square / (4 * worth**2))) / (1 + square / worth)
    return max(middle - half, 0.0), min(middle + half, 1.0)
