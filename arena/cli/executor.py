"""``--executor`` and ``--dask``: from an address to workers elsewhere, or to the lanes of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.failure import Usage
from arena.tournament.lanes import Lanes

if TYPE_CHECKING:
    from arena.tournament.executors import Remote

Elsewhere = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME=ADDRESS",
        help="Play on the workers of an executor; -j: chunks in flight.",
        show_default=False,
    ),
]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Short for --executor dask=ADDRESS.", show_default=False),
]


@contextmanager
def workers(executor: str | None, dask: str | None, crew: Lanes, most: int | None) -> Iterator["Remote | None"]:
    """The workers that are asked for, None if none are; ``crew`` is open, ``most`` is how many chunks may be in flight.

    Raises:
        Usage: both options, no such executor, or nobody at its address.
    """
    if executor is None and dask is None:
        yield None
        return
    from arena.tournament.executors import Remote, Unreachable, connected  # noqa: PLC0415 - few runs need it

    if executor is not None and dask is not None:
        raise Usage(f"expected --executor or --dask, got both: {executor!r} and {dask!r}")
    option = "--executor" if dask is None else "--dask"
    name, _, address = ("dask", "=", dask) if dask is not None else str(executor).partition("=")
    if not name or not address:
        raise Usage(f"{option}: expected {'NAME=ADDRESS' if dask is None else 'ADDRESS'}, got {executor or dask!r}")
    try:
        found = connected(name, address)
    except Unreachable as error:
        raise Usage(f"{option}: {error}") from error
    with Remote(found, crew, most) as away:
        yield away
