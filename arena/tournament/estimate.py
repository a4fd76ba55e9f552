"""An estimate of a run before it is played: how many matches, how even, and how long, from a few trial matches.

As data and as text. Prints nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic

from msgspec import Struct
from msgspec.structs import asdict, replace

from arena.formats.forecast import SPREAD, Forecast, Recommended, blocks_of, forecasts, recommended
from arena.formats.registry import read_schedule
from arena.formats.schedule import Audit, blocks_for
from arena.players.botfile import BotFile
from arena.players.launch import Launch
from arena.record import decode
from arena.report.document import Document, Section, Table
from arena.tournament.contest import Contest, Say, StartedRun
from arena.tournament.decision import Begin, Decision, Extend, map_names
from arena.tournament.folder import BALANCED
from arena.tournament.lane_messages import MatchOver
from arena.tournament.lanes import Lanes
from arena.tournament.open_run import OpenRun
from arena.tournament.plan import Settings, audits, first_manifest, pad_entrants, schedule
from arena.tournament.remaining import Remaining
from arena.tournament.roster import StartFailure, original, start
from arena.tournament.secrets import Secret
from arena.words import format_duration, plural

LONGEST_TRIAL = 60.0
"""Seconds after which a trial ends, however slow the bots are."""
_TRIAL = 8
"""Blocks of a trial."""
_SAMPLE = 8
"""Bots that play for all others of a league."""
_STARTS = 2
"""Bots that are built or greeted at once for each lane: most of them wait, and none is timed."""
_LEAST = 1e-6
"""The least seconds of a match, for a clock may show 0."""
_LEGEND = (
    "best: how often the best of simulated bots came first; order: the rank correlation of the order with the true "
    f"one. Assumed are {SPREAD}. Of bots closer together each format finds less, and takes longer."
)
SAID_EVERY = 5.0
"""Seconds between two remarks on the trial's progress."""


class Pace(Struct, frozen=True, kw_only=True):
    """How fast matches are played."""

    seconds: float
    """Wall time of a match, where all lanes play at once."""
    at_least: bool = False
    """Whether no match of the trial ended in its time, so that a match takes longer than this."""

    def of(self, matches: int) -> float:
        """Seconds of so many matches."""
        return round(self.seconds * matches, 1)


class Estimate(Struct, frozen=True, kw_only=True):
    """The plan of one game at one number of seats, before it is played."""

    seats: int
    audit: Audit | None
    """How even it is; None for a format whose rounds depend on results."""
    matches: int
    """For a format whose rounds depend on results, about this many at most."""
    fewest: int
    """Such a format takes about this many at least."""


class Outlook(Struct, frozen=True, kw_only=True):
    """The plan of one game, and the matches that other formats would take."""

    game: str
    schedule: str
    bots: int
    pace: Pace
    planned: tuple[Estimate, ...]
    """By seat count."""
    formats: tuple[Forecast, ...]
    """What each format would take for an answer that can be relied on, at the greatest number of seats."""
    seats: int

    def within(self, seconds: float) -> Recommended:
        """The matches to play within a time."""
        return recommended(self.bots, seats=self.seats, matches=int(seconds / self.pace.seconds))


class _Enough(Exception):
    """The trial has lasted long enough."""


def outlook(run: StartedRun, lanes: Lanes, say: Say) -> Outlook | None:
    """The plan of a run; None if nothing is left to plan. Plays the trial of ``measure_pace``."""
    if not isinstance(run.decision, Begin | Extend):
        return None
    settings, bots = run.contest.settings, sum(not entrant.withdrawn for entrant in run.entrants)
    return Outlook(
        game=run.contest.game.name,
        schedule=settings.schedule,
        bots=bots,
        pace=measure_pace(run, lanes, say),
        planned=tuple(_planned(settings, run.decision, bots)),
        formats=tuple(forecasts(bots, seats=max(settings.seats))),
        seats=max(settings.seats),
    )


