"""Numbers of a long computation: in memory up to a budget, beyond it in files without a name."""

import errno
import os
import resource
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pytest

from arena import spill as spill_module
from arena.cli.failure import code_of, words_of
from arena.spill import Column, Spill
from arena.tournament import cache

LENGTH = 5000


def in_files(folder: Path) -> int:
    """The bytes of removed files of a folder that this process has mapped."""
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    spans = [line[0].split("-") for line in lines if line[-1] == "(deleted)" and line[-2].startswith(f"{folder}/")]
    return sum(int(end, 16) - int(start, 16) for start, end in spans)


@contextmanager
def files_of(most: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_goes_beyond_the_budget_lies_in_a_file_without_a_name(tmp_path: Path) -> None:
    """It begins with 0, holds what is written, and leaves no file in the folder."""
    spill = Spill(tmp_path / "new", budget=8 * LENGTH)
    inside = spill.whole("Q", LENGTH - 8)
    assert (spill.stored, in_files(tmp_path)) == (0, 0)
    assert not (tmp_path / "new").exists()
    beyond, real = spill.whole("I", LENGTH), spill.real(LENGTH)
    assert spill.stored >= 12 * LENGTH
    assert in_files(tmp_path) >= spill.stored
    assert list((tmp_path / "new").iterdir()) == []
    for block in (inside, beyond):
        assert not any(block)
        block[:] = array(block.format, range(len(block)))
        assert list(block) == list(range(len(block)))
    real[7] = 0.5
    assert sum(real) == 0.5
    del inside, beyond, real, block, spill
    assert in_files(tmp_path) == 0


def test_memory_is_given_back(tmp_path: Path) -> None:
    """When a block is gone, the next one has its memory; a block larger than all shared files has its own."""
    spill = Spill(tmp_path, budget=8 * LENGTH)
    for _ in range(3):
        assert len(spill.whole("Q", LENGTH - 8)) == LENGTH - 8
    assert spill.stored == 0
    large = spill.whole("Q", 9 << 20)
    large[-1] = 1
    assert in_files(tmp_path) == len(large) * 8


def test_columns_are_read_in_pieces(tmp_path: Path) -> None:
    """All that was appended comes back in order, stored or not."""
    spill = Spill(tmp_path, budget=1000)
    columns = [Column("q", spill), Column("I", spill)]
    for number in range(LENGTH):
        columns[number % 2].last.append(number)
        if number % 999 == 998:
            assert [column.store() for column in columns] == [True, True]
    found = [list(chain.from_iterable(column.pieces())) for column in columns]
    assert found == [list(range(LENGTH))[::2], list(range(LENGTH))[1::2]]
    assert [len(column) for column in columns] == [LENGTH / 2, LENGTH / 2]
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_in_a_line(tmp_path: Path) -> None:
    """It is trouble of the runner, exit code 3; the line names the folder."""
    spill = Spill(tmp_path, budget=0)
    column = Column("Q", spill)
    column.last.extend(range(LENGTH))
    with files_of(1 << 12):
        with pytest.raises(OSError, match="File too large") as blocks:
            spill.whole("Q", LENGTH)
        with pytest.raises(OSError, match="File too large") as columns:
            column.store()
    for error in (blocks.value, columns.value):
        assert (code_of(error), error.errno) == (3, errno.EFBIG)
        assert words_of(error) == f"{tmp_path}: {os.strerror(errno.EFBIG)}"


def test_a_file_system_that_cannot_take_space_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There the space is written, so that a full disk is found before the space is used."""

    def refused(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", refused)
    monkeypatch.setattr(spill_module, "_SHARED", 1 << 12)
    room = Spill(tmp_path, budget=0).whole("Q", LENGTH)
    assert in_files(tmp_path) >= 8 * LENGTH
    assert not any(room)
    with files_of(1 << 12), pytest.raises(OSError, match="File too large"):
        Spill(tmp_path, budget=0).whole("Q", LENGTH)


def test_without_a_folder_all_is_in_memory(tmp_path: Path) -> None:
    """Where no file can be made, the budget does not count; so it is for a user without a home."""
    file = tmp_path / "file"
    file.touch()
    for spill in (Spill(file / "no folder", budget=1), Spill(budget=1)):
        column = Column("I", spill)
        column.last.extend(range(LENGTH))
        assert not column.store()
        assert sum(column.last) + sum(spill.whole("I", LENGTH)) == sum(range(LENGTH))
        assert (spill.stored, spill.folder) == (0, None)


def test_files_lie_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the folder for temporary files, which may lie in memory; only the user may enter the folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spill = cache.spill(budget=0)
    room = spill.whole("I", LENGTH)
    assert in_files(tmp_path / "arena/spill") >= len(room) * 4
    assert (tmp_path / "arena/spill").stat().st_mode & 0o777 == 0o700
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert cache.spill().folder is None
