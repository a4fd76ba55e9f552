"""A forecast of the next season: how many matches, how long, which bots are new, and which are on probation.

Bots are started and play a few trial matches, which are not stored. Prints nothing and writes nothing.
"""

from collections.abc import Sequence
from time import monotonic

from msgspec import Struct

from arena.errors import NotReadyError
from arena.identity import Identity
from arena.leagues.league import Excluded, League, inside, lacking, take, unfinished
from arena.report.season import own_name
from arena.tournament.contest import Contest, Say
from arena.tournament.estimate import LONGEST, Pace, try_out
from arena.tournament.folder import Entrant
from arena.tournament.open_run import OpenRun
from arena.tournament.plan import playing
from arena.tournament.resume import Mismatch, newcomers


class SeasonForecast(Struct, frozen=True, kw_only=True):
    """The forecast of the next season in one game."""

    game: str
    run: str
    """Its run folder."""
    matches: int
    seconds: float | None
    """Wall time of playing in all lanes together; None if the season would be refused."""
    at_least: bool
    """Whether no match of the trial ended in its time, so that it takes longer than ``seconds``."""
    new: tuple[str, ...]
    """Bots that have not played so far: ``pike@2`` is ``pike`` after a change."""
    probation: tuple[Excluded, ...]


def forecasts(session: OpenRun, league: League, say: Say) -> list[SeasonForecast]:
    """The forecast of the next season, game by game; ``say`` gets the reason if the season would be refused.

    Raises:
        NotReadyError: there is no bot to play.
        UsageError, HostError: this machine lacks the level that is asked for, or fails.
    """
    with session:
        return [_forecast(session, league, contest, say) for contest in session.contests]


def _forecast(session: OpenRun, league: League, contest: Contest, say: Say) -> SeasonForecast:
    folder = contest.folder
    playing: Contest | None = contest
    if folder.begun() and not folder.manifest().finished:
        matches = lacking(folder)
        try:
            playing = unfinished(contest)
        except Mismatch as difference:
            say(str(difference))
            playing = None
    else:
        matches = take(contest)
    pace: Pace | None = Pace(seconds=0.0)
    if matches:
        pace = _try_out(session, playing, say) if playing is not None else None
        if playing is contest:
            # by now it is known which bots start
            contest.agree()
            matches = contest.lacking
    return SeasonForecast(
        game=contest.game.name,
        run=str(folder.path),
        matches=matches,
        seconds=None if pace is None else pace.of(matches),
        at_least=pace is not None and pace.at_least,
        new=tuple(_new(contest)) if matches and playing is contest else (),
        probation=tuple(_excluded(league, contest)),
    )


class _TooLong(Exception):
    """The bots take too long to start."""


def _try_out(session: OpenRun, contest: Contest, say: Say) -> Pace | None:
    """How fast the bots play, if enough of them start; they are waited for as long as for the trial."""
    until = monotonic() + LONGEST

    def say_in_time(text: str) -> None:
        if monotonic() > until:
            raise _TooLong
        say(text)

    try:
        session.start_one(contest, session.house, keep_going=True, say=say_in_time)
    except NotReadyError as error:
        say(str(error))
        return None
    except _TooLong:
        # some bots are still being built or greeted: later work gets new lanes
        session.lanes.dismiss()
        say(f"{contest.game.name}: not all bots start within {LONGEST:.0f} s: nothing is known yet of the others")
        return Pace(seconds=LONGEST, at_least=True)
    return try_out(contest, session.lanes, say)


def _taking_part(contest: Contest) -> Sequence[Entrant]:
    """The entrants of the season that has begun, or would begin."""
    if contest.known is None and not contest.folder.begun():
        return contest.entrants
    manifest = contest.known or contest.manifest
    return [entrant for entrant in manifest.entrants if entrant.name in manifest.present]


def _new(contest: Contest) -> list[str]:
    names = playing(_taking_part(contest)) if contest.known is None else newcomers(contest.known)
    return [name for name in names if Identity.of(name).copy == 1]


def _excluded(league: League, contest: Contest) -> list[Excluded]:
    folders = {bot.name: inside(league.folder, bot.folder) for bot in contest.bots}
    by_bot: dict[str, Excluded] = {}
    for entrant in _taking_part(contest):
        bot = own_name(entrant.name)
        if entrant.withdrawn and bot in folders:
            by_bot[bot] = Excluded(bot=bot, folder=folders[bot], why=entrant.withdrawn)
    return [*by_bot.values(), *league.excluded]
