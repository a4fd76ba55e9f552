"""Who finishes ahead of whom: for each two bots the share of their matches, with an interval from whole blocks.

Uses a pair's own matches alone, not the ratings; so it shows where bots beat each other in a circle. Knows
names and blocks; knows no records, games or files.
"""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from arena.numeric import Array, np
from arena.ratings.factors import BETA2
from arena.ratings.outcomes import Outcomes, Shape
from arena.ratings.pairwise import CIRCLES, Better
from arena.ratings.quantiles import FEWEST_BLOCKS, NORMAL, SIDE, Looks, chance, holm, normal_score, student
from arena.ratings.table import Fit, margin_of

_TOGETHER = 1 << 16
"""Whole blocks of about so many matches are sorted at once."""


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
        return replace(
            self,
            bot=self.other,
            other=self.bot,
            ahead=self.matches - self.ahead - self.tied,
            share=1 - self.share,
            low=None if self.high is None else 1 - self.high,
            high=None if self.low is None else 1 - self.low,
            expected=1 - self.expected,
            deviations=-self.deviations,
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


def pairs(fit: Fit, better: Better = frozenset()) -> list[Pair]:
    """Every two bots that met, each pair once, by name; ``better`` holds what is certain."""
    outcomes = fit.outcomes
    sums = _sums_of_pairs(outcomes)
    met = np.flatnonzero(sums["matches"])
    columns = zip(*[sums[name][met].astype(np.int64).tolist() for name in PairSums.__struct_fields__], strict=True)
    places = [divmod(pair, len(outcomes.names)) for pair in met.tolist()]
    return [
        _pair(outcomes.names[bot], outcomes.names[other], PairSums(*values), fit, better)
        for (bot, other), values in zip(places, columns, strict=True)
    ]


def _points_of(shape: Shape) -> list[tuple[int, int, int]]:
    """Each two places from the best, the better first, and the first one's points in halves: 2 ahead, 1 tied."""
    ranks = [rank for rank, group in enumerate(shape) for _ in range(group)]
    return [(place, other, 1 + (ranks[place] < ranks[other])) for place, other in combinations(range(len(ranks)), 2)]


def _sums_of_pairs(outcomes: Outcomes) -> dict[str, Array]:
    """The fields of ``PairSums`` of every two bots, the first name's first."""
    size = len(outcomes.names)
    totals = {name: np.zeros(size * size) for name in PairSums.__struct_fields__}
    order = outcomes.blocks()
    wide = max(_TOGETHER * len(order) // max(len(outcomes), 1), 1)
    for start in range(0, len(order), wide):
        here = order[start : start + wide]
        keys, halves = [], []
        for alike in outcomes.shapes:
            rows = slice(*np.searchsorted(alike.blocks, (here[0], here[-1] + 1)).tolist())
            bots = alike.bots[rows].astype(np.int64)
            cells = np.searchsorted(here, alike.blocks[rows]) * (size * size)
            for better, worse, twice in _points_of(alike.shape):
                first, other = bots[:, better], bots[:, worse]
                keys.append(cells + np.minimum(first, other) * size + np.maximum(first, other))
                halves.append(np.where(first < other, twice, 2 - twice).astype(np.int8))
        cells, numbers, met = np.unique(np.concatenate(keys), return_inverse=True, return_counts=True)
        of_match = np.concatenate(halves)
        of_pair = np.bincount(numbers, of_match)
        tied = np.bincount(numbers, of_match == 1)
        in_block = {
            "matches": met,
            "ahead": (of_pair - tied) / 2,
            "tied": tied,
            "blocks": np.ones(len(cells)),
            "points_points": of_pair * of_pair,
            "points_matches": of_pair * met,
            "matches_matches": met * met,
        }
        for name, values in in_block.items():
            totals[name] += np.bincount(cells % (size * size), values, size * size)
    return totals


def cycles(among: Sequence[Pair], *, bots: int, looks: Looks) -> list[tuple[str, str, str]]:
    """Circles of three bots: the first is certainly ahead of the second, that of the third, that of the first.

    By their own matches alone: any is wrong with a chance of ``arena.ratings.pairwise.CIRCLES``. The first by name
    stands first.
    """
    claims = max(bots * (bots - 1) // 2, 1)
    chances = {
        (pair.bot, pair.other) if pair.deviations > 0 else (pair.other, pair.bot): chance(
            pair.deviations, blocks=pair.blocks, looks=looks, error=CIRCLES / claims
        )
        for pair in among
        if pair.blocks >= FEWEST_BLOCKS
    }
    beaten: dict[str, set[str]] = {}
    for winner, loser in holm(chances, error=CIRCLES, claims=claims):
        beaten.setdefault(winner, set()).add(loser)
    none: set[str] = set()
    return [
        (first, two, three)
        for first in sorted(beaten)
        for two in sorted(beaten[first])
        for three in sorted(beaten.get(two, none))
        if first in beaten.get(three, none) and first < min(two, three)
    ]


def _pair(bot: str, other: str, sums: PairSums, fit: Fit, better: Better) -> Pair:
    """The share of a pair; its variance is that of a ratio of sums over blocks."""
    share = (sums.ahead + sums.tied / 2) / sums.matches
    gap = fit.ratings[bot].mu - fit.ratings[other].mu
    margin = margin_of(fit.draw_probability)
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
