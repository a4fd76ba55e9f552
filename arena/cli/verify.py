"""``arena verify``: whether all of a run follows from its secret and its picks, and its bots answer as they did."""

from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.answers import Tried, drawn, found_again, told_again, tried
from arena.cli.failure import Usage
from arena.cli.isolation import Asked, AsRun
from arena.cli.options import Run
from arena.cli.standings import standings
from arena.record import Record, shaped
from arena.record import verify as verify_record
from arena.report.plain import harmless
from arena.report.tables import table
from arena.tournament.answers import retold
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.tournament.outstanding import Jobs, limits_of
from arena.tournament.schedule import line_up
from arena.tournament.secrets import Secret
from arena.wire import Limits


def verify(
    run: Run,
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BOT]...", help="With --bots: those that do not ship with arena.", show_default=False),
    ] = None,
    bots: Annotated[bool, typer.Option("--bots", help="Ask the real bots again, and name those that differ.")] = False,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="With --bots: N matches, always the same ones.", min=1),
    ] = None,
    isolation: AsRun = Asked.auto,
) -> None:
    """Play every match again from secret and picks, derive the leaderboard anew.

    Exit 1 at the first difference, which is named.

    Example: arena verify results/demo --bots --sample 20 "mine=python3 mine.py"
    """
    if not bots and (given or sample is not None):
        raise Usage(f"expected --bots with {'--sample' if sample is not None else repr((given or [])[0])}, got none")
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    found, lacking = found_again(manifest, given or []) if bots else ({}, {})
    secrets = folder.secrets_of(manifest)
    blocks = Jobs(manifest, secrets, {}, ()).blocks
    seatings = {f"e{b.epoch}b{b.number}r{r}": line_up(b, r) for b in blocks for r in range(len(b.seating))}
    for match in manifest.given_up:
        seatings.pop(match, None)
    if wrong := _fault_in_manifest(manifest, seatings):
        typer.echo(harmless(f"run.json: {wrong}"))
        raise typer.Exit(1)
    limits = limits_of(manifest)
    unseen = dict.fromkeys(seatings)
    voids: set[str] = set()
    for record in folder.records(whole=False):
        wrong = _fault_in(record, manifest, seatings)
        if wrong is None and record.id not in unseen:
            wrong = "expected each match once, got it twice"
        if wrong is None:
            wrong = _fault_in_play(record, manifest, limits, secrets)
        if wrong:
            typer.echo(harmless(f"match {record.id}: {wrong}"))
            raise typer.Exit(1)
        del unseen[record.id]
        if record.reason == "void":
            voids.add(record.id)
    if manifest.finished and unseen:
        missing = next(iter(unseen))
        typer.echo(f"match {missing}: expected it in a finished run, got {len(unseen)} of {len(seatings)} missing")
        raise typer.Exit(1)
    folder.see_whole()
    if wrong := _fault_in_leaderboard(folder, manifest):
        typer.echo(harmless(wrong))
        raise typer.Exit(1)
    more = f", {len(voids)} of them void" if voids else ""
    unplayed = f" ({len(unseen)} not played yet)" if unseen else ""
    checked = len(seatings) - len(unseen)
    typer.echo(f"{checked} matches hold{more}: schedule, deals, answers, ranks and scores{unplayed}")
    if bots:
        if not found:
            raise Usage("expected a bot that can be tried, got none:" + _list(lacking))
        chosen = drawn([match for match in seatings if match not in unseen and match not in voids], sample)
        results, cannot = tried(folder, manifest, found, chosen, isolation)
        _print_tried(results, lacking | cannot)


def _fault_in_play(
    record: Record, manifest: Manifest, limits: Mapping[str, Limits], secrets: dict[int, Secret]
) -> str | None:
    """Where a record is not what its deal and its answers lead to."""
    wrong = verify_record(record, deal(secrets, record)[1])
    if wrong or not (record.faults or record.retired or min(record.micros, default=0) < 0):
        # where nobody faulted and all were asked, there is no more to it
        return wrong
    return retold(told_again(manifest, limits, secrets, record), record)


def _print_tried(results: dict[str, Tried], cannot: dict[str, str]) -> None:
    """Print how the bots answered.

    Raises:
        Exit: with 1, if one answered otherwise.
    """
    rows = [
        {
            "bot": name,
            "matches": result.matches,
            "decisions": result.decisions,
            "differing": result.differing,
            "first difference": f"{result.first[2]} decision {result.first[1]}" if result.first else "-",
        }
        for name, result in results.items()
    ]
    columns = ("bot", "matches", "decisions", "differing", "first difference")
    typer.echo(table(rows, "table", columns, columns[1:4]))
    if cannot:
        typer.echo(harmless("not tried:" + _list(cannot)))
    if any(result.differing for result in results.values()):
        raise typer.Exit(1)


def _list(why: dict[str, str]) -> str:
    return "\n  ".join(["", *(f"{name}: {reason}" for name, reason in why.items())])


def _fault_in_leaderboard(folder: RunFolder, manifest: Manifest) -> str | None:
    """Where ``leaderboard.md`` is not what the journal gives; of a run that goes on it is an older one, if any."""
    text = folder.read_page() if manifest.finished else None
    if text is None:
        return None
    written, now = _lines(text, manifest), _lines(standings(folder).markdown(), manifest)
    return next((_difference(due, got, now) for due, got in zip_longest(now, written) if due != got), None)


def _lines(board: str, manifest: Manifest) -> list[tuple[str, ...]]:
    """A leaderboard line by line, without the folder at its beginning: that is as it was typed then."""
    first, newline, rest = board.partition("\n")
    named = first.rpartition(f": {manifest.game}, ")
    return [_cells(line) for line in (named[1] + named[2] + newline + rest).splitlines()]


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a line of a Markdown table without their padding; any other line as it is."""
    if not line.startswith("|"):
        return (line,)
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    # a rule below the heading is as wide as its columns
    return tuple(cells) if set(line) - set("|:- ") else ("-",) * len(cells)


def _difference(due: tuple[str, ...] | None, got: tuple[str, ...] | None, board: list[tuple[str, ...]]) -> str:
    """A line that differs in words: row and column, if it is of the table."""
    if due is None or got is None or len(due) != len(got) or len(due) == 1:
        expected, found = (" | ".join(line) if line is not None else "the end" for line in (due, got))
        return f"leaderboard.md: expected {expected!r}, got {found!r}"
    names = next(line for line in board if len(line) > 1)
    at = next(at for at, cell in enumerate(due) if cell != got[at])
    return f"leaderboard.md, row {due[names.index('bot')]}, column {names[at]}: expected {due[at]}, got {got[at]}"


def _fault_in_manifest(manifest: Manifest, seatings: dict[str, tuple[str, ...]]) -> str | None:
    """Where the run manifest does not agree with the schedule that follows from it."""
    if len(seatings) != manifest.matches:
        return f"expected a schedule of {manifest.matches} matches, got {len(seatings)}"
    known = {entrant.name for entrant in manifest.entrants}
    strange = {bot for seating in seatings.values() for bot in seating} - known
    return f"expected entrant {min(strange)}, got none of that name" if strange else None


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
    try:
        shaped(record)
    except ValueError as error:
        return str(error).removeprefix(f"{record.id}: ")
    return None
