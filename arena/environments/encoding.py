"""Encodes observations as rows of numbers: the length of a row, the meaning of each number and its bounds.

The encoding depends on game, seats and variants alone: the same matches of random players always show which fields,
words and lengths there are. The values seen decide the columns of a field and their bounds. A number beyond the bounds
is clipped; a word or place that was never seen is left out.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import permutations, product
from math import prod
from random import Random
from typing import Any, Protocol

import msgspec

from arena.environments.environment import Environment
from arena.game import Decision

FEW = 40
"""A row with at most this many different whole numbers is counted by number, whatever its length."""
ROOM = 2
"""Bounds lie this many times as far from 0 as the values that were seen."""

_SEATS = re.compile(r"(\d+)")


class Encoder(Protocol):
    """Encodes one field as columns of a row; they stay 0 where the field is missing."""

    def fix_columns(self) -> int:
        """Decide the columns when all fields have been seen, and return their number."""

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        """Name each column of the field ``name``, with its least and its greatest value."""

    def write(self, value: Any, row: "array[float]", column: int) -> None:
        """Write a value into a row of zeros, from column ``index`` on."""


class _Number:
    """A whole number or a truth value; if it may be missing, a column before it says whether it is there."""

    def __init__(self, values: Iterable[Any], *, optional: bool) -> None:
        low, high = min(values), max(values)
        room = 1 if type(low) is type(high) is bool else ROOM
        self._optional = optional
        self._low, self._high = float(min(0, room * low)), float(max(1, room * high))

    def fix_columns(self) -> int:
        return 1 + self._optional

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        if self._optional:
            yield f"{name} is there", 0.0, 1.0
        yield name, self._low, self._high

    def write(self, value: Any, row: "array[float]", column: int) -> None:
        if self._optional:
            row[column] = 1
            column += 1
        row[column] = value if self._low <= value <= self._high else self._low if value < self._low else self._high

    def holds(self, values: Sequence[Any]) -> bool:
        """Whether all these values are there and within bounds, and take one column each."""
        return not (self._optional or None in values) and self._low <= min(values) and max(values) <= self._high


class Vocabulary:
    """Groups words: fields that share one word share all, so that a card seen in one field is known in the others.

    A row of as many words as there are ``seats`` has one for each seat.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self._with: dict[str, set[str]] = {}

    def add(self, words: Iterable[str]) -> None:
        """Add the words of one field."""
        together = set(words)
        for known in [self._with[word] for word in together if word in self._with]:
            together |= known
        self._with.update(dict.fromkeys(together, together))

    def of(self, words: Iterable[str]) -> list[str]:
        """Sort all words of the group of these words; if they are whole numbers, the numbers between them come too.

        A word that begins with a seat, such as a move, brings the same word of all other seats: few matches show all.
        """
        together = set(words).union(*(self._with[word] for word in words))
        if together and all(map(str.isdecimal, together)):
            numbers = sorted(map(int, together))
            if numbers[-1] - numbers[0] < FEW:
                return [str(number) for number in range(numbers[0], numbers[-1] + 1)]
            return list(map(str, numbers))
        return sorted(together.union(*map(self._by_all, together)))

    def _by_all(self, word: str) -> Iterator[str]:
        parts = _SEATS.split(word)
        named = len(parts) // 2
        if word[:1].isdecimal() and not word.isdecimal() and all(int(seat) < self.seats for seat in parts[1::2]):
            for seats in permutations(range(self.seats), named):
                parts[1::2] = map(str, seats)
                yield "".join(parts)


class _Words:
    """A word, or a row of words whose order is lost: a column for each word counts how often it is there."""

    def __init__(self, values: Sequence[Any], vocabulary: Vocabulary) -> None:
        most: dict[str, int] = {}
        for row in {tuple(map(str, value)) if isinstance(value, list) else (str(value),) for value in values}:
            for word, count in Counter(row).items():
                most[word] = max(most.get(word, 1), count)
        self._most, self._vocabulary = most, vocabulary
        self._least_room = ROOM if any(isinstance(value, list) for value in values) else 1
        vocabulary.add(most)

    def fix_columns(self) -> int:
        room, most = self._least_room, self._most
        self._most = {word: room * most.get(word, 1) for word in self._vocabulary.of(most)}
        self._places = {word: place for place, word in enumerate(self._most)}
        self._high = list(self._most.values())
        return len(self._high)

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        for word, most in self._most.items():
            yield f"{name}: {word}", 0.0, float(most)

    def write(self, value: Any, row: "array[float]", column: int) -> None:
        places = self._places
        for word in value if type(value) is list or type(value) is tuple else (value,):
            place = places.get(word if type(word) is str else str(word))
            if place is not None:
                place += column
                if row[place] < self._high[place - column]:
                    row[place] += 1


