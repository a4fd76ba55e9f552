"""``arena export``: the results of a run, in canonical order and without times: equal runs give equal bytes."""

from pathlib import Path

import typer

from arena.cli.options import Run, grouped
from arena.tournament.folder import RunFolder
from arena.tournament.run import exported


@grouped
def export(run: Run) -> None:
    """Print every match as a JSON line, in the order of the schedule and without times.

    Example: arena export results/demo > demo.jsonl
    """
    folder = RunFolder(Path(run))
    folder.manifest()
    for line in exported(folder):
        typer.echo(line.decode())
