"""``arena watch``: a live page of a run, for everybody who may read its folder; or the same as files for any host."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import QuietOptions, Run, grouped
from arena.escape import plain
from arena.terminal import remark
from arena.tournament.folder import RunFolder

To = Annotated[Path | None, typer.Option(metavar="DIR", help="Write the page as files, for any web server.")]
_LONGEST = 100
"""Letters of the name of a run in a heading."""


@grouped
def watch(run: Run, output: QuietOptions, to: To = None) -> None:
    """Watch a run in the browser while it is played; if it has not begun, wait for it.

    Prints the address of a page that only you, on this computer, can open. Once the run is finished the page is its
    report. Ctrl-C ends it; the run goes on.

    Example: arena watch results/demo
    """
    from arena.page.serving import Response, Route, served  # noqa: PLC0415 - a page takes long to load
    from arena.page.waiting import waiting_page  # noqa: PLC0415 - likewise
    from arena.web.live import Live, writable  # noqa: PLC0415 - likewise

    folder = RunFolder(Path(run))
    with suppress(KeyboardInterrupt):
        if to is not None:
            writable(to)
            typer.echo(to / "index.html")
            _wait_for(folder, quiet=output.quiet)
            Live(folder, files=True).follow(to)
            return
        page = waiting_page(plain(folder.path.name, _LONGEST)).encode()
        gets: dict[str, Route] = {"": lambda _: Response(body=page)}
        with served(gets) as address:
            typer.echo(address)
            _wait_for(folder, quiet=output.quiet)
            Live(folder, gets).follow()
            threading.Event().wait()


def _wait_for(folder: RunFolder, *, quiet: bool) -> None:
    begun, pause = (folder.path / "run.json").exists, threading.Event()
    if not begun():
        remark(f"Waiting for a run in {folder.path}; Ctrl-C ends this.", quiet=quiet)
    while not begun():
        pause.wait(0.5)
