"""The matches of a run as rows of a table. Prints nothing."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from arena.numeric import Array, np
from arena.record import from_first
from arena.report.document import in_lines
from arena.results.columns import VOID, Match, Results

WIDE = ("bots, winner first", "scores", "faults")
_ROOM = 80 - len("#99999  e9b9999r9  " + "    " + "  99999")
_ROOM_OF_SCORES, _ROOM_OF_FAULTS = 14, 18


def wanted(results: Results, bots: Sequence[str], *, lost: bool, fault: bool, void: bool) -> Array:
    """The rows of matches that are asked for: with all these bots, lost or faulted by the first, void."""
    columns = results.columns
    chosen = columns.reason == VOID if void else np.ones(len(columns.reason), bool)
    of_bots = [columns.bots == results.bots.index(bot) for bot in bots]
    for of_bot in of_bots:
        chosen &= of_bot.any(axis=1)
    if bots and lost:
        chosen &= (of_bots[0] & (columns.ranks != 0)).any(axis=1) & results.played
    if fault:
        faulted = np.zeros(len(chosen), bool)
        for row, match in results.rare_matches(void=True):
            faulted[row] = any(not bots or match.bots[each.seat] == bots[0] for each in match.faults)
        chosen &= faulted
    rows: Array = np.flatnonzero(chosen)
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
        "bots, winner first": f"void: {match.why}".removesuffix(": ") if void else " ".join(_placed(match, order)),
        "scores": "-" if void else " ".join([str(match.scores[seat]) for seat in order]),
        "faults": ", ".join(_faults(match)) if match.faults else "-",
        "ms": f"{match.seconds * 1000:.0f}",
    }


def listed(results: Results, rows: Array, form: str) -> Callable[[], Iterator[Mapping[str, object]]]:
    """The list, as often as it is asked for; in a table wide cells continue below where 80 columns are too few."""
    if form == "json":
        return lambda: map(data, results.matches(rows))
    if form != "table":
        return lambda: map(row, results.matches(rows))
    widths = {name: len(name) for name in WIDE}
    for shown in map(row, results.matches(rows)):
        for name, width in widths.items():
            if len(shown[name]) > width:
                widths[name] = len(shown[name])
    if sum(widths.values()) > _ROOM:
        _, scores, faults = widths.values()
        scores, faults = min(scores, _ROOM_OF_SCORES), min(faults, _ROOM_OF_FAULTS)
        widths = dict(zip(WIDE, (_ROOM - scores - faults, scores, faults), strict=True))
    return lambda: chain.from_iterable(in_lines(shown, widths) for shown in map(row, results.matches(rows)))


def _faults(match: Match) -> Iterator[str]:
    """How many faults of a kind each bot has, in the order of the first of them: ``3 late (pike)``."""
    counts = Counter((match.bots[fault.seat], fault.kind) for fault in match.faults)
    for (bot, kind), count in counts.items():
        yield f"{count} {kind} ({bot})"


def _placed(match: Match, order: list[int]) -> Iterator[str]:
    """The bots from first to last; ``=`` before one that shares the rank of the one before."""
    before = -1
    for seat in order:
        rank = match.ranks[seat]
        yield f"{'=' if rank == before else ''}{match.bots[seat]}"
        before = rank
