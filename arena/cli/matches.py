"""``arena matches``: the list of matches, to find one to look at."""

import shlex
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import Run, grouped
from arena.cli.output import FormatOption, PlainOutputOptions
from arena.errors import UsageError
from arena.players.botfile import nearest
from arena.record import Record
from arena.report.document import pages
from arena.report.matches import WIDE, Columns, data, row, wanted
from arena.terminal.remarks import remark
from arena.tournament.folder import RunFolder


@grouped
def matches(
    run: Run,
    output: PlainOutputOptions,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            metavar="NAME",
            help="Only matches of this bot; if given more than once, matches in which all of them sit.",
            show_default=False,
        ),
    ] = None,
    lost: Annotated[bool, typer.Option("--lost", help="Only matches that the first --bot did not win.")] = False,
    fault: Annotated[
        bool, typer.Option("--fault", help="Only matches with a fault; with --bot, a fault of the first --bot.")
    ] = False,
    void: Annotated[bool, typer.Option("--void", help="Only void matches.")] = False,
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
    form = output.form
    found = _Found(folder, form, lambda record: wanted(record, bots, lost=lost, fault=fault, void=void))
    for page in pages(found.shown, form, ("match", "id", *WIDE, "ms")):
        typer.echo(page)
    unfinished = "" if manifest.finished else " so far (provisional: the run is not finished)"
    where = f"; look at one: arena replay {shlex.quote(run)} '{found.first}'" if found.count else ""
    said = f"{found.count} {'match' if found.count == 1 else 'matches'}{unfinished}{where}"
    remark(said, quiet=output.quiet or form is not FormatOption.table)


class _Found:
    """The matches that are wanted; they are read again each time, so that a long run takes no room."""

    def __init__(self, folder: RunFolder, form: FormatOption, chosen: Callable[[Record], bool]) -> None:
        self._folder, self._form, self._chosen = folder, form, chosen
        self.count = 0
        self.first: object = None
        """Of the last reading the number of the first match."""
        self._columns = Columns(self._rows()) if form is FormatOption.table else None

    def shown(self) -> Iterator[dict[str, object]]:
        """The rows to print."""
        columns = self._columns
        return chain.from_iterable(map(columns.folded, self._rows())) if columns is not None else self._rows()

    def _rows(self) -> Iterator[dict[str, object]]:
        self.count, self.first = 0, None
        for number, record in enumerate(self._folder.records()):
            if self._chosen(record):
                found = data(number, record) if self._form is FormatOption.json else row(number, record)
                self.first = found["match"] if self.count == 0 else self.first
                self.count += 1
                yield found


def _see_known(bots: list[str], names: list[str]) -> None:
    for name in bots:
        if name not in names:
            text = f"expected a bot of the run ({', '.join(names)}), got {name!r}{nearest(name, names)}"
            raise UsageError(text, option="bot")
