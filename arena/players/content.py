"""The files that a bot consists of: the one list that is hashed, copied, built and shown.

A file that is not in the list does not belong to the bot, and in no folder do runs of arena and their secrets. Knows no
message or match.
"""

import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import file_digest, sha256
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena import files
from arena.errors import BotError
from arena.players.botfile import BotFile, is_text, on_one_line, paths_named
from arena.sandbox.paths import leads_out, too_wide, within

SECRETS = frozenset({"secret.json", ".secret.json.new"})
"""What the secret of a run is kept in; the second while it is written, also after a kill."""
RUN = "run.json"
LAB = "arena-lab.json"
_BY_NAME = {".git": "version control", "__pycache__": "a cache"} | dict.fromkeys(SECRETS, "a secret")
_BY_MARK = {RUN: "a run of arena", LAB: "a lab", "pyvenv.cfg": "a virtual environment", "CACHEDIR.TAG": "a cache"}
"""What a folder is that holds a file of this name; the last one is bford.info/cachedir, and in Cargo's ``target``."""
_EDITORS_FILE = re.compile(r"\.#.+|#.+#|.+~|\..+\.sw[a-z]", re.DOTALL)


class FolderLimits(Struct, frozen=True, kw_only=True):
    """The most that a bot's folder may hold."""

    files: int
    """With links and folders."""
    size: int
    depth: int
    """Folders in one another."""
    links_out: bool = False
    """Whether links may lead anywhere, as those of what is built: they are kept as links, and nobody follows them."""


SOURCE = FolderLimits(files=10_000, size=512 << 20, depth=32)
"""For a folder that is entered: no folder of one author may keep all others waiting."""
BUILT = FolderLimits(files=200_000, size=4 << 30, depth=64, links_out=True)
"""What build steps have made of it: compilers leave much behind, and virtual environments lead to the interpreter."""
_PATH = 1024
"""Bytes of a path within the folder, so that every system takes the path of a copy."""

_MOST_FILES = 20
"""Files of a bot that are listed for a reader."""


class Item(Struct, frozen=True):
    """A regular file of a bot's folder, or a link to something in that folder."""

    name: str
    """Relative to the folder, with slashes."""
    runs: bool = False
    """Whether its owner may execute it."""
    target: str | None = None
    """Where a link points to, relative to itself; None for a regular file."""
    size: int = 0


class Listing(Struct, frozen=True):
    """The contents of a folder: the files of the bot, and the files that are ignored."""

    items: list[Item]
    """Sorted by name. Empty folders do not count."""
    passed: dict[str, str]
    """Files and folders, relative to the folder, that are no part of the bot, and what each is."""


def listing(folder: Path, extent: FolderLimits = SOURCE, paths: Collection[str] = ()) -> Listing:
    """All files in a bot's folder, but for those of Git, caches, runs and labs of arena, secrets, links out, editors.

    Virtual environments and folders with a ``CACHEDIR.TAG`` are ignored too, unless they hold one of ``paths``, which
    the bot's command names, or ``extent`` says that the folder is what build steps have made.

    Raises:
        BotError: there is more than ``extent`` allows, something that is neither a regular file nor a link, a name
            that is not UTF-8, or what cannot be read.
    """
    top = os.path.realpath(folder)
    items: list[Item] = []
    passed: dict[str, str] = {}
    by_top: Counter[str] = Counter()
    size = 0
    try:
        for number, (entry, name, depth, kind) in enumerate(_walk(top, extent, paths), 1):
            by_top[name.partition("/")[0]] += 1
            if number > extent.files:
                most, count = by_top.most_common(1)[0]
                got = f"more, {count} of them in {on_one_line(most)}: what the bot does not need can lie elsewhere"
                raise BotError(f"{on_one_line(top)}: expected at most {extent.files} files and folders, got {got}")
            if kind is not None:
                passed[name] = kind
                continue
            if depth > extent.depth:
                raise BotError(f"{on_one_line(top)}: expected at most {extent.depth} folders in one another, got more")
            if len(os.fsencode(name)) > _PATH:
                raise BotError(f"{on_one_line(top)}: expected paths of at most {_PATH} bytes in it, got a longer one")
            if not is_text(name):
                raise BotError(f"{on_one_line(top)}: expected names in UTF-8, got {os.fsencode(name)!r}")
            if (item := _item(top, entry, name, None if extent.links_out else passed)) is not None:
                items.append(item)
                size += item.size
                if size > extent.size:
                    raise BotError(f"{on_one_line(top)}: expected at most {extent.size >> 20} MiB of files, got more")
    except OSError as error:
        raise _unreadable(error) from error
    return Listing(sorted(items, key=lambda item: item.name.encode()), dict(sorted(passed.items())))


