"""Whether seats are even: how well each seat does, with intervals from whole blocks.

In a whole block each bot has sat once in each seat of the same deal, so neither the bots nor the deal favour a seat.
Knows results; knows no schedule, run, file or format.
"""

from math import lcm, sqrt

from msgspec import Struct
from msgspec.structs import replace

from arena.numeric import np
from arena.ratings import FEWEST_BLOCKS, Looks
from arena.ratings.pairwise import SEATS
from arena.ratings.quantiles import SIDE, chance, holm, normal_score, student
from arena.results.columns import Results
from arena.results.tally import count_places

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


def seat_rows(results: Results, game: str, looks: Looks = "one") -> tuple[list[SeatRow], int]:
    """Every seat of a seat count with a whole block, marked if certainly uneven; and how many blocks are not whole.

    ``looks``: whether the results are tested once or after each match.
    """
    columns = results.columns
    rows: list[tuple[SeatRow, float]] = []
    unfinished = 0
    for size in np.unique(columns.seats[results.played]).tolist():
        matches = np.flatnonzero((columns.seats == size) & results.played)
        _, block, count = np.unique(columns.block[matches], return_inverse=True, return_counts=True)
        unfinished += int((count != size).sum())
        ahead, level = (place.astype(np.int64) for place in count_places(columns.ranks[matches, :size]))
        first = np.where(ahead == 0, _wins(size) // level, 0)
        # twice the bots ahead and those level, the parts of first places, and the scores: each of all seats
        of_match = np.concatenate([2 * ahead + level - 1, first, columns.scores[matches, :size]], axis=1)
        of_block = np.zeros((len(count), 3 * size), np.int64)
        np.add.at(of_block, block, of_match)
        of_block = of_block[count == size]
        if not len(of_block):
            continue
        if len(of_block) * float(np.abs(of_block).max()) ** 2 >= 1 << 62:
            of_block = of_block.astype(object)
        totals, squares = of_block.sum(axis=0).tolist(), (of_block * of_block).sum(axis=0).tolist()
        rows += [_seat(game, size, seat, blocks=len(of_block), totals=totals, squares=squares) for seat in range(size)]
    chances = {
        index: chance(score, blocks=row.blocks, looks=looks, error=SEATS / len(rows))
        for index, (row, score) in enumerate(rows)
        if row.blocks >= FEWEST_BLOCKS
    }
    uneven = set(holm(chances, error=SEATS, claims=len(rows)))
    return [replace(row, uneven=index in uneven) for index, (row, _) in enumerate(rows)], unfinished


def _seat(
    game: str, size: int, seat: int, *, blocks: int, totals: list[int], squares: list[int]
) -> tuple[SeatRow, float]:
    """The row, and how far its mean rank is from even in normal deviates."""
    means: list[float] = []
    margins: list[float | None] = []
    score = 0.0
    for which, unit in enumerate((2 * (size - 1), _wins(size), 1)):
        index = which * size + seat
        total, square = totals[index], squares[index]
        scale = unit * size
        means.append(round(total / blocks / scale, _DIGITS))
        if blocks < _FEWEST:
            margins.append(None)
            continue
        freedom = blocks - 1
        # whole numbers until the last step: floats would lose digits in the difference of two large sums
        spread = (blocks * square - total * total) / (blocks * blocks * freedom)
        # blocks that are all alike are no proof that no match could end otherwise
        deviation = max(sqrt(spread) / scale, 1 / (blocks * size))
        margins.append(round(student(SIDE, freedom) * deviation, _DIGITS))
        if which == 0:
            score = normal_score((total / blocks / scale - EVEN) / deviation, freedom=freedom)
    row = SeatRow(
        game,
        seats=size,
        seat=seat,
        blocks=blocks,
        mean_rank=means[0],
        rank_margin=margins[0],
        mean_score=means[2],
        score_margin=margins[2],
        first=means[1],
        first_margin=margins[1],
    )
    return row, score


def _wins(size: int) -> int:
    """In how many parts a first place is counted, so that any number of seats can share it."""
    return lcm(*range(1, size + 1))
