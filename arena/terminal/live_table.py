"""A table of a run that a terminal draws again and again while it is played. It loads rich, which is slow."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from textwrap import wrap
from time import monotonic
from typing import Literal, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from arena.ratings import NotConverged, Rating, fit_outcomes, spread_of
from arena.record import MatchResult, Record, encode
from arena.report.trend import Trend
from arena.results.tally import tallies
from arena.terminal import is_colourful
from arena.terminal.progress import LogProgress
from arena.tournament.folder import Manifest
from arena.tournament.lanes import Lanes
from arena.tournament.standings import empty_results

EVERY = 0.25
"""Seconds between two drawings."""
_AT_A_TICK = 5000
"""Matches of earlier sessions that are counted at once: lanes are not to wait for it."""
_MOST_OUTCOMES = 10_000
"""Beyond this many different outcomes a fit would take so long that lanes wait for it: then no ratings are shown."""
_SHARE = 0.02
"""At most this share of the time goes into fitting ratings for show."""


class LiveTable(LogProgress):
    """A table that is redrawn in place; its ratings are provisional. What does not fit is left out and counted."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._colourful = is_colourful(stream)
        system: Literal["auto"] | None = "auto" if self._colourful else None
        self._console = Console(file=stream, highlight=False, emoji=False, markup=False, color_system=system)
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

    def _table(self) -> Group:
        width, order = self._console.width, self._order()
        apart = len({rating.component for rating in self._ratings.values()}) > 1
        title = f"{self._manifest.game}: provisional{'; groups that have not met do not compare' if apart else ''}"
        last = wrap(self.summary(), width)
        room = self._console.height - len(wrap(title, width)) - len(last) - 3
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
        return Group(Text(title, "bold"), drawn, *more, *([self._bar()] if self._colourful else []), *map(Text, last))

    def _bar(self) -> Text:
        """How much is played, in colours alone, which any encoding has."""
        width = min(self._console.width, _BAR)
        done = min(width * self._finished // max(self._total, 1), width)
        return Text.assemble((" " * done, "on green"), (" " * (width - done), "on grey37"))

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
_BAR = 40


def _shortened(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - most // 2 - 3]}...{name[-(most // 2) :]}"
