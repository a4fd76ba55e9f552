"""``arena stats``: who is ahead of whom, how long bots took, what they did wrong, if seats are even, who helps whom."""

import shlex
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from msgspec import to_builtins

from arena.cli.groups import Group, grouped
from arena.cli.options import Format, PlainOutput, Run
from arena.cli.remarks import remark
from arena.library.statistics import KINDS, Statistics, statistics
from arena.report.ahead import Ahead, render_ahead
from arena.report.ahead import rows as pairs_of
from arena.report.sections import sections_text
from arena.tournament.folder import RunFolder


@dataclass(frozen=True, kw_only=True)
class Kinds(Group):
    """What is told; without any all but company and where a bot loses."""

    title = "What is told"
    ahead: Annotated[bool, typer.Option("--ahead", help="Who finishes ahead of whom, and how surely.")] = False
    time: Annotated[bool, typer.Option("--time", help="Answering times, and a move time that suits.")] = False
    faults: Annotated[bool, typer.Option("--faults", help="What bots did wrong, and where first.")] = False
    seats: Annotated[bool, typer.Option("--seats", help="Whether any seat is better than others.")] = False
    company: Annotated[bool, typer.Option("--company", help="Who plays better in whose company.")] = False
    bot: Annotated[
        str | None,
        typer.Option(
            "--bot",
            metavar="NAME",
            help="Where this bot loses: seats, opponents, parts of a match, worst matches, faults.",
            show_default=False,
        ),
    ] = None


@grouped
def stats(run: Run, kinds: Kinds, output: PlainOutput) -> None:
    """Print statistics of a run: who is ahead of whom, answering times, faults, seats, or where a bot loses.

    Without an option for one of them: all but --company and --bot. The run may still go on.

    Example: arena stats results/demo --bot mine
    """
    found = statistics(RunFolder(Path(run)), [kind for kind in KINDS if getattr(kinds, kind)], kinds.bot)
    form = output.form
    if form is Format.json:
        typer.echo(dumps(_data(run, found), indent=2))
        return
    typer.echo("\n".join(_texts(run, found, form)), nl=False)
    if found.closest is not None and found.closest.closest_match is not None:
        where = f"arena replay {shlex.quote(run)} '#{found.closest.closest_match}'"
        remark(f"the closest call, of {found.closest.bot}: {where}", quiet=output.quiet or form is not Format.table)


def _data(run: str, found: Statistics) -> dict[str, object]:
    ahead = {"ahead": [to_builtins(each) | {"pairs": pairs_of(each)} for each in found.ahead]} if found.ahead else {}
    return {
        "run": run,
        "game": found.game,
        "matches": found.matches,
        "void": found.voids,
        "move_time": found.move_time,
        "provisional": found.provisional,
        **ahead,
        **({} if found.losses is None else {"bot": found.losses.bot, "lost": found.losses.lost}),
        **{section.name: to_builtins(section.rows) for section in found.sections},
        "notes": [note for section in found.sections for note in section.notes],
    }


def _texts(run: str, found: Statistics, form: Format) -> list[str]:
    void = f", {found.voids} void and left out" if found.voids else ""
    facts = [f"{run}: {found.game}, {found.matches} {'match' if found.matches == 1 else 'matches'}{void}."]
    if found.losses is not None:
        facts.append(f"{found.losses.bot} lost {found.losses.lost} of its {found.losses.matches} matches.")
    if found.provisional:
        facts.append("Provisional: the run is not finished.")
    sections = list(found.sections)
    shown = [sections_text(sections, form, facts)] if sections or form is not Format.csv else []
    return shown + [_headed(each, form) for each in found.ahead]


def _headed(found: Ahead, form: Format) -> str:
    heading = {Format.table: "Finished ahead\n==============\n\n", Format.markdown: "## Finished ahead\n\n"}
    return heading.get(form, "") + render_ahead(found, form.value)
