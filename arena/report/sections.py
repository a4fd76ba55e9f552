"""Statistics of a run as sections of a document, each with a heading and an explanation."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from arena.report.document import NONE, Section, Table
from arena.report.faults import BotFaults
from arena.report.render import milliseconds
from arena.report.seats import EVEN, SeatRow
from arena.report.times import BotTimes

_WIDTH = 78


def section(
    *,
    name: str,
    heading: str,
    kind: type[Struct],
    rows: Sequence[Struct],
    notes: Sequence[str],
    lines: Sequence[dict[str, str]] = (),
    tables: Sequence[Table] = (),
    words: Collection[str] = (),
    wide: Collection[str] = (),
) -> Section:
    """One of the statistics: rows of this kind as data, the same for people as ``lines`` or ``tables``, and notes."""
    return Section(
        name=name,
        headline=heading,
        tables=tables or (Table(rows=lines, left=words, wide=wide),),
        notes=tuple(notes),
        width=_WIDTH,
        rows=rows,
        columns=kind.__struct_fields__,
    )


def times_section(rows: Sequence[BotTimes], move_time: int) -> Section:
    """The answering times; ``move_time`` is the limit that the run was played with, in milliseconds."""
    lines = [
        {
            "bot": row.bot,
            "asked": str(row.asked),
            "p50": milliseconds(row.ms_median),
            "p99": milliseconds(row.ms_p99),
            "max": milliseconds(row.ms_max),
            "closest call": NONE if row.closest is None else f"{100 * row.closest:.1f} % #{row.closest_match}",
            "late": str(row.late),
            "suggest": NONE if row.suggested_ms is None else _limit(row.suggested_ms) + "+" * row.at_least,
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
    tables = (
        Table(rows=counted, left=("kind", "first"), wide=("bot",)),
        Table(rows=texts, left=("kind",), wide=("bot", "what was wrong")),
    )
    notes = [] if rows else ["No faults."]
    notes += [
        f"{name} was withdrawn for its faults from {count} matches: silence played them."
        for name, count in silenced.items()
    ]
    return section(name="faults", heading="Faults", kind=BotFaults, rows=rows, tables=tables, notes=notes)


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


def _between(value: float, margin: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" + ("" if margin is None else f" +- {margin:.{digits}f}")


def _limit(ms: int) -> str:
    """As the command line takes it."""
    return f"{ms // 1000}s" if ms % 1000 == 0 else f"{ms}ms"
