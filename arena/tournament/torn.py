"""What an interrupted write left at the end of a journal: moved to a file beside it before it is cut off.

Knows files and bytes alone.
"""

import os
from pathlib import Path
from typing import Protocol

from arena.beneath import opened
from arena.tournament.pieces import pieces


class System(Protocol):
    """The part of ``os`` that changes a file, so that a test can let each of its calls fail."""

    def write(self, fd: int, data: bytes, /) -> int: ...  # noqa: D102 - as in os
    def fdatasync(self, fd: int, /) -> None: ...  # noqa: D102 - as in os
    def fsync(self, fd: int, /) -> None: ...  # noqa: D102 - as in os
    def ftruncate(self, fd: int, length: int, /) -> None: ...  # noqa: D102 - as in os


def sync_folder(path: Path, system: System) -> None:
    """Sync the folder, so that the file's name survives a power loss."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        system.fsync(folder)
    finally:
        os.close(folder)


def set_aside(path: Path, fd: int, *, end: int, system: System) -> None:
    """Move what follows ``end`` to the torn file. It is on the disk there before it is cut off here."""
    torn = opened(path.parent, path.with_suffix(".torn").name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode=0o644)
    try:
        at = end
        for start, piece in pieces(fd, offset=end):
            if start > at:
                system.ftruncate(torn, os.fstat(torn).st_size + start - at)
            at = start + len(piece)
            rest = piece
            while rest:
                rest = rest[system.write(torn, rest) :]
        system.fsync(torn)
    finally:
        os.close(torn)
    sync_folder(path, system)
    system.ftruncate(fd, end)
    system.fsync(fd)
