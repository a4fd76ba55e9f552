"""Markdown on a terminal: the same text, in lines that fit.

Knows which lines Markdown joins into one paragraph, and nothing of their content.
"""

import re
from textwrap import wrap

_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
_ALONE = re.compile(r"\s*(?:#|\||```)")
"""What is never joined to the line before or after it: headings, rows of tables, fences."""


def reflowed(text: str, width: int) -> list[str]:
    """The lines of a document, each of at most ``width`` unless a word is longer.

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
