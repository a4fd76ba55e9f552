"""The journal on a failing disk: whichever call fails, no synced match is lost and the error is told."""

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.tournament.journal import Journal, lines
from tests.tournament.test_journal import SHORT, reopen, write


class Failing:
    """An ``os`` whose n-th call goes wrong in one way, and all that follow if it ``lasts``."""

    def __init__(self, n: int, kind: str, *, lasts: bool = False) -> None:
        self.n = n
        self.kind = kind
        self.lasts = lasts
        self.calls: list[str] = []

    def _due(self, name: str) -> bool:
        self.calls.append(name)
        return len(self.calls) == self.n or (self.lasts and len(self.calls) > self.n)

    def write(self, fd: int, data: bytes, /) -> int:
        if not self._due("write"):
            return os.write(fd, data)
        if self.kind in {"short", "full"}:
            written = os.write(fd, data[:5])
            if self.kind == "short":
                return written
            raise OSError(errno.ENOSPC, "no space left")
        if self.kind == "interrupt":
            os.write(fd, data)
            raise KeyboardInterrupt
        raise OSError(errno.EIO, "input/output error")

    def fdatasync(self, fd: int, /) -> None:
        self._sync("fdatasync", fd)

    def fsync(self, fd: int, /) -> None:
        self._sync("fsync", fd)

    def _sync(self, name: str, fd: int) -> None:
        if self._due(name):
            raise OSError(errno.EIO, "input/output error")
        os.fsync(fd) if name == "fsync" else os.fdatasync(fd)

    def ftruncate(self, fd: int, length: int, /) -> None:
        if self._due("ftruncate"):
            raise OSError(errno.EIO, "input/output error")
        os.ftruncate(fd, length)


