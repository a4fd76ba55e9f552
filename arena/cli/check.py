"""``arena check``: hold one bot against the numbered sentences of the protocol, and tell its author what to mend."""

import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import Annotated, Any

import typer

from arena.cli.config import ConfigFile
from arena.cli.failure import Usage
from arena.cli.field import launched
from arena.cli.github import GitHub, annotate, place_of, put, summarise
from arena.cli.isolation import Asked, BuildNetwork, Isolation, Readable, settled
from arena.cli.junit import JUnitFile, write_cases
from arena.cli.options import (
    Bank,
    Budget,
    Format,
    Formatted,
    Json,
    Limited,
    MoveTime,
    Quiet,
    StartTime,
    all_games,
    find_game,
    limits,
    seat_counts,
)
from arena.conformance.findings import Failure, Findings, Line, Result, Table, tables
from arena.conformance.sentences import TEXT, Sentence
from arena.players.botfile import BotFile, missing
from arena.players.build import prepare
from arena.players.entrants import entrant
from arena.players.limits import excess, lowered
from arena.players.process import HouseTrouble
from arena.players.walls import House, for_build
from arena.report.github import fenced
from arena.report.junit import Case
from arena.report.plain import as_json, folded, plain
from arena.report.tables import table
from arena.tournament.jobs import Check, Checked, Job, Message, Trying
from arena.tournament.lanes import Lanes
from arena.tournament.supervised import supervised
from arena.wire import Limits

WIDTH = 80
SHOWN = 2000
"""Characters of a line that are shown without ``-v``."""
_TAIL = 500
_ERRORS = 20
"""Lines of stderr that are shown."""
_ALSO = 3
_MARK = {"ok": "ok", "failed": "FAIL", "note": "note", "skipped": "-"}
_INDENT = " " * 9
_ANY_LENGTH = 1 << 30


def check(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="A shipped bot, a folder with a bot.toml, or NAME=COMMAND LINE.", show_default=False
        ),
    ],
    game: Annotated[
        list[str] | None,
        typer.Option(
            "-g", "--game", metavar="GAME", help="A game, may be repeated. Default: all it plays.", show_default=False
        ),
    ] = None,
    seats: Annotated[
        str | None, typer.Option(metavar="N|A-B", help="Seats at the table. Default: every number.", show_default=False)
    ] = None,
    exit_first: Annotated[bool, typer.Option("-x", "--exit-first", help="Stop at the first failure.")] = False,
    move_time: MoveTime = None,
    start_time: StartTime = "10s",
    bank: Bank = None,
    budget: Budget = "10m",
    limit: Limited = None,
    isolation: Isolation = Asked.auto,
    build_network: BuildNetwork = False,
    readable: Readable = None,
    junit_xml: JUnitFile = None,
    github: GitHub = False,
    _config: ConfigFile = None,
    format_: Formatted = Format.table,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show long lines whole.")] = False,
) -> None:
    """Hold a bot against the protocol, sentence by sentence, in every game it plays at every number of seats.

    Example: arena check "mine=python3 mine.py" --game dockfight
    """
    found = _entered(bot)
    house = limits(move_time, start_time, bank, budget, limit or [])
    if more := excess(house, found.limits):
        raise Usage(f"bot {found.name} {more}")
    own = lowered(house, found.limits)
    sat = _tables(found, game or [], seats, quiet=quiet)
    with Lanes(1) as lanes:
        walls = settled(isolation, lanes, readable=readable or [], build_network=build_network, quiet=quiet)
        findings = _tried(lanes, walls, found, sat, own, exit_first=exit_first, quiet=quiet)
    format_ = Format.json if json else format_
    if format_ is Format.json:
        typer.echo(as_json(as_data(found.name, findings)))
    elif format_ is Format.table:
        typer.echo("\n".join(as_lines(found.name, findings, quiet=quiet, verbose=verbose)))
    else:
        typer.echo(table(_rows(findings), format_))
    if junit_xml is not None:
        write_cases(junit_xml, f"arena check {found.name}", cases(found.name, findings), findings.seconds)
    if github:
        tell(found, findings)
    if not findings.holds:
        raise typer.Exit(1)


