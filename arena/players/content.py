"""The files that a bot consists of: the one list that is hashed, copied, built and shown; and how it is built.

A file that is not in the list does not belong to the bot, and in no folder do runs of arena and their secrets. What is
built is kept in a cache, by its content. Knows no message or match.
"""

import os
import platform
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from io import BufferedReader
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from arena import files
from arena.errors import BotError, HostError
from arena.files import cache_folder
from arena.players.botfile import BotFile, environment, filled, is_text, on_one_line, paths_named
from arena.players.launch import run_command
from arena.players.lifetime import discard
from arena.players.shortage import holds, lacks_processes, lacks_room
from arena.players.spawn import CannotStart
from arena.sandbox.paths import leads_out, too_wide, variables, within

SECRETS = frozenset({"secret.json", ".secret.json.new"})
"""What the secret of a run is kept in; the second while it is written, also after a kill."""
RUN = "run.json"
_BY_NAME = {".git": "version control", "__pycache__": "a cache"} | dict.fromkeys(SECRETS, "a secret")
_BY_MARK = {RUN: "a run of arena", "pyvenv.cfg": "a virtual environment", "CACHEDIR.TAG": "a cache"}
"""What a folder is that holds a file of this name; the last one is bford.info/cachedir, and in Cargo's ``target``."""


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
    """All files in a bot's folder; ``.git``, ``__pycache__``, runs of arena, their secrets and links out are ignored.

    So are virtual environments and folders with a ``CACHEDIR.TAG``, but for those that hold one of ``paths``, and
    for what is built. ``BotError``: more than ``extent``, something that is neither a regular file nor a link, a name
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


def copy(folder: Path, *, to: Path, extent: FolderLimits = SOURCE) -> None:
    """Copy the files of ``listing`` to a new folder, with modes set by arena: all are writable in the copy."""
    to.mkdir()
    for item in listing(folder, extent).items:
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


SECONDS = 300.0
"""The time limit of one build step."""
ALL_SECONDS = 600.0
"""The time limit of all build steps of a bot together."""
_LINES_SHOWN = 20


RunStep: TypeAlias = Callable[[Sequence[str], Mapping[str, str], Path, float], tuple[int | None, bytes]]


def usable_cache() -> Path | None:
    """The folder of the cache, where this user may build bots in it; None if not, or the user has none."""
    with suppress(OSError, RuntimeError):
        builds = _builds(cache := cache_folder())
        builds.mkdir(parents=True, exist_ok=True)
        if os.access(builds, os.R_OK | os.W_OK | os.X_OK):
            return cache
    return None


def prepared(bot: BotFile, cache: Path) -> Path:
    """The folder to start the bot in: its own, or one for this content, which is there if the bot is built."""
    if not bot.build:
        return Path(bot.folder)
    # machines with other interpreters or processors may share the home folder, and could not run this build
    return _builds(cache) / f"{digest_bot(bot)}-{sys.implementation.cache_tag}-{platform.machine()}"


def _builds(cache: Path) -> Path:
    return cache / "builds"


class BuildError(BotError):
    """A bot cannot be built: ``why``, of which ``step`` if one failed, and the last lines of its ``output``."""

    def __init__(self, bot: str, why: str, *, step: str = "", output: Sequence[str] = ()) -> None:
        super().__init__(f"{bot}: {step}{': ' * bool(step)}{why}{_quote(output)}")
        self.why = why
        self.step = step
        self.output = output


@contextmanager
def desk(cache: Path) -> Iterator[Path]:
    """A folder for what is half built, which is removed at the end, however deeply nested."""
    _builds(cache).mkdir(parents=True, exist_ok=True)
    desk = mkdtemp(prefix=".building-", dir=_builds(cache))
    try:
        yield Path(desk)
    finally:
        discard(desk)


def prepare(
    bot: BotFile,
    *,
    cache: Path,
    run: RunStep = run_command,
    seconds: float = SECONDS,
    within: Path | None = None,
) -> str:
    """The folder to start the bot in: its own, or a built copy, which is made once for each content.

    Steps run in a copy that only becomes visible when all of them have succeeded; of two builders of the same bot, the
    first to finish is believed. Steps have their own scratch folder, the environment of the bot, and ``seconds`` each,
    together no more than ``ALL_SECONDS``. ``within`` is a ``desk`` of the caller, who outlives this process.
    ``BuildError``: a step failed, with its exit status and the last lines of its output, or they made too much;
    ``HostError``: one failed while this machine had no room or processes to spare; ``OSError``: the cache cannot be
    written.
    """
    folder = prepared(bot, cache)
    if bot.build and not folder.is_dir():
        if within is not None:
            _build(bot, Path(mkdtemp(dir=within)), folder, run, seconds)
        else:
            with desk(cache) as workspace:
                _build(bot, workspace, folder, run, seconds)
    return str(folder)


def _build(bot: BotFile, desk: Path, built: Path, run: RunStep, seconds: float) -> None:
    made, scratch = desk / "bot", desk / "scratch"
    scratch.mkdir()
    copy(Path(bot.folder), to=made)
    if digest_bot(replace(bot, folder=str(made))) != built.name.partition("-")[0]:
        raise BuildError(bot.name, "expected files that stay as they are while they are copied, got others")
    env = environment(bot, str(scratch))
    env = variables([*(step[0] for step in bot.build), *bot.needs], env["PATH"]) | env
    until = monotonic() + ALL_SECONDS
    for number, step in enumerate(bot.build, 1):
        what = f"build step {number} ({on_one_line(' '.join(step))})"
        most = max(0.0, min(seconds, until - monotonic()))
        try:
            status, output = run([filled(word) for word in step], env, made, most)
        except CannotStart as error:
            raise BuildError(bot.name, f"expected a program that starts, got: {error}", step=what) from error
        if status != 0:
            got = f"none in {most:g} s" if status is None else str(status)
            if lack := _lacks(desk, made=(made, scratch)):
                raise HostError(f"exit status {got} of build step {number}: {lack}{_quote(_last_lines(output))}")
            raise BuildError(bot.name, f"expected exit status 0, got {got}", step=what, output=_last_lines(output))
    try:
        listing(made, BUILT)
    except BotError as error:
        raise BuildError(bot.name, f"build: {error}") from error
    try:
        made.rename(built)
    except OSError:
        if not built.is_dir():
            raise


def _lacks(desk: Path, *, made: Iterable[Path]) -> str | None:
    """What this machine lacks for a step of a build that has failed; None where the bot itself has used it up."""
    lack = lacks_room(desk)
    if lack is None:
        return lacks_processes()
    for folder in made:
        discard(folder)
    return lacks_room(desk) or (None if holds(desk, size=BUILT.size, files=BUILT.files) else lack)


def _last_lines(output: bytes) -> list[str]:
    """The last lines of a step's output, printable."""
    lines = output.decode("utf-8", "backslashreplace").split("\n")
    rows = ["".join(c if c.isprintable() else " " for c in line).rstrip() for line in lines]
    return [line for line in rows if line][-_LINES_SHOWN:]


def _quote(lines: Iterable[str]) -> str:
    """The lines of another program, none of which looks like a line of arena's own."""
    return "".join(f"\n  | {line}" for line in lines)


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
