"""Encodes the fields of an observation as columns of numbers, and options as indexes, by what their types declare.

See ``arena.values``. Values that were met before are found at a fraction of the cost. Knows no game.
"""

from array import array
from collections.abc import Iterator, Sequence
from math import prod
from operator import attrgetter
from struct import Struct as Layout
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from arena import values
from arena.errors import UsageError
from arena.game import Seat
from arena.values import BY_SEAT, LEFT_OUT, SEAT

_REMEMBERED, _ENTRY = 1 << 18, 200
"""So many bytes at most are kept of a field, with those of each entry itself."""
packed = Layout("f").pack
UNIT = packed(1)

Column: TypeAlias = tuple[str, float, float]
"""The name of a column, its least value (its greatest is 1), and by what its numbers are divided, or their half."""


class Undeclared(UsageError):
    """A type does not say which values it has."""


class Category:
    """Values that are one of few: words, seats, and structs made of such; each has an index and a name."""

    def __init__(self, hint: Any, seats: int) -> None:
        """``Undeclared``: it is not known which values there are."""
        self.names: list[str] = []
        self._seats = seats
        self._words: dict[Any, int] = {}
        self._first_seat: int | None = None
        self._structs: dict[type, tuple[int, list[tuple[str, Category]]]] = {}
        self.known: list[dict[Any, int]] = [{} for _ in range(seats)]
        """By seat, the indexes of the values that it has met."""
        for part in _alternatives(hint):
            self._add(part)

    def __len__(self) -> int:
        return len(self.names)

    def _add(self, hint: Any) -> None:
        kind, marks = _unwrapped(hint)
        first = len(self.names)
        among = [mark.values for mark in marks if isinstance(mark, values.Among)]
        if get_origin(kind) is Literal or kind is bool or among:
            words = (
                _resolve_value(among[0], self._seats) if among else (False, True) if kind is bool else get_args(kind)
            )
            self._words |= {word: first + place for place, word in enumerate(words)}
            self.names += map(str, words)
        elif SEAT in marks:
            self._first_seat = first
            self.names += ["own seat", *(f"seat +{after}" for after in range(1, self._seats))]
        elif isinstance(kind, type) and issubclass(kind, Struct):
            if empty := [name for name, field in _fields(kind) if NoneType in get_args(_unwrapped(field)[0])]:
                raise Undeclared(f"{kind.__name__}: expected fields that always have a value, got {empty[0]}")
            fields = [(name, Category(field, self._seats)) for name, field in _fields(kind)]
            self._structs[kind] = first, fields
            tag = str(kind.__struct_config__.tag or kind.__name__.lower())
            self.names += _products(tag, fields)
        else:
            label = kind.__name__ if isinstance(kind, type) and not get_args(kind) else kind
            ways = "Upto(9) for a number of a row, Among((7, 8)) for an option or a card"
            raise Undeclared(f"expected a type that declares its values, in Annotated as {ways}, got {label}")

    @property
    def relative(self) -> bool:
        """Whether a value has another index for each seat."""
        fields = [category for _, fields in self._structs.values() for _, category in fields]
        return self._first_seat is not None or any(category.relative for category in fields)

    def index(self, value: Any, seat: Seat) -> int:
        """The index of a value as ``seat`` sees it; ``UsageError`` if it is none that was declared."""
        cache, hashed = self.known[seat], True
        try:
            return cache[value]
        except KeyError:
            pass
        except TypeError:  # a struct that is not frozen
            hashed = False
        if type(value) in self._structs:
            index, fields = self._structs[type(value)]
            step = prod(len(category) for _, category in fields)
            for name, category in fields:
                step //= len(category)
                index += step * category.index(getattr(value, name), seat)
        elif hashed and value in self._words:
            index = self._words[value]
        elif self._first_seat is not None and value in range(self._seats):
            index = self._first_seat + (value - seat) % self._seats
        else:
            raise UsageError(f"expected a declared value, of {', '.join(self.names[:8])} ..., got {value!r}")
        if hashed:
            cache[value] = index
        return index

    def indexes(self, row: Sequence[Any], seat: Seat) -> list[int]:
        """The index of each value of a row."""
        cache = self.known[seat]
        try:  # nearly all have been met before: found at a fraction of the cost
            return [cache[value] for value in row]
        except (KeyError, TypeError):
            return [self.index(value, seat) for value in row]


