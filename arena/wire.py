"""The messages between host and bot, and their bytes. No I/O, no clock, no process: `protocol.md` in code.

One message is one line of compact ASCII JSON. The tag field ``type`` stands first and the order of the fields is
promised, so that a bot without a JSON library can scan a line from left to right.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, field

PROTOCOL = 1
LINE_LIMIT = 65_536
"""The longest line a bot may send, in bytes."""
DEPTH_LIMIT = 32
DIGITS_LIMIT = 20
WORDS_LIMIT = 160
"""The longest explanation of a garbled line, in characters."""
_QUOTED = 32
"""Characters of a line that an explanation quotes."""

_plain_choice = re.compile(
    rb'\{"type": ?"choose", ?"id": ?"[ !#-\[\]-~]*", ?"picks": ?'
    rb"\[(?:(?:0|[1-9]\d{0,14})(?:, ?(?:0|[1-9]\d{0,14}))*)?\]\}"
).fullmatch
"""A choice as most bots write it: short numbers, no escapes, nothing beside what is asked for."""
_plain_ready = re.compile(
    rb'\{"type": ?"ready"(?:, ?"name": ?"[ !#-\[\]-~]*")?(?:, ?"version": ?"[ !#-\[\]-~]*")?'
    rb'(?:, ?"protocol": ?[1-9]\d{0,14})?\}'
).fullmatch
"""Likewise for an answer to ``hello``."""

_HEADS = frozenset({b'{"type":"choose","id":"', b'{"type": "choose", "id": "'})
_TAILS: dict[bytes, tuple[int, ...]] = {b'","picks":[]}': (), b'", "picks": []}': ()} | {
    tail.encode(): (pick,) for pick in range(64) for tail in (f'","picks":[{pick}]}}', f'", "picks": [{pick}]}}')
}
"""What stands before and after the id in a choice of one option, or of none, as most bots write it."""

_plain_tail = re.compile(rb'", ?"picks": ?(\[(?:0|[1-9]\d{0,3})(?:, ?(?:0|[1-9]\d{0,3}))*\])\}').fullmatch
"""What stands after the id in a choice of any options, likewise."""
_TAIL = 256
"""Bytes of it at most: some sixty options. A longer one is for ``decode``."""

_LACKS = re.compile(r"Object missing required field (\w+).*")
_FIELD = re.compile(r"required field (\w+)|\$\.(\w+)")
_WRONG = re.compile(r"Expected (\w+), got (\w+)(.*)")
_WORDS = {
    "int": "an integer",
    "float": "a number that is no integer",
    "str": "a string",
    "bool": "true or false",
    "array": "an array",
    "list": "an array",
    "object": "an object",
}
"""The decoder's and the parser's names of types -> JSON's."""
# an open string reaches to the end of the line: one pass, whatever a bot sends
_string = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


class Limits(Struct, frozen=True):
    """What a bot is held to: times in milliseconds, sizes in bytes."""

    start: int
    move: int
    line: int = LINE_LIMIT
    """The longest line it may send."""
    faults: int = 3
    bank: int = 0
    """Thinking time of a match that ``increment`` adds to before each decision; 0: there is no bank."""
    increment: int = 0
    total: int = 600_000
    """Thinking time of a match."""
    output: int = 1 << 20
    """What it may send during one question."""
    stray: int = 64
    """Lines it may send during one question besides its answer."""
    stderr: int = 65_536
    """What is kept of a process's stderr: half of it from the head, half from the tail."""
    memory: int = 512 << 20
    """Data of a process."""
    processes: int = 64
    file: int = 16 << 20
    """The largest file it may write, and all of its scratch folder."""
    descriptors: int = 256
    cpu: int = 43_200_000
    """Processor time of a process."""


DEFAULT_LIMITS = Limits(start=10_000, move=1000)
"""What the host allows by default."""


class Hello(Struct, frozen=True, tag="hello", tag_field="type"):
    """Opens a match. ``match`` is an opaque label; ``seed`` is for the bot's own dice and tells nothing of the deal."""

    protocol: int
    match: str
    game: str
    version: str
    variants: dict[str, str]
    seat: int
    seats: int
    seed: int
    limits: Limits


class Decide(Struct, frozen=True, tag="decide", tag_field="type"):
    """Asks for ``least`` to ``most`` of ``count`` options in ``time`` milliseconds; ``events`` are new to the seat."""

    id: str
    least: int
    most: int
    count: int
    time: int
    options: tuple[Any, ...]
    observation: Any
    events: list[Any]


class Over(Struct, frozen=True, tag="over", tag_field="type"):
    """Closes a match: rank 0 is best; ``reason`` is ``finished``, or ``capped`` when the decision cap ended it."""

    ranks: tuple[int, ...]
    scores: tuple[int | float, ...]
    reason: Literal["finished", "capped"]
    events: list[Any]


class Ready(Struct, frozen=True, tag="ready", tag_field="type"):
    """A bot's answer to ``hello``."""

    name: str = field(default="")
    version: str = field(default="")
    protocol: int = PROTOCOL


class Choose(Struct, frozen=True, tag="choose", tag_field="type"):
    """A bot's answer to ``decide``: its ``id`` again, and zero-based indexes into ``options``."""

    id: str
    picks: tuple[int, ...]
    note: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET  # anything, for the bot's author alone


