"""``arena check``: try bots against the numbered rules of the protocol, and tell their authors what to fix."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer
from msgspec.structs import replace

from arena.cli.ci import GateOptions
from arena.cli.failure import USAGE, report
from arena.cli.options import SANDBOX, OptionGroup, OutputOptions, Takes, grouped, option, verbose_option
from arena.errors import BotError, UsageError
from arena.escape import folded, plain
from arena.players.content import belongings
from arena.players.entrants import read_entrant
from arena.report.conformance import CheckedBot, as_lines, cases, of_check, printed
from arena.report.document import WIDTH
from arena.terminal import print_result
from arena.terminal.progress import trying_line
from arena.tournament.calls import checked
from arena.tournament.settings import RunSpec
from arena.tournament.steps import tell, write_cases
from arena.transcript import Transcript, open_transcripts


@dataclass(frozen=True, kw_only=True)
class TableOptions(OptionGroup):
    """What the bot is held against."""

    title = "What is tried"
    games: Annotated[
        list[str] | None, option("-g --game GAME: A game; may be repeated. Default: all that the bot plays.")
    ] = None
    seats: Annotated[str | None, option("--seats N|A-B: Seats at the table. Default: every possible number.")] = None
    exit_first: Annotated[bool, option("-x --exit-first: Stop at the first failure.")] = False
    lines: Annotated[
        str | None, option("--lines FILE: Only what a seat was asked, as replay --lines --answers prints it.")
    ] = None
    not_: Annotated[
        list[int] | None,
        option("--not N: Fail if decision N of these lines is answered as recorded; may be repeated.", min=0),
    ] = None


@grouped
def check(
    bots: Annotated[list[str], option("BOT...: A shipped bot, a folder with a bot.toml, or NAME=COMMAND LINE.")],
    tables: TableOptions,
    spec: Annotated[RunSpec, Takes(f"move_time start_time bank budget limits {SANDBOX}")],
    gates: GateOptions,
    output: OutputOptions,
    verbose: Annotated[
        bool, verbose_option("List what belongs to the bot; show what was sent and received, limits and stderr.")
    ] = False,
) -> None:
    """Check that a bot keeps the protocol, rule by rule, in every game it plays, at every number of seats.

    Several bots are checked one after the other; a bot that cannot be tried does not stop the others.

    Example: arena check "mine=python3 mine.py" --game dockfight
    """
    alone = len(bots) == 1
    if gates.github and not alone:
        raise UsageError(f"expected one bot beside it, got {len(bots)}", option="github")
    spec = replace(spec, games=tuple(tables.games or ()), seats=tables.seats)
    recorded = _read_lines(tables)
    for transcript in recorded[:1]:
        # the times are those of the match
        limits = transcript.hello.limits
        spec = replace(spec, start_time=f"{limits.start}ms", move_time=f"{limits.move}ms")
    try_bot = partial(checked, spec=spec, exit_first=tables.exit_first, recorded=recorded, ruled_out=tables.not_ or ())
    checked_bots: list[CheckedBot] = []
    for text in bots:
        if verbose and output.form == "table":
            with suppress(BotError):  # which the check tells
                for line in belongings(read_entrant(text)):
                    typer.echo("\n".join(folded(plain(line, 1000), WIDTH, subsequent_indent=" " * 15)))
        with trying_line(quiet=output.quiet) as trying:
            say = output.say if not checked_bots else lambda _: None
            checked_bots.append(try_bot(text, say=say, trying=trying))
        _show(checked_bots, output, alone=alone, verbose=verbose)
    if output.form != "table" or not alone:
        typer.echo(printed(checked_bots, output.form, alone=alone))
    _exit_by_gates(checked_bots, gates, title=f"arena check {checked_bots[0].name}" if alone else "arena check")


def _read_lines(tables: TableOptions) -> list[Transcript]:
    ruled_out = tables.not_ or []
    if tables.lines is not None and not (tables.games or tables.seats):
        return open_transcripts(tables.lines, ruled_out)
    if tables.lines is not None:
        raise UsageError("expected --lines or a table (--game, --seats), got both")
    if ruled_out:
        raise UsageError("expected --lines FILE beside it, got none", option="not")
    return []


def _exit_by_gates(bots: Sequence[CheckedBot], gates: GateOptions, *, title: str) -> None:
    if gates.junit_xml is not None:
        write_cases(gates.junit_xml, title, list(cases(bots)), sum(bot.seconds for bot in bots))
    if gates.github:
        tell(of_check(bots[0]))
    if not all(bot.findings for bot in bots):
        raise typer.Exit(USAGE)
    if not all(bot.holds for bot in bots):
        raise typer.Exit(1)


def _show(bots: Sequence[CheckedBot], output: OutputOptions, *, alone: bool, verbose: bool) -> None:
    """Print the findings of the bot that was checked last, or why it could not be tried."""
    *others, last = bots
    if last.error is not None:
        if alone:
            raise last.error
        report(last.error)
    elif last.findings is not None and output.form == "table":
        between = "\n" if others and not output.quiet else ""
        lines = as_lines(last.name, last.findings, quiet=output.quiet, verbose=verbose)
        print_result(between + "\n".join([*lines, ""]))