def _products(name: str, fields: Sequence[tuple[str, Category]]) -> list[str]:
    names = [name]
    for field, category in fields:
        names = [f"{begun}, {field} {word}" for begun in names for word in category.names]
    return names


class Encoder(Protocol):
    """Encodes a field as ``width`` columns of a row; they are 0 where the field is missing."""

    width: int
    relative: bool
    """Whether a value is encoded in another way for each seat."""

    def columns(self, name: str) -> Iterator[Column]:
        """Name each column of the field ``name``, with its least value."""

    def written(self, value: Any, seat: Seat) -> bytes:
        """The columns as 32-bit floats; a ``UsageError`` if the value is none that was declared."""


class _ColumnCache(dict[Any, bytes]):
    """The values of a field that were met, with their columns: nearly all come again, and cost a fraction then."""

    def __init__(self, encoder: Encoder, seat: Seat, name: str) -> None:
        """``name``: of the field, for errors."""
        super().__init__()
        self._written, self._seat, self._name = encoder.written, seat, name
        self._zeros = bytes(4 * encoder.width)
        self._most = _REMEMBERED // (len(self._zeros) + _ENTRY)

    def __missing__(self, value: Any) -> bytes:
        if len(self) >= self._most:
            self.clear()
        written = self[value] = self.fresh(value)
        return written

    def fresh(self, value: Any) -> bytes:
        """The columns of a value that was not met, or has no hash."""
        if value is None:
            return self._zeros
        try:
            return self._written(value, self._seat)
        except UsageError as error:
            raise UsageError(f"{self._name}: {error}" if self._name else str(error)) from None

    def of(self, value: Any) -> bytes:
        """The columns of any value, which may be a dict or a list."""
        try:
            return self[tuple(value.items()) if isinstance(value, dict) else value]
        except TypeError:
            return self.fresh(value)


def _make_caches(encoder: Encoder, seats: int, name: str = "") -> list[_ColumnCache]:
    """What is known of a field, by seat; seats that see the same share it."""
    if encoder.relative:
        return [_ColumnCache(encoder, seat, name) for seat in range(seats)]
    return [_ColumnCache(encoder, 0, name)] * seats


class _Number:
    width, relative = 1, False

    def __init__(self, low: int, high: int) -> None:
        self._low, self._high, self._scale = low, high, max(abs(low), abs(high), 1)

    def columns(self, name: str) -> Iterator[Column]:
        yield name, min(0.0, self._low / self._scale), self._scale

    def written(self, value: Any, seat: Seat) -> bytes:  # noqa: ARG002 - as all have it
        if not self._low <= value <= self._high:
            raise UsageError(f"expected {self._low} to {self._high}, as declared, got {value}")
        return packed(value / self._scale)


class _Unbounded:
    width, relative = 1, False

    def __init__(self, half: int) -> None:
        self._half = half

    def columns(self, name: str) -> Iterator[Column]:
        yield name, -1.0, self._half

    def written(self, value: Any, seat: Seat) -> bytes:  # noqa: ARG002 - as all have it
        return packed(value / (abs(value) + self._half))


class _OneHot:
    def __init__(self, category: Category) -> None:
        self._category, self.width, self.relative = category, len(category), category.relative

    def columns(self, name: str) -> Iterator[Column]:
        return ((f"{name}: {word}", 0.0, 1) for word in self._category.names)

    def written(self, value: Any, seat: Seat) -> bytes:
        index = self._category.index(value, seat)
        return b"".join((bytes(4 * index), UNIT, bytes(4 * (self.width - index - 1))))


