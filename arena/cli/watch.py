"""``arena watch``: a live page of a run, for everybody who may read its folder."""

import threading
from contextlib import suppress

import typer

from arena.cli.options import Run
from arena.tournament.folder import RunFolder


def watch(run: Run) -> None:
    """Watch a run in the browser while it is played.

    Prints the address of a page that only you, on this computer, can open. Once the run is finished the page is its
    report. Ctrl-C ends it; the run goes on.

    Example: arena watch results/demo
    """
    # what a page is made with takes long to load, and no other command needs it
    from pathlib import Path  # noqa: PLC0415

    from arena.page.serving import served  # noqa: PLC0415
    from arena.web.live import Live  # noqa: PLC0415

    live = Live(RunFolder(Path(run)))
    follower = threading.Thread(target=live.follow, daemon=True)
    with suppress(KeyboardInterrupt), served(live.gets) as address:
        typer.echo(address)
        follower.start()
        threading.Event().wait()
