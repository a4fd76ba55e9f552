"""From the text typed for a BOT to its bot file: a command line, a folder, or a bot that ships with arena."""

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BotError, nearest
from arena.players.botfile import (
    BOT_FILE,
    INTERPRETERS,
    BotFile,
    fault_in,
    is_bot_name,
    is_regular_file,
    on_one_line,
    read_bot_file,
)

MOST_COPIES = 100
"""Copies of one bot that are entered at most."""
_COPIES = re.compile(r"(.+)\*([0-9]{1,9})", re.DOTALL)


def find_shipped_folder(installed: str, *, checkout: str) -> Path:
    """A folder that comes with arena: its place in the installed package or, if there is none, in the checkout."""
    package = Path(__file__).resolve().parents[1]
    return package / installed if (package / installed).is_dir() else package.parent / checkout


def find_bot_shelf() -> Path:
    """The folder of the bots that ship with arena."""
    return find_shipped_folder("shipped", checkout="bots")


def read_shipped_bots() -> list[BotFile]:
    """The bots that ship with arena, by name."""
    return sorted((read_bot_file(file) for file in find_bot_shelf().glob(f"*/{BOT_FILE}")), key=lambda bot: bot.name)


def is_shipped(bot: BotFile) -> bool:
    """Whether a bot comes with arena."""
    return not bot.bare and Path(bot.folder).parent == find_bot_shelf()


class BotArgument(Struct, frozen=True, kw_only=True):
    """A BOT argument: which bot, and how many copies of it."""

    bot: BotFile
    copies: int = 1
    """How many are entered, the first among them."""


def entry(text: str) -> BotArgument:
    """What ``text``, typed for a BOT, stands for. The first of these that fits:

    1. ``NAME=WORD``: the bot that WORD alone stands for by 3 or 4, under another name;
    2. ``NAME=COMMAND LINE``: split as a shell splits, run in the current folder;
    3. a bot file or a folder with one: a text with a slash, or the name of such a folder or file that is there;
    4. the name of a shipped bot.

    ``*N`` enters N copies. It stands at the end, or after NAME; at the end of a command line of several words it is a
    part of the last one.

    Raises:
        BotError: none fits, the one that does is not right, or the number of copies is out of bounds.
    """  # noqa: D415 - the list ends the sentence
    name, equals, line = text.partition("=")
    if not equals or "/" in name:
        word, copies = split_count(text)
        return BotArgument(bot=_find_bot(word) or _unknown(word), copies=copies or 1)
    name, copies = split_count(name)
    words = _words(name, line)
    if len(words) > 1:
        return BotArgument(bot=_bare(name, words), copies=copies or 1)
    word, more = split_count(words[0])
    if copies and more:
        raise BotError(f"{name}: expected one number of copies, got *{copies} and *{more}")
    path = Path(word)
    # a file, or a word that names nothing, is read as a command line
    bot = _find_bot(word) if "/" not in word or path.is_dir() or path.name == BOT_FILE else None
    bot = _bare(name, (word,)) if bot is None else replace(bot, name=name, alias=name != bot.name)
    return BotArgument(bot=bot, copies=copies or more or 1)


def read_entrant(text: str) -> BotFile:
    """The one bot that ``text`` names, read as by ``entry``; several copies of one are a ``BotError``."""
    argument = entry(text)
    if argument.copies > 1:
        raise BotError(f"expected one bot, got {argument.copies} copies: {text!r}")
    return argument.bot


def split_count(text: str) -> tuple[str, int]:
    """A text without the ``*N`` at its end, and N, 0 if there is none; a ``BotError`` if it is out of bounds."""
    parts = _COPIES.fullmatch(text)
    if parts is None:
        return text, 0
    if not 1 <= int(parts[2]) <= MOST_COPIES:
        raise BotError(f"{parts[1]}: expected 1 to {MOST_COPIES} copies, got {parts[2]}")
    return parts[1], int(parts[2])


def ends_in_count(text: str) -> bool:
    """Whether a text would be read as several copies, whatever stands before their number."""
    return _COPIES.fullmatch(text) is not None


def is_counted(text: str, folder: Path) -> bool:
    """Whether a text ends in a number of copies of a bot that is in ``folder``, or ships with arena."""
    parts = _COPIES.fullmatch(text)
    return parts is not None and (
        is_regular_file(folder / parts[1] / BOT_FILE) or any(bot.name == parts[1] for bot in read_shipped_bots())
    )


