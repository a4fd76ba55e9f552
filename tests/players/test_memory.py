"""The memory of bots, seen from outside: whose is counted, and who is ended for too much of it."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.players.guard import TOKEN
from arena.players.memory import ROOM, Scales, struck_note

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="expected Linux, which tells of all processes' memory")
MIB = 1 << 20
DATA = 32 * MIB
FILE = MIB
LANE = """
import subprocess, sys
run, name, program, limits, *tokens = sys.argv[1:]
words = [sys.executable, "-S", "-E", "-c", program, limits]
bots = [subprocess.Popen(words, stdout=subprocess.PIPE, env={name: token}) for token in tokens]
for bot in bots:
    bot.stdout.readline()
print(*[bot.pid for bot in bots], flush=True)
print(*[bot.wait() for bot in bots], flush=True)
"""
"""Starts a program once for each token, tells the numbers and waits for their ends."""
# the limit comes last: it would refuse what is to be found
TAKE = """
import json, resource, sys, time
room = bytearray({bytes})
for at in range(0, {bytes}, 4096):
    room[at] = 1
for kind, most in json.loads(sys.argv[1]):
    resource.setrlimit(kind, (most, most))
print(flush=True)
time.sleep(600)
"""


class Lane:
    """A process that the guard takes for a lane of the run, with a bot for each token."""

    def __init__(self, run: Path, takes: int, tokens: tuple[str, ...], limits: list[tuple[int, int]]) -> None:
        words = [sys.executable, "-c", LANE, str(run), TOKEN, TAKE.format(bytes=takes), json.dumps(limits), *tokens]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
        self.bots = [int(pid) for pid in self._said()]

    def _said(self) -> list[bytes]:
        assert self.process.stdout
        return self.process.stdout.readline().split()

    def ends(self) -> set[int]:
        """How the bots ended."""
        return {int(status) for status in self._said()}


@contextmanager
def lane(
    run: Path, *, takes: int, tokens: tuple[str, ...] = ("a",), data: int = DATA, named: bool = True
) -> Iterator[Lane]:
    """A lane, if it is ``named`` so, whose bots share so many bytes with nobody; at the end all are killed."""
    limits = [(resource.RLIMIT_DATA, data), (resource.RLIMIT_FSIZE, FILE)] if data else []
    made = Lane(run if named else run / "other", takes, tokens, limits)
    try:
        yield made
    finally:
        os.killpg(made.process.pid, signal.SIGKILL)
        made.process.wait()
        assert made.process.stdout
        made.process.stdout.close()


def scales(run: Path) -> Scales:
    """Those of a run that this process directs."""
    return Scales(str(run), os.getpid())


def test_who_has_too_much_is_ended(tmp_path: Path) -> None:
    """A bot that has more than its data, a file and what is spare is killed, and a note tells its lane why."""
    with lane(tmp_path, takes=DATA + FILE + ROOM) as made:
        scales(tmp_path).look()
        assert made.ends() == {-signal.SIGKILL}
        assert Path(struck_note(str(tmp_path), made.bots[0])).exists()


@pytest.mark.parametrize(
    ("takes", "tokens", "data", "named"),
    [
        pytest.param(ROOM // 2, ("a",), DATA, True, id="has less than its limit"),
        pytest.param(DATA + FILE + ROOM, ("a",), 2 * DATA, True, id="has a higher limit"),
        pytest.param(DATA + FILE + ROOM, ("a",), 0, True, id="has no limit"),
        pytest.param(DATA + FILE + ROOM, ("a",), DATA, False, id="is of another run"),
        pytest.param((DATA + FILE + ROOM) // 2, ("a", "b"), DATA, True, id="has a rival that has as much"),
    ],
)
def test_who_is_let_be(tmp_path: Path, takes: int, tokens: tuple[str, ...], data: int, *, named: bool) -> None:
    """Nobody else is ended, and no note is left."""
    with lane(tmp_path, takes=takes, tokens=tokens, data=data, named=named) as made:
        scales(tmp_path).look()
        assert b"Z" not in [Path(f"/proc/{pid}/stat").read_bytes().split()[2] for pid in made.bots]
    assert list(tmp_path.iterdir()) == []


def test_processes_of_one_bot_count_together(tmp_path: Path) -> None:
    """Processes that a lane adopted, and that bear the mark of one bot, are that bot's: all of them are ended."""
    with lane(tmp_path, takes=(DATA + FILE + ROOM) // 2, tokens=("a", "a")) as made:
        scales(tmp_path).look()
        assert made.ends() == {-signal.SIGKILL}
        assert all(Path(struck_note(str(tmp_path), pid)).exists() for pid in made.bots)
