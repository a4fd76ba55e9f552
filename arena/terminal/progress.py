"""What is shown on stderr while matches are played: a live table, a plain line now and then, or one bot's messages."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from textwrap import wrap
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from msgspec.structs import replace

from arena.escape import folded, harmless, plain
from arena.identity import bot_of
from arena.players.launch import Launch
from arena.ratings import NotConverged, Rating, fit_outcomes, spread_of
from arena.record import MatchResult, Record, encode
from arena.report.document import WIDTH
from arena.results.tally import tallies
from arena.sandbox.sandbox import OPEN
from arena.terminal import remark
from arena.tournament.folder import Manifest
from arena.tournament.lane_messages import BotLine
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Watcher
from arena.tournament.plan import count_matches, measure_of_run
from arena.tournament.standings import empty_results
from arena.words import plural

if TYPE_CHECKING:
    from rich.console import Group

EVERY = 0.25
"""Seconds between two drawings of the live table."""
PLAIN_EVERY = 5.0
"""Seconds between two plain lines."""
_BAR_EVERY = 0.1
"""Seconds between two drawings of a bar."""
_AT_A_TICK = 5000
"""Matches of earlier sessions that are counted at once: lanes are not to wait for it."""
_MOST_OUTCOMES = 10_000
"""Beyond this many different outcomes a fit would take so long that lanes wait for it: then no ratings are shown."""
_SHARE = 0.02
"""At most this share of the time goes into fitting ratings for show."""
TTY = "ARENA_TTY"
"""The variable of a debugged bot that names the terminal for its debugger, for its own pipes are taken."""


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


class LiveTable(LogProgress):
    """A table that is redrawn in place; its ratings are provisional. What does not fit is left out and counted."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console  # noqa: PLC0415 - it takes long to load, and only terminals need it
        from rich.live import Live  # noqa: PLC0415 - likewise

        from arena.report.trend import Trend  # noqa: PLC0415 - only terminals need it

        super().__init__(stream)
        self._console = Console(file=stream, highlight=False, emoji=False, markup=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._lines: list[bytes] = []
        self._ratings: dict[str, Rating] = {}
        self._spread: dict[str, float] = {}
        self._trend, self._moved = Trend(), dict[str, int]()
        self._next_fit = self._drawn = 0.0
        self._started = False
        self._earlier_outcomes: Iterator[MatchResult] = iter(())

    def begin(self, manifest: Manifest, lanes: Lanes) -> None:
        """Take the bots, and the number of matches to come."""
        super().begin(manifest, lanes)
        self._results = empty_results(manifest)
        self._tallies = tallies(self._results)

    def recalled(self, *, matches: int, faults: int, outcomes: Iterator[MatchResult]) -> None:
        """Count the matches of earlier sessions, a part of them at each tick."""
        super().recalled(matches=matches, faults=faults, outcomes=outcomes)
        self._earlier_outcomes = islice(outcomes, matches)

    def played(self, record: Record) -> None:
        """Count a match."""
        super().played(record)
        outcome = {name: getattr(record, name) for name in MatchResult.__struct_fields__}
        self._lines.append(encode(MatchResult(**outcome)))

    def tick(self) -> None:
        """Count some matches of earlier sessions; if it is time to, count the new ones too and draw the table."""
        now = monotonic()
        self._results.take([encode(outcome) for outcome in islice(self._earlier_outcomes, _AT_A_TICK)])
        if now - self._drawn < EVERY:
            return
        self._drawn = now
        self._results.take(self._lines)
        self._lines.clear()
        if now >= self._next_fit:
            self._fit_ratings()
            self._next_fit = monotonic() + (monotonic() - now) / _SHARE
        if not self._started:
            self._live.start()
            self._started = True
        self._live.update(self._table(), refresh=True)

    def _fit_ratings(self) -> None:
        self._tallies, outcomes = tallies(self._results), self._results.outcomes()
        kinds = outcomes.different(range(len(outcomes.names)))
        if 0 < sum(len(kind.counts) for kind in kinds) <= _MOST_OUTCOMES:
            # no run ends because its table for show does not converge
            with suppress(NotConverged):
                fit = fit_outcomes(outcomes)
                self._ratings, self._spread = fit.ratings, spread_of(fit)
                self._moved = self._trend.moved(len(outcomes), self._order())

    def _worth(self, name: str) -> float:
        """What ranks a bot."""
        return self._measure.value(
            rating=self._ratings.get(name, _UNKNOWN).rating, score=self._tallies[name].mean_score
        )

    def _order(self) -> list[str]:
        names = [entrant.name for entrant in self._manifest.entrants if not entrant.withdrawn]
        return sorted(names, key=lambda name: (name not in self._ratings, -self._worth(name), name))

    def _table(self) -> "Group":
        from rich.console import Group  # noqa: PLC0415 - as above
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        width, order = self._console.width, self._order()
        apart = len({rating.component for rating in self._ratings.values()}) > 1
        title = f"{self._manifest.game}: provisional{'; groups that have not met do not compare' if apart else ''}"
        last = wrap(self.summary(), width)
        room = self._console.height - len(wrap(title, width)) - len(last) - 2
        top = order if len(order) <= room else order[: max(room - 1, 1)]
        columns = [self._column(head, order, top) for head in _COLUMNS]
        # the last columns go first
        while len(columns) > _FEWEST and sum(max(map(len, column)) + 2 for column in columns) > width:
            columns.pop()
        drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for head, *_ in columns:
            drawn.add_column(head, justify="left" if head == "bot" else "right", no_wrap=True)
        used = sum(max(map(len, column)) + 2 for column in columns if column[0] != "bot")
        for row in zip(*(column[1:] for column in columns), strict=True):
            # names differ at their ends
            drawn.add_row(
                *(_shortened(text, max(width - used, 8)) if index == 1 else text for index, text in enumerate(row))
            )
        more = [Text(f"... and {len(order) - len(top)} more: see `arena watch`")] if len(top) < len(order) else []
        return Group(Text(title, "bold"), drawn, *more, *map(Text, last))

    def _column(self, head: str, order: list[str], top: list[str]) -> list[str]:
        ratings, place = self._ratings, dict[str, int]()
        digits = 3 if self._measure.by_score else 2
        for index, name in enumerate(order):
            level = index and round(self._worth(name), digits) == round(self._worth(order[index - 1]), digits)
            place[name] = place[order[index - 1]] if level else index + 1
        moved, spread = self._moved, self._spread
        cells: dict[str, Callable[[str], str]] = {
            "#": lambda name: str(place[name]) if name in ratings else "-",
            "bot": str,
            "rating": lambda name: f"{self._worth(name):.{digits}f}" if name in ratings else "-",
            "trend": lambda name: f"{moved[name]:+}" if name in moved else "",
            "mu, 95 %": lambda name: f"{ratings[name].mu:.1f} +-{spread[name]:.1f}" if name in spread else "-",
            "matches": lambda name: str(self._tallies[name].matches),
            "wins": lambda name: f"{self._tallies[name].wins:.1f}",
            "faults": lambda name: str(self._tallies[name].faults.total() or "-"),
        }
        return [self._measure.column if head == "rating" else head, *map(cells[head], top)]

    def close(self) -> None:
        """Take the table away."""
        if self._started:
            self._live.stop()


_COLUMNS = ("#", "bot", "rating", "trend", "mu, 95 %", "matches", "faults", "wins")
_FEWEST = 3
"""Columns that any terminal shows."""
_UNKNOWN = Rating()


def _shortened(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - most // 2 - 3]}...{name[-(most // 2) :]}"


def watcher(*, quiet: bool) -> Silent:
    """The watcher for this stderr: a silent one, a live table, or plain lines."""
    if quiet:
        return Silent()
    drawn = sys.stderr.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}
    return LiveTable(sys.stderr) if drawn else LogProgress(sys.stderr)


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
    if not sys.stderr.isatty():
        yield _counting(sys.stderr, of, doing)
        return
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn  # noqa: PLC0415 - as above

    columns = (BarColumn(), MofNCompleteColumn(), of, TimeRemainingColumn())
    console = Console(file=sys.stderr)
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
    shows = not quiet and sys.stderr.isatty()

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


def debug_launches(launches: Mapping[str, Launch], debug: str, *, free: bool) -> dict[str, Launch]:
    """The launches; those of the debugged bot and its copies are set to show all that it is sent and says.

    ``free``: whether it plays outside of any sandbox, so that it can reach the terminal and a debugger can reach it.
    """
    terminal = {TTY: os.ttyname(2)} if os.isatty(2) else {}
    return {
        name: replace(launch, shown=True, env=launch.env | terminal, sandbox=OPEN if free else launch.sandbox)
        if bot_of(name) == debug
        else launch
        for name, launch in launches.items()
    }


def pass_on(data: bytes) -> None:
    """What a bot writes to stderr, as it is: a debugger's prompt ends in no newline, and colours are its own."""
    sys.stderr.flush()
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


class Debugged(Silent):
    """Shows what goes to and fro, and at the end of each match what was wrong."""

    def __init__(self, bot: str) -> None:
        self._bot = bot

    def show_line(self, line: BotLine) -> None:
        """A line in 80 columns behind its mark, ``->`` to the bot or ``<-`` from it; its stderr as it is."""
        if not line.mark:
            pass_on(line.text)
            return
        text = line.text.decode("utf-8", "backslashreplace")
        if line.mark == "->":
            # with spaces the line can be folded; the bot's own lines are shown exactly
            text = json.dumps(json.loads(text))
        self._say(f"{line.bot}: {text}" if line.mark == "--" else text, line.mark)

    def played(self, record: Record) -> None:
        """How the match ended for the bot."""
        for seat, name in enumerate(record.bots):
            if bot_of(name) != self._bot:
                continue
            for fault in record.faults:
                if fault.seat == seat:
                    self._say(
                        f"{name}: decision {fault.decision}: fault {fault.kind}: {fault.rule}; {fault.hint}", "--"
                    )
            ended = record.why if record.reason == "void" else f"rank {record.ranks[seat]}, score {record.scores[seat]}"
            self._say(f"{name}: match {record.id} is over, seat {seat}: {ended}", "--")

    @staticmethod
    def _say(text: str, mark: str) -> None:
        remark("\n".join(folded(harmless(text), WIDTH, initial_indent=f"{mark} ", subsequent_indent="   ")) or mark)
