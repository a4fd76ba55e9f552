"""Does each call that a bot may make, many times over: run inside a sandbox, it answers each line when it is done.

A line is ``{"do": [names], "times": n, "hold": bool}``, or ``{"spin": seconds}``, for which it computes and calls
nothing; no names let go of what is held. Standard library only.
"""

import ctypes
import fcntl
import json
import mmap
import os
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from tests.sandbox.channels.kernel import TOLD, called, libc

_MOST = 240
"""Things that are held at once, of most kinds: a bot may have 256 descriptors and 64 processes."""
_undo: list[Callable[[], object]] = []
"""How to let go of what is held."""
_room = ctypes.create_string_buffer(1 << 16)
_gate = os.pipe()


# --- what makes something, which can be held


def _files(*files: int) -> None:
    _undo.extend(partial(os.close, file) for file in files)


def _descriptor(name: str, *arguments: object) -> Callable[[], None]:
    return lambda: _files(called(name, *arguments))


def _pipe() -> None:
    _files(*os.pipe())


def _wide_pipe() -> None:
    ends = os.pipe()
    _files(*ends)
    fcntl.fcntl(ends[0], 1031, 1 << 20)


def _full_pipe() -> None:
    ends = os.pipe()
    _files(*ends)
    os.set_blocking(ends[1], False)
    os.write(ends[1], bytes(1 << 16))


def _pair(kind: int) -> tuple[socket.socket, socket.socket]:
    ends = socket.socketpair(socket.AF_UNIX, kind)
    _undo.extend(end.close for end in ends)
    for end in ends:
        end.settimeout(0)
    return ends


def _full_pair() -> None:
    ends = _pair(socket.SOCK_STREAM)
    for _ in range(8):
        ends[0].send(bytes(1 << 16))


def _in_flight() -> None:
    ends = _pair(socket.SOCK_STREAM)
    for _ in range(8):
        socket.send_fds(ends[0], [b"x"], [_gate[0]] * 200)


def _cookie() -> None:
    ends = _pair(socket.SOCK_STREAM)
    for option in range(90):
        with suppress(OSError):
            ends[0].getsockopt(1, option, 64)
    for option in range(90):
        with suppress(OSError):
            ends[0].setsockopt(1, option, 1)


def _memfd() -> None:
    file = called("memfd_create", ctypes.c_char_p(b"doer"), 0)
    _files(file)
    os.write(file, bytes(1 << 16))


def _terminal() -> None:
    _files(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))


def _watch_many() -> None:
    poll = select.epoll()
    _undo.append(poll.close)
    for _ in range(8):
        ends = os.pipe()
        _files(*ends)
        for end in ends:
            poll.register(end, select.EPOLLIN)


def _timer() -> None:
    made = ctypes.create_string_buffer(8)
    called("timer_create", 1, struct.pack("=QiiQQQQQQ", 0, int(signal.SIGRTMAX), 0, 0, 0, 0, 0, 0, 0), made)
    number = struct.unpack("=i", made.raw[:4])[0]
    _undo.append(lambda: called("timer_delete", number))


def _queued(name: str, *who: int) -> Callable[[], None]:
    def queue() -> None:
        called(
            name,
            *(each or os.getpid() for each in who),
            int(signal.SIGRTMAX),
            struct.pack("=iii", 64, 0, -1).ljust(128, b"\0"),
        )
        _undo.append(lambda: signal.sigtimedwait({signal.SIGRTMAX}, 0))

    return queue


def _child(does: Callable[[], object] = lambda: None) -> None:
    child = os.fork()
    if not child:
        with suppress(BaseException):
            does()
            os.close(_gate[1])
            os.read(_gate[0], 1)
        os._exit(0)

    def end() -> None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    _undo.append(end)


def _program() -> None:
    child = os.fork()
    if not child:
        os.execv("/usr/bin/true", ["true"])  # noqa: S606 - that is the deed
    os.waitpid(child, 0)


def _thread() -> None:
    ending = threading.Event()
    thread = threading.Thread(target=ending.wait)
    thread.start()
    _undo.extend((thread.join, ending.set))


