"""The tables that the suites sit down at, and random play at them. Knows no game in particular.

A *table* is a game with a number of seats and its variants settled: every seat count with the default variants, and
every other value of a variant at the usual seat count.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple, Protocol, cast

import msgspec
import pytest

from arena import games
from arena.chance import Chance
from arena.game import DECISION_CAP, Chosen, Decision, Game, Outcome, Pending, Seat, State, Whisper
from tests.shelf import toy

encode = msgspec.json.Encoder().encode


class Book(Protocol):
    """What a game's ``tests/shelf/games/<name>.py`` says of it, written from the rulebook alone."""

    LEAKS: dict[str, Callable[[Any, Seat], object]]
    """Observations that tell too much, each by the name of what it tells."""

    def census(self, state: Any) -> Counter[str]:
        """Every component of the box, wherever it lies now."""
        ...

    def redeal(self, state: Any, seat: Seat, rng: Random) -> Any:
        """A copy in which all that this seat may not know is dealt anew."""
        ...


class Table(NamedTuple):
    """A game with its seats taken and its variants settled."""

    game: Game
    seats: int
    variants: Mapping[str, str]

    def deal(self, number: int) -> State:
        """The start of match ``number``; the same number is the same deal."""
        seed = sha256(f"{self.game.name} {self.seats} {number}".encode()).digest()
        return self.game.deal(self.seats, seed, self.variants)

    @property
    def book(self) -> Book:
        """The game's census, redeal and leaks."""
        return book_of(self.game)

    @property
    def name(self) -> str:
        """As in a test's id: the game, the seats, and the variants that are not the default."""
        unusual = (f"{name}={value}" for name, value in self.variants.items() if value != self.game.variants[name][0])
        return "-".join([self.game.name, str(self.seats), *unusual])


def shelf() -> list[Game]:
    """All games, the toy first."""
    return [toy.GAME, *map(games.find, games.names())]


def tables() -> list[Table]:
    """Every table the suites sit down at."""
    found = []
    for game in shelf():
        usual = game.settle({})
        found += [Table(game, seats, usual) for seats in game.seats]
        for name, values in game.variants.items():
            found += [Table(game, game.usual_seats, usual | {name: value}) for value in values[1:]]
    return found


every_table = pytest.mark.parametrize("table", tables(), ids=lambda table: table.name)
"""Marks a test that is held at every table."""


def book_of(game: Game) -> Book:
    """The book of a game.

    Raises:
        AssertionError: the file is not there, or lacks a part.
    """
    snake = game.name.replace("-", "_")
    place = f"tests.shelf.games.{snake}"
    if game.name == toy.GAME.name:
        return cast("Book", toy)
    try:
        module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not place.startswith(error.name):
            raise
        raise AssertionError(f"expected tests/shelf/games/{snake}.py for the game {game.name}, got no file") from None
    lacking = [part for part in ("census", "redeal", "LEAKS") if not hasattr(module, part)]
    assert not lacking, f"expected census, redeal and LEAKS in tests/shelf/games/{snake}.py, got none of {lacking}"
    return cast("Book", module)


def pick(decision: Decision, dice: Chance) -> tuple[Any, ...]:
    """A random legal answer; silence where nothing is to be decided."""
    if decision.forced:
        return decision.silence
    indexes = list(range(len(decision.options)))
    dice.shuffle(indexes)
    return decision.take(indexes[: decision.least + dice.below(decision.most - decision.least + 1)])


def answers(pending: Pending, dice: Chance) -> Chosen:
    """A random legal answer of every seat that is asked."""
    return {seat: pick(decision, dice) for seat, decision in pending.decisions.items()}


def silence(pending: Pending) -> Chosen:
    """What is taken when nobody says anything."""
    return {seat: decision.silence for seat, decision in pending.decisions.items()}


def play(state: State, dice: Chance) -> Iterator[Pending]:
    """Play to the end by random answers, in place; yields each question before it is answered."""
    decided = 0
    while isinstance(pending := state.pending(), Pending):
        yield pending
        decided += sum(not decision.forced for decision in pending.decisions.values())
        assert decided < DECISION_CAP, f"expected an end before {DECISION_CAP} decisions, got none"
        state.apply(answers(pending, dice))


def outcome(state: State) -> Outcome:
    """How a state that asks nothing has ended."""
    end = state.pending()
    assert isinstance(end, Outcome), f"expected the end, got {end}"
    return end


def heard(events: Sequence[Any], seat: Seat) -> list[Any]:
    """The events that reach this seat."""
    told = [event if isinstance(event, Whisper) else Whisper((seat,), event) for event in events]
    return [whisper.event for whisper in told if seat in whisper.seats]


def said(events: Sequence[Any]) -> list[Any]:
    """All events without the whispering."""
    return [event.event if isinstance(event, Whisper) else event for event in events]


def sent(state: State, seat: Seat) -> bytes:
    """All that this seat would be sent if the house turned to it now."""
    pending = state.pending()
    question = pending.decisions.get(seat) if isinstance(pending, Pending) else None
    return encode((question, state.observe(seat)))
