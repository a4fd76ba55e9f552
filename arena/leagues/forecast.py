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
from arena.tournament.plan import rounded
from arena.tournament.resume import Mismatch, continued, newcomers
from arena.tournament.session import Session


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


def forecasts(session: Session, league: League, say: Say) -> list[SeasonForecast]:
    """The forecast of the next season, game by game; ``say`` gets the reason if the season would be refused.

    Raises:
        NotReadyError: there is no bot to play.
        UsageError, HostError: this machine lacks the level that is asked for, or fails.
    """
    with session:
        return [_forecast(session, league, contest, say) for contest in session.contests]


def _forecast(session: Session, league: League, contest: Contest, say: Say) -> SeasonForecast:
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
            matches = _lacking_now(contest)
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


def _try_out(session: Session, contest: Contest, say: Say) -> Pace | None:
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


def _lacking_now(contest: Contest) -> int:
    """The number of missing matches, once it is known which bots start."""
    settings, folder = contest.settings, contest.folder
    if not folder.begun():
        return rounded(settings.matches, settings.seats)
    found = continued(folder.manifest(), settings, contest.game, contest.entrants, contest.retry)
    contest.resumption = found
    return found.manifest.epochs[-1].matches if found.secret is not None else 0


def _taking_part(contest: Contest) -> Sequence[Entrant]:
    """The entrants of the season that has begun, or would begin."""
    if contest.resumption is not None:
        manifest = contest.resumption.manifest
    elif contest.folder.begun():
        manifest = contest.folder.manifest()
    else:
        return contest.entrants
    names = manifest.field or [each.name for each in manifest.entrants]
    return [each for each in manifest.entrants if each.name in names]


def _new(contest: Contest) -> list[str]:
    entrants = [each.name for each in _taking_part(contest) if not each.withdrawn]
    found = entrants if contest.resumption is None else newcomers(contest.resumption.manifest)
    return [name for name in found if Identity.of(name).copy == 1]


def _excluded(league: League, contest: Contest) -> list[Excluded]:
    folders = {bot.name: inside(league.folder, bot.folder) for bot in contest.bots}
    found: dict[str, Excluded] = {}
    for each in _taking_part(contest):
        bot = own_name(each.name)
        if each.withdrawn and bot in folders:
            found[bot] = Excluded(bot=bot, folder=folders[bot], why=each.withdrawn)
    return [*found.values(), *league.excluded]
