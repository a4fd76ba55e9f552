"""All figures of a report on a run, from one pass over its records. Knows records and ratings; no run and no page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt

from msgspec import Struct

from arena.ratings import FEWEST_BLOCKS, BlockOutcomes, Looks, Ratings, fit_blocks
from arena.ratings.certain import Better
from arena.ratings.classes import classes_of
from arena.ratings.influences import influences
from arena.ratings.outcomes import in_order
from arena.ratings.quantiles import SIDE
from arena.ratings.table import Solution
from arena.ratings.uncertainty import least_move
from arena.record import Record
from arena.report.ahead import Ahead, finished_ahead_of
from arena.report.faults import BotFaults, Faults
from arena.report.sample import Highlight, MatchRow, Sample, match_row
from arena.report.seats import SeatRow, SeatTally
from arena.report.tally import block_of
from arena.report.times import BotTimes, Times
from arena.spill import Spill

MARKS = 8
"""Points of the curves of ratings."""
_TOGETHER = 1 << 14
"""So many blocks are sorted at once."""


class RatingPoint(Struct, frozen=True, kw_only=True):
    """A bot after a number of matches."""

    mu: float
    low: float | None
    """Of mu, with 95 % confidence; None if it had sat in too few blocks."""
    high: float | None


class Mark(Struct, frozen=True, kw_only=True):
    """The ratings after a number of matches, in the order of the schedule and in whole blocks."""

    matches: int
    bots: dict[str, RatingPoint]


class Survey(Struct, frozen=True, kw_only=True):
    """The figures of a report besides the leaderboard."""

    matches: int
    """Recorded, the void ones among them."""
    void: int
    blocks: int
    ahead: Ahead | None
    """Who finishes ahead of whom; None before the first match."""
    history: tuple[Mark, ...]
    times: tuple[BotTimes, ...]
    seats: tuple[SeatRow, ...]
    faults: tuple[BotFaults, ...]
    listed: tuple[MatchRow, ...]
    """Matches in the order in which they were finished: all, or a sample."""
    chosen: tuple[Highlight, ...]


def survey(
    records: Iterable[tuple[int, Record]],
    entrants: Sequence[str],
    *,
    ranking: Sequence[str],
    limit: int,
    spill: Spill | None = None,
    better: Better = frozenset(),
    looks: Looks = "every",
) -> Survey:
    """Read the records once, in the order in which they were finished.

    Args:
        records: of a run, void ones among them, each with its number in the journal.
        entrants: all bots that may sit in them.
        ranking: the bots from first to last.
        limit: milliseconds for a decision.
        spill: where what there is of each match lies; by default in memory.
        better: who is certainly better than whom on the leaderboard.
        looks: what may be said of the run.

    Raises:
        ValueError: a record is not whole, or names another bot.
        arena.ratings.Unsettled: the ratings do not converge.
    """
    surveyor = Surveyor(entrants, ranking=ranking, limit=limit, spill=spill, better=better, looks=looks)
    for number, record in records:
        surveyor.add(number, record)
    return surveyor.found()


class Surveyor:
    """The figures of the matches so far; the arguments are those of ``survey``.

    Without a ranking no matches are listed or chosen.
    """

    def __init__(
        self,
        entrants: Sequence[str],
        *,
        ranking: Sequence[str] | None = None,
        limit: int,
        spill: Spill | None = None,
        better: Better = frozenset(),
        looks: Looks = "every",
    ) -> None:
        self._entrants = entrants
        self._better, self._looks = better, looks
        self._times, self._faults, self._seats = Times(entrants, limit), Faults(entrants), SeatTally()
        self._sample = None if ranking is None else Sample(ranking)
        self._played = BlockOutcomes(spill=spill or Spill())
        self._matches = self._void = 0

    def add(self, number: int, record: Record) -> None:
        """Count a match; ``number`` is its place among all.

        Raises:
            ValueError: it is not whole, or names another bot.
        """
        self._matches += 1
        if record.reason == "void":
            self._void += 1
            return
        self._times.add(number, record)
        self._faults.add(number, record)
        self._seats.add(record)
        if self._sample is not None:
            self._sample.add(match_row(number, record))
        self._played.add(block_of(record), record.bots, record.ranks)

    def found(self) -> Survey:
        """The survey of the matches so far.

        Raises:
            arena.ratings.Unsettled: the ratings do not converge.
        """
        played, sample = self._played, self._sample
        ahead, history = None, list[Mark]()
        for blocks, table, solutions in _growing(played, self._entrants):
            spread = _spread(blocks, table, solutions)
            history.append(_mark(len(blocks), table, spread, self._entrants))
            if len(blocks) == len(played):
                ahead = finished_ahead_of(blocks, (table, solutions), better=self._better, looks=self._looks)
        times, faults = tuple(self._times.rows()), tuple(self._faults.rows())
        return Survey(
            matches=self._matches,
            void=self._void,
            blocks=len(in_order(played)),
            ahead=ahead,
            history=tuple(history),
            times=times,
            seats=tuple(self._seats.rows(self._looks)),
            faults=faults,
            listed=() if sample is None else sample.listed(),
            chosen=sample.chosen(faults, times) if sample is not None and len(played) else (),
        )


def _growing(
    played: BlockOutcomes, entrants: Sequence[str]
) -> Iterator[tuple[BlockOutcomes, Ratings, Sequence[Solution]]]:
    """The matches in the order of the schedule, fitted after each eighth of the blocks."""
    order = in_order(played)
    blocks = BlockOutcomes(bots=played.bots, spill=played.spill)
    ends = sorted({-(-len(order) * part // MARKS) for part in range(1, MARKS + 1)}) if len(order) else []
    for start, end in pairwise([0, *ends]):
        for first in range(start, end, _TOGETHER):
            blocks.take(played, first=order[first], end=order[min(first + _TOGETHER, end) - 1] + 1)
        # outcomes are counted, not read again: a fit takes as long as there are different ones
        table, solutions = fit_blocks(blocks, entrants)
        yield blocks, table, solutions


def _mark(matches: int, table: Ratings, spread: Mapping[str, float], entrants: Sequence[str]) -> Mark:
    bots = {}
    for bot in entrants:
        mu, by = table.ratings[bot].mu, spread.get(bot)
        low, high = (None, None) if by is None else (mu - by, mu + by)
        bots[bot] = RatingPoint(mu=mu, low=low, high=high)
    return Mark(matches=matches, bots=bots)


def _spread(blocks: BlockOutcomes, table: Ratings, solutions: Iterable[Solution]) -> dict[str, float]:
    """Half of a 95 % interval of mu, for bots that sat in enough blocks.

    The infinitesimal jackknife over whole blocks, as ``arena.ratings.intervals`` has it, but without resampling: the
    band of a curve needs no skewness. It is never empty, and no narrower than sigma where the prior decides.
    """
    found = {}
    for solution in solutions:
        moves, sat = influences(blocks, solution)
        parted = len(classes_of(solution.outcomes, solution.names)) > 1
        for bot, of_bot, groups in zip(solution.names, moves, sat, strict=True):
            if len(groups) >= FEWEST_BLOCKS:
                sigma = table.ratings[bot].sigma
                least = sigma if parted else 2 * least_move(sigma, blocks=blocks, groups=len(of_bot), sat=len(groups))
                found[bot] = SIDE * max(sqrt(sum(move * move for move in of_bot)), least)
    return found
