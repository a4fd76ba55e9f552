"""The documents that come with arena, as pages that a reader can ask for. ``docs/README.md`` lists them."""

import re
from collections.abc import Mapping
from posixpath import basename, normpath

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError, nearest
from arena.players.entrants import find_shipped_folder

_LIST = "docs/README.md"
_ITEM = re.compile(r"^- \[[^\]]+\]\(([^)]+)\): (.+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]+)\]\((?!\w+://)([^)\s#]*)(#[^)\s]*)?\)")
_HEADING = re.compile(r"^```.*?^```$|^(#+) ([^\n]+)$", re.MULTILINE | re.DOTALL)


class Page(Struct, frozen=True, kw_only=True):
    """A document in Markdown; its links start from its path in the repository."""

    about: str
    path: str
    text: str


def documents() -> dict[str, Page]:
    """The documents by their names, in the order of the list."""
    root = find_shipped_folder("documents", checkout="")
    by_name: dict[str, Page] = {}
    for link, about in _ITEM.findall((root / _LIST).read_text("utf-8")):
        path = normpath(f"docs/{link}")
        text = (root / path).read_text("utf-8").rstrip()
        by_name[_name(path)] = Page(about=about.replace("`", ""), path=path, text=text)
    return by_name


def _name(file: str) -> str:
    return basename(file).removesuffix(".md").lower()


def find(words: str, pages: Mapping[str, Page]) -> Page:
    """The page that somebody asks for, as ``protocol`` or ``protocol.md``, or its section, as ``protocol#faults``.

    Raises:
        UsageError: there is none.
    """
    file, _, anchor = words.partition("#")
    page = pages.get(name := _name(file))
    if page is None:
        raise UsageError(f"expected a page that `arena docs` lists, got {name!r}{nearest(name, pages)}")
    headings = [heading for heading in _HEADING.finditer(page.text) if heading[1] and anchor]
    anchors = [re.sub(r"[^\w\- ]", "", heading[2].lower()).replace(" ", "-") for heading in headings]
    if anchor not in ("", *anchors):
        raise UsageError(f"expected a section of `arena docs {name}`, got {anchor!r}{nearest(anchor, anchors)}")
    if not anchor:
        return page
    first, *later = headings[anchors.index(anchor) :]
    end = next((heading.start() for heading in later if len(heading[1]) <= len(first[1])), len(page.text))
    return replace(page, text=page.text[first.start() : end].rstrip())


def with_commands(page: Page, pages: Mapping[str, Page]) -> str:
    """The text with the command in place of a link to another page; what else a link leads to is not at hand."""
    commands = {other.path: f"arena docs {name}" for name, other in pages.items()} | {_LIST: "arena docs"}

    def replace_link(link: re.Match[str]) -> str:
        words, target, anchor = link.groups(default="")
        command = commands.get(normpath(f"{page.path}/../{target}") if target else page.path)
        if command is None:
            return words
        return f"`{command}{anchor}`" if words.endswith(".md") else f"{words} (`{command}{anchor}`)"

    return _LINK.sub(replace_link, page.text)
