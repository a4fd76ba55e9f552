"""Texts for somebody who reads them at a terminal, in lines that fit: paragraphs, options, documents in Markdown."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from io import StringIO
from shutil import get_terminal_size
from textwrap import wrap

from arena.escape import folded, plain

WIDEST = 120
"""The most columns of a picture."""
_LONGEST = 4000
_INDENT = "  "
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
_ALONE = re.compile(r"\s*(?:#|\||```)")
"""What is never joined to the line before or after it: headings, rows of tables, fences."""
_NARROW = 60
"""Columns below which tables have no room: then the document is shown as it was written."""


def paragraph(text: str, width: int, *, indent: str = "") -> list[str]:
    """A text in as many lines as it takes; words are never cut, and further lines are set in."""
    further = " " * len(indent) + "    "
    how = {"break_long_words": False, "break_on_hyphens": False}
    return folded(plain(text, _LONGEST), width, initial_indent=indent, subsequent_indent=further, **how)


def numbered(options: Sequence[str], width: int) -> Iterator[str]:
    """The options with their numbers, from 1: in columns where at least two fit, else one after the other."""
    digits = len(str(len(options)))
    items = [f"{number:>{digits}} {plain(option, _LONGEST)}" for number, option in enumerate(options, 1)]
    longest = max(map(len, items)) + len(_INDENT)
    columns = width // longest
    if columns <= 1:
        for text in items:
            yield from paragraph(text, width, indent=_INDENT)
        return
    rows = -(-len(items) // columns)
    for row in range(rows):
        yield "".join(f"{_INDENT}{text}".ljust(longest) for text in items[row::rows]).rstrip()


def document(text: str, width: int, *, styled: bool) -> list[str]:
    """The lines of a document, drawn with its headings, lists and tables, each of at most ``width``.

    ``styled`` has bold and colours in them, as far as the terminal has these; ``NO_COLOR`` forbids colours.
    """
    if width < _NARROW:
        return reflowed(text, width)
    from rich.console import Console, ConsoleOptions, RenderResult  # noqa: PLC0415 - it takes long to load
    from rich.markdown import CodeBlock, Markdown, TableElement  # noqa: PLC0415 - likewise
    from rich.syntax import Syntax  # noqa: PLC0415 - likewise
    from rich.table import Table  # noqa: PLC0415 - likewise
    from rich.theme import Theme  # noqa: PLC0415 - likewise

    class Folded(TableElement):
        """A table that folds a word which is too long for its cell; rich would cut it off."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for drawn in super().__rich_console__(console, options):
                for column in drawn.columns if isinstance(drawn, Table) else ():
                    column.overflow = "fold"
                yield drawn

    class Code(CodeBlock):
        """Code from the first column, as it is copied."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Syntax(str(self.text).rstrip(), self.lexer_name, theme=self.theme, word_wrap=True, padding=(1, 0))

    class Document(Markdown):
        elements = Markdown.elements | {"table_open": Folded, "fence": Code}

    page = StringIO()
    # a background colour would not suit every terminal
    theme = Theme({"markdown.code": "bold"})
    console = Console(file=page, width=width, force_terminal=styled, legacy_windows=False, theme=theme)
    console.print(Document(text, code_theme="ansi_dark", hyperlinks=False))
    return [line.rstrip() for line in page.getvalue().rstrip("\n").split("\n")]


def show(text: str) -> None:
    """Draw a document at a terminal, a screen at a time; a file or pipe gets its text."""
    if not sys.stdout.isatty():
        sys.stdout.write(f"{text}\n")
        return
    from pydoc import pager  # noqa: PLC0415 - only then

    # colours; no pager where one screen is enough
    os.environ.setdefault("LESS", "-FRX")
    pager("\n".join([*document(text, min(WIDEST, get_terminal_size().columns), styled=True), ""]))


def reflowed(text: str, width: int) -> list[str]:
    """The lines of a document in Markdown, each of at most ``width`` unless a word is longer.

    Paragraphs and items of lists are filled again; rows of tables and lines of code are folded, set in further. What
    fits as it is stays as it is.
    """
    if all(len(line) <= width for line in text.split("\n")):
        return text.split("\n")
    return [part for block, indent in _blocks(text) for part in _folded(block, width, indent)]


def _blocks(text: str) -> list[tuple[str, str]]:
    """What is one line to Markdown: a paragraph, an item, or a line that stands alone; and how its rest is set in."""
    blocks: list[tuple[str, str]] = []
    fenced = joined = False
    for line in text.split("\n"):
        item = _ITEM.match(line)
        alone = fenced or not line.strip() or _ALONE.match(line) is not None
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if joined and not alone and not item:
            block, indent = blocks[-1]
            blocks[-1] = f"{block} {line.strip()}", indent
        else:
            start = line[: len(line) - len(line.lstrip())]
            blocks.append((line, start + "    " if alone else " " * len(item[0]) if item else start))
        joined = not alone
    return blocks


def _folded(block: str, width: int, indent: str) -> list[str]:
    return wrap(block, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]
