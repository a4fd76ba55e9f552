"""The processor time of a process tree, from outside: whoever in it has used it, and whatever became of them."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.players.lifetime import LINUX, adopt_orphans, sweep
from arena.players.process_tree import Tree, children

WORK = 0.1
"""Seconds of processor time that each script uses at each line it reads, before it writes one."""
STARTED = 1.0
"""Seconds of processor time that no interpreter takes to start."""
TICKS = 0.02
"""What is lost of a child's time once it is waited for."""
PRELUDE = f"""
import os, signal, sys, threading, time
def work(then=lambda: None):
    until = time.thread_time() + {WORK}
    while time.thread_time() < until:
        pass
    then()
def tell():
    os.write(1, b"done\\n")
def tell_and_stay():
    tell()
    signal.pause()
def stay():
    time.sleep(1000)
def child(do):
    pid = os.fork()
    if not pid:
        do()
        os._exit(0)
    return pid
"""
SCRIPTS = {
    "itself": "work(tell)",
    "a thread": "threading.Thread(target=work, args=(tell,)).start()",
    "an ended thread": "t = threading.Thread(target=work); t.start(); t.join(); tell()",
    "a child": "child(lambda: work(tell_and_stay))",
    "a thread's child": "threading.Thread(target=lambda: child(lambda: work(tell_and_stay)) and stay()).start()",
    "a grandchild": "child(lambda: (child(lambda: work(tell_and_stay)), signal.pause()))",
    "a dead child": "os.waitpid(child(work), 0); tell()",
    "a dead grandchild": "os.waitpid(child(lambda: os.waitpid(child(work), 0)), 0); tell()",
    "a zombie": "pid = child(work); os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT); tell()",
}


@pytest.fixture(autouse=True)
def house() -> Iterator[None]:
    """Be a host, and leave nothing behind."""
    if not LINUX:
        pytest.skip("expected Linux: elsewhere nobody is read")
    adopt_orphans()
    bystanders = set(children())
    yield
    sweep(bystanders)


@contextmanager
def running(each_line: str) -> Iterator["subprocess.Popen[str]"]:
    """A script that does this at each line of its input."""
    script = f"{PRELUDE}\ntell()\nfor line in sys.stdin:\n    {each_line}\n"
    argv = [sys.executable, "-S", "-E", "-c", script]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        try:
            hear(process)
            yield process
        finally:
            process.kill()


def hear(process: "subprocess.Popen[str]") -> str:
    """The next line of a script."""
    assert process.stdout
    return process.stdout.readline()


def ask(process: "subprocess.Popen[str]") -> str:
    """Have the script do it once; what it says when it is done."""
    assert process.stdin
    process.stdin.write("\n")
    return hear(process)


def asleep(pid: int) -> bool:
    """Whether a process and its children wait for something, so that they use no processor time any more."""
    stats = [Path(f"/proc/{each}/stat").read_text("ascii") for each in (pid, *children(pid))]
    return all(stat.rpartition(")")[2].split()[0] == "S" for stat in stats)


@pytest.mark.parametrize("who", SCRIPTS)
def test_whoever_used_it(who: str) -> None:
    """The time of a process, its threads, its descendants, the living and the dead, is counted, and counted once."""
    with running(SCRIPTS[who]) as process:
        tree = Tree(process.pid)
        before = tree.seconds()
        assert 0 < before < STARTED
        for _ in range(3):
            ask(process)
            now = tree.seconds()
            assert WORK - TICKS <= now - before + 1e-9 < 2 * WORK
            before = now
        assert tree.rounding == (TICKS if who in ("a dead child", "a dead grandchild") else 0)


def test_what_sleeps_uses_nothing() -> None:
    """Whoever waits for its input, behind a wrapper too, has used exactly as much as before."""
    with running("child(lambda: signal.pause()); work(tell)") as process:
        tree = Tree(process.pid)
        ask(process)
        while not asleep(process.pid):
            pass
        seconds = tree.seconds()
        for _ in range(100):
            assert tree.seconds() == seconds


def test_what_vanished_counts_as_last_seen() -> None:
    """The time of children whom nobody waits for stays, and that of the next ones comes on top."""
    script = "child(lambda: (work(), os.write(1, b'%d\\n' % os.getpid()), signal.pause()))"
    with running(f"signal.signal(signal.SIGCHLD, signal.SIG_IGN); {script}") as process:
        tree = Tree(process.pid)
        before = tree.seconds()
        for _ in range(3):
            child = int(ask(process))
            seen = tree.seconds()
            assert WORK <= seen - before < 2 * WORK
            os.kill(child, signal.SIGKILL)
            while Path(f"/proc/{child}").exists():
                select.select([], [], [], 0.001)
            before = tree.seconds()
            assert seen <= before < seen + WORK
        process.kill()
        process.wait()
        assert before <= tree.seconds() < before + WORK


def test_orphans_count_once_adopted() -> None:
    """An orphan that is handed to the tree counts with all it has used, and what it had used before is not lost."""
    script = "child(lambda: child(lambda: (work(), os.write(1, b'%d\\n' % os.getpid()), signal.pause())))"
    with running(f"{script}; os.wait()") as process:
        tree = Tree(process.pid)
        before = tree.seconds()
        orphan = int(ask(process))
        assert tree.seconds() - before < WORK
        tree.adopt(orphan)
        assert WORK <= tree.seconds() - before < 2 * WORK
