"""The live page of whatever a lab plays now, at one address while the lab lasts. Prints nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from arena.errors import ArenaError
from arena.page import Response, Route, served, waiting_page
from arena.tournament import RunFolder
from arena.web.live import EVERY, Live


@contextmanager
def lab_page(name: str, tell: Callable[[str], None] | None) -> Iterator[Callable[[RunFolder], None]]:
    """Serve the page of a lab until the block is left; gives a function to hand it the run that plays now.

    ``tell`` is told its address; without it nothing is served.

    Raises:
        OSError: no port can be had.
    """
    if tell is None:
        yield lambda _: None
        return
    page = waiting_page(name).encode()
    gets: dict[str, Route] = {"": lambda _: Response(body=page)}
    runs: list[RunFolder] = []
    over = Event()
    follower = Thread(target=_follow, args=(runs, gets, over), daemon=True)
    with served(gets) as address:
        follower.start()
        tell(address)
        try:
            yield runs.append
        finally:
            over.set()
            follower.join()


def _follow(runs: list[RunFolder], gets: dict[str, Route], over: Event) -> None:
    """Have the pages be those of the newest run that has begun; over a finished one the next is waited for."""
    run, live = None, None
    while not over.wait(EVERY):
        # a run that is moved away or cannot be read leaves the page as it was
        with suppress(ArenaError, OSError):
            if runs and runs[-1] is not run and runs[-1].begun():
                run, live = runs[-1], Live(runs[-1], gets)
            elif run is not None and live is not None and not run.manifest().finished:
                live.look()
