"""``arena verify``: whether a run follows from its secret and its picks, and whether bots answer as recorded."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import AsRun, Run, grouped, option
from arena.errors import UsageError
from arena.escape import harmless
from arena.report.document import table
from arena.tournament.folder import RunFolder
from arena.tournament.verification import Tried, Verification, drawn, found_again, tried, verification
from arena.words import plural


@grouped
def verify(
    run: Run,
    entries: Annotated[list[str] | None, option("[BOT]...: With --bots: the bots that do not ship with arena.")] = None,
    bots: Annotated[bool, option("--bots: Ask the real bots again, and name those that answer differently.")] = False,
    sample: Annotated[int | None, option("--sample N: With --bots: N matches, always the same ones.", min=1)] = None,
    isolation: AsRun = "auto",
) -> None:
    """Play every match again from the secret and the picks, and compute the leaderboard again.

    The first difference is named; then the exit code is 1.

    Example: arena verify results/demo --bots --sample 20 "mine=python3 mine.py"
    """
    if not bots and entries and RunFolder(Path(entries[0])).begun():
        raise UsageError(f"expected one RUN, got {1 + len(entries)}: `arena verify` takes one after the other")
    if not bots and (entries or sample is not None):
        raise UsageError(
            f"expected --bots with {'--sample' if sample is not None else repr((entries or [])[0])}, got none"
        )
    folder = RunFolder(Path(run))
    present, lacking = found_again(folder.manifest(), entries or []) if bots else ({}, {})
    checked = verification(folder)
    typer.echo(harmless(_summary(checked)))
    if not checked.holds:
        raise typer.Exit(1)
    if bots:
        if not present:
            raise UsageError("expected a bot that can be tried, got none:" + _list(lacking))
        matches = drawn(checked.played, sample)
        results, cannot = tried(folder, folder.manifest(), present, matches, isolation)
        _print_tried(results, lacking | cannot)


def _summary(checked: Verification) -> str:
    if not checked.holds:
        return checked.fault
    void = f", {len(checked.voids)} of them void" if checked.voids else ""
    unplayed = f" ({checked.unplayed} not played yet)" if checked.unplayed else ""
    hold = plural(len(checked.matches), "match holds", "matches hold")
    return f"{hold}{void}: schedule, deals, answers, ranks and scores{unplayed}"


def _print_tried(results: dict[str, Tried], cannot: dict[str, str]) -> None:
    rows = [
        {
            "bot": name,
            "matches": result.matches,
            "decisions": result.decisions,
            "differing": result.differing,
            "first difference": f"{result.first[2]} decision {result.first[1]}" if result.first else "-",
        }
        for name, result in results.items()
    ]
    columns = ("bot", "matches", "decisions", "differing", "first difference")
    typer.echo(table(rows, "table", columns, columns[1:4]))
    if cannot:
        typer.echo(harmless("not tried:" + _list(cannot)))
    if any(result.differing for result in results.values()):
        raise typer.Exit(1)


def _list(why: dict[str, str]) -> str:
    return "\n  ".join(["", *(f"{name}: {reason}" for name, reason in why.items())])
