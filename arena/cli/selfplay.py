"""``arena selfplay``: many matches in this process and its like, without processes of bots, and the leaderboard."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from arena.cli.groups import Group, grouped
from arena.cli.options import LaneCount, PlainOutput, Seats, Seed, Variants, pairs
from arena.library.policies import from_file
from arena.library.selfplay import Progress as Told
from arena.library.selfplay import play_many
from arena.record import Record
from arena.report import render
from arena.tournament.spec import MATCHES, MOST_MATCHES


@dataclass(frozen=True, kw_only=True)
class SelfPlayed(Group):
    """What is played, and how much of it."""

    title = "Who plays"
    variants: Variants = None
    seats: Seats = None
    matches: Annotated[
        int,
        typer.Option(
            "-n",
            "--matches",
            envvar="ARENA_MATCHES",
            metavar="N",
            help="Matches, rounded up to whole blocks.",
            min=1,
            max=MOST_MATCHES,
            show_default=True,
        ),
    ] = MATCHES
    seed: Seed = None
    lanes: LaneCount = None


@grouped
def selfplay(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The name of a game.", show_default=False)],
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="[NAME=]BOT[*N]: greedy, random, search, FILE.py[:OBJECT] (a Bot, decide(decision)). One: copies.",
            show_default=False,
        ),
    ],
    played: SelfPlayed,
    output: PlainOutput,
) -> None:
    """Play many matches of Python bots without processes, on all cores, and print the leaderboard.

    Deals and seats are those of `arena run` with the same bots and seed. No clock runs, and nothing is written.

    Example: arena selfplay dockfight greedy random -n 300
    """
    policies = [from_file(bot) for bot in bots]
    variants = {name: str(value) for name, value in pairs(played.variants, "variants", "K=V such as bell=lot").items()}
    with _bar(quiet=output.quiet or not sys.stderr.isatty()) as progress:
        board = play_many(
            game,
            policies,
            matches=played.matches,
            seed=played.seed,
            seats=played.seats,
            variants=variants,
            processes=played.lanes,
            progress=progress,
        )
    typer.echo(render(board, output.form.value), nl=False)


_EVERY = 0.1
"""Seconds between two drawings."""


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Told | None]:
    """A bar on stderr that fills up, drawn in this thread: a process that has others is not copied."""
    if quiet:
        yield None
        return
    columns = (BarColumn(), MofNCompleteColumn(), "matches", TimeRemainingColumn())
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        task = bar.add_task("", total=None)

        def told(_: Record, total: int) -> None:
            bar.update(task, advance=1, total=total)
            if bar.get_time() - drawn[0] >= _EVERY:
                drawn[0] = bar.get_time()
                bar.refresh()

        drawn = [bar.get_time()]
        yield told
