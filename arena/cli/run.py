"""``arena run``: play a tournament and print its leaderboard."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from arena import games as shelf
from arena.cli import field as fields
from arena.cli.config import ConfigFile
from arena.cli.contest import Contest, as_before, at, go_on, play_all, say_lanes, start
from arena.cli.debug import debuggable, shown
from arena.cli.executor import Dask, Elsewhere, workers
from arena.cli.failure import TROUBLE, Usage
from arena.cli.github import GitHub, tell
from arena.cli.isolation import Asked, BuildNetwork, Isolation, Readable, level_of, settled
from arena.cli.junit import JUnitFile, cases, write_cases
from arena.cli.options import (
    Bank,
    Budget,
    Format,
    Formatted,
    Json,
    LaneCount,
    Limited,
    MaxFaults,
    MoveTime,
    Out,
    Quiet,
    Seats,
    Seed,
    StartTime,
    Variant,
    Verbose,
    all_games,
    find_game,
    limits,
    remark,
    seat_counts,
    variants,
)
from arena.cli.planning import planned, results_root, seed_text, shard_from, write_plan
from arena.cli.standings import Board, print_boards
from arena.cli.trial import described
from arena.game import Game
from arena.players.walls import House
from arena.report.tables import table
from arena.tournament import cores
from arena.tournament.folder import RunFolder
from arena.tournament.lanes import Lanes
from arena.tournament.outstanding import WHOLE
from arena.tournament.plan import Settings
from arena.tournament.schedule import pad

_PLANNED = {
    "game": "--game",
    "variant": "--variant",
    "seats": "--seats",
    "matches": "--matches",
    "seed": "--seed",
    "move_time": "--move-time",
    "start_time": "--start-time",
    "bank": "--bank",
    "budget": "--budget",
    "limit": "--limit",
    "max_faults": "--max-faults",
    "dry_run": "--dry-run",
}
"""What a plan has settled."""


def _some_text(beacon: str | None) -> str | None:
    """A beacon that is there: an empty variable of a script's is none, and what is mixed in is mixed in for good."""
    if beacon == "":
        raise Usage("--beacon: expected a text, got none")
    return beacon


