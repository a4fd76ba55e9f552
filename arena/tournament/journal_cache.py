"""Summaries of long journals in the user's cache, so that a journal need not be read record by record.

A summary is used only if the journal still begins with the bytes that it was made from, by their SHA-256. A results
folder holds no such file, so arena never uses one that a stranger made.
"""

import os
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.tournament import cache
from arena.tournament.past import Past

FEWEST = 20_000
"""Shorter journals, in records, are read as fast."""
_PIECE = 1 << 22


class CachedJournal(Struct, frozen=True, kw_only=True):
    """The summary of the first ``count`` records, which end at byte ``end``."""

    count: int
    end: int
    sha256: bytes
    """Of the journal up to there."""
    places: bytes
    faults: int
    retired: dict[str, frozenset[str]]
    voids: dict[str, int]
    void: frozenset[str]

    def past(self) -> Past:
        """The summary as the journal keeps it."""
        past = Past()
        past.places.frombytes(self.places)
        past.faults = self.faults
        past.retired = dict(self.retired)
        past.voids.update(self.voids)
        past.standing.update(self.void)
        return past


def store(path: Path, fd: int, past: Past, *, count: int, end: int) -> None:
    """Store the summary of a journal; nothing happens if the cache cannot be written."""
    if count < FEWEST or not past.known or (found := _digest(fd, end)) is None:
        return
    known = CachedJournal(
        count=count,
        end=end,
        sha256=found,
        places=past.places.tobytes(),
        faults=past.faults,
        retired=past.retired,
        voids=dict(past.voids),
        void=frozenset(past.standing),
    )
    cache.store(_name(path), msgspec.msgpack.encode(known))


def load(path: Path, fd: int) -> CachedJournal | None:
    """The summary of a journal, if the journal still begins with the same bytes; else None."""
    size = os.fstat(fd).st_size
    # the summary of a journal is shorter than the journal
    data = cache.load(_name(path), most=size) if size >= FEWEST else None
    if data is None:
        return None
    try:
        known = msgspec.msgpack.decode(data, type=CachedJournal)
    except msgspec.DecodeError:
        return None
    fits = known.count > 0 < known.end <= size and len(known.places) == known.count * Past().places.itemsize
    return known if fits and _digest(fd, known.end) == known.sha256 else None


def _digest(fd: int, end: int) -> bytes | None:
    """The SHA-256 of the file up to a byte; None if it is shorter."""
    digest = sha256()
    at = 0
    while at < end:
        piece = os.pread(fd, min(_PIECE, end - at), at)
        if not piece:
            return None
        digest.update(piece)
        at += len(piece)
    return digest.digest()


def _name(path: Path) -> str:
    return f"journals/{sha256(os.fsencode(path.resolve())).hexdigest()}"
