"""What a bot is made of, file by file, and its digest. Reads files; starts nothing and knows no message."""

import os
import stat
from collections.abc import Iterable
from hashlib import file_digest, sha256
from pathlib import Path

from msgspec import Struct

from arena.players.botfile import BotError, BotFile

SKIPPED = frozenset({".git", "__pycache__"})
"""Names of what lies in a bot's folder and is no part of the bot."""


class Item(Struct, frozen=True):
    """A regular file of a bot's folder, or a link to something in that folder."""

    name: str
    """Relative to the folder, with slashes."""
    runs: bool = False
    """Whether its owner may execute it."""
    target: str | None = None
    """Where a link points to, relative to itself; None for a regular file."""


def contents(folder: Path) -> list[Item]:
    """Everything in a bot's folder but ``.git`` and ``__pycache__``, sorted by name. Empty folders do not count.

    Raises:
        BotError: something that is neither a regular file nor a relative link within the folder, or cannot be read.
    """
    folder = folder.resolve()
    items = []
    try:
        for here, folders, files in os.walk(folder, onerror=_refuse):
            links = [name for name in folders if Path(here, name).is_symlink()]
            folders[:] = [name for name in folders if name not in SKIPPED and name not in links]
            items += [_item(folder, Path(here, name)) for name in (*files, *links) if name not in SKIPPED]
    except OSError as error:
        raise BotError(f"{error.filename}: expected to read it, got: {error.strerror}") from error
    return sorted(items, key=lambda item: os.fsencode(item.name))


def digest(bot: BotFile) -> str:
    """SHA-256 of the bot in hexadecimal: equal bots, wherever they lie, have equal digests.

    Taken over command, build steps and environment, then over each file of the folder: name, whether it is executable,
    content. For a bot given as a command line, over its words and the content of those that are files.

    Raises:
        BotError: the folder holds what ``contents`` refuses, or a file cannot be read.
    """
    whole = sha256()

    def add(parts: Iterable[bytes]) -> None:
        for part in parts:
            # each with its length, so that no two lists of parts run together into the same bytes
            whole.update(len(part).to_bytes(8, "little") + part)
        whole.update(b"\xff" * 8)

    for words in (bot.command, *bot.build, *sorted(bot.env.items())):
        add(map(os.fsencode, words))
    folder = Path(bot.folder)
    try:
        if bot.bare:
            add(_content(folder / word) for word in bot.command if (folder / word).is_file())
        else:
            for item in contents(folder):
                kind = b"link" if item.target is not None else b"program" if item.runs else b"file"
                content = os.fsencode(item.target) if item.target is not None else _content(folder / item.name)
                add((os.fsencode(item.name), kind, content))
    except OSError as error:
        raise BotError(f"{error.filename}: expected to read it, got: {error.strerror}") from error
    return whole.hexdigest()


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file_digest(file, "sha256").digest()


def _item(folder: Path, path: Path) -> Item:
    name = path.relative_to(folder).as_posix()
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        target = path.readlink()
        if target.is_absolute() or not path.parent.joinpath(target).resolve().is_relative_to(folder):
            raise BotError(f"{path}: expected a link within the bot's folder, got one to {target}")
        return Item(name, target=str(target))
    if not stat.S_ISREG(mode):
        raise BotError(f"{path}: expected a regular file, got a {_KINDS.get(stat.S_IFMT(mode), 'device')}")
    return Item(name, runs=bool(mode & stat.S_IXUSR))


_KINDS = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket"}


def _refuse(error: OSError) -> None:
    """Stop a walk that would otherwise pass over a folder that it cannot read."""
    raise error
