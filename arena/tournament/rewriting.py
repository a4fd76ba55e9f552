"""A finished run with other words in it: its manifest and journal are written again, and stay those of one run."""

import os
import re
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from arena.files import remove
from arena.record import Record, decode, encode
from arena.tournament import cache, journal, journal_index
from arena.tournament.folder import Manifest, RunFolder
from arena.tournament.journal import Altered, Corrupt, Journal

_NEW = "matches.new"
_BODY = re.compile(rb'\{"seq":[0-9]+,(.*),"crc":"[0-9a-f]{8}"\}', re.DOTALL)


def rewrite_run(
    folder: RunFolder, manifest: Manifest, change: Callable[[Record], Record], *, mentions: Callable[[bytes], object]
) -> Journal:
    """Write a finished run again with another manifest, and with other records; gives its journal, held for writing.

    The number and the order of records stay. If this is killed, the same call finishes it.

    Args:
        folder: of the run, whose journal is held for writing.
        manifest: the new one, whatever its seal.
        change: gives the new record; of one that is new already, the same.
        mentions: whether the line of a record is to be changed.

    Raises:
        arena.tournament.journal.Corrupt: the journal is damaged, or not what the finished run had.
        OSError: it cannot be written.
    """
    remove(folder.path, _NEW)
    before, old = folder.manifest(), journal.seal(folder.journal)
    new, offset = Journal.open(folder.path / _NEW), 0
    try:
        for number, line in enumerate(journal.lines(folder.journal)):
            try:
                body = encode(change(decode(line))) if mentions(line) else b"{%b}" % _BODY.sub(rb"\1", line)
            except msgspec.DecodeError as error:
                raise Corrupt(folder.journal, number=number, offset=offset, got=str(error)) from None
            offset += len(line) + 1
            new.append(body)
        new.sync()
        # the manifest comes first: a kill between the two leaves the seal of the records that are then made again
        if before.sealed not in (old, new.seal()):
            raise Altered(folder.journal, before.sealed or old, count=old.records, end=offset)  # noqa: TRY301 - nothing stays
        folder.write_manifest(replace(manifest, sealed=new.seal()))
        new.path.replace(folder.journal)
        journal_index.sync_folder(folder.journal, os)
    except BaseException:
        new.close()
        remove(folder.path, _NEW)
        raise
    for path in (folder.journal, new.path):
        cache.discard(journal_index._name(path))  # noqa: SLF001 - who reads results need not load how it is dropped
    return new


def remove_words(folder: RunFolder, bot: str) -> None:
    """Remove what an entrant wrote beside the records of its matches: stderr and notes, and what a kill left there."""
    halves = [f".{name}.new" for name in ("run.json", folder.page.name)]
    for name in (f"logs/{bot}.log", f"notes/{bot}.jsonl", "matches.torn", folder.page.name, *halves):
        remove(folder.path, name)
