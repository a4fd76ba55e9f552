"""``arena check``: hold one bot against the numbered sentences of the protocol, and tell its author what to mend."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.gates import Gates
from arena.cli.github import annotate, place_of, put, summarise
from arena.cli.groups import Group, grouped, spec_from
from arena.cli.junit import write_cases
from arena.cli.options import Format, Isolated, Limited, Output, all_games, pairs
from arena.conformance.findings import Findings
from arena.escape import as_json, plain
from arena.library.checking import checkable, findings
from arena.players.botfile import BotFile
from arena.report.conformance import WIDTH, as_data, as_lines, cases, offending, rows
from arena.report.github import fenced
from arena.report.tables import table


@dataclass(frozen=True, kw_only=True)
class Tables(Group):
    """What the bot is held against."""

    title = "What is tried"
    games: Annotated[
        list[str] | None,
        typer.Option(
            "-g", "--game", metavar="GAME", help="A game, may be repeated. Default: all it plays.", show_default=False
        ),
    ] = None
    seats: Annotated[
        str | None, typer.Option(metavar="N|A-B", help="Seats at the table. Default: every number.", show_default=False)
    ] = None
    exit_first: Annotated[bool, typer.Option("-x", "--exit-first", help="Stop at the first failure.")] = False


@grouped
def check(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="A shipped bot, a folder with a bot.toml, or NAME=COMMAND LINE.", show_default=False
        ),
    ],
    tables: Tables,
    limited: Limited,
    isolated: Isolated,
    gates: Gates,
    output: Output,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show long lines whole.")] = False,
) -> None:
    """Hold a bot against the protocol, sentence by sentence, in every game it plays at every number of seats.

    Example: arena check "mine=python3 mine.py" --game dockfight
    """
    checked = checkable(bot)
    limits = pairs(limited.limits, "limits", "KEY=VALUE such as line=64KiB")
    spec = spec_from(tables, limited, isolated, limits=limits)
    if not (spec.games or checked.games):
        all_games(quiet=output.quiet)
    with _progress(quiet=output.quiet) as trying:
        found = findings(checked, spec, exit_first=tables.exit_first, say=output.say, trying=trying)
    if output.form is Format.json:
        typer.echo(as_json(as_data(checked.name, found)))
    elif output.form is Format.table:
        typer.echo("\n".join(as_lines(checked.name, found, quiet=output.quiet, verbose=verbose)))
    else:
        typer.echo(table(rows(found), output.form))
    if gates.junit_xml is not None:
        write_cases(gates.junit_xml, f"arena check {checked.name}", cases(checked.name, found), found.seconds)
    if gates.github:
        tell(checked, found)
    if not found.holds:
        raise typer.Exit(1)


class _Line:
    """A line on a terminal that is written over; nothing where there is no terminal."""

    def __init__(self, *, shows: bool) -> None:
        self._shows = shows

    def __call__(self, what: str) -> None:
        if self._shows:
            sys.stderr.write(f"\r\x1b[Ktrying: {plain(what, WIDTH - 10)}")
            sys.stderr.flush()


@contextmanager
def _progress(*, quiet: bool) -> Iterator[_Line]:
    shows = not quiet and sys.stderr.isatty()
    try:
        yield _Line(shows=shows)
    finally:
        if shows:
            sys.stderr.write("\r\x1b[K")


def tell(bot: BotFile, findings: Findings) -> None:
    """Tell a step of GitHub Actions what was found."""
    failed = [result for result in findings.results if result.failure]
    for result in failed[:10]:
        failure = result.failure
        said = [failure.rule, *offending(failure), f"mend: {failure.hint}"] if failure else []
        annotate("error", "\n".join(said), title=f"{bot.name}, sentence {result.number}", file=place_of(bot.folder))
    table_ = table(rows(findings), "markdown")
    told = "\n".join(as_lines(bot.name, findings, quiet=True))
    summarise(f"### Check of {bot.name}\n\n{table_}\n\n{fenced(told)}")
    numbers = ", ".join(str(result.number) for result in failed)
    put({"verdict": "holds" if findings.holds else "fails", "failed": numbers})
