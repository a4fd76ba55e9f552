"""From a run folder to its results: the journal is read once, in pieces of many lines. Prints nothing."""

import os
from collections.abc import Collection, Iterable, Iterator

import msgspec

from arena.files import opened
from arena.identity import bot_of
from arena.record import Record, decode
from arena.results.columns import Results
from arena.tournament import journal
from arena.tournament.folder import Broken, Manifest, RunFolder


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
        for lines in journal.pieces(folder.journal, sealed):
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
            record = decode(line) if journal.is_whole(line) else None
            if record is None or (record.id, record.ranks, record.seconds) != (match.id, match.ranks, match.seconds):
                where = f"{folder.journal}: expected match {match.id} at byte {columns.start[row]}"
                raise Broken(f"{where}, got other bytes; the journal was changed meanwhile")
            yield record
    finally:
        os.close(fd)
