"""Follows a journal that another process may be writing, and reads each record once.

Knows files and bytes; knows no record. It reads the file again and again and needs no notifications, so it works on a
disk that another machine writes to. It takes no lock, so it cannot disturb the writer.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from arena.files import opened
from arena.tournament.journal import stable

_LAST = len(b',"crc":"01234567"}\n')


class Replaced(Exception):
    """The file no longer begins with the bytes that were read: it has to be read from its start."""


class Tail:
    """The records of a journal from its start on. ``count`` and ``end`` say how many were read, and to which byte."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = self.end = 0
        self._last = b""
        self._file: tuple[int, int] | None = None

    def lines(self) -> Iterator[bytes]:
        """The complete lines that were not read yet, without the newline; none if there is no file yet.

        Raises:
            Replaced: the writer took back what was read, or it is another file.
            arena.tournament.journal.Corrupt: it is damaged.
            OSError: it cannot be read.
        """
        try:
            fd = opened(self.path.parent, self.path.name, os.O_RDONLY)
        except FileNotFoundError:
            if self.count:
                raise Replaced from None
            return
        try:
            status = os.fstat(fd)
            file = status.st_dev, status.st_ino
            if self.count and (
                file != self._file
                or status.st_size < self.end
                or os.pread(fd, _LAST, self.end - len(self._last)) != self._last
            ):
                raise Replaced
            self._file = file
            if status.st_size == self.end:
                return
            for line in stable(self.path, fd, count=self.count, end=self.end):
                self.count += 1
                self.end += len(line) + 1
                self._last = line[1 - _LAST :] + b"\n"
                yield line
        finally:
            os.close(fd)

    def line_at(self, offset: int, *, length: int) -> bytes:
        """The bytes of a line that was read before."""
        fd = opened(self.path.parent, self.path.name, os.O_RDONLY)
        try:
            return os.pread(fd, length, offset)
        finally:
            os.close(fd)
