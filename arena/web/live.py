"""A run on a live page, which is made again as matches come: served to one person, or written as files for any host.

It reads the folder of the run from time to time and writes nothing there. So everybody who may read the folder may
follow the run, also on a shared disk. Prints nothing.
"""

import os
import re
import shlex
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache, partial
from http import HTTPStatus
from pathlib import Path
from time import monotonic, thread_time
from typing import TypeVar

from msgspec.structs import replace

from arena.errors import ArenaError, UsageError, words_of
from arena.escape import plain
from arena.files import files, read, remove, write
from arena.numeric import np
from arena.page import (
    FOLDER_GONE,
    LATEST_MATCHES,
    Request,
    Response,
    Route,
    draw_figures,
    draw_tables,
    live_page,
    replay_page,
    report_page,
)
from arena.report import Replay, Trend
from arena.tournament import (
    AbsentRun,
    RunFolder,
    Standings,
    compute_standings,
    read_rules,
    replays_at,
    replays_of,
    report_of,
)
from arena.web.following import FinishedMatch, Following, locked

EVERY = 1.0
"""Seconds between two looks at the folder."""
WRITTEN_EVERY = 3.0
"""Seconds between two looks where pages are written as files."""
_SHARE, _MOST = 0.01, 0.1
"""This share of one core goes into figures for show, and at most that where they would be too old otherwise."""
_LEAST, _OLDEST = 2.0, 28.0
"""Seconds between two figures; with the time in which they reach a page none is older than half a minute."""
_T = TypeVar("_T")
_REPLAYS = 8
_LONGEST = 400
_MATCH = re.compile(r"match/e\d+b\d+r\d+\.html")
_OURS = re.compile(rb'id="progress"|<body data-run=')
"""What the page of a run holds, and hardly any other."""


