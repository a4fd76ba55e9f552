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
    by_name = documents()
    for game in map(games.find, games.names()):
        if text := games.rules_of(game) or "":
            path = f"{games.folder_of(game).replace('.', '/')}/rules.md"
            by_name.setdefault(game.name, Page(about=f"the rules of {game.title}", path=path, text=text))
    return by_name


@grouped
def docs(
    page: Annotated[str | None, option("PAGE: A page of the list, or a section of one, as in protocol#faults.")] = None,
    *,
    output: PlainOutputOptions,
) -> None:
    """List the documents that come with arena, or show one.

    Example: arena docs protocol
    """
    by_name = pages()
    if page is None:
        typer.echo(table([{"page": name, "about": by_name[name].about} for name in by_name], output.form))
        return
    document = find(page, by_name)
    if output.form == "json":
        typer.echo(as_json({"page": page, "about": document.about, "text": document.text}))
    else:
        show(with_commands(document, by_name) if sys.stdout.isatty() else document.text)