def _planned(settings: Settings, decision: Begin | Extend, bots: int) -> Iterator[Estimate]:
    if not settings.drawn_whole:
        (seats,) = settings.seats
        blocks = blocks_for(settings.matches, seats=seats)
        fewest, most = blocks_of(read_schedule(settings.schedule), bots=bots, seats=seats, blocks=blocks)
        yield Estimate(seats=seats, audit=None, matches=most * seats, fewest=fewest * seats)
        return
    manifest = decision.manifest
    for count, audit in audits(manifest, schedule(manifest, manifest.epochs[-1], decision.secret)).items():
        yield Estimate(seats=int(count), audit=audit, matches=audit.matches, fewest=audit.matches)


def start_bots(
    session: OpenRun, contest: Contest, bots: Sequence[BotFile], say: Say, *, seconds: float
) -> tuple[dict[str, Launch], dict[str, StartFailure]]:
    """Build, start and greet some bots of a contest in so many seconds: how they are started, and which cannot be."""
    lanes = session.lanes
    count, lanes.count = lanes.count, lanes.count * _STARTS
    try:
        return start(lanes, contest.settings, contest.game, bots, session.walled(), say, seconds=seconds)
    finally:
        # some bots may still be greeted, and matches are not played in so many lanes
        lanes.dismiss()
        lanes.count = count


def sample_run(contest: Contest, decision: Decision, launches: Mapping[str, Launch]) -> StartedRun | None:
    """A run of the bots of a contest that are started, ``_SAMPLE`` at most, and their copies; None if none is."""
    seats = max(contest.settings.seats)
    bots = [bot.name for bot in contest.bots if bot.name in launches][: max(_SAMPLE, seats)]
    if not bots:
        return None
    entrants = contest.enter_bots(names=pad_entrants(bots, seats))
    names = map_names(decision, entrants)
    started = {names[entrant.name]: launches[original(entrant.name, bots)] for entrant in entrants}
    return StartedRun(contest=contest, decision=decision, entrants=entrants, launches=started, local_bots={})


def measure_pace(run: StartedRun, lanes: Lanes, say: Say, *, longest: float = LONGEST_TRIAL) -> Pace:
    """How fast the bots of a run play.

    A few matches are played on trial, for ``longest`` seconds at most, and nothing is kept of them.
    """
    contest, names, secret = run.contest, run.names, Secret.fresh()
    settings = contest.settings
    # a bot that was withdrawn in an earlier season is not started again
    started = [bot for bot in run.entrants if not bot.withdrawn and names[bot.name] in run.launches]
    players = [replace(bot, name=names[bot.name]) for bot in started]
    sample = min(settings.matches, _TRIAL * max(settings.seats))
    trial = first_manifest(replace(settings, matches=sample, schedule=BALANCED), contest.game, players, secret)
    played: dict[str, float] = {}
    began = told = monotonic()

    def tick() -> None:
        nonlocal told
        now = monotonic()
        if now - began > longest:
            raise _Enough
        if now - told > SAID_EVERY:
            told = now
            say(f"{contest.game.name} on trial: {plural(len(played), 'match')} in {now - began:.0f} s")

    try:
        # a match that ends its lane has no time
        for _, message in lanes.messages(Remaining(trial, {0: secret}, run.launches, played), lambda _: None, tick):
            if isinstance(message, MatchOver):
                record = decode(bytes(message.record))
                played[record.id] = record.seconds
    except _Enough:
        # the lanes are still playing: the next trial gets new lanes
        lanes.dismiss()
    if not played:
        return Pace(seconds=longest / lanes.count, at_least=True)
    return Pace(seconds=max(sum(played.values()) / len(played) / lanes.count, _LEAST))


