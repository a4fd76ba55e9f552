"""``arena stats``: who is ahead of whom, how long bots took, what they did wrong, if seats are even, who helps whom."""

import shlex
from collections.abc import Collection, Iterable, Iterator
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from msgspec import to_builtins

from arena.cli.groups import grouped
from arena.cli.options import Format, PlainOutput, Run
from arena.cli.remarks import remark
from arena.record import Record, shaped
from arena.report.ahead import Ahead, finished_ahead, render_ahead
from arena.report.ahead import rows as pairs_of
from arena.report.company import Company, company_section
from arena.report.faults import Faults
from arena.report.seats import Seats
from arena.report.sections import Section, faults_section, seats_section, sections_text, times_section
from arena.report.times import Times
from arena.tournament.folder import Broken, RunFolder


@grouped
def stats(
    run: Run,
    output: PlainOutput,
    ahead: Annotated[bool, typer.Option("--ahead", help="Who finishes ahead of whom, and how surely.")] = False,
    time: Annotated[bool, typer.Option("--time", help="Answering times, and a move time that suits.")] = False,
    faults: Annotated[bool, typer.Option("--faults", help="What bots did wrong, and where first.")] = False,
    seats: Annotated[bool, typer.Option("--seats", help="Whether any seat is better than others.")] = False,
    company: Annotated[bool, typer.Option("--company", help="Who plays better in whose company.")] = False,
) -> None:
    """Print statistics of a run: who is ahead of whom, answering times, faults, seats.

    Without an option for one of them: all but --company. The run may still go on.

    Example: arena stats results/demo --time
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    every = not (ahead or time or faults or seats or company)
    bots = [entrant.name for entrant in manifest.entrants if not entrant.withdrawn]
    timed = Times(bots, manifest.limits.move) if time or every else None
    blamed = Faults(bots) if faults or every else None
    seated = Seats() if seats or every else None
    kept = Company() if company else None
    counted = [each for each in (seated, kept) if each is not None]
    matches = voids = 0
    try:
        for number, record in enumerate(_of(folder.records(), bots)):
            if record.reason == "void":
                voids += 1
                continue
            matches += 1
            if timed:
                timed.add(number, record)
            if blamed:
                blamed.add(number, record)
            for each in counted:
                each.add(record)
    except ValueError as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error
    met = _met(folder, bots) if ahead or every else []
    sections: list[Section] = []
    if timed:
        sections.append(times_section(timed.rows(), manifest.limits.move))
    if blamed:
        sections.append(faults_section(blamed.rows(), blamed.silenced))
    if seated:
        sections.append(seats_section(seated.rows(), seated.unfinished))
    if kept:
        sections.append(company_section(kept.blocks))
    form = output.form
    if form is Format.json:
        found = {
            "run": run,
            "game": manifest.game,
            "matches": matches,
            "void": voids,
            "move_time": manifest.limits.move,
            "provisional": not manifest.finished,
            **({"ahead": [to_builtins(each) | {"pairs": pairs_of(each)} for each in met]} if met else {}),
            **{section.name: to_builtins(section.rows) for section in sections},
            "notes": [note for section in sections for note in section.notes],
        }
        typer.echo(dumps(found, indent=2))
        return
    void = f", {voids} void and left out" if voids else ""
    facts = [f"{run}: {manifest.game}, {matches} {'match' if matches == 1 else 'matches'}{void}."]
    if not manifest.finished:
        facts.append("Provisional: the run is not finished.")
    shown = [sections_text(sections, form, facts)] if sections or form is not Format.csv else []
    shown += [_headed(each, form) for each in met]
    typer.echo("\n".join(shown), nl=False)
    closest = max(timed.rows(), key=lambda row: row.closest or 0, default=None) if timed else None
    if closest is not None and closest.closest_match is not None:
        where = f"arena replay {shlex.quote(run)} '#{closest.closest_match}'"
        remark(f"the closest call, of {closest.bot}: {where}", quiet=output.quiet or form is not Format.table)


def _of(records: Iterable[Record], bots: Collection[str]) -> Iterator[Record]:
    """The records as they are.

    Raises:
        ValueError: a bot of one is none of these.
    """
    known = set(bots)
    for record in records:
        if not known.issuperset(record.bots):
            strangers = ", ".join(sorted(set(record.bots) - known))
            raise ValueError(f"{record.id}: expected bots of {', '.join(bots)}, got {strangers}")
        yield shaped(record)


def _met(folder: RunFolder, bots: Collection[str]) -> list[Ahead]:
    """Who finishes ahead of whom; takes another pass over the journal.

    Raises:
        Broken: a record is not of this run.
    """
    try:
        return finished_ahead(_of(folder.records(), bots), list(bots))
    except ValueError as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error


def _headed(found: Ahead, form: Format) -> str:
    heading = {Format.table: "Finished ahead\n==============\n\n", Format.markdown: "## Finished ahead\n\n"}
    return heading.get(form, "") + render_ahead(found, form.value)
