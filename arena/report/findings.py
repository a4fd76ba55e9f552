"""The report of a run: all its figures, and the findings: sentences that follow from the figures by rules.

Knows results and ratings; knows no run and no page.
"""

from collections.abc import Iterator, Sequence
from math import inf
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.ratings import Fit, Rating, fit_outcomes, spread_of
from arena.report.ahead import Ahead, finished_ahead_of
from arena.report.bracket import Bracket, BracketStage
from arena.report.highlights import Highlight, MatchRow, match_rows, pick_highlights
from arena.report.leaderboard import settled_places
from arena.report.render import Leaderboard, LeaderboardRow, number
from arena.report.seats import EVEN, SeatRow, seat_rows
from arena.report.times import BotFaults, BotTimes, fault_rows, times_of
from arena.results.columns import Results
from arena.results.measure import Measure
from arena.words import agreeing, every, listed, named_or_counted, percent, plural, word

MARKS = 8
"""Points of the curves of ratings."""
_CURVE = 1e-4
"""How still the table of a point stands (``fit_outcomes``): a curve is drawn a hundred times wider than it is off."""


class RatingPoint(Struct, frozen=True, kw_only=True):
    """A bot after a number of matches."""

    mean: float
    """mu, or the mean score."""
    low: float | None
    """With 95 % confidence; None if it had sat in too few blocks."""
    high: float | None


class Mark(Struct, frozen=True, kw_only=True):
    """What ranks bots after a number of matches, in the order of the schedule and in whole blocks."""

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
    highlights: tuple[Highlight, ...]
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
    exact: bool = True
    """Whether the run has so many; else it has about so many at most."""
    decisions: float | None = None
    """Decisions a second, recently; None if none was made recently."""
    eta: float | None = None
    """Seconds to the end at this pace."""
    stage: BracketStage | None = None
    """Of a format that pairs by results, what is being played."""
    trouble: str = ""
    """What is wrong with the folder, in printable ASCII."""


def survey_results(
    results: Results,
    fit: Fit,
    table: Leaderboard,
    *,
    limit: int,
    listed: bool = True,
    before: Sequence[Mark] = (),
) -> Survey:
    """The figures of a run, from its results, the ratings that were fitted to them, and its leaderboard.

    ``limit`` is in milliseconds for a decision; ``listed`` tells whether matches are listed and chosen; ``before`` are
    marks of the history of a run that goes on: where there are some, only the last one is fitted.

    Raises:
        arena.ratings.NotConverged: the ratings do not converge.
    """
    times = tuple(times_of(results, results.bots, limit))
    faults = tuple(fault_rows(results, results.bots))
    ranking = [row.bot for row in table.leaderboard or table.table_rows]
    return Survey(
        matches=len(results.columns.line),
        void=results.voids,
        blocks=len(fit.outcomes.blocks()),
        ahead=finished_ahead_of(results, fit, table) if len(fit.outcomes) else None,
        history=(*before, *_history(results, fit, table.measure, parts=1 if before else MARKS)),
        times=times,
        seats=tuple(seat_rows(results, table.game, table.looks)[0]),
        faults=faults,
        listed=match_rows(results) if listed else (),
        highlights=pick_highlights(results, ranking, faults, times, _finalists(table)) if listed else (),
        groups=tuple([frozenset(solution.names) for solution in fit.solutions]),
    )


def _finalists(table: Leaderboard) -> list[str]:
    """Who sat at the last table of a cup."""
    stages = table.bracket.stages if isinstance(table.bracket, Bracket) else ()
    last = stages[-1].tables if stages else ()
    return [seat.bot for seat in last[0].bots] if len(last) == 1 else []


def _history(results: Results, full_fit: Fit, measure: Measure, *, parts: int) -> Iterator[Mark]:
    """The values of the matches in the order of the schedule, after each of so many equal parts of the blocks."""
    order, bots = full_fit.outcomes.blocks().tolist(), results.bots
    for end in sorted({-(-len(order) * part // parts) for part in range(1, parts + 1)}) if order else []:
        outcomes = full_fit.outcomes.until(order[end - 1])
        if scores := results.mean_scores(measure, nights=outcomes.nights, until=order[end - 1]):
            means = scores.by_bot
            ends = {bot: interval for bot in means if (interval := scores.interval(bot))}
        else:
            fit = full_fit if end == len(order) else fit_outcomes(outcomes, bots, still=_CURVE)
            means, spread = {bot: fit.ratings.get(bot, Rating()).mu for bot in bots}, spread_of(fit)
            ends = {bot: (means[bot] - by, means[bot] + by) for bot, by in spread.items()}
        points = {
            bot: RatingPoint(mean=mean, low=low, high=high)
            for bot, mean in means.items()
            for low, high in [ends.get(bot, (None, None))]
        }
        yield Mark(matches=len(outcomes), bots=points)


_LONGEST_LIST = 60
"""Characters of places in a heading."""


def lead_in_words(table: Leaderboard) -> list[str]:
    """Two sentences below a headline: how the first bot of the table did, and which places are certain."""
    rows = table.leaderboard
    if not rows or not rows[0].matches:
        return []
    of = plural(rows[0].matches, "match")
    won = f"won {percent(rows[0].wins, total=rows[0].matches)} of its {of}"
    scored = f"has the best mean score, {number(rows[0].mean_score, 3)} in {of}"
    return [f"{rows[0].bot} {scored if table.measure.by_score else won}.", f"{board(rows)}."]


def board(rows: Sequence[LeaderboardRow]) -> str:
    """Which places of a leaderboard are certain."""
    if not rows:
        return "No bot competes yet"
    settled = sum(row.settled for row in rows)
    places = settled_places(rows)
    count = f"{settled} of {plural(len(rows), 'place')}"
    return f"Certain: {places if len(places) <= _LONGEST_LIST else count}"


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
        return f"{every(certain, 'pair is', 'pairs are').capitalize()} told apart"
    return f"{certain:,} of {plural(len(ahead.pairs), 'pair')} {agreeing(certain, 'is', 'are')} told apart"


def growth(history: Sequence[Mark], ahead: Ahead | None, *, provisional: bool, measure: Measure) -> str:
    """Since when the bots that differ at the end have been in this order."""
    if not history or ahead is None:
        return f"No {measure.name}s yet"
    if provisional:
        return "The order may still change"
    last = history[-1]
    ordered = [pair if pair.certain > 0 else pair.turned for pair in ahead.pairs if pair.certain]
    apart = [(pair.bot, pair.other) for pair in ordered]
    if not apart:
        return "No two bots are told apart yet"
    since = last.matches
    for mark in reversed(history):
        means = {bot: point.mean for bot, point in mark.bots.items()}
        if not all(means.get(better, -inf) > means.get(worse, inf) for better, worse in apart):
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
    finding = named_or_counted([times.bot for times in late], begins=True)
    finding += f" answered late {plural(sum(times.late for times in late), 'time')}"
    return f"{finding}; all others within {most}" if within else finding


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
    finding = " and ".join(parts)
    return f"{finding[0].upper()}{finding[1:]} than even, for certain"


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
    watched = f"{word(replays).capitalize()} {agreeing(replays, 'match')} to watch"
    if len(survey.listed) < played:
        return f"{watched}, and a sample of {len(survey.listed):,} from {played:,} to search"
    return f"{watched}, and all {played:,} to search"
