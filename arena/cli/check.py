"""``arena check``: hold one bot against the numbered sentences of the protocol, and tell its author what to mend."""

from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.ci import tell, write_cases
from arena.cli.gates import GateOptions
from arena.cli.groups import OptionGroup, grouped, spec_from
from arena.cli.options import LimitOptions, SandboxOptions, all_games, pairs
from arena.cli.output import FormatOption, OutputOptions
from arena.escape import as_json
from arena.library.checking import checkable, findings
from arena.library.steps import of_check
from arena.report.conformance import as_data, as_lines, cases, rows
from arena.report.tables import table
from arena.terminal.progress import trying_line


@dataclass(frozen=True, kw_only=True)
class TableOptions(OptionGroup):
    """What the bot is held against."""

    title = "What is tried"
    games: Annotated[
        list[str] | None,
        typer.Option(
            "-g",
            "--game",
            metavar="GAME",
            help="A game; may be repeated. Default: all that the bot plays.",
            show_default=False,
        ),
    ] = None
    seats: Annotated[
        str | None,
        typer.Option(metavar="N|A-B", help="Seats at the table. Default: every possible number.", show_default=False),
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
    tables: TableOptions,
    limited: LimitOptions,
    isolated: SandboxOptions,
    gates: GateOptions,
    output: OutputOptions,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show long lines whole.")] = False,
) -> None:
    """Check that a bot keeps the protocol, sentence by sentence, in every game it plays, at every number of seats.

    Example: arena check "mine=python3 mine.py" --game dockfight
    """
    checked = checkable(bot)
    limits = pairs(limited.limits, option="limits", example="KEY=VALUE such as line=64KiB")
    spec = spec_from(tables, limited, isolated, limits=limits)
    if not (spec.games or checked.games):
        all_games(quiet=output.quiet)
    with trying_line(quiet=output.quiet) as trying:
        found = findings(checked, spec, exit_first=tables.exit_first, say=output.say, trying=trying)
    if output.form is FormatOption.json:
        typer.echo(as_json(as_data(checked.name, found)))
    elif output.form is FormatOption.table:
        typer.echo("\n".join(as_lines(checked.name, found, quiet=output.quiet, verbose=verbose)))
    else:
        typer.echo(table(rows(found), output.form))
    if gates.junit_xml is not None:
        write_cases(gates.junit_xml, f"arena check {checked.name}", cases(checked.name, found), found.seconds)
    if gates.github:
        tell(of_check(checked, found))
    if not found.holds:
        raise typer.Exit(1)
