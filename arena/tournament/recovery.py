"""What an interrupted write left at the end of a journal: moved to a file beside it before it is cut off.

A file from somebody else may have a hole of any length, which reads as zeros. A hole takes no time to read and no disk
to copy here. Knows files and bytes alone.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from arena.files import opened

_PIECE = 1 << 20


class System(Protocol):
    """The part of ``os`` that changes a file, so that a test can let each of its calls fail."""

    def write(self, fd: int, data: bytes, /) -> int: ...  # noqa: D102 - as in os
    def fdatasync(self, fd: int, /) -> None: ...  # noqa: D102 - as in os
    def fsync(self, fd: int, /) -> None: ...  # noqa: D102 - as in os
    def ftruncate(self, fd: int, length: int, /) -> None: ...  # noqa: D102 - as in os


def sparse_read(fd: int, *, offset: int) -> Iterator[tuple[int, bytes]]:
    """What was written from ``offset`` on, without holes: where each piece begins, and its bytes, at most a MiB.

    It moves the place at which ``fd`` is read.
    """
    while piece := os.pread(fd, _PIECE, offset := _written(fd, offset)):
        yield offset, piece
        offset += len(piece)


def _written(fd: int, offset: int) -> int:
    """The next place that was written to; the end of the file if there is none."""
    try:
        return os.lseek(fd, offset, os.SEEK_DATA)
    except OSError as error:
        # any other error: the file system has no holes
        return os.lseek(fd, 0, os.SEEK_END) if error.errno == errno.ENXIO else offset


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
        copied = end
        for start, piece in sparse_read(fd, offset=end):
            if start > copied:
                system.ftruncate(torn, os.fstat(torn).st_size + start - copied)
            copied = start + len(piece)
            rest = piece
            while rest:
                rest = rest[system.write(torn, rest) :]
        system.fsync(torn)
    finally:
        os.close(torn)
    sync_folder(path, system)
    system.ftruncate(fd, end)
    system.fsync(fd)
