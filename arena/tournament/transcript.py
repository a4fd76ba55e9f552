"""A recorded match in sentences, step by step, and where a bot answers differently today. Prints nothing."""

import re
from collections.abc import Iterator

from arena.conformance.findings import Line
from arena.escape import cleaned, folded, plain
from arena.fault import Fault
from arena.game import Seat
from arena.record import Differs, Record, from_first
from arena.report.conformance import shown
from arena.report.document import WIDTH
from arena.report.replay import Move, moves
from arena.tournament.folder import RunFolder, deal
from arena.tournament.recall import Difference
from arena.wire import Decide, decode_from_house, encode

_SEAT = re.compile(r"\bseat (\d{1,3})\b")


def sentences(folder: RunFolder, record: Record, seat: Seat | None) -> Iterator[str]:
    """The match in lines of 80 columns; with ``seat`` only what that seat saw.

    Raises:
        Differs: the picks do not fit the deal.
    """
    try:
        for line in _tell(folder, record, seat):
            yield _folded(_SEAT.sub(lambda found: _with_bot(found, record, seat), line))
    except Differs as difference:
        raise Differs(f"match {record.id}: {difference}; see `arena verify`") from None


def where_of(difference: Difference) -> str:
    """At which decision a bot answers otherwise, and how."""
    found = f"fault {difference.fault.kind}" if difference.fault else "another answer than recorded"
    return f"decision {difference.decision}: {found}" if difference.decision >= 0 else f"hello: {found}"


def told_of(record: Record, difference: Difference, *, verbose: bool) -> Iterator[str]:
    """A difference in lines of text: the broken rule, if any, the question, the recorded answer and the new one."""
    fault = difference.fault
    if fault is not None:
        for label, fact in (("rule", fault.rule), ("mend", fault.hint)):
            if fact:
                yield from folded(f"{label}: {plain(fact, 400)}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    yield f"sent     | {shown(Line(sent=True, text=difference.sent), verbose=verbose)}"
    if difference.decision >= 0:
        yield f"recorded | {_picked(difference, record.picks[difference.decision])}"
    if fault is None:
        yield f"got      | {_picked(difference, difference.picks)}"
    elif fault.line:
        yield f"got      | {shown(Line(sent=False, text=fault.line.encode()), verbose=verbose)}"


def _picked(difference: Difference, picks: tuple[int, ...]) -> str:
    """Indexes, and the options they name as the bot sees them."""
    asked = decode_from_house(difference.sent)
    options = asked.options if isinstance(asked, Decide) else ()
    named = ", ".join(encode(options[pick]).decode() for pick in picks)
    return f"{list(picks)} {named}".rstrip()


def row_of(record: Record, difference: Difference) -> dict[str, str]:
    """The same as a row of a table."""
    recorded = _picked(difference, record.picks[difference.decision]) if difference.decision >= 0 else ""
    fault = difference.fault
    got = f"{fault.kind}: {fault.rule}" if fault else _picked(difference, difference.picks)
    return {"decision": str(difference.decision), "recorded": plain(recorded, 33), "got": plain(got, 33)}


def _folded(line: str) -> str:
    """The line in 80 columns; words are never cut."""
    indent = line[: len(line) - len(line.lstrip(" -"))]
    further = " " * len(indent) + "    "
    return "\n".join(
        folded(line, WIDTH, subsequent_indent=further, break_long_words=False, break_on_hyphens=False) or [""]
    )


def _with_bot(found: re.Match[str], record: Record, seat: int | None) -> str:
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
    for fault in record.faults:
        if fault.decision < 0 and seat in {None, fault.seat}:
            yield f"  seat {fault.seat}"
            yield from _fault(cleaned(fault))
    for number, move in enumerate(moves(record, state, seat=seat), 1):
        if lines := list(_move(move, seat)):
            yield f"step {number}"
            yield from lines
    yield f"end: {record.reason}"
    for at in from_first(record.ranks):
        retired = ", retired for its faults" if at in record.retired and seat in {None, at} else ""
        yield f"  {record.ranks[at] + 1}. seat {at}: {record.scores[at]}{retired}"


def _move(move: Move, seat: Seat | None) -> Iterator[str]:
    for asked in move.asked:
        picked = ", ".join(asked.options[pick] for pick in asked.picks) or "nothing"
        yield _one_line(f"  seat {asked.seat} picks {picked} (of: {', '.join(asked.options)}) [{asked.time}]")
        if asked.fault:
            yield from _fault(asked.fault)
    for said in move.events:
        only = seat is None and said.seats is not None
        seen = f" (seen by {', '.join(f'seat {each}' for each in said.seats or ())} only)" if only else ""
        yield _one_line(f"  - {said.text}{seen}")


def _fault(fault: Fault) -> Iterator[str]:
    """A fault whose texts are printable."""
    yield f"    fault {fault.kind}: {fault.rule}"
    if fault.hint:
        yield f"    hint: {fault.hint}"
    if fault.line:
        yield f"    line: {fault.line}"


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n")
