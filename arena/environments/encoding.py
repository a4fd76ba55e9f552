"""Observations as rows of numbers: how long a row is, what each number means and between which bounds it stays.

The encoding follows from a game, seats and variants alone: matches of random play, always the same, show which fields,
words and lengths there are. A number beyond the bounds is clipped, a word or place never seen is left out.

Knows plain data and tables; knows no NumPy.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, Protocol

import msgspec

from arena.environments.environment import Environment

MATCHES = 24
"""How many matches show what there is."""
FEW = 40
"""Rows of up to this many different whole numbers, of any length, are counted by number."""


class Encoder(Protocol):
    """Some numbers of a row, all 0 where the field is not there."""

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """By the name of the field what each number is, its least and its greatest value."""

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write the numbers of a value that is there into a row of zeros, from a place on."""


class Number:
    """A whole number or a truth value; a number before it tells one that is not there from a real 0."""

    def __init__(self, values: Sequence[Any], *, optional: bool) -> None:
        self._optional = optional
        self._low, self._high = float(min(0, *values, 0)), float(max(1, *values, 1))

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """Whether it is there, where it may not be; and the number."""
        if self._optional:
            yield f"{name} is there", 0.0, 1.0
        yield name, self._low, self._high

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write the number, within its bounds."""
        if self._optional:
            row[at] = 1
            at += 1
        row[at] = value if self._low <= value <= self._high else self._low if value < self._low else self._high

    def holds(self, values: Sequence[Any]) -> bool:
        """Whether all of these are there and within bounds, where each is one number of the row."""
        return not (self._optional or None in values) and self._low <= min(values) and max(values) <= self._high


class Words:
    """How often each word is there: 0 or 1 for a word alone, counts for a row of them, in which order does not tell."""

    def __init__(self, values: Sequence[Any]) -> None:
        most: dict[str, int] = {}
        for row in {tuple(map(str, value)) if isinstance(value, list) else (str(value),) for value in values}:
            for word, count in Counter(row).items():
                most[word] = max(most.get(word, 1), count)
        self._most = dict(sorted(most.items()))
        self._places = {word: at for at, word in enumerate(self._most)}
        self._high = list(self._most.values())

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """A number for each word."""
        for word, most in self._most.items():
            yield f"{name}: {word}", 0.0, float(most)

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write how often each word is there."""
        places = self._places
        for word in value if type(value) is list or type(value) is tuple else (value,):
            place = places.get(word if type(word) is str else str(word))
            if place is not None:
                place += at
                if row[place] < self._high[place - at]:
                    row[place] += 1


class NamedFields:
    """The fields of a struct, or the values of a mapping by key."""

    def __init__(self, values: Sequence[dict[str, Any]]) -> None:
        keys = list(dict.fromkeys(key for value in values for key in value))
        self._fields: dict[str, tuple[Encoder, int]] = {}
        width = 0
        for key in keys:
            each = field([value.get(key) for value in values])
            self._fields[key] = (each, width)
            width += sum(1 for _ in each.columns(key))

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """Those of each field."""
        for key, (each, _) in self._fields.items():
            yield from each.columns(f"{name}.{key}" if name else key)

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write each field."""
        fields = self._fields
        for key, each in value.items():
            if each is not None and key in fields:
                known, place = fields[key]
                known.write(each, row, at + place)


class Places:
    """Values one after the other, such as one a seat; all are encoded alike."""

    def __init__(self, values: Sequence[list[Any]]) -> None:
        self._length = length = max(map(len, values))
        pooled: list[Any] = [item for value in values for item in value]
        pooled += [None] * any(len(value) < length for value in values)
        self._field = field(pooled)
        self._width = sum(1 for _ in self._field.columns(""))

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """Those of each place."""
        for at in range(self._length):
            yield from self._field.columns(f"{name}[{at}]")

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write each place."""
        known = self._field
        if (
            value and len(value) <= self._length and type(known) is Number and known.holds(value)
        ):  # the same result, at a fraction of the cost
            row[at : at + len(value)] = array("f", value)
            return
        for each in value[: self._length]:
            if each is not None:
                known.write(each, row, at)
            at += self._width


