"""``arena run``: play a tournament and print its leaderboard."""

import shlex
import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from arena import games as shelf
from arena.cli.failure import TROUBLE, Unready, Usage
from arena.cli.options import (
    Format,
    Formatted,
    Json,
    Quiet,
    Verbose,
    find_game,
    milliseconds,
    remark,
    seat_counts,
    variants,
)
from arena.cli.standings import print_boards, standings
from arena.cli.trial import describe
from arena.cli.watch import watcher
from arena.game import Game
from arena.players.botfile import BotFile, argv, environment, missing
from arena.players.build import prepare
from arena.players.content import digest
from arena.players.converse import Launch
from arena.players.entrants import entrant, shipped
from arena.report.plain import plain
from arena.tournament import cores
from arena.tournament.folder import Entrant, Manifest, RunFolder, write_whole
from arena.tournament.journal import Journal
from arena.tournament.lanes import Interrupted, Lanes
from arena.tournament.plan import Settings
from arena.tournament.run import Ended, NotReady, Runner, preflight, set_up
from arena.tournament.schedule import pad
from arena.tournament.supervised import supervised


def run(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            help="Shipped bot, folder with a bot.toml, or NAME=COMMAND LINE. None: the shipped bots. One: it and them.",
            show_default=False,
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option("-g", "--game", metavar="GAME", help="A game or `all`; may be repeated.", show_default=False),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="K=V", help="A variant of the game, may be repeated.", show_default=False),
    ] = None,
    seats: Annotated[
        str | None, typer.Option(metavar="N|A-B", help="Seats at the table. Default: the usual table.")
    ] = None,
    matches: Annotated[
        int, typer.Option("-n", "--matches", help="Matches, rounded up to whole blocks.", min=1, max=100_000_000)
    ] = 240,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Repeat a run: the same text, the same deals.")
    ] = None,
    move_time: Annotated[str, typer.Option(metavar="TIME", help="Time for each decision.")] = "1s",
    start_time: Annotated[str, typer.Option(metavar="TIME", help="Time to get ready.")] = "10s",
    lanes: Annotated[
        int | None, typer.Option("-j", "--lanes", help="Matches at once. Default: one a core.", min=1, max=1024)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Results folder; an old one goes on. Default: results/<game>-<time>."),
    ] = None,
    max_faults: Annotated[int, typer.Option(help="Faults that retire a bot from a match.", min=1, max=10_000)] = 3,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Withdraw bots that cannot start instead of giving up.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many matches, how long, how even.")] = False,
    format_: Formatted = Format.table,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Play a tournament and print its leaderboard.

    Example: arena run --game cash-a-catch greedy "mine=python3 mine.py" -n 480
    """
    names = shelf.names() if game and "all" in game else list(dict.fromkeys(game or []))
    if not names:
        raise Usage(f"--game: expected a game of {', '.join(shelf.names())} or all, got none")
    chosen = [find_game(name) for name in names]
    count = lanes or cores.lanes()
    boards = []
    voids = 0
    for found in chosen:
        field = _enter(bots or [], found, quiet=quiet)
        settings = Settings(
            game=found.name,
            seats=seat_counts(seats, found, len(field)),
            variants=variants(variant or [], found),
            matches=matches,
            seed=seed,
            move_time=milliseconds(move_time, "--move-time"),
            start_time=milliseconds(start_time, "--start-time"),
            max_faults=max_faults,
        )
        padded = pad([bot.name for bot in field], max(settings.seats))
        folder = _folder(out, found, several=len(chosen) > 1)
        with _told_how_to_go_on(folder, given=out is not None), Lanes(count) as crew:
            launches = _launches(field, padded, crew)
            entrants = _ready(crew, settings, found, field, padded, launches, keep_going=keep_going)
            if dry_run:
                describe(settings, found, entrants, launches, crew)
                continue
            ended = _play(folder, settings, found, entrants, launches, crew, quiet=quiet, verbose=verbose)
        voids += ended.voids
        board = standings(folder)
        write_whole(folder.path / "leaderboard.md", board.markdown().encode())
        boards.append(board)
        _say_where(folder, ended.manifest, quiet=quiet)
    if boards:
        print_boards(boards, Format.json if json else format_)
    if voids:
        remark(f"arena: {voids} matches are void and unrated: see `arena matches RUN --void`")
        raise typer.Exit(TROUBLE)


def _ready(
    crew: Lanes,
    settings: Settings,
    game: Game,
    field: Sequence[BotFile],
    padded: Sequence[str],
    launches: dict[str, Launch],
    *,
    keep_going: bool,
) -> list[Entrant]:
    """The entrants, each of which was started and greeted once; with ``keep_going`` those that failed are withdrawn.

    Raises:
        Unready: a bot cannot start, or too few of them can.
    """
    failed = preflight(crew, settings, game, {bot.name: launches[bot.name] for bot in field})
    words = {bot.bot: _words(bot) for bot in failed}
    if failed and not keep_going:
        raise Unready("\n".join(words.values()))
    for text in words.values():
        remark(f"arena: withdrawn: {text}")
    known = {bot.name: bot for bot in field}
    entrants = []
    for name in padded:
        bot = known[_original(name, known)]
        why = words[bot.name].partition("\n")[0] if bot.name in words else ""
        entrants.append(Entrant(name, digest(bot), bot.command, bot.version, bot.owner, bot.language, why))
    playing = sum(not entrant.withdrawn for entrant in entrants)
    if playing < max(settings.seats):
        raise Unready(f"expected at least {max(settings.seats)} bots that start, got {playing}")
    return entrants


def _original(name: str, known: Container[str]) -> str:
    """The bot that an entrant is, or is a copy of."""
    return name if name in known else name.partition("#")[0]


def _play(
    folder: RunFolder,
    settings: Settings,
    game: Game,
    entrants: Sequence[Entrant],
    launches: dict[str, Launch],
    crew: Lanes,
    *,
    quiet: bool,
    verbose: bool,
) -> Ended:
    """Play what is lacking, and say how it goes."""
    watch = watcher(quiet=quiet)
    folder.path.mkdir(parents=True, exist_ok=True)
    try:
        with Journal.open(folder.journal) as journal:
            manifest = set_up(folder, settings, game, entrants)
            if manifest.matches != settings.matches:
                remark(f"arena: {settings.matches} matches rounded up to {manifest.matches}: whole blocks", quiet=quiet)
            ended = Runner(folder, manifest, journal, launches).play(crew, watch)
    finally:
        watch.end()
    if verbose:
        pinned = ", ".join("not pinned" if core is None else f"core {core}" for core in crew.cores)
        remark(f"arena: lanes: {pinned}")
    elif any(core is None for core in crew.cores):
        remark("arena: not every lane has a core to itself: times are less even than they could be", quiet=quiet)
    return ended


def _enter(texts: Sequence[str], game: Game, *, quiet: bool) -> list[BotFile]:
    """The entrants that the command line asks for.

    Raises:
        Usage: two of one name, or one that does not play the game.
        BotError: no such bot, or this machine cannot run it.
    """
    asked = [entrant(text) for text in texts]
    names = [bot.name for bot in asked]
    for name in names:
        if names.count(name) > 1:
            raise Usage(f"expected bots of different names, got {name!r} twice; NAME=COMMAND LINE gives another name")
    for bot in asked:
        if bot.games and game.name not in bot.games:
            raise Usage(f"expected bots that play {game.name}, got {bot.name!r}, which plays {', '.join(bot.games)}")
        if lack := missing(bot):
            raise Usage(f"expected bots this machine can run, got: {lack}")
    if len(asked) > 1:
        return asked
    for bot in shipped():
        if bot.name in names or (bot.games and game.name not in bot.games):
            continue
        if lack := missing(bot):
            remark(f"arena: left out: {lack}", quiet=quiet)
        else:
            asked.append(bot)
    return asked


def _launches(field: Sequence[BotFile], padded: Sequence[str], crew: Lanes) -> dict[str, Launch]:
    """How each entrant is started, built where it needs to be; copies are started as their originals."""
    launches: dict[str, Launch] = {}
    for bot in field:
        folder = prepare(bot, run=supervised(crew))
        launches[bot.name] = Launch(argv(bot, folder), environment(bot, ""), folder, fresh=bot.restart == "match")
    return {name: launches[_original(name, launches)] for name in padded}


def _words(bot: NotReady) -> str:
    """A bot that cannot start, with its command and what it wrote to stderr."""
    errors = [plain(line, 200) for line in bot.errors.decode("utf-8", "backslashreplace").split("\n") if line.strip()]
    shown = "".join(f"\n    | {line}" for line in errors[-20:])
    hint = f" ({plain(bot.hint, 200)})" if bot.hint else ""
    command = plain(shlex.join(bot.command), 400)
    return f"bot {bot.bot} cannot start: {plain(bot.why, 400)}{hint}\n  command: {command}{shown}"


def _folder(out: Path | None, game: Game, *, several: bool) -> RunFolder:
    if out is None:
        return RunFolder(Path("results") / f"{game.name}-{datetime.now():%Y%m%d-%H%M%S}")  # noqa: DTZ005 - a name for people here
    return RunFolder(out / game.name if several else out)


@contextmanager
def _told_how_to_go_on(folder: RunFolder, *, given: bool) -> Iterator[None]:
    """After a signal or a failing disk, say what is recorded and which command goes on."""
    try:
        yield
    except (Interrupted, OSError):
        if folder.begun():
            manifest = folder.manifest()
            recorded = sum(1 for _ in folder.records())
            again = ["arena", *sys.argv[1:], *([] if given else ["-o", str(folder.path)])]
            remark(f"arena: {recorded} of {manifest.matches} matches are recorded; go on with: {shlex.join(again)}")
        raise


def _say_where(folder: RunFolder, manifest: Manifest, *, quiet: bool) -> None:
    where = shlex.quote(str(folder.path))
    seed = shlex.quote(str(manifest.epochs[0].seed))
    remark(f"results: {where}\nlook deeper: arena matches {where}\nrepeat: --seed {seed}", quiet=quiet)