def _mapping(flags: int, size: int, *, touched: bool, locked: bool = False) -> Callable[[], None]:
    def make() -> None:
        memory = mmap.mmap(-1, size, flags | mmap.MAP_ANONYMOUS)
        _undo.append(memory.close)
        if touched:
            for at in range(0, size, 4096):
                memory[at] = 1
        if locked:
            called("mlock", ctypes.addressof(ctypes.c_char.from_buffer(memory)), size)

    return make


def _library() -> None:
    file = os.open(os.path.realpath("/usr/bin/env"), os.O_RDONLY)
    try:
        memory = mmap.mmap(file, 0, mmap.MAP_SHARED, mmap.PROT_READ)
        sum(memory[at] for at in range(0, len(memory), 4096))
        _undo.append(memory.close)
    finally:
        os.close(file)


def _file() -> None:
    file, path = tempfile.mkstemp()
    _files(file)
    _undo.append(lambda: os.unlink(path))
    os.write(file, bytes(1 << 14))


def _folder() -> None:
    path = tempfile.mkdtemp()
    _undo.append(lambda: os.rmdir(path))


def _link() -> None:
    file, path = tempfile.mkstemp()
    os.close(file)
    os.link(path, f"{path}.link")
    os.symlink(path, f"{path}.symlink")
    os.rename(path, f"{path}.moved")
    _undo.extend(partial(os.unlink, f"{path}.{name}") for name in ("link", "symlink", "moved"))


def _in_shm() -> None:
    _files(os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR))


HELD: dict[str, Callable[[], object]] = {
    "pipe": _pipe,
    "write to a pipe": _full_pipe,
    "fcntl F_SETPIPE_SZ": _wide_pipe,
    "socketpair stream": lambda: _pair(socket.SOCK_STREAM),
    "socketpair seqpacket": lambda: _pair(socket.SOCK_SEQPACKET),
    "socketpair raw": lambda: _pair(socket.SOCK_RAW),
    "sendto": _full_pair,
    "sendmsg, descriptors": _in_flight,
    "getsockopt, setsockopt": _cookie,
    "eventfd2": _descriptor("eventfd2", 0, 0),
    "epoll_create1": _descriptor("epoll_create1", 0),
    "epoll_ctl": _watch_many,
    "timerfd_create": _descriptor("timerfd_create", 1, 0),
    "signalfd4": _descriptor("signalfd4", -1, struct.pack("=Q", 1 << 30), 8, 0),
    "inotify_init1": _descriptor("inotify_init1", 0),
    "memfd_create": _memfd,
    "open ptmx": _terminal,
    "open": lambda: _files(os.open("/proc/self/status", os.O_RDONLY)),
    "dup": lambda: _files(os.dup(_gate[0])),
    "open, write in scratch": _file,
    "open in /dev/shm": _in_shm,
    "mkdir": _folder,
    "link, symlink, rename": _link,
    "timer_create": _timer,
    "rt_sigqueueinfo": _queued("rt_sigqueueinfo", 0),
    "rt_tgsigqueueinfo": _queued("rt_tgsigqueueinfo", 0, 0),
    "fork": _child,
    "setsid": lambda: _child(os.setsid),
    "clone a thread": _thread,
    "mmap": _mapping(mmap.MAP_PRIVATE, 1 << 20, touched=False),
    "mmap, touched": _mapping(mmap.MAP_PRIVATE, 1 << 18, touched=True),
    "mmap shared": _mapping(mmap.MAP_SHARED, 1 << 18, touched=True),
    "mmap of a file": _library,
    "mlock": _mapping(mmap.MAP_PRIVATE, 1 << 12, touched=True, locked=True),
}
"""What makes something that lasts as long as it is held."""

