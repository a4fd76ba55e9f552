"""A file in pieces, without its holes: a hole takes no time to read and no disk to copy.

A file from somebody else may have a hole of any length, which reads as zeros. Knows bytes alone.
"""

import errno
import os
from collections.abc import Iterator

_PIECE = 1 << 20


def pieces(fd: int, *, offset: int) -> Iterator[tuple[int, bytes]]:
    """What was written from ``offset`` on: where each piece begins, and its bytes, at most a MiB.

    It moves the place at which ``fd`` is read.

    Raises:
        OSError: it cannot be read.
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
