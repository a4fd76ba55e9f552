"""Ways from one bot to another that the probe tries: what several see or use up."""

import ctypes
import fcntl
import mmap
import os
import socket
import struct
import sys
import time
from collections.abc import Callable
from errno import ENOSYS
from functools import partial

from arena.sandbox.attacks import shared_file, try_lock
from arena.sandbox.canaries import Canaries, Span, any_of, check_call, content, libc, reach

_AF_NETLINK, _AF_VSOCK = 16, 40
_RINGS = -3, -4
"""Keyrings of the session and of the user."""
_NOWAIT = 8
_SET_HINT, _SHORT_LIVED, _SET_PIPE_SIZE = 1036, 2, 1031
_VALUE = 12
"""What semctl(2) is to tell."""
_ATTACH_FILTER, _COOKIE, _PEER_HANDLE = 26, 57, 77


_CALLS = {
    "add_key": (248, 217), "bpf": (321, 280), "cachestat": (451, 451), "clone": (56, 220), "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30), "keyctl": (250, 219), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "preadv2": (327, 286), "userfaultfd": (323, 282),
}  # fmt: skip
"""System calls that the C library does not offer everywhere: their numbers on x86-64 and on 64-bit ARM."""
_COLUMN = {"x86_64": 0, "aarch64": 1}


def call(name: str, *arguments: object) -> int:
    """The return value of a system call of ``_CALLS``; an ``OSError`` if it failed."""
    return check_call(libc.syscall(ctypes.c_long(_CALLS[name][_COLUMN[os.uname().machine]]), *arguments))


def _share_memory(c: Canaries) -> None:
    if not c.more["shm"]:
        raise OSError(ENOSYS, "there are no segments")
    segment = check_call(libc.shmget(c.more["shm"], ctypes.c_size_t(0), 0))
    libc.shmat.restype = ctypes.c_ssize_t
    libc.shmdt(ctypes.c_void_p(check_call(libc.shmat(segment, None, 0))))


def _open_queue(c: Canaries) -> None:
    if not c.more["queue"]:
        raise OSError(ENOSYS, "there are no message queues")
    os.close(call("mq_open", c.more["queue"].encode(), os.O_RDONLY, 0, None))


def _use(number: int, how: Callable[[], int]) -> None:
    if number < 0:
        raise OSError(ENOSYS, "there is none")
    check_call(how())


def _post(queue: int) -> int:
    return int(libc.msgsnd(queue, struct.pack("=q", 1) + b"!", ctypes.c_size_t(1), 0))


def _send_by_pair(c: Canaries, kind: int) -> None:
    for end in socket.socketpair(socket.AF_UNIX, kind):
        with end:
            end.sendto(c.token.encode(), c.more["letterbox"])


def _option(option: int, size: int) -> bytes:
    one, other = socket.socketpair()
    with one, other:
        return one.getsockopt(socket.SOL_SOCKET, option, size)


def _filter(_: Canaries) -> None:
    whole = struct.pack("=HBBI", 0x06, 0, 0, 0xFFFF_FFFF)
    steps = ctypes.create_string_buffer(whole)
    one, other = socket.socketpair()
    with one, other:
        one.setsockopt(
            socket.SOL_SOCKET, _ATTACH_FILTER, struct.pack("HxxxxxxP", len(whole) // 8, ctypes.addressof(steps))
        )


def _enlarge(_: Canaries) -> bool:
    reading, writing = os.pipe()
    try:
        return fcntl.fcntl(writing, _SET_PIPE_SIZE, 1 << 20) > 1 << 16
    finally:
        os.close(reading)
        os.close(writing)


def _in_memory(_: Canaries) -> bool:
    file = os.open(shared_file(), os.O_RDONLY)
    room = ctypes.create_string_buffer(64)
    span = Span(ctypes.addressof(room), 1)
    none = ctypes.c_long(0)
    return any_of(
        lambda: call("preadv2", file, ctypes.byref(span), 1, none, none, _NOWAIT),
        lambda: call("cachestat", file, struct.pack("=QQ", 0, mmap.PAGESIZE), room, 0),
    )


def code() -> str:
    """The file that the probe runs, at its present path."""
    return f"{sys.argv[0]}/__main__.py"


def _put_key(c: Canaries, ring: int) -> None:
    unlink = 9
    key = call("add_key", b"user", f"arena-{c.token}".encode(), b"1", ctypes.c_size_t(1), ring)
    call("keyctl", unlink, key, ring)


def _watch(_: Canaries) -> None:
    opened = 0x20
    check_call(libc.inotify_add_watch(check_call(libc.inotify_init1(os.O_CLOEXEC)), shared_file().encode(), opened))


CHANNELS: dict[str, Callable[[Canaries], object]] = {
    "send UDP to this machine": lambda c: socket.socket(type=socket.SOCK_DGRAM).sendto(
        c.more["token"].encode(), ("127.0.0.1", c.more["udp"])
    ),
    "make a socket to the machine's host (vsock)": lambda _: socket.socket(_AF_VSOCK),
    "make a socket to the kernel (netlink)": lambda _: socket.socket(_AF_NETLINK, socket.SOCK_RAW),
    "send to a socket that is a file, by a pair": lambda c: any_of(
        *(partial(_send_by_pair, c, kind) for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW))
    ),
    "share memory (System V)": _share_memory,
    "use a message queue (System V)": lambda c: _use(c.more["letters"], lambda: _post(c.more["letters"])),
    "use semaphores (System V)": lambda c: _use(
        c.more["semaphores"], lambda: int(libc.semctl(c.more["semaphores"], 0, _VALUE, 0))
    ),
    "open a message queue (POSIX)": _open_queue,
    "put a key into the kernel's keyring": lambda c: any_of(*(partial(_put_key, c, ring) for ring in _RINGS)),
    "lock a file that others read (fcntl)": lambda _: try_lock(fcntl.lockf),
    "watch who opens a file (inotify)": _watch,
    "see which pages of a file are in memory": _in_memory,
    "have pages of a file forgotten (fadvise)": lambda _: os.posix_fadvise(
        os.open(shared_file(), os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED
    ),
    "leave a hint at a shared file (fcntl)": lambda _: fcntl.fcntl(
        os.open(shared_file(), os.O_RDONLY), _SET_HINT, struct.pack("=Q", _SHORT_LIVED)
    ),
    "read the sockets of the host in /proc": lambda c: c.abstract.encode() in content("/proc/self/net/unix"),
    "count sockets (SO_COOKIE)": lambda _: _option(_COOKIE, 8),
    "get a handle of a process from a socket": lambda _: _option(_PEER_HANDLE, 4),
    "filter what a socket hears (BPF)": _filter,
    "count memory files (memfd)": lambda _: os.close(os.memfd_create("arena")),
    "share memory without a file": lambda _: mmap.mmap(-1, mmap.PAGESIZE).close(),
    "use up instances of inotify": lambda _: os.close(check_call(libc.inotify_init1(os.O_CLOEXEC))),
    "use up pages of pipes": _enlarge,
    "use up terminals (pty)": lambda _: os.close(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)),
    "read the clock of a process of the host": lambda c: time.clock_gettime(~reach(c) << 3 | 2),
    "ask for the session of a process of the host": lambda c: os.getsid(reach(c)),
}
"""What is tried, in plain words -> how; refused by False or an ``OSError``."""
