"""The channels by which a bot may carry a note from one of its processes to the next, as ``bot.py`` tries them."""

import ctypes
import fcntl
import os
import platform
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

PAGE = 4096
STRIDE = 8 * PAGE
"""Bytes between two bits in a file: what is read ahead of one bit must not touch the next."""
_NOWAIT = 8
_COLUMN = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)
_NUMBERS = {
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "semget": (64, 190), "semctl": (66, 191), "semop": (65, 193),
    "shmget": (29, 194), "shmat": (30, 196), "shmdt": (67, 197),
    "mq_open": (240, 180), "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183),
    "cachestat": (451, 451), "preadv2": (327, 286), "fadvise": (221, 223), "mincore": (27, 232),
}  # fmt: skip
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)


class Channel(NamedTuple):
    """How a note is left at a place, and read there: the place, and the bits or how many of them are wanted."""

    leave: Callable[[str, Sequence[int]], object]
    read: Callable[[str, int], list[int]]


def call(name: str, *arguments: object) -> int:
    """What a system call returned."""
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = int(_libc.syscall(ctypes.c_long(_NUMBERS[name][_COLUMN]), *words))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


# --- the page cache: a bit is whether a page is there


def _shed(file: int) -> None:
    """Have the pages of a file forgotten, and none of them read ahead."""
    dont_need, at_random = 4, 1
    with suppress(OSError):
        call("fadvise", file, 0, 0, dont_need)
    with suppress(OSError):
        call("fadvise", file, 0, 0, at_random)


def _touch(path: str, bits: Sequence[int]) -> None:
    file = os.open(path, os.O_RDONLY)
    _shed(file)
    for number, bit in enumerate(bits):
        if bit:
            os.pread(file, 1, number * STRIDE)
    os.close(file)


def _each(path: str, count: int, is_there: Callable[[int, int], bool]) -> list[int]:
    file = os.open(path, os.O_RDONLY)
    with suppress(OSError):
        call("fadvise", file, 0, 0, 1)
    try:
        return [int(is_there(file, number * STRIDE)) for number in range(count)]
    finally:
        os.close(file)


class _Span(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("length", ctypes.c_size_t))


def _at_once(file: int, at: int) -> bool:
    """Whether a page can be read without waiting for the disk (RWF_NOWAIT)."""
    room = ctypes.create_string_buffer(1)
    span = _Span(ctypes.addressof(room), 1)
    try:
        call("preadv2", file, ctypes.byref(span), 1, at, 0, _NOWAIT)
    except BlockingIOError:
        return False
    return True


def _counted(file: int, at: int) -> bool:
    """Whether a page is there, by cachestat(2)."""
    found = ctypes.create_string_buffer(40)
    call("cachestat", file, struct.pack("=QQ", at, PAGE), found, 0)
    return any(found.raw[:8])


def _mapped(file: int, at: int) -> bool:
    """Whether a page is there, by mincore(2)."""
    readable, shared = 1, 1
    address = _libc.mmap(None, PAGE, readable, shared, file, at)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mmap")
    found = ctypes.create_string_buffer(1)
    try:
        call("mincore", ctypes.c_void_p(address), PAGE, found)
    finally:
        _libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(PAGE))
    return bool(found.raw[0] & 1)


def by_time(path: str, count: int) -> list[int]:
    """A page that is there is read in less than 20 microseconds."""

    def is_there(file: int, at: int) -> bool:
        began = time.perf_counter_ns()
        os.pread(file, 1, at)
        return time.perf_counter_ns() - began < 20_000

    return _each(path, count, is_there)


def _by_faults(path: str, count: int) -> list[int]:
    """A page that is there costs no fault that waits for the disk (proc_pid_stat(5), field 12)."""

    def waits() -> int:
        with open("/proc/self/stat", "rb") as told:  # noqa: PTH123 - a bot may be old-fashioned
            return int(told.read().rpartition(b")")[2].split()[9])

    def is_there(file: int, at: int) -> bool:
        before = waits()
        address = _libc.mmap(None, PAGE, 1, 1, file, at)
        at_random = 1
        _libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), at_random)
        ctypes.string_at(address, 1)
        _libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(PAGE))
        return waits() == before

    return _each(path, count, is_there)


# --- times of files: a bit is whether a file has been read


def _files(place: str, count: int) -> list[str]:
    return [f"{place}/{number:03}" for number in range(count)]


def _read_some(place: str, bits: Sequence[int]) -> None:
    for path, bit in zip(_files(place, len(bits)), bits, strict=True):
        if bit:
            file = os.open(path, os.O_RDONLY)
            os.read(file, 1)
            os.close(file)


def _were_read(place: str, count: int) -> list[int]:
    # the house has set both times to the same
    return [int(found.st_atime_ns != found.st_mtime_ns) for found in map(os.stat, _files(place, count))]


# --- System V and POSIX: a bit is a bit


def _packed(bits: Sequence[int]) -> bytes:
    return bytes(sum(bit << place for place, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8))


