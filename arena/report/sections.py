"""Statistics of a run as text: tables of 80 columns, Markdown or CSV, each with a heading and an explanation.

Knows the rows of the statistics; knows no records, ratings or files. ``table`` makes texts of bots safe.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from arena.escape import markdown, plain
from arena.report.faults import BotFaults
from arena.report.render import milliseconds
from arena.report.seats import EVEN, SeatRow
from arena.report.tables import in_lines, sentences, table
from arena.report.times import Bin, BotTimes

_WIDTH = 80
_GAP = len("  ")
_PADDING = 2
"""What a table keeps free beside each heading of a column."""
_NARROWEST = 8
_SENTENCE = 1000
_NONE = "-"


class Grid(Struct, frozen=True, kw_only=True):
    """Rows of text, at least one, by the names of their columns, which end in line but for those of words."""

    rows: list[dict[str, str]]
    words: Collection[str] = ()
    """Columns that begin in line."""
    wide: Collection[str] = ()
    """Those that are folded where 80 columns are too few."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(self.rows[0])

    @property
    def right(self) -> set[str]:
        """The names of those that end in line."""
        return {*self.columns} - {*self.words, *self.wide}


class Section(Struct, frozen=True, kw_only=True):
    """One of the statistics: its rows as data, the same for people, and notes in sentences."""

    name: str
    heading: str
    kind: type[Struct]
    """Of the rows."""
    rows: Sequence[Struct]
    grids: tuple[Grid, ...]
    notes: tuple[str, ...]


def section(
    *,
    name: str,
    heading: str,
    kind: type[Struct],
    rows: Sequence[Struct],
    lines: list[dict[str, str]],
    notes: Sequence[str],
    words: Collection[str] = (),
    wide: Collection[str] = (),
) -> Section:
    """A section with one grid, or none if it has no ``lines``."""
    grids = (Grid(rows=lines, words=words, wide=wide),) if lines else ()
    return Section(name=name, heading=heading, kind=kind, rows=rows, grids=grids, notes=tuple(notes))


def times_section(rows: Sequence[BotTimes], move_time: int) -> Section:
    """The answering times; ``move_time`` is the limit that the run was played with, in milliseconds."""
    lines = [
        {
            "bot": row.bot,
            "asked": str(row.asked),
            "p50": milliseconds(row.ms_median),
            "p99": milliseconds(row.ms_p99),
            "max": milliseconds(row.ms_max),
            "closest call": _NONE if row.closest is None else f"{100 * row.closest:.1f} % #{row.closest_match}",
            "late": str(row.late),
            "suggest": _NONE if row.suggested_ms is None else _limit(row.suggested_ms) + "+" * row.at_least,
        }
        for row in rows
    ]
    notes = []
    if known := [row for row in rows if row.suggested_ms is not None]:
        most = max(row.suggested_ms or 0 for row in known)
        late = [row.bot for row in known if row.at_least]
        notes.append(f"Move time: {_limit(move_time)}; with a margin for busier machines: {_limit(most)}.")
        if late:
            notes[0] = notes[0].removesuffix(".") + " or more."
            notes.append(f"How much more time these would have taken is not known: {', '.join(late)}.")
    return section(
        name="time", heading="Answering times in ms", kind=BotTimes, rows=rows, lines=lines, notes=notes, wide=("bot",)
    )


def faults_section(rows: Sequence[BotFaults], silenced: Mapping[str, int]) -> Section:
    """The faults. ``silenced``: by withdrawn bot, the matches that silence played for it."""
    counted = [
        {
            "bot": row.bot,
            "kind": row.kind,
            "faults": str(row.count),
            "matches": str(row.matches),
            "retired": str(row.retired),
            "first": f"#{row.first_match}, "
            + (f"decision {row.first_decision}" if row.first_decision >= 0 else "at the start"),
        }
        for row in rows
    ]
    texts = [
        {"bot": row.bot, "kind": row.kind, "times": times, "what was wrong": rule}
        for row in rows
        for times, rule in _broken_rules(row)
    ]
    grids = (
        Grid(rows=counted, words=("kind", "first"), wide=("bot",)),
        Grid(rows=texts, words=("kind",), wide=("bot", "what was wrong")),
    )
    notes = [] if rows else ["No faults."]
    notes += [
        f"{name} was withdrawn for its faults from {count} matches: silence played them."
        for name, count in silenced.items()
    ]
    return Section(
        name="faults", heading="Faults", kind=BotFaults, rows=rows, grids=grids if rows else (), notes=tuple(notes)
    )


