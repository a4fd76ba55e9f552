"""``arena verify``: play every record again from the secret and the picks, and name the first difference."""

from pathlib import Path

import typer

from arena.cli.options import Run
from arena.record import Record
from arena.record import verify as verify_record
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.tournament.plan import Jobs
from arena.tournament.schedule import line_up


def verify(run: Run) -> None:
    """Play every recorded match again, from the run's secret and the recorded picks; exit 1 at the first difference.

    Example: arena verify results/cash-a-catch-20260101-120000
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    secrets = folder.secrets_of(manifest)
    blocks = Jobs(manifest, secrets, {}, ()).blocks
    seatings = {f"e{b.epoch}b{b.number}r{r}": line_up(b, r) for b in blocks for r in range(len(b.seating))}
    checked = voids = 0
    seen: set[str] = set()
    for record in folder.records():
        wrong = "expected each match once, got it twice" if record.id in seen else _fault_in(record, manifest, seatings)
        if wrong is None:
            wrong = verify_record(record, deal(secrets, record)[1])
        if wrong:
            typer.echo(f"match {record.id}: {wrong}")
            raise typer.Exit(1)
        seen.add(record.id)
        checked += 1
        voids += record.reason == "void"
    missing = len(seatings) - checked
    if manifest.finished and missing:
        typer.echo(f"expected {len(seatings)} matches of a finished run, got {checked}")
        raise typer.Exit(1)
    more = f", {voids} of them void" if voids else ""
    unplayed = f" ({missing} not played yet)" if missing else ""
    typer.echo(f"{checked} matches hold{more}: schedule, deals, answers, ranks and scores{unplayed}")


def _fault_in(record: Record, manifest: Manifest, seatings: dict[str, tuple[str, ...]]) -> str | None:
    """Where a record is not what the schedule called for."""
    if record.id not in seatings:
        return "expected a match of the schedule, got another id"
    if seatings[record.id] != record.bots:
        return f"expected seats {', '.join(seatings[record.id])}, got {', '.join(record.bots)}"
    if (record.game, record.variants) != (manifest.game, manifest.variants):
        return f"expected {manifest.game} {manifest.variants}, got {record.game} {record.variants}"
    return None
