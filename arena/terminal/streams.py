"""The standard streams of the command: open, and written whole."""

import io
import os
import select
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _BlockingFile(io.FileIO):
    """A stream that takes all it is given, also where its descriptor does not block: then it waits for the reader."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """As ``io.FileIO``; returns once all is written."""
        rest = memoryview(data).cast("B")
        size = rest.nbytes
        while rest:
            written = super().write(rest)
            if written is None:
                select.select([], [self], [])
            else:
                rest = rest[written:]
        return size


class _Remarks(_BlockingFile):
    """Standard error. No run ends because its remarks cannot be written."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """As ``_BlockingFile``; what cannot be written is dropped."""
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def open_streams() -> None:
    """Open the standard streams that are closed, so that no file of a run is opened as one of them."""
    null = os.open(os.devnull, os.O_RDWR)
    while null <= 2:  # noqa: PLR2004 - stdin, stdout, stderr
        os.set_inheritable(null, True)  # noqa: FBT003 - as in os
        null = os.open(os.devnull, os.O_RDWR)
    os.close(null)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - lives as long as we do
    if sys.stdout is sys.__stdout__:
        sys.stdout = _opened(_BlockingFile(1, "w", closefd=False), like=sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _opened(_Remarks(2, "w", closefd=False), like=sys.stderr)


def _opened(stream: io.FileIO, *, like: Any) -> io.TextIOWrapper:
    """A text stream; like another, if there is one. What its encoding has no bytes for is escaped."""
    if like is None:
        return io.TextIOWrapper(io.BufferedWriter(stream), "utf-8", "backslashreplace", line_buffering=True)
    buffer: Any = stream if like.write_through else io.BufferedWriter(stream)
    errors = "backslashreplace" if like.errors == "strict" else like.errors
    return io.TextIOWrapper(buffer, like.encoding, errors, None, like.line_buffering, like.write_through)


def write_page(where: str, *, page: str | bytes) -> None:
    """Write a page or a picture to a file and say where, or to standard output for ``-``.

    Raises:
        UsageError: it cannot be written there.
    """
    data = page.encode(errors="backslashreplace") if isinstance(page, str) else page
    if where == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        Path(where).write_bytes(data)
    except OSError as error:
        cure = "; make its folder first" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"expected to write {where}, got {error.strerror or error}{cure}") from error
    sys.stdout.write(f"{where}\n")