class _NamedFields:
    """A struct or a mapping: the columns of all its fields."""

    def __init__(self, values: Sequence[Mapping[str, Any]], vocabulary: Vocabulary) -> None:
        keys = dict.fromkeys(key for value in values for key in value)
        self._encoders = {key: field([value.get(key) for value in values], vocabulary) for key in keys}

    def fix_columns(self) -> int:
        self._fields: dict[str, tuple[Encoder, int]] = {}
        width = 0
        for key, encoder in self._encoders.items():
            self._fields[key] = (encoder, width)
            width += encoder.fix_columns()
        return width

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        for key, encoder in self._encoders.items():
            yield from encoder.columns(f"{name}.{key}" if name else key)

    def write(self, value: Any, row: "array[float]", column: int) -> None:
        fields = self._fields
        for key, item in value.items():
            if item is not None and key in fields:
                known, place = fields[key]
                known.write(item, row, column + place)


class _WordsOrFields:
    """A word or a struct, such as a move without details or one with details."""

    def __init__(self, values: Sequence[Any], vocabulary: Vocabulary) -> None:
        self._words = _Words([value for value in values if not isinstance(value, dict)], vocabulary)
        self._fields = _NamedFields([value for value in values if isinstance(value, dict)], vocabulary)

    def fix_columns(self) -> int:
        self._width = self._words.fix_columns()
        return self._width + self._fields.fix_columns()

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        yield from self._words.columns(name)
        yield from self._fields.columns(name)

    def write(self, value: Any, row: "array[float]", column: int) -> None:
        if type(value) is dict:
            self._fields.write(value, row, column + self._width)
        else:
            self._words.write(value, row, column)


class _Places:
    """A row of values encoded alike, as one for each seat; if it may be empty, a column before them says so."""

    def __init__(self, values: Sequence[list[Any]], vocabulary: Vocabulary) -> None:
        self._length = length = max(map(len, values))
        self._optional = {len(value) for value in values} == {0, length}
        pooled: list[Any] = [item for value in values for item in value]
        pooled += [None] * any(0 < len(value) < length for value in values)
        self._field = field(pooled, vocabulary)

    def fix_columns(self) -> int:
        self._width = self._field.fix_columns()
        return self._optional + self._length * self._width

    def columns(self, name: str) -> Iterator[tuple[str, float, float]]:
        if self._optional:
            yield f"{name} is there", 0.0, 1.0
        for place in range(self._length):
            yield from self._field.columns(f"{name}[{place}]")

    def write(self, value: Any, row: "array[float]", column: int) -> None:
        if not value:
            return
        if self._optional:
            row[column] = 1
            column += 1
        known = self._field
        if len(value) <= self._length and type(known) is _Number and known.holds(value):
            row[column : column + len(value)] = array("f", value)  # the same result, at a fraction of the cost
            return
        for item in value[: self._length]:
            if item is not None:
                known.write(item, row, column)
            column += self._width


def field(values: Sequence[Any], vocabulary: Vocabulary) -> Encoder:
    """Choose the encoder of a field that had these values (plain data); call its ``fix_columns`` next."""
    there = [value for value in values if value is not None]
    kinds = set(map(type, there))
    if kinds <= {int, bool} and there:
        return _Number(set(there), optional=len(there) < len(values))
    if kinds == {dict}:
        return _NamedFields(there, vocabulary)
    if kinds == {dict, str}:
        return _WordsOrFields(there, vocabulary)
    if kinds != {list}:
        return _Words(there, vocabulary)
    items = [item for value in there for item in value]
    within = set(map(type, items))
    lengths = set(map(len, there))
    if within <= {int, bool}:
        # a number is known by its place where rows have one length or are empty, or hold many different numbers
        by_place = (len(lengths - {0}) == 1 and lengths != {0, 1}) or len(set(items)) > FEW
    elif within <= {str, int}:
        by_place = lengths | {0} == {0, vocabulary.seats}
    else:
        by_place = True
    return _Places(there, vocabulary) if by_place else _Words(there, vocabulary)


MATCHES, QUESTIONS, ENOUGH = 24, 4000, 40_000
"""Random players play so many matches, and more until they have met ``QUESTIONS``; in long ones they stop sooner."""
ALIKE = 400
"""Options of a kind are completed by combining the values seen in their fields, if that gives at most this many."""
ROOM_FOR_OPTIONS = 2
"""A question may have this many times the options of the longest question seen."""


