"""``arena run``: play a tournament and print its leaderboard."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct

from arena import games as shelf
from arena.cli import field as fields
from arena.cli.failure import TROUBLE, Unready, Usage
from arena.cli.isolation import Asked, BuildNetwork, Isolation, Readable, level_of, settled
from arena.cli.options import (
    Bank,
    Budget,
    Format,
    Formatted,
    Json,
    Limited,
    MoveTime,
    Quiet,
    StartTime,
    Verbose,
    find_game,
    limits,
    remark,
    seat_counts,
    variants,
)
from arena.cli.standings import print_boards, standings
from arena.cli.trial import described
from arena.cli.watch import watcher
from arena.game import Game
from arena.players.botfile import BotFile
from arena.players.launch import Launch
from arena.players.walls import House
from arena.report.tables import table
from arena.sandbox.box import Level
from arena.tournament import cores
from arena.tournament.folder import Entrant, Manifest, RunFolder, write_whole
from arena.tournament.journal import Journal
from arena.tournament.lanes import Interrupted, Lanes, LanesFailed
from arena.tournament.plan import Settings
from arena.tournament.run import Ended, Runner, agreed, set_up
from arena.tournament.schedule import pad


class Contest(Struct):
    """One game of the command: what is asked for, and, once that is known, who plays and whether anything is left."""

    game: Game
    settings: Settings
    field: list[BotFile]
    padded: list[str]
    folder: RunFolder
    journal: Journal | None = None
    """Held from the start if the run is gone on with."""
    manifest: Manifest | None = None
    launches: dict[str, Launch] = {}
    entrants: Sequence[Entrant] = ()


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
        int,
        typer.Option(
            "-n", "--matches", metavar="N", help="Matches, rounded up to whole blocks.", min=1, max=100_000_000
        ),
    ] = 240,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Repeat a run: the same text, the same deals.")
    ] = None,
    move_time: MoveTime = None,
    start_time: StartTime = "10s",
    bank: Bank = None,
    budget: Budget = "10m",
    limit: Limited = None,
    lanes: Annotated[
        int | None,
        typer.Option("-j", "--lanes", metavar="N", help="Matches at once. Default: one a core.", min=1, max=1024),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="DIR", help="Results folder; an old one goes on. Default: results/<game>-<time>."
        ),
    ] = None,
    max_faults: Annotated[
        int, typer.Option(metavar="N", help="Faults that retire a bot from a match.", min=1, max=10_000)
    ] = 3,
    isolation: Isolation = Asked.auto,
    build_network: BuildNetwork = False,
    readable: Readable = None,
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

    Example: arena run --game cash-a-catch greedy "mine=python3 mine.py" -n 60
    """
    chosen = _chosen(game or [])
    form = Format.json if json else format_
    root = _root(out, chosen)
    contests: list[Contest] = []
    for found in chosen:
        field = fields.enter(bots or [], found, quiet=quiet)
        settings = Settings(
            game=found.name,
            seats=seat_counts(seats, found, len(field)),
            variants=variants(variant or [], found, chosen),
            matches=matches,
            seed=_seed(seed),
            limits=limits(move_time, start_time, bank, budget, limit or [], max_faults),
        )
        padded = pad([bot.name for bot in field], max(settings.seats))
        folder = RunFolder(root / found.name if len(chosen) > 1 else root)
        contests.append(Contest(found, settings, field, padded, folder))
    boards = []
    voids = 0
    with ExitStack() as held, Lanes(lanes or cores.lanes()) as crew:
        # whatever can be wrong is found before the first match of the first game
        asked = isolation if dry_run else _as_before(isolation, contests)
        for contest in [] if dry_run else contests:
            _at(contest, level_of(asked))
            _go_on(contest, held)
        if any(contest.field for contest in contests):
            walls = settled(asked, crew, out=[root], readable=readable or [], build_network=build_network, quiet=quiet)
        else:
            walls = House(level_of(asked))
        for contest in contests:
            _at(contest, walls.level)
            _start(contest, crew, walls, keep_going=keep_going, quiet=quiet)
        if dry_run:
            rows = [row for c in contests for row in described(c.settings, c.game, c.entrants, c.launches, crew, form)]
            typer.echo(table(rows, form))
            return
        for contest in contests:
            with _told_how_to_go_on(contest.folder, root):
                ended = _play(contest, held, crew, quiet=quiet)
                voids += ended.voids
                board = standings(contest.folder)
                write_whole(contest.folder.path / "leaderboard.md", board.markdown().encode())
            boards.append(board)
            _say_where(contest.folder, ended.manifest, quiet=quiet)
        _say_lanes(crew, quiet=quiet, verbose=verbose)
    print_boards(boards, form)
    if voids:
        remark(f"arena: {voids} matches are void and unrated: see `arena matches RUN --void`")
        raise typer.Exit(TROUBLE)


def _chosen(names: Sequence[str]) -> list[Game]:
    if not names:
        raise Usage(f"--game: expected a game of {', '.join(shelf.names())} or all, got none")
    return [find_game(name) for name in (shelf.names() if "all" in names else dict.fromkeys(names))]


def _seed(text: str | None) -> str | None:
    if text == "":
        raise Usage("--seed: expected a text, got an empty one")
    try:
        (text or "").encode()
    except UnicodeEncodeError:
        raise Usage(f"--seed: expected a text in UTF-8, got {text!r}") from None
    return text


