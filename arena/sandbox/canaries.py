"""The targets of the probe's attacks, and what several attacks are made of. Standard library only."""

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

libc = ctypes.CDLL(None, use_errno=True)


class Canaries(NamedTuple):
    """The targets that the probe attacks. Paths and numbers are those outside of the sandbox."""

    token: str
    """Stands in each of them."""
    private: str
    other: str
    results: str
    code: str
    drops: list[str]
    """Files to leave in folders that everybody may write to."""
    pid: int
    """A process of the host, ..."""
    began: int
    """... when it was started, in ticks since boot, ..."""
    address: int
    """... and where its stack lies."""
    pids: str
    """The name of the host's process numbers (a namespace)."""
    tcp: int
    abstract: str
    socket: str
    memory: int
    processes: int
    descriptors: int
    attacks: list[str]
    more: dict[str, Any]
    """What further attacks need, of a probe that tries more."""


def content(path: str) -> bytes:
    """What a file holds."""
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib would lengthen every start of a run
        return file.read()


def check_call(result: int) -> int:
    """The return value of a call of the C library; an ``OSError`` if it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def any_of(*ways: Callable[[], object]) -> bool:
    """Whether one of several ways works, all tried; if none does, the last one's error."""
    works = False
    last = OSError()
    for way in ways:
        try:
            way()
            works = True
        except OSError as error:
            last = error
    if not works:
        raise last
    return True


def apart(way: Callable[[], object]) -> bool:
    """Whether something works that would change the process, tried in a child."""
    child = os.fork()
    if not child:
        code = 1
        with suppress(OSError):
            way()
            code = 0
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def began(pid: int) -> int:
    """When a process was started, in ticks since boot (proc_pid_stat(5), field 22); ``OSError`` if it is not seen."""
    return int(content(f"/proc/{pid}/stat").rpartition(b")")[2].split()[19])


def pids() -> str:
    """The name of the namespace of this process's number; empty if the system does not tell."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - as above
    except OSError:
        return ""


def reach(c: Canaries) -> int:
    """The number of the canary process; an ``OSError`` in another namespace, where it would be another process's."""
    if pids() not in {"", c.pids}:
        raise ProcessLookupError
    return c.pid


class Span(ctypes.Structure):
    """Bytes of memory (iovec)."""

    _fields_ = (("start", ctypes.c_void_p), ("length", ctypes.c_size_t))
