"""What ``arena replay`` does with ``--json``, ``--html`` and ``--board``: a match as data, as a page, as boards."""

import shlex
from pathlib import Path

import typer

from arena.cli.failure import Usage
from arena.game import Seat
from arena.record import Differs, Record
from arena.report.plain import plain
from arena.report.story import Story, tell
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.wire import encode


def pictured(
    folder: RunFolder, manifest: Manifest, record: Record, seat: Seat | None, *, json: bool, html: str | None
) -> None:
    """Print the match as data or as boards, or write its page.

    Raises:
        Usage: the match is void, or the page cannot be written.
        Differs: the picks do not fit the deal.
    """
    number = next(at for at, each in enumerate(folder.outcomes()) if each.id == record.id)
    story = told(folder, manifest, record, number=number, seat=seat, data=json)
    if json:
        typer.echo(encode(story))
    elif html is not None:
        from arena.page.replay import replay_page  # noqa: PLC0415 - markup takes long to load, and few ask for it

        seen = [] if seat is None else ["--seat", str(seat)]
        words = shlex.join(["arena", "replay", str(folder.path), record.id, *seen])
        write_page(html, replay_page(story, run=shlex.quote(str(folder.path)), command=words))
    else:
        from arena.cli.board import show  # noqa: PLC0415 - likewise rich

        show(story, seat=seat)


def told(
    folder: RunFolder, manifest: Manifest, record: Record, *, number: int, seat: Seat | None = None, data: bool = False
) -> Story:
    """The story of a match of a run.

    Raises:
        Usage: the match is void.
        Differs: the picks do not fit the deal.
    """
    if record.reason == "void":
        raise Usage(f"expected a match that was played, got {record.id}, which is void: {plain(record.why, 400)}")
    game, state = deal(folder.secrets_of(manifest), record)
    try:
        return tell(record, game, state, number=number, seat=seat, limit=manifest.limits.move, data=data)
    except Differs as difference:
        raise Differs(f"match {record.id}: {difference}; see `arena verify`") from None


def write_page(where: str, page: str) -> None:
    """Write a page to a file and say where, or to standard output for ``-``.

    Raises:
        Usage: it cannot be written there.
    """
    if where == "-":
        typer.echo(page, nl=False)
        return
    try:
        Path(where).write_text(page, encoding="utf-8")
    except OSError as error:
        raise Usage(f"expected to write {where}, got {error.strerror or error}") from None
    typer.echo(where)
