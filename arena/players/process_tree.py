"""The processes that a process has started, and the processor time that they use, as ``/proc`` tells it.

A process's own time, its threads included, is one system call. The time of its ended and reaped children stands in
``/proc/PID/stat``. Living descendants are found through ``/proc/PID/task/*/children``, behind wrappers too (proc(5),
clock_getres(2)). The time for which a thread was ready to run and did not get a core stands in its ``schedstat`` (the
kernel's *Scheduler Statistics*). On systems other than Linux no process has any descendants, and all times are 0.
Standard library only: the guard has no packages.
"""

import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from time import clock_gettime, monotonic
from typing import NamedTuple, Protocol

_LISTINGS = 4
"""How often the children of a process are listed at most, while its threads come and go."""
_HALTING = 0.5
"""Seconds given to stopping a family that grows."""


def read_proc(path: str) -> bytes:
    """All of a file of ``/proc``; nothing where it cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return b"".join(iter(lambda: os.read(file, 1 << 16), b""))
        finally:
            os.close(file)
    except OSError:
        return b""


def children(parent: int | str = "self") -> list[int]:
    """The process numbers of a process's children, by default of this one's, zombies among them."""
    pids: list[int] = []
    for _ in range(_LISTINGS):
        pids, complete = [], True
        try:
            tasks = os.listdir(f"/proc/{parent}/task")  # noqa: PTH208 - this runs after every match
        except OSError:
            return []
        for task in tasks:
            try:
                with open(f"/proc/{parent}/task/{task}/children", "rb") as listing:  # noqa: PTH123 - likewise
                    pids += map(int, listing.read().split())
            except OSError:
                # a thread has just ended: its children went to another thread, which may have been read before
                complete = False
        if complete:
            break
    return pids


def with_descendants(tops: Iterable[int]) -> set[int]:
    """These processes and all that descend from them, as far as they have not become orphans."""
    family: set[int] = set()
    waiting = list(tops)
    while waiting:
        pid = waiting.pop()
        if pid not in family:
            family.add(pid)
            waiting += children(pid)
    return family


def halted(tops: Iterable[int]) -> set[int]:
    """These processes and all their descendants, stopped: a stopped process starts no other."""
    stopped: set[int] = set()
    family = with_descendants(tops)
    until = monotonic() + _HALTING
    while (new := family - stopped) and monotonic() < until:
        for pid in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP)
        stopped |= new
        family = with_descendants(tops)
    return stopped


_TICK = 1 / os.sysconf("SC_CLK_TCK")
_STATE = 2
"""The number of the field of ``/proc/PID/stat`` that follows the name, counted from 0."""
_CUTIME, _CSTIME, _THREADS = 15 - _STATE, 16 - _STATE, 19 - _STATE
_NEVER = -1.0


class Thread(NamedTuple):
    """What the scheduler reports of a thread."""

    demand: float
    """Seconds that it ran, or was ready to before it ran: a wait that has not ended is not in it yet."""
    ready: bool
    slept: bytes
    """Something that changes whenever it goes to sleep."""


class Tree:
    """A process and all its descendants, with those that this process adopted as orphans."""

    __slots__ = ("_clocks", "_most", "_roots", "_vanished", "pid", "rounding")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.rounding = 0.0
        """Seconds by which the last reading may be too small: children are counted in whole ticks once waited for."""
        self._roots = [pid]
        self._clocks: dict[int, float] = {}
        self._vanished = 0.0
        self._most = 0.0

    def adopt(self, orphan: int) -> None:
        """Count a process that is no longer a descendant."""
        self._roots.append(orphan)
        self._clocks.setdefault(orphan, 0.0)

    def seconds(self) -> float:
        """Seconds of processor time used so far; never less than before. A process that is gone counts as last seen."""
        if sys.platform != "linux":
            return 0.0
        clocks = self._clocks
        for pid, clock in clocks.items():
            if _clock(pid) != clock:
                break
        else:
            if clocks:
                # no process ran, so none was started, ended or waited for a child: one system call for each process
                return self._most
        return self._walk()

    @property
    def family(self) -> frozenset[int]:
        """The living processes as ``seconds`` last found them."""
        return frozenset(self._clocks)

    def glance(self) -> float:
        """Seconds that the known processes have used, those in ``family``, without a search for new ones."""
        return sum([max(_clock(pid), 0.0) for pid in self._clocks])

    def threads(self) -> dict[int, Thread]:
        """The living threads of the processes that ``family`` names."""
        return {number: thread for pid in self._clocks for number, thread in _threads(pid).items()}

    def _walk(self) -> float:
        living: dict[int, float] = {}
        waited_for = 0.0
        waiting = 0
        todo = self._roots.copy()
        while todo:
            pid = todo.pop()
            clock = _clock(pid)
            if clock == _NEVER or pid in living:
                continue
            living[pid] = clock
            # a parent is read before its children: a child that ends in between is missed now, and not counted twice
            ticks, threads = _stat(pid)
            waited_for += ticks * _TICK
            waiting += ticks > 0
            todo += children(pid) if threads != 1 else map(int, read_proc(f"/proc/{pid}/task/{pid}/children").split())
        for pid, clock in self._clocks.items():
            if living.get(pid, _NEVER) < clock:
                self._vanished += clock
        self._clocks = living
        # the number of an ended process may be given to another program
        self._roots = [pid for pid in self._roots if pid in living]
        # two figures are rounded down for each process that waited for children
        self.rounding = 2 * _TICK * waiting
        # parents waited for the processes that vanished, or ignore their children: either way these count once
        self._most = max(self._most, sum(living.values()) + max(waited_for, self._vanished))
        return self._most


_DELAY = 0.005
"""The host may be kept from the core this many seconds between two looks; nobody loses anything by it."""


class RunQueue:
    """Measures how long the asked bot was ready to run and did not get the core, through no fault of its own.

    For each span between two looks it finds a lower bound: the run and wait time of the thread that wanted the core
    most, minus the run time of the whole tree. So other programs' use of the core is found without looking at them, and
    a bot whose own processes block each other gets nothing back for that.
    """

    __slots__ = (
        "_at",
        "_cpu_seconds",
        "_family",
        "_first",
        "_threads",
        "_tree",
        "_wants",
        "seconds",
        "steady",
        "wanted",
    )

    def __init__(self, tree: Tree, family: frozenset[int]) -> None:
        """Measure from here; ``family`` are the tree's processes as they were before the question."""
        self._tree = tree
        self.seconds = 0.0
        """Seconds that it did not get, at least."""
        self.wanted = 0.0
        """Seconds that it ran or was ready to run, at most."""
        # threads are read first each time: time used between the two readings is the bot's own
        self._at, self._threads = monotonic(), tree.threads()
        self._first = self._threads
        self._wants: dict[int, float] = {}
        self._cpu_seconds = tree.seconds()
        self._family = tree.family
        self.steady = self._family == family
        """Whether its processes are the same all along. What children use that nobody waits for leaves no trace, so
        that time which they took from their own parent cannot be told from time that it went without."""

    def look(self, *, orphans: float, delay: float) -> None:
        """Take in what came since the last look, of which orphans of nobody known used ``orphans`` seconds.

        For ``delay`` seconds the host was kept from the core, and so from whatever the bot wanted of it.
        """
        now, threads = monotonic(), self._tree.threads()
        used = self._tree.seconds()
        self.steady &= self._tree.family == self._family
        most = max([self._more(number, thread, now) for number, thread in threads.items()], default=0.0)
        work = used - self._cpu_seconds + orphans
        lost = max(0.0, most - work) + (max(0.0, delay - work) if delay > _DELAY else 0.0)
        self.seconds += max(0.0, min(lost, now - self._at - work))
        self.wanted += now - self._at if most > 0 or any(thread.ready for thread in threads.values()) else 0.0
        self._at, self._threads, self._cpu_seconds = now, threads, used

    def _more(self, number: int, thread: Thread, now: float) -> float:
        """Seconds since the last look that a thread ran or was ready to, at least."""
        before, floor = self._threads.get(number), self._wants.get(number, 0.0)
        if before is not None and before.ready and thread.ready and before.slept == thread.slept:
            # a wait is reported only at its end; but a thread that has not slept has wanted the core all the time
            total = floor + now - self._at
        else:
            first = self._first.get(number)
            total = max(floor, thread.demand - (first.demand if first else 0.0))
        self._wants[number] = total
        return total - floor


