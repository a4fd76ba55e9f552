"""A note beside an answer, in the plainest spelling, read at sight: to inspect each line would cost too much."""

import re
from collections.abc import Callable

import msgspec

from arena.wire import HEADS

NOTE_LIMIT = 1024
"""Bytes of a note that is kept."""
_text, _key, _pick = rb'"[ !#-\[\]-~]*"', rb'"[\w .-]+"', rb"(?:0|[1-9]\d{0,3})"
_scalar = rb"(?:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?|" + _text + rb"|true|false|null)"
_pair = _key + rb": ?" + _scalar
_picks = rb"(\[(?:" + _pick + rb"(?:, ?" + _pick + rb")*)?\])"
_plain_note = re.compile(
    rb'", ?"picks": ?' + _picks + rb', ?"note": ?(' + _scalar + rb"|\{" + _pair + rb"(?:, ?" + _pair + rb")*\})\}"
).fullmatch
"""The same with a note: a value, or an object of values, without escapes."""
_note_keys = re.compile(_key + rb": ?").findall
_decode_picks: Callable[[bytes], tuple[int, ...]] = msgspec.json.Decoder(tuple[int, ...]).decode


def noted_picks(line: bytes, id: str) -> tuple[tuple[int, ...], bytes] | None:  # noqa: A002 - as the message has it
    """The picks and the note of a line that plainly answers this question; None: it is for ``decode``."""
    head, _, tail = line.partition(id.encode())
    found = _plain_note(tail) if head in HEADS else None
    if found is None or (len(keys := _note_keys(found[2])) > 1 and len(set(keys)) < len(keys)):
        return None
    return _decode_picks(found[1]), found[2]
