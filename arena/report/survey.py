"""All figures of a report on a run, from one pass over its records. Knows records and ratings; no run and no page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from arena.numeric import np
from arena.ratings import FEWEST_BLOCKS, Looks, Outcomes, Ratings, fit_outcomes, outcomes_of
from arena.ratings.certain import Better
from arena.ratings.quantiles import SIDE
from arena.ratings.table import Solution
from arena.ratings.uncertainty import classes_of, influences, least_move
from arena.record import Record
from arena.report.ahead import Ahead, finished_ahead_of
from arena.report.faults import BotFaults, Faults
from arena.report.sample import Highlight, MatchRow, Sample, match_row
from arena.report.seats import SeatRow, SeatTally
from arena.report.tally import block_of
from arena.report.times import BotTimes, Times

MARKS = 8
"""Points of the curves of ratings."""


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
    better: Better = frozenset(),
    looks: Looks = "every",
) -> Survey:
    """Read the records once, in the order in which they were finished.

    Args:
        records: of a run, void ones among them, each with its number in the journal.
        entrants: all bots that may sit in them.
        ranking: the bots from first to last.
        limit: milliseconds for a decision.
        better: who is certainly better than whom on the leaderboard.
        looks: what may be said of the run.

    Raises:
        ValueError: a record is not whole, or names another bot.
        arena.ratings.Unsettled: the ratings do not converge.
    """
    surveyor = Surveyor(entrants, ranking=ranking, limit=limit, better=better, looks=looks)
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
        better: Better = frozenset(),
        looks: Looks = "every",
    ) -> None:
        self._entrants = entrants
        self._better, self._looks = better, looks
        self._times, self._faults, self._seats = Times(entrants, limit), Faults(entrants), SeatTally()
        self._sample = None if ranking is None else Sample(ranking)
        self._played: list[tuple[int, tuple[str, ...], tuple[int, ...]]] = []
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
        self._played.append((block_of(record), record.bots, record.ranks))

    def found(self) -> Survey:
        """The survey of the matches so far.

        Raises:
            arena.ratings.Unsettled: the ratings do not converge.
        """
        played, sample = outcomes_of(self._played), self._sample
        ahead, history = None, list[Mark]()
        for outcomes, table, solutions in _growing(played, self._entrants):
            spread = _spread(outcomes, table, solutions)
            history.append(_mark(len(outcomes), table, spread, self._entrants))
            if len(outcomes) == len(played):
                ahead = finished_ahead_of(outcomes, (table, solutions), better=self._better, looks=self._looks)
        times, faults = tuple(self._times.rows()), tuple(self._faults.rows())
        return Survey(
            matches=self._matches,
            void=self._void,
            blocks=len(played.blocks()),
            ahead=ahead,
            history=tuple(history),
            times=times,
            seats=tuple(self._seats.rows(self._looks)),
            faults=faults,
            listed=() if sample is None else sample.listed(),
            chosen=sample.chosen(faults, times) if sample is not None and len(played) else (),
        )


def _growing(played: Outcomes, entrants: Sequence[str]) -> Iterator[tuple[Outcomes, Ratings, Sequence[Solution]]]:
    """The matches in the order of the schedule, fitted after each eighth of the blocks."""
    order = played.blocks().tolist()
    for end in sorted({-(-len(order) * part // MARKS) for part in range(1, MARKS + 1)}) if order else []:
        outcomes = played.until(order[end - 1])
        table, solutions = fit_outcomes(outcomes, entrants)
        yield outcomes, table, solutions


def _mark(matches: int, table: Ratings, spread: Mapping[str, float], entrants: Sequence[str]) -> Mark:
    bots = {}
    for bot in entrants:
        mu, by = table.ratings[bot].mu, spread.get(bot)
        low, high = (None, None) if by is None else (mu - by, mu + by)
        bots[bot] = RatingPoint(mu=mu, low=low, high=high)
    return Mark(matches=matches, bots=bots)


def _spread(outcomes: Outcomes, table: Ratings, solutions: Iterable[Solution]) -> dict[str, float]:
    """Half of a 95 % interval of mu, for bots that sat in enough blocks.

    The infinitesimal jackknife over whole blocks, as ``arena.ratings.intervals`` has it, but without resampling: the
    band of a curve needs no skewness. It is never empty, and no narrower than sigma where the prior decides.
    """
    halves = {}
    for solution in solutions:
        moves, seated = influences(outcomes, solution)
        sat = seated.sum(axis=1)
        sigmas = np.array([table.ratings[bot].sigma for bot in solution.names])
        parted = len(classes_of(solution.outcomes, solution.names)) > 1
        of_match = least_move(sigmas, matches=len(outcomes), groups=moves.shape[1], sat=np.maximum(sat, 1))
        wide = SIDE * np.maximum(np.sqrt((moves**2).sum(axis=1)), sigmas if parted else 2 * of_match)
        halves.update({bot: float(wide[at]) for at, bot in enumerate(solution.names) if sat[at] >= FEWEST_BLOCKS})
    return halves
