"""``arena docs``: the documents that come with arena. ``docs/README.md`` lists them; the rules of games follow."""

import re
import sys
from collections.abc import Mapping
from posixpath import basename, normpath
from typing import Annotated

import typer
from msgspec import Struct

from arena import games
from arena.cli.options import PlainOutputOptions, grouped, option
from arena.cli.rules import show
from arena.errors import UsageError
from arena.escape import as_json
from arena.players.botfile import nearest
from arena.players.entrants import folder_of
from arena.report.document import table

_LIST = "docs/README.md"
_ITEM = re.compile(r"^- \[[^\]]+\]\(([^)]+)\): (.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]+)\]\((?!\w+://)([^)\s#]*)(#[^)\s]*)?\)")
_HEADING = re.compile(r"^```.*?^```$|^(#+) ([^\n]+)$", re.MULTILINE | re.DOTALL)


class Page(Struct, frozen=True, kw_only=True):
    """A document in Markdown; its links start from its path in the repository."""

    about: str
    path: str
    text: str


def pages() -> dict[str, Page]:
    """The documents by the names that ``arena docs`` takes, in the order of the list."""
    root = folder_of("documents", "")
    known: dict[str, Page] = {}
    for link, about in _ITEM.findall((root / _LIST).read_text("utf-8")):
        path = normpath(f"docs/{link}")
        text = (root / path).read_text("utf-8").rstrip()
        known[basename(path).removesuffix(".md").lower()] = Page(about=about.replace("`", ""), path=path, text=text)
    for game in map(games.find, games.names()):
        path = f"{games.folder_of(game).replace('.', '/')}/rules.md"
        if text := games.rules_of(game) or "":
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
    name, _, anchor = page.partition("#")
    name = basename(name).removesuffix(".md").lower()
    if name not in known:
        raise UsageError(f"expected a page that `arena docs` lists, got {name!r}{nearest(name, known)}")
    text = _section(known[name].text, anchor, name) if anchor else known[name].text
    if output.form == "json":
        typer.echo(as_json({"page": page, "about": known[name].about, "text": text}))
    else:
        show(_with_commands(text, known[name].path, known) if sys.stdout.isatty() else text)


def _section(text: str, anchor: str, name: str) -> str:
    headings = [heading for heading in _HEADING.finditer(text) if heading[1]]
    anchors = [re.sub(r"[^\w\- ]", "", heading[2].lower()).replace(" ", "-") for heading in headings]
    if anchor not in anchors:
        raise UsageError(f"expected a section of `arena docs {name}`, got {anchor!r}{nearest(anchor, anchors)}")
    first, *later = headings[anchors.index(anchor) :]
    end = next((heading.start() for heading in later if len(heading[1]) <= len(first[1])), len(text))
    return text[first.start() : end].rstrip()


def _with_commands(text: str, path: str, known: Mapping[str, Page]) -> str:
    # a link to another page becomes the command that shows it; what else a link leads to is not at hand
    commands = {page.path: f"arena docs {name}" for name, page in known.items()} | {_LIST: "arena docs"}

    def shown(link: re.Match[str]) -> str:
        words, target, anchor = link.groups(default="")
        command = commands.get(normpath(f"{path}/../{target}") if target else path)
        if command is None:
            return words
        return f"`{command}{anchor}`" if words.endswith(".md") else f"{words} (`{command}{anchor}`)"

    return _LINK.sub(shown, text)
