"""From a run folder to its results: the journal is read once, in pieces of many lines. Prints nothing."""

import os
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from zlib import crc32

import msgspec

from arena.files import opened
from arena.identity import bot_of
from arena.record import Record, decode
from arena.results.columns import Results
from arena.tournament import journal
from arena.tournament.folder import Broken, Manifest, RunFolder
from arena.tournament.journal import Altered, Sealed

_PIECE = 2 << 20
_TOGETHER = 4096
_CRC_BYTES = len(b',"crc":"01234567"}')


def empty(manifest: Manifest, without: Collection[str] = ()) -> Results:
    """Results of a run before its first match; matches of the bots ``without`` are only counted as left out."""
    names = [entrant.name for entrant in manifest.entrants]
    return Results(names, without=[name for name in names if bot_of(name) in without])


def results_of(folder: RunFolder, without: Collection[str] = ()) -> Results:
    """The results of a run so far.

    Raises:
        arena.tournament.folder.Broken, arena.tournament.journal.Corrupt: the folder is damaged.
        OSError: the journal cannot be read.
    """
    results, sealed = empty(folder.manifest(), without), folder.sealed()
    if not folder.journal.exists():
        return results
    try:
        for lines in _pieces(folder.journal, sealed):
            results.take(lines)
    except msgspec.DecodeError:
        # which record it is, and where, is told by who reads one after the other
        for _ in folder.records():
            pass
        raise
    except ValueError as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error
    return results


def records_at(folder: RunFolder, results: Results, rows: Iterable[int]) -> Iterator[Record]:
    """The records of these rows of the results.

    Raises:
        arena.tournament.folder.Broken: the journal was changed since.
        OSError: it cannot be read.
    """
    columns = results.columns
    fd = opened(folder.journal.parent, folder.journal.name, os.O_RDONLY)
    try:
        for row in rows:
            line = os.pread(fd, int(columns.size[row]) - 1, int(columns.start[row]))
            match = results.match(row)
            record = decode(line) if _checksum(line) == line[-_CRC_BYTES:] else None
            if record is None or (record.id, record.ranks, record.seconds) != (match.id, match.ranks, match.seconds):
                where = f"{folder.journal}: expected match {match.id} at byte {columns.start[row]}"
                raise Broken(f"{where}, got other bytes; the journal was changed meanwhile")
            yield record
    finally:
        os.close(fd)


def _pieces(path: Path, sealed: Sealed | None) -> Iterator[list[bytes]]:
    """The checked lines of a journal, many at once; where a piece is not plainly good, the journal's own scan judges.

    Raises:
        arena.tournament.journal.Corrupt, OSError: as ``arena.tournament.journal.lines``.
    """
    count = end = 0
    digest = sha256()
    fd = opened(path.parent, path.name, os.O_RDONLY)
    try:
        while piece := os.pread(fd, _PIECE, end):
            piece = piece[: piece.rfind(b"\n") + 1]
            lines = piece.split(b"\n")[:-1]
            sums = [_checksum(line) for line in lines]
            if not lines or sums != [line[-_CRC_BYTES:] for line in lines]:
                break
            if any(not line.startswith(b'{"seq":%d,' % number) for number, line in enumerate(lines, count)):
                break
            count, end = count + len(lines), end + len(piece)
            digest.update(piece)
            yield lines
        rest = journal.stable(path, fd, count=count, end=end)
        while lines := list(islice(rest, _TOGETHER)):
            count, end = count + len(lines), end + sum(map(len, lines)) + len(lines)
            digest.update(b"\n".join([*lines, b""]))
            yield lines
    finally:
        os.close(fd)
    if sealed is not None and (count < sealed.records or sealed.sha256 not in ("", digest.hexdigest())):
        raise Altered(path, sealed, count=count, end=end)


def _checksum(line: bytes) -> bytes:
    return b',"crc":"%08x"}' % crc32(line[:-_CRC_BYTES])
