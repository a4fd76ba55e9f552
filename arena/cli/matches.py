"""``arena matches``: find the match to look at."""

import shlex
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.groups import grouped
from arena.cli.options import Format, PlainOutput, Run
from arena.errors import UsageError
from arena.players.botfile import nearest
from arena.report.matches import WIDE, Columns, data, row, wanted
from arena.report.tables import pages
from arena.terminal.remarks import remark
from arena.tournament.folder import RunFolder


@grouped
def matches(
    run: Run,
    output: PlainOutput,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot", metavar="NAME", help="Only matches of this bot; of several all together.", show_default=False
        ),
    ] = None,
    lost: Annotated[bool, typer.Option("--lost", help="Only matches that the first --bot did not win.")] = False,
    fault: Annotated[bool, typer.Option("--fault", help="Only with a fault (with --bot: of the first).")] = False,
    void: Annotated[bool, typer.Option("--void", help="Only void matches.")] = False,
) -> None:
    """List the matches of a run in the order they were finished.

    Example: arena matches results/demo --bot greedy --lost
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    names = [entrant.name for entrant in manifest.entrants]
    bots = bot or []
    for name in bots:
        if name not in names:
            text = f"expected a bot of the run ({', '.join(names)}), got {name!r}{nearest(name, names)}"
            raise UsageError(text, option="bot")
    if lost and not bots:
        raise UsageError("expected --bot with it, got none: somebody loses every match", option="lost")
    form = output.form
    count, first = 0, None

    def rows() -> Iterator[dict[str, object]]:
        nonlocal count, first
        count, first = 0, None
        for number, record in enumerate(folder.records()):
            if wanted(record, bots, lost=lost, fault=fault, void=void):
                found = data(number, record) if form is Format.json else row(number, record)
                first = found["match"] if count == 0 else first
                count += 1
                yield found

    def shown() -> Iterator[dict[str, object]]:
        return chain.from_iterable(map(columns.folded, rows())) if columns is not None else rows()

    columns = Columns(rows()) if form is Format.table else None
    for page in pages(shown, form, ("match", "id", *WIDE, "ms")):
        typer.echo(page)
    unfinished = "" if manifest.finished else " so far (provisional: the run is not finished)"
    where = f"; look at one: arena replay {shlex.quote(run)} '{first}'" if count else ""
    said = f"{count} {'match' if count == 1 else 'matches'}{unfinished}{where}"
    remark(said, quiet=output.quiet or form is not Format.table)
