"""Control groups: what they bound, freeze, measure and end, and what remains of them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import clock_gettime, monotonic, sleep

import msgspec
import pytest

from arena.sandbox import cgroup, delegation
from arena.sandbox.cgroup import CgroupTree, Group
from arena.sandbox.delegation import delegated

MIB = 1 << 20
LONG = 300.0
"""Seconds that nothing here takes."""
ENTER = 'code=$1; shift; for file; do echo $$ >"$file" || exit 1; done; exec "$PYTHON" -c "$code"'
SPIN = "print('up', flush=True)\nwhile True: pass"
SLEEP = "import time; print('up', flush=True); time.sleep(1000)"
"""60 bytes."""
FORK_BOMB = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
HOGS = """
import os, time
for _ in range(3):
    os.fork()
held = bytearray(os.urandom(1 << 20)) * 24
time.sleep(1000)
"""
HOUSE = """
import subprocess, sys, time, msgspec
from arena.sandbox.delegation import delegated
cgroups = delegated()
group = cgroups.group("bot", memory=1 << 28, processes=20)
enter = 'for file; do echo $$ >"$file" || exit 1; done; echo in; exec sleep 1000'
bot = subprocess.Popen(("/bin/sh", "-c", enter, "sh", *group.entries), stdout=subprocess.PIPE, start_new_session=True)
bot.stdout.readline()
group.freeze()
print(bot.pid, msgspec.json.encode(cgroups).decode(), flush=True)
sys.stdin.read()
group.kill()
cgroups.remove()
"""


class Bots:
    """Starts processes in groups; at the end all are reaped."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[bytes]] = []

    def __call__(self, group: Group, code: str) -> "subprocess.Popen[bytes]":
        popen = subprocess.Popen(
            ("/bin/sh", "-c", ENTER, "sh", code, *group.entries),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={"PATH": os.defpath, "PYTHON": sys.executable},
            start_new_session=True,
        )
        self.started.append(popen)
        return popen

    def up(self, group: Group, code: str) -> "subprocess.Popen[bytes]":
        """A process that has said that it runs."""
        popen = self(group, code)
        assert popen.stdout
        assert popen.stdout.readline() == b"up\n"
        return popen

    def end(self) -> None:
        for popen in self.started:
            popen.kill()
            popen.wait()
            assert popen.stdout
            popen.stdout.close()


def wait_for(is_so: Callable[[], object]) -> None:
    """Wait until something is so, and fail if it never is."""
    until = monotonic() + LONG
    while not is_so():
        assert monotonic() < until
        sleep(0.001)


