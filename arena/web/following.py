"""A run that is followed by its folder: new matches as they come, which of them may be watched, how far the run is.

Reads only, and takes no lock, so no writer is disturbed. Prints nothing.
"""

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

from arena import tournament
from arena.errors import DamagedError
from arena.files import opened
from arena.record import decode
from arena.report import (
    MARKS,
    Mark,
    MatchRow,
    Replay,
    Report,
    RunProgress,
    RunState,
    make_match_row,
    survey_results,
)
from arena.results import block_number_of
from arena.tournament import (
    BrokenRun,
    Manifest,
    RunFolder,
    compute_standings,
    count_matches,
    empty_results,
    list_rated,
    read_stable_records,
    replay_of,
    report_on,
)

if TYPE_CHECKING:
    from arena.tournament import PresentStage

RECENT_MATCHES = 1000
"""For this many matches the place in the journal is kept, to watch them: more than a chunk of all lanes."""
OPEN = 4
"""At most this many matches may be watched: those that were opened last."""
QUIET = 10.0
"""Seconds without a match after which a run may have stopped, where nothing tells whether it is being played."""
_LATELY = 5.0
"""Seconds for which an answer on who holds the journal is good: the system takes milliseconds to list its locks."""
_PIECE = 500
_WINDOW = 10.0
"""Seconds over which the pace is told."""


_LAST = len(b',"crc":"01234567"}\n')


class Replaced(Exception):
    """The file no longer begins with the bytes that were read: it has to be read from its start."""


