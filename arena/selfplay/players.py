"""Bots that answer in this process without messages, from a name, a file or Python code: functions, bots, pages."""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cache, partial
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import asdict, fields, replace

from arena import game as contract
from arena import wire
from arena.bot import Bot, Decision, Hello
from arena.errors import BotError, UsageError, raised
from arena.game import Game, Seat, State, seen_by
from arena.games import find
from arena.players import (
    BOT_FILE,
    find_bot_shelf,
    is_bot_name,
    is_regular_file,
    read_bot_file,
    read_shipped_bots,
    split_count,
)
from arena.python_bots import AnyBot, LocalBot, local_bot, player_of
from arena.search import Search

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
        observation = _observation.__get__(self)
        if type(observation) is MatchContext:
            if observation.now is not self:
                raise UsageError("expected `observation` to be read before the answer, got it read afterwards")
            observation = observation.state.observe(_events.__get__(self)[0])
            _observation.__set__(self, observation)
        return observation

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
        self._folder, self._shipped = folder, shipped
        self._message: Callable[[Decision[Any]], dict[str, Any]]
        self._decide: Callable[[dict[str, Any]], Sequence[int]]
        self._game = ""

    def open(self, game: str) -> None:
        """Open the page of the game."""
        if game != self._game:
            page = page_of(self._folder, game)
            self._decide = module_of(page).decide if page else find(game).greedy or _first
            self._message = _question if page and self._shipped else _message
            self._game = game

    def begin(self, hello: Hello, /) -> None:
        """Open the page of the game."""
        self.open(hello.game)

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Ask the page."""
        return self._decide(self._message(decision))


def _call_choose(choose: Callable[..., Sequence[int]], takes_dice: bool, decision: Decision[Any]) -> Sequence[int]:
    return choose(_message(decision), *([decision.rng] if takes_dice else []))


class RandomPicks(Bot[Any]):
    """The picks of ``bots/random``, from the same dice."""

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Draw how many picks, then which."""
        dice = decision.rng
        return dice.sample(range(len(decision.options)), dice.randint(decision.least, decision.most))


def hears_message(player: Bot[Any], method: str) -> bool:
    """Whether a player has a ``begin`` or ``over`` of its own. Most have none, and need no call."""
    return getattr(getattr(player, method), "__func__", None) is not getattr(Bot, method)


def page_of(folder: Path, game: str) -> Path | None:
    """Where a bot that is made of pages has the one for a game, if it has one; a ``BotError`` if it has none at all."""
    path = folder / f"{game.replace('-', '_')}.py"
    if not _pages(folder):
        raise BotError(f"{folder.name}: expected a page for each game, got none in {folder}")
    return path if path.is_file() else None


def _first(message: dict[str, Any]) -> Sequence[int]:
    return range(message["least"])


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


_RANDOM, _SEARCH = "random", "search"


class Policy(Struct, frozen=True, kw_only=True):
    """A bot of self-play: its name, and a function that makes a new player."""

    name: str
    make: Callable[[], Bot[Any]]
    sent: Any = None
    """Data from which another process can make this policy, if there is any: see ``make_policy``."""
    pages: Path | None = None
    """The folder of its pages, one a game, if it is made of these."""
    copies: int = 1
    """How many of it are entered, itself among them."""

    def __reduce__(self) -> tuple[Callable[[Any], "Policy"], tuple[Any]]:
        return received, (self.sent,)


def make_policy(code: AnyBot) -> Policy:
    """A bot of this process; a ``BotError`` if it is none of these, or plays only as a process.

    ``code``: a shipped bot by name, as ``greedy``, ``g2=greedy`` or ``greedy*3``, a function from ``arena.Decision`` to
    picks, a ``Bot``, or a class of them.
    """
    if isinstance(code, str | Path):
        # a path with a slash is never taken for the name of a shipped bot
        alias, word, copies = _parsed(code if isinstance(code, str) else f"{code}/")
        return replace(_bot(word, alias), copies=copies)
    local = code if isinstance(code, LocalBot) else local_bot(code)
    return Policy(name=local.name, make=lambda: player_of(local.code), sent=(local.name, local.code))


def received(sent: Any) -> Policy:
    """The policy that ``sent`` was made of in another process."""
    name, code = sent
    return _bot(code, name) if isinstance(code, str) else make_policy(local_bot(code, name))


def from_file(text: str) -> Policy:
    """The bot of a BOT argument of self-play: ``[NAME=]BOT[*N]``.

    BOT is a shipped bot, a folder with a copy of ``greedy`` or with a bot file that starts Python code, ``FILE.py`` or
    ``FILE.py:OBJECT``. The file is run.
    Without OBJECT it is the only class of ``Bot`` that the file defines, else its function ``decide``, else ``choose``
    that gets the question as a message, as in the bots that ``arena new bot`` begins.

    Raises:
        BotError: no such bot, file or object, or the file does not load.
    """
    alias, word, copies = _parsed(text)
    place, _, name = word.partition(":")
    if not place.endswith(".py"):
        return replace(_bot(word, alias), copies=copies)
    path = Path(place)
    if not path.is_file():
        raise BotError(_no_file(text, place))
    code = _object(loaded_from(path), name, place)
    return replace(make_policy(local_bot(code, alias or (None if name else path.stem))), copies=copies)


