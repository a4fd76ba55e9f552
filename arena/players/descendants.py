"""The processes that others have started, as ``/proc`` tells it. Standard library only: the guard has no packages.

Linux only: elsewhere no process has any.
"""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from time import monotonic

_LISTINGS = 4
"""How often the children of a process are listed at most, while its threads come and go."""
_HALTING = 0.5
"""Seconds given to stopping a family that grows."""


def told(path: str) -> bytes:
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
        pids, whole = [], True
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
                whole = False
        if whole:
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
