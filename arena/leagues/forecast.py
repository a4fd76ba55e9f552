"""A forecast of the next season of a league: its matches, how long they take, when places settle, who would not play.

New bots are started once, and where nothing is recorded yet a few matches are played on trial, which are not stored.
Prints nothing; knows no option of a command.
"""

from collections.abc import Iterator, Sequence
from time import monotonic

from msgspec import Struct

from arena.errors import NotReadyError
from arena.identity import Identity
from arena.leagues.cup import season_table
from arena.leagues.league import Excluded, League, decide_season, find_unfinished, inside, lacking
from arena.leagues.outlook import count_season, describe_cost, foresee_places
from arena.leagues.publish import rulings
from arena.leagues.season import ask_again
from arena.players import BotFile, Launch
from arena.report import Document, Section, Table, strip_version
from arena.tournament import (
    MATCHES_PER_BOT,
    Contest,
    Decision,
    Manifest,
    OpenRun,
    Pace,
    Say,
    SettingsMismatch,
    Settlement,
    Standings,
    StartFailure,
    count_lacking,
    list_newcomers,
    measure_pace,
    name_in_run,
    sample_run,
    start_bots,
)
from arena.words import format_duration

PATIENCE = 60.0
"""Seconds in which all new bots start, half of them for builds."""
TRIAL = 10.0
"""Seconds of matches on trial in all games together."""


class SeasonForecast(Struct, frozen=True, kw_only=True):
    """The forecast of the next season in one game."""

    game: str
    run: str
    """Its run folder."""
    matches: int
    seconds: float | None
    """Wall time of playing in all lanes together; None if the season would be refused, or no match was tried."""
    at_least: bool
    """Whether no match of the trial ended in its time, so that it takes longer than ``seconds``."""
    new: tuple[str, ...]
    """Bots that have not played so far: ``pike@2`` is ``pike`` after a change."""
    probation: tuple[Excluded, ...]
    unknown: tuple[str, ...]
    """Bots of which nobody knows whether they start: the time was over."""
    per_bot: int
    """Matches of each bot in a season that all bots play."""
    night: int
    """Matches of all bots in such a season, ..."""
    core_seconds: float | None
    """... and the time of them all on one core."""
    settlement: Settlement
    """When places settle, if all bots play each night."""
    seats: int
    """The most at a table: so many jobs play at night."""


def foresee_season(session: OpenRun, league: League, say: Say) -> Document:
    """How many matches the next season has in each game, how long they take, when places settle, which bots are new.

    New bots are started once, in the first of their games. Where the season would be refused, ``say`` gets the reason,
    and its time is None.

    Raises:
        NotReadyError: there is no bot to play.
        UsageError, HostError: this machine lacks the level of isolation that is asked for, or fails.
    """
    with session:
        boards = {contest.game.name: _find_board(league, contest) for contest in session.contests}
        trial = _Trial(session, say)
        for contest in session.contests:
            # nothing of it is published
            contest.public = False
            trial.start(contest, played=boards[contest.game.name] is not None)
        planned = [_forecast(trial, league, contest, boards[contest.game.name]) for contest in session.contests]
    return _describe(planned, league)


def _describe(planned: Sequence[SeasonForecast], league: League) -> Document:
    """What people and programs read of the forecasts."""
    rows: list[dict[str, object]] = [
        {
            "game": season.game,
            "matches": season.matches,
            "a bot": season.per_bot,
            "time": "-" if season.seconds is None else f"{'over ' * season.at_least}{format_duration(season.seconds)}",
            "new": ", ".join(season.new) or "-",
            "on probation": ", ".join(excluded.bot for excluded in season.probation) or "-",
            "run": season.run,
        }
        for season in planned
    ]
    table = Table(rows=rows, left_columns=("game", "run"), wide=("new", "on probation"), roomy=("run",))
    notes = [*_note_places(planned, league), *_note_cost(planned, league)]
    return Document(sections=[Section(tables=[table], rows=rows, columns=tuple(rows[0]), notes=notes)], data=planned)


def _note_places(planned: Sequence[SeasonForecast], league: League) -> Iterator[str]:
    for season in planned:
        if season.unknown:
            yield f"{season.game}: nobody knows in {PATIENCE:.0f} s whether these start: {', '.join(season.unknown)}."
        if season.settlement.nights == 0:
            yield f"{season.game}: all places are settled."
            continue
        basis = "if bots differ as they seem to"
        if season.settlement.assumed:
            basis = "if skills spread as the luck of a match does (one beta)"
        until = "" if league.spec.play_until else ' with until = "settled"'
        yield f"{season.game}: places settle{until} {season.settlement}, {basis}."


def _note_cost(planned: Sequence[SeasonForecast], league: League) -> Iterator[str]:
    """What nights cost on GitHub, where the time of a match is known in all games."""
    times = [season.core_seconds for season in planned if season.core_seconds is not None]
    if len(times) == len(planned):
        which = "A night" if league.spec.play_until else "A night in which all bots play"
        yield f"{which}: {describe_cost(max(season.seats for season in planned), sum(times))}."