def locate_files(bot: BotFile, folder: str) -> tuple[str, ...]:
    """Where a bot's files lie: in its folder or, for a command line, the files and folders that it names.

    Not in the folder in which a command line was typed, or around it: it may hold anything. Nor is the program the
    bot's own, unless it is all that is named: interpreters serve many.
    """
    if not bot.bare:
        return (folder,)
    program, *words = bot.command
    return tuple(dict.fromkeys(_files_in(words, folder))) or tuple(
        _files_in([program] if "/" in program else [], folder)
    )


class BotExtent(NamedTuple):
    """How much a bot brings: its files and links, and how many folders lie in one another."""

    files: int
    depth: int


def extent(argv: Sequence[str], folder: str, *, bare: bool = False) -> BotExtent:
    """How much a bot brings that is started so; ``bare``: of its folder only what the command line names.

    Raises:
        BotError: it cannot be read, or is more than a bot may bring.
    """
    names: list[str] = []
    bot = BotFile("", tuple(argv), folder=folder, bare=bare)
    most = replace(BUILT, links_out=SOURCE.links_out)
    for path in map(Path, locate_files(bot, folder)):
        names += [item.name for item in listing(path, most, paths_named(bot)).items] if path.is_dir() else [path.name]
    return BotExtent(files=len(names), depth=max((name.count("/") for name in names), default=0))


def digest_bot(bot: BotFile, extent: FolderLimits = SOURCE) -> str:
    """SHA-256 of the bot in hexadecimal: equal bots, wherever they lie, have equal digests.

    Taken over command, build steps and environment, then over each file of ``listing``: name, whether it is executable,
    content. For a bot given as a command line, over its words, the files it names, the contents of the folders, and its
    program unless that is looked for on PATH. What cannot be read is a ``BotError``.
    """
    hasher = sha256()

    def add(parts: Iterable[bytes]) -> None:
        for part in parts:
            # each part with its length: two different lists of parts never give the same bytes
            hasher.update(len(part).to_bytes(8, "little") + part)
        hasher.update(b"\xff" * 8)

    for words in (bot.command, *bot.build, *sorted(bot.env.items())):
        add(map(os.fsencode, words))
    program = bot.command[0]
    started = _files_in([program], bot.folder) if bot.bare and "/" in program else ()
    try:
        for path in map(Path, dict.fromkeys((*started, *locate_files(bot, bot.folder)))):
            if path.is_file():
                # a file that is named may be a link
                real = path.resolve()
                add([_content(real.parent, real.name)])
                continue
            for item in listing(path, extent, paths_named(bot)).items:
                kind = b"link" if item.target is not None else b"program" if item.runs else b"file"
                content = os.fsencode(item.target) if item.target is not None else _content(path, item.name)
                add((os.fsencode(item.name), kind, content))
    except OSError as error:
        raise _unreadable(error) from error
    return hasher.hexdigest()


def copy(folder: Path, *, to: Path, extent: FolderLimits = SOURCE, paths: Collection[str] = ()) -> None:
    """Copy the files of ``listing`` to a new folder, with modes set by arena: all are writable in the copy."""
    to.mkdir()
    for item in listing(folder, extent, paths).items:
        path = to / item.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if item.target is not None:
            path.symlink_to(item.target)
        else:
            with _opened(folder, item.name) as file, path.open("xb") as made:
                shutil.copyfileobj(file, made)
            path.chmod(0o755 if item.runs else 0o644)


def _files_in(words: Iterable[str], folder: str) -> Iterator[str]:
    """The files and folders that words of a command line name, by themselves or after an equals sign."""
    for word in words:
        for text in (word, word.partition("=")[2]):
            path = os.path.normpath(os.path.join(folder, text)) if text else ""  # noqa: PTH118 - not to follow links
            true = Path(path).resolve() if path and os.path.exists(path) else None  # noqa: PTH110 - knows no exception
            if true is None or not (true.is_file() or true.is_dir()):
                continue
            if true.is_file() or not (within(folder, [str(true)]) or too_wide(true)):
                yield path