def _entered(text: str) -> BotFile:
    bot = entrant(text)
    if lack := missing(bot):
        raise Usage(f"expected a bot this machine can run, got: {lack}")
    return bot


def _tables(bot: BotFile, names: Sequence[str], seats: str | None, *, quiet: bool) -> tuple[Table, ...]:
    """Every table that the bot is to sit down at.

    Raises:
        Usage: no such game or seats, or the bot does not play the game.
    """
    everything = "all" in names or not (names or bot.games)
    chosen = all_games(quiet=quiet) if everything else list(dict.fromkeys(names)) or list(bot.games)
    for name in chosen:
        if bot.games and name not in bot.games:
            raise Usage(f"expected a game that {bot.name} plays ({', '.join(bot.games)}), got {name!r}")
    sat: list[Table] = []
    for name in chosen:
        game = find_game(name)
        sat += tables(game, tuple(game.seats) if seats is None else seat_counts(seats, game, None))
    return tuple(sat)


def _tried(
    lanes: Lanes, walls: House, bot: BotFile, sat: tuple[Table, ...], own: Limits, *, exit_first: bool, quiet: bool
) -> Findings:
    """Have the bot tried in a lane, so that nothing of it is left whatever becomes of this process.

    Raises:
        BotError: it cannot be built.
        HouseTrouble: this machine is too busy to tell.
    """
    shows = not quiet and sys.stderr.isatty()
    checked: list[Checked] = []

    def heard(_job: Job, message: Message) -> None:
        if isinstance(message, Trying) and shows:
            sys.stderr.write(f"\r\x1b[Ktrying: {plain(message.what, WIDTH - 10)}")
            sys.stderr.flush()
        elif isinstance(message, Checked):
            checked.append(message)

    folder = prepare(bot, run=supervised(lanes, for_build(bot, walls)))
    try:
        lanes.run([Check(launched(bot, folder, walls, own), sat, own, exit_first)], heard)
    finally:
        if shows:
            sys.stderr.write("\r\x1b[K")
    findings = checked[0].findings
    if findings is None:
        raise HouseTrouble(f"this machine is too busy to tell how {bot.name} does: {checked[0].why}")
    return findings


# --- what is printed


def as_lines(name: str, findings: Findings, *, quiet: bool = False, verbose: bool = False) -> list[str]:
    """The findings for people: a sentence a line, and below each that does not hold what happened."""
    lines = []
    for result in findings.results:
        if quiet and result.status not in {"failed", "note"}:
            continue
        lines += _sentence(result)
        if result.failure is not None:
            lines += _told(result.failure, verbose=verbose)
    counts = [result.status for result in findings.results]
    summary = f"{counts.count('ok') + counts.count('note')} of {len(counts)} sentences hold"
    if failed := counts.count("failed"):
        summary += f", {failed} failed"
    if skipped := counts.count("skipped"):
        summary += f", {skipped} not tried"
    played = f"{findings.matches} matches, {findings.questions:,} questions, {findings.seconds:.1f} s"
    return [*lines, *wrap(f"{name}: {summary} ({played})", WIDTH)]


def _sentence(result: Result) -> list[str]:
    head = f"{_MARK[result.status]:<5}{result.number:>2}. "
    text = TEXT[Sentence(result.number)]
    if result.remark:
        text += f" ({plain(result.remark, 200)})"
    return folded(text, WIDTH, initial_indent=head, subsequent_indent=_INDENT)


