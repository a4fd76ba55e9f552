"""``arena matches``: find the match to look at."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.failure import Usage
from arena.cli.options import Format, Formatted, Json, Quiet, Run, remark
from arena.players.botfile import nearest
from arena.record import Record
from arena.report.tables import table
from arena.tournament.folder import RunFolder


def matches(
    run: Run,
    bot: Annotated[str | None, typer.Option("--bot", help="Only matches of this bot.", show_default=False)] = None,
    lost: Annotated[bool, typer.Option("--lost", help="Only matches it did not win (with --bot).")] = False,
    fault: Annotated[bool, typer.Option("--fault", help="Only matches with a fault (with --bot: of it).")] = False,
    void: Annotated[bool, typer.Option("--void", help="Only void matches.")] = False,
    format_: Formatted = Format.table,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the matches of a run, finished or not, as they were recorded.

    Example: arena matches results/demo --bot greedy --lost
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    names = [entrant.name for entrant in manifest.entrants]
    if bot is not None and bot not in names:
        raise Usage(f"--bot: expected a bot of the run ({', '.join(names)}), got {bot!r}{nearest(bot, names)}")
    if lost and bot is None:
        raise Usage("--lost: expected --bot with it, got none: somebody loses every match")
    form = Format.json if json else format_
    rows = [
        _row(number, record, form)
        for number, record in enumerate(folder.records())
        if _wanted(record, bot, lost=lost, fault=fault, void=void)
    ]
    typer.echo(table(rows, form, ("match", "id", "seats, winner first", "scores", "faults", "ms")))
    unfinished = "" if manifest.finished else " so far (provisional: the run is not finished)"
    where = f"arena replay {run} '#{rows[0]['match'] if rows else 0}'".replace("##", "#")
    remark(f"{len(rows)} matches{unfinished}; look at one: {where}", quiet=quiet or form is not Format.table)


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
        "seats, winner first": "void" if void else " ".join(_placed(record, order)),
        "scores": "-" if void else " ".join(str(record.scores[seat]) for seat in order),
        "faults": " ".join(f"{record.bots[fault.seat]}:{fault.kind}" for fault in record.faults[:3]) or "-",
        "ms": f"{record.seconds * 1000:.0f}",
    }


def _placed(record: Record, order: list[int]) -> Iterator[str]:
    """The bots from first to last; ``=`` before one that shares the rank of the one before."""
    before = -1
    for seat in order:
        rank = record.ranks[seat]
        yield f"{'=' if rank == before else ''}{record.bots[seat]}"
        before = rank
