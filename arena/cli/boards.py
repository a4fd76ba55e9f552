"""Leaderboards on standard output: one, or several with the combined table over their games."""

from collections.abc import Sequence

import msgspec
import typer

from arena import report
from arena.cli.options import Format
from arena.escape import as_json
from arena.library.standings import Board
from arena.report import combine, render, render_combined


def print_boards(boards: Sequence[Board], form: Format) -> None:
    """Print a leaderboard; of several, each and then the combined table over their games."""
    value: report.Format = form.value
    if len(boards) == 1:
        typer.echo(render(boards[0].leaderboard, value), nl=False)
        return
    entrants = list(dict.fromkeys(row.bot for board in boards for row in board.leaderboard.leaderboard))
    games = [board.leaderboard.game for board in boards]
    # two runs of one game are told apart by their folders
    names = [
        game if games.count(game) == 1 else board.leaderboard.run for game, board in zip(games, boards, strict=True)
    ]
    combined = combine({name: board.shares() for name, board in zip(names, boards, strict=True)}, entrants)
    if form is Format.json:
        found = {"runs": [board.leaderboard for board in boards], "combined": combined}
        typer.echo(as_json(msgspec.to_builtins(found)))
        return
    for board in boards:
        typer.echo(render(board.leaderboard, value))
    typer.echo(render_combined(combined, value), nl=False)
