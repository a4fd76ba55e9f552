"""``arena matches``: the list of matches, to find one to look at."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import PlainOutputOptions, Run, grouped, option
from arena.errors import UsageError, nearest
from arena.report.matches import listed, select_rows
from arena.terminal import remark
from arena.tournament.folder import RunFolder
from arena.tournament.standings import results_of
from arena.words import plural


@grouped
def matches(
    run: Run,
    output: PlainOutputOptions,
    bot: Annotated[
        list[str] | None,
        option("--bot NAME: Only matches of this bot; if given more than once, matches in which all of them sit."),
    ] = None,
    lost: Annotated[bool, option("--lost: Only matches that the first --bot did not win.")] = False,
    fault: Annotated[
        bool, option("--fault: Only matches with a fault; with --bot, a fault of the first --bot.")
    ] = False,
    void: Annotated[bool, option("--void: Only void matches.")] = False,
) -> None:
    """List the matches of a run in the order they were finished.

    Example: arena matches results/demo --bot greedy --lost
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    bots = bot or []
    _see_known(bots, [entrant.name for entrant in manifest.entrants])
    if lost and not bots:
        raise UsageError("expected --bot beside it, got none: every match has a loser", option="lost")
    results = results_of(folder)
    rows = select_rows(results, bots, lost=lost, fault=fault, void=void)
    for page in listed(results, rows, output.form):
        typer.echo(page)
    unfinished = "" if manifest.finished else " so far (provisional: the run is not finished)"
    first = f"#{results.match(rows[0]).number}" if len(rows) else ""
    where = f"; look at one: arena replay {shlex.quote(run)} '{first}'" if len(rows) else ""
    summary = f"{plural(len(rows), 'match')}{unfinished}{where}"
    remark(summary, quiet=output.quiet or output.form != "table")


def _see_known(bots: list[str], names: list[str]) -> None:
    for name in bots:
        if name not in names:
            text = f"expected a bot of the run ({', '.join(names)}), got {name!r}{nearest(name, names)}"
            raise UsageError(text, option="bot")
