"""Encodes observations and questions as rows of numbers from 0 to 1, and options as actions that keep their meaning.

All follows from the number of seats and what a game declares in the types of its observation and options
(``arena.values``). An action is a kind of option with its target, wherever it stands in a question; seats are
counted from the one that looks. Knows no match.
"""

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from arena import games
from arena.environments.fields import Category, Column, Fields, Undeclared, packed
from arena.errors import UsageError
from arena.game import Decision, Game, Seat

__all__ = ["VERSION", "Encoding", "Undeclared", "encoding_of", "name_of"]
VERSION = 0
"""Rises when rows or actions change though the rules of a game do not."""


class Encoding:
    """Encodes observations and questions of one game, at one number of seats, as rows of numbers.

    A row has the own seat as it is counted at the table, the observation, which actions the question offers, and which
    are picked: the first pick as a half, the second as a quarter, and so on, so that their order can be read.
    """

    def __init__(self, game: Game, seats: int, variants: Mapping[str, str] | None = None) -> None:
        """``variants`` change no column, but what it means: they are in the fingerprint.

        ``Undeclared``: the game does not say which values a field has.
        """
        self.variants = game.resolve_variants(variants or {})
        self._of = game.name, seats, self.variants
        self.name = name_of(game)
        """The name of the game as an environment; its number rises with every change of the rules or the encoding."""
        try:
            self._field = Fields(game.observation, seats, ("seat", "seats"))
            self._options = Category(game.option, seats)
        except Undeclared as error:
            raise Undeclared(f"{game.name}: {error}; see arena.values") from None
        self.actions = (*self._options.names, "no more picks")
        """What each action means; the last one says that the picks made are all."""
        self.done = len(self.actions) - 1
        columns: list[Column] = [(f"seat {seat}", 0.0, 1) for seat in range(seats)]
        columns += self._field.columns("")
        self.offered = slice(len(columns), len(columns) + len(self.actions))
        """The columns of a row that are 1 for the actions that are offered: their mask."""
        columns += [(f"offered: {name}", 0.0, 1) for name in self.actions]
        columns += [(f"picked: {name}", 0.0, 1) for name in self._options.names]
        self._seats = seats
        self.names = tuple([name for name, _, _ in columns])
        self.low = tuple([low for _, low, _ in columns])
        self.high = (1.0,) * len(columns)
        self._own = [b"".join(packed(number == seat) for number in range(seats)) for seat in range(seats)]
        self._unasked = bytes(4 * (len(columns) - self.offered.start))
        scaled = [f"{name} from {low:g} of {scale:g}" for name, low, scale in columns]
        text = "\n".join([self.name, *scaled, *self.actions, *map(str, sorted(self.variants.items()))])
        self.fingerprint = sha256(text.encode()).hexdigest()[:16]
        """Differs when a column, its scale, an action or a variant does: what was learnt with another is of no use."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only game, seats and variants: a process that reads it makes the encoding again, once."""
        return encoding_of, self._of

    def describe(self) -> list[str]:
        """Name each column with its bounds, then each action."""
        columns = zip(self.names, self.low, self.high, strict=True)
        return [
            *(f"{number}: {name}, {low:g} to {high:g}" for number, (name, low, high) in enumerate(columns)),
            *(f"action {number}: {name}" for number, name in enumerate(self.actions)),
        ]

    def action(self, option: Any, seat: Seat) -> int:
        """The action of a seat that picks this option."""
        return self._options.index(option, seat)

    def actions_of(self, options: Sequence[Any], seat: Seat) -> list[int]:
        """The actions of a seat that is offered these options, in their order."""
        return self._options.indexes(options, seat)

    def encode(
        self, observation: Any, *, seat: Seat, offered: Sequence[int] = (), picked: Sequence[int] = ()
    ) -> "array[float]":
        """Encode what a seat knows as 32-bit floats, with the actions offered to it now, and those it has taken."""
        return self.row(self.encode_observation(observation, seat), offered=offered, picked=picked)

    def encode_observation(self, observation: Any, seat: Seat) -> bytes:
        """The first columns of a row: what a seat knows, without its question."""
        try:
            return self._own[seat] + self._field.written(observation, seat)
        except UsageError as error:
            raise UsageError(f"{self.name}: {error}") from None

    def row(self, prefix: bytes, *, offered: Sequence[int], picked: Sequence[int]) -> "array[float]":
        """The row of a question, after what ``prefix`` gives."""
        row = array("f", prefix + self._unasked)
        column = self.offered.start
        for action in offered:
            row[column + action] = 1
        if picked:
            column = self.offered.stop
            for place, action in enumerate(picked, 1):
                row[column + action] += 0.5**place
        return row

    def picks(
        self, question: Decision, observation: Any, *, seat: Seat, choose: Callable[["array[float]", list[int]], int]
    ) -> list[int]:
        """Answer a question by actions: ``choose`` takes a row and the legal actions, and gives one of them."""
        actions = self.actions_of(question.options, seat)
        picks: list[int] = []
        while len(picks) < min(question.most, len(actions)):
            places = {action: place for place, action in reversed([*enumerate(actions)]) if place not in picks}
            may_end = question.least < question.most and len(picks) >= question.least
            legal = sorted(places) + [self.done] * may_end
            row = self.encode(observation, seat=seat, offered=legal, picked=[actions[pick] for pick in picks])
            action = choose(row, legal)
            if action not in legal:
                raise UsageError(f"seat {seat}: expected an action of {legal}, got {action}")
            if action == self.done:
                break
            picks.append(places[action])
        return picks


def name_of(game: Game) -> str:
    """The name of a game as an environment: its number is that of the rules plus that of the encoding."""
    number = re.search(r"\d+", game.version)
    return f"arena/{game.name}-v{VERSION + (int(number[0]) if number else 0)}"


def encoding_of(
    game: str, seats: int, variants: Mapping[str, str] | None = None, *, fingerprint: str | None = None
) -> Encoding:
    """Return the encoding of a game, seats and variants, by default the usual; each is made once in this process.

    ``UsageError``: it has another ``fingerprint`` than this one, which is of what somebody learnt with.
    """
    encoding = _encoding(game, seats, tuple(sorted((variants or {}).items())))
    if fingerprint not in {None, encoding.fingerprint}:
        table = " ".join([f"{seats} seats", *(f"{name}={value}" for name, value in encoding.variants.items())])
        got = f"{encoding.fingerprint} ({encoding.name}, {table})"
        raise UsageError(f"expected the encoding {fingerprint}, got {got}: train at this table, or play at another")
    return encoding


@cache
def _encoding(game: str, seats: int, variants: tuple[tuple[str, str], ...]) -> Encoding:
    return Encoding(games.find(game), seats, dict(variants))