FromHost: TypeAlias = Hello | Decide | Over
FromBot: TypeAlias = Ready | Choose


class Garbled(ValueError):
    """A line is no message; the text says *expected ... got ...*.

    ``part`` is what is wrong with it: ``json``, ``mark`` (a byte order mark), ``utf-8``, or the name of a field.
    """

    def __init__(self, text: str, *, part: str = "") -> None:
        super().__init__(text)
        self.part = part


encode = msgspec.json.Encoder().encode
"""Any message as one line of bytes, without its newline."""
encode_lines = msgspec.json.Encoder().encode_lines

_decode: Callable[[bytes], FromBot] = msgspec.json.Decoder(FromBot).decode
_decode_picks: Callable[[bytes], tuple[int, ...]] = msgspec.json.Decoder(tuple[int, ...]).decode
decode_from_host: Callable[[bytes], FromHost] = msgspec.json.Decoder(FromHost).decode
"""For bots and tests: a line from the host as its message."""


def plain_picks(line: bytes, id: str) -> tuple[int, ...] | None:  # noqa: A002 - as the message has it
    """The picks of a line that plainly answers this question; None: it is for ``decode``."""
    head, _, tail = line.partition(id.encode())
    if head not in _HEADS:
        return None
    picks = _TAILS.get(tail)
    if picks is None and len(tail) <= _TAIL:
        return _several(tail)
    return picks


@lru_cache(maxsize=1024)
def _several(tail: bytes) -> tuple[int, ...] | None:
    """The picks in what stands after the id, if that is plain; kept, because the same few come again and again.

    To be called with short texts only: what is kept is the bot's to choose.
    """
    plain = _plain_tail(tail)
    return None if plain is None else _decode_picks(plain[1])


def decode(line: bytes) -> FromBot:
    """The message in one line of a bot, without its newline; ``Garbled`` if it is none.

    Stricter than JSON libraries are: no duplicate keys, no byte order mark, no NaN or infinity, no surrogate without
    its partner, no nesting beyond ``DEPTH_LIMIT``, no integer beyond ``DIGITS_LIMIT`` digits, and an integer is never a
    float or a boolean. Unknown fields are ignored.
    """
    if not _plain_choice(line) and not _plain_ready(line):
        _inspect(line)
    try:
        return _decode(line)
    except RecursionError:
        raise Garbled(f"expected nesting of at most {DEPTH_LIMIT}, got more") from None
    except msgspec.ValidationError as error:
        why = str(error).replace("`", "")
        field = _FIELD.search(why)
        raise Garbled(_printable(_in_words(why)), part=field[1] or field[2] if field else "") from None
    except msgspec.DecodeError as error:
        raise Garbled(f"expected a line of JSON, got something else ({error})", part="json") from None


def _in_words(why: str) -> str:
    if parts := _LACKS.fullmatch(why):
        return f"expected a field {parts[1]!r}, got none"
    if parts := _WRONG.fullmatch(why):
        return f"expected {_WORDS.get(parts[1], parts[1])}, got {_WORDS.get(parts[2], parts[2])}{parts[3]}"
    return why.replace("Invalid value", "expected choose or ready, got").replace("Expected", "expected")


def _printable(text: str) -> str:
    """Printable ASCII of bounded length: the text may quote the bot."""
    return ascii(text)[1:-1][:WORDS_LIMIT]


def _quoted(text: str) -> str:
    quoted = ascii(text[:_QUOTED])
    excerpt = quoted[: _QUOTED + _QUOTED // 2]
    return excerpt if excerpt == quoted and len(text) <= _QUOTED else f"{excerpt}..."


def _inspect(line: bytes) -> None:
    """Refuse what the decoder would let through. A plain choice has no room for any of it and need not come here."""
    if line.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise Garbled("expected UTF-8 without a byte order mark, got a byte order mark", part="mark")
    depth = deepest = 0
    for byte in _string.sub(b"", line):
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    if deepest > DEPTH_LIMIT:
        raise Garbled(f"expected nesting of at most {DEPTH_LIMIT}, got {deepest}")
    try:
        text = line.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_no_constant, parse_float=_finite, parse_int=_short
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except Garbled:
        raise
    except UnicodeError as error:
        raise Garbled(f"expected UTF-8, got bytes that are not ({error})", part="utf-8") from None
    except json.JSONDecodeError as error:
        why = f"{error.msg} at character {error.pos + 1}"
        raise Garbled(f"expected a line of JSON, got {_quoted(text)} ({why})", part="json") from None
    except (ValueError, RecursionError) as error:
        raise Garbled(f"expected a line of JSON, got something else ({error})", part="json") from None
    if not isinstance(value, dict):
        raise Garbled(f"expected a JSON object, got {_WORDS.get(type(value).__name__, 'null')}")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise Garbled(f"expected each key once, got {_printable(key)[:20]} twice")
        fields[key] = value
    return fields


def _no_constant(text: str) -> float:
    raise Garbled(f"expected a number, got {text}")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Garbled(f"expected a finite number, got {text[:20]}")
    return value


def _short(text: str) -> int:
    if len(text) > DIGITS_LIMIT:
        raise Garbled(f"expected an integer of at most {DIGITS_LIMIT} digits, got {len(text)}")
    return int(text)
