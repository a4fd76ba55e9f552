"""How bots answer in this process without messages: functions, Python bots, and pages of shipped bots."""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import inspect
from msgspec.structs import asdict, fields

from arena import game as contract
from arena import wire
from arena.bot import Bot, Decision, Hello
from arena.environments.environment import seen_by
from arena.errors import BotError, UsageError
from arena.game import Seat, State

_observation = Decision.__dict__["observation"]
_events = Decision.__dict__["events"]
_hello = Decision.__dict__["hello"]
"""The slots themselves, which the properties of ``LazyDecision`` hide."""


class MatchContext:
    """The parts that all questions of one match share, made when they are first read: greetings and dice."""

    __slots__ = ("_dice", "_greet", "_hellos", "now", "state")

    def __init__(self, state: State, seats: int, greet: Callable[[Seat], Hello]) -> None:
        """``greet`` makes the greeting of a seat."""
        self.state = state
        self.now: LazyDecision | None = None
        self._greet = greet
        self._hellos: list[Hello | None] = [None] * seats
        self._dice: list[Random | None] = [None] * seats

    def hello(self, seat: Seat) -> Hello:
        """The greeting of a seat."""
        hello = self._hellos[seat]
        if hello is None:
            hello = self._hellos[seat] = self._greet(seat)
        return hello

    def dice(self, seat: Seat) -> Random:
        """A seat's own dice."""
        dice = self._dice[seat]
        if dice is None:
            dice = self._dice[seat] = Random(self.hello(seat).seed)  # noqa: S311 - dice of a game
        return dice


class LazyDecision(Decision[Any], frozen=True, kw_only=True):
    """A decision whose costly fields are computed when first read: many policies read only the options.

    It is made with the context for ``observation``, ``hello`` and ``rng``, and for ``events`` with the seat, all that
    was told, from where and up to where.
    """

    @property  # type: ignore[misc]  # it is read as the field is
    def observation(self) -> Any:
        """All that this seat has learnt; ``UsageError`` if first read after the answer: the state has changed."""
        seen = _observation.__get__(self)
        if type(seen) is MatchContext:
            if seen.now is not self:
                raise UsageError("expected `observation` to be read before the answer, got it read afterwards")
            seen = seen.state.observe(_events.__get__(self)[0])
            _observation.__set__(self, seen)
        return seen

    @property  # type: ignore[misc]  # it is read as the field is
    def events(self) -> tuple[Any, ...]:
        """The events that this seat saw since it was last asked; ``str(event)`` is a sentence."""
        seat, log, first, last = _events.__get__(self)
        return seen_by(seat, log[first:last])

    @property  # type: ignore[misc]  # it is read as the field is
    def hello(self) -> Hello:
        """The greeting of the match: game, variants, seats, limits."""
        context: MatchContext = _hello.__get__(self)
        return context.hello(_events.__get__(self)[0])

    @property  # type: ignore[misc]  # it is read as the field is
    def rng(self) -> Random:
        """The bot's own dice, with a new seed for each match."""
        context: MatchContext = _hello.__get__(self)
        return context.dice(_events.__get__(self)[0])

    def __repr__(self) -> str:
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return f"Decision({', '.join(f'{name}={value!r}' for name, value in fields)})"


class Page(Bot[Any]):
    """A bot made of pages, such as ``greedy``: a page for each game turns a decoded message into picks."""

    def __init__(self, folder: Path, *, shipped: bool) -> None:
        """``shipped``: it is the folder of a shipped bot, whose pages read nothing but what ``message`` tells."""
        self._folder = folder
        self._message = _question if shipped else _message
        self._decide: Callable[[dict[str, Any]], Sequence[int]]
        self._game = ""

    def open(self, game: str) -> None:
        """Open the page of the game."""
        if game != self._game:
            self._decide = module_of(page_of(self._folder, game)).decide
            self._game = game

    def begin(self, hello: Hello, /) -> None:
        """Open the page of the game."""
        self.open(hello.game)

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Ask the page."""
        return self._decide(self._message(decision))


class RandomPicks(Bot[Any]):
    """The picks of ``bots/random``, from the same dice."""

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Draw how many picks, then which."""
        dice = decision.rng
        return dice.sample(range(len(decision.options)), dice.randint(decision.least, decision.most))


def hears(player: Bot[Any], method: str) -> bool:
    """Whether a player has a ``begin`` or ``over`` of its own. Most have none, and need no call."""
    return getattr(getattr(player, method), "__func__", None) is not getattr(Bot, method)


def page_of(folder: Path, game: str) -> Path:
    """Where a bot that is made of pages has the one for a game; a ``BotError`` if it has none."""
    path = folder / f"{game.replace('-', '_')}.py"
    if not path.is_file():
        raise BotError(f"{folder.name}: expected a page for {game}, got no {path.name} in {folder}")
    return path


def module_of(path: Path) -> Any:
    """A file as a module of its own, run once."""
    name = f"arena_policy:{path}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # noqa: S101 - a path that ends in .py has a loader
    assert spec.loader is not None  # noqa: S101
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def message(decision: contract.Decision, observation: Any) -> dict[str, Any]:
    """The fields of a message that the pages of shipped bots read, at a fraction of the cost; rows are tuples."""
    see = asdict(observation)
    for name in _not_plain(observation.__class__):
        see[name] = msgspec.to_builtins(see[name], str_keys=True)
    return {
        "least": decision.least,
        "most": decision.most,
        "options": msgspec.to_builtins(decision.options, str_keys=True),
        "observation": see,
    }


@cache
def _not_plain(observation: type) -> tuple[str, ...]:
    """The fields of an observation that hold structs, or dictionaries with keys that are no strings."""
    return tuple([field.name for field in fields(observation) if not _is_plain(inspect.type_info(field.type))])


def _is_plain(shape: inspect.Type) -> bool:
    """Whether all data of this type is as a decoder of JSON gives it, but for rows that are tuples."""
    match shape:
        case inspect.VarTupleType():
            return _is_plain(shape.item_type)
        case inspect.TupleType():
            return all(map(_is_plain, shape.item_types))
        case inspect.UnionType():
            return all(map(_is_plain, shape.types))
        case inspect.DictType():
            return isinstance(shape.key_type, _PLAIN) and _is_plain(shape.value_type)
    return isinstance(shape, (inspect.IntType, inspect.BoolType, inspect.NoneType, *_PLAIN))


_PLAIN = (inspect.StrType, inspect.LiteralType)
"""What the keys of an object in JSON may be."""


def _question(decision: Decision[Any]) -> dict[str, Any]:
    return message(decision, decision.observation)


def _message(decision: Decision[Any]) -> dict[str, Any]:
    line = wire.encode(
        wire.Decide(
            "",
            decision.least,
            decision.most,
            len(decision.options),
            decision.time,
            decision.options,
            decision.observation,
            list(decision.events),
        )
    )
    message: dict[str, Any] = _decode(line)
    return message


_decode = msgspec.json.Decoder().decode