class _Counts:
    """How many of each value a row has; of a stack also where: halves, quarters, ... from its top down."""

    def __init__(self, category: Category, most: int, *, stack: bool) -> None:
        self._category, self._stack, self.relative = category, stack, category.relative
        self._most, self._scale = most, max(most, 1)
        self.width = len(category) * (1 + stack)
        self._zeros = bytes(4 * self.width)

    def columns(self, name: str) -> Iterator[Column]:
        yield from ((f"{name}: {word}", 0.0, self._scale) for word in self._category.names)
        if self._stack:
            yield from ((f"{name}, from its top: {word}", 0.0, 1) for word in self._category.names)

    def written(self, value: Any, seat: Seat) -> bytes:
        if not value:
            return self._zeros
        row = array("f", self._zeros)
        indexes = self._category.indexes(value, seat)
        for index in {*indexes}:
            count = indexes.count(index)
            if count > self._most:
                raise UsageError(f"expected 0 to {self._most}, as declared, got {count}")
            row[index] = count / self._scale
        if self._stack:
            for place, index in enumerate(reversed(indexes), 1):
                row[len(self._category) + index] += 0.5**place
        return row.tobytes()


class _Optional:
    """A value that may be missing, or a row that may be empty: a column before it says whether it is there."""

    def __init__(self, encoder: Encoder, *, or_empty: bool = False) -> None:
        self._encoder, self.width, self._or_empty = encoder, 1 + encoder.width, or_empty
        self.relative = encoder.relative

    def columns(self, name: str) -> Iterator[Column]:
        yield f"{name} is there", 0.0, 1
        yield from self._encoder.columns(name)

    def written(self, value: Any, seat: Seat) -> bytes:
        return UNIT + self._encoder.written(value, seat) if value or not self._or_empty else bytes(4 * self.width)


class _Places:
    """A row of values at places of their own: of so many at most, by seat from the own one on."""

    def __init__(self, encoder: Encoder, length: int, seats: int, *, by_seat: bool = False) -> None:
        self._encoder, self._length, self._by_seat = encoder, length, by_seat
        self.width, self.relative = length * encoder.width, by_seat or encoder.relative
        self._caches = _make_caches(encoder, seats)

    def columns(self, name: str) -> Iterator[Column]:
        for place in range(self._length):
            yield from self._encoder.columns(f"{name}[{'+' if self._by_seat else ''}{place}]")

    def written(self, value: Any, seat: Seat) -> bytes:
        if len(value) > self._length:
            raise UsageError(f"expected at most {self._length} values, as declared, got {len(value)}")
        cache, items = self._caches[seat], value[seat:] + value[:seat] if self._by_seat else value
        try:
            written = b"".join(map(cache.__getitem__, items))
        except TypeError:
            written = b"".join(map(cache.of, items))
        return written.ljust(4 * self.width, b"\0")


class Fields:
    """A struct: the columns of all its fields."""

    relative = True

    def __init__(self, struct: type, seats: int, without: Sequence[str] = ()) -> None:
        self._fields: list[tuple[str, Encoder]] = []
        for name, hint in _fields(struct):
            if name not in without:
                try:
                    self._fields.append((name, _encoder(hint, seats)))
                except Undeclared as error:
                    raise Undeclared(f"{struct.__name__}.{name}: {error}") from None
        self.width = sum(encoder.width for _, encoder in self._fields)
        names = [name for name, _ in self._fields]
        self._values = attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, name) for name in names]
        caches = [*zip(*(_make_caches(encoder, seats, name) for name, encoder in self._fields), strict=True)] or [
            ()
        ] * seats
        self._of = [[field.of for field in fields] for fields in caches]
        mapped = [isinstance(encoder, _Mapping) for _, encoder in self._fields]
        self._quick = [
            [field.of if slow else field.__getitem__ for field, slow in zip(fields, mapped, strict=True)]
            for fields in caches
        ]
        """By seat how the columns of each field are found; ``_of`` does it also where values have no hash."""

    def columns(self, name: str) -> Iterator[Column]:
        """Name each column, after ``name``, with its least value."""
        for field, encoder in self._fields:
            yield from encoder.columns(f"{name}.{field}" if name else field)

    def written(self, value: Any, seat: Seat) -> bytes:
        """The columns of all fields; a ``UsageError`` names the field whose value was not declared."""
        values = self._values(value)
        try:
            return b"".join([find(item) for find, item in zip(self._quick[seat], values)])  # noqa: B905 - as many, and dear
        except TypeError:
            return b"".join([find(item) for find, item in zip(self._of[seat], values, strict=True)])