_COUNTED = ("timer_create", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
"""What takes neither a descriptor nor a process."""
_OF_MEMORY = ("mmap", "mmap, touched", "mmap shared", "mmap of a file", "open, write in scratch")
_SOME = 60


def hold(name: str, times: int) -> int:
    """Do it as often as it works, up to a limit, and keep what came of it; how often it worked."""
    most = times if name in _COUNTED else min(times, _SOME if name in _OF_MEMORY else _MOST)
    done = 0
    with suppress(OSError, RuntimeError):
        while done < most:
            HELD[name]()
            done += 1
    return done


def let_go() -> None:
    """Let go of all that is held."""
    while _undo:
        with suppress(OSError):
            _undo.pop()()


# --- all other calls, with arguments of every kind


def _arguments(name: str) -> list[tuple[object, ...]]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    file = os.open("/proc/self/status", os.O_RDONLY)
    ends = [end.detach() for end in socket.socketpair()]
    for end in ends:
        os.set_blocking(end, False)
    path = ctypes.c_char_p(os.path.join(os.environ["HOME"], "x").encode())
    page = ctypes.addressof(_room) + 4095 & ~4095
    every: dict[str, list[tuple[object, ...]]] = {
        "fcntl": [
            (each, command, value)
            for each in (read, file, ends[0])
            for command in (*range(40), *range(1024, 1045))
            for value in (0, 1, _room)
        ],
        "ioctl": [(each, command, _room) for each in (read, file, ends[0]) for command in TOLD["ioctls"]],
        "prctl": [(command, value, 0, 0, 0) for command in range(80) for value in (0, 1, _room)],
        "madvise": [(page, 8192, advice) for advice in range(30)],
        "kill": [(os.getpid(), 0), (os.getpid(), int(signal.SIGCONT))],
        "tkill": [(os.getpid(), 0), (os.getpid(), int(signal.SIGCONT))],
        "tgkill": [(os.getpid(), os.getpid(), 0), (os.getpid(), os.getpid(), int(signal.SIGCONT))],
    }
    return every.get(name) or [  # what means nothing to a call is refused by it
        (read, _room, 64, 0, 0, 0),
        (write, _room, 64, 0, 0, 0),
        (file, _room, 64, 0, 0, 0),
        (ends[0], _room, 64, 0x4040, 0, 0),
        (path, _room, 64, 0, 0, 0),
        (-100, path, _room, 0, 0, 0),
        (-100, path, 0x42, 0o600, 0, 0),
        (path, 0x42, 0o600, 0, 0, 0),
        (_room, _room, _room, _room, 0, 0),
        (0, _room, _room, 0, 0, 0),
        (1, 1, 0, _room, 0, 0),
        (page, 4096, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 0),
        (read, 0, ends[1], 0, 64, 0),
        (read, write, 64, 2, 0, 0),
    ]


def often(name: str, times: int) -> None:
    """Do a call again and again in a child, which ends when it is stuck or when the call ends it."""
    let_go()
    child = os.fork()
    if not child:
        for number in range(3):
            os.dup2(_gate[0], number)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        number = TOLD["numbers"][name]
        if name in ("fork", "vfork", "clone", "clone3", "exit", "exit_group", "wait4", "waitid"):
            for _ in range(times // 4):
                each = os.fork()
                if not each:
                    os._exit(0)
                os.waitpid(each, 0)
        elif name in ("execve", "execveat"):
            for _ in range(30):
                _program()
        else:
            words = [
                [ctypes.c_long(each) if isinstance(each, int) else each for each in some] for some in _arguments(name)
            ]
            while times > 0:
                for some in words:
                    libc.syscall(ctypes.c_long(number), *some)
                    times -= 1
        os._exit(0)
    os.waitpid(child, 0)


def made_and_let_go(name: str, times: int) -> None:
    """Make something and let it go at once, again and again."""
    with suppress(OSError, RuntimeError):
        for _ in range(times if name not in ("fork", "setsid", "clone a thread") else times // 3):
            HELD[name]()
            let_go()


def main() -> None:
    """Answer each line when it is done."""
    # queued signals wait for ever, in all threads to come
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMAX})
    for line in sys.stdin:
        told = json.loads(line)
        began, done = time.monotonic(), {}
        if "spin" in told:
            while time.monotonic() < began + told["spin"]:
                pass
        elif not told["do"]:
            let_go()
        for name in told.get("do", ()):
            if told.get("hold"):
                done[name] = hold(name, told["times"])
            elif name in HELD:
                made_and_let_go(name, told["times"])
            else:
                often(name, told["times"])
        sys.stdout.write(json.dumps({"seconds": time.monotonic() - began, "done": done, "held": sorted(HELD)}) + "\n")
        sys.stdout.flush()
