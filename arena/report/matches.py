"""The matches of a run as rows of a table. Prints nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from arena.escape import guarded, markdown, plain
from arena.numeric import Array, np
from arena.record import from_first
from arena.report.document import WIDTH, Table, in_lines, table
from arena.report.document import width as terminal_width
from arena.results.columns import VOID, Match, Results

WIDE = ("bots, winner first", "scores", "faults")
COLUMNS = ("match", "id", *WIDE, "ms")
PAGE = 1000
"""Rows of a long list that are laid out at once."""
_LONGEST = 400
_NARROW = ("match", *WIDE[:2])
"""The columns on a narrow terminal."""
_TAB = "\t"
_ROOM = WIDTH - len("#99999  e9b9999r9  " + "    " + "  99999")
_ROOM_OF_SCORES, _ROOM_OF_FAULTS = 14, 18


def select_rows(results: Results, bots: Sequence[str], *, lost: bool, fault: bool, void: bool) -> Array:
    """The rows of matches that are asked for: with all these bots, lost or faulted by the first, void."""
    columns = results.columns
    mask = columns.reason == VOID if void else np.ones(len(columns.reason), bool)
    of_bots = [columns.bots == results.bots.index(bot) for bot in bots]
    for of_bot in of_bots:
        mask &= of_bot.any(axis=1)
    if bots and lost:
        mask &= (of_bots[0] & (columns.ranks != 0)).any(axis=1) & results.played
    if fault:
        faulted = np.zeros(len(mask), bool)
        for row, match in results.rare_matches(void=True):
            faulted[row] = any(not bots or match.bots[fault.seat] == bots[0] for fault in match.faults)
        mask &= faulted
    rows: Array = np.flatnonzero(mask)
    return rows


def data(match: Match) -> dict[str, object]:
    """A match for programs."""
    return {
        "match": match.number,
        "id": match.id,
        "bots": match.bots,
        "ranks": match.ranks,
        "scores": match.scores,
        "reason": match.reason,
        "why": match.why,
        "faults": [{"bot": match.bots[fault.seat], "kind": fault.kind} for fault in match.faults],
        "decisions": match.decisions,
        "seconds": match.seconds,
    }


def row(match: Match) -> dict[str, str]:
    """A match for people."""
    order = from_first(match.ranks)
    void = match.reason == "void"
    return {
        "match": f"#{match.number}",
        "id": match.id,
        "bots, winner first": f"void: {match.why}".removesuffix(": ") if void else _placed(match, order),
        "scores": "-" if void else " ".join([str(match.scores[seat]) for seat in order]),
        "faults": ", ".join(_faults(match)) if match.faults else "-",
        "ms": f"{match.seconds * 1000:.0f}",
    }


def listed(results: Results, rows: Array, form: str) -> Iterator[str]:
    """The list in parts, with a newline between each two; as text, wide cells continue below in 80 columns."""
    if form == "table" and len(rows) and terminal_width() < WIDTH:
        cells = [{name: row(match)[name] for name in _NARROW} for match in results.matches(rows)]
        return iter([Table(rows=cells, wide=_NARROW[1:]).text(form)])
    if form == "table" and len(rows):
        return _text(map(row, results.matches(rows)))
    return _pages(results, rows, form)


def _pages(results: Results, rows: Array, form: str) -> Iterator[str]:
    """The list in any format but text, however long it is."""
    to_cells: Callable[[Match], dict[str, Any]] = data if form == "json" else row
    heading, ending = {"json": (1, 1), "csv": (1, 0)}.get(form, (2, 0))
    widest: list[dict[str, Any]] = []
    if form == "markdown" and len(rows):
        # a row of the widest cells gives the columns of each page the same widths
        widths = dict.fromkeys(COLUMNS, 0)
        for cells in map(row, results.matches(rows)):
            for name, text in cells.items():
                widths[name] = max(widths[name], len(markdown(plain(text, _LONGEST))))
        widest = [{name: "x" * width for name, width in widths.items()}]
    for start in range(0, max(len(rows), 1), PAGE):
        part = map(to_cells, results.matches(rows[start : start + PAGE]))
        lines = table([*part, *widest], form, COLUMNS).split("\n")
        last = start + PAGE >= len(rows)
        text = "\n".join(lines[heading * (start > 0) : len(lines) - len(widest) - ending * (not last)])
        yield text + "," * (form == "json" and not last)


def _text(rows: Iterable[dict[str, str]]) -> Iterator[str]:
    """The rows as text. Nearly all are plain, and kept as one line: there may be a million."""
    buffer: list[str | dict[str, str]] = []
    widths = dict.fromkeys(WIDE, 0)
    for cells in rows:
        line = "".join(cells.values())
        # two colons may stand first in a cell, where `plain` would see them
        simple = "::" not in line and plain(line, len(line) + 4) == line
        buffer.append(_TAB.join(cells.values()) if simple else cells)
        for name, width in widths.items():
            if len(cells[name]) > width:
                widths[name] = len(cells[name])
    widths = {name: max(width, len(name)) for name, width in widths.items()}
    if sum(widths.values()) > _ROOM:
        _, scores, faults = widths.values()
        scores, faults = min(scores, _ROOM_OF_SCORES), min(faults, _ROOM_OF_FAULTS)
        widths = dict(zip(WIDE, (_ROOM - scores - faults, scores, faults), strict=True))
    lines = [line for row in buffer for line in _lines(row, widths)]
    starts = range(0, len(lines), PAGE)
    of_page = [
        [max(map(len, column)) for column in zip(*map(_cells, lines[start : start + PAGE]), strict=True)]
        for start in starts
    ]
    widest = dict(zip(COLUMNS, ["x" * max(column) for column in zip(*of_page, strict=True)], strict=True))
    heading = table([widest], "table", COLUMNS).rpartition("\n")[0]
    yield heading
    column_widths = [len(rule) for rule in heading.rpartition("\n")[2].split()]
    for start in starts:
        page = map(_cells, lines[start : start + PAGE])
        yield "\n".join([guarded("  ".join(map(str.ljust, cells, column_widths)).rstrip()) for cells in page])


def _cells(line: str) -> list[str]:
    return line.split(_TAB)


def _lines(row: str | dict[str, str], widths: Mapping[str, int]) -> list[str]:
    if isinstance(row, str):
        cells = _cells(row)
        if all(map(int.__ge__, widths.values(), map(len, cells[2:5]))):
            return [row]
        row = dict(zip(COLUMNS, cells, strict=True))
    return [_TAB.join([plain(text, _LONGEST) for text in part.values()]) for part in in_lines(row, widths)]


def _faults(match: Match) -> Iterator[str]:
    """How many faults of a kind each bot has, in the order of the first of them: ``3 late (pike)``."""
    counts = Counter((match.bots[fault.seat], fault.kind) for fault in match.faults)
    for (bot, kind), count in counts.items():
        yield f"{count} {kind} ({bot})"


def _placed(match: Match, order: list[int]) -> str:
    """The bots from first to last; ``=`` before one that shares the rank of the one before."""
    bots, ranks = match.bots, match.ranks
    if len({*ranks}) == len(ranks):
        return " ".join([bots[seat] for seat in order])
    shared = [False, *[ranks[seat] == ranks[before] for before, seat in pairwise(order)]]
    return " ".join([f"{'=' * equal}{bots[seat]}" for seat, equal in zip(order, shared, strict=True)])
