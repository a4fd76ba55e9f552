"""Bots that answer in this process without messages: functions, Python bots, and shipped bots that are Python.

Knows no match and no schedule.
"""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from operator import index
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena import game as contract
from arena import wire
from arena.bot import Bot, Decision, Hello, Over
from arena.environments.environment import seen_by
from arena.errors import BotError, UsageError
from arena.game import Seat, State
from arena.library.bots import Decide, LocalBot, local_bot
from arena.players.botfile import is_file, is_name, read
from arena.players.entrants import counted, shelf, shipped

AnyPolicy: TypeAlias = str | LocalBot | Decide | Bot[Any] | type[Bot[Any]]
"""A shipped bot by name, a function from ``arena.Decision`` to picks, a ``Bot``, or a class of them."""

_RANDOM, _SEARCH = "random", "search"
_observation = Decision.__dict__["observation"]
_events = Decision.__dict__["events"]
_hello = Decision.__dict__["hello"]
"""The slots themselves, which the properties of ``LazyDecision`` hide."""


class Sitting:
    """What the questions of one match have in common, made when it is first asked for: greetings and dice."""

    __slots__ = ("_dice", "_greet", "_hellos", "now", "state")

    def __init__(self, state: State, seats: int, greet: Callable[[Seat], Hello]) -> None:
        """``greet`` makes the greeting of a seat."""
        self.state = state
        self.now: LazyDecision | None = None
        """The question that is being answered."""
        self._greet = greet
        self._hellos: list[Hello | None] = [None] * seats
        self._dice: list[Random | None] = [None] * seats

    def hello(self, seat: Seat) -> Hello:
        """What opened the match for a seat."""
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
    """A decision whose costly parts are made when they are first read: many policies read only the options.

    It is made with the sitting for ``observation``, ``hello`` and ``rng``, and for ``events`` with the seat, all that
    was told, from where and up to where.
    """

    @property  # type: ignore[misc]  # it is read as the field is
    def observation(self) -> Any:
        """All that this seat has learnt since the match began.

        Raises:
            UsageError: it is read for the first time after the answer, when the state has changed.
        """
        found = _observation.__get__(self)
        if type(found) is Sitting:
            if found.now is not self:
                raise UsageError("expected `observation` to be read before the answer, got it read afterwards")
            found = found.state.observe(_events.__get__(self)[0])
            _observation.__set__(self, found)
        return found

    @property  # type: ignore[misc]  # it is read as the field is
    def events(self) -> tuple[Any, ...]:
        """What this seat saw since it was last asked; ``str(event)`` is a sentence."""
        seat, log, first, last = _events.__get__(self)
        return seen_by(seat, log[first:last])

    @property  # type: ignore[misc]  # it is read as the field is
    def hello(self) -> Hello:
        """What opened the match: game, variants, seats, limits."""
        sitting: Sitting = _hello.__get__(self)
        return sitting.hello(_events.__get__(self)[0])

    @property  # type: ignore[misc]  # it is read as the field is
    def rng(self) -> Random:
        """The bot's own dice, with a new seed for each match."""
        sitting: Sitting = _hello.__get__(self)
        return sitting.dice(_events.__get__(self)[0])

    def __repr__(self) -> str:
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return f"Decision({', '.join(f'{name}={value!r}' for name, value in fields)})"


class Policy(Struct, frozen=True, kw_only=True):
    """A bot of this process: what it is called, and what makes one that plays, new from the start."""

    name: str
    make: Callable[[], "PolicyPlayer"]
    sent: Any = None
    """What another process can make it of, if it can be sent: see ``policy``."""
    pages: Path | None = None
    """The folder of its pages, one a game, if it is made of these."""
    copies: int = 1
    """How many of it are entered, itself among them."""


class PolicyPlayer(Protocol):
    """One that plays: the methods of a ``Bot``."""

    def begin(self, hello: Hello, /) -> None:
        """A match begins."""

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """The picks."""

    def over(self, over: Over, /) -> None:
        """A match has ended."""


class Function:
    """A player that is a function; it is called for decisions alone."""

    begin, over = Bot.begin, Bot.over  # see ``hears``

    def __init__(self, decide: Decide) -> None:
        self.decide = decide


class Page(Bot[Any]):
    """A bot like ``greedy``, whose pages, one a game, go from a decoded message to picks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._message = _question if folder.parent == shelf() else _message
        self._decide: Callable[[dict[str, Any]], Sequence[int]]
        self._game = ""

    def begin(self, hello: Hello, /) -> None:
        """Open the page of the game."""
        if hello.game != self._game:
            self._decide = module_of(page_of(self._folder, hello.game)).decide
            self._game = hello.game

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Ask the page."""
        return self._decide(self._message(decision))