def _no_file(text: str, place: str) -> str:
    words = place.split()
    if len(words) == 1:
        return f"expected a file, got none at {place}"
    file = next((word for word in words if word.endswith(".py")), "FILE.py")
    return f"expected a file such as {file}, got a command line, {text!r}, which `arena run` plays"


def loaded_from(path: Path) -> Any:
    """A file as a module; its standard input is empty, for a program of a bot would wait for questions there.

    Raises:
        BotError: there is none, or it does not load.
    """
    if path.suffix != ".py" or not path.is_file():
        raise BotError(f"expected a file FILE.py, got none at {path}")
    stdin = sys.stdin
    try:
        with open(os.devnull, encoding="utf-8") as nothing:  # noqa: PTH123 - a device is no path of files
            sys.stdin = nothing
            return module_of(path.resolve())
    except (Exception, SystemExit) as error:
        raise BotError(f"{path}: expected Python that loads, got {raised(error)}") from error
    finally:
        sys.stdin = stdin


def _parsed(text: str) -> tuple[str, str, int]:
    name, equals, rest = text.partition("=")
    alias, rest = (name, rest) if equals and "/" not in name else ("", text)
    if alias != "" and not is_bot_name(alias):
        raise BotError(f"expected a name of 1 to 64 letters, digits, '.', '_' or '-', got {alias!r}")
    word, copies = split_count(rest)
    return alias, word, copies or 1


def _bot(word: str, alias: str) -> Policy:
    if word == _RANDOM:
        return Policy(name=alias or word, make=RandomPicks, sent=(alias, word))
    if word == _SEARCH:
        search = _object(_search_bot(), "", word)
        return Policy(name=alias or word, make=lambda: player_of(search), sent=(alias, word))
    pages = {bot.name: Path(bot.folder) for bot in read_shipped_bots() if _pages(Path(bot.folder))}
    folder = pages.get(word)
    if folder is None and ("/" in word or is_regular_file(Path(word, BOT_FILE))):
        bot = read_bot_file(Path(word))
        programs = {(path / "bot.py").read_bytes() for path in pages.values()}
        files = [Path(bot.folder, path) for path in bot.command if path.endswith(".py")]
        program = next(filter(is_regular_file, files), None)
        # a bot with the program of a shipped bot answers by its own pages, as that bot does
        if program is not None and program.read_bytes() in programs:
            folder, alias = Path(bot.folder), alias or bot.name
        elif program is not None:
            return make_policy(
                local_bot(_object(loaded_from(program), "", str(Path(word, program.name))), alias or bot.name)
            )
    if folder is None:
        known_names = ", ".join([*pages, _RANDOM, _SEARCH])
        raise BotError(
            f"expected Python code or a bot that plays without a process ({known_names}), got {word!r}; "
            "`arena run` plays other programs"
        )
    ours = folder.parent == find_bot_shelf()
    return Policy(name=alias or word, make=lambda: Page(folder, shipped=ours), sent=(alias, word), pages=folder)


def searcher(game: Game) -> Search:
    """The search of the bot ``search``, with its guide to a game."""
    return Search(game, _search_bot().guide(game.name))


def _search_bot() -> Any:
    return module_of(find_bot_shelf() / _SEARCH / "bot.py")


def _pages(folder: Path) -> bool:
    return any(path.name != "bot.py" for path in folder.glob("*.py"))


def _object(module: Any, name: str, place: str) -> Any:
    if name:
        if not hasattr(module, name):
            raise BotError(f"{place}: expected a function or class {name!r}, got none of this name")
        return getattr(module, name)
    bots = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    ]
    if len(bots) == 1:
        return bots[0]
    if bots:
        names = ", ".join(value.__name__ for value in bots)
        raise BotError(f"{place}: expected one class of arena.Bot, got {names}; {place}:NAME picks one")
    if hasattr(module, "decide"):
        return module.decide
    if callable(choose := getattr(module, "choose", None)):
        return partial(_call_choose, choose, len(signature(choose).parameters) > 1)
    raise BotError(
        f"{place}: expected a class of arena.Bot, decide(decision) or choose(question), got none; write one as "
        "`arena new bot` does, or let `arena run` play it as it is"
    )


@contextmanager
def print_to_stderr() -> Iterator[None]:
    """Send to standard error whatever this process prints meanwhile, and what it starts: no result is among it.

    The descriptor itself is another meanwhile: programs that a bot starts and libraries of C write there, too.
    """
    streams = [stream for stream in (sys.stdout, sys.__stdout__) if stream]
    for stream in streams:
        stream.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        for stream in streams:
            stream.flush()
        os.dup2(out, 1)
        os.close(out)
