"""What a bot reads of each kind of descriptor that it can make, and how many it can have."""

import ctypes
import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from tests.sandbox.channels.kernel import Reading, call, called

_SHARE = 1 << 16
_NUMBER = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|-?\d+(?:\.\d+)?")
_FIELDS = "dev ino nlink size blocks blksize mode uid gid rdev atime_ns mtime_ns ctime_ns"
_GETTERS = (1, 3, 9, 11, 16, 17, 1025, 1028, 1032, 1034, 1035, 1037)
_IOCTLS = (
    *(1, 2, 0x5401, 0x540F, 0x5411, 0x5413, 0x541B, 0x5421, 0x5429, 0x5452, 0x5460),
    *(0x80045430, 0x80045432, 0x80086601, 0x80087601, 0xB701, 0xB703, 0xB704),
)
"""Readers: block size, terminals, bytes that wait, sizes, numbers of a terminal, flags, versions, namespaces."""
_PEER_HANDLE, _SET_PIPE_SIZE = 77, 1031


def tokens(what: str, text: str) -> Iterator[tuple[str, float | str]]:
    """The numbers of a text by line and place, and the text without them."""
    seen: dict[str, int] = {}
    for line in text.splitlines():
        head = _NUMBER.sub("", re.split(r"[\s:=]", line.strip(), maxsplit=1)[0])
        at = seen[head] = seen.get(head, -1) + 1
        for place, number in enumerate(_NUMBER.findall(line)):
            value = float(number) if number.lstrip("-").replace(".", "", 1).isdigit() else float(int(number, 16))
            yield f"{what}|{head}.{at}.{place}", value
    yield f"{what}|", _NUMBER.sub("0", text)


