"""What the kernel counts for a user: a hoarder takes all of it that it can, a rival needs a little.

``python -I -S needs.py hoard NAME`` takes, says so, and keeps it until its input ends; ``need NAME...`` prints as JSON
for each name whether a little was to be had. Standard library only; runs in a sandbox. It is bounded: some 30 MB of the
kernel's at the most, and no page of a pipe is filled.
"""

import array
import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from errno import EAGAIN

_NUMBERS = {
    "add_key": (248, 217), "inotify_init1": (294, 26), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "rt_sigqueueinfo": (129, 138), "timer_create": (222, 107),
}  # fmt: skip
_COLUMN = {"x86_64": 0, "aarch64": 1}
_SIGNALS, _DESCRIPTORS, _PROCESSES, _KEYS = 130_000, 250, 200, 300
"""Of each so many at most."""
_SET_PIPE_SIZE, _GET_PIPE_SIZE = 1031, 1032
_PIPE, _WIDE_PIPE = 1 << 16, 1 << 20
_IN_A_MESSAGE = 200
"""Descriptors in one message."""
_PIPE_HOLDERS = 16
_A_FEW = 4
_libc = ctypes.CDLL(None, use_errno=True)
_kept: list[object] = []


def _call(name: str, *arguments: object) -> int:
    result = int(_libc.syscall(ctypes.c_long(_NUMBERS[name][_COLUMN[os.uname().machine]]), *arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result


def _all(take: Callable[[], object], most: int) -> None:
    with suppress(OSError):
        _kept.extend(take() for _ in range(most))


def _inotify() -> int:
    return _call("inotify_init1", 0)


def _timer() -> int:
    wanted = struct.pack("=QiiQQQQQQ", 0, int(signal.SIGRTMAX), 0, 0, 0, 0, 0, 0, 0)
    return _call("timer_create", 1, wanted, ctypes.create_string_buffer(8))


def _queued() -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMAX})
    return _call("rt_sigqueueinfo", os.getpid(), int(signal.SIGRTMAX), struct.pack("=iii", 64, 0, -1).ljust(128, b"\0"))


def _pipe() -> None:
    ends = os.pipe()
    _kept.append(ends)
    if (size := fcntl.fcntl(ends[0], _GET_PIPE_SIZE)) < _PIPE:
        raise OSError(EAGAIN, f"expected a pipe of {_PIPE} bytes, got {size}")


def _wide_pipe() -> None:
    ends = os.pipe()
    _kept.append(ends)
    with suppress(OSError):
        fcntl.fcntl(ends[0], _SET_PIPE_SIZE, _WIDE_PIPE)


def _hoard_pipes() -> None:
    for _ in range(_PIPE_HOLDERS):
        with suppress(OSError):
            _process(lambda: _all(_wide_pipe, _DESCRIPTORS // 2))


def _terminal() -> int:
    return os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)


def _send(descriptors: int) -> None:
    ends = socket.socketpair()
    _kept.extend(ends)
    ends[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * descriptors))])


def _process(first: Callable[[], object] = lambda: None) -> None:
    """A process that does something first, and ends when this one does."""
    waiting, ending = os.pipe()
    done, doing = os.pipe()
    try:
        child = os.fork()
    except OSError:
        for end in (waiting, ending, done, doing):
            os.close(end)
        raise
    if not child:
        for end in (ending, done):
            os.close(end)
        first()
        os.close(doing)
        os.read(waiting, 1)
        os._exit(0)
    for end in (waiting, doing):
        os.close(end)
    os.read(done, 1)
    os.close(done)
    _kept.append(ending)


def _a_few_processes() -> None:
    for _ in range(_A_FEW):
        _process()


def _queue() -> int:
    name = f"arena-{os.getpid()}-{len(_kept)}".encode()
    made = _call("mq_open", name, os.O_RDWR | os.O_CREAT, 0o600, None)
    _call("mq_unlink", name)
    return made


def _key() -> int:
    name = f"arena-{os.getpid()}-{len(_kept)}".encode()
    return _call("add_key", b"user", name, b"1", ctypes.c_size_t(1), -2)


HOARD: dict[str, Callable[[], object]] = {
    "inotify instances": lambda: _all(_inotify, _DESCRIPTORS),
    "timers": lambda: _all(_timer, _SIGNALS),
    "queued signals": lambda: _all(_queued, _SIGNALS),
    "pages of pipes": _hoard_pipes,
    "terminals": lambda: _all(_terminal, _DESCRIPTORS),
    "descriptors in flight": lambda: _all(lambda: _send(_IN_A_MESSAGE), _DESCRIPTORS // 2),
    "processes": lambda: _all(_process, _PROCESSES),
    "message queues": lambda: _all(_queue, _DESCRIPTORS),
    "keys": lambda: _all(_key, _KEYS),
}
NEED: dict[str, Callable[[], object]] = {
    "inotify instances": _inotify,
    "timers": _timer,
    "queued signals": _queued,
    "pages of pipes": _pipe,
    "terminals": _terminal,
    "descriptors in flight": lambda: _send(1),
    "processes": _a_few_processes,
    "message queues": _queue,
    "keys": _key,
}


def _had(name: str) -> bool:
    try:
        NEED[name]()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    if sys.argv[1] == "hoard":
        HOARD[sys.argv[2]]()
        sys.stdout.write("hoarded\n")
        sys.stdout.flush()
        sys.stdin.read()
    else:
        sys.stdout.write(json.dumps({name: _had(name) for name in sys.argv[2:]}))
