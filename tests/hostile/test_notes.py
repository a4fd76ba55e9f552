"""Notes: what one process of a bot leaves, the next one must not find, or it would know every card of the same deal."""

import ctypes
import errno
import json
import os
import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import notes
from tests.hostile.house import IN_TIME, House, at

BITS = 480
"""60 bytes."""
BY_CHANCE = 0.6
"""At most this share of bits is right by chance: 0.6 of 480 is 4.4 standard deviations from a half."""
_CREATE, _REMOVE, _OPEN = 0o1000, 0, 0o666
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Place:
    """Where a note would be left."""

    channel: str
    at: str
    bits: int = BITS


@contextmanager
def pages(channel: str, folder: Path) -> Iterator[Place]:
    """A file of the bot's own with a page for each bit."""
    path = folder / "pages"
    path.write_bytes(os.urandom(notes.STRIDE) * BITS)
    with path.open("rb") as file:
        # what is not on the disk yet cannot be forgotten
        os.fsync(file.fileno())
    yield Place(channel, path.name)


@contextmanager
def files(channel: str, folder: Path) -> Iterator[Place]:
    """A file of the bot's own for each bit."""
    for number in range(BITS):
        path = folder / f"{number:03}"
        path.write_text("x", "ascii")
        os.utime(path, (1_600_000_000, 1_600_000_000))
    yield Place(channel, ".")


@contextmanager
def system_v(channel: str, _folder: Path) -> Iterator[Place]:
    """A queue, segment or set that somebody else on this machine has left open to all."""
    kind = {"queue": "msg", "memory": "shm", "semaphores": "sem"}[channel.rpartition(" ")[2]]
    more = {"msg": (), "shm": (ctypes.c_size_t(4096),), "sem": (BITS,)}[kind]
    found = getattr(_libc, f"{kind}get")(1 + secrets.randbelow(1 << 30), *more, _CREATE | _OPEN)
    if found < 0:
        pytest.skip("expected System V's means of communication, got none of them")
    try:
        yield Place(channel, str(found))
    finally:
        getattr(_libc, f"{kind}ctl")(found, *((0,) if kind == "sem" else ()), _REMOVE, None)


@contextmanager
def posix(channel: str, _folder: Path) -> Iterator[Place]:
    """A message queue that somebody else on this machine has left open to all."""
    name = f"arena-{secrets.token_hex(8)}"
    try:
        queue = notes.call("mq_open", name.encode(), os.O_CREAT | os.O_RDWR, _OPEN, None)
    except OSError:
        pytest.skip("expected message queues, got none")
    os.fchmod(queue, _OPEN)
    os.close(queue)
    try:
        yield Place(channel, name)
    finally:
        _libc.syscall(ctypes.c_long((241, 181)[notes._COLUMN]), name.encode())


PLACES: dict[str, Callable[[str, Path], Any]] = {
    **{name: pages for name in notes.CHANNELS if name.startswith("pages")},
    "times of files": files,
    **{name: system_v for name in notes.CHANNELS if name.startswith("System V")},
    "POSIX queue": posix,
}


def carried(house: House, place: Place) -> float:
    """The share of the bits of a note that the bot's second process has right; half of them where it is refused."""
    dice = random.Random(place.channel)
    bits = [dice.getrandbits(1) for _ in range(place.bits)]
    told = {"channel": place.channel, "place": place.at}
    with house.visit("--sin", "note", "--at", "0", fresh=True) as guest:
        for more in ({"bits": bits}, {"count": place.bits}):
            assert guest.match(move=IN_TIME, padding=json.dumps({**told, **more})).faults == ()
    came = json.loads(guest.errors[1])
    if "refused" in came:
        return 0.5
    share: float = sum(a == b for a, b in zip(came["read"], bits, strict=True)) / place.bits
    # who has every bit wrong knows as much
    return max(share, 1 - share)


@at("landlock", "bwrap", of=("landlock", "bwrap"))
@pytest.mark.parametrize("channel", PLACES)
def test_no_note(house: House, channel: str) -> None:
    """In a sandbox the second process of a bot reads nothing of what the first one left."""
    with PLACES[channel](channel, house.folder("sinner")) as place:
        assert carried(house, place) < BY_CHANCE


@pytest.mark.proof
@at("none", of=("none",))
@pytest.mark.parametrize("channel", PLACES)
def test_the_channels_are_there(house: House, channel: str) -> None:
    """Without a sandbox each of these channels carries a note: what a sandbox refuses is there to be had."""
    with PLACES[channel](channel, house.folder("sinner")) as place:
        assert carried(house, place) > BY_CHANCE


def told(house: House, channel: str, *does: dict[str, object]) -> list[dict[str, Any]]:
    """What came of a channel in one process of the bot after the other."""
    with house.visit("--sin", "note", "--at", "0", fresh=True) as guest:
        for more in does:
            padding = json.dumps({"channel": channel, "place": "", **more})
            assert guest.match(move=IN_TIME, padding=padding).faults == ()
    return [json.loads(text) for text in guest.errors]


@pytest.mark.long
@at("bwrap", of=("bwrap",))
def test_numbers_of_processes_begin_anew(house: House) -> None:
    """Within namespaces a bot's processes are counted from one again, however many its earlier ones had started."""
    read: dict[str, object] = {"count": 10}
    before, left, after = told(house, "numbers of processes", read, {"bits": [1, 1]}, read)
    assert left == {"left": True}
    assert before == after == {"read": [0] * 10}


@at("landlock", "bwrap", of=("landlock", "bwrap"))
def test_no_handle_of_a_process(house: House) -> None:
    """In a sandbox no bot gets a handle of a process, whose number counts the processes of the whole machine."""
    (came,) = told(house, "numbers of process handles", {"count": 10})
    assert came == {"refused": "PermissionError", "number": errno.EPERM}
