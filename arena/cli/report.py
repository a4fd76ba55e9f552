"""``arena report``: a run as one page to publish; several runs as an overall page."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.failure import Usage

_REPLAYS = 8


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Results folders.", show_default=False)],
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="FILE", help="Default: report.html in the run; - is stdout."),
    ] = None,
    replay: Annotated[
        list[str] | None,
        typer.Option("--replay", metavar="MATCH", help="A match to watch in it, may be repeated.", show_default=False),
    ] = None,
    replays: Annotated[
        int, typer.Option("--replays", metavar="N", help="Matches to choose besides, at most.", min=0, max=100)
    ] = _REPLAYS,
) -> None:
    """Write a report of a run as one page to publish, with replays of matches worth a look.

    Of several runs: a page over all of them.

    Example: arena report results/demo -o demo.html
    """
    # what reports are made with takes long to load, and no other command needs it
    from arena.cli.reporting import write_overall, write_report  # noqa: PLC0415

    if len(runs) == 1:
        write_report(runs[0], out, replay or [], replays)
        return
    if out is None:
        raise Usage("--out: expected where to write the page of several runs, got none")
    if replay:
        raise Usage("--replay: expected one run with it, got several")
    write_overall(runs, out)
