"""The journal: the append-only file of finished matches, which survives a kill and a full disk.

Knows files and bytes, how a record is decoded and the order of ids; knows no lane, rating or secret.
``docs/journal.md`` describes the format: one JSON object a line, ``"seq"`` first, ``"crc"`` last.
"""

import errno
import fcntl
import os
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from itertools import chain, islice, pairwise, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar
from zlib import crc32

import msgspec
from msgspec import Struct

from arena.errors import DamagedError, LockedError
from arena.files import opened
from arena.record import MatchResult, Record, decode, decode_outcome, match_key
from arena.tournament import journal_index
from arena.tournament.journal_index import VOID, JournalIndex, System, id_of, set_aside, sync_folder

if TYPE_CHECKING:
    from hashlib import _Hash as HASH

T = TypeVar("T")
LINE_LIMIT = 1 << 24
"""The longest line in bytes, newline included: it bounds the memory that any journal takes to read."""
_TORN_LIMIT = 4 * LINE_LIMIT  # what an interrupted write may leave, in bytes
_CRC_BYTES = len(b',"crc":"01234567"}')
_PIECE = 2 << 20
_TOGETHER = 4096
_RECORD_LINE = re.compile(rb'\{"seq":(?:0|[1-9][0-9]*),.*,"crc":"[0-9a-f]{8}"\}', re.DOTALL)
_SEAL = re.compile(rb',"crc":"([0-9a-f]{8})"\}')


class Locked(LockedError):
    """Another process is writing this journal."""


class Corrupt(DamagedError):
    """A finished match is damaged in a way that no interrupted write explains.

    ``number`` counts records from 0, ``offset`` is where the record begins, in bytes.
    """

    def __init__(self, path: Path, *, number: int, offset: int, got: str) -> None:
        super().__init__(f"{path}: expected record {number} at byte {offset}, got {got}")
        self.number = number
        self.offset = offset


class Altered(Corrupt):
    """The journal of a finished run has changed since the run was finished."""

    def __init__(self, path: Path, sealed: "Sealed", *, count: int, end: int) -> None:
        got = str(count) if count != sealed.records else "others"
        super().__init__(path, number=count, offset=end, got=got)
        self.args = (f"{path}: expected the {sealed.records} records that the finished run had, got {got}",)


class Sealed(Struct, frozen=True):
    """A finished journal: the number of its records, and the SHA-256 of the file."""

    records: int
    sha256: str