def _told(failure: Failure, *, verbose: bool) -> list[str]:
    """Where and how a sentence does not hold, how to mend it, and what was said."""
    also = [*failure.also[:_ALSO], *([f"{len(failure.also) - _ALSO} more"] if len(failure.also) > _ALSO else [])]
    facts = [("where", failure.where), ("", failure.rule), ("mend", failure.hint), *(("also", where) for where in also)]
    told = []
    for label, fact in facts:
        head = f"{_INDENT}{label}: " if label else _INDENT
        told += folded(plain(fact, 1000), WIDTH, initial_indent=head, subsequent_indent=_INDENT + "  ")
    if failure.lines:
        # lines are exact, so that they can be sent again: they are never wrapped
        told += [
            f"{_INDENT}{'sent' if line.sent else 'got '} | {shown(line, verbose=verbose)}" for line in failure.lines
        ]
    return told + [f"{_INDENT}stderr | {plain(line, 200)}" for line in _errors(failure)]


def shown(line: Line, *, verbose: bool) -> str:
    """A line of a conversation in printable ASCII, its middle left out if it is long and not ``verbose``."""
    text = plain(_text(line.text), _ANY_LENGTH)
    if verbose or len(text) <= SHOWN:
        return text
    left_out = len(text) - SHOWN
    return f"{text[: SHOWN - _TAIL]} [... {left_out} characters: -v shows them ...] {text[-_TAIL:]}"


def _errors(failure: Failure) -> list[str]:
    return [line for line in _text(failure.errors).split("\n") if line.strip()][-_ERRORS:]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def cases(name: str, findings: Findings) -> list[Case]:
    """Each sentence as a test case."""
    found = []
    for result in findings.results:
        case = f"{result.number}. {TEXT[Sentence(result.number)]}"
        if failure := result.failure:
            more = "\n".join([failure.where, f"mend: {failure.hint}", *_errors(failure)])
            found.append(Case(name, case, failure.rule, f"sentence {result.number}", more))
        else:
            found.append(Case(name, case, skipped=result.remark or "not tried" if result.status == "skipped" else ""))
    return found


def tell(bot: BotFile, findings: Findings) -> None:
    """Tell a step of GitHub Actions what was found."""
    failed = [result for result in findings.results if result.failure]
    for result in failed[:10]:
        failure = result.failure
        text = f"{failure.rule}\nmend: {failure.hint}" if failure else ""
        annotate("error", text, title=f"{bot.name}, sentence {result.number}", file=place_of(bot.folder))
    table_ = table(_rows(findings), "markdown")
    told = "\n".join(as_lines(bot.name, findings, quiet=True))
    summarise(f"### Check of {bot.name}\n\n{table_}\n\n{fenced(told)}")
    numbers = ", ".join(str(result.number) for result in failed)
    put({"verdict": "holds" if findings.holds else "fails", "failed": numbers})


def _rows(findings: Findings) -> list[dict[str, object]]:
    return [
        {
            "number": result.number,
            "sentence": TEXT[Sentence(result.number)],
            "status": result.status,
            "remark": result.failure.rule if result.failure else result.remark,
        }
        for result in findings.results
    ]


def as_data(name: str, findings: Findings) -> dict[str, Any]:
    """The findings for programs; lines are whole and as they were."""
    sentences = []
    for result in findings.results:
        sentence: dict[str, Any] = {
            "number": result.number,
            "sentence": TEXT[Sentence(result.number)],
            "status": result.status,
            "remark": result.remark,
        }
        if failure := result.failure:
            sentence["failure"] = {
                "where": failure.where,
                "rule": failure.rule,
                "hint": failure.hint,
                "lines": [{"sent": line.sent, "text": _text(line.text)} for line in failure.lines],
                "stderr": _errors(failure),
                "also": list(failure.also),
            }
        sentences.append(sentence)
    return {
        "bot": name,
        "holds": findings.holds,
        "matches": findings.matches,
        "questions": findings.questions,
        "seconds": findings.seconds,
        "sentences": sentences,
    }
