"""What a long journal holds, kept in the cache of whoever runs arena, so that it need not be read record by record.

It stands for the bytes it was made from: only where the journal still begins with these, by their SHA-256, it counts. A
results folder holds none of it, so nothing of a stranger's is ever believed.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from arena.tournament import kept
from arena.tournament.past import Past

if TYPE_CHECKING:
    from hashlib import _Hash as HASH

FEWEST = 20_000
"""Shorter journals, in records, are read as fast."""
_PIECE = 1 << 22


class KeptJournal(Struct, frozen=True, kw_only=True):
    """What is known of the first ``count`` records, which end at byte ``end``."""

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
        """The same as it was."""
        past = Past()
        past.places.frombytes(self.places)
        past.faults = self.faults
        past.retired = dict(self.retired)
        past.voids.update(self.voids)
        past.standing.update(self.void)
        return past


def keep(path: Path, digest: bytes, past: Past, *, count: int, end: int) -> None:
    """Keep what is known of a journal, by the SHA-256 of its bytes; not where the cache cannot be written."""
    if count < FEWEST or not past.known:
        return
    known = KeptJournal(
        count=count,
        end=end,
        sha256=digest,
        places=past.places.tobytes(),
        faults=past.faults,
        retired=past.retired,
        voids=dict(past.voids),
        void=frozenset(past.standing),
    )
    kept.keep(_name(path), msgspec.msgpack.encode(known))


def recall(path: Path, fd: int) -> "tuple[KeptJournal, HASH] | None":
    """What is kept of a journal, if it still begins as it did, and the hash of these bytes, to go on with."""
    size = os.fstat(fd).st_size
    # what is kept of a journal is shorter than the journal
    data = kept.recall(_name(path), most=size) if size >= FEWEST else None
    if data is None:
        return None
    try:
        known = msgspec.msgpack.decode(data, type=KeptJournal)
    except msgspec.DecodeError:
        return None
    if not (known.count > 0 < known.end <= size and len(known.places) == known.count * Past().places.itemsize):
        return None
    digest = _digest(fd, known.end)
    return (known, digest) if digest is not None and digest.digest() == known.sha256 else None


def _digest(fd: int, end: int) -> "HASH | None":
    """The SHA-256 of the file up to a byte; None if it is shorter."""
    digest = sha256()
    at = 0
    while at < end:
        piece = os.pread(fd, min(_PIECE, end - at), at)
        if not piece:
            return None
        digest.update(piece)
        at += len(piece)
    return digest


def _name(path: Path) -> str:
    return f"journals/{sha256(os.fsencode(path.resolve())).hexdigest()}"
