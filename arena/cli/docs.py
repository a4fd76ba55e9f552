"""``arena docs``: the documents that come with arena."""

import sys
from typing import Annotated

import typer

from arena import games
from arena.cli.options import PlainOutputOptions, grouped, option
from arena.escape import as_json
from arena.report.document import table
from arena.terminal.document import show
from arena.terminal.pages import Page, documents, find, with_commands


def pages() -> dict[str, Page]:
    """The documents by the names that a reader can ask for; the rules of a game have the name of the game."""
    known = documents()
    for game in map(games.find, games.names()):
        if text := games.rules_of(game) or "":
            path = f"{games.folder_of(game).replace('.', '/')}/rules.md"
            known.setdefault(game.name, Page(about=f"the rules of {game.title}", path=path, text=text))
    return known


@grouped
def docs(
    page: Annotated[str | None, option("PAGE: A page of the list, or a section of one, as in protocol#faults.")] = None,
    *,
    output: PlainOutputOptions,
) -> None:
    """List the documents that come with arena, or show one.

    Example: arena docs protocol
    """
    known = pages()
    if page is None:
        typer.echo(table([{"page": name, "about": known[name].about} for name in known], output.form))
        return
    asked = find(page, known)
    if output.form == "json":
        typer.echo(as_json({"page": page, "about": asked.about, "text": asked.text}))
    else:
        show(with_commands(asked, known) if sys.stdout.isatty() else asked.text)
