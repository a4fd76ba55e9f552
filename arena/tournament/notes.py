"""What bots have noted beside their answers, for their authors: files beside a run, in no record.

``notes/NAME.jsonl`` has a line for each match, of ``NOTES_LIMIT`` bytes at most in all.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress

import msgspec
from msgspec import Struct

from arena.escape import plain
from arena.files import make, opened, read
from arena.game import Seat
from arena.record import Record
from arena.tournament.folder import RunFolder

NOTES_LIMIT = 8 << 20
_FOLDER = "notes"
_SHOWN = 400
"""Characters of a note that are shown."""


class _Line(Struct):
    match: str
    notes: dict[int, msgspec.Raw]


_decode = msgspec.json.Decoder(_Line).decode


def keep_notes(folder: RunFolder, record: Record, notes: Mapping[str, Mapping[int, msgspec.Raw]]) -> None:
    """Write down what bots noted in a match, by the numbers of their questions, from 1."""
    if record.reason == "void":
        return
    for name, numbered in notes.items():
        asked = _list_asked(record, record.bots.index(name))
        by_decision = {asked[number - 1]: note for number, note in numbered.items() if 0 < number <= len(asked)}
        line = msgspec.json.encode(_Line(record.id, by_decision)) + b"\n"
        # a run goes on without its notes
        with suppress(OSError):
            make(folder.path, _FOLDER)
            descriptor = opened(folder.path, f"{_FOLDER}/{name}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            with open(descriptor, "ab") as file:  # noqa: PTH123 - a descriptor
                if file.tell() + len(line) <= NOTES_LIMIT:
                    file.write(line)


def read_notes(folder: RunFolder, record: Record, seat: Seat | None = None) -> dict[int, str]:
    """What the bots of a match, or of a seat, have noted, by decision, in printable ASCII."""
    notes: dict[int, str] = {}
    for place, name in enumerate(record.bots):
        if seat not in {None, place}:
            continue
        with suppress(OSError):
            for line in read(folder.path, f"{_FOLDER}/{name}.jsonl").splitlines():
                # a killed runner leaves half a line
                with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    kept = _decode(line)
                    if kept.match == record.id:
                        notes |= {decision: _shown(bytes(note)) for decision, note in kept.notes.items()}
    return notes


def _shown(note: bytes) -> str:
    try:
        text = json.dumps(json.loads(note)).replace("\x7f", "\\u007f")
    except (ValueError, RecursionError):
        return plain(note.decode("utf-8", "backslashreplace"), _SHOWN)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _list_asked(record: Record, seat: Seat) -> list[int]:
    due = enumerate(zip(record.seats_asked, record.micros, strict=True))
    return [decision for decision, (who, micros) in due if who == seat and micros >= 0]
