"""Texts and data for a person, in lines of plain text that fit. Knows no game."""

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from arena.escape import folded, plain

WIDTH, WIDEST = 80, 120
"""The columns of a line of text, which are also the fewest of a picture; and the most of a picture."""
_LONGEST = 4000
_INDENT = "  "
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
_ALONE = re.compile(r"\s*(?:#|\||```)")
"""What is never joined to the line before or after it: headings, rows of tables, fences."""


def paragraph(text: str, width: int, *, indent: str = "") -> list[str]:
    """A text in as many lines as it takes; words are never cut, and further lines are set in."""
    further = " " * len(indent) + "    "
    how = {"break_long_words": False, "break_on_hyphens": False}
    return folded(plain(text, _LONGEST), width, initial_indent=indent, subsequent_indent=further, **how)


def in_words(observation: Struct) -> str:
    """The observation as its game tells it; of a game that does not, every field."""
    return in_full(observation) if type(observation).__str__ is Struct.__str__ else str(observation)


def in_full(observation: Struct) -> str:
    """Every field of an observation by its name, a line each."""
    return "\n".join(f"{name.replace('_', ' ')}: {_in_words(value)}" for name, value in asdict(observation).items())


def numbered(options: Sequence[str], width: int) -> Iterator[str]:
    """The options with their numbers, from 1: in columns where at least two fit, else one after the other."""
    digits = len(str(len(options)))
    shown = [f"{number:>{digits}} {plain(option, _LONGEST)}" for number, option in enumerate(options, 1)]
    longest = max(map(len, shown)) + len(_INDENT)
    columns = width // longest
    if columns <= 1:
        for text in shown:
            yield from paragraph(text, width, indent=_INDENT)
        return
    rows = -(-len(shown) // columns)
    for row in range(rows):
        yield "".join(f"{_INDENT}{text}".ljust(longest) for text in shown[row::rows]).rstrip()


def _in_words(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{each} {name}" for name, each in value.items()) or "-"
        case list() | tuple():
            inside = [f"[{_in_words(each)}]" if isinstance(each, list | tuple) else _in_words(each) for each in value]
            return ", ".join(inside) or "-"
    return str(value)


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