class Journal:
    """A journal held for writing by this process alone; a context manager.

    ``count`` is the number of records it holds, ``index`` what is known of them. One that has failed stays broken: what
    a disk did after an error is not to be guessed at, so it is closed, opened again and scanned.
    """

    def __init__(
        self, path: Path, fd: int, *, count: int, end: int, system: System, index: JournalIndex, digest: "HASH"
    ) -> None:
        """``index`` and ``digest`` are of the ``count`` records, which end at byte ``end``."""
        self.path = path
        self.count = count
        self.index = index
        self._fd = fd
        self._end = end
        self._synced = (count, end)
        self._system = system
        self._digest = digest
        self._keep_at = _further(count)
        self._broken: BaseException | None = None

    @classmethod
    def open(cls, path: Path, system: System = os) -> Self:
        """Take the journal at ``path``, made if it is missing, in a folder that exists.

        What an interrupted write left at its end is moved to the file beside it that ends in ``.torn``.

        Raises:
            Locked: another process holds it.
            Corrupt: a record is damaged, or missing, before a good one.
            OSError: the file system failed or has no working locks.
        """
        fd = opened(path.parent, path.name, os.O_RDWR | os.O_CREAT | os.O_APPEND, mode=0o644)
        try:
            _lock(path, fd)
            snapshot, digest = journal_index.load(path, fd) or (None, sha256())
            scan = _Scan(path, fd, count=snapshot.count if snapshot else 0, end=snapshot.end if snapshot else 0)
            index = snapshot.index if snapshot else JournalIndex()
            for some in chain(scan.plain(), map(_alone, scan)):
                index.add(some)
                digest.update(b"\n".join([*some, b""]))
            if not snapshot or scan.count > snapshot.count:
                journal_index.store(path, digest.digest(), index, count=scan.count, end=scan.end)
            size = os.fstat(fd).st_size
            if size == 0:
                sync_folder(path, system)
            if size > scan.end:
                set_aside(path, fd, end=scan.end, system=system)
        except BaseException:
            os.close(fd)
            raise
        return cls(path, fd, count=scan.count, end=scan.end, system=system, index=index, digest=digest)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, body: bytes) -> None:
        """Write one record: the bytes of a JSON object on one line. It is safe once ``sync`` has returned.

        Raises:
            ValueError: the body is no such object, or too long; nothing is written and the journal stays usable.
            OSError: the write failed. The record is taken back and the journal is broken.
        """
        self._refuse_if_broken()
        if not (body.startswith(b"{") and body.endswith(b"}") and b"\n" not in body):
            raise ValueError(f"expected a JSON object on one line, got {body[:40]!r}")
        head = b'{"seq":%d' % self.count + (b"," + body[1:-1] if len(body) > len(b"{}") else b"")
        line = head + _seal(head) + b"\n"
        if len(line) > LINE_LIMIT:
            raise ValueError(f"expected a record of at most {LINE_LIMIT} bytes, got {len(line)}")
        try:
            written = self._system.write(self._fd, line)
            if written != len(line):
                # a second write could fail for another reason, or come after somebody else's bytes
                raise OSError(errno.ENOSPC, f"expected {len(line)} bytes written, got {written}; the disk may be full")  # noqa: TRY301 - a short write is undone like a failed one
            self._end += written
            self.count += 1
        except BaseException as error:
            # an interrupt too: it may come after the write and before the record is counted
            self._break(error, self.count, self._end)
            raise
        self.index.add([line])
        self._digest.update(line)
        if self.count >= self._keep_at:
            # after a kill, opening the journal reads only later records
            self._keep_at = _further(self.count)
            journal_index.store(self.path, self._digest.digest(), self.index, count=self.count, end=self._end)

    def sync(self) -> None:
        """Wait until all records appended so far are on the disk. One call may serve several of them.

        Power loss may keep a later one and lose an earlier: then ``open`` raises ``Corrupt``. So sync each record.

        Raises:
            OSError: it failed. All records since the last ``sync`` are taken back and the journal is broken.
        """
        self._refuse_if_broken()
        try:
            # macOS has no fdatasync
            getattr(self._system, "fdatasync", self._system.fsync)(self._fd)
        except BaseException as error:
            # a failed sync is never tried again: the kernel may take lost pages for written ones
            self._break(error, *self._synced)
            raise
        self._synced = (self.count, self._end)

    def seal(self) -> Sealed:
        """The seal of all its records."""
        return Sealed(self.count, self._digest.hexdigest())

    def check(self, sealed: Sealed) -> None:
        """Check that these are the records of a finished run, or fewer, which are played again; else ``Altered``."""
        if self.count >= sealed.records and sealed.sha256 != self._digest.hexdigest():
            raise Altered(self.path, sealed, count=self.count, end=self._end)

    def close(self) -> None:
        """Sync what is not synced, and release the file. May be called again."""
        if self._fd < 0:
            return
        try:
            if self._broken is None and self._synced[1] < self._end:
                self.sync()
        finally:
            os.close(self._fd)
            self._fd = -1

    def _refuse_if_broken(self) -> None:
        if self._fd < 0:
            raise ValueError(f"{self.path}: expected an open journal, got a closed one")
        if self._broken is not None:
            code = getattr(self._broken, "errno", None) or errno.EIO
            raise OSError(code, f"expected a sound journal, got one broken by: {self._broken}") from self._broken

    def _break(self, error: BaseException, count: int, end: int) -> None:
        self._broken = error
        self.count, self._end = count, end
        try:
            self._system.ftruncate(self._fd, end)
        except OSError as second:
            error.add_note(f"{self.path}: the record could not be taken back either: {second}")


def _alone(line: bytes) -> list[bytes]:
    return [line]


