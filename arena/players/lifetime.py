"""Ending bots with all their descendants, and dying with one's parent.

On Linux the caller is a subreaper: a bot's orphans become its children, so that none escapes by ``setsid`` or a double
fork. Elsewhere only a bot's own process group is ended.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from math import ceil
from pathlib import Path
from time import monotonic
from types import FrameType

from arena.errors import HostError
from arena.players.process import Process
from arena.players.process_tree import children, halted, read_proc
from arena.sandbox.sandbox import TOKEN

LINUX = sys.platform == "linux"
HOME = "home"
"""The folder in a bot's folder that it may write to."""
PATIENCE = 0.3
"""Seconds a bot may take to exit by itself after its input ended."""
_UNKILLABLE = 5.0
_BETWEEN_LOOKS = 0.1
"""Seconds between two looks that count as waited at most: while the machine stands still nothing can die."""
_LOOK = 0.25
_AT_ONCE, _DEEPEST = 500, 16
"""Entries of a bot's folder that are removed at once, and how deep."""
_PATIENT_PASSES = 8
"""Passes of a sweep that kill what there is, one by one, before it stops whole families first."""
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38


def _prctl(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def adopt_orphans() -> None:
    """Become a subreaper: orphaned descendants become children of this process. Linux only."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """End this process when ``parent`` ends: by SIGTERM on Linux, elsewhere by looking four times a second."""
    if LINUX:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    else:

        def look(_number: int, _frame: FrameType | None) -> None:
            if os.getppid() != parent:
                raise SystemExit(0)

        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)
    if os.getppid() != parent:
        raise SystemExit(0)


def harden() -> None:
    """For this process and all that it starts: no new privileges, no core files; its memory is closed to others."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def token_of(pid: int) -> str:
    """The mark in the environment of a bot's descendant; empty if there is none, or it cannot be read."""
    mark = f"{TOKEN}=".encode()
    variables = read_proc(f"/proc/{pid}/environ").split(b"\0")
    return next((v[len(mark) :].decode("ascii", "replace") for v in variables if v.startswith(mark)), "")


def has_environment(pid: int) -> bool:
    """Whether a process has any variables that can be looked at; while it becomes another program it has none."""
    return read_proc(f"/proc/{pid}/environ") != b""


class _Waited:
    """How long this process has waited for another to die; time in which it was stopped does not count."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._looked = monotonic()

    def too_long(self) -> bool:
        """Whether it was ``_UNKILLABLE`` seconds by now; to be asked at each look."""
        now = monotonic()
        self._seconds += min(now - self._looked, _BETWEEN_LOOKS)
        self._looked = now
        return self._seconds > _UNKILLABLE


def sweep(
    keep: Collection[int] = (), tokens: Collection[str] = (), *, spares: Callable[[int], bool] = lambda _: False
) -> int:
    """Kill every child until none is left; returns how many died; a ``HostError`` if one lives on for five seconds.

    Spared are those in ``keep``, orphans marked with one of ``tokens``, and those that ``spares`` is true of.
    """
    waited = _Waited()
    spared: set[int] = set()
    dead = passes = 0
    while strays := [pid for pid in children() if pid not in keep and pid not in spared]:
        spared.update(pid for pid in strays if tokens and token_of(pid) in tokens)
        spared.update(filter(spares, strays))
        condemned = [pid for pid in strays if pid not in spared]
        passes += 1
        # processes that start a new one for each one killed are first stopped all together
        for pid in condemned if passes <= _PATIENT_PASSES else halted(condemned):
            kill(pid)
        for pid in condemned:
            try:
                dead += os.waitpid(pid, os.WNOHANG)[0] == pid
            except ChildProcessError:
                continue
        if waited.too_long():
            raise HostError(f"processes {strays} would not die within {_UNKILLABLE:.0f} s")
        if spared.issuperset(strays):
            break
        select.select([], [], [], 0.0005)
    return dead


def any_exited() -> bool:
    """Whether a child waits to be reaped: a bot that exited, or an orphan of one. Elsewhere than on Linux none is."""
    if not LINUX:
        return False
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return False


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped, as by SIGSTOP. Linux only: elsewhere the answer is no."""
    return read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1] == [b"T"]


