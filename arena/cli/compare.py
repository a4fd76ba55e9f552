"""``arena compare``: whether a new version of a bot plays better than the old one, held against a field."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from arena.cli import field as fields
from arena.cli.config import ConfigFile
from arena.cli.contest import Contest, as_before, at, go_on, play_all, say_lanes, start
from arena.cli.failure import TROUBLE, Unready, Usage
from arena.cli.github import GitHub, annotate, put, summarise
from arena.cli.isolation import Asked, BuildNetwork, Isolation, Readable, level_of, settled
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
from arena.cli.planning import results_root, seed_text
from arena.cli.standings import Board
from arena.game import Game
from arena.players.botfile import BotFile, missing
from arena.players.content import digest
from arena.players.entrants import entrant
from arena.players.walls import House
from arena.report.comparison import Comparison, compared, render_comparison, unchanged, unready
from arena.tournament import cores
from arena.tournament.folder import RunFolder
from arena.tournament.lanes import Lanes
from arena.tournament.plan import Settings
from arena.tournament.schedule import pad

UNDECIDED = 6


def compare(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The bot as it is now.", show_default=False)],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot as it was.", show_default=False)],
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            envvar="ARENA_BOTS",
            help="Whom they play. None: the shipped bots. One: it and them.",
            show_default=False,
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option("-g", "--game", envvar="ARENA_GAME", metavar="GAME", help="The game.", show_default=False),
    ] = None,
    variant: Variant = None,
    seats: Seats = None,
    matches: Annotated[
        int,
        typer.Option(
            "-n",
            "--matches",
            envvar="ARENA_MATCHES",
            metavar="N",
            help="Matches, rounded up to whole blocks.",
            min=1,
            max=100_000_000,
        ),
    ] = 240,
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
    decide: Annotated[bool, typer.Option("--decide", help="Exit 6 if they cannot be told apart.")] = False,
    github: GitHub = False,
    _config: ConfigFile = None,
    format_: Formatted = Format.table,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Say whether a new version of a bot plays better, by matches of it and the old one against a field.

    Exit 1 if it is certainly worse, or faults or cannot start where the old one did not.

    Example: arena compare "mine=python3 mine.py" random -g dockfight -n 12
    """
    found = _game(game or [])
    now, before = _two(new, old, found)
    form = Format.json if json else format_
    if _same(now, before):
        _tell(unchanged(now.name, before.name, found.name), form, github=github)
        return
    # who has the name of one of the two would play itself
    taken = {now.name.lower(), before.name.lower()}
    others = [bot for bot in fields.enter(bots or [], found, quiet=quiet) if bot.name.lower() not in taken]
    field = [now, before, *others]
    settings = Settings(
        game=found.name,
        seats=seat_counts(seats, found, len(field)),
        variants=variants(variant or [], found),
        matches=matches,
        seed=seed_text(seed, None),
        limits=limits(move_time, start_time, bank, budget, limit or [], max_faults),
    )
    root = results_root(out, [found.name])
    contest = Contest(found, settings, field, pad([bot.name for bot in field], max(settings.seats)), RunFolder(root))
    with ExitStack() as held, Lanes(lanes or cores.lanes()) as crew:
        asked = as_before(isolation, [contest])
        at(contest, level_of(asked))
        go_on(contest, held)
        walls = House(contest.settings.isolation)
        if contest.field:
            walls = settled(
                asked, crew, secret=[root], readable=readable or [], build_network=build_network, quiet=quiet
            )
        at(contest, walls.level)
        try:
            start(contest, crew, walls, keep_going=False, quiet=quiet)
        except Unready as error:
            if now.name not in error.bots or before.name in error.bots:
                raise
            remark(f"arena: {error.bots[now.name]}")
            _tell(unready(now.name, before.name, found.name), form, github=github)
            raise typer.Exit(1) from None
        (board,), voids = play_all([contest], root, held, crew, quiet=quiet)
        say_lanes(crew, quiet=quiet, verbose=verbose)
    names = contest.was.names if contest.was is not None else {}
    verdict = _verdict(board, names.get(now.name, now.name), names.get(before.name, before.name))
    _tell(verdict, form, github=github)
    if verdict.verdict == "worse":
        raise typer.Exit(1)
    if voids:
        remark(f"arena: {voids} matches are void and unrated: see `arena matches RUN --void`")
        raise typer.Exit(TROUBLE)
    if decide and verdict.verdict == "undecided":
        raise typer.Exit(UNDECIDED)


def _game(names: Sequence[str]) -> Game:
    if len(names) != 1 or names[0] == "all":
        known = "" if names else f" of {', '.join(all_games())}"
        raise Usage(f"--game: expected one game{known}, got {', '.join(names) or 'none'}")
    return find_game(names[0])


def _two(new: str, old: str, game: Game) -> tuple[BotFile, BotFile]:
    """Both versions, under different names.

    Raises:
        Usage, BotError: one of them is no bot that plays this game here.
    """
    now, before = entrant(new), entrant(old)
    if now.name.lower() == before.name.lower():
        before = replace(before, name=f"{before.name[:57]}-before")
    for bot in (now, before):
        if bot.games and game.name not in bot.games:
            raise Usage(f"expected bots that play {game.name}, got {bot.name!r}, which plays {', '.join(bot.games)}")
    inner, outer = sorted((Path(now.folder), Path(before.folder)), key=lambda path: -len(path.parts))
    if inner != outer and inner.is_relative_to(outer) and not (now.bare or before.bare):
        raise Usage(f"expected folders of which neither lies in the other, got {inner} in {outer}")
    if lack := missing(before):
        raise Usage(f"expected an old version that this machine can run, got: {lack}")
    return now, before


def _same(now: BotFile, before: BotFile) -> bool:
    """Whether nothing was changed that a match could tell."""
    settings = [(bot.limits, bot.restart, bot.threads) for bot in (now, before)]
    return settings[0] == settings[1] and digest(now) == digest(before)


def _verdict(board: Board, new: str, old: str) -> Comparison:
    return compared(RunFolder(board.folder).records(), board.leaderboard, new, old)


def _tell(found: Comparison, form: Format, *, github: bool) -> None:
    typer.echo(render_comparison(found, form.value), nl=False)
    if not github:
        return
    passed = found.verdict != "worse"
    annotate("notice" if passed else "error", found.why, title=f"{found.new} at {found.game}: {found.verdict}")
    summarise(render_comparison(found, "markdown"))
    numbers = {"difference": found.difference, "low": found.low, "high": found.high}
    put(
        {"verdict": found.verdict}
        | {name: "" if value is None else value for name, value in numbers.items()}
        | {"run": found.run, "matches": found.matches, "voids": found.void}
    )
