"""``arena leaderboard``: the table of one run or several, derived from the journals."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.groups import grouped
from arena.cli.output import PlainOutputOptions
from arena.errors import UsageError
from arena.identity import bot_of
from arena.library.standings import render_boards, standings
from arena.players.botfile import nearest
from arena.tournament.folder import RunFolder


@grouped
def leaderboard(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Results folders.", show_default=False)],
    output: PlainOutputOptions,
    past: Annotated[bool, typer.Option("--past", help="Also show entrants that no longer take part.")] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="NAME",
            help="Do not count the matches of this bot, such as one that has cheated; may be repeated.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the leaderboard of a run; of several runs, also a combined table.

    The run may be unfinished: then the table is provisional.

    Example: arena leaderboard results/demo --format markdown
    """
    left_out = without or []
    known = {bot_of(entrant.name) for run in runs for entrant in RunFolder(run).manifest().entrants}
    for name in left_out:
        if name not in known:
            text = f"expected a bot of {', '.join(map(str, runs))}, got {name!r}{nearest(name, known)}"
            raise UsageError(text, option="without")
    boards = [standings(RunFolder(run), with_past=past, without=left_out) for run in runs]
    typer.echo(render_boards(boards, output.form.value), nl=False)
