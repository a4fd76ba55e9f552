"""The end of bots' processes: their input is closed, and what lives on then is killed and reaped."""

import os
import select
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from math import ceil
from time import monotonic

from arena.errors import HostError
from arena.players.lifetime import PATIENCE, UNKILLABLE, DeathWait, kill
from arena.players.process import Process


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
    waited = DeathWait()
    for process in ending:
        while not process.exited():
            if waited.too_long():
                raise HostError(f"process {process.pid} would not die within {UNKILLABLE:.0f} s")
            select.select([], [], [], 0.0005)
        process.close()
