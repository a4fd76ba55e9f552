"""Observations as rows of numbers: how long a row is, what each number means and between which bounds it stays.

The encoding follows from a game, seats and variants alone: matches of random play, always the same, show which fields,
words and lengths there are. A number beyond the bounds is clipped, a word or place never seen is left out.

Knows plain data and tables; knows no NumPy.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, Protocol

import msgspec

from arena.environments.table import Table
from arena.game import Decision, Seat

MATCHES = 24
"""How many matches show what there is."""
FEW = 40
"""Rows of up to so many different whole numbers, of any length, are counted by number."""


class Field(Protocol):
    """Some numbers of a row."""

    def columns(self) -> Iterator[tuple[str, float, float]]:
        """What each number is, its least and its greatest value."""

    def write(self, value: Any, row: list[float]) -> None:
        """Add the numbers of a value; None for one that is not there."""


class Number:
    """A whole number or a truth value; 0 if it is not there, told from a real 0 by a number before it."""

    def __init__(self, name: str, values: Sequence[Any], *, optional: bool) -> None:
        self._name, self._optional = name, optional
        self._low, self._high = float(min(0, *values, 0)), float(max(1, *values, 1))

    def columns(self) -> Iterator[tuple[str, float, float]]:
        """Whether it is there, where it may not be; and the number."""
        if self._optional:
            yield f"{self._name} is there", 0.0, 1.0
        yield self._name, self._low, self._high

    def write(self, value: Any, row: list[float]) -> None:
        """Add the number, within its bounds."""
        if self._optional:
            row.append(float(value is not None))
        row.append(min(max(float(value or 0), self._low), self._high))


class Words:
    """How often each word is there: 0 or 1 for a word alone, counts for a row of them, in which order does not tell."""

    def __init__(self, name: str, values: Sequence[Any]) -> None:
        self._name = name
        rows = [value if isinstance(value, list) else [value] for value in values]
        self._most: dict[str, int] = {}
        for row in rows:
            for word in set(map(str, row)):
                self._most[word] = max(self._most.get(word, 1), sum(str(each) == word for each in row))
        self._words = sorted(self._most)

    def columns(self) -> Iterator[tuple[str, float, float]]:
        """A number for each word."""
        for word in self._words:
            yield f"{self._name}: {word}", 0.0, float(self._most[word])

    def write(self, value: Any, row: list[float]) -> None:
        """Add how often each word is there."""
        there = [] if value is None else list(map(str, value)) if isinstance(value, list) else [str(value)]
        row += [float(min(there.count(word), self._most[word])) for word in self._words]


class Named:
    """The fields of a struct, or the values of a mapping by key."""

    def __init__(self, name: str, values: Sequence[dict[str, Any]]) -> None:
        keys = list(dict.fromkeys(key for value in values for key in value))
        at = f"{name}." if name else ""
        self._fields = {key: field(f"{at}{key}", [value.get(key) for value in values]) for key in keys}

    def columns(self) -> Iterator[tuple[str, float, float]]:
        """Those of each field."""
        for each in self._fields.values():
            yield from each.columns()

    def write(self, value: Any, row: list[float]) -> None:
        """Add each field."""
        for key, each in self._fields.items():
            each.write(None if value is None else value.get(key), row)


class Places:
    """Values one after the other, such as one a seat; all are encoded alike."""

    def __init__(self, name: str, values: Sequence[list[Any]]) -> None:
        length = max(map(len, values))
        pooled: list[Any] = [item for value in values for item in value]
        pooled += [None] * any(len(value) < length for value in values)
        self._fields = [field(f"{name}[{at}]", pooled) for at in range(length)]

    def columns(self) -> Iterator[tuple[str, float, float]]:
        """Those of each place."""
        for each in self._fields:
            yield from each.columns()

    def write(self, value: Any, row: list[float]) -> None:
        """Add each place."""
        there = value or ()
        for at, each in enumerate(self._fields):
            each.write(there[at] if at < len(there) else None, row)


def field(name: str, values: Sequence[Any]) -> Field:
    """How to encode a field that had these values, plain data."""
    there = [value for value in values if value is not None]
    kinds = {type(value) for value in there}
    if kinds <= {int, bool} and there:
        return Number(name, there, optional=len(there) < len(values))
    if kinds == {dict}:
        return Named(name, there)
    if kinds != {list}:
        return Words(name, there)
    items = [item for value in there for item in value]
    within = {type(item) for item in items}
    if within <= {int, bool}:
        counted = len({len(value) for value in there}) > 1 and len(set(items)) <= FEW
        return Words(name, there) if counted or not items else Places(name, there)
    return Words(name, there) if within <= {str, int} else Places(name, there)


class Encoding:
    """The rows of one game at one table."""

    def __init__(self, table: Table) -> None:
        """Play the matches that show what there is; the table is only looked at."""
        seen, asked, most = _walk(Table(table.game, table.seats, table.variants))
        self._field = field("", seen)
        self._words = {word: at for at, word in enumerate(sorted(asked), 1)}
        self.options = 2 * most
        """How many options a question may have at most: twice as many as were seen; those beyond cannot be picked."""
        columns = list(self._field.columns())
        columns.append(("picks made", 0.0, float(self.options)))
        columns += [(f"option {at} is picked", 0.0, 1.0) for at in range(self.options)]
        columns += [(f"option {at}", 0.0, float(len(self._words))) for at in range(self.options)]
        self.names = tuple([name for name, _, _ in columns])
        self.low = tuple([low for _, low, _ in columns])
        self.high = tuple([high for _, _, high in columns])

    def describe(self) -> list[str]:
        """What each number is, with its bounds; then which option each number of ``option`` stands for."""
        numbers = [
            f"{at}: {name}, {low:g} to {high:g}"
            for at, (name, low, high) in enumerate(zip(self.names, self.low, self.high, strict=True))
        ]
        return [*numbers, "an option is 0: none, or another", *(f"{at}: {word}" for word, at in self._words.items())]

    def encode(self, observation: Any, options: Sequence[Any] = (), picks: Sequence[int] = ()) -> list[float]:
        """The row of an observation, of the options if this seat is asked, and of its picks so far."""
        row: list[float] = []
        self._field.write(plain(observation), row)
        row.append(float(min(len(picks), self.options)))
        row += [float(at in picks) for at in range(self.options)]
        numbers = [float(self._words.get(_word(option), 0)) for option in options[: self.options]]
        return row + numbers + [0.0] * (self.options - len(numbers))


def encoding_of(game: str, seats: int, variants: Mapping[str, str]) -> Encoding:
    """The encoding of a game by its name, made once in this process."""
    return _encoding(game, seats, tuple(sorted(variants.items())))


@cache
def _encoding(game: str, seats: int, variants: tuple[tuple[str, str], ...]) -> Encoding:
    return Encoding(Table(game, seats, dict(variants)))


def plain(value: Any) -> Any:
    """The data of a struct as lists, mappings by text, numbers and words."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _word(option: Any) -> str:
    return option if isinstance(option, str) else msgspec.json.encode(option).decode()


def _walk(table: Table) -> tuple[list[Any], set[str], int]:
    """Observations of random play as plain data, the options there were, and the most at once."""
    dice = Random(0)  # noqa: S311 - always the same
    seen: list[Any] = []
    asked: set[str] = set()
    most = 1

    def ask(seat: Seat, decision: Decision) -> Sequence[int]:
        nonlocal most
        seen.append(plain(table.observation(seat)))
        asked.update(map(_word, decision.options))
        most = max(most, len(decision.options))
        return dice.sample(range(len(decision.options)), dice.randint(decision.least, decision.most))

    for match in range(MATCHES):
        table.reset(f"encoding {match}")
        table.play_out(ask)
        seen += [plain(table.observation(seat)) for seat in range(table.seats)]
    return seen, asked, most
