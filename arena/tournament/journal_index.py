"""The index of a journal, for resuming a run: which matches are recorded, which are void, which bots were retired.

It takes eight bytes a match, so there may be millions. That of a long journal is kept in the user's cache, so that the
journal need not be read record by record. It is used only if the journal still begins with the bytes that it was made
from, by their SHA-256. A results folder holds no such file, so arena never uses one that a stranger made.

What an interrupted write left at the end of a journal is moved to a file beside it.
"""

import os
import re
from array import array
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import Struct, field

from arena.files import decoder, opened
from arena.record import MatchId, decode_outcome
from arena.tournament import cache

if TYPE_CHECKING:
    from hashlib import _Hash as HASH

    Numbers = array[int]
else:
    # before Python 3.12 an array says nothing of its items
    Numbers = array

VOID = b'"reason":"void"'
"""How a line tells that it is void; within a text the quotation marks would be escaped."""
FEWEST = 20_000
"""Shorter journals, in records, are read as fast as a stored index."""
_FAULTS, _RETIRED = b'"faults":[', b'"retired":['
_PLACE = re.compile(rb'\{"seq":[0-9]+,"id":"e(0|[1-9][0-9]{0,3})b(0|[1-9][0-9]{0,9})r(0|[1-9][0-9]?)"')
_BLOCK, _ROTATION = 40, 8
"""Bits of a block's number, and of a rotation."""
_READ = 1 << 22


class _RecordId(Struct):
    id: MatchId


id_of = decoder(_RecordId)


class JournalIndex(Struct):
    """What is known of the records of a journal, in the order in which they were written."""

    places: Numbers = field(default_factory=lambda: array("Q"))
    """Epoch, block and rotation of each."""
    known: bool = True
    """Whether each record could be read; else nothing here counts."""
    faults: int = 0
    retired: dict[str, frozenset[str]] = {}
    """For each match in which entrants were retired, their names."""
    voids: dict[str, int] = {}
    """By id of a match, how often it was recorded void."""
    standing: set[str] = set()
    """The ids of the matches that are void, with no later record."""

    def add(self, lines: Iterable[bytes]) -> None:
        """Take in the next records, as their lines."""
        for line in lines:
            place = _PLACE.match(line)
            if place is None:
                self.known = False
                return
            epoch, block, rotation = map(int, place.groups())
            self.places.append((epoch << _BLOCK | block) << _ROTATION | rotation)
            if _FAULTS in line or _RETIRED in line or VOID in line:
                self._add_unusual(line)
            elif self.standing:
                self.standing.discard(f"e{epoch}b{block}r{rotation}")

    def _add_unusual(self, line: bytes) -> None:
        try:
            outcome = decode_outcome(line)
        except msgspec.DecodeError:
            self.known = False
            return
        if outcome.reason == "void":
            self.voids[outcome.id] = self.voids.get(outcome.id, 0) + 1
            self.standing.add(outcome.id)
            return
        self.standing.discard(outcome.id)
        self.faults += len(outcome.faults)
        if outcome.retired:
            self.retired[outcome.id] = frozenset(outcome.bots[seat] for seat in outcome.retired)

    def matches(self) -> Iterator[tuple[int, int, int]]:
        """Epoch, block and rotation of each record."""
        epochs, blocks, rotations = _BLOCK + _ROTATION, (1 << _BLOCK) - 1, (1 << _ROTATION) - 1
        return ((place >> epochs, place >> _ROTATION & blocks, place & rotations) for place in self.places)

    def unsettled(self, sessions: int) -> frozenset[str]:
        """The ids of the void matches that were void in fewer sessions than these."""
        return frozenset(match for match in self.standing if self.voids[match] < sessions)


class StoredIndex(Struct, frozen=True, kw_only=True):
    """The index of the first ``count`` records, which end at byte ``end``."""

    count: int
    end: int
    sha256: bytes
    """Of the journal up to there."""
    index: JournalIndex


_encode = msgspec.msgpack.Encoder(enc_hook=array.tobytes).encode
_decode = msgspec.msgpack.Decoder(StoredIndex, dec_hook=lambda _, data: array("Q", data)).decode


def store(path: Path, digest: bytes, index: JournalIndex, *, count: int, end: int) -> None:
    """Store the index of a journal, by the SHA-256 of its bytes; nothing happens if the cache cannot be written."""
    if count >= FEWEST and index.known:
        cache.store(_name(path), _encode(StoredIndex(count=count, end=end, sha256=digest, index=index)))


def load(path: Path, fd: int) -> "tuple[StoredIndex, HASH] | None":
    """The index of a journal, if it still begins with the same bytes, and their hash, to be continued; else None."""
    size = os.fstat(fd).st_size
    # the index of a journal is shorter than the journal
    data = cache.load(_name(path), most=size) if size >= FEWEST else None
    if data is None:
        return None
    try:
        stored = _decode(data)
    except msgspec.DecodeError:
        return None
    if not (stored.count > 0 < stored.end <= size and len(stored.index.places) == stored.count):
        return None
    digest, offset = sha256(), 0
    while offset < stored.end and (data := os.pread(fd, min(_READ, stored.end - offset), offset)):
        digest.update(data)
        offset += len(data)
    return (stored, digest) if digest.digest() == stored.sha256 else None


def _name(path: Path) -> str:
    return f"journals/{sha256(os.fsencode(path.resolve())).hexdigest()}"


_PIECE = 1 << 20


class System(Protocol):
    """The part of ``os`` that changes a file, so that a test can let each of its calls fail."""

    def write(self, fd: int, data: bytes, /) -> int: ...  # noqa: D102 - as in os
    def fdatasync(self, fd: int, /) -> None: ...  # noqa: D102 - as in os
    def fsync(self, fd: int, /) -> None: ...  # noqa: D102 - as in os
    def ftruncate(self, fd: int, length: int, /) -> None: ...  # noqa: D102 - as in os


def sync_folder(path: Path, system: System) -> None:
    """Sync the folder, so that the file's name survives a power loss."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        system.fsync(folder)
    finally:
        os.close(folder)


def set_aside(path: Path, fd: int, *, end: int, system: System) -> None:
    """Move what follows ``end`` to the torn file. It is on the disk there before it is cut off here."""
    torn = opened(path.parent, path.with_suffix(".torn").name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode=0o644)
    start = end
    try:
        while piece := os.pread(fd, _PIECE, start):
            start += len(piece)
            while piece:
                piece = piece[system.write(torn, piece) :]
        system.fsync(torn)
    finally:
        os.close(torn)
    sync_folder(path, system)
    system.ftruncate(fd, end)
    system.fsync(fd)
