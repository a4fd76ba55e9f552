"""``arena export``: what a run decided, in canonical order and without times: equal runs give equal bytes."""

from pathlib import Path

import msgspec
import typer

from arena.cli.options import Run
from arena.tournament.folder import RunFolder


def export(run: Run) -> None:
    """Print every match as a JSON line, in the order of the schedule and without times.

    Example: arena export results/demo > demo.jsonl
    """
    folder = RunFolder(Path(run))
    folder.manifest()
    for record in folder.in_order():
        line = {
            "id": record.id,
            "game": record.game,
            "version": record.version,
            "variants": record.variants,
            "bots": record.bots,
            "ranks": record.ranks,
            "scores": record.scores,
            "reason": record.reason,
            "retired": record.retired,
            "faults": [(fault.seat, fault.kind, fault.decision) for fault in record.faults],
            "seats_asked": record.seats_asked,
            "picks": record.picks,
        }
        typer.echo(msgspec.json.encode(line).decode())