def field(values: Sequence[Any]) -> Encoder:
    """How to encode a field that had these values, plain data."""
    there = [value for value in values if value is not None]
    kinds = {type(value) for value in there}
    if kinds <= {int, bool} and there:
        return Number(there, optional=len(there) < len(values))
    if kinds == {dict}:
        return NamedFields(there)
    if kinds != {list}:
        return Words(there)
    items = [item for value in there for item in value]
    within = {type(item) for item in items}
    if within <= {int, bool}:
        counted = len({len(value) for value in there}) > 1 and len(set(items)) <= FEW
        return Words(there) if counted or not items else Places(there)
    return Words(there) if within <= {str, int} else Places(there)


class Encoding:
    """The rows of one game at one table."""

    def __init__(self, table: Environment) -> None:
        """Play the matches that show what there is; the table is only looked at."""
        seen, asked, most = _walk(Environment(table.game, table.seats, table.variants))
        self._field = field(seen)
        self._words = {word: at for at, word in enumerate(sorted(asked), 1)}
        self._numbers: dict[Any, int] = {}
        """Those of options that are structs, so that each is put into words once."""
        self.options = 2 * most
        """How many options a question may have at most: twice as many as were seen; those beyond cannot be picked."""
        columns = list(self._field.columns(""))
        self.observed = len(columns)
        """This many numbers, the first of a row, are of the observation; those of the question follow."""
        columns.append(("picks made", 0.0, float(self.options)))
        columns += [(f"option {at} is picked", 0.0, 1.0) for at in range(self.options)]
        columns += [(f"option {at}", 0.0, float(len(self._words))) for at in range(self.options)]
        self.names = tuple([name for name, _, _ in columns])
        self.low = tuple([low for _, low, _ in columns])
        self.high = tuple([high for _, _, high in columns])
        self._zeros = bytes(4 * len(columns))

    def describe(self) -> list[str]:
        """What each number is, with its bounds; then which option each number of ``option`` stands for."""
        numbers = [
            f"{at}: {name}, {low:g} to {high:g}"
            for at, (name, low, high) in enumerate(zip(self.names, self.low, self.high, strict=True))
        ]
        return [*numbers, "an option is 0: none, or another", *(f"{at}: {word}" for word, at in self._words.items())]

    @property
    def words(self) -> int:
        """Into how many kinds the numbers of ``option`` tell options apart: from 0, another, up."""
        return len(self._words) + 1

    def option(self, option: Any) -> int:
        """The number of an option."""
        if type(option) is str:
            return self._words.get(option, 0)
        try:
            return self._numbers[option]
        except KeyError:
            number = self._words.get(_word(option), 0)
            if number:  # others are not kept, because there may be any number of them
                self._numbers[option] = number
            return number
        except TypeError:  # an option that is not hashable
            return self._words.get(_word(option), 0)

    def encode(self, observation: Any, options: Sequence[Any] = (), picks: Sequence[int] = ()) -> "array[float]":
        """The row of an observation, of the options if this seat is asked, and of its picks so far: 32-bit floats."""
        row = array("f", self._zeros)
        self._field.write(msgspec.to_builtins(observation, str_keys=True), row, 0)
        at = self.observed
        row[at] = min(len(picks), self.options)
        for pick in picks:
            row[at + 1 + pick] = 1
        at += 1 + self.options
        for place, option in enumerate(options[: self.options], at):
            row[place] = self.option(option)
        return row


def encoding_of(game: str, seats: int, variants: Mapping[str, str]) -> Encoding:
    """The encoding of a game by its name, made once in this process."""
    return _encoding(game, seats, tuple(sorted(variants.items())))


@cache
def _encoding(game: str, seats: int, variants: tuple[tuple[str, str], ...]) -> Encoding:
    return Encoding(Environment(game, seats, dict(variants)))


def plain(value: Any) -> Any:
    """The data of a struct as lists, mappings by text, numbers and words."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _word(option: Any) -> str:
    return option if isinstance(option, str) else msgspec.json.encode(option).decode()


def _walk(table: Environment) -> tuple[list[Any], set[str], int]:
    """Observations of random play as plain data, the options there were, and the most at once."""
    dice = Random(0)  # noqa: S311 - always the same observations
    seen: list[Any] = []
    asked: set[str] = set()
    most = 1

    for match in range(MATCHES):
        table.reset(f"encoding {match}")
        while table.seat is not None:
            decision = table.decision
            seen.append(plain(table.observation()))
            asked.update(map(_word, decision.options))
            most = max(most, len(decision.options))
            table.step(dice.sample(range(len(decision.options)), dice.randint(decision.least, decision.most)))
        seen += [plain(table.observation(seat)) for seat in range(table.seats)]
    return seen, asked, most
