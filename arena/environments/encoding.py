"""Encodes observations as rows of numbers: the length of a row, the meaning of each number and its bounds.

The encoding depends on game, seats and variants alone: the same matches of random players always show which fields,
words and lengths there are. A number beyond the bounds is clipped; a word or place that was never seen is left out.
"""

from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from math import prod
from random import Random
from typing import Any

import msgspec

from arena.environments.environment import Environment
from arena.environments.fields import Vocabulary, field
from arena.game import Decision

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
