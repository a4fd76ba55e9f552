"""Ending bots with all that they left behind, and nobody else's processes."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from time import monotonic
from unittest.mock import DEFAULT, Mock, patch

import pytest

from arena.errors import HostError
from arena.players import ending, lifetime, serving
from arena.players.ending import end
from arena.players.lifetime import adopt_orphans, any_exited, is_stopped, kill, sweep
from arena.players.process import Process
from arena.players.process_tree import children
from arena.players.scratch import discard
from arena.players.spawn import reap, started
from arena.sandbox.sandbox import OPEN, TOKEN
from arena.tournament import cores
from tests.budget import leave_out
from tests.cli import forks

ENV = {"PATH": os.defpath}
LONG = 300.0
"""Seconds that nothing here takes, however busy the machine is."""
ORPHAN = "setsid sh -c 'sleep 1000 & echo $!; exec >&-'"
"""Leaves a process in a session of its own without a parent, and tells its number."""


@pytest.fixture(autouse=True)
def house() -> Iterator[None]:
    """Be a host, with no child before, nor after."""
    if not lifetime.LINUX:
        pytest.skip("expected Linux: elsewhere only a bot's own process group is ended")
    with leave_out():
        forks.stop()
        adopt_orphans()
        # once a subreaper, this process also gets what the commands of other tests left
        sweep()
    yield
    left = children()
    sweep()
    assert left == []


def start(script: str, **env: str) -> Process:
    """A shell as a bot."""
    return Process(started(OPEN, ("sh", "-c", script), ENV | env, folder="/", scratch=""), lambda _: None)


def told(bot: Process) -> int:
    """The number a bot writes first."""
    line = bot.receive(bot.send(b"\n") + LONG)
    assert isinstance(line, bytes)
    return int(line)


def until(what: str, condition: object) -> None:
    """Wait for what must come."""
    assert callable(condition)
    deadline = monotonic() + LONG
    while not condition():
        assert monotonic() < deadline, f"expected {what}"
        select.select([], [], [], 0.001)


def orphaned(bot: Process, orphan: int) -> None:
    """Wait until a bot's orphan is ours, and all that the bot still has in between is reaped."""
    until("the orphan to be ours", lambda: orphan in children())
    until("the bot to have reaped its shell", lambda: not children(bot.pid))


def state_of(pid: int) -> str:
    """One letter, as in ``ps``; empty for no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][0]
    except FileNotFoundError:
        return ""


def test_goodbye_is_the_end_of_input() -> None:
    """A bot that reads to the end of its input exits by itself, and is not killed."""
    bot = start("cat >/dev/null; exit 7")
    with patch.object(ending, "kill", wraps=kill) as killed:
        end([bot], patience=LONG)
    assert [call.args for call in killed.call_args_list] == [(bot.pid,), (bot.pid,)]
    assert bot._popen.returncode == 7


def test_who_stays_is_killed() -> None:
    """Who has not exited when patience ends is killed, whatever signals it ignores, even when it is stopped."""
    bots = [start("trap '' TERM HUP INT; echo 1; while :; do sleep 1000; done"), start("echo 1; kill -STOP $$")]
    for bot in bots:
        told(bot)
    until("the second to stop", lambda: state_of(bots[1].pid) == "T")
    end(bots, patience=0)
    sweep()
    assert [bot._popen.returncode for bot in bots] == [-signal.SIGKILL] * 2


def test_the_group_is_killed_before_its_leader_is_reaped() -> None:
    """The number of a bot that exited stays its own until its group is ended, so that no stranger is ever hit."""
    bot = start("sleep 1000 & echo $!")
    child = told(bot)
    until("the leader to exit", bot.exited)
    states: list[str] = []

    def killpg(pid: int, number: int) -> None:
        states.append(state_of(pid))
        real(pid, number)

    real = os.killpg
    with patch.object(os, "killpg", killpg):
        end([bot], patience=0)
    assert states == ["Z"]
    assert state_of(bot.pid) == ""
    sweep()
    assert state_of(child) == ""


def test_sweep_spares_the_living_and_their_helpers() -> None:
    """After a bot was ended its orphans are killed; those of a living bot, told by its token, are spared."""
    living, fallen = (start(f"{ORPHAN}; exec cat", **{TOKEN: token}) for token in ("living", "fallen"))
    helper, stray = told(living), told(fallen)
    orphaned(living, helper)
    orphaned(fallen, stray)
    end([fallen], patience=0)
    assert sweep({living.pid}, {"living"}) == 1
    assert state_of(helper) in set("RSD")
    assert state_of(stray) == ""
    end([living], patience=0)
    assert sweep() == 1
    assert state_of(helper) == ""


def test_orphans_that_ended_are_reaped() -> None:
    """An orphan that ended by itself shows, and the next sweep reaps it."""
    bot = start(f"{ORPHAN}; exec cat")
    orphan = told(bot)
    orphaned(bot, orphan)
    assert not any_exited()
    os.kill(orphan, signal.SIGTERM)
    until("the orphan to end", any_exited)
    sweep({bot.pid}, {"anything"})
    assert state_of(orphan) == ""
    assert not any_exited()
    end([bot], patience=0)


def test_children_while_a_thread_ends() -> None:
    """A thread that ends while children are listed hides none of them."""
    bot = start("exec cat")
    listed = os.listdir
    with patch.object(os, "listdir", lambda path: ["0", *listed(path)]):
        assert children() == [bot.pid]
    end([bot], patience=0)


def test_unkillable_bot() -> None:
    """A bot that will not die is waited for only so long, and is the host's trouble."""
    stuck = Mock(spec=Process, pid=2**22 + 1)
    stuck.exited.return_value = False
    with patch.object(lifetime, "UNKILLABLE", 0.05), pytest.raises(HostError, match="would not die"):
        end([stuck], patience=0)


