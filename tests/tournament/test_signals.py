"""Signals at the worst moments: in the moment before a wait, while a lane ends, or meant for somebody else."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec import Raw
from msgspec.structs import replace

from arena.errors import Interrupted
from arena.players.botfile import BotFile
from arena.players.lifetime import LINUX
from arena.sandbox.cgroup import CgroupTree
from arena.sandbox.delegation import delegated
from arena.sandbox.sandbox import OPEN
from arena.tournament.lane_messages import Build, Done, NotBuilt, encode
from arena.tournament.lanes import Lanes
from arena.tournament.roster import preflight
from tests.hostile.house import open_descriptors
from tests.shelf import toy
from tests.tournament.playing import bot

pytestmark = pytest.mark.skipif(not LINUX, reason="elsewhere only a bot's own process group is ended")


def printed(script: str) -> bytes:
    """What a program of Python prints; it ends well and says nothing else."""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    return ended.stdout


def test_a_stop_that_gets_lost_comes_again() -> None:
    """If a clean-up in progress swallows the stop of a lane, the lane stops all the same."""
    script = (
        "import os, signal, time; from arena.tournament import lane; signal.signal(signal.SIGTERM, lane._stop)\n"
        "try:\n"
        "  try: os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)\n"
        "  except SystemExit: pass\n"
        "  time.sleep(60)\n"
        # where the lane's own end is: from there on no stop is heeded
        "except SystemExit: lane._End.begun = True; signal.setitimer(signal.ITIMER_REAL, 0); print('stopped', end='')"
    )
    assert printed(script) == b"stopped"


def test_a_signal_in_the_moment_before_a_wait() -> None:
    """A signal that strikes when no line of Python runs any more before a wait ends that wait all the same."""
    script = (
        "import ctypes, functools, os, signal; from arena.tournament.lanes import Interrupted, Lanes\n"
        "class Struck: fileno = functools.partial(ctypes.CDLL(None).kill, os.getpid(), signal.SIGINT)\n"
        "try:\n"
        "  with Lanes(1) as crew: crew.wait_for(Struck())\n"
        "except Interrupted as ended: print(ended, end='')"
    )
    # the wait is for standard input, where nothing ever comes
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as waiting:
        try:
            assert waiting.wait(300) == 0
        finally:
            waiting.kill()
        assert waiting.stdout
        assert waiting.stdout.read() == b"SIGINT"


@pytest.mark.long
def test_a_stopped_lane_takes_what_is_large(tmp_path: Path) -> None:
    """A lane that is stopped while it waits gets a job that is larger than a pipe all the same."""
    small = BotFile("ann", ("./bot",), build=(("sh", "-c", "exit ${#V1}"),), env={"V1": "x"}, folder=str(tmp_path))
    large = replace(small, env={**{f"V{number}": "x" * 50_000 for number in range(4)}, "V1": "xy"})
    (tmp_path / "desk").mkdir()
    first, second = (
        Build(name="ann", bot=Raw(encode(ann)), sandbox=OPEN, cache=str(tmp_path), within=str(tmp_path / "desk"))
        for ann in (small, large)
    )
    with Lanes(1) as crew:
        ends = [said for _, said in crew.messages([first])]
        os.kill(crew._lanes[0].popen.pid, signal.SIGSTOP)
        ends += [said for _, said in crew.messages([second])]
    failures = [said.value(tuple[str, NotBuilt])[1] for said in ends if isinstance(said, Done)]
    assert [failure.why.rpartition(" ")[2] for failure in failures] == ["1", "2"]


def test_a_signal_while_lanes_are_made_ready() -> None:
    """A signal that comes before there is any lane is heeded, and what was made until then is removed."""
    script = (
        "import os, signal; from pathlib import Path; from arena.tournament import lanes; made = []\n"
        "def delegated(whole=lanes.delegated):\n"
        "  made.append(whole()); os.kill(os.getpid(), signal.SIGTERM); return made[0]\n"
        "lanes.delegated = delegated\n"
        "try:\n"
        "  with lanes.Lanes(1) as crew: crew.heed()\n"
        "except lanes.Interrupted as ended: print(ended, end='')\n"
        "assert not [folder for tree in made if tree for folder in tree.folders.values() if Path(folder).exists()]"
    )
    assert printed(script) == b"SIGTERM"


def test_lanes_that_cannot_be_made_ready() -> None:
    """Where there is no room for a run, nothing of it stays: no group, no descriptor, no handler of a signal."""
    heard, descriptors = signal.getsignal(signal.SIGINT), open_descriptors()
    made: list[CgroupTree | None] = []

    def kept() -> CgroupTree | None:
        made.append(delegated())
        return made[0]

    with (
        patch("arena.tournament.lanes.delegated", kept),
        patch("arena.players.guard.begin", side_effect=OSError(28, "No space left on device")),
        pytest.raises(OSError, match="No space left"),
        Lanes(1),
    ):
        pass
    assert (signal.getsignal(signal.SIGINT), open_descriptors()) == (heard, descriptors)
    assert not [folder for cgroups in made if cgroups for folder in cgroups.folders.values() if Path(folder).exists()]


def test_an_interrupt_that_python_drops_comes_again() -> None:
    """Ctrl-C in a call that clears up after an object, as after each import, ends the command all the same."""
    script = (
        "import select, signal, weakref; from arena.__main__ import heed_interrupts; heed_interrupts()\n"
        "class Lock: pass\n"
        "lock = Lock(); watched = weakref.ref(lock, lambda _: signal.raise_signal(signal.SIGINT))\n"
        "try: del lock; select.select([], [], [], 60)\n"
        "except KeyboardInterrupt: print('interrupted', end='')"
    )
    assert printed(script) == b"interrupted"


def test_a_signal_that_is_ignored_stays_so() -> None:
    """A run that was started to outlive its terminal, as by nohup, goes on when that hangs up."""
    script = (
        "import os, signal; from arena.tournament.lanes import Lanes; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "with Lanes(1) as crew: os.kill(os.getpid(), signal.SIGHUP); crew.heed(); print('goes on', end='')"
    )
    assert printed(script) == b"goes on"


def test_other_signals_end_no_wait() -> None:
    """A signal that somebody else has a use for ends no wait, and comes to nothing but that."""
    reading, writing = os.pipe()
    before = signal.signal(signal.SIGUSR1, lambda _number, _frame: os.write(writing, b"x"))
    try:
        with Lanes(1) as lanes:
            os.kill(os.getpid(), signal.SIGUSR1)
            lanes.wait_for(reading)
            assert os.read(reading, 2) == b"x"
            assert lanes._poll.poll(0) == []
    finally:
        signal.signal(signal.SIGUSR1, before)
        os.close(reading)
        os.close(writing)


STRUCK_AT_EVERY_CALL = """
import os, signal, sys, tempfile, time
from arena.tournament import lane

