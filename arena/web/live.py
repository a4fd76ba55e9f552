"""A run on a live page: a thread reads new matches in its folder, and sends them to every open page.

It reads the folder from time to time and writes nothing. So everybody who may read the folder may follow the run, also
on a shared disk. Prints nothing.
"""

import os
import shlex
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from time import monotonic, thread_time

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError, DamagedError, words_of
from arena.escape import plain
from arena.files import opened
from arena.page.board import replay_page
from arena.page.live import GONE, SHOWN, figures_data, live_page, match_data, progress_data
from arena.page.report import report_page
from arena.page.serving import EVENTS, HEARTBEAT, Request, Response, Route, event
from arena.record import decode
from arena.report.findings import Report, RunProgress, RunState, survey
from arena.report.losses import MatchRow, match_row
from arena.report.replay import Replay
from arena.results.columns import block_of
from arena.tournament.folder import Absent, Broken, Manifest, RunFolder
from arena.tournament.journal import stable
from arena.tournament.reporting import replay_of, replays_of, report_of, report_on, rules_in
from arena.tournament.standings import empty, rated, standings

KEPT = 1000
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
            for line in stable(self.path, fd, count=self.count, end=self.end):
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
        Absent: there is no run.
        Broken: its manifest is damaged.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.manifest: Manifest = folder.manifest()
        self.played = 0
        """Matches that were read, but for void ones."""
        self.more = False
        """Whether the last read stopped at its limit, so that more matches may follow."""
        self._changed = self._status()
        self._asked = -_LATELY
        self._held = False
        """Whether the journal was held for writing when that was asked last."""
        self._known = False
        """Whether it ever was."""
        self._begin()

    def _begin(self) -> None:
        self._tail = Tail(self.folder.journal)
        self._results = empty(self.manifest)
        self._voids: set[str] = set()
        self.played = 0
        self._rotations: dict[int, list[str]] = {}
        self._kept: dict[str, FinishedMatch] = {}
        self._open: deque[FinishedMatch] = deque(maxlen=OPEN)
        self._paces = deque([(monotonic(), 0, 0)])
        self._behind = True
        self._heard = monotonic()

    def read_on(self) -> list[FinishedMatch] | None:
        """The matches that are new, at most some hundred; None if all is to be read again, for the past has changed.

        Raises:
            DamagedError: the folder is damaged.
            OSError: it cannot be read.
        """
        if (status := self._status()) != self._changed:
            manifest = self.folder.manifest()
            self._changed = status
            again = rated(manifest) != rated(self.manifest)
            self.manifest = manifest
            if again:
                self._begin()
                return None
        rows = []
        offset = self._tail.end
        try:
            for line in islice(self._tail.lines(), _PIECE):
                if (finished := self._add(line, self._tail.count - 1, offset)) is not None:
                    rows.append(finished)
                offset = self._tail.end
        except Replaced:
            self._begin()
            return None
        self.more = len(rows) == _PIECE
        if rows:
            self._heard = monotonic()
        if self._behind:
            # matches played before the first look tell nothing about the pace
            self._paces.clear()
            self._behind = self.more
        self._paces.append((monotonic(), self.played, self._results.asked))
        while len(self._paces) > 1 and self._paces[0][0] < monotonic() - _WINDOW:
            self._paces.popleft()
        return rows

    def _add(self, line: bytes, seq: int, offset: int) -> FinishedMatch | None:
        try:
            self._results.take([line])
            record = decode(line)
            self._voids.discard(record.id)
            number = self.played + len(self._voids)
            if record.reason == "void":
                self._voids.add(record.id)
                return None
        except ValueError as error:
            # errors of msgspec are ValueErrors too
            raise Broken(f"{self.folder.journal}: record {seq}: {error}; see `arena verify`") from error
        self.played += 1
        row = match_row(record, number=number, decisions=len(record.picks))
        finished = FinishedMatch(seq=seq, match=row, offset=offset, length=len(line))
        self._kept[record.id] = finished
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        rotations = self._rotations.setdefault(block_of(record.id), [])
        rotations.append(record.id)
        if len(rotations) == len(record.bots):
            del self._rotations[block_of(record.id)]
            self._open.extend(self._kept[ident] for ident in rotations if ident in self._kept)
        return finished

    @property
    def open(self) -> list[FinishedMatch]:
        """The matches that may be watched, the latest first."""
        return list(reversed(self._open))

    def progress(self) -> RunProgress:
        """How far the run is."""
        state: RunState = "finished" if self.manifest.finished else self._state()
        (began, played, asked), (now, *_) = self._paces[0], self._paces[-1]
        rate = (self.played - played) / (now - began) if now > began else 0.0
        matches, total = self.played + len(self._voids), self.manifest.matches
        moving = state == "playing" and rate > 0
        return RunProgress(
            state=state,
            matches=matches,
            total=total,
            decisions=(self._results.asked - asked) / (now - began) if moving else None,
            left=(total - matches) / rate if moving else None,
        )

    def _state(self) -> RunState:
        now = monotonic()
        if now - self._asked >= _LATELY:
            self._asked, self._held = now, locked(self.folder)
            self._known |= self._held
        if self._held or now - self._heard < _LATELY:
            return "playing"
        if self._known:
            return "stopped"
        return "quiet" if now - self._heard > QUIET else "playing"

    def report(self) -> Report:
        """All that there is to tell of the matches that were read, but for the list of them.

        Raises:
            DamagedError: the folder is damaged.
            arena.ratings.NotConverged: the ratings do not converge.
        """
        board = standings(self.folder, manifest=self.manifest, results=self._results)
        table = board.leaderboard
        figures = survey(
            board.results, board.fit, game=self.manifest.game, limit=self.manifest.limits.move, looks=table.looks
        )
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
            raise Broken(f"{self.folder.journal}: record {finished.seq}: {error}") from error
        if record.id != finished.match.id:
            raise Broken(f"{self.folder.journal}: expected match {finished.match.id}, got {record.id}")
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
        with open("/proc/locks", encoding="ascii") as held:  # noqa: PTH123 - a file of the system
            return any(
                " FLOCK " in line and " WRITE " in line and line.split()[5].endswith(f":{number}") for line in held
            )
    except (OSError, IndexError):
        return False