def test_a_machine_that_stands_still() -> None:
    """While the machine stands still nothing dies, and that is nobody's trouble: only time in which it looks counts."""
    now = 0.0

    def stand_still(*_: object) -> tuple[()]:
        nonlocal now
        now += 60.0
        return ()

    slow = Mock(spec=Process, pid=2**22 + 1)
    slow.exited.side_effect = [False, False, False, False, True]
    with patch.object(lifetime, "monotonic", lambda: now), patch.object(select, "select", stand_still):
        end([slow], patience=0)
    assert slow.close.called
    os.posix_spawn("/bin/sleep", ["sleep", "1000"], ENV)
    killing = Mock(wraps=kill, side_effect=chain(repeat(None, 4), repeat(DEFAULT)))

    def stand_still_until_it_has_ended(*_: object) -> tuple[()]:
        if killing.call_count > 4:
            with suppress(ChildProcessError):
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        return stand_still()

    with (
        patch.object(lifetime, "monotonic", lambda: now),
        patch.object(select, "select", stand_still_until_it_has_ended),
        patch.object(lifetime, "kill", killing),
    ):
        sweep()
    assert children() == []


def test_unkillable_orphan() -> None:
    """An orphan that will not die is waited for only so long, and is the host's trouble."""
    bot = start("exec cat")
    with (
        patch.object(lifetime, "UNKILLABLE", 0.05),
        patch.object(lifetime, "kill"),
        pytest.raises(HostError, match="would not die"),
    ):
        sweep()
    end([bot], patience=0)


def test_die_with_parent() -> None:
    """A process that dies with its parent ends at once if the parent is gone before it can say so."""
    script = "from arena.players.lifetime import die_with_parent; die_with_parent({}); print('alive')"
    for parent, said in ((os.getpid(), b"alive\n"), (os.getppid(), b"")):
        ran = subprocess.run([sys.executable, "-c", script.format(parent)], capture_output=True, check=True)
        assert ran.stdout == said


@pytest.mark.parametrize(
    ("script", "status", "output"),
    [
        ("echo built; exit 3", 3, b"built\n"),
        ("sleep 1000 & echo built", 0, b"built\n"),
        ("exec >&- 2>&-; exit 4", 4, b""),
    ],
)
def test_build_step(script: str, status: int, output: bytes) -> None:
    """A build step ends with its own exit, though what it started holds its output; nothing of its group is left."""
    assert serving.run_command(["sh", "-c", script], ENV, Path("/"), LONG) == (status, output)
    sweep()


@pytest.mark.parametrize("script", ["sleep 1000", "yes", "setsid yes & sleep 1000", "exec >&- 2>&-; sleep 1000"])
def test_build_step_out_of_time(script: str) -> None:
    """A build step that does not end is ended, though it writes for ever; what is kept of its output is bounded."""
    began = monotonic()
    status, output = serving.run_command(["sh", "-c", script], ENV, Path("/"), 0.1)
    assert monotonic() - began < LONG
    assert status is None
    assert len(output) < 100_000
    sweep()


def test_a_system_without_waitid_ends_bots_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no exited child can be looked at without reaping it, bots are told apart and ended all the same."""
    monkeypatch.delattr(os, "waitid")
    short, long = start("exit 3"), start("exec sleep 1000")
    assert short.status(LONG) == "it exited with status 3"
    assert long.status() == "it is still running"
    end([short, long], patience=0)
    assert long.status() == "it was ended by signal 9 (SIGKILL)"


def test_a_stopped_process_is_known() -> None:
    """A process that SIGSTOP has struck is told from one that runs."""
    bot = start("exec sleep 1000")
    assert not is_stopped(bot.pid)
    os.kill(bot.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, bot.pid, os.WSTOPPED)
    assert is_stopped(bot.pid)
    end([bot], patience=0)
    assert not is_stopped(bot.pid)


def test_reaping_lets_others_run() -> None:
    """Who goes first does not so while it reaps, since a thread of the ended process may need the core to clear up."""
    ordinary = os.sched_getscheduler(0)
    found: list[int] = []
    ended = Mock(wait=lambda: found.append(os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK))
    first = cores.go_first()
    try:
        reap(ended)
        policy = os.sched_getscheduler(0)
    finally:
        os.sched_setscheduler(0, ordinary, os.sched_param(0))
    assert found == [os.SCHED_OTHER]
    assert policy == (os.SCHED_RR | os.SCHED_RESET_ON_FORK if first else ordinary)


def test_what_a_bot_leaves(tmp_path: Path) -> None:
    """Of what a bot leaves a little is removed at once, what is deep or large is put aside, and no link is followed."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    small, deep, large = tmp_path / "small", tmp_path / "deep", tmp_path / "large"
    for folder in (small, deep, large):
        (folder / "home/inside").mkdir(parents=True)
        (folder / "home/link").symlink_to(elsewhere)
    here = os.open(deep / "home", os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    for number in range(1000):
        (large / f"home/{number}").touch()
    rest = tmp_path / "rest"
    rest.mkdir()
    for folder in (small, deep, large):
        discard(folder, leftovers=rest)
        assert not folder.exists()
    assert sorted(path.name for path in rest.iterdir()) == ["gone-deep", "gone-large"]
    assert 400 < len(list((rest / "gone-large/home").iterdir())) < 600
    discard(rest)
    assert not rest.exists()
    assert (elsewhere / "file").exists()
