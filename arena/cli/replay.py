"""``arena replay``: one match told again, step by step for a person, or to a bot in the very bytes of a seat."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.answers import answers, given
from arena.cli.check import shown
from arena.cli.failure import Usage
from arena.cli.isolation import Asked, AsRun
from arena.cli.options import Run
from arena.conformance.findings import Line
from arena.game import Whisper
from arena.record import Differs, Fault, Record, Step, retell
from arena.record import verify as verify_record
from arena.report.plain import folded, harmless, plain
from arena.report.tables import table
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.tournament.jobs import Differed
from arena.wire import Decide, decode_from_house, encode

WIDTH = 80
_LONGEST = 4000
_SEAT = re.compile(r"\bseat (\d+)\b")
_NUMBER = re.compile(r"#(\d+)")


def find_match(folder: RunFolder, text: str) -> Record:
    """The match that ``#n`` (its number in the journal) or a prefix of its id stands for; an exact id goes first.

    Raises:
        Usage: none, or several.
    """
    number = _NUMBER.fullmatch(text)
    folder.see_whole()
    found: list[Record] = []
    count = 0
    for record in folder.records():
        if number and count == int(number[1]):
            return record
        if record.id == text:
            return record
        if text and record.id.startswith(text):
            found.append(record)
        count += 1
    if len(found) == 1:
        return found[0]
    if not found:
        known = f"#0 to #{count - 1} or the beginning of an id" if count else "the run, which has none yet"
        raise Usage(f"expected a match of {folder.path} ({known}), got {text!r}; see `arena matches`")
    some = ", ".join(record.id for record in found[:5]) + (", ..." if len(found) > 5 else "")  # noqa: PLR2004 - as many as fit
    raise Usage(f"expected one match, got {text!r}, with which {len(found)} begin: {some}")


def replay(
    run: Run,
    match: Annotated[str, typer.Argument(metavar="MATCH", help="#n, or the beginning of an id.", show_default=False)],
    seat: Annotated[
        int | None, typer.Option("--seat", metavar="N", help="Only what this seat saw.", min=0, max=7)
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- CMD...]",
            help="A bot to ask what that seat was asked: a BOT as in run, or a command line.",
            show_default=False,
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--all", help="Every answer that differs, as a table; not only the first.")
    ] = False,
    isolation: AsRun = Asked.auto,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show long lines whole.")] = False,
) -> None:
    """Tell a match again, step by step; or ask a bot what a seat was asked.

    A bot comes last, as in --seat 2 -- python3 mine.py.

    Example: arena replay results/demo '#0' --seat 2
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    record = find_match(folder, match)
    if seat is not None and seat >= len(record.bots):
        raise Usage(f"--seat: expected a seat from 0 to {len(record.bots) - 1}, got {seat}")
    if command:
        _ask(folder, manifest, record, seat, command, isolation, whole=whole, verbose=verbose)
        return
    try:
        for line in _tell(folder, record, seat):
            typer.echo(harmless(_folded(_SEAT.sub(lambda found: _named(found, record, seat), line))))
    except Differs as difference:
        raise Differs(f"match {record.id}: {difference}; see `arena verify`") from None
    if not manifest.finished:
        typer.echo("(provisional: the run is not finished)")


def _ask(
    folder: RunFolder,
    manifest: Manifest,
    record: Record,
    seat: int | None,
    words: list[str],
    isolation: Asked,
    *,
    whole: bool,
    verbose: bool,
) -> None:
    """Tell a bot what a seat was told, and print where it answers otherwise.

    Raises:
        Exit: with 1, if it does.
    """
    if seat is None:
        raise Usage("--seat: expected the seat that the command is to answer for, got none")
    if record.reason == "void":
        raise Usage(f"expected a match that was played, got {record.id}, which is void: {plain(record.why, 400)}")
    here = f"match {record.id}, seat {seat} ({record.bots[seat]})"
    if seat in record.retired and all(fault.seat != seat for fault in record.faults):
        raise Usage(f"expected a seat that was asked, got {here}: it was withdrawn, and silence played for it")
    if wrong := verify_record(record, deal(folder.secrets_of(manifest), record)[1]):
        raise Differs(f"match {record.id}: {wrong}; see `arena verify`")
    bot = given(words, record.bots[seat])
    differed, compared = answers(folder, manifest, record, seat, bot, isolation, whole=whole)
    spoilt = sum(fault.seat == seat for fault in record.faults)
    more = f"; {spoilt} {'fault was' if spoilt == 1 else 'faults were'} recorded and not compared" if spoilt else ""
    if not differed:
        typer.echo(harmless(f"{here}: all {compared} answers are as recorded{more}"))
        return
    if whole:
        typer.echo(table([_row(record, difference) for difference in differed], "table"))
        typer.echo(harmless(f"{here}: {len(differed)} of {compared} answers differ{more}"))
    else:
        typer.echo(
            harmless("\n".join([f"{here}: {_where(differed[0])}", *_told(record, differed[0], verbose=verbose)]))
        )
    raise typer.Exit(1)