def of_this_process() -> tuple[float, float] | None:
    """Seconds that this process ran, and that it was ready but did not run; None if the system does not tell."""
    return _scheduled("/proc/self/schedstat")


def _threads(pid: int) -> dict[int, Thread]:
    try:
        numbers = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - a bot is waiting for the host
    except OSError:
        return {}
    threads = {}
    for number in numbers:
        times = _scheduled(f"/proc/{pid}/task/{number}/schedstat")
        status = read_proc(f"/proc/{pid}/task/{number}/status")
        if times is not None and status:
            ready = b"\nState:\tR" in status
            threads[int(number)] = Thread(sum(times), ready, status.partition(b"\nvoluntary_ctxt_switches:")[2][:24])
    return threads


def _scheduled(path: str) -> tuple[float, float] | None:
    fields = read_proc(path).split()
    return (int(fields[0]) / 1e9, int(fields[1]) / 1e9) if len(fields) > 1 else None


def _clock(pid: int) -> float:
    """Seconds that all threads of a process have used, the ended ones included; ``_NEVER`` if there is none such."""
    try:
        return clock_gettime(~pid << 3 | 2)
    except OSError:
        return _NEVER


def _stat(pid: int) -> tuple[int, int]:
    """Ticks used by the children a process has waited for, and how many threads it has."""
    fields = read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) <= _THREADS:
        return 0, 1
    return int(fields[_CUTIME]) + int(fields[_CSTIME]), int(fields[_THREADS])


class StolenTime(NamedTuple):
    """Seconds of a question that a bot did not get, by who had them."""

    bots: float
    """Other bots, or maybe so."""
    outside: float
    """Nobody in this lane: other programs, or nobody at all while the machine stood still."""


class Watch(Protocol):
    """Measures the time that a bot does not get."""

    def begin(self, first: float) -> None:
        """Begin to measure a question that is not answered yet, ``first`` seconds after it was asked."""

    def look(self) -> None:
        """Read the times now."""

    def stolen(self, away: float) -> StolenTime:
        """Tell the time of this question that the bot did not get; the host looked ``away`` seconds too late."""

    @property
    def used(self) -> float:
        """Seconds of the processor that the bot used until ``stolen`` was asked last."""
