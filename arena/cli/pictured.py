"""``arena replay`` with ``--json``, ``--html`` and ``--board``: a match as data, as a page, as boards."""

import shlex
from pathlib import Path

import typer

from arena.errors import UsageError
from arena.game import Seat
from arena.library.reporting import rules_in, story_of
from arena.record import Record
from arena.tournament.folder import Broken, Manifest, RunFolder
from arena.wire import encode


def pictured(
    folder: RunFolder, manifest: Manifest, record: Record, seat: Seat | None, *, json: bool, html: str | None
) -> None:
    """Print the match as data or as boards, or write its page.

    Raises:
        UsageError: the match is void, or the page cannot be written.
        Broken: the match is gone from the journal.
        Differs: the picks do not fit the deal.
    """
    number = next((at for at, each in enumerate(folder.outcomes()) if each.id == record.id), None)
    if number is None:
        raise Broken(f"{folder.journal}: expected match {record.id}, which was there a moment ago, got none")
    story = story_of(folder, manifest, record, number=number, seat=seat, data=json)
    if json:
        typer.echo(encode(story))
    elif html is not None:
        from arena.page.replay import replay_page  # noqa: PLC0415 - markup takes long to load, and few ask for it

        seen = [] if seat is None else ["--seat", str(seat)]
        words = shlex.join(["arena", "replay", str(folder.path), record.id, *seen])
        run = shlex.quote(str(folder.path))
        write_page(html, page=replay_page(story, rules=rules_in(manifest), run=run, command=words))
    else:
        from arena.terminal.stepping import show  # noqa: PLC0415 - likewise rich

        show(story, seat=seat)


def write_page(where: str, *, page: str) -> None:
    """Write a page to a file and say where, or to standard output for ``-``.

    Raises:
        UsageError: it cannot be written there.
    """
    if where == "-":
        typer.echo(page, nl=False)
        return
    try:
        Path(where).write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"expected to write {where}, got {error.strerror or error}") from error
    typer.echo(where)
