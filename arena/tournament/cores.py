"""The machine's cores: the number of lanes, a core for each, and their priority.

Knows nothing of bots or matches.
"""

import os
import socket
from pathlib import Path

_NAME = "\0arena-core-"
_locks: list[socket.socket] = []


def available() -> list[int]:
    """The cores that this process may use; empty if the system does not say."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    return sorted(os.sched_getaffinity(0))


def count_lanes() -> int:
    """How many lanes this machine has room for: its cores, or its cgroup's share of them if that is less."""
    cores = len(available()) or os.cpu_count() or 1
    return max(1, min(cores, int(_quota() or cores)))


def _quota() -> float | None:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):
        pass
    try:
        folder = Path("/sys/fs/cgroup/cpu")
        quota_us = int((folder / "cpu.cfs_quota_us").read_text("ascii"))
        period_us = int((folder / "cpu.cfs_period_us").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return quota_us / period_us if quota_us > 0 else None


def take() -> int | None:
    """Pin this process to a core that no other lane on this machine has, and hold it until the process ends.

    Returns the core, or None where none is free or the system has no pinning: then nothing is pinned.
    """
    for core in available():
        # a name that the system itself keeps (unix(7), abstract): no file is left, and every user may take it
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(f"{_NAME}{core}")
            os.sched_setaffinity(0, {core})
        except OSError:
            lock.close()
            continue
        _locks.append(lock)
        return core
    return None


def go_first() -> bool:
    """Give this process priority over all that it starts; returns whether the system allows it.

    Nothing that runs in the ordinary way can then keep this process from its core (sched(7), SCHED_RR). What it starts
    begins in the ordinary way. The superuser may do this, and users with a limit of priority (``ulimit -r``).
    """
    if not hasattr(os, "SCHED_RESET_ON_FORK"):
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        return False
    return True