class Encoding:
    """Encodes observations and questions of one game, at one number of seats, as rows of numbers."""

    def __init__(self, table: Environment) -> None:
        """Play random matches of this table's game, seats and variants to learn which values there are."""
        self._of = table.game.name, table.seats, table.variants
        seen, asked, most = _walk(Environment(table.game, table.seats, table.variants))
        self._field = field(seen, Vocabulary(table.seats))
        self.observed = self._field.fix_columns()
        """The first columns of a row, this many, hold the observation; the question follows."""
        self._words = {word: number for number, word in enumerate(sorted(_completed(asked)), 1)}
        self._numbers: dict[Any, int] = {}
        """Numbers of options that are structs, kept so that each is encoded as JSON once."""
        self.options = ROOM_FOR_OPTIONS * most
        """The most options that a row has room for; options beyond them cannot be picked."""
        columns = list(self._field.columns(""))
        columns.append(("picks made", 0.0, float(self.options)))
        columns += [(f"option {number} is picked", 0.0, 1.0) for number in range(self.options)]
        columns += [(f"option {number}", 0.0, float(len(self._words))) for number in range(self.options)]
        self.names = tuple([name for name, _, _ in columns])
        self.low = tuple([low for _, low, _ in columns])
        self.high = tuple([high for _, _, high in columns])
        self._zeros = bytes(4 * len(columns))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only game, seats and variants: a process that reads it makes the encoding again, once."""
        return encoding_of, self._of

    def describe(self) -> list[str]:
        """Name each column with its bounds, then the option that each number of ``option`` stands for."""
        numbers = [
            f"{number}: {name}, {low:g} to {high:g}"
            for number, (name, low, high) in enumerate(zip(self.names, self.low, self.high, strict=True))
        ]
        return [
            *numbers,
            "an option is 0: none, or another",
            *(f"{code}: {word}" for word, code in self._words.items()),
        ]

    @property
    def words(self) -> int:
        """The number of values that ``option`` returns, 0 (an unknown option) among them."""
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
        """Encode an observation, the options if this seat is asked, and its picks so far, as 32-bit floats."""
        row = array("f", self._zeros)
        self._field.write(msgspec.to_builtins(observation, str_keys=True), row, 0)
        column = self.observed
        row[column] = min(len(picks), self.options)
        for pick in picks:
            row[column + 1 + pick] = 1
        column += 1 + self.options
        for place, option in enumerate(options[: self.options], column):
            row[place] = self.option(option)
        return row


def encoding_of(game: str, seats: int, variants: Mapping[str, str]) -> Encoding:
    """Return the encoding of a game, seats and variants; each is made once in this process."""
    return _encoding(game, seats, tuple(sorted(variants.items())))


@cache
def _encoding(game: str, seats: int, variants: tuple[tuple[str, str], ...]) -> Encoding:
    return Encoding(Environment(game, seats, dict(variants)))


def plain(value: Any) -> Any:
    """Turn a struct into plain data: lists, mappings, numbers and words."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _word(option: Any) -> str:
    return option if isinstance(option, str) else _word_of(option)


def _word_of(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _completed(asked: set[str]) -> set[str]:
    """Add to the options seen those that combine the values of their fields in other ways."""
    values: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for word in asked:
        if word.startswith("{"):
            with suppress(msgspec.DecodeError):  # it is a word with a brace
                option = msgspec.json.decode(word)
                values.setdefault((option.get("type"), *option), []).append(option)
    completed = set(asked)
    for (_, *names), options in values.items():
        ranges = [_range({_word_of(option[name]) for option in options}) for name in names]
        if prod(map(len, ranges)) <= ALIKE:
            completed.update(
                "{" + ",".join(f"{_word_of(name)}:{value}" for name, value in zip(names, row, strict=True)) + "}"
                for row in product(*ranges)
            )
    return completed


def _range(words: set[str]) -> list[str]:
    """Sort the values of a field (as JSON), with all whole numbers between the least and the greatest."""
    numbers = [int(word) for word in words if word.isdecimal()]
    between = range(min(numbers), max(numbers) + 1) if numbers else range(0)
    return sorted(words.union(map(str, between)) if len(between) <= ALIKE else words)


class Player:
    """Plays a match at random for a seat: evenly, or with likes, which lead further: one buys all, one never stops."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._even = dice.choice((1.0, 0.1, 0.1))
        """The chance that it picks evenly."""
        self._share = dice.choice((0.0, 1.0, None))
        """The share of the optional picks that it makes; None: any number of them."""
        self._likes: dict[str, float] = {}

    def picks(self, decision: Decision, words: Sequence[str]) -> Sequence[int]:
        """Pick among the options, whose JSON is in ``words``."""
        dice, options, least, most = self._dice, range(len(words)), decision.least, decision.most
        if dice.random() < self._even:
            return dice.sample(options, dice.randint(least, most))
        likes = [self._likes.get(word) or self._likes.setdefault(word, dice.random()) for word in words]
        number = dice.randint(least, most) if self._share is None else round(least + self._share * (most - least))
        return sorted(options, key=likes.__getitem__)[:number]


def _walk(table: Environment) -> tuple[list[Any], set[str], int]:
    """Play at random; return the observations as plain data, all options seen, and the most in one question."""
    dice = Random(0)  # noqa: S311 - always the same observations
    seen: list[Any] = []
    asked: set[str] = set()
    most = match = 1

    while len(seen) < (ENOUGH if match <= MATCHES else QUESTIONS):
        table.reset(f"encoding {match}")
        players = [Player(dice) for _ in range(table.seats)]
        while table.seat is not None:
            decision = table.decision
            words = list(map(_word, decision.options))
            seen.append(plain(table.observation()))
            asked.update(words)
            most = max(most, len(words))
            table.step(players[table.seat].picks(decision, words))
        seen += [plain(table.observation(seat)) for seat in range(table.seats)]
        match += 1
    return seen, asked, most
