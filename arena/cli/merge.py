"""``arena merge``: joins shards of a run that were played in different places."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.groups import grouped
from arena.cli.output import PlainOutputOptions
from arena.errors import UsageError
from arena.library.standings import render_boards, write_standings
from arena.terminal.remarks import remark
from arena.tournament.folder import RunFolder
from arena.tournament.merge import NEW, Merged
from arena.tournament.merge import merge as join
from arena.tournament.planning import runs_in


@grouped
def merge(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Shards of one run, and its plan: without the plan the run cannot be verified.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="A new folder for the whole run.", show_default=False)
    ],
    output: PlainOutputOptions,
) -> None:
    """Join the parts of a run, and print its leaderboard.

    A match that several hold counts once; two that contradict each other are named (exit 4), and nothing is written.

    Example: arena merge plan part-1 part-2 --out results/whole
    """
    if out.exists() and (not out.is_dir() or any(path.name != NEW for path in out.rglob("*") if not path.is_dir())):
        raise UsageError(f"expected a new folder, got {out}, which holds something", option="out")
    found = _by_game(runs)
    with ExitStack() as held:
        joined = [(out / name, held.enter_context(join(parts, RunFolder(out / name)))) for name, parts in found.items()]
        # all games were accepted: now they are written
        written = [(path, write()) for path, write in joined]
    boards = []
    for path, merged in written:
        boards.append(write_standings(RunFolder(path)))
        remark(f"arena: {path}: {_said(merged)}", quiet=output.quiet)
    typer.echo(render_boards(boards, output.form.value), nl=False)


def _by_game(runs: list[Path]) -> Mapping[str, list[RunFolder]]:
    """The runs to join, by name: where folders hold runs of several games, the name is that of the game."""
    found: dict[str, list[RunFolder]] = {}
    for run in runs:
        for name, folder in runs_in(run).items():
            found.setdefault(name, []).append(folder)
    if "" in found and len(found) > 1:
        others = ", ".join(name for name in found if name)
        raise UsageError(f"expected runs, or folders of runs, got {found[''][0].path} beside folders with {others}")
    return found


def _said(merged: Merged) -> str:
    whole = merged.manifest.matches
    if merged.matches < whole:
        return f"{merged.matches} of {whole} matches"
    if not merged.secrets:
        return f"all {whole} matches, but not the secret: with the plan among the runs it can be finished and verified"
    return f"all {whole} matches"