def lives(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    return delegation._started(pid) >= 0


def pids_of(group: Group) -> list[int]:
    """The processes of a group, as the kernel lists them."""
    return [int(pid) for pid in Path(group.entries[0]).read_text("ascii").split()]


def pauses_of(pid: int) -> int:
    """How many times a process gave up its core by itself; it is charged for its time before each is counted."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def cpu_of(pid: int) -> float:
    """The processor time of a process."""
    return clock_gettime(~pid << 3 | 2)


def need(cgroups: CgroupTree, *offers: str) -> None:
    """Skip a test of something that is not offered here."""
    if missing := set(offers) - cgroups.offers:
        pytest.skip(f"the control groups given to this process do not offer {', '.join(sorted(missing))}")


def folders_of(pid: int) -> list[Path]:
    """All trees that process ``pid`` made, in every hierarchy open to this one."""
    pattern = f"arena.{delegation._namespace()}.{pid}.*"
    return [found for top in delegation.own_groups() for found in top.glob(pattern)]


@pytest.fixture
def cgroups() -> Iterator[CgroupTree]:
    """The groups of this machine; afterwards nothing of them is left."""
    cgroups = delegated()
    if cgroups is None:
        pytest.skip("no control group was delegated to this process")
    yield cgroups
    assert cgroups.remove()
    assert not folders_of(os.getpid())


@pytest.fixture
def start(cgroups: CgroupTree) -> Iterator[Bots]:
    """Starts processes in groups, and ends them before the groups are removed."""
    bots = Bots()
    yield bots
    cgroups.clear()
    bots.end()


# --- what a group does


def test_a_fork_bomb_is_bounded_and_ends_at_once(cgroups: CgroupTree, start: Bots) -> None:
    """A fork bomb stays within the limit of processes, and dies at once to the last process."""
    need(cgroups, "processes")
    group = cgroups.group("bomb", memory=512 * MIB, processes=40)
    start(group, FORK_BOMB)
    refused = Path(cgroups.folders["processes"], Path(group.entries[0]).parent.name, "pids.events")
    wait_for(lambda: refused.read_text("ascii").split() > ["max", "0"])
    assert not group.struck()
    before = pids_of(group)
    assert 1 < len(before) <= 40
    # some 40 ms; the rest is for a machine that has other things to do
    assert group.kill(5.0)
    assert not pids_of(group)
    start.end()
    assert not [pid for pid in before if lives(pid)]
    assert group.remove()


def test_memory_is_bounded_as_a_sum(cgroups: CgroupTree, start: Bots) -> None:
    """Processes that are each far under the limit of memory, but together over it, are struck, and it is told."""
    need(cgroups, "memory")
    group = cgroups.group("hogs", memory=96 * MIB, processes=40)
    start(group, HOGS)
    wait_for(group.struck)
    other = cgroups.group("modest", memory=96 * MIB, processes=40)
    start.up(other, SLEEP)
    assert not other.struck()


def test_the_frozen_take_no_time(cgroups: CgroupTree, start: Bots) -> None:
    """A frozen group takes no processor time at all; thawed it goes on."""
    need(cgroups, "freeze")
    group = cgroups.group("spinner", memory=512 * MIB, processes=40)
    bot = start.up(group, SPIN)
    for _ in range(3):
        pauses = pauses_of(bot.pid)
        assert group.freeze(LONG)
        # the kernel calls it frozen a moment before it takes the core from it and charges it for its last time there
        wait_for(lambda: pauses_of(bot.pid) > pauses)  # noqa: B023 - it is called in this round only
        before = cpu_of(bot.pid)
        sleep(0.05)
        assert cpu_of(bot.pid) == before
        group.thaw()
        wait_for(lambda: cpu_of(bot.pid) > before + 0.01)  # noqa: B023 - it is called in this round only


def test_the_frozen_can_be_killed(cgroups: CgroupTree, start: Bots) -> None:
    """A frozen group dies like any other, and can be removed."""
    need(cgroups, "freeze")
    group = cgroups.group("frozen", memory=512 * MIB, processes=40)
    bot = start(group, SPIN)
    wait_for(lambda: pids_of(group) == [bot.pid])
    assert group.freeze(LONG)
    assert group.kill(LONG)
    assert bot.wait(LONG) == -signal.SIGKILL
    assert group.remove()


def test_an_empty_group(cgroups: CgroupTree) -> None:
    """A group in which nothing runs freezes, thaws, ends and is removed at once; no limit struck it."""
    group = cgroups.group("nobody", memory=512 * MIB, processes=40)
    if "freeze" in cgroups.offers:
        assert group.freeze()
        group.thaw()
    assert not group.struck()
    assert group.kill(0)
    assert group.remove(0)
    with pytest.raises(OSError, match=r"No such (file|device)"):
        Path(group.entries[0]).read_text("ascii")


def test_groups_within_a_group_end_with_it(cgroups: CgroupTree, start: Bots) -> None:
    """Groups that a process made below its own are ended and removed too."""
    group = cgroups.group("nest", memory=512 * MIB, processes=40)
    inner = Path(group.entries[0]).parent / "a" / "b"
    inner.mkdir(parents=True)
    bot = start.up(group, SLEEP)
    (inner / "cgroup.procs").write_text(str(bot.pid))
    assert group.kill(LONG)
    assert bot.wait(LONG) == -signal.SIGKILL
    assert group.remove()


def test_names_do_not_matter(cgroups: CgroupTree) -> None:
    """Groups of the same name are two groups, and no name leads out of the cgroups or onto a file of the kernel."""
    groups = [
        cgroups.group(name, memory=512 * MIB, processes=40)
        for name in ("same", "same", "../../up", "pids.max", "", "x" * 999)
    ]
    parents = {Path(group.entries[0]).parent for group in groups}
    assert len(parents) == len(groups)
    assert {path.parent for path in parents} <= {Path(folder) for folder in cgroups.folders.values()}


def test_an_impossible_limit_leaves_nothing(cgroups: CgroupTree) -> None:
    """A group that the kernel refuses is an error, and nothing of it is left."""
    need(cgroups, "processes")
    before = [cgroup.children(Path(folder)) for folder in cgroups.folders.values()]
    with pytest.raises(OSError, match="Invalid argument"):
        cgroups.group("impossible", memory=512 * MIB, processes=-5)
    assert [cgroup.children(Path(folder)) for folder in cgroups.folders.values()] == before


# --- many processes, and their deaths


def test_a_tree_of_groups_is_handed_on(cgroups: CgroupTree) -> None:
    """A process that was handed the tree as JSON makes groups of its own in it; they can be cleared by their maker."""
    code = """
import sys, msgspec
from arena.sandbox.cgroup import CgroupTree
cgroups = msgspec.json.decode(sys.argv[1], type=CgroupTree)
print(cgroups.group("bot", memory=1 << 28, processes=40).entries[0])
"""
    mine = cgroups.group("bot", memory=512 * MIB, processes=40)
    encoded = msgspec.json.encode(cgroups)
    assert msgspec.json.decode(encoded, type=CgroupTree) == cgroups
    with subprocess.Popen((sys.executable, "-c", code, encoded), stdout=subprocess.PIPE) as lane:
        theirs = Path(lane.communicate()[0].decode().strip()).parent
    assert theirs.is_dir()
    assert theirs != Path(mine.entries[0]).parent
    assert cgroups.clear(lane.pid)
    assert not theirs.exists()
    assert Path(mine.entries[0]).exists()


@pytest.fixture
def house() -> "Iterator[tuple[subprocess.Popen[str], int]]":
    """Another host with one frozen bot, and the bot's process number."""
    own = delegated()
    if own is None:
        pytest.skip("no control group was delegated to this process")
    own.remove()
    with subprocess.Popen(
        (sys.executable, "-c", HOUSE), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as house:
        assert house.stdout
        yield house, int(house.stdout.readline().split()[0])


def test_what_a_killed_house_left_behind(house: "tuple[subprocess.Popen[str], int]") -> None:
    """The next start ends the bots of a host that was killed, frozen as they are, and removes their groups."""
    popen, bot = house
    assert lives(bot)
    assert folders_of(popen.pid)
    popen.kill()
    popen.wait()
    assert lives(bot)
    cgroups = delegated()
    assert cgroups
    assert cgroups.remove()
    assert not lives(bot)
    assert not folders_of(popen.pid)


def test_what_a_living_house_has(house: "tuple[subprocess.Popen[str], int]") -> None:
    """The groups of a host that lives are left alone; when it is done it leaves none itself."""
    popen, bot = house
    cgroups = delegated()
    assert cgroups
    assert cgroups.remove()
    assert lives(bot)
    assert folders_of(popen.pid)
    popen.communicate()
    assert not lives(bot)
    assert not folders_of(popen.pid)


# --- which limit struck


@pytest.mark.parametrize(
    ("oom", "killed", "struck"), [(0, 0, False), (1, 1, True), (0, 1, False), (1, 0, False), (2, 1, True)]
)
def test_only_its_own_limit_strikes(tmp_path: Path, oom: int, killed: int, *, struck: bool) -> None:
    """A process that died for want of memory elsewhere than under its own limit (no ``oom`` there) is not blamed."""
    (tmp_path / "memory.events").write_text(f"low 0\nhigh 0\nmax 9\noom {oom}\noom_kill {killed}\n")
    assert Group({"memory": tmp_path}).struck() is struck