EVERY = 1.0
"""Seconds between two looks at the folder."""
_SHARE = 0.002
"""At most this share of one core goes into figures for show, but for the first ones."""
_LEAST = 2.0
"""Seconds between two such figures."""
_BEAT = 10.0
"""Seconds after which a page that gets nothing is sent a sign of life."""
_BACK = 12
"""A bot's rise is measured from its place at least this many matches ago."""
_REPLAYS = 8
_LONGEST = 400


class Live:
    """The pages of a run. ``gets`` answers by path, and has a path for each match that may be watched.

    Raises:
        Absent, Broken: there is no run in the folder, or it is damaged.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.gets: dict[str, Route] = {"": self._page, "events": self._events}
        self._following = Following(folder)
        self._watchable = self._following.knows_the_deals()
        self._news = threading.Condition()
        self._matches: deque[FinishedMatch] = deque(maxlen=SHOWN)
        self._said: dict[str, bytes] = {}
        self._reloads = 0
        """How often pages were told to load again."""
        self._final: bytes | None = None
        """The report of a finished run."""
        self._orders: deque[tuple[int, list[str]]] = deque(maxlen=50)
        """Number of matches, and the bots from first to last after them."""
        self._due = 0.0
        self._report = self._following.report()
        self._status = self._following.progress()
        self.look()

    def follow(self) -> None:
        """Look at the folder again and again until the run is finished; in a thread of its own."""
        if sys.platform == "linux":
            # lowest priority: everything else on this machine goes first
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        pause = threading.Event()
        while self._final is None:
            if not self.look():
                pause.wait(EVERY)

    def look(self) -> bool:
        """Tell what is new; whether there may be more of it at once."""
        matches: list[FinishedMatch] | None = []
        trouble, more = "", False
        try:
            matches = self._following.read_on()
            # first read all matches that were played before
            more = matches is None or self._following.more
            if not more or monotonic() >= self._due:
                self._figure(played=more)
        except Absent:
            trouble = GONE
        except (ArenaError, ArithmeticError, OSError) as error:
            trouble = plain(words_of(error), _LONGEST)
        self._tell(matches, trouble)
        return more

    def _tell(self, matches: list[FinishedMatch] | None, trouble: str) -> None:
        self._status = replace(self._following.progress(), trouble=trouble)
        watched = {f"match/{finished.match.id}": finished for finished in self._following.open if self._watchable}
        with self._news:
            if matches is None:
                self._matches.clear()
                self._reloads += 1
            self._matches.extend(matches or ())
            for path in [path for path in self.gets if path.startswith("match/") and path not in watched]:
                del self.gets[path]
            self.gets |= {path: partial(self._match, finished) for path, finished in watched.items()}
            self._said["progress"] = progress_data(self._status, [finished.match for finished in watched.values()])
            self._news.notify_all()

    def _figure(self, *, played: bool) -> None:
        """Make the figures again if there is something new; and the report once all is told."""
        matches = self._report.leaderboard.matches
        if self._following.played != matches and monotonic() >= self._due:
            began = thread_time()
            self._report = self._following.report()
            order = [row.bot for row in self._report.leaderboard.leaderboard]
            self._orders.append((self._following.played, order))
            data = figures_data(self._report, self._following.progress(), self._moved(order), watchable=self._watchable)
            with self._news:
                self._said["figures"] = data
            self._due = monotonic() + max(_LEAST, (thread_time() - began) / _SHARE)
        folder = self._following.folder
        # the report is made after the run, so it takes no time from the runner
        if self._following.manifest.finished and not played and not locked(folder):
            board = standings(folder)
            report = report_of(board)
            replays = replays_of(board, report, [], _REPLAYS)
            self._final = report_page(report, replays, rules=rules_in(self._following.manifest)).encode()
            self._reloads += 1

    def _moved(self, order: list[str]) -> dict[str, int]:
        before = [then for matches, then in self._orders if matches <= self._orders[-1][0] - _BACK]
        places = {bot: index for index, bot in enumerate(before[-1] if before else [])}
        return {bot: places[bot] - index for index, bot in enumerate(order) if places.get(bot, index) != index}

    def _page(self, _: Request) -> Response:
        page = self._final or live_page(self._report, self._status, watchable=self._watchable).encode()
        return Response(body=page)

    def _match(self, finished: FinishedMatch, _: Request) -> Response:
        path = str(self._following.folder.path)
        command = shlex.join(["arena", "replay", path, finished.match.id])
        try:
            replay = self._following.replay(finished)
        except (ArenaError, OSError) as error:
            words = f"{plain(words_of(error), _LONGEST)}\n".encode()
            return Response(body=words, kind="text/plain; charset=utf-8", status=HTTPStatus.INTERNAL_SERVER_ERROR)
        rules = rules_in(self._following.manifest)
        return Response(body=replay_page(replay, rules=rules, run=shlex.quote(path), command=command).encode())

    def _events(self, request: Request) -> Response:
        return Response(body=self._stream(request.last_event), kind=EVENTS)

    def _stream(self, last: int | None) -> Iterator[bytes]:
        """What a page is to know, after the match with this number in the journal, which it has."""
        seq = -1 if last is None else last
        reloads, seen = self._reloads, dict[str, bytes]()
        if self._final is not None or seq > max((finished.seq for finished in self._matches), default=seq):
            # the run has ended, or was started over
            yield event("reload", b"{}")
            return
        while True:
            with self._news:
                pieces = self._fresh(seq, seen)
                if not pieces and reloads == self._reloads:
                    self._news.wait(_BEAT)
                    pieces = self._fresh(seq, seen)
                # asked once, before the piece is sent: else a stream could end without it
                if old := reloads != self._reloads:
                    pieces = [event("reload", b"{}")]
                seq = max(seq, *(finished.seq for finished in self._matches), -1)
            yield b"".join(pieces) or HEARTBEAT
            if old:
                return

    def _fresh(self, seq: int, seen: dict[str, bytes]) -> list[bytes]:
        """The events that a page lacks; those that it has then are noted in ``seen``."""
        matches = [
            event("match", match_data(finished.match), number=str(finished.seq))
            for finished in self._matches
            if finished.seq > seq
        ]
        others = [event(name, data) for name, data in self._said.items() if seen.get(name) != data]
        seen.update(self._said)
        return [*matches, *others]