def _where(difference: Differed) -> str:
    found = f"fault {difference.kind}" if difference.kind else "another answer than recorded"
    return f"decision {difference.decision}: {found}" if difference.decision >= 0 else f"hello: {found}"


def _told(record: Record, difference: Differed, *, verbose: bool) -> Iterator[str]:
    """What was sent, what was answered then, and what now."""
    if difference.kind:
        for label, fact in (("rule", difference.rule), ("mend", difference.hint)):
            if fact:
                yield from folded(f"{label}: {plain(fact, 400)}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    yield f"sent     | {shown(Line(sent=True, text=difference.sent), verbose=verbose)}"
    if difference.decision >= 0:
        yield f"recorded | {_picked(difference, record.picks[difference.decision])}"
    if not difference.kind:
        yield f"got      | {_picked(difference, difference.picks)}"
    elif difference.line:
        yield f"got      | {shown(Line(sent=False, text=difference.line), verbose=verbose)}"


def _picked(difference: Differed, picks: tuple[int, ...]) -> str:
    """Indexes, and the options they name as the bot sees them."""
    asked = decode_from_house(difference.sent)
    options = asked.options if isinstance(asked, Decide) else ()
    named = ", ".join(encode(options[pick]).decode() for pick in picks)
    return f"{list(picks)} {named}".rstrip()


def _row(record: Record, difference: Differed) -> dict[str, str]:
    recorded = _picked(difference, record.picks[difference.decision]) if difference.decision >= 0 else ""
    got = f"{difference.kind}: {difference.rule}" if difference.kind else _picked(difference, difference.picks)
    return {"decision": str(difference.decision), "recorded": plain(recorded, 33), "got": plain(got, 33)}


def _folded(line: str) -> str:
    """The line in 80 columns; words are never cut."""
    indent = line[: len(line) - len(line.lstrip(" -"))]
    further = " " * len(indent) + "    "
    return "\n".join(
        folded(line, WIDTH, subsequent_indent=further, break_long_words=False, break_on_hyphens=False) or [""]
    )


def _named(found: re.Match[str], record: Record, seat: int | None) -> str:
    """A seat with the name of its bot; bots are told no names but their own."""
    at = int(found[1])
    return f"seat {at} ({record.bots[at]})" if at < len(record.bots) and seat in {None, at} else found[0]


def _tell(folder: RunFolder, record: Record, seat: int | None) -> Iterator[str]:
    secrets = folder.secrets_of(folder.manifest())
    variants = "".join(f", {name}={value}" for name, value in record.variants.items())
    yield f"match {record.id}: {record.game} version {record.version}{variants}"
    yield ", ".join(f"seat {at}" for at in range(len(record.bots)))
    if record.reason == "void":
        yield f"void, unrated: {plain(record.why, 400)}"
        return
    _, state = deal(secrets, record)
    faults = {fault.decision: fault for fault in record.faults if seat in {None, fault.seat}}
    for fault in record.faults:
        if fault.decision < 0 and seat in {None, fault.seat}:
            yield f"  seat {fault.seat}"
            yield from _fault(fault)
    for number, step in enumerate(retell(record, state), 1):
        lines = [*_answers(record, step, faults, seat), *_events(step, seat)]
        if lines:
            yield f"step {number}"
            yield from lines
    yield f"end: {record.reason}"
    for at in sorted(range(len(record.bots)), key=lambda at: (record.ranks[at], at)):
        retired = ", retired for its faults" if at in record.retired and seat in {None, at} else ""
        yield f"  {record.ranks[at] + 1}. seat {at}: {record.scores[at]}{retired}"


def _answers(record: Record, step: Step, faults: Mapping[int, Fault], seat: int | None) -> Iterator[str]:
    """What was asked and picked; only of ``seat``, if one is given."""
    asked = sorted(at for at, decision in step.pending.decisions.items() if not decision.forced)
    for index, at in enumerate(asked, step.first):
        if seat is not None and at != seat:
            continue
        options = ", ".join(_shown(option) for option in step.pending.decisions[at].options)
        picked = ", ".join(_shown(option) for option in step.chosen[at]) or "nothing"
        waited = record.micros[index] if index < len(record.micros) else -1
        time = f"{waited / 1000:.1f} ms" if waited >= 0 else "not asked"
        yield f"  seat {at} picks {picked} (of: {options}) [{time}]"
        if fault := faults.get(index):
            yield from _fault(fault)


def _fault(fault: Fault) -> Iterator[str]:
    yield f"    fault {fault.kind}: {plain(fault.rule, 400)}"
    if fault.hint:
        yield f"    hint: {plain(fault.hint, 400)}"
    if fault.line:
        yield f"    line: {plain(fault.line, 400)}"


def _events(step: Step, seat: int | None) -> Iterator[str]:
    """What followed; only what ``seat`` saw, if one is given."""
    for event in step.events:
        if not isinstance(event, Whisper):
            yield f"  - {_shown(event)}"
        elif seat is None:
            yield f"  - {_shown(event.event)} (seen by {', '.join(f'seat {each}' for each in event.seats)} only)"
        elif seat in event.seats:
            yield f"  - {_shown(event.event)}"


def _shown(value: Any) -> str:
    return plain(str(value), _LONGEST)
