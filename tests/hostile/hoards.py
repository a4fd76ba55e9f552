"""A bot that takes memory which its limit of data does not count, 400 MiB of it at most: ``python hoards.py WAY``."""

import ctypes
import json
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

MIB = 1 << 20
MOST = 400 * MIB
WAYS: dict[str, Callable[[], object]] = {}
_FILE = 14 * MIB
_TABLE = mmap.PAGESIZE**2 // 8
"""Bytes that a table of one page covers."""
_NORESERVE = 0x4000
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_size_t
_kept: list[object] = []


def _way(take: Callable[[], object]) -> Callable[[], object]:
    WAYS[take.__name__.replace("_", "-")] = take
    return take


def _read_by_table(size: int, flags: int, file: int = -1) -> None:
    """Map something and read one byte for each table; not by ``mmap``, which would copy the descriptor."""
    at = _libc.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, flags, file, ctypes.c_long(0))
    for place in range(at, at + size, _TABLE):
        ctypes.string_at(place, 1)


def _touch(room: "mmap.mmap | bytearray") -> None:
    for at in range(0, len(room), mmap.PAGESIZE):
        room[at] = 1


def _take_data() -> None:
    room = bytearray(_FILE)
    _kept.append(room)
    _touch(room)


def _in_children(count: int, take: Callable[[], object]) -> None:
    """Have children take something, and wait until all have and keep it."""
    done, ready = os.pipe()
    for _ in range(count):
        if os.fork() == 0:
            take()
            os.write(ready, b"!")
            while True:
                signal.pause()
    for _ in range(count):
        os.read(done, 1)


@_way
def tables() -> None:
    """Page tables of an empty space, of which one byte in each table is read."""
    size = MOST // mmap.PAGESIZE * _TABLE
    _read_by_table(size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE)


@_way
def tables_of_a_file() -> None:
    """Page tables of one sparse file that is mapped again and again."""
    file = os.open(f"{os.environ['TMPDIR']}/sparse", os.O_RDWR | os.O_CREAT, 0o600)
    os.truncate(file, _FILE)
    for _ in range(MOST // mmap.PAGESIZE // (max(1, _FILE // _TABLE))):
        _read_by_table(_FILE, mmap.MAP_SHARED, file)


@_way
def sockets() -> None:
    """What waits in sockets, in several processes."""
    _in_children(8, lambda: _fill(socket.socketpair() for _ in range(110)))


@_way
def pipes() -> None:
    """What waits in pipes, in many processes."""
    _in_children(20, lambda: _fill(os.pipe()[::-1] for _ in range(110)))


def _fill(pairs: Iterable[tuple[object, object]]) -> None:
    for pair in pairs:
        _kept.append(pair)
        for end in pair:
            number = end if isinstance(end, int) else end.fileno()  # type: ignore[attr-defined]  # of a socket
            os.set_blocking(number, False)
            with suppress(OSError):
                while True:
                    os.write(number, bytes(4096))


@_way
def copies() -> None:
    """Data of several processes, each within its limit."""
    _in_children(16, _take_data)


@_way
def hidden_copies() -> None:
    """The same of processes that nobody but root may look at."""
    set_dumpable = 4
    _libc.prctl(set_dumpable, 0, 0, 0, 0)
    copies()


@_way
def one_copy() -> None:
    """Data of one process that its children have, too, and do not change: no sin."""
    _take_data()
    _in_children(16, lambda: None)


def main() -> None:
    """Play; at the first question take the memory."""
    take = WAYS[sys.argv[1]]
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type":"ready"}', flush=True)  # noqa: T201 - a bot speaks so
        elif message["type"] == "decide":
            if not _kept:
                take()
                _kept.append(None)
                time.sleep(3)
            picks = list(range(message["least"]))
            print(json.dumps({"type": "choose", "id": message["id"], "picks": picks}), flush=True)  # noqa: T201 - likewise


if __name__ == "__main__":
    main()
