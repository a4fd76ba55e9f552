"""``arena verify``: play every record again from the secret and the picks, and name the first difference."""

from pathlib import Path

import typer

from arena.cli.options import Run
from arena.record import Record
from arena.record import verify as verify_record
from arena.report.plain import harmless
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.tournament.outstanding import Jobs
from arena.tournament.schedule import line_up


def verify(run: Run) -> None:
    """Play every match again from secret and picks.

    Exit 1 at the first difference, which is named.

    Example: arena verify results/demo
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    secrets = folder.secrets_of(manifest)
    blocks = Jobs(manifest, secrets, {}, ()).blocks
    seatings = {f"e{b.epoch}b{b.number}r{r}": line_up(b, r) for b in blocks for r in range(len(b.seating))}
    unseen = dict.fromkeys(seatings)
    voids = 0
    for record in folder.records():
        wrong = _fault_in(record, manifest, seatings)
        if wrong is None and record.id not in unseen:
            wrong = "expected each match once, got it twice"
        if wrong is None:
            wrong = verify_record(record, deal(secrets, record)[1])
        if wrong:
            typer.echo(harmless(f"match {record.id}: {wrong}"))
            raise typer.Exit(1)
        del unseen[record.id]
        voids += record.reason == "void"
    if manifest.finished and unseen:
        missing = next(iter(unseen))
        typer.echo(f"match {missing}: expected it in a finished run, got {len(unseen)} of {len(seatings)} missing")
        raise typer.Exit(1)
    more = f", {voids} of them void" if voids else ""
    unplayed = f" ({len(unseen)} not played yet)" if unseen else ""
    checked = len(seatings) - len(unseen)
    typer.echo(f"{checked} matches hold{more}: schedule, deals, answers, ranks and scores{unplayed}")


def _fault_in(record: Record, manifest: Manifest, seatings: dict[str, tuple[str, ...]]) -> str | None:
    """Where a record is not what the schedule called for."""
    if record.id not in seatings:
        return "expected a match of the schedule, got another id"
    if seatings[record.id] != record.bots:
        return f"bots: expected {', '.join(seatings[record.id])}, got {', '.join(record.bots)}"
    for what, due, got in (
        ("game", manifest.game, record.game),
        ("version", manifest.game_version, record.version),
        ("variants", manifest.variants, record.variants),
    ):
        if due != got:
            return f"{what}: expected {due}, got {got}"
    for what, values in (("ranks", record.ranks), ("scores", record.scores)):
        if len(values) != len(record.bots):
            return f"{what}: expected {len(record.bots)}, got {len(values)}"
    if record.reason != "void" and len(record.seats_asked) != len(record.picks):
        return f"seats asked: expected {len(record.picks)}, got {len(record.seats_asked)}"
    return None
