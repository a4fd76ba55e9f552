"""``arena selfplay``: many matches in this process and copies of it, without bot processes, and their leaderboard."""

from typing import Annotated

import typer

from arena.cli.options import OneGame, PlainOutputOptions, Takes, grouped, of_setting, option
from arena.report.render import render
from arena.selfplay.play import play_many
from arena.selfplay.players import from_file, print_to_stderr
from arena.terminal.progress import bar
from arena.tournament.settings import DEFAULT_MATCHES, RunSpec
from arena.tournament.spec import chosen_games


@grouped
def selfplay(
    bots: Annotated[
        list[str],
        option(
            "BOT...: [NAME=]BOT[*N]: greedy, random, search, FILE.py[:OBJECT] (a Bot, decide(decision)), its folder. "
            "If only one: its copies."
        ),
    ],
    spec: Annotated[RunSpec, Takes("variants seats matches seed lanes", title="Who plays")],
    output: PlainOutputOptions,
    matches: Annotated[
        int,
        of_setting("matches", "-n --matches N: Matches, rounded up to whole blocks.", rich_help_panel="Who plays"),
    ] = DEFAULT_MATCHES,
    games: OneGame = None,
) -> None:
    """Play many matches of Python bots without processes, on all cores, and print the leaderboard.

    Deals and seats are those of `arena run` with the same bots and seed. No clock runs, and nothing is written.

    Example: arena selfplay dockfight greedy random -n 300
    """
    with print_to_stderr(), bar(quiet=output.quiet) as progress:
        board = play_many(
            chosen_games(games or [], bots, single=True)[0].name,
            [from_file(bot) for bot in bots],
            matches=matches,
            seed=spec.seed,
            seats=spec.seats,
            variants=spec.variants,
            processes=spec.lanes,
            progress=progress,
        )
    typer.echo(render(board, output.form), nl=False)