def sweep():
    # longer than it takes until a stop that seems lost comes again
    time.sleep(0.012)
    os.write(1, b"swept ")

def struck(at, scratch):
    sys.argv[1:] = [str(os.getppid()), scratch, "null"]
    lane._AGAIN, lane.sweep, lane.take_core, lane.gc.collect = 0.004, sweep, lambda: None, lambda: None
    sys.stdin = open(os.devnull)
    calls = -1

    def watch(frame, event, _what):
        # every moment at which main() heeds signals: a call of it, and its return
        nonlocal calls
        inside = frame if event.startswith("c_") else frame.f_back
        if inside is not None and inside.f_code is lane.main.__code__:
            calls += calls >= 0 or frame.f_code.co_name == "die_with_parent"
            if calls == at:
                calls += 1
                os.mkdir(f"{scratch}-struck")
                os.kill(os.getpid(), signal.SIGTERM)

    sys.setprofile(watch)
    lane.main()

for at in range(1, 1000):
    scratch = tempfile.mkdtemp(dir=sys.argv[1])
    pid = os.fork()
    if pid == 0:
        try:
            struck(at, scratch)
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0, at
    assert not os.path.exists(scratch), at
    if not os.path.exists(f"{scratch}-struck"):
        print(at)
        break
"""


@pytest.mark.long
def test_a_stop_while_the_lane_ends(tmp_path: Path) -> None:
    """Whenever SIGTERM strikes a lane whose input has ended, or that just begins, its sweep is done, and done whole."""
    script = [sys.executable, "-c", STRUCK_AT_EVERY_CALL, str(tmp_path)]
    ended = subprocess.run(script, capture_output=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr.decode()) == (0, "")
    tries = int(ended.stdout.split()[-1])
    assert ended.stdout.count(b"swept") == tries > 20


def test_children_that_are_ignored(tmp_path: Path) -> None:
    """Who starts the command may ignore how its children end: the command itself does not."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with Lanes(1) as lanes:
            assert preflight(lanes, toy.GAME, {"ann": bot(tmp_path)}, toy.GAME.resolve_variants({}), seats=2) == {}
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_an_idle_lane_ends_with_its_input(tmp_path: Path) -> None:
    """A lane that is dismissed ends in order although the signal came in the moment before it waited for a job."""
    with Lanes(1) as lanes, patch("arena.tournament.lanes._PATIENCE", 300.0):
        assert preflight(lanes, toy.GAME, {"ann": bot(tmp_path)}, toy.GAME.resolve_variants({}), seats=2) == {}
        popen = lanes._lanes[0].popen
        with patch.object(popen, "terminate"):
            lanes.dismiss()
    assert popen.returncode == 0


def test_a_signal_while_a_schedule_is_drawn() -> None:
    """Work that takes long and asks no lane ends where a signal strikes it, or before it begins."""

    def drawn() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)

    with Lanes(1) as lanes:
        with pytest.raises(Interrupted), lanes.interruptible():
            drawn()
        with pytest.raises(Interrupted), lanes.interruptible():
            pytest.fail("expected the signal to be heeded first")