def run(
    context: typer.Context,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            envvar="ARENA_BOTS",
            help="Shipped bot, folder with a bot.toml, or NAME=COMMAND LINE. None: the shipped bots. One: it and them.",
            show_default=False,
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            "-g",
            "--game",
            envvar="ARENA_GAME",
            metavar="GAME",
            help="A game or `all`; may be repeated.",
            show_default=False,
        ),
    ] = None,
    variant: Variant = None,
    seats: Seats = None,
    matches: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--matches",
            envvar="ARENA_MATCHES",
            metavar="N",
            help="Matches, rounded up to whole blocks. Default: 240, a block with --debug.",
            min=1,
            max=100_000_000,
        ),
    ] = None,
    seed: Seed = None,
    move_time: MoveTime = None,
    start_time: StartTime = "10s",
    bank: Bank = None,
    budget: Budget = "10m",
    limit: Limited = None,
    lanes: LaneCount = None,
    out: Out = None,
    max_faults: MaxFaults = 3,
    isolation: Isolation = Asked.auto,
    build_network: BuildNetwork = False,
    readable: Readable = None,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going", envvar="ARENA_KEEP_GOING", help="Withdraw bots that cannot start instead of giving up."
        ),
    ] = False,
    debug: Annotated[
        str | None,
        typer.Option(
            "--debug",
            metavar="NAME",
            help="Show all that this bot is sent and says; its clock is off.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only say how many matches, how long, how even; with --out, write the plan."),
    ] = False,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="DIR", help="Play what --dry-run --out has planned.", show_default=False),
    ] = None,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Play only this part; `arena merge` joins them.")
    ] = None,
    secret_file: Annotated[
        Path | None,
        typer.Option(
            "--secret-file", metavar="FILE", help="Take the secret from this file's text.", show_default=False
        ),
    ] = None,
    beacon: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Mix a public text into the secret; with --dry-run, announce what it will be.",
            callback=_some_text,
        ),
    ] = None,
    executor: Elsewhere = None,
    dask: Dask = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 if a bot faulted or was withdrawn, or a match is void.")
    ] = False,
    junit_xml: JUnitFile = None,
    github: GitHub = False,
    _config: ConfigFile = None,
    format_: Formatted = Format.table,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Play a tournament and print its leaderboard.

    Example: arena run --game cash-a-catch greedy "mine=python3 mine.py" -n 60
    """
    form = Format.json if json else format_
    part = shard_from(shard)
    secret = seed_text(seed, secret_file)
    if plan is not None:
        _alone(context)
        typed = bots if _typed(context, "bots") else None
        root, contests = planned(plan, part, beacon, secret, typed or [], out)
    else:
        if shard is not None and seed is None:
            raise Usage("--shard: expected a --plan or a --seed that all parts share, got neither")
        chosen = _chosen(game or [], quiet=quiet)
        root = results_root(out, [found.name for found in chosen])
        contests = []
        for found in chosen:
            field = fields.enter(bots or [], found, quiet=quiet)
            settings = Settings(
                game=found.name,
                seats=seat_counts(seats, found, len(field)),
                variants=variants(variant or [], found, chosen),
                matches=matches or (1 if debug else 240),
                seed=secret,
                limits=limits(move_time, start_time, bank, budget, limit or [], max_faults),
                hidden=secret_file is not None,
                beacon=None if dry_run else beacon,
                awaits=(beacon or "") if dry_run else "",
                shard="" if part == WHOLE else str(part),
                debug=debug or "",
            )
            if debug is not None:
                debuggable(debug, field, dry_run=dry_run)
            padded = pad([bot.name for bot in field], max(settings.seats))
            folder = RunFolder(root / found.name if len(chosen) > 1 else root)
            contests.append(Contest(found, settings, field, padded, folder))
    here = cores.lanes() if executor is not None or dask is not None else lanes or cores.lanes()
    with ExitStack() as held, Lanes(1 if debug else here) as crew, workers(executor, dask, crew, lanes) as away:
        # whatever can be wrong is found before the first match of the first game
        writes = not dry_run or _typed(context, "out")
        asked = as_before(isolation, contests) if writes else isolation
        for contest in contests if writes else []:
            at(contest, level_of(asked))
            go_on(contest, held)
        if any(contest.field for contest in contests):
            hidden = [root, *(path for path in (plan, secret_file) if path is not None)]
            walls = settled(
                asked, crew, secret=hidden, readable=readable or [], build_network=build_network, quiet=quiet
            )
        else:
            walls = House(level_of(asked))
        for contest in contests:
            at(contest, walls.level)
            start(contest, crew, walls, keep_going=keep_going, quiet=quiet)
            contest.launches = shown(contest.launches, debug or "", free=isolation is Asked.auto)
        if dry_run:
            _describe(contests, crew, form)
            _write_plans(contests if writes else [], quiet=quiet)
            return
        boards, voids = play_all(contests, root, held, crew, away, quiet=quiet)
        if away is None:
            say_lanes(crew, quiet=quiet, verbose=verbose)
    print_boards(boards, form)
    if junit_xml is not None:
        write_cases(junit_xml, "arena run", cases(boards), sum(board.leaderboard.seconds for board in boards))
    if github:
        tell(boards, root, voids, strict=strict)
    if code := _code(boards, voids, strict=strict):
        raise typer.Exit(code)


def _describe(contests: Sequence[Contest], crew: Lanes, form: Format) -> None:
    rows = [row for contest in contests for row in described(contest, crew, form)]
    if rows or form is not Format.table:
        typer.echo(table(rows, form))


def _write_plans(contests: Sequence[Contest], *, quiet: bool) -> None:
    for contest in contests:
        write_plan(contest, quiet=quiet)


def _code(boards: Sequence[Board], voids: int, *, strict: bool) -> int:
    """The exit code of a run that was played to its end."""
    if voids:
        remark(f"arena: {voids} matches are void and unrated: see `arena matches RUN --void`")
    if strict and (voids or any(board.blamed() for board in boards)):
        return 1
    return TROUBLE if voids else 0


def _chosen(names: Sequence[str], *, quiet: bool) -> list[Game]:
    if not names:
        raise Usage(f"--game: expected a game of {', '.join(shelf.names())} or all, got none")
    return [find_game(name) for name in (all_games(quiet=quiet) if "all" in names else dict.fromkeys(names))]


def _alone(context: typer.Context) -> None:
    """See that nothing is asked for on the command line that the plan has settled.

    Raises:
        Usage: something is.
    """
    for name, option in _PLANNED.items():
        if _typed(context, name):
            raise Usage(f"{option}: expected the plan to settle it, got it beside --plan")


def _typed(context: typer.Context, name: str) -> bool:
    """Whether a parameter was given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
