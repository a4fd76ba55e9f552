"""The sins of ``bot.py`` against the processor: what keeps the core from others, and what hides who burns it."""

import ctypes
import os
import signal
import struct
import sys
import time
from contextlib import suppress
from typing import Never


def spin() -> Never:
    """Burn all there is, for ever."""
    while True:
        pass


def spin_in_child(*, orphan: bool) -> None:
    """Burn it in a child, or in an orphan in a session of its own."""
    if os.fork() == 0:
        if not orphan:
            spin()
        os.setsid()
        if os.fork() == 0:
            spin()
        os._exit(0)
    if orphan:
        os.wait()


CROWD = 55
"""Children of one that keeps everybody from the core: as many as the limit of processes leaves it."""


SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
SLICE = 100_000
"""Nanoseconds: who asks for short turns of the processor is served before those who ask for longer ones."""


def push_forward() -> None:
    """Ask the scheduler for short turns, as anyone may (sched_setattr(2)); an older kernel does not care."""
    attributes = struct.pack("IIQiIQQQ", 48, 0, 0, 0, 0, SLICE, 0, 0)
    ctypes.CDLL(None).syscall(SCHED_SETATTR[os.uname().machine], 0, attributes, 0)


def crowd(seconds: float = 4.0) -> None:
    """Have children, each in a session of its own, that burn all there is for some seconds."""
    push_forward()
    until = time.monotonic() + seconds
    for _ in range(CROWD):
        if os.fork() == 0:
            os.setsid()
            while time.monotonic() < until:
                pass
            os._exit(0)


def think(seconds: float) -> None:
    """Burn for so long by the clock, whatever else burns."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def spin_unmarked(workers: int = 3, seconds: float = 4.0) -> None:
    """Have orphans without the host's mark burn, for themselves or for their author."""
    burn = f"import time\nuntil = time.monotonic() + {seconds}\nwhile time.monotonic() < until: pass"
    for _ in range(workers):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve(sys.executable, [sys.executable, "-S", "-E", "-c", burn], {"NO": "mark"})  # noqa: S606 - a shell has no part in it
            os._exit(0)
        os.wait()


def buy_by_orphans() -> Never:
    """Have them burn while one burns oneself, as if others took half of one's time."""
    spin_unmarked()
    spin()


def spin_hidden(seconds: float = 4.0) -> Never:
    """Think in short-lived children that nobody waits for, while the parent wants the core and does not get it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with suppress(OSError):  # in a sandbox nobody can
        os.nice(19)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if os.fork() == 0:
            os.setsid()
            end_of_life = time.monotonic() + 0.01
            while time.monotonic() < end_of_life:
                pass
            os._exit(0)
        rest = time.monotonic() + 0.012
        while time.monotonic() < rest:
            pass
    while True:
        signal.pause()


def work(seconds: float) -> None:
    """Think, however long it takes to come by the processor for so long."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
