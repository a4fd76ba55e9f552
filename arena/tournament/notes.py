"""What bots have noted beside their answers, and written to standard error: files beside a run, in no record.

``notes/NAME.jsonl`` has a line for each match, of ``NOTES_LIMIT`` bytes at most in all. Standard error takes half of
that at most, so that a bot that writes much still has its notes.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from arena.escape import plain
from arena.files import make, opened, read
from arena.game import Seat
from arena.players.match_notes import STDERR_LIMIT, MatchNotes
from arena.record import MatchId, Record
from arena.report.document import Section, Table
from arena.report.replay import Notes
from arena.tournament.folder import RunFolder
from arena.words import plural

Value = TypeVar("Value")

NOTES_LIMIT = 8 << 20
_FOLDER = "notes"
_SHOWN = 400
"""Characters of a note that are shown."""
_ROWS, _COLUMNS = 30, 50
"""Notes in a text, and keys of notes that have a column, at most."""
_PLACE = ("match", "decision", "bot", "seat")
_MORE = "more"
_LONGEST = 8 << 10
"""Characters of a note in CSV: escapes make it longer."""


class _Line(Struct, omit_defaults=True):
    match: str
    notes: dict[int, msgspec.Raw] = {}  # by decision, as the next
    stderr: dict[int, str] = {}


_decode = msgspec.json.Decoder(_Line).decode


def keep_notes(folder: RunFolder, record: Record, notes: Mapping[str, MatchNotes]) -> None:
    """Write down what bots told in a match."""
    if record.reason == "void":
        return
    for name, of_match in notes.items():
        asked = _list_asked(record, record.bots.index(name))
        # a run goes on without its notes
        with suppress(OSError):
            make(folder.path, _FOLDER)
            descriptor = opened(folder.path, f"{_FOLDER}/{name}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            with open(descriptor, "ab") as file:  # noqa: PTH123 - a descriptor
                kept = _Line(record.id, _by_decision(asked, of_match.notes), _by_decision(asked, of_match.stderr))
                line = msgspec.json.encode(kept) + b"\n"
                if kept.stderr and file.tell() + len(line) > NOTES_LIMIT // 2:
                    line = msgspec.json.encode(_Line(record.id, kept.notes)) + b"\n"
                if file.tell() + len(line) <= NOTES_LIMIT:
                    file.write(line)


def _by_decision(asked: Sequence[int], numbered: Mapping[int, Value]) -> dict[int, Value]:
    return {asked[number - 1]: value for number, value in numbered.items() if 0 < number <= len(asked)}


def read_notes(folder: RunFolder, record: Record, seat: Seat | None = None, *, stderr: bool = True) -> Notes:
    """What the bots of a match, or of a seat, have told; ``stderr``: also what they wrote to standard error."""
    notes: dict[int, str] = {}
    written: dict[int, str] = {}
    for place, name in enumerate(record.bots):
        if seat not in {None, place}:
            continue
        for entry in _lines(folder, name):
            if entry.match == record.id:
                notes |= {decision: _shown(bytes(note)) for decision, note in entry.notes.items()}
                written |= {decision: _shown_lines(text) for decision, text in entry.stderr.items()}
    return Notes(notes=notes, stderr=written if stderr else {})


def notes_section(folder: RunFolder, bots: Sequence[str]) -> Section:
    """What these bots of a run have noted: a row for each note, in the order of the journal.

    A key of a note has a column, a note that is no object the column ``note``; keys beyond the first 50 stand in
    ``more``, as an object.

    Raises:
        DamagedError: the journal is damaged.
    """
    noted: dict[tuple[MatchId, str], dict[int, msgspec.Raw]] = {}
    for name in bots:
        for kept in _lines(folder, name):
            noted.setdefault((kept.match, name), {}).update(kept.notes)
    found: list[tuple[dict[str, Any], dict[str, Any], str]] = []
    keys: dict[str, None] = {}
    for record in folder.records() if noted else ():
        of_match = {}
        for seat, name in enumerate(record.bots):
            for decision, note in noted.get((record.id, name), {}).items():
                of_match[decision] = (dict(zip(_PLACE, (record.id, decision, name, seat), strict=True)), bytes(note))
        for decision in sorted(of_match):
            place, text = of_match[decision]
            fields = _fields(text)
            keys |= dict.fromkeys([key for key in fields if key not in keys][: _COLUMNS - len(keys)])
            found.append((place, fields, _shown(text)))
    more = [_MORE] * any(fields.keys() - keys.keys() for _, fields, _ in found)
    rows = []
    for place, fields, _ in found:
        rest = {key: value for key, value in fields.items() if key not in keys}
        rows.append(place | keys | {key: fields.get(key) for key in keys} | dict.fromkeys(more, rest or None))
    shown = [place | {"note": text} for place, _, text in found[:_ROWS]]
    cut = [f"{plural(len(found) - _ROWS, 'more note')}: --format csv has all, and a column for each key."]
    return Section(
        name="noted",
        headline="Notes",
        lead=[] if found else ["No bot noted anything."],
        tables=[Table(rows=shown, left_columns=("match", "bot"), wide=("note",), longest=_SHOWN)],
        notes=cut if len(found) > _ROWS else [],
        rows=rows,
        columns=(*_PLACE, *keys, *more),
        longest=_LONGEST,
    )


def _lines(folder: RunFolder, name: str) -> Iterator[_Line]:
    with suppress(OSError):
        for line in read(folder.path, f"{_FOLDER}/{name}.jsonl").split(b"\n"):
            # a killed runner leaves half a line
            with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                yield _decode(line)


def _fields(note: bytes) -> dict[str, Any]:
    try:
        value = json.loads(note)
    except (ValueError, RecursionError):
        value = plain(note.decode("utf-8", "backslashreplace"), _SHOWN)
    if not isinstance(value, dict):
        return {"note": value}
    return {f"note.{key}" if key in {*_PLACE, _MORE} else key: field for key, field in value.items()}


def _shown(note: bytes) -> str:
    try:
        text = json.dumps(json.loads(note)).replace("\x7f", "\\u007f")
    except (ValueError, RecursionError):
        return plain(note.decode("utf-8", "backslashreplace"), _SHOWN)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _shown_lines(text: str) -> str:
    return "\n".join(plain(line, STDERR_LIMIT) for line in text.splitlines())


def _list_asked(record: Record, seat: Seat) -> list[int]:
    due = enumerate(zip(record.seats_asked, record.micros, strict=True))
    return [decision for decision, (who, micros) in due if who == seat and micros >= 0]
