"""Declares which values the fields of a game's observation and options have, in their types, as ``Annotated`` has it.

Encodings for learners (``arena.environments.encoding``) are made of these declarations alone. Bounds that depend on the
number of seats are functions of it. A ``Literal`` and a ``bool`` declare themselves. Knows no game.
"""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeAlias, TypeVar, get_type_hints

from msgspec import Struct

BySeats: TypeAlias = int | Callable[[int], int]
"""A bound: a number, or a function from the number of seats."""


class Upto(Struct, frozen=True):
    """A number from ``least`` to ``most``."""

    most: BySeats
    least: BySeats = 0


class Unbounded(Struct, frozen=True):
    """A number without bounds, or mostly far below them: n is n / (abs(n) + ``half``), and so ``half`` is 0.5."""

    half: int


class Among(Struct, frozen=True):
    """One of these words, or of these numbers where each stands for a thing of its own, as on a card."""

    values: tuple[Any, ...] | Callable[[int], tuple[Any, ...]]
    """Or a function from the number of seats to them."""


class Copies(Struct, frozen=True):
    """A row whose order says nothing, with at most so many of each value; values are ``Among`` some, or seats."""

    most: BySeats


class Stack(Struct, frozen=True):
    """A row as in ``Copies`` whose order matters, above all its last values, as of a pile that is taken from above."""

    most: BySeats


class InOrder(Struct, frozen=True):
    """A row of at most so many values, each at a place of its own."""

    most: BySeats


class Row(Struct, frozen=True):
    """A row of always so many numbers or structs; with ``or_empty`` it may have none."""

    length: BySeats
    or_empty: bool = False


class _Mark(Struct, frozen=True):
    name: str


SEAT: Final = _Mark("seat")
"""A seat: encoded as how many places it is after one's own."""
BY_SEAT: Final = _Mark("by seat")
"""A row with one entry for each seat, or none at all; encoded from one's own seat on."""
LEFT_OUT: Final = _Mark("left out")
"""A field that is not encoded: it follows from others, only tells like things apart, or is a history of any length."""

Entry = TypeVar("Entry")
BySeat: TypeAlias = Annotated[tuple[Entry, ...], BY_SEAT]
"""A row with one entry for each seat, or none at all."""


def bare(kind: Any) -> Any:
    """A type without what is declared of it and of its parts."""
    return get_type_hints(type("Bare", (), {"__annotations__": {"kind": kind}}))["kind"]
