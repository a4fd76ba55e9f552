"""The targets of the probe's attacks, and what several attacks are made of. Standard library only."""

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

_CALLS = {
    "add_key": (248, 217), "bpf": (321, 280), "cachestat": (451, 451), "clone": (56, 220), "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30), "keyctl": (250, 219), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "preadv2": (327, 286), "userfaultfd": (323, 282),
}  # fmt: skip
"""System calls that the C library does not offer everywhere: their numbers on x86-64 and on 64-bit ARM."""
_COLUMN = {"x86_64": 0, "aarch64": 1}
libc = ctypes.CDLL(None, use_errno=True)


class Canaries(NamedTuple):
    """The targets that the probe attacks. Paths and numbers are those outside of the sandbox."""

    token: str
    """Stands in each of them."""
    private: str
    other: str
    results: str
    own: str
    left: list[str]
    """Files to leave in folders that everybody may write to."""
    pid: int
    """A process of the house, ..."""
    began: int
    """... when it was started, in ticks since boot, ..."""
    address: int
    """... and where its stack lies."""
    first_began: int
    """When the house's process 1 was started; 0 where that is not told."""
    pids: str
    """The name of the house's process numbers (a namespace)."""
    tcp: int
    udp: int
    abstract: str
    socket: str
    letterbox: str
    """A socket for datagrams that is a file."""
    shm: int
    """Key of a segment; 0 where there are none."""
    queue: str
    """Name of a message queue; empty where there are none."""
    letters: int
    """Number of a message queue of System V, -1 where there are none; ..."""
    semaphores: int
    """... and of a set of semaphores."""
    handle: str
    """Of ``private``, in hexadecimal; empty where the file system has none."""
    allowed: list[str]
    """Names of environment variables."""
    memory: int
    processes: int
    file: int
    descriptors: int
    attacks: list[str]


def content(path: str) -> bytes:
    """What a file holds."""
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib would lengthen every start of a run
        return file.read()


def called(result: int) -> int:
    """The return value of a call of the C library; an ``OSError`` if it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def call(name: str, *arguments: object) -> int:
    """The return value of a system call of ``_CALLS``; an ``OSError`` if it failed."""
    return called(libc.syscall(ctypes.c_long(_CALLS[name][_COLUMN[os.uname().machine]]), *arguments))


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
