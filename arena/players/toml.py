"""TOML files read as structs: an error names a wrong type in TOML's words and says what to write instead."""

import json
import os
import re
import shlex
import tomllib
from contextlib import suppress
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import inspect
from msgspec.inspect import (
    BoolType,
    DictType,
    IntType,
    LiteralType,
    Metadata,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
)

from arena.files import kind

_Kind = TypeVar("_Kind")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_AT_LINE = re.compile(r"(.+) \(at line (\d+), (column \d+)\)", re.DOTALL)
"""What ``tomllib`` says of a place in a text."""
_MOST = 1 << 20
"""Bytes of a file: parsing takes many times that."""
_DOTS = 200
"""In one line: the time that a key takes to be parsed grows with the square of its parts."""
_LONGEST = 60
"""Characters of what to write: more would bury what is wrong."""

_PLAIN = {
    StrType: (str, ("a string", "strings")),
    BoolType: (bool, ("true or false", "true or false")),
    IntType: (int, ("an integer", "integers")),
}
"""By kind the type of its values, what one is called, and what several are."""
_GOT = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    datetime: "a date-time",
    date: "a date",
    time: "a time",
    list: "an array",
    dict: "a table",
}


def load_toml(file: Path) -> dict[str, Any]:
    """The table in a TOML file; a ``ValueError`` without the file's name if it cannot be read, or is not TOML."""
    if (got := kind(file)) != "a file":
        raise ValueError(f"expected a file, got {got}")
    try:
        # a file of the kernel has no size, and reading it may block
        with open(os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as opened:  # noqa: PTH123 - for its flags
            data = opened.read(_MOST + 1) or b""
    except OSError as error:
        raise ValueError(f"expected to read it, got: {error.strerror}") from error
    if len(data) > _MOST:
        raise ValueError(f"expected at most {_MOST >> 20} MiB, got more")
    # only this byte ends a line of TOML
    dots = max(line.count(b".") for line in data.split(b"\n"))
    if dots > _DOTS:
        raise ValueError(f"expected at most {_DOTS} dots in a line, got {dots}")
    try:
        return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        why = _AT_LINE.fullmatch(str(error))
        where, words = (f"line {why[2]}: ", f"{why[1]} at {why[3]}") if why else ("", error)
        raise ValueError(f"{where}expected TOML, got something else ({words})") from error


def as_struct(table: dict[str, Any], kind: type[_Kind]) -> _Kind:
    """A table as a struct; a ``ValueError`` if a value is of the wrong type: *key: expected ... got ...; write ...*."""
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise ValueError(_fault_in(table, inspect.type_info(kind), "") or str(error)) from None


def _fault_in(value: Any, kind: Type, key: str) -> str | None:
    kind = _plain(kind)
    if isinstance(kind, StructType | DictType) and isinstance(value, dict):
        for name, inner in value.items():
            due = _type_of(name, kind)
            if due and (fault := _fault_in(inner, due, f"{key}.{name}" if key else name)):
                # a fault in a table is told by that table's own key
                return fault if isinstance(inner, dict) else fault + _remedy(name, inner, due)
        return None
    if isinstance(kind, VarTupleType) and isinstance(value, list) and len(value) >= (kind.min_length or 0):
        faults = (_fault_in(inner, kind.item_type, f"{key}[{place}]") for place, inner in enumerate(value))
        return next((fault for fault in faults if fault), None)
    if isinstance(kind, VarTupleType) and value == []:
        return f"{key}: expected {_words(kind)} that is not empty, got an empty one"
    return None if _fits(value, kind) else f"{key}: expected {_words(kind)}, got {_got(value, kind)}"


def _plain(kind: Type) -> Type:
    """The kind without what is no matter of TOML: that a key may be left out, and remarks for the schema."""
    if isinstance(kind, Metadata):
        return _plain(kind.type)
    if isinstance(kind, UnionType):
        kinds = [part for part in kind.types if not isinstance(part, NoneType)]
        return _plain(kinds[0]) if len(kinds) == 1 else kind
    return kind


def _type_of(name: str, kind: StructType | DictType) -> Type | None:
    if isinstance(kind, DictType):
        return kind.value_type
    return next((field.type for field in kind.fields if field.encode_name == name), None)


def _fits(value: Any, kind: Type) -> bool:
    match kind:
        case UnionType():
            return any(_fits(value, part) for part in kind.types)
        case LiteralType():
            return value in kind.values
        case IntType(ge=int(least)) if type(value) is int:
            return value >= least
    return type(kind) in _PLAIN and type(value) is _PLAIN[type(kind)][0]


def _words(kind: Type, *, several: bool = False) -> str:
    match kind:
        case UnionType():
            return " or ".join(_words(part, several=several) for part in kind.types)
        case LiteralType():
            return f"one of {', '.join(map(repr, kind.values))}"
        case VarTupleType():
            return f"{'arrays' if several else 'an array'} of {_words(kind.item_type, several=True)}"
        case DictType():
            return f"a table of {_words(kind.value_type, several=True)}"
        case IntType(ge=int(least)):
            return f"an integer from {least}"
    return _PLAIN[type(kind)][1][several] if type(kind) in _PLAIN else "a table"


def _got(value: Any, kind: Type) -> str:
    if (isinstance(value, str) and isinstance(kind, LiteralType)) or (type(value) is int and isinstance(kind, IntType)):
        return repr(value)
    return _GOT[type(value)]


def _remedy(key: str, value: Any, kind: Type) -> str:
    """What to write, where it is clear what was meant; else what it may look like, where the kind says so."""
    schemas = [part.extra_json_schema or {} for part in getattr(kind, "types", [kind]) if isinstance(part, Metadata)]
    examples = [example for schema in schemas for example in schema.get("examples") or schema.get("enum") or ()]
    guess = examples[0] if examples else _guess_value(value, _plain(kind))
    text = json.dumps(guess, ensure_ascii=False)
    if guess is None or len(text) > _LONGEST or not _BARE.fullmatch(key):
        return ""
    return f"; {'for instance' if examples else 'write'} {key} = {text}"


def _guess_value(value: Any, kind: Type) -> Any:
    match kind:
        case StrType() if type(value) in {str, int, float}:
            return str(value)
        case IntType() if isinstance(value, str) and _INTEGER.fullmatch(value):
            return int(value)
        case BoolType() if value in ("true", "false"):
            return value == "true"
        case VarTupleType() if value and isinstance(value, str | list):
            return _guess_array(value, _plain(kind.item_type), line=bool(kind.min_length))
    return None


def _guess_array(value: str | list[Any], inner: Type, *, line: bool) -> list[Any] | None:
    """The array that a text or an array of texts stands for; ``line``: one of the words of a command line."""
    if isinstance(value, str) and line:
        with suppress(ValueError):
            return shlex.split(value) or None
        return None
    values = value if isinstance(value, list) else [value]
    words = all(isinstance(word, str) and " " not in word for word in values)
    if isinstance(inner, VarTupleType) and values is value and words:
        return [values]
    items = [_guess_value(item, inner) for item in values]
    return None if None in items else items
