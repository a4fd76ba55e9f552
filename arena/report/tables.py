"""Rows of any kind as a table, Markdown, CSV or JSON, safe to show anywhere. Knows no records or ratings."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import islice, zip_longest
from textwrap import wrap
from typing import Any

from tabulate import tabulate

from arena.escape import as_json, cell, guarded, markdown, plain

NONE = "-"
"""Stands in a cell where there is nothing."""
_LONGEST = 400
_SENTENCE = 1000


def table(
    rows: Sequence[Mapping[str, Any]], form: str, columns: Sequence[str] = (), right: Collection[str] = ()
) -> str:
    """The rows in ``form`` (table, markdown, csv or json), without a newline at the end.

    ``columns`` names the columns where there may be no row to tell, ``right`` those whose cells end in line. JSON keeps
    values as they are; elsewhere they are one line of printable ASCII.
    """
    if form == "json":
        return as_json([dict(row) for row in rows])
    names = list(columns or (rows[0] if rows else ()))
    none = "" if form == "csv" else str(None)
    lines = [[none if row[name] is None else plain(str(row[name]), _LONGEST) for name in names] for row in rows]
    if form == "csv":
        # a number is no formula, whatever its sign
        cells = (
            [cell(text) if isinstance(row[name], str) else text for name, text in zip(names, line, strict=True)]
            for row, line in zip(rows, lines, strict=True)
        )
        return as_csv([names, *cells]).rstrip("\n")
    aligned = ["right" if name in right else "left" for name in names] if lines else None
    if form == "markdown":
        return as_markdown(lines, headers=names, aligned=aligned)
    text = tabulate(lines, headers=names, tablefmt="simple", colalign=aligned, disable_numparse=True)
    return "\n".join(guarded(line.rstrip()) for line in text.split("\n"))


def as_markdown(lines: Iterable[Iterable[str]], *, headers: Iterable[str], aligned: Sequence[str] | None) -> str:
    """Lines of plain text as a table in Markdown, without a newline at the end."""
    # no list begins in a cell
    escaped = [[text if text == NONE else markdown(text) for text in line] for line in lines]
    named = [markdown(header) for header in headers]
    return tabulate(escaped, headers=named, tablefmt="pipe", colalign=aligned, disable_numparse=True)


def as_csv(lines: Iterable[Iterable[str]]) -> str:
    """Lines of safe cells as CSV, ending in a newline."""
    page = StringIO()
    csv.writer(page, lineterminator="\n").writerows(lines)
    return page.getvalue()


def sentences(texts: Iterable[str], form: str, width: int = 76) -> list[str]:
    """Texts made safe: in Markdown a line each, else in lines of at most ``width``."""
    safe = [plain(text, _SENTENCE) for text in texts]
    if form == "markdown":
        return [markdown(text) for text in safe]
    return [guarded(line) for text in safe for line in wrap(text, width, break_on_hyphens=False)]


def in_lines(row: Mapping[str, Any], widths: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """A row of a table whose cells have at most these widths: a cell that is too long continues in rows below."""
    cells = [_pieces(str(row[name]), width) for name, width in widths.items()]
    for number, parts in enumerate(zip_longest(*cells, fillvalue="")):
        yield {**(row if number == 0 else dict.fromkeys(row, "")), **dict(zip(widths, parts, strict=True))}


def fitted(rows: Sequence[dict[str, Any]], *, first: str, second: str, width: int = 80) -> list[dict[str, Any]]:
    """The rows of a table of this width: where the cells of two columns are too long they continue in rows below."""
    widths = {name: max(len(name), *[len(str(row[name])) for row in rows]) for name in rows[0]}
    others = [widths[name] for name in widths if name not in {first, second}]
    room = width - sum(others) - len("  ") * (len(widths) - 1)
    less = min(widths[second], room // 2)
    wide = {first: min(widths[first], room - less), second: less}
    return [line for row in rows for line in in_lines(row, wide)]


def _pieces(text: str, width: int) -> list[str]:
    """The text in pieces that fit once they are made safe, which may make them longer."""
    pieces = [text]
    if len(plain(text, _SENTENCE)) > width or text != text.strip():
        for narrower in range(width, 0, -1):
            pieces = wrap(text, narrower, break_on_hyphens=False) or [""]
            if all(len(plain(piece, _SENTENCE)) <= width for piece in pieces):
                break
    return pieces


PAGE = 1000
"""Rows of a long table that are held at once."""


def pages(rows: Callable[[], Iterable[Mapping[str, Any]]], form: str, columns: Sequence[str]) -> Iterator[str]:
    """The text of ``table`` in parts, with a newline between each two, however many rows there are.

    ``rows`` is called twice where columns have widths: they are known when the last row has been seen.
    """
    if form == "json":
        yield from _json_pages(rows())
        return
    last: list[Mapping[str, Any]] = []
    if form in {"table", "markdown"}:
        # a row of the widest cells gives the columns of each page the same widths
        widths = dict.fromkeys(columns, 0)
        for row in rows():
            for name in columns:
                text = plain(str(row[name]), _LONGEST)
                widths[name] = max(widths[name], len(markdown(text) if form == "markdown" else text))
        last = [{name: "x" * width for name, width in widths.items()}]
    heading = 1 if form == "csv" else 2
    first = True
    for held in _held(rows()):
        lines = table([*held, *last], form, columns).split("\n")
        yield "\n".join(lines[0 if first else heading : len(lines) - len(last)])
        first = False
    if first:
        yield table([], form, columns)


def _json_pages(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    before = ""
    for held in _held(rows):
        if before:
            yield f"{before},"
        inside = table(held, "json").removeprefix("[\n").removesuffix("\n]")
        before = inside if before else f"[\n{inside}"
    yield f"{before}\n]" if before else "[]"


def _held(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """The rows, so many at once."""
    left = iter(rows)
    while held := list(islice(left, PAGE)):
        yield held


def duration(seconds: float) -> str:
    """A time as people say it: ``31.7 s``, ``12 min``, ``5.3 h``, ``2.1 days``."""
    for size, unit, digits in ((172_800, "days", 1), (7200, "h", 1), (120, "min", 0)):
        if seconds >= size:
            return f"{seconds / {'days': 86_400, 'h': 3600, 'min': 60}[unit]:.{digits}f} {unit}"
    return f"{seconds:.1f} s"
