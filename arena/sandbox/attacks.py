"""What the probe tries from inside a sandbox, one function an attack: it attacks only ``Canaries`` and itself.

These are what a run needs: files, processes, memory, sockets, rights, namespaces, limits and the filter of calls. The
tests try some sixty more. Standard library only. It reads nothing else and leaves nothing changed that matters.
"""

import ctypes
import fcntl
import mmap
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial

from arena.sandbox.canaries import Canaries, Span, any_of, apart, began, check_call, content, libc, reach

MOST_FORKS = 200
_NEW_USER, _NEW_MOUNTS = 0x1000_0000, 0x0002_0000
_GET_NO_NEW_PRIVILEGES = 39


def _append(path: str, text: str) -> None:
    with open(path, "ab") as file:  # noqa: PTH123 - as above
        file.write(f"\n#{text}\n".encode())


def _read_memory_file(c: Canaries) -> None:
    if began(c.pid) != c.began:
        raise ProcessLookupError
    os.pread(os.open(f"/proc/{c.pid}/mem", os.O_RDONLY), 8, c.address)


def _read_memory_by_call(c: Canaries) -> None:
    word = ctypes.create_string_buffer(8)
    here, target = Span(ctypes.addressof(word), 8), Span(c.address, 8)
    count = ctypes.c_ulong(1)
    check_call(
        libc.process_vm_readv(reach(c), ctypes.byref(here), count, ctypes.byref(target), count, ctypes.c_ulong(0))
    )


def _mount(_: Canaries) -> bool:
    target = os.environ["TMPDIR"].encode()
    private, detach = 1 << 18 | 1 << 14, 2

    def mounts() -> None:
        # if this process may, it mounts in a namespace of its own, which nobody else sees
        if libc.unshare(_NEW_MOUNTS) == 0:
            check_call(libc.mount(b"none", b"/", None, ctypes.c_ulong(private), None))
        check_call(libc.mount(b"none", target, b"tmpfs", ctypes.c_ulong(0), None))
        check_call(libc.umount2(target, detach))

    return apart(mounts)


def _open_many(c: Canaries) -> None:
    opened: list[int] = []
    try:
        while len(opened) < c.descriptors + 8:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for descriptor in opened:
            os.close(descriptor)


def map_memory(c: Canaries, flags: int) -> None:
    """Reserve more memory than allowed."""
    # reserved and never touched: so no other process lacks memory
    mmap.mmap(-1, c.memory + (64 << 20), flags | mmap.MAP_ANONYMOUS).close()


def _fork_many(c: Canaries) -> None:
    children: list[int] = []
    waiting, ending = os.pipe()
    try:
        while len(children) < min(2 * c.processes + 8, MOST_FORKS):
            child = os.fork()
            if not child:
                # the child ends when this pipe ends, however its parent ends
                os.close(ending)
                os.read(waiting, 1)
                os._exit(0)
            children.append(child)
    finally:
        os.close(ending)
        for child in children:
            os.waitpid(child, 0)


def _connect(family: int, address: str | tuple[str, int]) -> None:
    with socket.socket(family) as talk:
        talk.connect(address)


def shared_file() -> str:
    """A file that all bots may read."""
    return os.path.realpath(sys.executable)


def try_lock(how: Callable[[int, int], object]) -> None:
    """Lock a file that all may read."""
    how(os.open(shared_file(), os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB)


ATTACKS: dict[str, Callable[[Canaries], object]] = {
    "read a private file of the host": lambda c: c.token.encode() in content(c.private),
    "read another bot's code": lambda c: c.token.encode() in content(c.other),
    "write to the results": lambda c: _append(c.results, c.token),
    "write its own code": lambda c: _append(c.code, c.token),
    "leave a file in /tmp, /var/tmp or /dev/shm": lambda c: any_of(
        *(partial(_append, file, c.token) for file in c.drops)
    ),
    "see the host's processes in /proc": lambda c: began(c.pid) == c.began,
    "read the host's environment": lambda c: c.token.encode() in content(f"/proc/{c.pid}/environ"),
    "read the host's memory": lambda c: any_of(partial(_read_memory_file, c), partial(_read_memory_by_call, c)),
    "get rights from setuid programs": lambda _: check_call(libc.prctl(_GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0)) == 0,
    "make a user namespace (unshare)": lambda _: apart(lambda: check_call(libc.unshare(_NEW_USER))),
    "mount a file system": _mount,
    "open more files than allowed": _open_many,
    "take more memory than allowed": lambda c: map_memory(c, mmap.MAP_PRIVATE),
    "start more processes than allowed": _fork_many,
    "connect by TCP to this machine": lambda c: _connect(socket.AF_INET, ("127.0.0.1", c.tcp)),
    "connect to an abstract socket": lambda c: _connect(socket.AF_UNIX, "\0" + c.abstract),
    "connect to a socket that is a file": lambda c: _connect(socket.AF_UNIX, c.socket),
    "lock a file that others read (flock)": lambda _: try_lock(fcntl.flock),
    "kill a process of the host": lambda c: os.kill(reach(c), signal.SIGKILL),
}
"""What is tried, in plain words -> how: it is refused by False or an ``OSError``. The dangerous ones stand last."""
