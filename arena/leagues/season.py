"""A season: the missing matches of a league for new or changed bots, game by game.

Prints nothing; knows no option of a command.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from arena.errors import NotReadyError
from arena.leagues.cup import finals_to_play, is_due, season_table
from arena.leagues.league import (
    League,
    contest_of,
    decide_season,
    find_unfinished,
    lacking,
    league_at,
    list_outdated,
)
from arena.leagues.outlook import are_settled
from arena.leagues.publish import publish, rulings
from arena.players import HostPolicy
from arena.report import Season
from arena.tournament import (
    SETTINGS_FILE,
    Contest,
    Decision,
    Entrant,
    OpenRun,
    Resume,
    RunFolder,
    SettingsMismatch,
    StartedRun,
    Watcher,
    count_lacking,
    find_isolation_level,
    set_up,
    write_standings,
)
from arena.tournament import give_up_run as end_early
from arena.words import plural

_LOG = logging.getLogger("arena")

Stage: TypeAlias = tuple[tuple[Contest, Resume] | None, Contest]
"""A game of the season: first the season that is not finished, if there is one, then the new one."""


def stages(session: OpenRun, say: Callable[[str], None], *, give_up: bool) -> list[Stage]:
    """The games of the season with their journals held.

    With ``give_up`` the rest of an unfinished season is given up whose bots or rules are no longer what they were.

    Raises:
        UsageError: settings, rules or bots are no longer what they were, and nothing is to be given up.
    """
    return [_stage(session, contest, say, give_up=give_up) for contest in session.contests]


def _stage(session: OpenRun, contest: Contest, say: Callable[[str], None], *, give_up: bool) -> Stage:
    for folder in list_outdated(contest):
        if not give_up:
            then, now = folder.manifest().game_version, contest.game.version
            raise SettingsMismatch(
                f"{folder.path}: expected version {then} of {contest.game.name}, because the season is not finished, "
                f"got {now}: finish it with the arena that began it, or give the rest of it up with "
                "`arena season --give-up`"
            )
        with folder.hold():
            say(_give_up(folder))
    if contest.folder.begun():
        session.hold(contest)
    try:
        return find_unfinished(contest), contest
    except SettingsMismatch:
        if not give_up:
            raise
    say(_give_up(contest.folder))
    return None, contest


def give_up_rest(contests: Sequence[Contest]) -> list[str]:
    """Give up the rest of each of these seasons that is not finished, and reveal its secrets; returns a remark on each.

    All of them have begun.

    Raises:
        LockedError: one of them is being played; then none is given up.
        DamagedError: the secret of one is not there.
    """
    begun = [contest for contest in contests if not contest.folder.manifest().finished]
    with ExitStack() as stack:
        # a secret that is revealed while matches are played tells bots their deals
        for contest in begun:
            stack.enter_context(contest.folder.hold())
        # whoever held a journal until now may have finished its season
        rest = [contest for contest in begun if not contest.folder.manifest().finished]
        return [_give_up(contest.folder) for contest in rest]


def _give_up(folder: RunFolder) -> str:
    """Give up the rest of a season that cannot be finished; a remark on it."""
    matches = len(end_early(folder).epochs[-1].given_up)
    return f"{folder.path}: {plural(matches, 'match is', 'matches are')} given up"


def to_play(session: OpenRun, league: League, due: Sequence[Stage], *, plan_only: bool) -> Iterator[StartedRun]:
    """Each run with missing matches, its bots started. The others are set up. Play each run when you get it.

    Where a bot cannot start, its version before that plays; without one it is on probation. Who plays is written into
    the roster. With ``plan_only`` all is set up and nothing is to be played.

    Raises:
        UsageError, HostError: this machine lacks the level that is asked for, or fails.
    """
    for begun, contest in due:
        if begun is None:
            ask_again(league, contest)
    playing = any(begun is not None or _owes(session, contest, decide_season(contest)) for begun, contest in due)
    policy = session.walled() if playing else HostPolicy(find_isolation_level(session.choice))
    if league.entries is not None:
        league.entries.keep()
    for begun, contest in due:
        if begun is not None and plan_only:
            continue
        if begun is not None:
            yield session.start_run(*begun, policy, keep_going=True)
            if not contest.folder.manifest().finished:
                # void matches are played again before there is more to play
                continue
        contest.play_at(policy.level)
        run, decision = None, decide_season(contest)
        while run is None and _owes(session, contest, decision):
            run = _try_to_start(session, league, contest, decision, policy)
            decision = decide_season(contest) if run is None else run.decision
        if run is not None and not plan_only:
            yield run
            continue
        contest.folder.make()
        set_up(decision, contest.folder)


def ask_again(league: League, contest: Contest) -> None:
    """Have all bots of a contest play as often again, if the league plays until places are settled and they are not."""
    if league.spec.play_until and contest.folder.begun() and not is_due(league):
        board = season_table(league, contest.folder, rulings(league))
        contest.settings = replace(contest.settings, again=not are_settled(league, contest, board))


def _try_to_start(
    session: OpenRun, league: League, contest: Contest, decision: Decision, policy: HostPolicy
) -> StartedRun | None:
    """The run with its bots started; None if earlier versions have taken the place of bots that could not start."""
    try:
        run = session.start_run(contest, decision, policy, keep_going=True)
    except NotReadyError as error:
        if league.entries is None or not league.entries.fall_back(contest, error.bots):
            raise
        run = None
    if run is not None and not _fall_back(league, contest, run.entrants):
        return run
    if league.entries is not None:
        league.entries.keep()
    return None


def _fall_back(league: League, contest: Contest, entrants: Sequence[Entrant]) -> bool:
    """Whether earlier versions have taken the place of bots that could not start now."""
    resting = contest.find_resting()
    failures = {entrant.name: entrant.withdrawn for entrant in entrants if entrant.withdrawn}
    tried = {name: why for name, why in failures.items() if name not in resting}
    return league.entries is not None and league.entries.fall_back(contest, tried)


def _owes(session: OpenRun, contest: Contest, decision: Decision) -> bool:
    """Whether there is anything to play."""
    if count_lacking(decision):
        return True
    # a journal that was cut short lacks matches of its manifest
    return contest.folder.begun() and session.hold(contest).count < contest.folder.manifest().matches


def lacks(contests: Sequence[Contest]) -> list[dict[str, object]]:
    """How many matches of the season each game is missing, its run folder, and the most seats at its tables."""
    return [
        {
            "game": contest.game.name,
            "run": str(contest.folder.path),
            "seats": max(contest.settings.seats),
            "matches": lacking(contest.folder),
        }
        for contest in contests
    ]


def play_season(folder: str | Path, *, retry: Iterable[str] = (), give_up: bool = False, trust: bool = False) -> Season:
    """Play the missing matches of a league for new or changed bots, and write its tables, badges and history.

    Args:
        folder: of its ``arena.toml``.
        retry: bots on probation that are to be tried again.
        give_up: whether to give up the rest of a season whose bots are no longer what they were.
        trust: whether to trust all settings of the file from now on.

    Raises:
        UsageError, BotError, HostError, DamagedError, LockedError: it cannot be played.
    """
    again = list(retry)
    league = league_at(str(Path(folder, SETTINGS_FILE)), _LOG.warning, trust=trust, retry=again)
    contests = [contest_of(league, game, again) for game in league.games]
    session = OpenRun(league.spec, contests, league.root, _LOG.info)
    session.resolve_isolation()
    with session:
        for run in to_play(session, league, stages(session, _LOG.info, give_up=give_up), plan_only=False):
            deque(session.matches_of(run, Watcher()), maxlen=0)
            write_standings(run.folder)
        session.lanes.dismiss()
        season, played = publish(league, contests, _LOG.warning), False
        for final in finals_to_play(session, league, rulings(league)):
            played = True
            deque(session.matches_of(final, Watcher()), maxlen=0)
            write_standings(final.folder)
        return publish(league, contests, _LOG.warning) if played else season
