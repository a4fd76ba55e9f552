"""Space for the numbers of a long computation: memory up to a budget, and beyond it files without a name.

A spill file is removed from its folder as soon as it is made, so nothing is left of it when the process ends, however
it ends. Its pages are not memory of the process: the kernel writes them out when it needs the room. Space on the disk
is taken before it is used, so a full disk is an error of the call that asks for space. Knows numbers and one folder.
"""

import errno
import mmap
import os
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Literal, TypeAlias
from weakref import finalize

BUDGET = 32 << 20
"""Bytes of memory."""
_PENDING = 8
"""The numbers of a table that are not stored yet take one such part of the budget at most."""
_SHARED = 64 << 20
"""Blocks in files share files of this size, for each file takes a descriptor."""
_HUGE = 4 << 20
"""From so many bytes on memory is taken in huge pages, as numpy takes it."""
_ALIGNED = 64
_NO_FOLDER = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EEXIST, errno.ELOOP)
"""Errors of a folder that is not there and cannot be made, or in which no file can be made."""
_NOT_AT_ONCE = (errno.EOPNOTSUPP, errno.EINVAL)
"""Errors of a file system that cannot take space for a file at once; it is written instead."""
_PIECE = 1 << 20

Code: TypeAlias = Literal["i", "I", "q", "Q"]
Numbers: TypeAlias = "array[int] | memoryview[int]"
Reals: TypeAlias = "array[float] | memoryview[float]"


class Spill:
    """Space for blocks of numbers and for columns of numbers."""

    def __init__(self, folder: Path | None = None, *, budget: int = BUDGET) -> None:
        """Nothing is written before the budget is used up.

        Args:
            folder: for the files; it is made if need be. Without one, or if no file can be made in it, all is kept in
                memory, whatever the budget.
            budget: bytes of memory.
        """
        self.folder = folder
        self.budget = budget
        self.stored = 0
        """Bytes that were taken in files so far."""
        self._held = 0
        self._shared, self._used = memoryview(b""), 0
        self._columns: BinaryIO | None = None
        self._end = 0

    def pending(self, size: int) -> int:
        """How many rows of ``size`` bytes a table may hold until it has to store its columns."""
        return sys.maxsize if self.folder is None else max(self.budget // _PENDING // size, 1)

    def whole(self, code: Code, number: int) -> "memoryview[int]":
        """A block of so many whole numbers, all 0, of a type as in ``array``; what it takes is given back with it.

        Raises:
            OSError: it goes beyond the budget, and the disk is full, or fails.
        """
        return self._block(array(code).itemsize * number).cast(code)

    def real(self, number: int) -> "memoryview[float]":
        """A block of so many floats, as ``whole``.

        Raises:
            OSError: as ``whole``.
        """
        return self._block(array("d").itemsize * number).cast("d")

    def _block(self, size: int) -> "memoryview[int]":
        return self._room(-(-max(size, 1) // _ALIGNED) * _ALIGNED)[:size]

    def _room(self, size: int) -> "memoryview[int]":
        if self._held + size > self.budget and (in_file := self._in_file(size)) is not None:
            return in_file
        found = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if size >= _HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
            found.madvise(mmap.MADV_HUGEPAGE)
        self._held += size
        finalize(found, self._give_back, size).atexit = False
        return memoryview(found)

    def _give_back(self, size: int) -> None:
        self._held -= size

    def _in_file(self, size: int) -> "memoryview[int] | None":
        if size > _SHARED:
            found = self._mapped(size)
        else:
            if self._used + size > len(self._shared):
                self._shared, self._used = self._mapped(_SHARED) or memoryview(b""), 0
            found = self._shared[self._used : self._used + size] or None
            self._used += size
        self.stored += 0 if found is None else size
        return found

    def _mapped(self, size: int) -> "memoryview[int] | None":
        file = self._file()
        if file is None:
            return None
        with file:
            if not self._taken_at_once(file, size):
                for start in range(0, size, _PIECE):
                    self._write(file, memoryview(bytes(min(_PIECE, size - start))), start)
            return memoryview(mmap.mmap(file.fileno(), size))

    def _taken_at_once(self, file: BinaryIO, size: int) -> bool:
        """Take space for a file, if this system has a call for that and the file system knows it."""
        if not hasattr(os, "posix_fallocate"):
            return False
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno not in _NOT_AT_ONCE:
                raise self._named(error) from None
            return False
        return True

    def store(self, numbers: "array[int]") -> int | None:
        """Append numbers to the file of the columns; the byte at which they begin there, None if there is no file.

        Raises:
            OSError: the disk is full, or fails.
        """
        if self._columns is None:
            self._columns = self._file()
            if self._columns is None:
                return None
            finalize(self, self._columns.close).atexit = False
        start, data = self._end, memoryview(numbers).cast("B")
        self._write(self._columns, data, start)
        self._end += len(data)
        self.stored += len(data)
        return start

    def stored_at(self, start: int, *, size: int) -> bytes:
        """So many bytes of what was stored from ``start`` on.

        Raises:
            OSError: the file cannot be read.
        """
        found = os.pread(self._columns.fileno(), size, start) if self._columns is not None else b""
        if len(found) < size:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(self.folder))
        return found

    def _file(self) -> BinaryIO | None:
        """A file without a name; None if there is no folder for it."""
        if self.folder is None:
            return None
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return TemporaryFile(dir=self.folder, buffering=0)
        except OSError as error:
            if error.errno not in _NO_FOLDER:
                raise
            self.folder = None
            return None

    def _write(self, file: BinaryIO, data: "memoryview[int]", start: int) -> None:
        try:
            while data:
                written = os.pwrite(file.fileno(), data, start)
                start += written
                data = data[written:]
        except OSError as error:
            raise self._named(error) from None

    def _named(self, error: OSError) -> OSError:
        """The same error by the folder that it is about."""
        return OSError(error.errno, error.strerror, str(self.folder))


class Column:
    """Numbers that are only appended, and read again in pieces: those that are stored, and then the last ones."""

    __slots__ = ("_pieces", "_spill", "_stored", "last")

    def __init__(self, code: str, spill: Spill) -> None:
        """Begin with none; ``code`` is the type as in ``array``."""
        self.last = array(code)
        """Those that are not stored yet: append here."""
        self._spill = spill
        self._pieces: list[tuple[int, int]] = []
        self._stored = 0

    def __len__(self) -> int:
        """How many there are."""
        return self._stored + len(self.last)

    def store(self) -> bool:
        """Store the last ones, if there are any, as one piece; False if they stay where they are.

        Raises:
            OSError: as ``Spill.store``.
        """
        start = self._spill.store(self.last) if self.last else None
        if start is None:
            return False
        self._pieces.append((start, len(self.last) * self.last.itemsize))
        self._stored += len(self.last)
        del self.last[:]
        return True

    def pieces(self) -> Iterator["array[int]"]:
        """All numbers in their order, not to be changed.

        Raises:
            OSError: the file cannot be read.
        """
        for at in range(len(self._pieces)):
            yield self.piece(at)
        if self.last:
            yield self.last

    def piece(self, at: int) -> "array[int]":
        """The numbers that were stored together, by how many times others were stored before.

        Raises:
            OSError: the file cannot be read.
        """
        found = array(self.last.typecode)
        start, size = self._pieces[at]
        found.frombytes(self._spill.stored_at(start, size=size))
        return found
