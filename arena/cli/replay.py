"""``arena replay``: one match replayed, step by step for a person, or to a bot, byte for byte as its seat was asked."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import AsRun, OptionGroup, Run, grouped, option, write_page
from arena.errors import UsageError
from arena.escape import folded, harmless, plain
from arena.record import Differs, Record
from arena.record import verify as verify_record
from arena.report.conformance import shown
from arena.report.document import WIDTH, table
from arena.report.replay import sentences
from arena.terminal.progress import pass_on
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.tournament.recall import Difference
from arena.tournament.reporting import find_match, replay_of, rules_in
from arena.tournament.verification import answers, given
from arena.wire import Decide, decode_from_house, encode


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(OptionGroup):
    """How the match is told."""

    title = "How to show it"
    seat: Annotated[int | None, option("--seat N: Show only what this seat saw.", min=0, max=7)] = None
    board: Annotated[bool, option("--board: Show the table; at a terminal, step with keys.")] = False
    json: Annotated[bool, option("--json: Print the match as data; `arena schema --of replay` explains it.")] = False
    html: Annotated[str | None, option("--html FILE: Write a page to watch it; - is stdout.")] = None
    verbose: Annotated[bool, option("-v --verbose: Show long lines whole.")] = False


@dataclass(frozen=True, kw_only=True)
class AskedBotOptions(OptionGroup):
    """A bot that answers the questions of a recorded match again."""

    title = "A bot to ask again"
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- CMD...]",
            help="A bot that gets the questions of this seat: a BOT as in run, or a command line.",
            show_default=False,
        ),
    ] = None
    whole: Annotated[bool, option("--all: Show every answer that differs, as a table; not only the first.")] = False
    isolation: AsRun = "auto"


@grouped
def replay(
    run: Run,
    match: Annotated[str, option("MATCH: #n, or the beginning of an id.")],
    how: ReplayOptions,
    asked: AskedBotOptions,
) -> None:
    """Show a match step by step; or ask a bot the questions of a seat again.

    A bot comes last, as in --seat 2 -- python3 mine.py.

    Example: arena replay results/demo '#0' --seat 2
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    number, record = find_match(folder, match)
    if how.seat is not None and how.seat >= len(record.bots):
        raise UsageError(f"expected a seat from 0 to {len(record.bots) - 1}, got {how.seat}", option="seat")
    if how.board + how.json + (how.html is not None) + bool(asked.command) > 1:
        raise UsageError("expected one of --board, --json, --html and a bot, got several")
    if how.board or how.json or how.html is not None:
        _picture(folder, manifest, record, number, how)
        return
    if asked.command:
        _ask(folder, manifest, record, how, asked)
        return
    secrets = folder.secrets_of(manifest)
    state = None if record.reason == "void" else deal(secrets, record)[1]
    try:
        for line in sentences(record, state, seat=how.seat):
            typer.echo(harmless(line))
    except Differs as difference:
        raise Differs(f"match {record.id}: {difference}; see `arena verify`") from None
    if not manifest.finished:
        typer.echo("(provisional: the run is not finished)")


def _picture(folder: RunFolder, manifest: Manifest, record: Record, number: int, how: ReplayOptions) -> None:
    replayed = replay_of(folder, manifest, record, number=number, seat=how.seat, data=how.json)
    if how.json:
        typer.echo(encode(replayed))
    elif how.html is not None:
        from arena.page.board import replay_page  # noqa: PLC0415 - markup takes long to load, and few ask for it

        seen = [] if how.seat is None else ["--seat", str(how.seat)]
        words = shlex.join(["arena", "replay", str(folder.path), record.id, *seen])
        run = shlex.quote(str(folder.path))
        write_page(how.html, page=replay_page(replayed, rules=rules_in(manifest), run=run, command=words))
    else:
        from arena.terminal.board import show  # noqa: PLC0415 - likewise rich

        show(replayed, seat=how.seat)


def _ask(folder: RunFolder, manifest: Manifest, record: Record, how: ReplayOptions, asked: AskedBotOptions) -> None:
    seat, here = _asked_seat(record, how.seat)
    if wrong := verify_record(record, deal(folder.secrets_of(manifest), record)[1]):
        raise Differs(f"match {record.id}: {wrong}; see `arena verify`")
    bot = given(asked.command or [], record.bots[seat])
    differed, compared = answers(
        folder, manifest, record, seat, bot, isolation=asked.isolation, whole=asked.whole, on_stderr=pass_on
    )
    spoilt = sum(fault.seat == seat for fault in record.faults)
    more = f"; {spoilt} {'fault was' if spoilt == 1 else 'faults were'} recorded and not compared" if spoilt else ""
    if not differed:
        typer.echo(harmless(f"{here}: all {compared} answers are as recorded{more}"))
        return
    if asked.whole:
        typer.echo(table([_row_of(record, difference) for difference in differed], "table"))
        typer.echo(harmless(f"{here}: {len(differed)} of {compared} answers differ{more}"))
    else:
        told = [f"{here}: {_where_of(differed[0])}", *_told_of(record, differed[0], verbose=how.verbose)]
        typer.echo(harmless("\n".join(told)))
    raise typer.Exit(1)


def _where_of(difference: Difference) -> str:
    what = f"fault {difference.fault.kind}" if difference.fault else "another answer than recorded"
    return f"decision {difference.decision}: {what}" if difference.decision >= 0 else f"hello: {what}"


def _told_of(record: Record, difference: Difference, *, verbose: bool) -> Iterator[str]:
    fault = difference.fault
    if fault is not None:
        for label, fact in (("rule", fault.rule), ("mend", fault.hint)):
            if fact:
                yield from folded(f"{label}: {plain(fact, 400)}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    yield f"sent     | {shown(difference.sent, verbose=verbose)}"
    if difference.decision >= 0:
        yield f"recorded | {_picked(difference, record.picks[difference.decision])}"
    if fault is None:
        yield f"got      | {_picked(difference, difference.picks)}"
    elif fault.line:
        yield f"got      | {shown(fault.line.encode(), verbose=verbose)}"


def _picked(difference: Difference, picks: tuple[int, ...]) -> str:
    """Indexes, and the options they name as the bot sees them."""
    asked = decode_from_house(difference.sent)
    options = asked.options if isinstance(asked, Decide) else ()
    named = ", ".join(encode(options[pick]).decode() for pick in picks)
    return f"{list(picks)} {named}".rstrip()


def _row_of(record: Record, difference: Difference) -> dict[str, str]:
    recorded = _picked(difference, record.picks[difference.decision]) if difference.decision >= 0 else ""
    fault = difference.fault
    got = f"{fault.kind}: {fault.rule}" if fault else _picked(difference, difference.picks)
    return {"decision": str(difference.decision), "recorded": plain(recorded, 33), "got": plain(got, 33)}


def _asked_seat(record: Record, seat: int | None) -> tuple[int, str]:
    if seat is None:
        raise UsageError("expected the seat that the command is to answer for, got none", option="seat")
    if record.reason == "void":
        raise UsageError(f"expected a match that was played, got {record.id}, which is void: {plain(record.why, 400)}")
    here = f"match {record.id}, seat {seat} ({record.bots[seat]})"
    if seat in record.withdrawn:
        raise UsageError(f"expected a seat that was asked, got {here}: it was withdrawn, and silence played for it")
    return seat, here
