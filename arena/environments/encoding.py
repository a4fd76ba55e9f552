"""Observations as rows of numbers: how long a row is, what each number means and between which bounds it stays.

The encoding follows from a game, seats and variants alone: matches of random players, always the same, show which
fields, words and lengths there are. A number beyond the bounds is clipped, a word or place never seen is left out.

Knows tables and fields; knows no NumPy.
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
"""How many matches show what there is: so many, and as many more as it takes to see so many questions; fewer where
matches are so long that this many questions are seen sooner."""
ALIKE = 400
"""Up to so many options of one kind of struct are known by putting seen values of its fields together in all ways."""
ROOM_FOR_OPTIONS = 2
"""How many times as many options as were seen a question may have."""


class Encoding:
    """The rows of one game at one table."""

    def __init__(self, table: Environment) -> None:
        """Play the matches that show what there is; the table is only looked at."""
        self._of = table.game.name, table.seats, table.variants
        seen, asked, most = _walk(Environment(table.game, table.seats, table.variants))
        self._field = field(seen, Vocabulary(table.seats))
        self.observed = self._field.settle()
        """This many numbers, the first of a row, are of the observation; those of the question follow."""
        self._words = {word: at for at, word in enumerate(sorted(_completed(asked)), 1)}
        self._numbers: dict[Any, int] = {}
        """Those of options that are structs, so that each is put into words once."""
        self.options = ROOM_FOR_OPTIONS * most
        """How many options a question may have at most: twice as many as were seen; those beyond cannot be picked."""
        columns = list(self._field.columns(""))
        columns.append(("picks made", 0.0, float(self.options)))
        columns += [(f"option {at} is picked", 0.0, 1.0) for at in range(self.options)]
        columns += [(f"option {at}", 0.0, float(len(self._words))) for at in range(self.options)]
        self.names = tuple([name for name, _, _ in columns])
        self.low = tuple([low for _, low, _ in columns])
        self.high = tuple([high for _, _, high in columns])
        self._zeros = bytes(4 * len(columns))

    def __reduce__(self) -> tuple[Any, ...]:
        """By what it follows from: it is made again, once in a process, where a copy or a pickle is read."""
        return encoding_of, self._of

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
    return option if isinstance(option, str) else _word_of(option)


def _word_of(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _completed(asked: set[str]) -> set[str]:
    """The options that were seen, and those that put values of their fields together in other ways."""
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
                "{" + ",".join(f"{_word_of(name)}:{value}" for name, value in zip(names, each, strict=True)) + "}"
                for each in product(*ranges)
            )
    return completed


def _range(words: set[str]) -> list[str]:
    """The values of a field as JSON; all whole numbers between the least and the greatest."""
    numbers = [int(word) for word in words if word.isdecimal()]
    between = range(min(numbers), max(numbers) + 1) if numbers else range(0)
    return sorted(words.union(map(str, between)) if len(between) <= ALIKE else words)


class Player:
    """Who plays at random for a seat for one match: evenly, or with likes that last the match.

    Likes lead further than even play: to who buys all that there is, who never stops, who sells everything.
    """

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._even = dice.choice((1.0, 0.1, 0.1))
        """How often it picks evenly."""
        self._share = dice.choice((0.0, 1.0, None))
        """How many of the picks that it need not make it makes; None: any number."""
        self._likes: dict[str, float] = {}

    def picks(self, decision: Decision, words: Sequence[str]) -> Sequence[int]:
        """Picks of the options, which are given in words as well."""
        dice, options, least, most = self._dice, range(len(words)), decision.least, decision.most
        if dice.random() < self._even:
            return dice.sample(options, dice.randint(least, most))
        likes = [self._likes.get(word) or self._likes.setdefault(word, dice.random()) for word in words]
        number = dice.randint(least, most) if self._share is None else round(least + self._share * (most - least))
        return sorted(options, key=likes.__getitem__)[:number]


def _walk(table: Environment) -> tuple[list[Any], set[str], int]:
    """Observations of random play as plain data, the options there were, and the most at once."""
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
