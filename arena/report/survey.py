"""All figures of a report on a run, from one pass over its records. Knows records and ratings; no run and no page."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from operator import itemgetter
from statistics import NormalDist

from msgspec import Struct

from arena.ratings import FEWEST_BLOCKS, BlockOutcomes, fit_blocks
from arena.ratings.influences import influences
from arena.ratings.table import Solution
from arena.record import Record, match_key
from arena.report.ahead import Ahead, finished_ahead_of
from arena.report.faults import BotFaults, Faults
from arena.report.sample import Highlight, MatchRow, Sample, match_row
from arena.report.seats import SeatRow, SeatTally
from arena.report.times import BotTimes, Times

MARKS = 8
"""Points of the curves of ratings."""
_PAGE = 1 << 12
"""Blocks that are put in order together."""
_SIDE = NormalDist().inv_cdf(0.975)


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


def survey(records: Iterable[Record], entrants: Sequence[str], *, ranking: Sequence[str], limit: int) -> Survey:
    """Read the records once, in the order in which they were finished.

    Args:
        records: of a run, void ones among them.
        entrants: all bots that may sit in them.
        ranking: the bots from first to last.
        limit: milliseconds for a decision.

    Raises:
        ValueError: a record is not whole, or names another bot.
        arena.ratings.Unsettled: the ratings do not converge.
    """
    surveyor = Surveyor(entrants, ranking=ranking, limit=limit)
    for number, record in enumerate(records):
        surveyor.add(number, record)
    return surveyor.found()


class Surveyor:
    """The figures of the matches so far; the arguments are those of ``survey``.

    Without a ranking no matches are listed or chosen.
    """

    def __init__(self, entrants: Sequence[str], *, ranking: Sequence[str] | None = None, limit: int) -> None:
        self._entrants = entrants
        self._times, self._faults, self._seats = Times(entrants, limit), Faults(entrants), SeatTally()
        self._sample = None if ranking is None else Sample(ranking)
        self._played = _Played()
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
        self._played.add(record)

    def found(self) -> Survey:
        """The survey of the matches so far.

        Raises:
            arena.ratings.Unsettled: the ratings do not converge.
        """
        played, sample = self._played, self._sample
        blocks = BlockOutcomes()
        history = tuple(_history(played, blocks, self._entrants))
        times, faults = tuple(self._times.rows()), tuple(self._faults.rows())
        return Survey(
            matches=self._matches,
            void=self._void,
            blocks=len(blocks.names),
            ahead=finished_ahead_of(blocks) if len(played) else None,
            history=history,
            times=times,
            seats=tuple(self._seats.rows()),
            faults=faults,
            listed=() if sample is None else sample.listed(),
            chosen=sample.chosen(faults, times) if sample is not None and len(played) else (),
        )


class _Played:
    """How matches ended, to be read in the order of the schedule: some 12 bytes a match."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[tuple[str, ...], tuple[int, ...]], int] = {}
        """Who sat where and came where: every way that there was, by the order in which they were first seen."""
        self._pages: dict[tuple[int, int], tuple[array[int], array[int]]] = {}
        """By epoch and page of blocks: of each match its place in the page, and its outcome."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, record: Record) -> None:
        """Take in a match that is not void."""
        epoch, block, rotation = match_key(record.id)
        page, at = divmod(block, _PAGE)
        places, outcomes = self._pages.setdefault((epoch, page), (array("L"), array("L")))
        places.append(at * _PAGE + min(rotation, _PAGE - 1))
        outcomes.append(self._outcomes.setdefault((record.bots, record.ranks), len(self._outcomes)))
        self._count += 1

    def __iter__(self) -> Iterator[tuple[str, tuple[str, ...], tuple[int, ...]]]:
        """Block, bots and ranks of each match."""
        ways = list(self._outcomes)
        for (epoch, page), (places, outcomes) in sorted(self._pages.items(), key=itemgetter(0)):
            for place, bots, ranks in sorted(
                (place, *ways[outcome]) for place, outcome in zip(places, outcomes, strict=True)
            ):
                yield f"e{epoch}b{page * _PAGE + place // _PAGE}", bots, ranks


def _history(played: _Played, blocks: BlockOutcomes, entrants: Sequence[str]) -> Iterable[Mark]:
    """Fill the blocks in the order of the schedule; a mark after each eighth of them."""
    ends: array[int] = array("L")
    """After how many matches each block is over."""
    before = ""
    for count, (block, _, _) in enumerate(played):
        if count and block != before:
            ends.append(count)
        before = block
    if len(played):
        ends.append(len(played))
    marks = {ends[-(-(len(ends) * part) // MARKS) - 1] for part in range(1, MARKS + 1)} if ends else set()
    for count, (block, bots, ranks) in enumerate(played, 1):
        blocks.add(block, bots, ranks)
        if count in marks:
            # outcomes are counted, not read again: a fit takes as long as there are different ones
            table, solutions = fit_blocks(blocks, entrants)
            spread = _spread(blocks, solutions)
            standings = {}
            for bot in entrants:
                mu, by = table.ratings[bot].mu, spread.get(bot)
                low, high = (None, None) if by is None else (mu - by, mu + by)
                standings[bot] = RatingPoint(mu=mu, low=low, high=high)
            yield Mark(matches=count, bots=standings)


def _spread(blocks: BlockOutcomes, solutions: Iterable[Solution]) -> dict[str, float]:
    """Half of a 95 % interval of mu, for bots that sat in enough blocks.

    The infinitesimal jackknife over whole blocks, as ``arena.ratings.intervals`` has it, but without resampling: the
    band of a curve needs no skewness.
    """
    found = {}
    for solution in solutions:
        moves, sat = influences(blocks, solution)
        for bot, of_bot, groups in zip(solution.names, moves, sat, strict=True):
            if len(groups) >= FEWEST_BLOCKS:
                found[bot] = _SIDE * sqrt(sum(move * move for move in of_bot))
    return found
