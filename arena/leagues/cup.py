"""The final of a league: which bots play it, its runs, and who comes in where.

A final is a run of its own beside those of the league, named after its date; so is each play-off of a tie at a prize.
Prints nothing; knows no option of a command.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from arena.errors import UsageError
from arena.game import Game
from arena.leagues.league import League, moment_of
from arena.report import Final, Finish, Leaderboard, LeaderboardRow, Ruling, leave_out_copies, strip_version
from arena.tournament import (
    Contest,
    LeagueSettings,
    OpenRun,
    RunFolder,
    SettingsMismatch,
    Standings,
    StartedRun,
    check_playable,
    compute_standings,
    make_settings,
    seed_text,
)
from arena.words import plural

_LISTED = 8
"""More bots are only counted."""


def voided(ruled: Sequence[Ruling], run: str) -> set[str]:
    """The ids of the matches of a run, by the name of its folder, that are void by a ruling."""
    return {ruling.match for ruling in ruled if ruling.run == run and ruling.ruling == "void"}


def is_due(league: League) -> bool:
    """Whether the date of the final is over."""
    moment = moment_of(league.spec, "final_date")
    return moment is not None and league.now >= moment


def moves(league: League, table: Leaderboard) -> str:
    """A sentence on who changes the division after the date; only certain places count."""
    rows, spec = leave_out_copies(table.leaderboard), league.spec
    up = [strip_version(row.bot) for row in rows if row.rank_high <= spec.promoted]
    down = [strip_version(row.bot) for row in rows if row.rank_low > len(table.leaderboard) - spec.relegated]
    if table.provisional or not is_due(league) or not (spec.promoted or spec.relegated):
        return ""
    risen = f"{', '.join(up) or 'nobody'} (of {plural(spec.promoted, 'place')})"
    fallen = f"{', '.join(down) or 'nobody'} (of {plural(spec.relegated, 'place')})"
    return f"Promoted: {risen}; relegated: {fallen}. Places that are not certain move nobody."


def finalists(rows: Sequence[LeaderboardRow], places: int) -> list[LeaderboardRow]:
    """Who enters a final of so many places: the first of the table, and whoever is level with the last of them."""
    played = [row for row in rows if row.matches]
    return [row for row in played if row.rank <= played[:places][-1].rank] if played else []


def explain_cut(league: League, table: Leaderboard) -> str:
    """A sentence on who enters the final by a place that is not certain; empty before its date."""
    if league.spec.final_date is None or table.provisional or not is_due(league):
        return ""
    rows, places, by = leave_out_copies(table.leaderboard), league.spec.final_bots, table.measure.name
    entered = finalists(rows, places)
    open_ = [strip_version(row.bot) for row in rows if row.rank_low <= len(entered) < row.rank_high]
    level = f", and {len(entered) - places} more, level with the last of them" if len(entered) > places else ""
    which = ", ".join(open_) if len(open_) <= _LISTED else f"{len(open_)} bots"
    doubt = f" Of {which} it is not certain whether they belong there: the {by} decided." if open_ else ""
    return f"The final takes the first {places} by {by}{level}.{doubt}"


def season_table(league: League, folder: RunFolder, ruled: Sequence[Ruling]) -> Standings:
    """The table of a game of the league, without who is disqualified and what is void by a ruling."""
    return compute_standings(
        folder,
        anchors=league.anchors,
        house=league.host_bots,
        title=f"{league.root.name}/{folder.path.name}",
        without=league.spec.disqualified,
        void=voided(ruled, folder.path.name),
        goes_on=True,
        tables=len(league.games),
    )


def finals_to_play(session: OpenRun, league: League, ruled: Sequence[Ruling]) -> Iterator[StartedRun]:
    """Each final and play-off that is to be played or resumed, its bots started. Play each when you get it.

    The first of each table play the final, once no match of its season is missing.

    Args:
        session: holds the journals.
        league: whose season it is.
        ruled: what its host has ruled.

    Raises:
        UsageError: too few bots are left for a final, or one is no longer what it was when the final began.
        NotReadyError: a bot cannot start.
    """
    if not is_due(league):
        return
    for contest in session.contests:
        if not contest.folder.manifest().finished:
            continue
        for folder, names, how in _runs(league, contest, ruled):
            final = _contest(league, contest, folder, names, how)
            final.play_at(session.walled().level)
            try:
                decision = session.decide(final)
            except SettingsMismatch as difference:
                raise SettingsMismatch(
                    f"{difference}; a final is played by the bots and settings it began with"
                ) from None
            yield session.start_run(final, decision, session.walled(), keep_going=False)


def _runs(
    league: League, contest: Contest, ruled: Sequence[Ruling]
) -> Iterator[tuple[RunFolder, list[str], LeagueSettings]]:
    """Folder, bots and settings of the final, and once it is played of each play-off; not of finished ones."""
    spec, game = league.spec, contest.game
    folder = _folder(league, game)
    if not (folder.begun() and folder.manifest().finished):
        rows = leave_out_copies(season_table(league, contest.folder, ruled).leaderboard.leaderboard)
        best = [strip_version(row.bot) for row in finalists(rows, spec.final_bots)]
        seats = str(contest.settings.seats[0])
        how = replace(_dealt(folder, spec), seats=seats, schedule=spec.final_schedule, matches=spec.final_matches)
        yield folder, _list_entrants(folder) or best, how
    board = _board(folder, ruled)
    place = 1
    for tied in [] if board.leaderboard.provisional else board.order():
        play_off = _play_off(league, game, place, tied, board)
        if play_off is not None and not (play_off.begun() and play_off.manifest().finished):
            seats = str(min(int(board.leaderboard.seats), len(tied)))
            question = "best" if place == spec.prizes else "order"
            how = replace(
                _dealt(play_off, spec), seats=seats, schedule=f"balanced,until={question}", matches=spec.play_off
            )
            yield play_off, tied, how
        place += len(tied)


def _dealt(folder: RunFolder, spec: LeagueSettings) -> LeagueSettings:
    """The settings of a league for a run that decides on prizes: no deal is played twice, if nobody said otherwise."""
    return replace(spec, block=folder.manifest().block if folder.begun() else spec.block or "single")


def _contest(league: League, season: Contest, folder: RunFolder, names: Sequence[str], spec: LeagueSettings) -> Contest:
    bots = {bot.name: bot for bot in season.bots}
    if gone := [name for name in names if name not in bots]:
        raise UsageError(f"{folder.path}: expected {', '.join(gone)} as entered, got others or none: put them back")
    if len(names) < int(str(spec.seats)):
        raise UsageError(f"{folder.path}: expected at least {spec.seats} bots for a final, got {len(names)}")
    seed = seed_text(spec.seed, spec.secret_file)
    config = make_settings(
        spec,
        season.game,
        league.games,
        # no deal of the season is dealt again
        seed=None if seed is None else f"{seed} {folder.path.name}",
        entrants=len(names),
    )
    try:
        check_playable(config, season.game, names)
    except UsageError as error:
        raise UsageError(f"{folder.path}: {error.text}") from None
    return Contest(
        folder=folder,
        game=season.game,
        settings=config,
        bots=[bots[name] for name in names],
        padded=[*names],
        public=True,
    )


def finals(league: League, ruled: Sequence[Ruling]) -> Iterator[tuple[Final, list[Standings]]]:
    """Each final that has begun, as far as it is played, with the tables of its runs."""
    for game in league.games if league.spec.final_date else ():
        folder = _folder(league, game)
        if folder.begun():
            boards = [_board(folder, ruled)]
            finished = not boards[0].leaderboard.provisional
            finishes, undecided = _finishes(league, game, boards, ruled) if finished else ([], False)
            final = Final(
                game=game.name,
                run=folder.path.name,
                schedule=folder.manifest().schedule,
                mirrored=folder.manifest().block == "mirrored",
                prizes=league.spec.prizes,
                finished=finished and not undecided,
                matches=boards[0].leaderboard.matches,
                finishes=tuple(finishes),
                play_offs=tuple([entry.folder.name for entry in boards[1:]]),
            )
            yield final, boards


def _finishes(
    league: League, game: Game, boards: list[Standings], ruled: Sequence[Ruling]
) -> tuple[list[Finish], bool]:
    """Where each bot of a final came in, and whether a play-off is to decide; adds those begun to ``boards``."""
    finishes: list[Finish] = []
    undecided = False
    final = boards[0]
    owners = {entrant.name: league.owner_of(entrant.name, claim=entrant.owner) for entrant in final.entrants}
    reasons = final.reasons()
    place = 1
    for group in final.order():
        parts, why = [group], ""
        if len(group) > 1:
            share = ", and they share its prizes" * (place <= league.spec.prizes)
            why = f"the final leaves places {place} to {place + len(group) - 1} open{share}"
            folder = _play_off(league, game, place, group, final)
            if folder is not None:
                why = "a play-off is to decide"
                boards += [_board(folder, ruled)] * folder.begun()
                if folder.begun() and not boards[-1].leaderboard.provisional:
                    parts, matches = boards[-1].order() or [group], boards[-1].leaderboard.matches
                    open_ = "left them open, and they share their prizes"
                    why = f"a play-off of {plural(matches, 'match')} {'decided' if len(parts) > 1 else open_}"
                else:
                    undecided = True
        for part in parts:
            last = place + len(part) - 1
            finishes += [
                Finish(bot=bot, owner=owners[bot], place=place, last=last, why=why or reasons[bot]) for bot in part
            ]
            place += len(part)
    return finishes, undecided


def _play_off(league: League, game: Game, place: int, tied: Sequence[str], final: Standings) -> RunFolder | None:
    """The folder of the play-off for a place and those behind it, if there is to be one."""
    eligible = league.spec.play_off is not None and len(tied) > 1 and place <= league.spec.prizes
    seats = min(int(final.leaderboard.seats), len(tied))
    return _folder(league, game, place) if eligible and seats in game.seats else None


def _folder(league: League, game: Game, place: int = 0) -> RunFolder:
    """The folder of a final, or of the play-off for a place and those behind it."""
    name = f"{game.name}-final-{str(league.spec.final_date)[:10]}" + (f"-play-off-{place}" if place else "")
    return RunFolder(league.root / name, within=league.within)


def _list_entrants(folder: RunFolder) -> list[str]:
    return [entrant.name for entrant in folder.manifest().entrants] if folder.begun() else []


def _board(folder: RunFolder, ruled: Sequence[Ruling]) -> Standings:
    name = folder.path.name
    return compute_standings(folder, title=f"{folder.path.parent.name}/{name}", void=voided(ruled, name))