class _Mapping:
    """A number, or another field, for each word."""

    def __init__(self, keys: Category, encoder: Encoder, seats: int) -> None:
        self._keys, self._encoder, self._caches = keys, encoder, _make_caches(encoder, seats)
        self.width, self.relative = len(keys) * encoder.width, keys.relative or encoder.relative

    def columns(self, name: str) -> Iterator[Column]:
        for word in self._keys.names:
            yield from self._encoder.columns(f"{name}: {word}")

    def written(self, value: Any, seat: Seat) -> bytes:
        parts, cache = [bytes(4 * self._encoder.width)] * len(self._keys), self._caches[seat]
        for key, item in dict(value).items():
            parts[self._keys.index(key, seat)] = cache.of(item)
        return b"".join(parts)


def _encoder(hint: Any, seats: int) -> Encoder:
    """The encoder of a field of this type."""
    kind, marks = _unwrapped(hint)
    alternatives = _alternatives(hint)
    optional = NoneType in get_args(kind) if get_origin(kind) in {Union, UnionType} else False
    if optional and len(alternatives) == 1:
        encoder = _encoder(alternatives[0], seats)
        return encoder if isinstance(encoder, _OneHot) else _Optional(encoder)
    if kind is bool:
        return _Number(0, 1)
    for mark in marks:
        declared = _declared(mark, get_args(kind), seats)
        if declared is not None:
            return declared
    if get_origin(kind) is dict:
        return _Mapping(Category(get_args(kind)[0], seats), _encoder(get_args(kind)[1], seats), seats)
    try:
        return _OneHot(Category(hint, seats))
    except Undeclared:
        if isinstance(kind, type) and issubclass(kind, Struct):
            return Fields(kind, seats)
        raise


def _declared(mark: Any, of: Sequence[Any], seats: int) -> Encoder | None:
    """The encoder that a declaration asks for; ``of``: what the row is of."""
    match mark:
        case values.Upto(most, least):
            return _Number(_resolve_value(least, seats), _resolve_value(most, seats))
        case values.Unbounded(half):
            return _Unbounded(half)
        case values.Copies(most) | values.Stack(most):
            return _Counts(Category(of[0], seats), _resolve_value(most, seats), stack=isinstance(mark, values.Stack))
        case values.InOrder(most):
            encoder = _encoder(of[0], seats)
            cell = encoder if isinstance(encoder, (_OneHot, _Places)) else _Optional(encoder)
            return _Places(cell, _resolve_value(most, seats), seats)
        case values.Row(length, or_empty):
            row = _Places(_encoder(of[0], seats), _resolve_value(length, seats), seats)
            return _Optional(row, or_empty=True) if or_empty else row
    return _Places(_encoder(of[0], seats), seats, seats, by_seat=True) if mark == BY_SEAT else None


def _resolve_value(declared: Any, seats: int) -> Any:
    """What is declared, at this number of seats."""
    return declared(seats) if callable(declared) else declared


def _unwrapped(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without what is declared of it, and that."""
    return (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def _alternatives(hint: Any) -> list[Any]:
    """The types of a union but None; other types as they are."""
    kind, _ = _unwrapped(hint)
    if get_origin(kind) in {Union, UnionType}:
        return [alternative for part in get_args(kind) for alternative in _alternatives(part) if part is not NoneType]
    return [hint]


def _fields(struct: type) -> Iterator[tuple[str, Any]]:
    """The fields of a struct that are encoded, with their types."""
    for name, hint in get_type_hints(struct, include_extras=True).items():
        if name in struct.__struct_fields__ and LEFT_OUT not in _unwrapped(hint)[1]:  # type: ignore[attr-defined]
            yield name, hint