class Tail:
    """The records of a journal that may be written meanwhile, each once; no lock is taken, so no writer is disturbed.

    The file is read again and again and no notification is needed: so it may be on a disk that another machine writes
    to. ``count`` and ``end`` say how many were read, and to which byte.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = self.end = 0
        self._last = b""
        self._file: tuple[int, int] | None = None

    def lines(self) -> Iterator[bytes]:
        """The complete lines that were not read yet, without the newline; none if there is no file yet.

        Raises:
            Replaced: the writer took back what was read, or it is another file.
            arena.tournament.journal.Corrupt: it is damaged.
            OSError: it cannot be read.
        """
        try:
            fd = opened(self.path.parent, self.path.name, os.O_RDONLY)
        except FileNotFoundError:
            if self.count:
                raise Replaced from None
            return
        try:
            status = os.fstat(fd)
            file = status.st_dev, status.st_ino
            if self.count and (
                file != self._file
                or status.st_size < self.end
                or os.pread(fd, _LAST, self.end - len(self._last)) != self._last
            ):
                raise Replaced
            self._file = file
            if status.st_size == self.end:
                return
            for line in read_stable_records(self.path, fd, count=self.count, end=self.end):
                self.count += 1
                self.end += len(line) + 1
                self._last = line[1 - _LAST :] + b"\n"
                yield line
        finally:
            os.close(fd)

    def line_at(self, offset: int, *, length: int) -> bytes:
        """The bytes of a line that was read before."""
        fd = opened(self.path.parent, self.path.name, os.O_RDONLY)
        try:
            return os.pread(fd, length, offset)
        finally:
            os.close(fd)


class FinishedMatch(Struct, frozen=True, kw_only=True):
    """A match that was played, and where it stands in the journal."""

    seq: int
    """Its number in the journal."""
    match: MatchRow
    offset: int
    length: int


class Following:
    """A run that is followed. One thread may use it at a time, but for ``replay``.

    A match may be watched once all rotations of its deal are played: a person who watched an earlier one could tell a
    bot of the deck.

    Raises:
        AbsentRun: there is no run.
        BrokenRun: its manifest is damaged.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.manifest: Manifest = folder.manifest()
        self.played = 0
        """Matches that were read, but for void ones."""
        self.more = False
        """Whether the last read stopped at its limit, so that more matches may follow."""
        self._changed = self._status()
        self._lock_read_at = -_LATELY
        self._locked = False
        """Whether the journal was held for writing when that was asked last."""
        self._ever_locked = False
        """Whether it ever was."""
        self._begin()

    def _begin(self) -> None:
        self._length = count_matches(self.manifest)
        self._tail = Tail(self.folder.journal)
        self._results = empty_results(self.manifest)
        self._voids: set[str] = set()
        self.played = 0
        self._rotations: dict[int, list[str]] = {}
        self._recent: dict[str, FinishedMatch] = {}
        self._open: deque[FinishedMatch] = deque(maxlen=OPEN)
        self._history: list[Mark] = []
        self._stages: PresentStage | None = None
        if not self.manifest.drawn_whole:
            # formats are loaded here: most runs have none
            self._stages = tournament.PresentStage(self.folder, self.manifest)
        self._paces = deque([(monotonic(), 0, 0)])
        self._catching_up = True
        self._last_news_at = monotonic()

    def read_on(self) -> list[FinishedMatch] | None:
        """The matches that are new, at most some hundred; None if all is to be read again, for the past has changed.

        Raises:
            DamagedError: the folder is damaged.
            OSError: it cannot be read.
        """
        if (status := self._status()) != self._changed:
            manifest = self.folder.manifest()
            self._changed = status
            again = list_rated(manifest) != list_rated(self.manifest)
            again |= len(manifest.epochs) > len(self.manifest.epochs)
            self.manifest = manifest
            self._length = count_matches(manifest)
            if again:
                self._begin()
                return None
        lines: list[bytes] = []
        begin, offset = self._tail.count, self._tail.end
        try:
            lines.extend(islice(self._tail.lines(), _PIECE))
        except Replaced:
            self._begin()
            return None
        finally:
            # those before a damaged line count; a match alone costs as much to take in as many
            rows = self._add(lines, begin, offset)
        self.more = len(lines) == _PIECE
        if rows:
            self._last_news_at = monotonic()
        if self._catching_up:
            # matches played before the first look tell nothing about the pace
            self._paces.clear()
            self._catching_up = self.more
        self._paces.append((monotonic(), self.played, self._results.asked))
        while len(self._paces) > 1 and self._paces[0][0] < monotonic() - _WINDOW:
            self._paces.popleft()
        return rows

    def _add(self, lines: list[bytes], begin: int, offset: int) -> list[FinishedMatch]:
        rows = []
        try:
            self._results.take(lines)
        except ValueError as error:
            # errors of msgspec are ValueErrors too
            end = begin + len(lines) - 1
            raise BrokenRun(f"{self.folder.journal}: records {begin} to {end}: {error}; see `arena verify`") from error
        for seq, line in enumerate(lines, begin):
            if (finished := self._finished(line, seq, offset)) is not None:
                rows.append(finished)
            offset += len(line) + 1
        return rows

    def _finished(self, line: bytes, seq: int, offset: int) -> FinishedMatch | None:
        record = decode(line)
        if self._stages:
            self._stages.take(record)
        self._voids.discard(record.id)
        number = self.played + len(self._voids)
        if record.reason == "void":
            self._voids.add(record.id)
            return None
        self.played += 1
        row = make_match_row(record, number=number, decisions=len(record.picks))
        finished = FinishedMatch(seq=seq, match=row, offset=offset, length=len(line))
        self._recent[record.id] = finished
        if len(self._recent) > RECENT_MATCHES:
            del self._recent[next(iter(self._recent))]
        rotations = self._rotations.setdefault(block_number_of(record.id), [])
        rotations.append(record.id)
        if len(rotations) == len(record.bots):
            del self._rotations[block_number_of(record.id)]
            self._open.extend(self._recent[ident] for ident in rotations if ident in self._recent)
        return finished

    @property
    def open(self) -> list[FinishedMatch]:
        """The matches that may be watched, the latest first."""
        return list(reversed(self._open))

    def progress(self) -> RunProgress:
        """How far the run is."""
        state: RunState = "finished" if self.manifest.finished else self._state()
        (began, played, decisions), (now, *_) = self._paces[0], self._paces[-1]
        rate = (self.played - played) / (now - began) if now > began else 0.0
        matches, (total, exact) = self.played + len(self._voids), self._length
        moving = state == "playing" and rate > 0
        return RunProgress(
            state=state,
            matches=matches,
            total=total,
            exact=exact,
            decisions=(self._results.asked - decisions) / (now - began) if moving else None,
            eta=(total - matches) / rate if moving else None,
            stage=self._stages.find() if self._stages else None,
        )

    def _state(self) -> RunState:
        """A run is played if its journal is locked or a match just came, and stopped if it was locked before."""
        now = monotonic()
        if now - self._lock_read_at >= _LATELY:
            self._lock_read_at, self._locked = now, locked(self.folder)
            self._ever_locked |= self._locked
        if self._locked or now - self._last_news_at < _LATELY:
            return "playing"
        if self._ever_locked:
            return "stopped"
        return "quiet" if now - self._last_news_at > QUIET else "playing"

    def report(self) -> Report:
        """All that there is to tell of the matches that were read, but for the list of them.

        The history is that of the earlier calls: to fit the past again takes most of the time of a first report.

        Raises:
            DamagedError: the folder is damaged.
            arena.ratings.NotConverged: the ratings do not converge.
        """
        board = compute_standings(self.folder, manifest=self.manifest, results=self._results)
        # of twice as many marks every second one is left out
        before = self._history[1::2] if len(self._history) > 2 * MARKS else self._history
        limit = self.manifest.limits.move
        figures = survey_results(board.results, board.fit, board.leaderboard, limit=limit, listed=False, before=before)
        self._history = [*figures.history]
        return report_on(board, figures, self.manifest)

    def replay(self, finished: FinishedMatch) -> Replay:
        """A match that may be watched.

        Raises:
            DamagedError: the folder is damaged, or lacks the secret of the deal.
            Differs: the picks do not fit the deal.
            OSError: it cannot be read, as a secret that is somebody else's.
        """
        try:
            record = decode(self._tail.line_at(finished.offset, length=finished.length))
        except ValueError as error:
            raise BrokenRun(f"{self.folder.journal}: record {finished.seq}: {error}") from error
        if record.id != finished.match.id:
            raise BrokenRun(f"{self.folder.journal}: expected match {finished.match.id}, got {record.id}")
        return replay_of(self.folder, self.manifest, record, number=finished.match.number)

    def knows_the_deals(self) -> bool:
        """Whether the secrets are there and may be read: without them no match can be told."""
        with suppress(DamagedError, OSError):
            self.folder.secrets_of(self.manifest)
            return True
        return False

    def _status(self) -> tuple[int, int, int]:
        try:
            now = (self.folder.path / "run.json").lstat()
        except FileNotFoundError:
            return 0, 0, 0
        return now.st_ino, now.st_mtime_ns, now.st_size


def locked(folder: RunFolder) -> bool:
    """Whether a process of this machine is known to hold the journal for writing.

    The lock is not tried, for that could keep a runner out that starts at this moment. Where the system does not list
    its locks, or another machine holds it, nothing is known.
    """
    try:
        number = folder.journal.stat().st_ino
        with open("/proc/locks", encoding="ascii") as locks:  # noqa: PTH123 - a file of the system
            return any(
                " FLOCK " in line and " WRITE " in line and line.split()[5].endswith(f":{number}") for line in locks
            )
    except (OSError, IndexError):
        return False
