"""The report of a run: all its figures, its provenance and its progress. Knows results and ratings; no run, no page."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.numeric import np
from arena.ratings import FEWEST_BLOCKS, Fit, Looks, Rating, fit_outcomes
from arena.ratings.certain import Better
from arena.ratings.quantiles import SIDE
from arena.ratings.uncertainty import classes_of, influences, least_move
from arena.report.ahead import Ahead, finished_ahead_of
from arena.report.faults import BotFaults, fault_rows
from arena.report.render import Leaderboard
from arena.report.sample import Highlight, MatchRow, chosen, listed
from arena.report.seats import SeatRow, seat_rows
from arena.report.times import BotTimes, times_of
from arena.results.columns import Results

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


class BotFacts(Struct, frozen=True, kw_only=True):
    """An entrant in the provenance of a run."""

    name: str
    language: str
    version: str
    digest: str
    command: str


class Provenance(Struct, frozen=True, kw_only=True):
    """Where a run comes from and how to check it."""

    name: str
    """What the run is called."""
    path: str
    """What to type for it."""
    game: str
    title: str
    seats: str
    created: str
    seconds: float
    limit: int
    """Milliseconds for a decision."""
    facts: dict[str, str]
    """What a reader should know about the run, in words, by its heading."""
    commitments: tuple[tuple[str, str], ...]
    """Of each epoch the commitment and the seed text; empty while it is not revealed."""
    bots: tuple[BotFacts, ...]
    verify: tuple[str, ...]
    """Commands that check the run."""


class Report(Struct, frozen=True, kw_only=True):
    """The report of one run."""

    leaderboard: Leaderboard
    survey: Survey
    provenance: Provenance


RunState: TypeAlias = Literal["playing", "quiet", "stopped", "finished"]


class RunProgress(Struct, frozen=True, kw_only=True):
    """How far a run is."""

    state: RunState
    """Quiet: nothing came for a while. Stopped: it was being played, and is not."""
    matches: int
    """Recorded, those among them that are void."""
    total: int
    decisions: float | None = None
    """Decisions a second, recently; None if none was made recently."""
    left: float | None = None
    """Seconds to the end at this pace."""
    trouble: str = ""
    """What is wrong with the folder, in printable ASCII."""


def survey(
    results: Results,
    fit: Fit,
    *,
    game: str,
    limit: int,
    ranking: Sequence[str] | None = None,
    better: Better = frozenset(),
    looks: Looks = "every",
) -> Survey:
    """The figures of a run, from its results and the ratings that were fitted to them.

    ``limit`` is in milliseconds for a decision, ``ranking`` has the bots from first to last: without it no matches are
    listed or chosen. ``better`` tells who is certainly better than whom on the leaderboard.

    Raises:
        arena.ratings.NotConverged: the ratings do not converge.
    """
    times = tuple(times_of(results, results.bots, limit))
    faults = tuple(fault_rows(results, results.bots))
    return Survey(
        matches=len(results.columns.line),
        void=results.voids,
        blocks=len(fit.outcomes.blocks()),
        ahead=finished_ahead_of(fit, better=better, looks=looks) if len(fit.outcomes) else None,
        history=tuple(_history(fit, results.bots)),
        times=times,
        seats=tuple(seat_rows(results, game, looks)[0]),
        faults=faults,
        listed=() if ranking is None else listed(results),
        chosen=() if ranking is None else chosen(results, ranking, faults, times),
    )


def _history(whole: Fit, bots: Sequence[str]) -> Iterator[Mark]:
    """The ratings of the matches in the order of the schedule, after each eighth of the blocks."""
    order = whole.outcomes.blocks().tolist()
    for end in sorted({-(-len(order) * part // MARKS) for part in range(1, MARKS + 1)}) if order else []:
        fit = whole
        if end < len(order):
            fit = fit_outcomes(whole.outcomes.until(order[end - 1]), bots)
        spread, points = _spread(fit), {}
        for bot in bots:
            mu, by = fit.ratings.get(bot, Rating()).mu, spread.get(bot)
            low, high = (None, None) if by is None else (mu - by, mu + by)
            points[bot] = RatingPoint(mu=mu, low=low, high=high)
        yield Mark(matches=len(fit.outcomes), bots=points)


def _spread(fit: Fit) -> dict[str, float]:
    """Half of a 95 % interval of mu, for bots that sat in enough blocks.

    The infinitesimal jackknife over whole blocks, as ``arena.ratings.intervals`` has it, but without resampling: the
    band of a curve needs no skewness. It is never empty, and no narrower than sigma where the prior decides.
    """
    halves = {}
    for solution in fit.solutions:
        moves, seated = influences(fit, solution)
        sat = seated.sum(axis=1)
        sigmas = np.array([fit.ratings[bot].sigma for bot in solution.names])
        parted = len(classes_of(solution.outcomes, solution.names)) > 1
        of_match = least_move(sigmas, matches=len(fit.outcomes), groups=moves.shape[1], sat=np.maximum(sat, 1))
        wide = SIDE * np.maximum(np.sqrt((moves**2).sum(axis=1)), sigmas if parted else 2 * of_match)
        halves.update(
            {bot: float(wide[index]) for index, bot in enumerate(solution.names) if sat[index] >= FEWEST_BLOCKS}
        )
    return halves
