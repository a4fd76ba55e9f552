"""What is shown on stderr while matches are played: a live table, a plain line now and then, or one bot's messages."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TextIO

from arena.escape import plain
from arena.record import MatchResult, Record
from arena.report.document import WIDTH
from arena.terminal import is_colourful, is_drawable
from arena.tournament.folder import Manifest
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Watcher
from arena.tournament.plan import count_matches, measure_of_run
from arena.words import plural

PLAIN_EVERY = 5.0
"""Seconds between two plain lines."""
_BAR_EVERY = 0.1
"""Seconds between two drawings of a bar."""


class Silent(Watcher):
    """Shows nothing."""

    def close(self) -> None:
        """The run is over, however it ended."""


class LogProgress(Silent):
    """One line every few seconds, for logs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = self._finished = self._decisions = self._faults = 0
        self._start = self._last_line_at = monotonic()

    def begin(self, manifest: Manifest, lanes: Lanes) -> None:  # noqa: ARG002 - as it is called
        """Take the number of matches to come."""
        self._manifest, self._measure = manifest, measure_of_run(manifest)
        self.further(manifest)
        self._start = self._last_line_at = monotonic()
        self._at_start = 0

    def further(self, manifest: Manifest) -> None:
        """Take the number of matches, those of rounds to come too."""
        self._total, self._exact = count_matches(manifest)

    def recalled(self, *, matches: int, faults: int, outcomes: Iterator[MatchResult]) -> None:  # noqa: ARG002 - as it is called
        """Count the matches of earlier sessions."""
        self._finished += matches
        self._at_start += matches
        self._faults += faults

    def played(self, record: Record) -> None:
        """Count a match."""
        self._finished += 1
        self._decisions += sum(waited >= 0 for waited in record.micros)
        self._faults += len(record.faults)

    def summary(self) -> str:
        """How far the run is and how fast it goes."""
        seconds = max(monotonic() - self._start, 1e-9)
        rest = self._total - self._finished
        rate = (self._finished - self._at_start) / seconds
        eta = f", {rest / rate:.0f} s left" if rate and rest else ""
        faults = f", {plural(self._faults, 'fault')}" if self._faults else ""
        about = "" if self._exact else "about "
        of = plural(self._total, "match")
        return f"{self._finished:,}/{about}{of}, {self._decisions / seconds:,.0f} decisions/s{faults}{eta}"

    def tick(self) -> None:
        """Print the progress, if it is time to."""
        if monotonic() - self._last_line_at >= PLAIN_EVERY:
            self._last_line_at = monotonic()
            self._stream.write(f"arena: {self._manifest.game}: {self.summary()}\n")
            self._stream.flush()


def watcher(*, quiet: bool) -> Silent:
    """The watcher for this stderr: a silent one, a live table, or plain lines."""
    if quiet:
        return Silent()
    if not is_drawable(sys.stderr):
        return LogProgress(sys.stderr)
    from arena.terminal.live_table import LiveTable  # noqa: PLC0415 - logs and machines need none

    return LiveTable(sys.stderr)


@contextmanager
def bar(
    *, quiet: bool, of: str = "matches", doing: str = "self-play"
) -> Iterator[Callable[[object, int], None] | None]:
    """A function to call with each match and the number of matches: it fills a bar, or prints a line now and then.

    None if it is to be ``quiet``. ``of`` names what is counted.

    It is drawn in this thread, for a process with other threads cannot be copied.
    """
    if quiet:
        yield None
        return
    if not is_drawable(sys.stderr):
        yield _counting(sys.stderr, of, doing)
        return
    from rich.console import Console  # noqa: PLC0415 - it takes long to load, and only terminals need it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn  # noqa: PLC0415 - likewise

    colourful = is_colourful(sys.stderr)
    columns = (BarColumn() if colourful else "", MofNCompleteColumn(), of, TimeRemainingColumn())
    console = Console(file=sys.stderr, color_system="auto" if colourful else None)
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as drawn:
        task = drawn.add_task("", total=None)
        last = drawn.get_time()

        def advance(_: object, total: int) -> None:
            nonlocal last
            drawn.update(task, advance=1, total=total)
            if drawn.get_time() - last >= _BAR_EVERY:
                last = drawn.get_time()
                drawn.refresh()

        yield advance


def _counting(stream: TextIO, of: str, doing: str) -> Callable[[object, int], None]:
    done, began = 0, monotonic()
    last = began

    def advance(_: object, total: int) -> None:
        nonlocal done, last
        done += 1
        now = monotonic()
        if now - last >= PLAIN_EVERY:
            last = now
            eta = (now - began) / done * (total - done)
            stream.write(f"arena: {doing}: {done}/{total} {of}, {eta:.0f} s left\n")
            stream.flush()

    return advance


@contextmanager
def elapsing(total: float, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """A function to call with the seconds that have gone by, of so many: as ``bar``."""
    with bar(quiet=quiet, of="seconds", doing="review") as counted:
        done = 0

        def advance(seconds: float) -> None:
            nonlocal done
            while counted and done < min(seconds, total) - 1:
                done += 1
                counted(None, int(total))

        yield advance


@contextmanager
def trying_line(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function to call with what is being tried: it overwrites a line on a terminal. Elsewhere it shows nothing."""
    shows = not quiet and is_drawable(sys.stderr)

    def show(what: str) -> None:
        if shows:
            # on a narrow terminal a longer line would go on in a second row, which nothing overwrites
            room = min(WIDTH, os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH) - len("trying:  ")
            sys.stderr.write(f"\r\x1b[Ktrying: {plain(what, max(room, 4))}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shows:
            sys.stderr.write("\r\x1b[K")