class RandomPicks(Bot[Any]):
    """What ``bots/random`` plays, from the same dice."""

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Draw how many picks, then which."""
        dice = decision.rng
        return dice.sample(range(len(decision.options)), dice.randint(decision.least, decision.most))


def policy(code: AnyPolicy) -> Policy:
    """A bot of this process.

    Args:
        code: a shipped bot by name, as ``greedy``, ``g2=greedy`` or ``greedy*3``, a function from ``arena.Decision`` to
            picks, a ``Bot``, or a class of them.

    Raises:
        BotError: it is none of these, or plays only as a process.
    """
    if isinstance(code, str):
        alias, word, copies = _named(code)
        return replace(_bot(word, alias), copies=copies)
    local = code if isinstance(code, LocalBot) else local_bot(code)
    return Policy(name=local.name, make=lambda: _player(local.code), sent=(local.name, local.code))


def received(sent: Any) -> Policy:
    """The policy that ``sent`` was made of in another process."""
    name, code = sent
    return _bot(code, name) if isinstance(code, str) else policy(local_bot(code, name))


def from_file(text: str) -> Policy:
    """A bot of this process as it is typed: ``[NAME=]BOT[*N]``.

    BOT is a shipped bot, a folder with a copy of ``greedy``, ``FILE.py`` or ``FILE.py:OBJECT``. The file is run.
    Without OBJECT it is the only class of ``Bot`` that the file defines, else its function ``decide``.

    Raises:
        BotError: no such bot, file or object, or the file does not load.
    """
    alias, word, copies = _named(text)
    place, _, wanted = word.partition(":")
    if not place.endswith(".py"):
        return replace(_bot(word, alias), copies=copies)
    path = Path(place)
    if not path.is_file():
        raise BotError(f"expected a file, got none at {place}")
    try:
        module = module_of(path.resolve())
    except Exception as error:
        raise BotError(f"{place}: expected Python that loads, got {type(error).__name__}: {error}") from error
    code = _object(module, wanted, place)
    return replace(policy(local_bot(code, alias or (None if wanted else path.stem))), copies=copies)


def picks_of(answer: Any) -> tuple[int, ...]:
    """The picks that a policy gave, from any sequence of whole numbers of any type.

    Raises:
        TypeError: the answer is no such sequence.
    """
    try:
        return tuple(map(index, answer))
    except TypeError:
        raise TypeError(f"expected indexes into the options such as [0], got {answer!r}") from None


def hears(player: PolicyPlayer, method: str) -> bool:
    """Whether a player has a ``begin`` or ``over`` of its own. Most have none, and need no call."""
    return getattr(type(player), method) is not getattr(Bot, method)


def page_of(folder: Path, game: str) -> Path:
    """Where a bot that is made of pages has the one for a game.

    Raises:
        BotError: it has none.
    """
    path = folder / f"{game.replace('-', '_')}.py"
    if not path.is_file():
        raise BotError(f"{folder.name}: expected a page for {game}, got no {path.name} in {folder}")
    return path


def _named(text: str) -> tuple[str, str, int]:
    """The name that is given to a typed bot, if any; the bot itself; and the number of copies."""
    name, equals, rest = text.partition("=")
    alias, rest = (name, rest) if equals and "/" not in name else ("", text)
    if alias != "" and not is_name(alias):
        raise BotError(f"expected a name of 1 to 64 letters, digits, '.', '_' or '-', got {alias!r}")
    word, copies = counted(rest)
    return alias, word, copies or 1


def _bot(word: str, alias: str) -> Policy:
    """A shipped bot, or a copy of one in a folder, by its own name or an ``alias``."""
    if word == _RANDOM:
        return Policy(name=alias or word, make=RandomPicks, sent=(alias, word))
    if word == _SEARCH:
        found = _object(module_of(shelf() / word / "bot.py"), "", word)
        return Policy(name=alias or word, make=lambda: _player(found), sent=(alias, word))
    pages = {bot.name: Path(bot.folder) for bot in shipped() if _has_pages(Path(bot.folder))}
    folder = pages.get(word)
    if folder is None and "/" in word:
        bot = read(Path(word))
        known = {(each / "bot.py").read_bytes() for each in pages.values()}
        # a bot with the program of a shipped one answers by pages as that does
        if is_file(path := Path(bot.folder, "bot.py")) and path.read_bytes() in known:
            folder, alias = Path(bot.folder), alias or bot.name
    if folder is None:
        known_names = ", ".join([*pages, _RANDOM, _SEARCH])
        raise BotError(f"expected Python code or a bot that plays without a process ({known_names}), got {word!r}")
    return Policy(name=alias or word, make=lambda: Page(folder), sent=(alias, word), pages=folder)


def _has_pages(folder: Path) -> bool:
    """Whether a bot of ours is made of pages beside its program."""
    return folder.parent == shelf() and any(path.name != "bot.py" for path in folder.glob("*.py"))


def _player(code: Decide | Bot[Any] | type[Bot[Any]]) -> PolicyPlayer:
    if isinstance(code, Bot):
        return deepcopy(code)
    return code() if isinstance(code, type) else Function(code)


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


def _object(module: Any, wanted: str, place: str) -> Any:
    if wanted:
        if not hasattr(module, wanted):
            raise BotError(f"{place}: expected a function or class {wanted!r}, got none of this name")
        return getattr(module, wanted)
    bots = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Bot) and each.__module__ == module.__name__
    ]
    if len(bots) == 1:
        return bots[0]
    if bots or not hasattr(module, "decide"):
        got = ", ".join(each.__name__ for each in bots) or "neither"
        raise BotError(
            f"{place}: expected one class of arena.Bot or a function decide, got {got}; {place}:NAME picks one"
        )
    return module.decide


def message(decision: contract.Decision, observation: Any) -> dict[str, Any]:
    """What the pages of ours read of a message, at a fraction of the cost; rows are tuples, which they do not mind."""
    return {
        "least": decision.least,
        "most": decision.most,
        "options": msgspec.to_builtins(decision.options, str_keys=True),
        "observation": msgspec.to_builtins(observation, str_keys=True),
    }


def _question(decision: Decision[Any]) -> dict[str, Any]:
    """The message of a question to a page of ours."""
    return message(decision, decision.observation)


def _message(decision: Decision[Any]) -> dict[str, Any]:
    """The question as a bot in a process of its own would have decoded it."""
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
