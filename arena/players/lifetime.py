"""Ending processes with all their descendants, and dying with one's parent.

On Linux the caller is a subreaper: a bot's orphans become its children, so that none escapes by ``setsid`` or a double
fork. Elsewhere only a bot's own process group is ended.
"""

import ctypes
import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Collection
from time import monotonic
from types import FrameType

from arena.errors import HostError
from arena.players.process_tree import children, halted, read_proc
from arena.sandbox.sandbox import TOKEN

LINUX = sys.platform == "linux"
PATIENCE = 0.3
"""Seconds a bot may take to exit by itself after its input ended."""
UNKILLABLE = 5.0
_BETWEEN_LOOKS = 0.1
"""Seconds between two looks that count as waited at most: while the machine stands still nothing can die."""
_LOOK = 0.25
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


class DeathWait:
    """How long this process has waited for another to die; time in which it was stopped does not count."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._looked = monotonic()

    def too_long(self) -> bool:
        """Whether it was ``UNKILLABLE`` seconds by now; to be asked at each look."""
        now = monotonic()
        self._seconds += min(now - self._looked, _BETWEEN_LOOKS)
        self._looked = now
        return self._seconds > UNKILLABLE


def sweep(
    keep: Collection[int] = (), tokens: Collection[str] = (), *, spares: Callable[[int], bool] = lambda _: False
) -> int:
    """Kill every child until none is left; returns how many died; a ``HostError`` if one lives on for five seconds.

    Spared are those in ``keep``, orphans marked with one of ``tokens``, and those that ``spares`` is true of.
    """
    waited = DeathWait()
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
            raise HostError(f"processes {strays} would not die within {UNKILLABLE:.0f} s")
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
