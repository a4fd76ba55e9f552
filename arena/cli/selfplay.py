"""``arena selfplay``: many matches in this process and copies of it, without bot processes, and their leaderboard."""

from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.groups import OptionGroup, grouped
from arena.cli.options import LaneCount, Seats, Seed, Variants, variants_of
from arena.cli.output import PlainOutputOptions
from arena.library.policies import from_file
from arena.library.selfplay import play_many
from arena.report import render
from arena.terminal.progress import bar
from arena.tournament.spec import MATCHES, MOST_MATCHES


@dataclass(frozen=True, kw_only=True)
class SelfPlayOptions(OptionGroup):
    """Variants, seats and the number of matches of self-play."""

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
            help="[NAME=]BOT[*N]: greedy, random, search, FILE.py[:OBJECT] (a Bot, decide(decision)), its folder. "
            "If only one: its copies.",
            show_default=False,
        ),
    ],
    played: SelfPlayOptions,
    output: PlainOutputOptions,
) -> None:
    """Play many matches of Python bots without processes, on all cores, and print the leaderboard.

    Deals and seats are those of `arena run` with the same bots and seed. No clock runs, and nothing is written.

    Example: arena selfplay dockfight greedy random -n 300
    """
    with bar(quiet=output.quiet) as progress:
        board = play_many(
            game,
            [from_file(bot) for bot in bots],
            matches=played.matches,
            seed=played.seed,
            seats=played.seats,
            variants=variants_of(played.variants),
            processes=played.lanes,
            progress=progress,
        )
    typer.echo(render(board, output.form.value), nl=False)
