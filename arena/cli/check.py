"""``arena check``: hold bots against the numbered sentences of the protocol, and tell their authors what to mend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.ci import tell, write_cases
from arena.cli.failure import USAGE, report
from arena.cli.gates import GateOptions
from arena.cli.groups import OptionGroup, grouped, spec_from
from arena.cli.options import LimitOptions, SandboxOptions, pairs
from arena.cli.output import FormatOption, OutputOptions
from arena.errors import UsageError
from arena.library.checking import checked
from arena.library.steps import of_check
from arena.report.conformance import CheckedBot, all_cases, as_lines, printed
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
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="A shipped bot, a folder with a bot.toml, or NAME=COMMAND LINE.",
            show_default=False,
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

    Several bots are checked one after the other; a bot that cannot be tried does not stop the others.

    Example: arena check "mine=python3 mine.py" --game dockfight
    """
    alone = len(bots) == 1
    if gates.github and not alone:
        raise UsageError(f"expected one bot beside it, got {len(bots)}", option="github")
    limits = pairs(limited.limits, option="limits", example="KEY=VALUE such as line=64KiB")
    spec = spec_from(tables, limited, isolated, limits=limits)
    found: list[CheckedBot] = []
    for text in bots:
        with trying_line(quiet=output.quiet) as trying:
            say = output.say if not found else lambda _: None
            found.append(checked(text, spec, exit_first=tables.exit_first, say=say, trying=trying))
        _show(found, output, alone=alone, verbose=verbose)
    if output.form is not FormatOption.table or not alone:
        typer.echo(printed(found, output.form.value, alone=alone))
    _leave(found, gates, title=f"arena check {found[0].name}" if alone else "arena check")


def _leave(found: Sequence[CheckedBot], gates: GateOptions, *, title: str) -> None:
    """Tell CI of what was found, and leave with its exit code."""
    if gates.junit_xml is not None:
        write_cases(gates.junit_xml, title, all_cases(found), sum(each.seconds for each in found))
    if gates.github:
        tell(of_check(found[0]))
    if not all(each.findings for each in found):
        raise typer.Exit(USAGE)
    if not all(each.holds for each in found):
        raise typer.Exit(1)


def _show(found: Sequence[CheckedBot], output: OutputOptions, *, alone: bool, verbose: bool) -> None:
    """Print the findings of the bot that was checked last, or why it could not be tried."""
    *others, last = found
    if last.error is not None:
        if alone:
            raise last.error
        report(last.error)
    elif last.findings is not None and output.form is FormatOption.table:
        between = "\n" if others and not output.quiet else ""
        typer.echo(between + "\n".join(as_lines(last.name, last.findings, quiet=output.quiet, verbose=verbose)))
