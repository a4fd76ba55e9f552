"""The matches of a run as rows of a table. Prints nothing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from arena.record import Record, from_first
from arena.report.document import in_lines

WIDE = ("bots, winner first", "scores", "faults")
_ROOM = 80 - len("#99999  e9b9999r9  " + "    " + "  99999")
_ROOM_OF_SCORES, _ROOM_OF_FAULTS = 14, 18


def wanted(record: Record, bots: Sequence[str], *, lost: bool, fault: bool, void: bool) -> bool:
    """Whether a match is one of those that are asked for: with all these bots, lost or faulted by the first, void."""
    if void and record.reason != "void":
        return False
    if not bots:
        return bool(record.faults) or not fault
    if not all(bot in record.bots for bot in bots):
        return False
    seat = record.bots.index(bots[0])
    if lost and (record.ranks[seat] == 0 or record.reason == "void"):
        return False
    return not fault or any(found.seat == seat for found in record.faults)


def data(number: int, record: Record) -> dict[str, object]:
    """A match for programs."""
    return {
        "match": number,
        "id": record.id,
        "bots": record.bots,
        "ranks": record.ranks,
        "scores": record.scores,
        "reason": record.reason,
        "why": record.why,
        "faults": [{"bot": record.bots[fault.seat], "kind": fault.kind} for fault in record.faults],
        "decisions": len(record.picks),
        "seconds": record.seconds,
    }


def row(number: int, record: Record) -> dict[str, object]:
    """A match for people."""
    order = from_first(record.ranks)
    void = record.reason == "void"
    return {
        "match": f"#{number}",
        "id": record.id,
        "bots, winner first": f"void: {record.why}".removesuffix(": ") if void else " ".join(_placed(record, order)),
        "scores": "-" if void else " ".join(str(record.scores[seat]) for seat in order),
        "faults": ", ".join(_faults(record)) or "-",
        "ms": f"{record.seconds * 1000:.0f}",
    }


class Columns:
    """How wide the wide columns of a list of matches are, where 80 columns have to do."""

    def __init__(self, rows: Iterable[dict[str, object]]) -> None:
        """See all rows."""
        widths = [len(name) for name in WIDE]
        for row in rows:
            widths = [max(width, len(str(row[name]))) for name, width in zip(WIDE, widths, strict=True)]
        if sum(widths) > _ROOM:
            scores, faults = min(widths[1], _ROOM_OF_SCORES), min(widths[2], _ROOM_OF_FAULTS)
            widths = [_ROOM - scores - faults, scores, faults]
        self._widths = dict(zip(WIDE, widths, strict=True))

    def folded(self, row: dict[str, object]) -> Iterator[dict[str, object]]:
        """A row; its wide cells continue in rows below where they are too long."""
        return in_lines(row, self._widths)


def _faults(record: Record) -> Iterator[str]:
    """How many faults of a kind each bot has, in the order of the first of them: ``3 late (pike)``."""
    counts = Counter((record.bots[fault.seat], fault.kind) for fault in record.faults)
    for (bot, kind), count in counts.items():
        yield f"{count} {kind} ({bot})"


def _placed(record: Record, order: list[int]) -> Iterator[str]:
    """The bots from first to last; ``=`` before one that shares the rank of the one before."""
    before = -1
    for seat in order:
        rank = record.ranks[seat]
        yield f"{'=' if rank == before else ''}{record.bots[seat]}"
        before = rank