def _further(count: int) -> int:
    """How many records there are when what is known of them is kept next."""
    return count + max(journal_index.FEWEST, count // 10)


def pieces(path: Path, sealed: Sealed | None = None) -> Iterator[list[bytes]]:
    """Every record of a journal as its whole line, without the newline, many at once; also while a runner writes it.

    A record that is not yet complete at the end of the file is not yet there.

    Raises:
        Corrupt: a record is damaged, or missing, before a good one; or at the end these are not those that were sealed.
        OSError: the file cannot be read.
    """
    digest = sha256()
    fd = opened(path.parent, path.name, os.O_RDONLY)
    try:
        scan = _Scan(path, fd)
        for some in scan.plain():
            if sealed is not None:
                digest.update(b"\n".join([*some, b""]))
            yield some
        count, end = scan.count, scan.end
        rest = read_stable_records(path, fd, count=count, end=end)
        while some := list(islice(rest, _TOGETHER)):
            count, end = count + len(some), end + sum(map(len, some)) + len(some)
            digest.update(b"\n".join([*some, b""]))
            yield some
    finally:
        os.close(fd)
    if sealed is not None and (count < sealed.records or sealed.sha256 != digest.hexdigest()):
        raise Altered(path, sealed, count=count, end=end)


def lines(path: Path, sealed: Sealed | None = None) -> Iterator[bytes]:
    """Like ``pieces``, one after the other."""
    return chain.from_iterable(pieces(path, sealed))


def seal(path: Path) -> Sealed:
    """The seal of a journal that is complete."""
    count, digest = 0, sha256()
    for some in pieces(path):
        count += len(some)
        digest.update(b"\n".join([*some, b""]))
    return Sealed(count, digest.hexdigest())


def read(path: Path, sealed: Sealed | None = None) -> Iterator[Record]:
    """Every valid record of a journal, in the order in which matches were finished; like ``lines``.

    A void record is superseded by a later one of the same match, and left out. A line that is whole but is no match of
    this version is ``Corrupt``, too.
    """
    return _decoded(path, decode, sealed)


def outcomes(path: Path) -> Iterator[MatchResult]:
    """Like ``read``, but only the outcome of each match: several times as fast."""
    return _decoded(path, decode_outcome)


def voids(path: Path) -> Counter[str]:
    """How often each match was recorded void, by its id."""
    return Counter(decode_outcome(line).id for line in lines(path) if VOID in line)


def _decoded(path: Path, decoder: Callable[[bytes], T], sealed: Sealed | None = None) -> Iterator[T]:
    offset = 0
    superseded: set[int] | None = None
    for number, line in enumerate(lines(path, sealed)):
        if VOID in line and superseded is None:
            superseded = _superseded(path)
        try:
            record = decoder(line)
        except msgspec.DecodeError as error:
            raise Corrupt(path, number=number, offset=offset, got=_instead(error)) from None
        if superseded is None or number not in superseded:
            yield record
        offset += len(line) + 1


def _instead(error: msgspec.DecodeError) -> str:
    text = str(error)
    no_id = "regex" in text and text.endswith("`$.id`")
    return "one whose id is no match id such as e0b17r3" if no_id else f"something else ({text})"


def _superseded(path: Path) -> set[int]:
    """The places of void records whose match has a later one."""
    places: set[int] = set()
    last: dict[str, int] = {}
    for number, line in enumerate(lines(path)):
        try:
            match = id_of(line).id
        except msgspec.DecodeError:
            # callers that decode the whole record report it
            continue
        if match in last:
            places.add(last.pop(match))
        if VOID in line:
            last[match] = number
    return places


def in_order(paths: Sequence[Path], sealed: Sequence[Sealed | None] = ()) -> Iterator[Record]:
    """Every valid record of these journals in canonical order; equal ids in the order of the journals.

    Only where each lies is held in memory, about 70 bytes a record. What is ``sealed`` is for each journal in turn.
    """
    keys: list[int] = []
    offsets, lengths, numbers = array("Q"), array("L"), array("L")
    ends = []
    for path, checkpoint in zip_longest(paths, sealed[: len(paths)]):
        offset = 0
        for number, line in enumerate(lines(path, checkpoint)):
            try:
                epoch, block, rotation = match_key(id_of(line).id)
            except msgspec.DecodeError as error:
                raise Corrupt(path, number=number, offset=offset, got=_instead(error)) from None
            keys.append((epoch << 64) + (block << 16) + rotation)
            offsets.append(offset)
            lengths.append(len(line))
            numbers.append(number)
            offset += len(line) + 1
        ends.append(len(keys))
    with ExitStack() as stack:
        files = [opened(path.parent, path.name, os.O_RDONLY) for path in paths]
        for fd in files:
            stack.callback(os.close, fd)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        for place, following in pairwise([*order, -1]):
            journal = bisect_right(ends, place)
            try:
                record = decode(os.pread(files[journal], lengths[place], offsets[place]))
            except msgspec.DecodeError as error:
                got = _instead(error)
                raise Corrupt(paths[journal], number=numbers[place], offset=offsets[place], got=got) from None
            followed = following >= 0 and keys[following] == keys[place] and bisect_right(ends, following) == journal
            if not (followed and record.reason == "void"):
                yield record


def read_stable_records(path: Path, fd: int, *, count: int = 0, end: int = 0) -> Iterator[bytes]:
    """The records behind ``fd`` after ``count``, which end there: a writer may take the end back under our eyes.

    A record may be taken back while it is read, so damage is believed when it is found twice in the same place.
    """
    scan = _Scan(path, fd, count=count, end=end)
    suspect = -1
    while True:
        try:
            yield from scan
        except Corrupt as damage:
            if damage.offset == suspect:
                raise
            suspect = damage.offset
            scan = _Scan(path, fd, count=scan.count, end=scan.end)
        else:
            return


class _Scan:
    """The good records from a place on, as an iterator of lines.

    ``count`` and ``end`` say how many records were handed out and where the last of them ended. The iteration stops
    at the end of the file or before what an interrupted write may have left there.
    """

    def __init__(self, path: Path, fd: int, *, count: int = 0, end: int = 0) -> None:
        self.count = count
        self.end = end
        self._path = path
        self._fd = fd

    def plain(self) -> Iterator[list[bytes]]:
        """The records of each piece of the file in which all is plainly good: what comes then is to be judged."""
        while piece := os.pread(self._fd, _PIECE, self.end):
            piece = piece[: piece.rfind(b"\n") + 1]
            some = piece.split(b"\n")[:-1]
            if not some or [_seal(line[:-_CRC_BYTES]) for line in some] != [line[-_CRC_BYTES:] for line in some]:
                return
            if any(not line.startswith(b'{"seq":%d,' % number) for number, line in enumerate(some, self.count)):
                return
            self.count += len(some)
            self.end += len(piece)
            yield some

    def __iter__(self) -> Iterator[bytes]:
        rest = _split(self._fd, self.end)
        for line in rest:
            if not (line.startswith(b'{"seq":%d,' % self.count) and line.endswith(_seal(line[:-_CRC_BYTES]))):
                self._judge(line, rest)
                return
            self.count += 1
            self.end += len(line) + 1
            yield line
        # a line that only lacks its newline is an interrupted write; one with something else behind it is not
        if _runs_on(os.pread(self._fd, LINE_LIMIT, self.end).partition(b"\n")[0]):
            raise self._corrupt("one with more behind its end")

    def _judge(self, bad: bytes, rest: Iterator[bytes]) -> None:
        """Accept a torn end; refuse corruption."""
        if is_whole(bad):
            number = bad[len(b'{"seq":') : bad.index(b",")].decode()
            raise self._corrupt(f"record {number}")
        if _runs_on(bad):
            raise self._corrupt("one with more behind its end")
        length = len(bad)
        for line in rest:
            length += len(line)
            if is_whole(line):
                raise self._corrupt("a damaged line with a good one behind it")
            if length > _TORN_LIMIT:
                # a file from somebody else may go on without end
                raise self._corrupt(f"more than {_TORN_LIMIT} bytes without a good one")

    def _corrupt(self, got: str) -> Corrupt:
        return Corrupt(self._path, number=self.count, offset=self.end, got=got)


def _split(fd: int, offset: int) -> Iterator[bytes]:
    """The complete lines from ``offset`` on, without newlines; a line that is too long comes in invalid parts."""
    tail = b""
    while piece := os.pread(fd, _PIECE, offset):
        parts = (tail + piece).split(b"\n")
        offset += len(piece)
        tail = parts.pop()
        yield from parts
        if len(tail) >= LINE_LIMIT:
            yield tail
            tail = b""


def _seal(body: bytes) -> bytes:
    return b',"crc":"%08x"}' % crc32(body)


def is_whole(line: bytes) -> bool:
    """Whether a line is a record with its number and the right checksum."""
    return line.endswith(_seal(line[:-_CRC_BYTES])) and _RECORD_LINE.fullmatch(line) is not None


def _runs_on(line: bytes) -> bool:
    """Whether a line begins with a whole record, and behind that is more than what a power loss leaves, which is zeros.

    So it is where a newline was changed: no interrupted write explains that, and the records behind it would be lost.
    """
    sum_, start = 0, 0
    for sealed in _SEAL.finditer(line) if line.startswith(b'{"seq":') else ():
        sum_, start = crc32(line[start : sealed.start()], sum_), sealed.start()
        if int(sealed[1], 16) == sum_ and line[sealed.end() :].strip(b"\0"):
            return True
    return False


def _lock(path: Path, fd: int) -> None:
    """Lock the file, and check that the file system's locks work."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Locked(f"{path}: expected a journal nobody is writing, got one that another process holds") from None
    second = opened(path.parent, path.name, os.O_RDWR)
    try:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    finally:
        os.close(second)
    raise OSError(
        errno.ENOLCK,
        "expected a file system with working locks, got one that gives two processes the same lock",
        str(path),
    )
