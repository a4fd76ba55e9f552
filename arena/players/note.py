"""A note beside an answer, in the plainest spelling, read at sight: to inspect each line would cost too much."""

from typing import Annotated

import msgspec
from msgspec import Meta

from arena.wire import plain_picks

NOTE_LIMIT = 1024
"""Bytes of a note that is kept."""
_Value = Annotated[int, Meta(ge=-(10**15), le=10**15)] | Annotated[float, Meta(ge=-1e15, le=1e15)] | str | bool | None
_decode = msgspec.json.Decoder(dict[str, _Value] | _Value).decode


def noted_picks(line: bytes, id: str) -> tuple[tuple[int, ...], bytes] | None:  # noqa: A002 - as the message has it
    """The picks and the note of a line that plainly answers this question; None: it is for ``arena.wire.decode``.

    The note stands last, and is a value, or an object of values, without escapes.
    """
    front, separator, note = line.partition(b',"note":')
    if not separator:
        front, separator, note = line.partition(b', "note": ')
    picks = plain_picks(front + b"}", id) if separator else None
    note = note[:-1]
    if picks is None or line[-1:] != b"}" or b"\\" in note or not note.isascii():
        return None
    try:
        value = _decode(note)
    except msgspec.DecodeError:
        return None
    # the decoder takes a key twice
    if type(value) is dict and len(value) != note.count(b'":'):
        return None
    return picks, note
