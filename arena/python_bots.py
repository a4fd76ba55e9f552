"""Bots that are Python: a function or a ``Bot`` that holds a seat in this process. For code that you trust."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeAlias

from msgspec import Struct

from arena.bot import Bot, Decision
from arena.code_identity import digest_code
from arena.errors import BotError
from arena.players.botfile import BotFile, is_bot_name
from arena.players.local import Conversation

DecideFunction = Callable[[Decision[Any]], Sequence[int]]
"""From a question to the picks: different indexes into ``decision.options``."""


class LocalBot(Struct, frozen=True, kw_only=True, dict=True):
    """A bot that is Python code of this process: its name in tables, and what makes a player."""

    name: str
    code: DecideFunction | Bot[Any] | type[Bot[Any]]
    version: str | None = None
    """By which runs know it again, in place of what the code does and holds."""

    @cached_property
    def file(self) -> BotFile:
        """The bot as runs enter it. Its words tell one version of the code from another."""
        kind = self.code if isinstance(self.code, type) or not isinstance(self.code, Bot) else type(self.code)
        where = f"{getattr(kind, '__module__', '')}.{getattr(kind, '__qualname__', self.name)}"
        # code that cannot be told from other code is another bot each time
        version = self.version if self.version is not None else digest_code(self.code) or token_hex(8)
        words = ("python", where, version)
        return BotFile(self.name, words, language="python", folder=str(Path.cwd()), bare=True, local=True)

    def conversation(self) -> Conversation:
        """One that answers for a seat, new from the start."""
        return player_of(self.code).conversation()


class Function(Bot[Any]):
    """A bot that is a function, which is called for decisions alone."""

    decide: Any = None

    def __init__(self, decide: DecideFunction) -> None:
        self.decide = decide


def player_of(code: DecideFunction | Bot[Any] | type[Bot[Any]]) -> Bot[Any]:
    """A player that is new from the start."""
    if isinstance(code, Bot):
        return deepcopy(code)
    return code() if isinstance(code, type) else Function(code)


AnyBot: TypeAlias = str | Path | LocalBot | DecideFunction | Bot[Any] | type[Bot[Any]]
"""A shipped bot, a folder with a ``bot.toml``, ``NAME=COMMAND LINE``, or Python code."""


def local_bot(
    code: DecideFunction | Bot[Any] | type[Bot[Any]], name: str | None = None, *, version: str | None = None
) -> LocalBot:
    """A bot of this process, to be entered beside bots that are programs; ``name`` is what it is called in tables.

    A run that is resumed or extended knows it again by what its code does and holds: instructions, values, weights.
    Where that cannot be told, as of an open file, it is another bot each time. A ``version`` says it instead.

    It has no clock, no limits and no sandbox. What it raises is its fault ``gone``; picks that are not legal are its
    fault ``illegal``. Each run of matches on one deal's rotation gets a player of its own: a ``Bot`` is copied for it,
    a class is called without arguments. ``BotError``: the code is no function from ``arena.bot.Decision`` to picks, no
    ``Bot`` and no class of them, or it has no name for a bot.
    """
    if isinstance(code, Bot):
        default = code.name or type(code).__name__
    elif callable(code):
        default = getattr(code, "__name__", type(code).__name__)
    else:
        raise BotError(f"expected a function or a Bot, got {type(code).__name__}")
    if isinstance(code, type):
        _check_made(code)
    label = name or str(default)
    if not is_bot_name(label):
        raise BotError(f"expected a name of 1 to 64 letters, digits, '.', '_' or '-', got {label!r}; give it a `name`")
    return LocalBot(name=label, code=code, version=version)


def wrap_bot(bot: AnyBot) -> str | Path | LocalBot:
    """A bot as it is named; code as a ``LocalBot``."""
    return bot if isinstance(bot, str | Path | LocalBot) else local_bot(bot)


def several(bots: Any) -> Iterable[Any]:
    """Bots; one alone as a list of its own."""
    return (bots,) if callable(bots) or isinstance(bots, str | Path | LocalBot | Bot) else bots


def wrap_bots(bots: AnyBot | Iterable[AnyBot]) -> list[str | Path | LocalBot]:
    """Bots, each as ``wrap_bot`` gives it; ``BotError`` if one is no bot, or two with code have one name."""
    all_bots = [wrap_bot(bot) for bot in several(bots)]
    names = [bot.name for bot in all_bots if isinstance(bot, LocalBot)]
    if again := next((name for name in names if names.count(name) > 1), None):
        raise BotError(f"expected bots of different names, got {again!r} twice; arena.local_bot(code, NAME) names one")
    return all_bots


def _check_made(kind: type) -> None:
    if not issubclass(kind, Bot):
        raise BotError(f"expected a class of arena.Bot, got {kind.__name__}, a class of something else")
    if missing := getattr(kind, "__abstractmethods__", None):
        raise BotError(
            f"expected a class of which `{kind.__name__}()` makes a bot, got one without {', '.join(missing)}"
        )
    with suppress(ValueError):
        try:
            inspect.signature(kind).bind()
        except TypeError as error:
            raise BotError(f"expected a class of which `{kind.__name__}()` makes a bot, got: {error}") from None
