"""``arena matches``: find the match to look at."""

import shlex
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer

from arena.cli.groups import grouped
from arena.cli.options import Format, PlainOutput, Run
from arena.cli.remarks import remark
from arena.errors import UsageError
from arena.players.botfile import nearest
from arena.record import Record
from arena.report.tables import table
from arena.tournament.folder import RunFolder

_WIDE = ("bots, winner first", "scores", "faults")
_ROOM = 80 - len("#99999  e9b9999r9  " + "    " + "  99999")
_ROOM_OF_SCORES, _ROOM_OF_FAULTS = 14, 18


@grouped
def matches(
    run: Run,
    output: PlainOutput,
    bot: Annotated[
        str | None, typer.Option("--bot", metavar="NAME", help="Only matches of this bot.", show_default=False)
    ] = None,
    lost: Annotated[bool, typer.Option("--lost", help="Only matches it did not win (with --bot).")] = False,
    fault: Annotated[bool, typer.Option("--fault", help="Only matches with a fault (with --bot: of it).")] = False,
    void: Annotated[bool, typer.Option("--void", help="Only void matches.")] = False,
) -> None:
    """List the matches of a run in the order they were finished.

    Example: arena matches results/demo --bot greedy --lost
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    names = [entrant.name for entrant in manifest.entrants]
    if bot is not None and bot not in names:
        raise UsageError(
            f"expected a bot of the run ({', '.join(names)}), got {bot!r}{nearest(bot, names)}", option="bot"
        )
    if lost and bot is None:
        raise UsageError("expected --bot with it, got none: somebody loses every match", option="lost")
    form = output.form
    rows = [
        _row(number, record, form)
        for number, record in enumerate(folder.records())
        if _wanted(record, bot, lost=lost, fault=fault, void=void)
    ]
    shown = _folded(rows) if form is Format.table else rows
    typer.echo(table(shown, form, ("match", "id", *_WIDE, "ms")))
    unfinished = "" if manifest.finished else " so far (provisional: the run is not finished)"
    where = f"; look at one: arena replay {shlex.quote(run)} '{rows[0]['match']}'" if rows else ""
    said = f"{len(rows)} {'match' if len(rows) == 1 else 'matches'}{unfinished}{where}"
    remark(said, quiet=output.quiet or form is not Format.table)


def _wanted(record: Record, bot: str | None, *, lost: bool, fault: bool, void: bool) -> bool:
    if void and record.reason != "void":
        return False
    if bot is None:
        return bool(record.faults) or not fault
    if bot not in record.bots:
        return False
    seat = record.bots.index(bot)
    if lost and (record.ranks[seat] == 0 or record.reason == "void"):
        return False
    return not fault or any(found.seat == seat for found in record.faults)


def _row(number: int, record: Record, form: Format) -> dict[str, object]:
    if form is Format.json:
        return {
            "match": number,
            "id": record.id,
            "bots": record.bots,
            "ranks": record.ranks,
            "scores": record.scores,
            "reason": record.reason,
            "faults": [{"bot": record.bots[fault.seat], "kind": fault.kind} for fault in record.faults],
            "decisions": len(record.picks),
            "seconds": record.seconds,
        }
    order = sorted(range(len(record.bots)), key=lambda seat: (record.ranks[seat], seat))
    void = record.reason == "void"
    return {
        "match": f"#{number}",
        "id": record.id,
        "bots, winner first": "void" if void else " ".join(_placed(record, order)),
        "scores": "-" if void else " ".join(str(record.scores[seat]) for seat in order),
        "faults": " ".join(f"{record.bots[fault.seat]}:{fault.kind}" for fault in record.faults[:3]) or "-",
        "ms": f"{record.seconds * 1000:.0f}",
    }


def _folded(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """The rows in 80 columns: where that is too narrow, their wide cells go on in rows below."""
    widths = [max((len(str(row[name])) for row in rows), default=0) for name in _WIDE]
    if sum(widths) > _ROOM:
        scores, faults = min(widths[1], _ROOM_OF_SCORES), min(widths[2], _ROOM_OF_FAULTS)
        widths = [_ROOM - scores - faults, scores, faults]
    folded = []
    for row in rows:
        cells = [wrap(str(row[name]), width, break_on_hyphens=False) for name, width in zip(_WIDE, widths, strict=True)]
        for number, parts in enumerate(zip_longest(*cells, fillvalue="")):
            below: dict[str, object] = row if number == 0 else dict.fromkeys(row, "")
            folded.append(below | dict(zip(_WIDE, parts, strict=True)))
    return folded


def _placed(record: Record, order: list[int]) -> Iterator[str]:
    """The bots from first to last; ``=`` before one that shares the rank of the one before."""
    before = -1
    for seat in order:
        rank = record.ranks[seat]
        yield f"{'=' if rank == before else ''}{record.bots[seat]}"
        before = rank