@pytest.mark.parametrize("lasts", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("together", [1, 3], ids=["each synced", "three a sync"])
@pytest.mark.parametrize("kind", ["short", "full", "failed", "interrupt"])
def test_every_call_may_fail(tmp_path: Path, kind: str, together: int, lasts: bool) -> None:
    """Whichever call fails, and however: every synced record is found again, and no other that was not appended.

    The call that failed raises, and every later one too, until the journal is opened again.
    """
    n = 0
    while True:
        n += 1
        path = tmp_path / f"{n}"
        system = Failing(n, kind, lasts=lasts)
        synced = appended = 0
        failed = False
        try:
            held = Journal.open(path, system)
        except OSError:
            failed = True
        else:
            try:
                for number, body in enumerate(SHORT, 1):
                    held.append(body)
                    appended = number
                    if number % together == 0:
                        held.sync()
                        synced = number
            except (OSError, KeyboardInterrupt):
                failed = True
                for again in (lambda held=held: held.append(b"{}"), held.sync):
                    with pytest.raises(OSError, match="expected a sound journal, got one broken by"):
                        again()
            try:
                held.close()
            except OSError:
                failed = True
            else:
                synced = synced if failed else appended
        found = [line[line.index(b",") + 1 :] for line in lines(path)]
        assert [line[: line.index(b',"crc"')] for line in found] == [body[1:-1] for body in SHORT[: len(found)]]
        assert synced <= len(found) <= appended + (kind == "interrupt" and lasts)
        assert reopen(path) == len(found)
        if not failed:
            break
    assert len(system.calls) == n - 1 >= 1 + len(SHORT) + len(SHORT) // together


def test_a_failed_write_leaves_no_trace(tmp_path: Path) -> None:
    """Whatever part of a record was written before the disk was full is taken back at once."""
    for kind in ("short", "full"):
        path = tmp_path / kind
        held = Journal.open(path, Failing(4, kind))
        held.append(SHORT[0])
        held.sync()
        before = path.read_bytes()
        with pytest.raises(OSError) as error:  # noqa: PT011 - the errno is looked at below
            held.append(SHORT[1])
        assert error.value.errno == errno.ENOSPC
        assert path.read_bytes() == before
        assert held.count == 1
        held.close()


def test_a_failed_sync_is_never_tried_again(tmp_path: Path) -> None:
    """After a failed sync the doubtful records are taken back, and neither ``sync`` nor ``close`` syncs once more."""
    system = Failing(5, "failed")
    held = Journal.open(tmp_path / "j", system)
    held.append(SHORT[0])
    held.sync()
    held.append(SHORT[1])
    with pytest.raises(OSError, match="input/output error"):
        held.sync()
    assert held.count == 1
    with pytest.raises(OSError, match="broken by"):
        held.sync()
    held.close()
    assert system.calls == ["fsync", "write", "fdatasync", "write", "fdatasync", "ftruncate"]
    assert reopen(tmp_path / "j") == 1


def test_a_record_that_cannot_be_taken_back_is_told(tmp_path: Path) -> None:
    """If the rollback fails too, the error says so, and the next opening sets the part aside."""
    path = tmp_path / "j"
    held = Journal.open(path, Failing(2, "full", lasts=True))
    with pytest.raises(OSError, match="no space left") as error:
        held.append(SHORT[0])
    assert "could not be taken back" in error.value.__notes__[0]
    held.close()
    assert path.read_bytes() == b'{"seq'
    assert reopen(path) == 0


def test_setting_aside_may_fail_at_every_call(tmp_path: Path) -> None:
    """Whichever call fails while a torn end is moved, its bytes are in one of the two files, and records stay."""
    data, tail = b"", b"torn" * 10
    for kind in ("short", "full", "failed"):
        n = 0
        opened = False
        while not opened:
            n += 1
            path = tmp_path / f"{kind}{n}"
            data = write(path, SHORT)
            path.write_bytes(data + tail)
            try:
                Journal.open(path, Failing(n, kind)).close()
                opened = True
            except OSError:
                assert path.read_bytes() in {data, data + tail}
            if path.read_bytes() == data:
                assert path.with_suffix(".torn").read_bytes().endswith(tail)
            assert reopen(path) == len(SHORT)
            assert path.read_bytes() == data
        assert n > 4 or kind == "short"


def test_a_record_is_one_write(tmp_path: Path) -> None:
    """Each record reaches the file in a single call; the folder is synced when the file is new, and only then."""
    system = Failing(0, "never")
    with Journal.open(tmp_path / "j", system) as held:
        held.append(SHORT[0])
        held.append(SHORT[1])
    assert system.calls == ["fsync", "write", "write", "fdatasync"]
    again = Failing(0, "never")
    Journal.open(tmp_path / "j", again).close()
    assert again.calls == []


def test_a_closed_journal_takes_nothing(tmp_path: Path) -> None:
    """Closing twice does no harm; appending afterwards is refused in words."""
    held = Journal.open(tmp_path / "j")
    held.close()
    held.close()
    with pytest.raises(ValueError, match="expected an open journal, got a closed one"):
        held.append(b"{}")


@pytest.mark.proof
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_real_full_disk(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """On a file system of 64 KiB every synced record survives, and the journal goes on when there is room again."""
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=True)  # noqa: S607 - found where the system keeps it
    try:
        path = disk / "j"
        body = b'{"text":"%s"}' % (b"x" * 1000)
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(16384))
        done = 0
        with Journal.open(path) as held, pytest.raises(OSError) as error:  # noqa: PT011, PT012 - errno below; it fills up
            while True:
                held.append(body)
                held.sync()
                done += 1
        assert error.value.errno == errno.ENOSPC
        assert done > 10
        assert len(list(lines(path))) == done
        ballast.unlink()
        with Journal.open(path) as held:
            assert held.count == done
            held.append(body)
        assert len(list(lines(path))) == done + 1
        record_property("records lost", f"0 of {done + 1}")
    finally:
        subprocess.run(["umount", str(disk)], check=True)  # noqa: S607 - found where the system keeps it
