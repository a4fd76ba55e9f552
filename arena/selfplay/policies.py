"""The bots of self-play: from a name, a file or Python code to a policy, which plays in this process."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.bot import Bot
from arena.errors import BotError, raised
from arena.players.botfile import FILE, is_file, is_name, read
from arena.players.entrants import counted, shelf, shipped
from arena.python_bots import AnyBot, LocalBot, local_bot, player_of
from arena.selfplay.players import Page, RandomPicks, module_of

_RANDOM, _SEARCH = "random", "search"


class Policy(Struct, frozen=True, kw_only=True):
    """A bot of self-play: its name, and a function that makes a new player."""

    name: str
    make: Callable[[], Bot[Any]]
    sent: Any = None
    """Data from which another process can make this policy, if there is any: see ``policy``."""
    pages: Path | None = None
    """The folder of its pages, one a game, if it is made of these."""
    copies: int = 1
    """How many of it are entered, itself among them."""

    def __reduce__(self) -> tuple[Callable[[Any], "Policy"], tuple[Any]]:
        return received, (self.sent,)


def policy(code: AnyBot) -> Policy:
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
    return _bot(code, name) if isinstance(code, str) else policy(local_bot(code, name))


def from_file(text: str) -> Policy:
    """The bot of a BOT argument of self-play: ``[NAME=]BOT[*N]``.

    BOT is a shipped bot, a folder with a copy of ``greedy`` or with a bot file that starts Python code, ``FILE.py`` or
    ``FILE.py:OBJECT``. The file is run.
    Without OBJECT it is the only class of ``Bot`` that the file defines, else its function ``decide``.

    Raises:
        BotError: no such bot, file or object, or the file does not load.
    """
    alias, word, copies = _parsed(text)
    place, _, wanted = word.partition(":")
    if not place.endswith(".py"):
        return replace(_bot(word, alias), copies=copies)
    path = Path(place)
    if not path.is_file():
        raise BotError(_no_file(text, place))
    code = _object(_loaded(path), wanted, place)
    return replace(policy(local_bot(code, alias or (None if wanted else path.stem))), copies=copies)


def _no_file(text: str, place: str) -> str:
    words = place.split()
    if len(words) == 1:
        return f"expected a file, got none at {place}"
    file = next((word for word in words if word.endswith(".py")), "FILE.py")
    return f"expected a file such as {file}, got a command line, {text!r}, which `arena run` plays"


def _loaded(path: Path) -> Any:
    """A file as a module; its standard input is empty, for a program of a bot would wait for questions there."""
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
    if alias != "" and not is_name(alias):
        raise BotError(f"expected a name of 1 to 64 letters, digits, '.', '_' or '-', got {alias!r}")
    word, copies = counted(rest)
    return alias, word, copies or 1


def _bot(word: str, alias: str) -> Policy:
    if word == _RANDOM:
        return Policy(name=alias or word, make=RandomPicks, sent=(alias, word))
    if word == _SEARCH:
        search = _object(module_of(shelf() / word / "bot.py"), "", word)
        return Policy(name=alias or word, make=lambda: player_of(search), sent=(alias, word))
    pages = {bot.name: Path(bot.folder) for bot in shipped() if _has_pages(Path(bot.folder))}
    folder = pages.get(word)
    if folder is None and ("/" in word or is_file(Path(word, FILE))):
        bot = read(Path(word))
        known = {(path / "bot.py").read_bytes() for path in pages.values()}
        files = [Path(bot.folder, path) for path in bot.command if path.endswith(".py")]
        program = next(filter(is_file, files), None)
        # a bot with the program of a shipped bot answers by its own pages, as that bot does
        if program is not None and program.read_bytes() in known:
            folder, alias = Path(bot.folder), alias or bot.name
        elif program is not None:
            return policy(local_bot(_object(_loaded(program), "", str(Path(word, program.name))), alias or bot.name))
    if folder is None:
        known_names = ", ".join([*pages, _RANDOM, _SEARCH])
        raise BotError(
            f"expected Python code or a bot that plays without a process ({known_names}), got {word!r}; "
            "`arena run` plays other programs"
        )
    ours = folder.parent == shelf()
    return Policy(name=alias or word, make=lambda: Page(folder, shipped=ours), sent=(alias, word), pages=folder)


def _has_pages(folder: Path) -> bool:
    return folder.parent == shelf() and any(path.name != "bot.py" for path in folder.glob("*.py"))


def _object(module: Any, wanted: str, place: str) -> Any:
    if wanted:
        if not hasattr(module, wanted):
            raise BotError(f"{place}: expected a function or class {wanted!r}, got none of this name")
        return getattr(module, wanted)
    bots = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    ]
    if len(bots) == 1:
        return bots[0]
    if bots or not hasattr(module, "decide"):
        got = ", ".join(value.__name__ for value in bots) or "neither"
        more = f"{place}:NAME picks one" + ("" if bots else ", and `arena run` plays other programs")
        raise BotError(f"{place}: expected one class of arena.Bot or a function decide, got {got}; {more}")
    return module.decide
