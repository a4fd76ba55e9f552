"""Other people's text made safe to show: on a terminal, in Markdown, in a spreadsheet, in the log of a CI job."""

import json
import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, TypeVar

from msgspec import Struct, convert, to_builtins

_Value = TypeVar("_Value", bound=Struct)
_CUT = "..."
_GAP = "\u200b"
"""A space without width: behind it forges and readers see no mention, link or reference, and people see nothing."""
INVISIBLE = f"&#{ord(_GAP)};"
"""The same in Markdown."""
_MARKDOWN = str.maketrans(
    {char: f"&#{ord(char)};" for char in f"|`<>&${{}}{_GAP}"} | {char: "\\" + char for char in "\\*_[]~#"},
)
_GAPS = re.compile(
    # mentions and addresses, `scheme:` and emoji but no times, `//`, `www.`, `site.org`
    r"(?<=@)|(?<=:)(?=\S)(?!(?<=\d:)\d\d(?!\d))|(?<=/)(?=/)|(?<=[wW]{3})(?=\.)|(?<=\.)(?=[^\W\d_])"
    # `#12`, `!12`, `$12`, `%12`, `~bug`, `&12`, `GH-12`, `FISH-12`
    r"""|(?<=[#%~])(?=[\w"])|(?<=[!$&])(?=\d)|(?<=\b[gG][hH]-)(?=\d)|(?<=[A-Z][A-Z0-9]-)(?=\d)"""
)
_COMMIT = re.compile(r"(?<!\w)[0-9a-fA-F]{7,40}(?!\w)")
_LONGEST_WORD = 6
"""Digits that no forge takes for a commit."""
_STARTS = re.compile(r"[-+=](?!\d)|(\d{1,9})(?=[.)](?:\s|$))")
"""What at the start of a line begins a list or makes a heading of the line above; numbers stay what they are."""


def plain(text: str, limit: int) -> str:
    r"""One line of printable ASCII of at most ``limit`` characters (4 or more); longer text ends in ``...``.

    Whatever is not printable ASCII is escaped as Python would (``\n``, ``\x1b``, ``\u202e``), a backslash is doubled,
    and no escape is cut in two.
    """
    if len(text) <= limit and text.isascii() and text.isprintable() and "\\" not in text and not _commands(text):
        # most texts need no change
        return text
    text = text[: limit + 1]
    pieces = [char.encode("unicode_escape").decode("ascii") for char in text]
    for place in _commands(text):
        pieces[place] = f"\\x{ord(text[place]):02x}"
    length = sum(map(len, pieces))
    if length <= limit:
        return "".join(pieces)
    while length > limit - len(_CUT):
        length -= len(pieces.pop())
    return "".join(pieces) + _CUT


def cleaned(value: _Value, limit: int = 400) -> _Value:
    """A struct of plain data in which every text is as ``plain`` makes it, those that are keys too."""
    return convert(_cleaned(to_builtins(value), limit), type(value))


def _cleaned(tree: Any, limit: int) -> Any:
    if isinstance(tree, str):
        return plain(tree, limit)
    if isinstance(tree, dict):
        return {_cleaned(key, limit): _cleaned(part, limit) for key, part in tree.items()}
    return [_cleaned(part, limit) for part in tree] if isinstance(tree, (list, tuple)) else tree


def guarded(line: str) -> str:
    r"""A line of plain text so that a CI runner takes no part of it for a command (``\x3a:error::``)."""
    for place in reversed(_commands(line)):
        line = f"{line[:place]}\\x{ord(line[place]):02x}{line[place + 1 :]}"
    return line


def harmless(text: str) -> str:
    r"""Lines of our own that may quote others: what is printable stays, in any script; the rest is as in ``plain``."""
    output = "".join(c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return "\n".join(guarded(line) for line in output.split("\n"))


def folded(text: str, width: int, **how: Any) -> list[str]:
    """Plain text in lines of at most ``width``, none of them a command; ``how`` is as for ``textwrap.wrap``."""
    lines = wrap(text, width, **how)
    safe = [guarded(line) for line in lines]
    if safe != lines:
        # a line break made a command: escaping it needs room
        safe = [guarded(line) for line in wrap(text, width - len(r"x3a"), **how)]
    return safe


def cause_and_cure(cause: str, *, cure: str, width: int, label: str = "fix: ", indent: str) -> list[str]:
    """What is wrong in lines of at most ``width``: the cause, and below it the cure. Words, as in paths, stay whole."""
    how: dict[str, Any] = {"subsequent_indent": f"{indent}  ", "break_long_words": False, "break_on_hyphens": False}
    parts = [cause, label + cure] if cure else [cause]
    return [line for part in parts for line in folded(part, width, initial_indent=indent, **how)]


def some(words: Sequence[str], room: int, more: str) -> str:
    """The words with commas; those beyond ``room`` characters are counted, and ``more`` tells where they are."""
    count = len(words)
    while count > 1 and len(", ".join(words[:count])) > room:
        count -= 1
    return ", ".join(words[:count]) + (f" and {len(words) - count} more: {more}" if count < len(words) else "")


def as_json(value: Any) -> str:
    """Data as indented JSON in printable ASCII that no CI runner takes for a command, its texts as they are."""
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f").replace("##[", "#\\u0023[")


def _commands(line: str) -> list[int]:
    """Where to break up what a CI runner obeys: ``::`` at the start of a line, and ``##[`` anywhere in it."""
    if "::" not in line and "##[" not in line:
        # most lines, soon found
        return []
    start = len(line) - len(line.lstrip(" "))
    first = [start] if line.startswith("::", start) else []
    return first + [match.start() + 1 for match in re.finditer(r"##\[", line)]


def markdown(text: str) -> str:
    """Plain text as Markdown that shows just that, also in a cell of a table, or as a line of its own.

    Forges and other readers make links of some plain text, notify people whom it mentions, and replace names of emoji.
    They look at the page when it is rendered, so no escape of Markdown stops them: what they look for is broken by
    ``INVISIBLE``. Sources: the specification of GitHub Flavored Markdown, 6.9, and what GitHub and GitLab say of
    references.
    """
    output = _COMMIT.sub(lambda match: _GAP.join(wrap(match[0], _LONGEST_WORD)), _GAPS.sub(_GAP, text))
    output = output.translate(_MARKDOWN)
    if start := _STARTS.match(text):
        place = len(start[1] or "")
        output = f"{output[:place]}\\{output[place:]}"
    # Markdown drops spaces at the ends of a line
    if output.startswith(" "):
        output = f"&#32;{output[1:]}"
    return f"{output[:-1]}&#32;" if output.endswith(" ") else output


def cell(text: str) -> str:
    """Plain text as a CSV cell that no spreadsheet takes for a formula. A lone ``-`` is no formula."""
    return "'" + text if text.startswith(("=", "+", "-", "@")) and text != "-" else text
