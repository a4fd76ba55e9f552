"""The copies of a bot's files that its processes read in a sandbox: what plays is what its digest is of."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from errno import EFBIG, ELOOP
from os.path import realpath
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import NamedTuple

from arena.sandbox.paths import leads_out, within
from arena.sandbox.sandbox import Sandbox

MOST_BYTES = 512 << 20
"""The largest that may be copied: each process of a bot takes this much memory, or disk, and the time to copy it."""
MOST_FILES = 20_000
_PAGE = 4096
_AT_ONCE = 1 << 30


class Entry(NamedTuple):
    """A file, folder or link that is to be copied."""

    name: str
    """Relative to what is copied; empty for that itself."""
    mode: int
    size: int
    modified: int
    """When, in nanoseconds."""


class Extent(NamedTuple):
    """The size of a copy."""

    size: int
    """Bytes, in whole pages."""
    files: int


def entries(path: str, hidden: Collection[str] = (), *, links_out: bool = False) -> list[Entry]:
    """All entries in a folder, each before its contents, or a file by itself; only files, folders and links not hidden.

    Links that lead out of the folder count if ``links_out``.
    ``OSError``: it cannot be read, or there is more of it than ``MOST_BYTES`` or ``MOST_FILES`` (EFBIG).
    """
    listed: list[Entry] = []
    size = 0
    inside = [other for other in hidden if other != path and within(other, [path])]
    for entry in _walk(path, inside, links_out=links_out):
        listed.append(entry)
        size += entry.size
        if size > MOST_BYTES or len(listed) > MOST_FILES:
            raise OSError(EFBIG, f"expected at most {MOST_BYTES >> 20} MiB in {MOST_FILES} files, got more", path)
    return listed


def _walk(path: str, hidden: Collection[str], *, links_out: bool) -> Iterator[Entry]:
    top = os.stat(path)  # noqa: PTH116 - this runs at each start of a bot
    yield Entry("", mode=top.st_mode, size=0 if S_ISDIR(top.st_mode) else top.st_size, modified=top.st_mtime_ns)
    waiting = [""] if S_ISDIR(top.st_mode) else []
    while waiting:
        here = waiting.pop()
        with os.scandir(f"{path}/{here}") as listing:
            for item in listing:
                name = f"{here}{item.name}"
                if hidden and within(f"{path}/{name}", hidden):
                    continue
                status = item.stat(follow_symlinks=False)
                if S_ISDIR(status.st_mode):
                    waiting.append(f"{name}/")
                    yield Entry(name, mode=status.st_mode, size=0, modified=status.st_mtime_ns)
                elif S_ISREG(status.st_mode) or (
                    S_ISLNK(status.st_mode)
                    and (links_out or not leads_out(path, link=name, target=os.readlink(item.path)))  # noqa: PTH115 - as above
                ):
                    yield Entry(name, mode=status.st_mode, size=status.st_size, modified=status.st_mtime_ns)


def extent(listed: Collection[Entry]) -> Extent:
    """The size of a copy of these entries on a file system that counts in pages."""
    return Extent(size=sum([-(-entry.size // _PAGE) * _PAGE + _PAGE for entry in listed]), files=len(listed))


def copy(path: str, listed: Collection[Entry], *, place: str) -> None:
    """Copy these entries of ``path`` to a new path, or into an empty folder; ``OSError`` if that fails.

    Everybody may read the copy, and execute of it what its owner could. Times are kept: interpreters compare them.
    """
    folders: list[tuple[str, int]] = []
    path = os.path.realpath(path)
    for entry in listed:
        target = f"{place}/{entry.name}" if entry.name else place
        source = f"{path}/{entry.name}" if entry.name else path
        if S_ISDIR(entry.mode):
            with suppress(FileExistsError):
                os.mkdir(target)  # noqa: PTH102 - as above
            os.chmod(target, 0o755)  # noqa: PTH101, S103 - as above; the user that the bot runs as is to read it
            folders.append((target, entry.modified))
        elif S_ISLNK(entry.mode):
            os.symlink(os.readlink(source), target)  # noqa: PTH115, PTH211 - as above
        else:
            _copy_file(source, target, entry, follow=not entry.name)
    # inner folders first: making a file in a folder changes the folder's time
    for target, modified in reversed(folders):
        os.utime(target, ns=(modified, modified))


def _copy_file(source: str, target: str, entry: Entry, *, follow: bool) -> None:
    # a named file may be a link; a file found in a folder must not have become one since
    reading = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))
    try:
        if not follow and os.readlink(f"/proc/self/fd/{reading}") != source:  # noqa: PTH115 - as above
            raise OSError(ELOOP, "expected a folder of its own, got a link", source)
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            rest = entry.size
            while rest and (moved := _move(reading, writing, rest)):
                rest -= moved
            os.fchmod(writing, 0o755 if entry.mode & 0o100 else 0o644)
            os.utime(writing, ns=(entry.modified, entry.modified))
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _move(reading: int, writing: int, size: int) -> int:
    if size <= 4 * _PAGE:
        return os.write(writing, os.read(reading, size))
    with suppress(OSError):
        # file systems that can do it share blocks; pages in memory are never shared
        return os.copy_file_range(reading, writing, min(size, _AT_ONCE))
    return os.sendfile(writing, reading, None, min(size, _AT_ONCE))


def keep(sandbox: Sandbox, folder: str, *, room: str) -> Sandbox:
    """The same sandbox of a bot in ``folder`` with one copy of its files for all its processes, in a ``room``.

    What lies in ``folder`` is copied together, so that the bot finds one by the other. ``OSError``: it cannot be made.
    """
    if sandbox.level == "none":
        return sandbox
    duplicate = replace(sandbox, kept=f"{room}/private")
    hidden = [realpath(path) for path in sandbox.hidden]
    for path, place in locate_copies(duplicate, folder, present=False).items():
        true = realpath(path)
        if not within(true, hidden):
            os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - a start is to be quick
            copy(true, entries(true, hidden, links_out=sandbox.links_out), place=place)
    return duplicate


def locate_copies(sandbox: Sandbox, folder: str, *, present: bool = True) -> dict[str, str]:
    """Each private path, and where its copy is: those that are ``present``, or all."""
    placed = {
        path: sandbox.kept + (path[len(folder) :] if within(path, [folder]) else f"-{number}/{os.path.basename(path)}")  # noqa: PTH119 - likewise
        for number, path in enumerate(sandbox.private)
    }
    return {path: place for path, place in placed.items() if not present or os.path.lexists(place)}