def estimates(session: OpenRun, say: Say, *, within: float | None, formats: bool) -> Document:
    """The plan of a run.

    Args:
        session: which is open, its bots started.
        say: is told how trials go.
        within: seconds for which a format is to be recommended.
        formats: whether to tell what other formats would take.
    """
    outlooks = [plan for run in session.ready if (plan := outlook(run, session.lanes, say)) is not None]
    planned = [_row(estimate, plan) for plan in outlooks for estimate in plan.planned]
    sections = [Section(tables=[_table(planned)], rows=planned, columns=tuple(planned[0]))] if planned else []
    # programs read one table of CSV, not several
    comparisons = outlooks if formats else []
    if rows := [row for plan in comparisons for row in _format_rows(plan)]:
        sections += [Section(tables=[_table(rows)]), Section(notes=[_LEGEND])]
    sections += [Section(notes=[_recommended(plan, within)]) for plan in comparisons if within is not None]
    return Document(
        sections=sections, data=[row for plan in outlooks for row in _values(plan, within, formats=formats)]
    )


def _table(rows: list[dict[str, object]]) -> Table:
    return Table(rows=rows, left_columns=tuple(rows[0]))


def _row(estimate: Estimate, plan: Outlook) -> dict[str, object]:
    audit = estimate.audit
    row: dict[str, object] = {"game": plan.game, "seats": estimate.seats}
    time = f"{'over ' if plan.pace.at_least else ''}{format_duration(plan.pace.of(estimate.matches))}"
    if audit is None:
        return row | {"schedule": plan.schedule, "matches": _range(estimate.fewest, estimate.matches), "time": time}
    row |= {"blocks": audit.blocks, "matches": audit.matches, "time": time}
    by_bot, by_pair = f"{audit.fewest}-{audit.most}", f"{audit.fewest_meetings}-{audit.most_meetings}"
    return row | {"by bot": by_bot, "by pair": by_pair}


def _range(fewest: int, most: int) -> str:
    return str(most) if fewest == most else f"{fewest}-{most}"


def _format_rows(plan: Outlook) -> list[dict[str, object]]:
    return [
        {
            "game": plan.game,
            "format": candidate.schedule,
            "matches": _range(candidate.fewest * plan.seats, candidate.blocks * plan.seats),
            "time": format_duration(candidate.blocks * plan.seats * plan.pace.seconds),
            "best": "-" if candidate.best is None else f"{100 * candidate.best:.0f} %",
            "order": "-" if candidate.order is None else f"{candidate.order:.2f}",
            "tells": candidate.tells,
        }
        for candidate in plan.formats
    ]


def _recommended(plan: Outlook, within: float) -> str:
    fitting = plan.within(within)
    game, time = plan.game, format_duration(within)
    if not fitting.schedule:
        least = format_duration(fitting.matches * plan.pace.seconds)
        return f"{game}: {time} is too short for {plural(plan.bots, 'bot')}: the least takes {least}"
    options = "" if fitting.schedule == BALANCED else f"--schedule {fitting.schedule} "
    return f"{game}: for {plural(plan.bots, 'bot')} in {time}: {options}-n {fitting.matches}"


def _values(plan: Outlook, within: float | None, *, formats: bool) -> list[dict[str, object]]:
    """As JSON has it, a value a number of seats; what other formats take is the same at each."""
    more: dict[str, object] = {}
    if formats:
        more["formats"] = [
            {
                "schedule": candidate.schedule,
                "least": candidate.fewest * plan.seats,
                "matches": candidate.blocks * plan.seats,
                "seconds": plan.pace.of(candidate.blocks * plan.seats),
                "tells": candidate.tells,
                "best": candidate.best,
                "order": candidate.order,
            }
            for candidate in plan.formats
        ]
        more["assumed"] = SPREAD
        if within is not None:
            more["recommended"] = asdict(plan.within(within))
    rows = []
    for estimate in plan.planned:
        row: dict[str, object] = {"game": plan.game, "seats": estimate.seats, "schedule": plan.schedule}
        row |= {"least": estimate.fewest, "matches": estimate.matches}
        row |= {"seconds": plan.pace.of(estimate.matches), "at_least": plan.pace.at_least}
        if (audit := estimate.audit) is not None:
            row |= {"blocks": audit.blocks, "fewest": audit.fewest, "most": audit.most}
            row |= {"fewest_meetings": audit.fewest_meetings, "most_meetings": audit.most_meetings}
        rows.append(row | more)
    return rows