def led_on(text: str, folder: Path) -> str:
    """The text that names, in the current folder, what ``text`` names in ``folder``; a command line stays as it is."""
    name, equals, line = text.partition("=")
    if equals and "/" not in name:
        with suppress(ValueError):
            words = shlex.split(line)
            parts = _COPIES.fullmatch(words[0]) if len(words) == 1 else None
            word, copies = (parts[1], f"*{parts[2]}") if parts else ("".join(words[:1]), "")
            if len(words) == 1 and is_regular_file(folder / word / BOT_FILE):
                return f"{name}={shlex.quote(os.path.join(folder, word))}{copies}"  # noqa: PTH118 - a Path would fold `./`
        return text
    parts = _COPIES.fullmatch(text)
    word = parts[1] if parts else text
    is_path = "/" in word or word == BOT_FILE or word in {".", ".."} or is_regular_file(folder / word / BOT_FILE)
    return os.path.join(folder, text) if is_path else text  # noqa: PTH118 - likewise


def said_again(entered: str, *, name: str, bots: Mapping[str, BotFile]) -> BotFile | None:
    """The bot of a run folder, if it is one of ``bots`` or ships with arena: what was typed for it is not followed."""
    if name in bots:
        return bots[name]
    for bot in read_shipped_bots():
        if name == bot.name == (entered or name):
            return bot
        if entered == f"{name}={bot.name}":
            return replace(bot, name=name, alias=True)
    return None


def typed(bot: BotFile) -> str:
    """The text that names this bot in the current folder: the inverse of ``read_entrant``."""
    if bot.bare:
        return f"{bot.name}={shlex.join(bot.command)}"
    folder, here = Path(bot.folder), Path.cwd()
    path = f"./{folder.relative_to(here)}" if folder.is_relative_to(here) else bot.folder
    shelf = read_shipped_bots() if is_shipped(bot) else ()
    ours = next((other.name for other in shelf if other.folder == bot.folder), None)
    return f"{bot.name}={ours or shlex.quote(path)}" if bot.alias else ours or path


def _find_bot(word: str) -> BotFile | None:
    path = Path(word)
    if "/" in word and is_regular_file(path) and path.suffix != Path(BOT_FILE).suffix:
        raise BotError(f"{on_one_line(word)}: expected a folder with a {BOT_FILE}, got a file{_as_program(word)}")
    if "/" in word or is_regular_file(path / BOT_FILE) or path.name == BOT_FILE or word in (".", ".."):
        return read_bot_file(path)
    return next((bot for bot in read_shipped_bots() if bot.name == word), None)


def _unknown(word: str) -> NoReturn:
    bots = [bot.name for bot in read_shipped_bots()]
    folders = [file.parent.name for file in Path().glob(f"*/{BOT_FILE}")]
    raise BotError(
        f"expected a shipped bot ({', '.join(bots)}), a folder with a {BOT_FILE} or NAME=COMMAND LINE, "
        f"got {word!r}{_as_program(word) or nearest(word, [*bots, *folders]) or '; `arena new bot` begins one'}"
    )


def _as_program(text: str) -> str:
    """``; enter the program as ...``, as it is to be typed, where a text names a file or begins with a program."""
    try:
        words = [text] if is_regular_file(Path(text)) else shlex.split(text)
    except ValueError:
        return ""
    file = next((Path(word) for word in reversed(words) if is_regular_file(Path(word))), None)
    if file is None:
        is_program = bool(words) and "=" not in text and shutil.which(words[0]) is not None
        return on_one_line(f'; enter a program as "mine={text} ..."') if is_program else ""
    if len(words) == 1:
        start = INTERPRETERS.get(file.suffix, ())
        words = [*start, text if start or "/" in text else f"./{text}"]
    name = re.sub(r"[^A-Za-z0-9._-]", "-", file.stem)[:64]
    return on_one_line(f'; enter the program as "{name}={shlex.join(words)}"')


def _as_name(name: str, line: str) -> str:
    """A name that may be written for this one; without the blanks around the equals sign, if these are the mistake."""
    if is_bot_name(name.strip()):
        return f"{name.strip()}={line.strip()}"
    return re.sub("[^A-Za-z0-9._-]", "-", name.strip())[:64]


def _words(name: str, line: str) -> tuple[str, ...]:
    if not is_bot_name(name):
        raise BotError(
            f"expected NAME=COMMAND LINE with a name of 1 to 64 letters, digits, '.', '_' or '-', got {name!r}; "
            f"write {_as_name(name, line)!r}"
        )
    try:
        words = tuple(shlex.split(line))
        line.encode()
    except UnicodeEncodeError:
        raise BotError(f"{name}: expected a command line in UTF-8, got other bytes") from None
    except ValueError as error:
        raise BotError(f"{name}: expected a command line, got {line!r} ({error}); close each quote") from None
    if not words:
        raise BotError(
            f"{name}: expected a bot or a command line after the equals sign, got none; for instance {name}=greedy"
        )
    return words


def _bare(name: str, words: tuple[str, ...]) -> BotFile:
    bot = BotFile(name, words, folder=str(Path.cwd()), bare=True)
    if reason := fault_in(bot):
        raise BotError(reason)
    return bot