def _unpacked(data: bytes, count: int) -> list[int]:
    return [data[number // 8] >> number % 8 & 1 for number in range(count)]


def _send(place: str, bits: Sequence[int]) -> None:
    data = _packed(bits)
    call("msgsnd", int(place), struct.pack("=q", 1) + data, len(data), 0o4000)


def _receive(place: str, count: int) -> list[int]:
    room = ctypes.create_string_buffer(8 + 4096)
    call("msgrcv", int(place), room, 4096, 0, 0o4000)
    return _unpacked(room.raw[8:], count)


def _attached(place: str) -> int:
    _libc.syscall.restype = ctypes.c_long
    return call("shmat", int(place), 0, 0)


def _put(place: str, bits: Sequence[int]) -> None:
    data = _packed(bits)
    ctypes.memmove(_attached(place), data, len(data))


def _got(place: str, count: int) -> list[int]:
    return _unpacked(ctypes.string_at(_attached(place), count // 8 + 1), count)


def _set(place: str, bits: Sequence[int]) -> None:
    set_all = 17
    call("semctl", int(place), 0, set_all, struct.pack(f"={len(bits)}H", *bits))


def _gotten(place: str, count: int) -> list[int]:
    get_all = 13
    room = ctypes.create_string_buffer(2 * count)
    call("semctl", int(place), 0, get_all, room)
    return list(struct.unpack(f"={count}H", room.raw))


def _mail(place: str, bits: Sequence[int]) -> None:
    data = _packed(bits)
    call("mq_timedsend", call("mq_open", place.encode(), os.O_WRONLY, 0, None), data, len(data), 0, None)


def _post(place: str, count: int) -> list[int]:
    room = ctypes.create_string_buffer(8192)
    queue = call("mq_open", place.encode(), os.O_RDONLY | os.O_NONBLOCK, 0, None)
    call("mq_timedreceive", queue, room, 8192, None, None)
    return _unpacked(room.raw, count)


# --- what the kernel counts for all: a bit is one of the low bits of a counter


def _pipe() -> int:
    """The number of a pipe's inode, which the kernel counts up for all on this core."""
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


def _count_to(bits: Sequence[int], shift: int, reading: Callable[[], int]) -> None:
    wanted = sum(bit << place for place, bit in enumerate(bits))
    while reading() >> shift & (1 << len(bits)) - 1 != wanted:
        pass


def _counter(count: int, shift: int, reading: Callable[[], int]) -> list[int]:
    number = reading() >> shift
    return [number >> place & 1 for place in range(count)]


def _process() -> int:
    """The number of a new process."""
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    return child


def _handle() -> int:
    """The number of the inode of this process's handle (pidfd), which the kernel counts up for all processes."""
    child = os.fork()
    if not child:
        time.sleep(60)
        os._exit(0)
    try:
        handle = os.pidfd_open(child)
        number = os.fstat(handle).st_ino
        os.close(handle)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    return number


def _leases(path: str, bits: Sequence[int]) -> None:
    """Lock the bytes of a file; who ends lets go, unless a child stays."""
    file = os.open(path, os.O_RDONLY)
    for number, bit in enumerate(bits):
        if bit:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, number)


CHANNELS: dict[str, Channel] = {
    "pages, by RWF_NOWAIT": Channel(_touch, lambda path, count: _each(path, count, _at_once)),
    "pages, by cachestat": Channel(_touch, lambda path, count: _each(path, count, _counted)),
    "pages, by mincore": Channel(_touch, lambda path, count: _each(path, count, _mapped)),
    "pages, by time": Channel(_touch, by_time),
    "pages, by faults": Channel(_touch, _by_faults),
    "times of files": Channel(_read_some, _were_read),
    "System V queue": Channel(_send, _receive),
    "System V memory": Channel(_put, _got),
    "System V semaphores": Channel(_set, _gotten),
    "POSIX queue": Channel(_mail, _post),
    # the low bits are lost to what the house itself does between two of a bot's processes
    "numbers of pipes": Channel(
        lambda _, bits: _count_to(bits, 10, _pipe), lambda _, count: _counter(count, 10, _pipe)
    ),
    "numbers of processes": Channel(
        lambda _, bits: _count_to(bits, 6, _process), lambda _, count: _counter(count, 6, _process)
    ),
    "numbers of process handles": Channel(
        lambda _, bits: _count_to(bits, 6, _handle), lambda _, count: _counter(count, 6, _handle)
    ),
}
"""What is tried, in plain words."""


def note(told: dict[str, Any]) -> dict[str, Any]:
    """Leave the note ``bits`` by a channel, or read ``count`` bits: what came of it."""
    channel = CHANNELS[told["channel"]]
    try:
        if "bits" in told:
            channel.leave(told["place"], told["bits"])
            return {"left": True}
        return {"read": channel.read(told["place"], told["count"])}
    except OSError as error:
        return {"refused": type(error).__name__, "number": error.errno}
