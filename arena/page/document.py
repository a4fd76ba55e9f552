"""A whole HTML document that loads no other file. Knows the contents of ``files``, and no page."""

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from urllib.parse import quote

import htpy
import msgspec
from htpy import Element, Node
from markupsafe import Markup

from arena.report.document import Table

_IMPORT = re.compile(r"(?:^|(?<=;))import \{[^;]*;", re.MULTILINE)
_EXPORT = re.compile(r"(?:^|(?<=;))export (?=async |function|class|const)", re.MULTILINE)
_FOR_READERS = re.compile(r"/\*\*.*?\*/|^\s*/\* .*?\*/|^\s*//[^\n]*$|^\s+|(?<=[{;,(])\n", re.DOTALL | re.MULTILINE)
"""Comments, space before the first word of a line, and ends of lines that end nothing: no text has several lines."""
_OPERATORS = re.compile(r" (=>|===|!==|&&|\|\||\?\?|\+=|[<>]=) ")
"""Such as no text on a page has, with the space around them."""
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#0b6673" d="M1 16C8 5 18 6 24 14l7-5v14l-7'
    '-5C18 26 8 27 1 16z"/><circle cx="9" cy="14" r="2" fill="#fff"/></svg>'
)


@cache
def source(name: str) -> str:
    """A file of style or script of this package, without what is there for those who work on it."""
    text = _FOR_READERS.sub("", (files(__package__) / "files" / name).read_text("utf-8"))
    if not name.endswith(".css"):
        return _OPERATORS.sub(r"\1", text)
    return text.replace(": ", ":").replace(" {", "{").replace("}\n", "}").replace(";}", "}")


@cache
def _module(name: str) -> str:
    return _EXPORT.sub("", _IMPORT.sub("", source(name)))


def script(names: Sequence[str]) -> str:
    """Modules as one: each stands below those that it imports, so their imports and exports fall away."""
    return "".join(map(_module, names))


def kicker(name: str) -> Element:
    """The small line above a heading."""
    return htpy.p(".kicker")[name]


def fact(name: str, *figure: Node, bad: bool = False) -> Element:
    """A figure below the title of a page."""
    return htpy.div[htpy.dt[name], htpy.dd(".bad" if bad else "")[figure]]


def section(key: str, name: str, finding: str, how: Node, *body: Node, wide: bool = False) -> Element:
    """A section: its finding is its heading, its name the small line above."""
    explanation = htpy.p(".how.wide" if wide else ".how")[how] if how else None
    # two findings may have the same words
    return htpy.section(id=key, aria_label=f"{name}: {finding}")[
        kicker(name), htpy.h2(id=f"{key}-finding")[finding], explanation, body
    ]


def grid(
    caption: str,
    table: Table,
    *,
    kind: str = "",
    head: str = "bot",
    more: Mapping[str, str] = MappingProxyType({}),
) -> Element:
    """A table of a document, of at least one row, that scrolls by itself; its cells are texts or markup.

    The cells of the column ``head`` head their rows; ``more`` has further classes of the cells of a column. On a phone,
    the rows of a ``kind`` ``.folds``, or with a wide column (``.who``), fold: cells have the name of their column, and
    wide ones a line of their own.
    """
    kinds = {name: ".left" * (name in table.left_columns) + more.get(name, "") for name in table.rows[0]}
    folds = ".who" in more.values() or ".folds" in kind
    kind += ".folds" * (folds and ".folds" not in kind)
    if all(cell == ".left" for cell in kinds.values()):
        kinds, kind = dict.fromkeys(kinds, ""), f"{kind}.left"
    headings = (
        htpy.th(".left" if name == head or ".left" in cell else "", scope="col")[name] for name, cell in kinds.items()
    )
    lines = (
        htpy.tr[
            (
                htpy.th(scope="row")[content]
                if name == head
                else htpy.td(kinds[name], data_name=name if folds else None)[content]
                for name, content in row.items()
            )
        ]
        for row in table.rows
    )
    return scrolled(caption, htpy.thead[htpy.tr[headings]], htpy.tbody[lines], kind=kind)


def scrolled(label: str, *parts: Node, kind: str, caption: str = "") -> Element:
    """A table, which scrolls by itself where it is too wide, as on a phone; its caption is its label by default."""
    table = htpy.table(kind)[htpy.caption(".unseen")[caption or label], parts]
    return htpy.div(".scroll", tabindex="0", role="region", aria_label=label)[table]


def digest(text: str) -> str:
    """The hash by which a content security policy knows a style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def document(
    *,
    title: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    body: Node,
    description: str = "",
    image: str = "",
    attributes: dict[str, str] | None = None,
    served: bool = False,
) -> str:
    """The text of a page.

    Args:
        title: what the browser shows of it, and whoever links to it.
        styles: names of style files.
        scripts: names of script files, each below those that it imports.
        body: what stands in it.
        description: a sentence or two below the title where somebody links to it.
        image: the address of a picture beside them, such as a ``card``; networks want an absolute one.
        attributes: of the body element.
        served: whether it comes from a server of ``arena.page.serving``, which it may then talk to.
    """
    style, code = "".join(map(source, styles)), script(scripts)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src {digest(style)}",
            f"script-src {digest(code)}",
            *(["connect-src 'self'"] if served else []),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    shared = {"description": description, "og:type": "website", "og:title": title, "og:description": description}
    shared |= {"og:image": image, "twitter:card": "summary_large_image" if image else "summary"}
    page = htpy.html(lang="en")[
        htpy.head[
            htpy.meta(charset="utf-8"),
            htpy.meta(http_equiv="Content-Security-Policy", content=policy),
            htpy.meta(name="viewport", content="width=device-width, initial-scale=1"),
            htpy.meta(name="referrer", content="no-referrer"),
            htpy.title[title],
            (
                htpy.meta({"property" if name.startswith("og:") else "name": name}, content=words)
                for name, words in shared.items()
                if words
            ),
            htpy.link(rel="icon", href=f"data:image/svg+xml,{quote(_ICON)}"),
            htpy.style[Markup(style)],  # noqa: S704 - a file of this package
        ],
        htpy.body(attributes or {})[body, htpy.script(type="module")[Markup(code)]],  # noqa: S704 - likewise
    ]
    return f"{page}\n"


def packed(value: object) -> str:
    """A value as JSON, compressed, in characters that mean nothing to HTML."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), 9, mtime=0)).decode("ascii")
