"""Limits as people write them, and how a bot's own limits fit into those of the run. Enforces nothing."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from arena.wire import Limits


class _Kind(NamedTuple):
    """``units`` from the largest to the smallest; the number alone is whole unless ``broken``."""

    name: str
    units: dict[str, int]
    examples: str = ""
    broken: bool = False


class Key(NamedTuple):
    """A limit that can be set: what it counts, the least and the most, and the option that sets it for all bots."""

    kind: _Kind
    least: int
    most: int
    option: str = "--limit"


_NUMBER = re.compile(r"([0-9]{1,15})(\.[0-9]{1,9})?([A-Za-z]*)")
_TIME = _Kind(
    name="a time",
    units={"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1},
    examples=" such as 400ms, 1s or 10m",
    broken=True,
)
_BANK = _TIME._replace(examples=" such as 30s, or 30s+100ms with an increment for each decision")
_SIZE = _Kind(
    name="a size",
    units={"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "": 1},
    examples=" such as 64KiB, 512MiB or 65536",
)
_COUNT = _Kind("a whole number", {"": 1})
_DAY = 86_400_000

KEYS = {
    "start": Key(_TIME, least=1, most=_DAY, option="--start-time"),
    "bank": Key(_BANK, least=1, most=_DAY, option="--bank"),
    "total": Key(_TIME, least=1, most=_DAY, option="--budget"),
    # after the limits that it may be derived from: an error names the first limit that differs
    "move": Key(_TIME, least=1, most=_DAY, option="--move-time"),
    # one read takes up to 64 KiB: a smaller limit could not be enforced
    "output": Key(_SIZE, least=64 << 10, most=64 << 20),
    "line": Key(_SIZE, least=1 << 10, most=1 << 20),
    "stray": Key(_COUNT, least=0, most=1_000_000),
    "stderr": Key(_SIZE, least=1 << 10, most=16 << 20),
    "memory": Key(_SIZE, least=16 << 20, most=1 << 49),
    "processes": Key(_COUNT, least=1, most=100_000),
    "file": Key(_SIZE, least=4 << 10, most=1 << 49),
    "descriptors": Key(_COUNT, least=16, most=1 << 20),
    "cpu": Key(_TIME, least=1000, most=100 * _DAY),
}
"""What the table ``[limits]`` of a bot file may hold; those without an option of their own are set by ``--limit``."""


def read(key: str, value: str | int, *, examples: str = "") -> dict[str, int]:
    """The fields of ``Limits`` that a text sets, one but for ``bank``; a ``ValueError`` if it is out of bounds.

    ``examples`` stand in the error in place of those of the limit, as `` such as 10m``.
    """
    kind, least, most, _ = KEYS[key]
    first, plus, more = str(value).partition("+") if key == "bank" else (str(value), "", "")
    number, increment = _number(kind, first), _number(kind, more) if plus else 0
    if number is None or increment is None or not least <= number <= most or increment > most:
        span = f"from {_written(kind, least)} to {_written(kind, most)}"
        raise ValueError(f"expected {kind.name} {span}{examples or kind.examples}, got {value!r}")
    return {key: number, "increment": increment} if key == "bank" else {key: number}


def text(limits: Limits, key: str) -> str:
    """One of the limits, in the form that ``read`` reads; ``none`` if there is no bank."""
    kind, number = KEYS[key].kind, getattr(limits, key)
    if key == "bank":
        increment = f"+{_written(kind, limits.increment)}" if limits.increment else ""
        return f"{_written(kind, number)}{increment}" if number else "none"
    return _written(kind, number)


def of_processes(limits: Limits) -> str:
    """The limits that end a process or refuse it a resource, as ``--limit`` sets them."""
    keys = ("memory", "processes", "file", "descriptors", "cpu")
    return ", ".join(f"{key}={text(limits, key)}" for key in keys)


def lowered(most: Limits, requests: Mapping[str, str | int]) -> Limits:
    """The limits of a bot that asks for these: the lower of each two."""
    fields: dict[str, int] = {}
    for key, value in requests.items():
        for name, number in read(key, value).items():
            unlimited = key == "bank" and not most.bank
            fields[name] = number if unlimited else min(number, getattr(most, name))
    return replace(most, **fields)


def clockless(limits: Limits) -> Limits:
    """The same limits with the clock off: a day for each answer, and a match time that never runs out."""
    return replace(limits, start=_DAY, move=_DAY, bank=0, increment=0, total=1000 * _DAY)


def excess(most: Limits, requests: Mapping[str, str | int]) -> str | None:
    """The first limit above that of the run, and the option that would allow it; None if there is none."""
    for key, value in requests.items():
        fields = read(key, value)
        allowed = {name: max(number, getattr(most, name)) for name, number in fields.items()}
        wider = replace(most, **allowed)
        if wider != most and (key != "bank" or most.bank):
            amount = text(replace(most, **fields), key)
            option = " ".join(setting(wider, key))
            return f"asks for {key} {amount}, expected at most {text(most, key)}; {option} allows it"
    return None


def setting(limits: Limits, key: str) -> tuple[str, str]:
    """The option that sets this limit, and its value."""
    option, written = KEYS[key].option, text(limits, key)
    return option, f"{key}={written}" if option == "--limit" else written


def _number(kind: _Kind, written: str) -> int | None:
    parts = _NUMBER.fullmatch(written)
    if parts is None or parts[3] not in kind.units or (parts[2] and not kind.broken):
        return None
    unit = kind.units[parts[3]]
    return round(float(parts[1] + parts[2]) * unit) if parts[2] else int(parts[1]) * unit


def _written(kind: _Kind, number: int) -> str:
    """A value in the largest unit that leaves no fraction; the smallest unit of each kind is 1."""
    unit = next(unit for unit, size in kind.units.items() if size == 1 or (number and number % size == 0))
    return f"{number // kind.units[unit]}{unit}"
