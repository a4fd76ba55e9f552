"""What a bot tells its author while it plays: notes beside its answers, and what it writes to standard error.

A note in the plainest spelling is read at sight: to inspect each line would cost too much.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from arena.players.match_notes import STDERR_LIMIT, MatchNotes

NOTE_LIMIT = 1024
"""Bytes of a note that is kept."""
_ROOM = 65_536
"""Bytes of notes that are kept of a match, and as many of standard error."""
_Value = Annotated[int, Meta(ge=-(10**15), le=10**15)] | Annotated[float, Meta(ge=-1e15, le=1e15)] | str | bool | None


class _Noted(Struct, tag="choose", tag_field="type", forbid_unknown_fields=True, gc=False):
    id: str
    picks: tuple[Annotated[int, Meta(ge=0, le=10**15)], ...]
    note: dict[str, _Value] | _Value


class _Line(Struct):
    note: msgspec.Raw


_decode = msgspec.json.Decoder(_Noted).decode
_decode_note = msgspec.json.Decoder(_Line).decode
_KEYS = len(_Noted.__struct_fields__) + 1


def noted_picks(line: bytes, id: str) -> tuple[int, ...] | None:  # noqa: A002 - as the message has it
    """The picks of a line that plainly answers this question, with a note; None: it is for ``arena.wire.decode``.

    The note is a value, or an object of values. In the line are no escapes, no text with a colon, and ``NOTE_LIMIT``
    bytes at most. It is read once.
    """
    try:
        message = _decode(line)
    except msgspec.DecodeError:
        return None
    # the decoder takes a key twice
    keys = _KEYS + len(message.note) if type(message.note) is dict else _KEYS
    plain = line.count(b":") == keys and b"\\" not in line and line.isascii() and len(line) <= NOTE_LIMIT
    return message.picks if plain and message.id == id else None


class NoteTaker:
    """Takes down what a bot tells in a match; what has no room is dropped."""

    __slots__ = ("_lines", "_note_room", "_stderr", "_stderr_room", "number")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A match begins."""
        self.number = 1
        """Of the question at hand, or of the last one."""
        self._lines: dict[int, bytes] = {}
        self._stderr: dict[int, bytearray] = {}
        self._note_room = self._stderr_room = _ROOM

    def add_line(self, line: bytes) -> None:
        """Keep the note of an answer, which is read at the end."""
        self._note_room -= len(line)
        if self._note_room >= 0:
            self._lines[self.number] = line

    def add_note(self, note: bytes) -> None:
        """Keep a note as it was sent."""
        if len(note) <= NOTE_LIMIT:
            self.add_line(b'{"note":%b}' % note)

    def add_stderr(self, data: bytes) -> None:
        """Keep what the bot wrote to standard error."""
        kept = self._stderr.setdefault(self.number, bytearray())
        data = data[: min(STDERR_LIMIT - len(kept), self._stderr_room)]
        self._stderr_room -= len(data)
        kept += data

    def end(self) -> MatchNotes | None:
        """What was kept of the match, if there is anything. The next one begins."""
        if not self._lines and not self._stderr:
            return None
        notes = {number: _decode_note(line).note for number, line in self._lines.items()}
        stderr = {number: bytes(text).decode("utf-8", "backslashreplace") for number, text in self._stderr.items()}
        self.begin()
        return MatchNotes(notes, stderr)
