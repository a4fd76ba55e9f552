"""Whether this machine is short of room or processes where a build has failed: the system is asked, no text is read."""

import errno
import os
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

from arena.errors import cure_of

_SPARE = 16 << 20
"""Bytes that a file system with room to spare takes: what a compiler removes when it fails seldom comes to more."""
_PROCESSES = 16
"""Processes that a machine with processes to spare starts at once: about those of a build and of its sandbox."""
_ROOM = "free some room there, or set XDG_CACHE_HOME to a folder with room"


def lacks_room(folder: Path) -> str | None:
    """What keeps a folder from taking one more file of some size, with the cure: room, quota, inodes or a limit.

    None where it takes one.
    """
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            rest = _SPARE
            while rest:
                rest -= file.write(bytes(rest))
    except OSError as error:
        cure = _ROOM if error.errno in {errno.ENOSPC, errno.EDQUOT} else cure_of(error.errno or 0)
        return f"{os.strerror(error.errno or 0)} in {folder}; {cure}"
    return None


def holds(folder: Path, *, size: int, files: int) -> bool:
    """Whether the file system of a folder has room for so many bytes and files; one that counts no files has it."""
    about = os.statvfs(folder)
    return about.f_bavail * about.f_frsize >= size and (not about.f_files or about.f_favail >= files)


def lacks_processes() -> str | None:
    """What keeps this user from starting a few processes at once, with the cure; None where nothing does."""
    with ExitStack() as stack:
        try:
            for _ in range(_PROCESSES):
                # each ends with its standard input
                waiting = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # noqa: S607 - POSIX has it
                stack.enter_context(waiting)
        except OSError as error:
            return f"{os.strerror(error.errno or 0)}; {cure_of(error.errno or 0)}"
    return None
