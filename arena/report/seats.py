"""Whether seats are even: how well each seat does, with intervals from whole blocks.

In a whole block each bot has sat once in each seat of the same deal, so neither the bots nor the deal favour a seat.
Knows records and how their ids are put together; knows no schedule, run, file or format.
"""

from functools import lru_cache
from math import lcm, sqrt
from operator import add, mul
from statistics import NormalDist

from msgspec import Struct
from msgspec.structs import replace

from arena.ratings import FEWEST_BLOCKS, Looks
from arena.ratings.certain import SEATS
from arena.ratings.quantiles import chance, holm, normal_score
from arena.record import Record
from arena.report.tally import block_of, places_of

_FEWEST = 5
"""Of fewer blocks there is no interval: too little is known of their spread."""
_DIGITS = 4
EVEN = 0.5
"""The mean rank of a seat that is neither better nor worse than the others."""


class SeatRow(Struct, frozen=True):
    """One seat at tables of ``seats``. A margin is half of a 95 % interval; None of fewer than 5 blocks."""

    game: str
    seats: int
    seat: int
    blocks: int
    """Whole blocks, each of as many matches as there are seats."""
    mean_rank: float
    """From 0, always first, to 1, always last; bots that tie share the mean of their places. Even seats have 0.5."""
    rank_margin: float | None
    mean_score: float
    """In the game's own unit."""
    score_margin: float | None
    first: float
    """The share of matches won; a first place that ``k`` share counts 1/k. Even seats have 1/seats."""
    first_margin: float | None

    uneven: bool = False
    """Whether it is certainly better or worse than the others; any seat is called so wrongly in ``SEATS`` of runs."""


class _Block(Struct):
    """What the seats got in the matches of one block so far: whole numbers, first one kind of all seats, then the next.

    They are twice the bots ahead and those level, the parts of first places, and the scores.
    """

    values: list[int]
    matches: int = 0


class _Sums(Struct):
    """Over the whole blocks of one game and seat count: each value summed up, and its square."""

    totals: list[int]
    squares: list[int]
    blocks: int = 0


class SeatTally:
    """The results of the seats so far: sums, and the values of the blocks that are not complete yet."""

    def __init__(self) -> None:
        self._open: dict[int, _Block] = {}
        self._sums: dict[tuple[str, int], _Sums] = {}

    def add(self, record: Record) -> None:
        """Count a match that is not void.

        Raises:
            ValueError: its id is no match id, or it has not one rank and one score for each bot.
        """
        size = len(record.bots)
        if len(record.ranks) != size or len(record.scores) != size:
            raise ValueError(f"{record.id}: expected {size} ranks and scores, got {len(record.ranks)}")
        name = block_of(record)  # raises if it is no match id
        block = self._open.get(name)
        if block is None:
            block = self._open[name] = _Block([0] * 3 * size)
        block.values = list(map(add, block.values, (*_of_ranks(record.ranks), *record.scores)))
        block.matches += 1
        if block.matches == size:
            del self._open[name]
            sums = self._sums.get((record.game, size))
            if sums is None:
                sums = self._sums[record.game, size] = _Sums(totals=[0] * 3 * size, squares=[0] * 3 * size)
            sums.blocks += 1
            sums.totals = list(map(add, sums.totals, block.values))
            sums.squares = list(map(add, sums.squares, map(mul, block.values, block.values)))

    @property
    def unfinished(self) -> int:
        """Blocks that some but not all matches are known of."""
        return len(self._open)

    def rows(self, looks: Looks = "one") -> list[SeatRow]:
        """Every seat of every game and seat count of which there is a whole block."""
        found = [
            _seat(game, size, seat, sums) for (game, size), sums in sorted(self._sums.items()) for seat in range(size)
        ]
        chances = {
            at: chance(score, blocks=row.blocks, looks=looks, error=SEATS / len(found))
            for at, (row, score) in enumerate(found)
            if row.blocks >= FEWEST_BLOCKS
        }
        uneven = set(holm(chances, error=SEATS, claims=len(found)))
        return [replace(row, uneven=at in uneven) for at, (row, _) in enumerate(found)]


def _seat(game: str, size: int, seat: int, sums: _Sums) -> tuple[SeatRow, float]:
    """The row, and how far its mean rank is from even in normal deviates."""
    shown: list[float] = []
    margins: list[float | None] = []
    score = 0.0
    for which, unit in enumerate((2 * (size - 1), _wins(size), 1)):
        at = which * size + seat
        total, squares = sums.totals[at], sums.squares[at]
        scale = unit * size
        shown.append(round(total / sums.blocks / scale, _DIGITS))
        if sums.blocks < _FEWEST:
            margins.append(None)
            continue
        freedom = sums.blocks - 1
        # whole numbers until the last step: floats would lose digits in the difference of two large sums
        spread = (sums.blocks * squares - total * total) / (sums.blocks * sums.blocks * freedom)
        # blocks that are all alike are no proof that no match could end otherwise
        deviation = max(sqrt(spread) / scale, 1 / (sums.blocks * size))
        margins.append(round(quantile(freedom) * deviation, _DIGITS))
        if which == 0:
            score = normal_score((total / sums.blocks / scale - EVEN) / deviation, freedom=freedom)
    row = SeatRow(
        game,
        seats=size,
        seat=seat,
        blocks=sums.blocks,
        mean_rank=shown[0],
        rank_margin=margins[0],
        mean_score=shown[2],
        score_margin=margins[2],
        first=shown[1],
        first_margin=margins[1],
    )
    return row, score


@lru_cache(maxsize=4096)
def _of_ranks(ranks: tuple[int, ...]) -> list[int]:
    """What a match adds to the first two kinds of a block's values."""
    places, wins = places_of(ranks), _wins(len(ranks))
    behind = [2 * better + equal - 1 for better, equal in places]
    return behind + [wins // equal if better == 0 else 0 for better, equal in places]


def _wins(size: int) -> int:
    """In how many parts a first place is counted, so that any number of seats can share it."""
    return lcm(*range(1, size + 1))


def quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with 4 or more degrees of freedom, to 0.001.

    Abramowitz and Stegun 26.7.5: the normal quantile and corrections in powers of 1/freedom.
    """
    z = NormalDist().inv_cdf(0.975)
    parts = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(part / float(freedom) ** power for power, part in enumerate(parts))
