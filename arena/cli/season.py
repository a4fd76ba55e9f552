"""``arena season``: play what a league lacks, and write its tables, badges and history anew."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from arena.cli.config import FILE, ConfigFile, in_words_of, no_bots
from arena.cli.contest import Contest, as_before, at, make, play, start, told_how_to_go_on
from arena.cli.failure import TROUBLE, Usage
from arena.cli.isolation import Asked, BuildNetwork, Isolation, Readable, level_of, settled
from arena.cli.league import League, contest_of, given_up, lacking, league_at, take, unfinished
from arena.cli.options import Format, Formatted, Json, LaneCount, Quiet, remark
from arena.cli.standings import write_standings
from arena.cli.written import written
from arena.players.botfile import FILE as BOT_FILE
from arena.players.botfile import nearest, on_one_line
from arena.players.walls import House
from arena.report.season import printed
from arena.report.tables import table
from arena.tournament import cores
from arena.tournament.continuing import Mismatch
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.run import set_up


class _Stage(Struct):
    """A game of the season: first what was begun before, then what is lacking now."""

    contest: Contest
    begun: Contest | None


def season(
    config: ConfigFile = None,
    lanes: LaneCount = None,
    retry: Annotated[
        list[str] | None,
        typer.Option(
            "--retry", metavar="BOT", help="Try a bot on probation again; may be repeated.", show_default=False
        ),
    ] = None,
    give_up: Annotated[
        bool,
        typer.Option("--give-up", help="Give up the rest of a season whose bots are no longer what they were."),
    ] = False,
    plan_only: Annotated[
        bool,
        typer.Option("--plan-only", help="Set up what is lacking, play nothing: `arena run --plan` plays it."),
    ] = False,
    tables_only: Annotated[
        bool, typer.Option("--tables-only", help="Start no bot: only write what the results give.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what is lacking.")] = False,
    isolation: Isolation = Asked.auto,
    build_network: BuildNetwork = False,
    readable: Readable = None,
    format_: Formatted = Format.table,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play what a league lacks for new or changed bots, and write its leaderboard.

    A bot that cannot start is on probation, and stops nobody else.

    Example: arena season --retry minnow
    """
    form = Format.json if json else format_
    league = league_at(config)
    names = [*[bot.name for bot in league.bots], *[bot.name for bot in league.unread]]
    for name in retry or []:
        if name not in names:
            raise Usage(f"--retry: expected a bot of the league, got {name!r}{nearest(name, names)}")
    _tell_left_out(league, quiet=quiet)
    with in_words_of(Path(config or FILE)):
        contests = [contest_of(league, game, retry or [], "none") for game in league.games]
    asked = as_before(isolation, contests)
    for contest in contests:
        at(contest, level_of(asked))
    if dry_run:
        _tell_stuck(contests, quiet=quiet)
        _print_lacking(contests, form, planned=False)
        return
    if tables_only:
        typer.echo(printed(written(league, contests), form.value), nl=False)
        return
    voids = 0
    with ExitStack() as held:
        with Lanes(lanes or cores.lanes()) as crew:
            # whatever can be wrong is found before the first match of the first game
            stages = [_stage(contest, held, give_up=give_up, quiet=quiet) for contest in contests]
            walls = House(level_of(asked))
            playing = [stage for stage in stages if stage.begun is not None or _owes(stage.contest)]
            if playing:
                secret = [league.root]
                walls = settled(
                    asked, crew, secret=secret, readable=readable or [], build_network=build_network, quiet=quiet
                )
            for stage in stages:
                if stage.begun is not None and plan_only:
                    continue
                if stage.begun is not None:
                    _play(stage.begun, held, crew, walls, quiet=quiet)
                at(stage.contest, walls.level)
                if _owes(stage.contest) and not plan_only:
                    voids += _play(stage.contest, held, crew, walls, quiet=quiet)
                else:
                    _set_up(stage.contest, crew, walls, quiet=quiet)
        if plan_only:
            _print_lacking(contests, form, planned=True)
            return
        # the journals are still held: the next season does not play while this one is told of
        typer.echo(printed(written(league, contests), form.value), nl=False)
    if voids:
        remark(f"arena: {voids} matches are void and unrated: see `arena matches RUN --void`")
        raise typer.Exit(TROUBLE)


def _tell_left_out(league: League, *, quiet: bool) -> None:
    """Say which folders hold no bot, and which bots cannot be entered."""
    for path in no_bots(league.config.bots, league.folder):
        remark(f"arena: no bot: {on_one_line(path)}: expected a {BOT_FILE}, got none", quiet=quiet)
    for bot in league.unread:
        remark(f"arena: on probation: {bot.name}: {bot.why}", quiet=quiet)


def _stage(contest: Contest, held: ExitStack, *, give_up: bool, quiet: bool) -> _Stage:
    """A game with its journal held, after its unfinished season has been given up if that is asked for and needed."""
    if contest.folder.begun():
        contest.journal = held.enter_context(Journal.open(contest.folder.journal))
    try:
        return _Stage(contest, unfinished(contest))
    except Mismatch:
        if not give_up:
            raise
    count = given_up(contest)
    remark(f"arena: {contest.folder.path}: {count} matches are given up", quiet=quiet)
    return _Stage(contest, None)


def _owes(contest: Contest) -> bool:
    """Whether there is anything to play, once what was begun is finished."""
    if take(contest):
        return True
    # a journal that was cut lacks what its manifest has
    return contest.journal is not None and contest.journal.count < contest.folder.manifest().matches


def _play(contest: Contest, held: ExitStack, crew: Lanes, walls: House, *, quiet: bool) -> int:
    """Play what is lacking of a game; how many of its matches are void."""
    start(contest, crew, walls, keep_going=True, quiet=quiet)
    with told_how_to_go_on(contest.folder, None):
        ended = play(contest, held, crew, quiet=quiet)
        write_standings(contest.folder)
    return ended.voids


def _set_up(contest: Contest, crew: Lanes, walls: House, *, quiet: bool) -> None:
    """Write down who takes part and what is to be played, and play nothing; starts only those that are to play."""
    if _owes(contest):
        start(contest, crew, walls, keep_going=True, quiet=quiet)
    make(contest.folder)
    set_up(contest.folder, contest.settings, contest.game, contest.entrants, contest.retry)


def _tell_stuck(contests: list[Contest], *, quiet: bool) -> None:
    """Say what a season would be refused for."""
    for contest in contests:
        try:
            unfinished(contest)
        except Mismatch as difference:
            remark(f"arena: {difference}", quiet=quiet)


def _print_lacking(contests: list[Contest], form: Format, *, planned: bool) -> None:
    """How many matches each game lacks; of a season that is begun, what is left of that first."""
    rows = []
    for contest in contests:
        folder = contest.folder
        begun = folder.begun() and not folder.manifest().finished
        lacks = lacking(folder) if planned or begun else take(contest)
        rows.append({"game": contest.game.name, "run": str(folder.path), "matches": lacks})
    typer.echo(table(rows, form, ("game", "run", "matches"), ("matches",)))