def _broken_rules(row: BotFaults) -> Iterable[tuple[str, str]]:
    """How often each rule was broken; the first one too, if it is none of the frequent ones."""
    if all(rule.rule != row.first_rule for rule in row.rules):
        yield "first", row.first_rule
    for rule in row.rules:
        yield str(rule.count), rule.rule


def seats_section(rows: Sequence[SeatRow], unfinished: int) -> Section:
    """How even the seats are. ``unfinished``: blocks that were left out."""
    lines = [
        {
            "seats": str(row.seats),
            "seat": str(row.seat),
            "blocks": str(row.blocks),
            "rank": _between(row.mean_rank, row.rank_margin, 3),
            "score": _between(row.mean_score, row.score_margin, 2),
            "first": _between(row.first, row.first_margin, 3),
        }
        for row in rows
    ]
    notes = []
    if rows:
        notes.append(
            "rank: 0 is always first, 1 always last, 0.5 even. first: the share of matches won, 1/seats even. "
            "+- is half of a 95 % interval of one seat over whole blocks."
        )
        odd = [
            f"seat {row.seat} of {row.seats} ({'ahead' if row.mean_rank < EVEN else 'behind'})"
            for row in rows
            if row.uneven
        ]
        notes.append(f"Certainly not even in rank: {', '.join(odd) or 'no seat'}.")
    else:
        notes.append("No block is whole yet.")
    if unfinished:
        blocks = "1 block" if unfinished == 1 else f"{unfinished} blocks"
        notes.append(f"Left out, because some of the matches are not rated: {blocks}.")
    return section(name="seats", heading="Seats", kind=SeatRow, rows=rows, lines=lines, notes=notes)


def sections_text(sections: Sequence[Section], form: str, facts: Sequence[str] = ()) -> str:
    """The sections as ``table``, ``markdown`` or ``csv``, ending in a newline; ``facts`` of the run stand first.

    CSV has one table a section, with an empty line between, and neither facts nor notes.
    """
    if form == "csv":
        return "\n".join(
            table([_flat(row) for row in section.rows], form, section.kind.__struct_fields__) + "\n"
            for section in sections
        )
    parts = ["\n".join(sentences(facts, form, _WIDTH - _GAP))]
    for section in sections:
        parts.append(
            f"## {markdown(section.heading)}"
            if form == "markdown"
            else f"{section.heading}\n{'=' * len(section.heading)}"
        )
        parts += [
            table(grid.rows if form == "markdown" else _fitted(grid), form, grid.columns, grid.right)
            for grid in section.grids
        ]
        parts.append("\n".join(sentences(section.notes, form, _WIDTH - _GAP)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _flat(row: Struct) -> dict[str, Any]:
    """A row for CSV: nothing for None, and rules in one cell."""
    return {name: _cell(value) for name, value in asdict(row).items()}


def _cell(value: Any) -> Any:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return "; ".join(f"{each.count} x {each.ms if isinstance(each, Bin) else each.rule}" for each in value)
    return value


def _fitted(grid: Grid) -> list[dict[str, str]]:
    """The rows within 80 columns: what is too long for its wide column goes on in rows below."""
    widths = {
        name: max([len(name) + _PADDING, *(len(plain(row[name], _SENTENCE)) for row in grid.rows)])
        for name in grid.columns
    }
    while sum(widths.values()) + _GAP * (len(widths) - 1) > _WIDTH:
        widest = max(grid.wide, key=lambda name: widths[name], default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    wide = {name: widths[name] for name in grid.columns if name in grid.wide}
    return [line for row in grid.rows for line in (in_lines(row, wide) if wide else [row])]


def _between(value: float, margin: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" + ("" if margin is None else f" +- {margin:.{digits}f}")


def _limit(ms: int) -> str:
    """As the command line takes it."""
    return f"{ms // 1000}s" if ms % 1000 == 0 else f"{ms}ms"