def _walk(
    top: str, extent: FolderLimits, paths: Collection[str]
) -> Iterator[tuple["os.DirEntry[str]", str, int, str | None]]:
    """Each entry, its name in the folder, its depth, and what it is if it is no part of the bot."""
    rest = [("", 1)]
    while rest:
        here, depth = rest.pop()
        with os.scandir(f"{top}/{here}" if here else top) as entries:
            for entry in entries:
                name = f"{here}/{entry.name}" if here else entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                kind = _BY_NAME.get(entry.name)
                kind = "an editor's file" if not (is_folder or kind) and _EDITORS_FILE.fullmatch(entry.name) else kind
                if is_folder and kind is None:
                    # what build steps have made is meant to run, and so is what the command names
                    runs = extent.links_out or any(within(path, [entry.path]) for path in paths)
                    marks = (RUN,) if runs else _BY_MARK
                    kind = next((_BY_MARK[mark] for mark in marks if os.path.lexists(f"{entry.path}/{mark}")), None)
                yield entry, name, depth, kind
                if is_folder and kind is None:
                    rest.append((name, depth + 1))


def _item(top: str, entry: "os.DirEntry[str]", name: str, passed: dict[str, str] | None) -> Item | None:
    """The item at an entry; None for a folder, and for a link out of ``top`` where ``passed`` is to be told of it."""
    about = entry.stat(follow_symlinks=False)
    if stat.S_ISDIR(about.st_mode):
        return None
    if stat.S_ISLNK(about.st_mode):
        target = os.readlink(entry.path)  # noqa: PTH115 - folders can hold much
        if passed is not None and leads_out(top, link=name, target=target):
            passed[name] = f"a link out of the folder, to {target}"
            return None
        return Item(name, target=target)
    if not stat.S_ISREG(about.st_mode):
        kind = _KINDS.get(stat.S_IFMT(about.st_mode), "device")
        raise BotError(f"{on_one_line(entry.path)}: expected a regular file, got a {kind}")
    return Item(name, runs=bool(about.st_mode & stat.S_IXUSR), size=about.st_size)


def _content(folder: Path, name: str) -> bytes:
    with _opened(folder, name) as file:
        return file_digest(file, "sha256").digest()


def _opened(folder: Path, name: str) -> BufferedReader:
    """Open a file as it was listed: what has taken its place since then is neither followed nor waited for."""
    try:
        return open(files.opened(folder, name, os.O_RDONLY), "rb")  # noqa: PTH123 - for its descriptor
    except files.Linked as error:
        raise BotError(f"{on_one_line(error.filename)}: {error.strerror}") from error


def _unreadable(error: OSError) -> BotError:
    return BotError(f"{on_one_line(error.filename)}: expected to read it, got: {error.strerror}")


def runs_in(path: str) -> Iterator[str]:
    """Runs of arena's and their secrets in a file or folder of any size."""
    for here, folders, names in os.walk(path):
        if RUN in names:
            folders.clear()
            yield here
        else:
            yield from (f"{here}/{name}" for name in names if name in SECRETS)


def hard_links(secrets: Iterable[str], *, within: str) -> Iterator[str]:
    """The files of a folder that are hard links to one of these secrets, or to one in these folders."""
    inodes = set()
    for path in secrets:
        for secret in _secrets_in(path):
            with suppress(OSError):
                about = Path(secret).lstat()
                if about.st_nlink > 1:
                    inodes.add((about.st_dev, about.st_ino))
    if inodes:
        for here, _, names in os.walk(within):
            for name in names:
                with suppress(OSError):
                    about = Path(here, name).lstat()
                    if (about.st_dev, about.st_ino) in inodes:
                        yield f"{here}/{name}"


def _secrets_in(path: str) -> Iterator[str]:
    if Path(path).is_file():
        yield path
    for here, _, names in os.walk(path):
        yield from (f"{here}/{name}" for name in names if name in SECRETS)


_KINDS = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket"}


def belongings(bot: BotFile) -> list[str]:
    """Lines that tell what belongs to a bot, with the digest of it, and what in its folder does not, and why."""
    lines = [f"what belongs to {bot.name}: its command and, with SHA-256", digest_bot(bot)]
    for path in map(Path, locate_files(bot, bot.folder)):
        contents = Listing([Item(path.name, size=path.stat().st_size)], {})
        if path.is_dir():
            contents = listing(path, paths=paths_named(bot))
        size = sum(item.size for item in contents.items)
        lines.append(f"{path}: files: {len(contents.items):,}, bytes: {size:,}")
        lines += _cut([f"{item.size:>13,}  {item.name}" for item in contents.items])
        lines += _cut([f"     left out  {name}: {why}" for name, why in contents.passed.items()])
    return lines


def _cut(lines: list[str]) -> list[str]:
    return (
        lines
        if len(lines) <= _MOST_FILES
        else [*lines[:_MOST_FILES], f"               and {len(lines) - _MOST_FILES} more"]
    )
