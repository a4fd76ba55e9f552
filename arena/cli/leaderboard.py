"""``arena leaderboard``: the table of one run or several, derived from the journals."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.groups import grouped
from arena.cli.output import PlainOutputOptions
from arena.library.standings import render_boards, standings
from arena.tournament.folder import RunFolder


@grouped
def leaderboard(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Results folders.", show_default=False)],
    output: PlainOutputOptions,
    past: Annotated[bool, typer.Option("--past", help="Also show entrants that no longer take part.")] = False,
) -> None:
    """Print the leaderboard of a run; of several runs, also a combined table.

    The run may be unfinished: then the table is provisional.

    Example: arena leaderboard results/demo --format markdown
    """
    typer.echo(render_boards([standings(RunFolder(run), with_past=past) for run in runs], output.form.value), nl=False)