def _find_board(league: League, contest: Contest) -> Standings | None:
    """The table of what is recorded; None before the first match."""
    board = season_table(league, contest.folder, rulings(league)) if contest.folder.begun() else None
    return board if board is not None and board.leaderboard.matches else None


class _Trial:
    """Bots that are started once, for all games."""

    def __init__(self, session: OpenRun, say: Say) -> None:
        self.session, self.say = session, say
        self.launches: dict[str, Launch] = {}
        self.failures: dict[str, StartFailure] = {}
        self._until = monotonic() + PATIENCE
        self._tried = set[str]()

    def start(self, contest: Contest, *, played: bool) -> None:
        """Start the bots of a contest that are new and, if it has not played, those that play on trial."""
        bots = _list_new(contest) if played else [bot for bot in contest.bots if bot.name not in contest.find_resting()]
        bots = [bot for bot in bots if bot.name not in self._tried]
        self._tried.update(bot.name for bot in bots)
        if bots:
            seconds = max(self._until - monotonic(), 0.0)
            launches, failures = start_bots(self.session, contest, bots, self.say, seconds=seconds)
            self.failures |= failures
            self.launches |= {name: launch for name, launch in launches.items() if name not in failures}


def _list_new(contest: Contest) -> list[BotFile]:
    """The bots of which no match was set up as they are now; those on probation are not tried again."""
    manifest, resting = contest.folder.manifest(), contest.find_resting()
    seated = {name for epoch in manifest.epochs for name in epoch.entrants}
    entrants = name_in_run(manifest, contest.enter_bots(names=[bot.name for bot in contest.bots]))
    return [
        bot
        for bot, entrant in zip(contest.bots, entrants, strict=True)
        if bot.name not in resting and (entrant.name not in seated or entrant.withdrawn)
    ]


def _forecast(trial: _Trial, league: League, contest: Contest, board: Standings | None) -> SeasonForecast:
    folder = contest.folder
    late = [bot.name for bot in contest.bots if bot.name in trial.failures and trial.failures[bot.name].late]
    due: tuple[Contest, Decision] | None = None
    if folder.begun() and not folder.manifest().finished:
        manifest, matches = folder.manifest(), lacking(folder)
        try:
            due = find_unfinished(contest)
        except SettingsMismatch as difference:
            trial.say(str(difference))
    else:
        ask_again(league, contest)
        decision, able = _decide(trial, league, contest)
        manifest, matches = decision.manifest, count_lacking(decision)
        due = (contest, decision) if able else None
    pace = _find_pace(trial, due, board) if due is not None else None
    night = count_season(contest)
    return SeasonForecast(
        game=contest.game.name,
        run=str(folder.path),
        matches=matches,
        seconds=None if pace is None and matches else pace.of(matches) if pace else 0.0,
        at_least=pace is not None and pace.at_least,
        new=tuple(_new(manifest)) if matches and due is not None and due[0] is contest else (),
        probation=tuple(_excluded(league, contest, manifest)),
        unknown=tuple(late),
        per_bot=contest.settings.per_bot or MATCHES_PER_BOT,
        night=night,
        core_seconds=None if pace is None else pace.of(night) * trial.session.lanes.count,
        settlement=foresee_places(league, contest, board),
        seats=max(contest.settings.seats),
    )


def _decide(trial: _Trial, league: League, contest: Contest) -> tuple[Decision, bool]:
    """What the next season is to do, without the bots that cannot start, and whether it can be played."""
    failures = {name: failure for name, failure in trial.failures.items() if not failure.late}
    before = contest.bots
    names = {bot.name for bot in before} & {*failures}
    if league.entries is not None and names:
        league.entries.fall_back(contest, {name: failures[name].why for name in names})
    # an earlier version in its place has started once
    failures = {bot.name: failures[bot.name] for bot in contest.bots if bot.name in failures and bot in before}
    try:
        return decide_season(contest, failures), True
    except (NotReadyError, SettingsMismatch) as error:
        if not failures:
            raise
        trial.say(str(error))
        return decide_season(contest), False


def _find_pace(trial: _Trial, due: tuple[Contest, Decision], board: Standings | None) -> Pace | None:
    """How fast matches are played: as those that are recorded, or else a few on trial; None where no bot starts."""
    lanes = trial.session.lanes
    if board is not None:
        return Pace(seconds=float(board.results.columns.seconds.mean()) / lanes.count)
    run = sample_run(*due, trial.launches)
    return None if run is None else measure_pace(run, lanes, trial.say, longest=TRIAL / len(trial.session.contests))


def _new(manifest: Manifest) -> list[str]:
    return [name for name in list_newcomers(manifest) if Identity.of(name).copy == 1]


def _excluded(league: League, contest: Contest, manifest: Manifest) -> list[Excluded]:
    """Who is on probation in the season that has begun, or would begin."""
    folders = {bot.name: inside(league.folder, bot.folder) for bot in contest.bots}
    by_bot: dict[str, Excluded] = {}
    for entrant in manifest.entrants:
        bot = strip_version(entrant.name)
        if entrant.name in manifest.present and entrant.withdrawn and bot in folders:
            by_bot[bot] = Excluded(bot=bot, folder=folders[bot], why=entrant.withdrawn)
    return [*by_bot.values(), *league.excluded]
