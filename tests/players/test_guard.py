"""The guard: what of a dead run is cleared up, and what of a living one is left alone."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from arena.players import guard

DEPTH = 1100


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where scratch folders are made in these tests."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def stranger(desk: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that bears the token of another run."""
    with subprocess.Popen(["/bin/sleep", "600"], env={guard.TOKEN: f"{desk.name}.0"}) as process:
        yield process
        process.kill()


def test_a_living_run_is_left_alone(desk: Path) -> None:
    """While anybody holds the lock of a run, its folder stays; once nobody does, it goes."""
    folder, lock = guard.begin()
    other = os.dup(lock)
    for held in (lock, other):
        guard.clear_leftovers()
        assert list(desk.iterdir()) == [folder]
        os.close(held)
    guard.clear_leftovers()
    assert list(desk.iterdir()) == []


def test_what_is_no_run_is_left_alone(desk: Path) -> None:
    """A folder without a lock, a file and a link of such a name are nobody's run."""
    away = desk / "away"
    away.mkdir()
    (away / guard.ALIVE).touch()
    (desk / f"{guard.PREFIX}folder").mkdir()
    (desk / f"{guard.PREFIX}file").touch()
    (desk / f"{guard.PREFIX}link").symlink_to(away)
    before = sorted(desk.rglob("*"))
    guard.clear_leftovers()
    assert sorted(desk.rglob("*")) == before


def test_deep_folders_go_too(deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders nested deeper than Python follows are removed, and stop no later run."""
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    folder, lock = guard.begin()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    os.close(lock)
    guard.clear_leftovers()
    assert list(deep.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="expected Linux, where processes can be found")
def test_whose_bots_end(stranger: subprocess.Popen[bytes]) -> None:
    """The bots of the dead run end, with what is in their sessions and descends from them; those of others go on."""
    folder, lock = guard.begin()
    script = "/bin/sleep 600 & /usr/bin/env -i /bin/sleep 600 & wait"
    env = {guard.TOKEN: f"{folder.name}.1"}
    with subprocess.Popen(["/bin/sh", "-c", script], env=env, start_new_session=True) as bot:
        end = monotonic() + 300
        while len(in_session(bot.pid)) < 3:
            assert monotonic() < end
            sleep(0.005)
        os.close(lock)
        guard.clear_leftovers()
        assert bot.wait(300) == -9
        assert in_session(bot.pid) == []
        assert stranger.poll() is None
    assert not folder.exists()


def in_session(leader: int) -> list[int]:
    """Who lives in a session."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[3]) == leader and fields[0] != b"Z":
                found.append(int(entry.name))
    return found