class Live:
    """The pages of a run by their names: the page itself has none, and each match that may be watched has one.

    Of a finished run, pages of matches are made when they are asked for; as ``files`` there are none.

    Raises:
        AbsentRun, BrokenRun: there is no run in the folder, or it is damaged.
    """

    def __init__(self, folder: RunFolder, gets: dict[str, Route] | None = None, *, files: bool = False) -> None:
        """``gets`` are the answers by name of a server that waits; they become those of the run."""
        self._files = files
        self.gets: dict[str, Route] = {} if gets is None else gets
        self._following = Following(folder)
        self._watchable = self._following.knows_the_deals()
        self._matches: deque[FinishedMatch] = deque(maxlen=LATEST_MATCHES)
        self._page: Callable[[], str]
        self._over = False
        """Whether the run is finished and has been read to its end."""
        self.finished = False
        """Whether the page is the report of a finished run."""
        self._trend = Trend()
        self._next_report_at = 0.0
        self._report = self._following.report()
        self._tables, self._figures = draw_tables(self._report), draw_figures(self._report)
        self.look()
        self.gets[""] = lambda _: Response(body=self.page)

    @property
    def page(self) -> bytes:
        """The page itself, made when it is asked for."""
        return self._page().encode()

    def follow(self, to: Path | None = None) -> None:
        """Look at the folder again and again until the run is finished; write the pages ``to`` a folder, if given.

        Raises:
            OSError: they cannot be written.
        """
        pause, more = threading.Event(), False
        while not self.finished:
            if to is not None:
                _aside(partial(self.write, to))
            if not more:
                pause.wait(EVERY if to is None else WRITTEN_EVERY)
            more = self.look()
        if to is not None:
            self.write(to)

    def look(self) -> bool:
        """Read what is new; whether there may be more to read at once."""
        more = _aside(self._read_on)
        # what is made when the run is over takes nothing from it
        self._finish()
        return more

    def _read_on(self) -> bool:
        trouble, more = "", False
        try:
            matches = self._following.read_on()
            if matches is None:
                self._matches.clear()
            self._matches.extend(matches or ())
            # first read all matches that were played before
            more = matches is None or self._following.more
            if not more or monotonic() >= self._next_report_at:
                self._figure()
            self._over = self._following.manifest.finished and not more and not locked(self._following.folder)
        except (ArenaError, ArithmeticError, OSError) as error:
            trouble = _words(error)
        self._show(trouble)
        return more

    def _show(self, trouble: str) -> None:
        watched = self._following.open if self._watchable else []
        routes: dict[str, Route] = {
            f"match/{finished.match.id}.html": partial(
                self._match, finished.match.id, partial(self._following.replay, finished)
            )
            for finished in watched
        }
        self._lead_to(routes)
        made = partial(
            live_page,
            self._report,
            replace(self._following.progress(), trouble=trouble),
            tables=self._tables,
            figures=self._figures,
            latest=[finished.match for finished in reversed(self._matches)],
            watched=[finished.match for finished in watched],
            watchable=self._watchable,
        )
        self._page = cache(made)

    def _figure(self) -> None:
        """Make the figures again if there is something new and it is time."""
        now, began = monotonic(), thread_time()
        if self._following.played == self._report.leaderboard.matches or now < self._next_report_at:
            return
        self._report = self._following.report()
        order = [row.bot for row in self._report.leaderboard.leaderboard]
        self._tables = draw_tables(self._report, self._trend.moved(self._following.played, order))
        self._figures = draw_figures(self._report)
        cost, wait = thread_time() - began, monotonic() - now
        # at the lowest priority they take a while, these and the next ones
        self._next_report_at = monotonic() + max(_LEAST, min(cost / _SHARE, _OLDEST - 2 * wait), cost / _MOST)

    def _finish(self) -> None:
        if not self._over:
            return
        try:
            board = compute_standings(self._following.folder)
            report = report_of(board)
            replays, listed = replays_of(board, report, [], _REPLAYS), () if self._files else report.survey.listed
            paged = {match.number: match.id for match in listed}
            rules = read_rules(self._following.manifest)
            text = report_page(report, replays, rules=rules, pages="match/{}.html", paged=paged)
        except (ArenaError, ArithmeticError, OSError) as error:
            self._show(_words(error))
            return
        self._page = lambda: text
        rows = np.searchsorted(board.results.columns.number, [*paged]).tolist()
        tellers = {match: partial(_tell, board, row) for match, row in zip(paged.values(), rows, strict=True)}
        self._lead_to({f"match/{match}.html": partial(self._match, match, tell) for match, tell in tellers.items()})
        self.finished = True

    def _lead_to(self, routes: dict[str, Route]) -> None:
        # the server keeps the mapping that it was given
        for name in self.gets.keys() - {"", *routes}:
            del self.gets[name]
        self.gets |= routes

    def _match(self, match: str, tell: Callable[[], Replay], _: Request) -> Response:
        path = str(self._following.folder.path)
        command = shlex.join(["arena", "replay", path, match])
        try:
            replay = tell()
        except (ArenaError, OSError) as error:
            words = f"{plain(words_of(error), _LONGEST)}\n".encode()
            return Response(body=words, kind="text/plain; charset=utf-8", status=HTTPStatus.INTERNAL_SERVER_ERROR)
        rules, field = read_rules(self._following.manifest), [bot.name for bot in self._report.provenance.bots]
        page = replay_page(replay, rules=rules, run=shlex.quote(path), command=command, field=field)
        return Response(body=page.encode())

    def write(self, to: Path) -> None:
        """Write the pages into a folder: those of matches that are not there yet, then the page that leads to them.

        Pages of matches that it no longer leads to are removed.

        Raises:
            OSError: they cannot be written; ``arena.files.Linked``: a link is in the place of one.
        """
        pages = set(files(to, "match"))
        for name, route in self.gets.items():
            if name and name not in pages and (answer := route(Request())).status is HTTPStatus.OK:
                assert isinstance(answer.body, bytes)  # noqa: S101 - pages of matches are whole
                write(to, name, answer.body)
        write(to, "index.html", self.page)
        for name in pages - self.gets.keys():
            if _MATCH.fullmatch(name):
                remove(to, name)


def _aside(work: Callable[[], _T]) -> _T:
    """What work gives that is done at the lowest priority: everything else on this machine goes first."""
    done: Future[_T] = Future()

    def do() -> None:
        if sys.platform == "linux":
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            done.set_exception(error)

    threading.Thread(target=do, daemon=True).start()
    return done.result()


def _tell(board: Standings, row: int) -> Replay:
    return next(replays_at(board, [row]))


def _words(error: Exception) -> str:
    return FOLDER_GONE if isinstance(error, AbsentRun) else plain(words_of(error), _LONGEST)


def writable(to: Path) -> None:
    """Make the folder for the pages, unless it is there.

    Raises:
        UsageError: it holds something else than pages of a run that is watched.
        OSError: it cannot be made or read.
    """
    to.mkdir(parents=True, exist_ok=True)
    names = {path.name for path in to.iterdir()} - {"match", ".index.html.new"}
    if names and not (names == {"index.html"} and _OURS.search(read(to, "index.html"))):
        got = f"{to} with {min(names)}"
        raise UsageError(f"expected an empty folder, or one of `arena watch --to`, got {got}", option="to")
