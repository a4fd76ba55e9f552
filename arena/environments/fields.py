"""The fields of an observation as numbers: from values that a field had, which columns it needs, and their bounds.

Knows plain data; knows no game and no table.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, Protocol

FEW = 40
"""Rows of up to this many different whole numbers, of any length, are counted by number."""
ROOM = 2
"""Bounds are so many times as far from 0 as the values that were seen."""


_SEATS = re.compile(r"(\d+)")


class Encoder(Protocol):
    """Some numbers of a row, all 0 where the field is not there."""

    def settle(self) -> int:
        """Fix the columns, once all fields have been seen; how many there are."""

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """By the name of the field what each number is, its least and its greatest value."""

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write the numbers of a value that is there into a row of zeros, from a place on."""


class Number:
    """A whole number or a truth value; a number before it tells one that is not there from a real 0."""

    def __init__(self, values: Iterable[Any], *, optional: bool) -> None:
        low, high = min(values), max(values)
        room = 1 if type(low) is type(high) is bool else ROOM
        self._optional = optional
        self._low, self._high = float(min(0, room * low)), float(max(1, room * high))

    def settle(self) -> int:
        """One, or two."""
        return 1 + self._optional

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


class Vocabulary:
    """Which words go together: fields that share a word share all, so that a card seen in one is known in each.

    It knows how many seats there are as well: a row of so many words has one for each.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self._with: dict[str, set[str]] = {}

    def add(self, words: Iterable[str]) -> None:
        """These are words of one field."""
        together = set(words)
        for known in [self._with[word] for word in together if word in self._with]:
            together |= known
        self._with.update(dict.fromkeys(together, together))

    def of(self, words: Iterable[str]) -> list[str]:
        """All words that go with these, in order; of whole numbers all from the least to the greatest.

        Of a word that begins with a seat, as a move of it does, those of all seats: few matches have each of them.
        """
        together = set(words).union(*(self._with[word] for word in words))
        if together and all(map(str.isdecimal, together)):
            numbers = sorted(map(int, together))
            if numbers[-1] - numbers[0] < FEW:
                return [str(number) for number in range(numbers[0], numbers[-1] + 1)]
            return list(map(str, numbers))
        return sorted(together.union(*map(self._by_all, together)))

    def _by_all(self, word: str) -> Iterator[str]:
        """A word with other seats in the places of its seats."""
        parts = _SEATS.split(word)
        named = len(parts) // 2
        if word[:1].isdecimal() and not word.isdecimal() and all(int(seat) < self.seats for seat in parts[1::2]):
            for seats in permutations(range(self.seats), named):
                parts[1::2] = map(str, seats)
                yield "".join(parts)


class Words:
    """How often each word is there: 0 or 1 for a word alone, counts for a row of them, in which order does not tell."""

    def __init__(self, values: Sequence[Any], vocabulary: Vocabulary) -> None:
        most: dict[str, int] = {}
        for row in {tuple(map(str, value)) if isinstance(value, list) else (str(value),) for value in values}:
            for word, count in Counter(row).items():
                most[word] = max(most.get(word, 1), count)
        self._most, self._vocabulary = most, vocabulary
        self._least_room = ROOM if any(isinstance(value, list) for value in values) else 1
        vocabulary.add(most)

    def settle(self) -> int:
        """One for each word."""
        room, most = self._least_room, self._most
        self._most = {word: room * most.get(word, 1) for word in self._vocabulary.of(most)}
        self._places = {word: at for at, word in enumerate(self._most)}
        self._high = list(self._most.values())
        return len(self._high)

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

    def __init__(self, values: Sequence[Mapping[str, Any]], vocabulary: Vocabulary) -> None:
        keys = dict.fromkeys(key for value in values for key in value)
        self._encoders = {key: field([value.get(key) for value in values], vocabulary) for key in keys}

    def settle(self) -> int:
        """Those of all fields."""
        self._fields: dict[str, tuple[Encoder, int]] = {}
        width = 0
        for key, each in self._encoders.items():
            self._fields[key] = (each, width)
            width += each.settle()
        return width

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """Those of each field."""
        for key, each in self._encoders.items():
            yield from each.columns(f"{name}.{key}" if name else key)

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write each field."""
        fields = self._fields
        for key, each in value.items():
            if each is not None and key in fields:
                known, place = fields[key]
                known.write(each, row, at + place)


class WordsOrFields:
    """A word, or else a struct: such as a move without particulars, or one with."""

    def __init__(self, values: Sequence[Any], vocabulary: Vocabulary) -> None:
        self._words = Words([value for value in values if not isinstance(value, dict)], vocabulary)
        self._fields = NamedFields([value for value in values if isinstance(value, dict)], vocabulary)

    def settle(self) -> int:
        """Those of the words and those of the fields."""
        self._width = self._words.settle()
        return self._width + self._fields.settle()

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """Those of the words, then those of the fields."""
        yield from self._words.columns(name)
        yield from self._fields.columns(name)

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write the word or the fields."""
        if type(value) is dict:
            self._fields.write(value, row, at + self._width)
        else:
            self._words.write(value, row, at)


class Places:
    """Values one after the other, such as one a seat; all are encoded alike.

    Where a row is empty or has all places, a number before them tells which.
    """

    def __init__(self, values: Sequence[list[Any]], vocabulary: Vocabulary) -> None:
        self._length = length = max(map(len, values))
        self._optional = {len(value) for value in values} == {0, length}
        pooled: list[Any] = [item for value in values for item in value]
        pooled += [None] * any(0 < len(value) < length for value in values)
        self._field = field(pooled, vocabulary)

    def settle(self) -> int:
        """The same number for each place, and one more if a row may be empty."""
        self._width = self._field.settle()
        return self._optional + self._length * self._width

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """Those of each place."""
        if self._optional:
            yield f"{name} is there", 0.0, 1.0
        for at in range(self._length):
            yield from self._field.columns(f"{name}[{at}]")

    def write(self, value: Any, row: "array[float]", at: int) -> None:
        """Write each place."""
        if not value:
            return
        if self._optional:
            row[at] = 1
            at += 1
        known = self._field
        if len(value) <= self._length and type(known) is Number and known.holds(value):
            row[at : at + len(value)] = array("f", value)  # the same result, at a fraction of the cost
            return
        for each in value[: self._length]:
            if each is not None:
                known.write(each, row, at)
            at += self._width


def field(values: Sequence[Any], vocabulary: Vocabulary) -> Encoder:
    """How to encode a field that had these values, plain data; ``settle`` is due."""
    there = [value for value in values if value is not None]
    kinds = set(map(type, there))
    if kinds <= {int, bool} and there:
        return Number(set(there), optional=len(there) < len(values))
    if kinds == {dict}:
        return NamedFields(there, vocabulary)
    if kinds == {dict, str}:
        return WordsOrFields(there, vocabulary)
    if kinds != {list}:
        return Words(there, vocabulary)
    items = [item for value in there for item in value]
    within = set(map(type, items))
    lengths = set(map(len, there))
    if within <= {int, bool}:
        by_place = _by_place(lengths, items)
    elif within <= {str, int}:
        by_place = lengths | {0} == {0, vocabulary.seats}
    else:
        by_place = True
    return Places(there, vocabulary) if by_place else Words(there, vocabulary)


def _by_place(lengths: set[int], items: Sequence[int]) -> bool:
    """Whether the place of a number in its row says what it is: rows of one length, of which some may be empty."""
    one_length = len(lengths - {0}) == 1 and lengths != {0, 1}
    return one_length or len(set(items)) > FEW