def _root(out: Path | None, chosen: Sequence[Game]) -> Path:
    """The results folder, or the folder around those of several games.

    Raises:
        Usage: there is a file in its place.
    """
    if out is None:
        name = chosen[0].name if len(chosen) == 1 else "games"
        out = first = Path("results") / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"  # noqa: DTZ005 - a name for people here
        number = 1
        while out.exists():
            number += 1
            out = first.with_name(f"{first.name}-{number}")
    for path in (out, *out.parents):
        if path.exists() and not path.is_dir():
            raise Usage(f"--out: expected a folder, got a file: {path}")
    return out


def _as_before(asked: Asked, contests: Sequence[Contest]) -> Asked:
    """For ``auto`` the level of a run that is gone on with: never another one in silence."""
    begun = [contest.folder.manifest().isolation for contest in contests if contest.folder.begun()]
    return Asked(begun[0]) if begun and asked is Asked.auto else asked


def _at(contest: Contest, level: Level) -> None:
    contest.settings = msgspec.structs.replace(contest.settings, isolation=level)


def _go_on(contest: Contest, held: ExitStack) -> None:
    """If there is a run in the folder, take it, and see that it is the one that is asked for.

    Raises:
        Mismatch, Broken, Corrupt, Locked: it is not, it is damaged, or another runner has it.
    """
    folder = contest.folder
    if not folder.begun():
        return
    contest.journal = held.enter_context(Journal.open(folder.journal))
    entrants = fields.entrants(contest.field, contest.padded, contest.settings.limits, {})
    manifest, further = agreed(folder, contest.settings, contest.game, entrants)
    contest.manifest, contest.entrants = manifest, manifest.entrants
    if further is None and manifest.finished and contest.journal.count >= manifest.matches:
        contest.field = []


def _start(contest: Contest, crew: Lanes, walls: House, *, keep_going: bool, quiet: bool) -> None:
    """See that everyone who is to play can; with ``keep_going`` those that cannot are withdrawn from a new run.

    Raises:
        Unready: a bot cannot start, or too few of them can.
    """
    withdrawn = {entrant.name for entrant in contest.entrants if entrant.withdrawn}
    field = [bot for bot in contest.field if bot.name not in withdrawn]
    launches, cannot = fields.start(crew, contest.settings, contest.game, field, walls)
    # who plays in a run that has begun is settled
    if not keep_going or contest.manifest is not None:
        fields.refuse(cannot)
    for name, why in cannot.items():
        remark(f"arena: withdrawn: {fields.told(name, why)}", quiet=quiet)
    known = [bot.name for bot in field]
    originals = {name: fields.original(name, known) for name in contest.padded}
    contest.launches = {name: launches[bot] for name, bot in originals.items() if bot in launches}
    if contest.manifest is None:
        contest.entrants = fields.entrants(contest.field, contest.padded, contest.settings.limits, cannot)
        wanted = max(contest.settings.seats)
        if len(contest.launches) < wanted:
            raise Unready(f"expected at least {wanted} bots that start, got {len(contest.launches)}")


def _play(contest: Contest, held: ExitStack, crew: Lanes, *, quiet: bool) -> Ended:
    """Play what is lacking, and say how it goes."""
    folder, settings = contest.folder, contest.settings
    if contest.journal is None:
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Usage(f"--out: expected a folder that can be made, got {folder.path}: {error.strerror}") from error
        contest.journal = held.enter_context(Journal.open(folder.journal))
    manifest = set_up(folder, settings, contest.game, contest.entrants)
    if manifest.matches > settings.matches:
        remark(f"arena: {settings.matches} matches rounded up to {manifest.matches}: whole blocks", quiet=quiet)
    watch = watcher(quiet=quiet)
    try:
        return Runner(folder, manifest, contest.journal, contest.launches).play(crew, watch)
    finally:
        watch.end()


@contextmanager
def _told_how_to_go_on(folder: RunFolder, root: Path) -> Iterator[None]:
    """After a signal or a failing disk, say what is recorded and which command goes on."""
    try:
        yield
    except (Interrupted, LanesFailed, OSError):
        if folder.begun():
            manifest = folder.manifest()
            recorded = sum(1 for _ in folder.records())
            given = any(word.startswith(("-o", "--out")) for word in sys.argv)
            again = ["arena", *sys.argv[1:], *([] if given else ["-o", str(root)])]
            remark(f"arena: {recorded} of {manifest.matches} matches are recorded; go on with: {shlex.join(again)}")
        raise


def _say_where(folder: RunFolder, manifest: Manifest, *, quiet: bool) -> None:
    where = shlex.quote(str(folder.path))
    seed = shlex.quote(str(manifest.epochs[0].seed))
    remark(f"results: {where}\nlook deeper: arena matches {where}\nrepeat: --seed {seed}", quiet=quiet)


def _say_lanes(crew: Lanes, *, quiet: bool, verbose: bool) -> None:
    if verbose:
        pinned = ", ".join("not pinned" if core is None else f"core {core}" for core in crew.cores)
        remark(f"arena: lanes: {pinned or 'none was needed'}")
    elif None in crew.cores:
        remark("arena: not every lane has a core to itself: times are less even than they could be", quiet=quiet)