def content(path: str) -> str | None:
    """What a file says, an error in words, or nothing where it may not be opened."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        return None if error.errno in (2, 13, 1) else f"errno {error.errno}"
    try:
        text = b"".join(iter(lambda: os.read(file, _SHARE), b"")) if "smaps" in path else os.read(file, _SHARE)
        return text.decode("utf-8", "replace")
    except OSError as error:
        return f"errno {error.errno}"
    finally:
        os.close(file)


def status(what: str, target: int | str, found: Reading) -> None:
    """What stat(2) tells of a file."""
    try:
        told = os.stat(target, follow_symlinks=False) if isinstance(target, str) else os.fstat(target)
    except OSError as error:
        found[f"{what}.stat"] = f"errno {error.errno}"
        return
    for field in _FIELDS.split():
        found[f"{what}.st_{field}"] = getattr(told, f"st_{field}")


def _statx(what: str, file: int, found: Reading) -> None:
    room = ctypes.create_string_buffer(256)
    for mask in (0x1000, 0x4000):
        if call("statx", file, ctypes.c_char_p(b""), 0x1000, 0xFFF | mask, room) == 0:
            found[f"{what}.stx_mnt_id.{mask:x}"] = struct.unpack_from("=Q", room.raw, 0x90)[0]
            found[f"{what}.stx_attributes"] = struct.unpack_from("=Q", room.raw, 8)[0]
            found[f"{what}.stx_rest.{mask:x}"] = room.raw[0x98:].hex()


# --- descriptors of each kind


def _pair(kind: int) -> Callable[[], list[int]]:
    return lambda: [end.detach() for end in socket.socketpair(socket.AF_UNIX, kind)]


def _made(name: str, *arguments: object) -> Callable[[], list[int]]:
    return lambda: [called(name, *arguments)]


def _on_disk() -> list[int]:
    file, path = tempfile.mkstemp()
    os.unlink(path)
    return [file]


def _folder() -> list[int]:
    path = tempfile.mkdtemp()
    try:
        return [os.open(path, os.O_RDONLY)]
    finally:
        os.rmdir(path)


def _watching() -> list[int]:
    files = list(os.pipe())
    try:
        with select.epoll() as poll:
            poll.register(files[0], select.EPOLLIN)
            files.insert(0, os.dup(poll.fileno()))
    except OSError:
        _close(files)
        raise
    return files


_MASK = struct.pack("=Q", 1 << 30)
KINDS: dict[str, Callable[[], list[int]]] = {
    "pipe": lambda: list(os.pipe()),
    "socketpair stream": _pair(socket.SOCK_STREAM),
    "socketpair seqpacket": _pair(socket.SOCK_SEQPACKET),
    "socketpair datagram": _pair(socket.SOCK_DGRAM),
    "socketpair raw": _pair(socket.SOCK_RAW),
    "eventfd": _made("eventfd2", 0, 0),
    "timerfd": _made("timerfd_create", 1, 0),
    "signalfd": _made("signalfd4", -1, _MASK, 8, 0),
    "memfd": _made("memfd_create", ctypes.c_char_p(b"walker"), 0),
    "inotify": _made("inotify_init1", 0),
    "pidfd": _made("pidfd_open", os.getpid(), 0),
    "fanotify": _made("fanotify_init", 0, 0),
    "epoll": _watching,
    "terminal": lambda: list(pty.openpty()),
    "file": _on_disk,
    "folder": _folder,
    "file in /dev/shm": lambda: [os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR)],
    "file in /proc": lambda: [os.open("/proc/self/status", os.O_RDONLY)],
    "null": lambda: [os.open("/dev/null", os.O_RDONLY)],
    "stdin": lambda: [os.dup(0)],
    "stdout": lambda: [os.dup(1)],
    "stderr": lambda: [os.dup(2)],
}
_levels: list[int] = []


def _options(what: str, end: int, found: Reading) -> None:
    room, size = ctypes.create_string_buffer(256), ctypes.c_uint(0)
    if not _levels:
        # a level that tells nothing by its first options is asked for no more of them
        _levels.append(1)
        for level in range(256):
            for option in range(16):
                size.value = 256
                if level != 1 and call("getsockopt", end, level, option, room, ctypes.byref(size)) >= 0:
                    _levels.append(level)
                    break
    for level in _levels:
        for option in range(256):
            size.value = 256
            ctypes.memset(room, 0, 256)
            if call("getsockopt", end, level, option, room, ctypes.byref(size)) >= 0:
                data = room.raw[: min(size.value, 256)]
                if len(data) in (4, 8):
                    number = int.from_bytes(data, "little")
                    found[f"{what}.getsockopt {level} {option}"] = number
                    if option == _PEER_HANDLE:
                        # a handle of a process
                        status(f"{what}.peerpidfd", number, found)
                        os.close(number)
                else:
                    for at in range(0, len(data) - 3, 4):
                        found[f"{what}.getsockopt {level} {option}.{at}"] = int.from_bytes(data[at : at + 4], "little")


def _descriptor(what: str, file: int, found: Reading) -> None:
    status(what, file, found)
    _statx(what, file, found)
    with suppress(OSError):
        found[f"{what}.link"] = os.readlink(f"/proc/self/fd/{file}")
    told = content(f"/proc/self/fdinfo/{file}")
    found.update(tokens(f"{what}.fdinfo", told or ""))
    for command in _GETTERS:
        room = ctypes.create_string_buffer(64)
        result = call("fcntl", file, command, room)
        if result >= 0:
            found[f"{what}.fcntl {command}"] = result
            found[f"{what}.fcntl {command}.out"] = room.raw[:16].hex()
    for command in _IOCTLS:
        room = ctypes.create_string_buffer(256)
        result = call("ioctl", file, command, room)
        if result >= 0:
            found[f"{what}.ioctl {command:x}"] = room.raw[:64].hex()
    if what.startswith("socketpair"):
        _options(what, file, found)
        for name in ("getsockname", "getpeername"):
            room, size = ctypes.create_string_buffer(128), ctypes.c_uint(128)
            if call(name, file, room, ctypes.byref(size)) >= 0:
                found[f"{what}.{name}"] = room.raw[: size.value].hex()


def descriptors(found: Reading) -> None:
    """Make one of each kind and read it."""
    for what, make in KINDS.items():
        try:
            files = make()
        except OSError as error:
            found[f"{what}.make"] = f"errno {error.errno}"
            continue
        for number, file in enumerate(files):
            _descriptor(what if number == 0 else f"{what} {number}", file, found)
        for file in files:
            os.close(file)


# --- how much can be had


def _count(make: Callable[[], Any], most: int, undo: Callable[[Any], object]) -> int:
    had: list[Any] = []
    try:
        while len(had) < most:
            had.append(make())
    except OSError:
        pass
    finally:
        for each in had:
            undo(each)
    return len(had)


def _wide_pipe() -> tuple[int, int]:
    ends = os.pipe()
    try:
        fcntl.fcntl(ends[0], _SET_PIPE_SIZE, 1 << 20)
    except OSError:
        for end in ends:
            os.close(end)
        raise
    return ends


def _on_its_way() -> list[int]:
    files = _pair(socket.SOCK_STREAM)()
    try:
        with socket.socket(fileno=os.dup(files[0])) as end:
            socket.send_fds(end, [b"x"], [0])
    except OSError:
        _close(files)
        raise
    return files


def _close(files: Any) -> None:
    for file in files:
        os.close(file)


def _sleeper(gate: tuple[int, int]) -> int:
    child = os.fork()
    if not child:
        os.close(gate[1])
        os.read(gate[0], 1)
        os._exit(0)
    return child


def _queued() -> None:
    code = struct.pack("=iii", 64, 0, -1).ljust(128, b"\0")
    called("rt_sigqueueinfo", os.getpid(), int(signal.SIGRTMAX), code)


def room(found: Reading) -> None:
    """How many of each kind can be had at once, and a little of other things."""
    for what in ("inotify", "terminal", "socketpair stream", "pipe", "eventfd", "memfd", "timerfd", "epoll"):
        found[f"room for {what}"] = _count(KINDS[what], 240, _close)
    found["room for descriptors on their way"] = _count(_on_its_way, 1, _close)
    found["room for wide pipes"] = _count(_wide_pipe, 110, _close)
    gate = os.pipe()
    children: list[int] = []
    found["room for processes"] = _count(lambda: children.append(_sleeper(gate)), 80, lambda _: None)
    _close(gate)
    for child in children:
        os.waitpid(child, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMAX})
    ids = ctypes.create_string_buffer(8)

    def timer() -> int:
        called("timer_create", 1, struct.pack("=QiiQQQQQQ", 0, int(signal.SIGRTMAX), 0, 0, 0, 0, 0, 0, 0), ids)
        return int(struct.unpack("=i", ids.raw[:4])[0])

    found["room for timers"] = _count(timer, 8, lambda made: call("timer_delete", made))
    found["room for queued signals"] = _count(_queued, 8, lambda _: signal.sigtimedwait({signal.SIGRTMAX}, 0))
