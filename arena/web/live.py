"""A run on a live page: a thread reads new matches in its folder, and sends them to every open page."""

import os
import shlex
import sys
import threading
from collections import deque
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from time import monotonic, thread_time

from msgspec.structs import replace

from arena.errors import ArenaError, words_of
from arena.escape import plain
from arena.page.live import GONE, SHOWN, figures_data, live_page, match_data, progress_data
from arena.page.replay import replay_page
from arena.page.report import report_page
from arena.page.serving import EVENTS, HEARTBEAT, Request, Response, Route, event
from arena.tournament.folder import Absent, RunFolder
from arena.tournament.reporting import replays_of, report_of, rules_in
from arena.tournament.standings import standings
from arena.web.following import FinishedMatch, Following, locked

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
