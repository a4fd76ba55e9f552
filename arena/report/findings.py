"""The report of a run: all its figures, and the findings: sentences that follow from the figures by rules.

Knows results and ratings; knows no run and no page.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.ratings import Fit, Looks, Rating, fit_outcomes, spread_of
from arena.ratings.pairwise import Better
from arena.report.ahead import Ahead, finished_ahead_of
from arena.report.leaderboard import settled_places
from arena.report.losses import Highlight, MatchRow, chosen, match_rows
from arena.report.render import Leaderboard, Row, number
from arena.report.seats import EVEN, SeatRow, seat_rows
from arena.report.times import BotFaults, BotTimes, fault_rows, times_of
from arena.report.words import listed, named_or_counted, percent, plural, word
from arena.results.columns import Results
from arena.results.measure import Measure

MARKS = 8
"""Points of the curves of ratings."""
_CURVE = 1e-4
"""How still the table of a point stands (``fit_outcomes``): a curve is drawn a hundred times wider than it is off."""


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
    groups: tuple[frozenset[str], ...] = ()
    """The bots that played, apart where they never met, even through others."""


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
    known: bool = True
    """Whether the run has so many; else it has about so many at most."""
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
        listed=() if ranking is None else match_rows(results),
        chosen=() if ranking is None else chosen(results, ranking, faults, times),
        groups=groups_of(fit),
    )


def groups_of(fit: Fit) -> tuple[frozenset[str], ...]:
    """The bots that played, apart where they never met, even through others."""
    return tuple([frozenset(solution.names) for solution in fit.solutions])


def _history(whole: Fit, bots: Sequence[str]) -> Iterator[Mark]:
    """The ratings of the matches in the order of the schedule, after each eighth of the blocks."""
    order = whole.outcomes.blocks().tolist()
    for end in sorted({-(-len(order) * part // MARKS) for part in range(1, MARKS + 1)}) if order else []:
        fit = whole
        if end < len(order):
            fit = fit_outcomes(whole.outcomes.until(order[end - 1]), bots, still=_CURVE)
        spread, points = spread_of(fit), {}
        for bot in bots:
            mu, by = fit.ratings.get(bot, Rating()).mu, spread.get(bot)
            low, high = (None, None) if by is None else (mu - by, mu + by)
            points[bot] = RatingPoint(mu=mu, low=low, high=high)
        yield Mark(matches=len(fit.outcomes), bots=points)


_BACK = 12


class Trend:
    """By how many places bots have risen since a dozen matches ago or more, which it notes at each look."""

    def __init__(self) -> None:
        self._orders: deque[tuple[int, Sequence[str]]] = deque(maxlen=50)

    def moved(self, matches: int, order: Sequence[str]) -> dict[str, int]:
        """The bots that have moved; ``order`` has all of them from first to last after so many matches."""
        self._orders.append((matches, order))
        before = [then for count, then in self._orders if count <= matches - _BACK]
        places = {bot: place for place, bot in enumerate(before[-1] if before else [])}
        return {bot: places[bot] - place for place, bot in enumerate(order) if places.get(bot, place) != place}


_LONGEST_LIST = 60
"""Characters of places in a heading."""


def lead_in_words(table: Leaderboard) -> list[str]:
    """Two sentences below a headline: how the first bot of the table did, and which places are certain."""
    rows = table.leaderboard
    if not rows or not rows[0].matches:
        return []
    of = plural(rows[0].matches, "match", "matches")
    won = f"won {percent(rows[0].wins, whole=rows[0].matches)} of its {of}"
    scored = f"has the best mean score, {number(rows[0].mean_score, 3)} in {of}"
    return [f"{rows[0].bot} {scored if table.measure.by_score else won}.", f"{board(rows)}."]


def board(rows: Sequence[Row]) -> str:
    """Which places of a leaderboard are certain."""
    if not rows:
        return "No bot competes yet"
    settled = sum(row.settled for row in rows)
    places = settled_places(rows)
    return f"Certain: {places if len(places) <= _LONGEST_LIST else f'{settled} of {len(rows)} places'}"


def duels(ahead: Ahead | None, *, provisional: bool) -> str:
    """How many pairs are told apart."""
    if ahead is None or not ahead.pairs:
        return "No two bots have met yet"
    if provisional:
        return "Which bot is better is told at the end"
    certain = sum(pair.certain != 0 for pair in ahead.pairs)
    if not certain:
        return f"None of {plural(len(ahead.pairs), 'pair')} is told apart yet"
    if certain == len(ahead.pairs):
        return f"All {plural(certain, 'pair')} are told apart" if certain > 1 else "The one pair is told apart"
    return f"{certain:,} of {len(ahead.pairs):,} pairs are told apart"


def growth(history: Sequence[Mark], ahead: Ahead | None, *, provisional: bool, measure: Measure) -> str:
    """Since when the bots that differ at the end have been in this order."""
    if not history or ahead is None:
        return "No ratings yet"
    if measure.by_score:
        return "Ratings go by places; the leaderboard goes by mean scores"
    if provisional:
        return "The order may still change"
    last = history[-1]
    ordered = [pair if pair.certain > 0 else pair.turned for pair in ahead.pairs if pair.certain]
    apart = [(pair.bot, pair.other) for pair in ordered]
    if not apart:
        return "No two bots are told apart yet"
    since = last.matches
    for mark in reversed(history):
        if not all(mark.bots[better].mu > mark.bots[worse].mu for better, worse in apart):
            break
        since = mark.matches
    return f"The certain part of the order has stood since match {since:,} of {last.matches:,}"


def pace(times: Sequence[BotTimes]) -> str:
    """How near the limit the bots came."""
    late = [bot for bot in times if bot.late]
    within = [bot.closest for bot in times if not bot.late and bot.closest is not None]
    longest = max(within, default=0.0)
    most = f"{100 * longest:.0f} % of the limit" + (", which the grace allows" if longest > 1 else "")
    if not late:
        return f"Nobody was late: the longest answer took {most}" if within else "Nobody was asked yet"
    said = named_or_counted([times.bot for times in late], begins=True)
    said += f" answered late {plural(sum(times.late for times in late), 'time')}"
    return f"{said}; all others within {most}" if within else said


def seating(seats: Sequence[SeatRow], *, provisional: bool) -> str:
    """Whether any seat is better than another."""
    if not seats:
        return "No block is whole yet"
    if provisional:
        return "Whether a seat is better is told at the end"
    better, worse = (
        [f"seat {seat.seat}" for seat in seats if seat.uneven and (seat.mean_rank < EVEN) is ahead]
        for ahead in (True, False)
    )
    if not better and not worse:
        return "No seat is certainly better than another"
    parts = ([f"{listed(better)} did better"] if better else []) + ([f"{listed(worse)} did worse"] if worse else [])
    said = " and ".join(parts)
    return f"{said[0].upper()}{said[1:]} than even, for certain"


def faults(rows: Sequence[BotFaults]) -> str:
    """How many faults there were, and of which bots."""
    if not rows:
        return "No faults"
    bots = list(dict.fromkeys(row.bot for row in rows))
    total = sum(row.count for row in rows)
    return f"{plural(total, 'fault')}, {'all ' if len(bots) == 1 and total > 1 else ''}of {named_or_counted(bots)}"


def matches(survey: Survey, replays: int) -> str:
    """Which matches can be watched and searched."""
    played = survey.matches - survey.void
    watched = f"{word(replays)} {'match' if replays == 1 else 'matches'} to watch"
    if len(survey.listed) < played:
        return f"{watched[0].upper()}{watched[1:]}, and a sample of {len(survey.listed):,} from {played:,} to search"
    return f"{watched[0].upper()}{watched[1:]}, and all {played:,} to search"
