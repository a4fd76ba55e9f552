"""``arena watch``: a live page of a run, for everybody who may read its folder; or the same as files for any host."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import QuietOptions, Run, grouped
from arena.terminal import remark
from arena.tournament.folder import RunFolder

To = Annotated[Path | None, typer.Option(metavar="DIR", help="Write the page as files, for any web server.")]


@grouped
def watch(run: Run, output: QuietOptions, to: To = None) -> None:
    """Watch a run in the browser while it is played; if it has not begun, wait for it.

    Prints the address of a page that only you, on this computer, can open. Once the run is finished the page is its
    report. Ctrl-C ends it; the run goes on.

    Example: arena watch results/demo
    """
    from arena.page.serving import served  # noqa: PLC0415 - a page takes long to load
    from arena.web.live import Live, writable  # noqa: PLC0415

    folder, pause = RunFolder(Path(run)), threading.Event()
    with suppress(KeyboardInterrupt):
        if to is not None:
            writable(to)
        begun = (folder.path / "run.json").exists
        if not begun():
            remark(f"Waiting for a run in {folder.path}; Ctrl-C ends this.", quiet=output.quiet)
        while not begun():
            pause.wait(0.5)
        live = Live(folder, files=to is not None)
        if to is not None:
            typer.echo(to / "index.html")
            live.follow(to)
            return
        with served(live.gets) as address:
            typer.echo(address)
            live.follow()
            pause.wait()
