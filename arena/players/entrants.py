"""From what is typed for a BOT to its bot file: a command line, a folder, or a bot that ships with arena.

Starts nothing; knows no message.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

from arena.errors import BotError
from arena.players.botfile import FILE, BotFile, fault_in, is_file, is_name, nearest, read


def shelf() -> Path:
    """Where the bots lie that come with arena: in the installed package, else in the checkout it lies in."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "shipped"
    return installed if installed.is_dir() else package.parent / "bots"


def shipped() -> list[BotFile]:
    """The bots that come with arena, by name.

    Raises:
        BotError: one of their bot files is not right.
    """
    return sorted((read(file) for file in shelf().glob(f"*/{FILE}")), key=lambda bot: bot.name)


def entrant(text: str) -> BotFile:
    """The bot that ``text`` stands for. The first of these that fits:

    1. ``NAME=COMMAND LINE``: an equals sign after a possible name; split as a shell splits, run in the current folder;
    2. a bot file or a folder with one: a text with a slash, or the name of such a folder or file that is there;
    3. the name of a shipped bot.

    Raises:
        BotError: none fits, or the one that does is not right.
    """  # noqa: D415 - the list ends the sentence
    name, equals, line = text.partition("=")
    if equals and "/" not in name:
        return _bare(name, line)
    path = Path(text)
    if "/" in text or is_file(path / FILE) or path.name == FILE or text in (".", ".."):
        return read(path)
    bots = {bot.name: bot for bot in shipped()}
    if text not in bots:
        known = ", ".join(bots)
        folders = [file.parent.name for file in Path().glob(f"*/{FILE}")]
        raise BotError(
            f"expected a shipped bot ({known}), a folder with a {FILE} or NAME=COMMAND LINE, "
            f"got {text!r}{nearest(text, [*bots, *folders])}"
        )
    return bots[text]


def said_again(entered: str, name: str, said: Mapping[str, BotFile]) -> BotFile | None:
    """The bot of a run folder, if it is among those that were ``said`` elsewhere, or ships with arena; else None.

    A run folder may be anybody's: ``entered``, what was typed for the bot when it entered, is not followed.
    """
    bot = said.get(name)
    return bot or next((each for each in shipped() if name == each.name == (entered or name)), None)


def typed(bot: BotFile) -> str:
    """What stands for this bot in the current folder: the other way round than ``entrant``."""
    if bot.bare:
        return f"{bot.name}={shlex.join(bot.command)}"
    if any(other.folder == bot.folder for other in shipped()):
        return bot.name
    folder, here = Path(bot.folder), Path.cwd()
    return f"./{folder.relative_to(here)}" if folder.is_relative_to(here) else bot.folder


def _bare(name: str, line: str) -> BotFile:
    if not is_name(name):
        raise BotError(
            f"expected NAME=COMMAND LINE with a name of 1 to 64 letters, digits, '.', '_' or '-', got {name!r}"
        )
    try:
        words = tuple(shlex.split(line))
        line.encode()
    except UnicodeEncodeError:
        raise BotError(f"{name}: expected a command line in UTF-8, got other bytes") from None
    except ValueError as error:
        raise BotError(f"{name}: expected a command line, got {line!r} ({error})") from None
    if not words:
        raise BotError(f"{name}: expected a command line after the equals sign, got none")
    if len(words) == 1 and is_file(Path(words[0], FILE)):
        raise BotError(f"{name}: expected a command line, got a bot's folder; {FILE} there names the bot: {words[0]}")
    bot = BotFile(name, words, folder=str(Path.cwd()), bare=True)
    if reason := fault_in(bot):
        raise BotError(reason)
    return bot