def kill(pid: int, *, group: bool = False) -> None:
    """SIGKILL to a process, or to the group that it leads; no error if it is already gone."""
    try:
        (os.killpg if group else os.kill)(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def discard(folder: str | Path, *, rest: str | Path | None = None) -> None:
    """Remove a bot's folder with all its contents; files that cannot be removed stay.

    ``rest``: only so much of it as takes no time; what is more goes into this folder, to be removed by others.
    """
    with contextlib.suppress(OSError):
        # most bots leave nothing: two quick calls, because this runs at the end of each process
        for path in (f"{folder}/{HOME}", folder):
            os.rmdir(path)  # noqa: PTH106 - likewise
        return
    if rest is None:
        # nested deeper than Python, or its descriptors, can follow
        with contextlib.suppress(OSError):
            subprocess.run(["rm", "-rf", "--", str(folder)], stderr=subprocess.DEVNULL, check=False)  # noqa: S607 - POSIX has it
        return
    with contextlib.suppress(OSError):
        _remove_some(folder, within=None, budget=_AT_ONCE, depth=_DEEPEST)
        if os.path.lexists(folder):
            os.rename(folder, f"{rest}/gone-{os.path.basename(folder)}")  # noqa: PTH104, PTH119 - likewise


def _remove_some(name: str | Path, *, within: int | None, budget: int, depth: int) -> int:
    """Remove a folder or, of one that is large or deep, a part; how many entries more may be removed."""
    # by descriptors: a process of the bot that lives on could put a link in the place of a folder
    here = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=within)
    try:
        with os.scandir(here) as entries:
            for entry in entries:
                if budget <= 0:
                    return budget
                budget -= 1
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.name, dir_fd=here)
                    elif depth:
                        budget = _remove_some(entry.name, within=here, budget=budget, depth=depth - 1)
    finally:
        os.close(here)
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=within)
    return budget


def _wait_for(processes: Sequence[Process], until: float) -> None:
    pause = 0.0005
    with ExitStack() as stack:
        poll = _exits(processes, stack)
        waiting = [process for process in processes if not process.exited()]
        while waiting and (rest := until - monotonic()) > 0:
            if poll is None:
                select.select([], [], [], min(pause, rest))
                pause = min(2 * pause, 0.01)
            else:
                for descriptor, _ in poll.poll(ceil(rest * 1000)):
                    poll.unregister(descriptor)
            waiting = [process for process in waiting if not process.exited()]


def _exits(processes: Iterable[Process], stack: ExitStack) -> "select.poll | None":
    """A poll of the exits, until ``stack`` is closed; None where the system has none."""
    if not hasattr(os, "pidfd_open"):
        return None
    poll = select.poll()
    try:
        for process in processes:
            descriptor = os.pidfd_open(process.pid)
            stack.callback(os.close, descriptor)
            poll.register(descriptor, select.POLLIN)
    except OSError:
        return None
    return poll


def end(processes: Iterable[Process], patience: float = PATIENCE) -> None:
    """End these bots: close their input, wait a little, kill their groups, reap them. Orphans are left to ``sweep``.

    ``HostError``: a process would not die within five seconds.
    """
    ending = list(processes)
    for process in ending:
        process.say_goodbye()
    _wait_for(ending, monotonic() + patience)
    for process in ending:
        # the leader is not reaped yet, so its number still names its own group
        kill(process.pid, group=True)
        kill(process.pid)
    waited = _Waited()
    for process in ending:
        while not process.exited():
            if waited.too_long():
                raise HostError(f"process {process.pid} would not die within {_UNKILLABLE:.0f} s")
            select.select([], [], [], 0.0005)
        process.close()
