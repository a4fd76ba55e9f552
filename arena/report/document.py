"""Values as a document: sections of sentences and tables, written as text of 80 columns, Markdown or CSV.

All that is written is printable ASCII, and safe to show anywhere. Knows no records or ratings.
"""

import csv
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from io import StringIO
from itertools import zip_longest
from textwrap import wrap
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins
from msgspec.structs import asdict
from tabulate import DataRow, TableFormat, tabulate

from arena.escape import as_json, cell, guarded, markdown, plain

OutputFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

WIDTH = 80
NONE = "-"
"""Stands in a cell where there is nothing."""
_GAP = len("  ")
_PADDING = 2
"""What a table keeps free beside each heading of a column."""
_NARROWEST = 8
"""Columns of a cell that is folded, however wide the others are."""
_HEADING = 10
_LONGEST = 400
_SENTENCE = 1000
_UNIT = re.compile(r"(?<=\d) (?=(?:%|ms|s|min|h|days|MiB)(?![\w]))")
_DENSE = TableFormat(None, None, None, None, DataRow("", " ", ""), DataRow("", " ", ""), 0, None)


def width() -> int:
    """The columns for text: those of the terminal that it goes to, at most 80."""
    return min(WIDTH, os.get_terminal_size(1).columns or WIDTH) if os.isatty(1) else WIDTH


class Table(Struct, frozen=True, kw_only=True):
    """Rows for people, by the names of their columns; what stands in a cell as a tuple has a line for each part."""

    rows: Sequence[dict[str, Any]]
    left_columns: Collection[str] = ()
    """Columns that begin in line; the others end in line."""
    wide: Collection[str] = ()
    """Columns that begin in line too, and are folded where 80 columns are too few."""
    dense: bool = False
    """Whether there are so many columns that one space parts them and their headings are folded."""
    roomy: Collection[str] = ()
    """Columns that only Markdown has: 80 columns are too few for them."""
    spare: Collection[str] = ()
    """Columns that a dense table leaves out where a terminal is too narrow for it, the first of them first."""
    longest: int = _LONGEST

    def text(self, form: str) -> str:
        """The table as text of 80 columns or as Markdown."""
        columns = list(self.rows[0])
        if form == "markdown":
            rows = [{name: ", ".join(_parts(row[name])) for name in columns} for row in self.rows]
            return table(rows, form, columns, self._right(columns), self.longest)
        columns = [name for name in columns if name not in self.roomy]
        if self.dense:
            return self._dense(columns)
        rows = [{name: row[name] for name in columns} for row in self.rows]
        return table(folded(rows, self.wide), form, columns, self._right(columns))

    def _right(self, columns: Sequence[str]) -> Collection[str]:
        return {*columns} - {*self.left_columns, *self.wide}

    def _dense(self, columns: Sequence[str]) -> str:
        for spare in (None, *self.spare):
            columns = [name for name in columns if name != spare]
            text = self._with_one_space(columns)
            if max(map(len, text.split("\n"))) <= width():
                break
        return text

    def _with_one_space(self, columns: Sequence[str]) -> str:
        headings = [wrap(plain(name, self.longest), _HEADING) or [""] for name in columns]
        lines = [[[plain(part, self.longest) for part in _parts(row[name])] for name in columns] for row in self.rows]
        widths = [
            max(map(len, (part for parts in both for part in parts))) for both in zip(headings, *lines, strict=True)
        ]
        for number, name in enumerate(columns):
            if name in self.wide:
                room = max(_NARROWEST, width() - sum(widths) + widths[number] - len(widths) + 1)
                for line in lines:
                    line[number] = wrap(line[number][0], room)
        tallest = max(map(len, headings))
        # headings of fewer lines stand on the lowest one, and go in as lines because tabulate would pad them
        stacked = [*zip(*([""] * (tallest - len(parts)) + parts for parts in headings), strict=True)]
        stacked += [part for line in lines for part in zip_longest(*line, fillvalue="")]
        right = self._right(columns)
        aligned = ["right" if name in right else "left" for name in columns]
        text = tabulate(stacked, tablefmt=_DENSE, colalign=aligned, disable_numparse=True)
        return "\n".join(line.rstrip() for line in text.split("\n"))


class Section(Struct, frozen=True, kw_only=True):
    """A part of a document: what people read of it, and the same as data."""

    name: str = ""
    """Its key in JSON."""
    headline: str = ""
    lead: Sequence[str] = ()
    """Sentences above the tables."""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    """Sentences below them."""
    text_notes: Sequence[str] = ()
    """More of them, for what is a column in Markdown alone."""
    folded: bool = False
    """Whether of all notes text has only those."""
    listed: bool = False
    """Whether the notes are a list in Markdown."""
    width: int = 76
    """Of the sentences."""
    rows: Sequence[Any] = ()
    """Structs or dicts, for programs."""
    columns: Sequence[str] = ()
    """The fields of the rows; CSV leaves out a section without."""
    digits: int | None = None
    """Of a fraction in CSV; None: as many as it has."""
    longest: int = _LONGEST

    def parts(self, form: str) -> Iterator[str]:
        """What stands in it, as text or Markdown."""
        if self.headline:
            rule = "=" * len(self.headline)
            yield f"## {markdown(self.headline)}" if form == "markdown" else f"{self.headline}\n{rule}"
        yield "\n".join(sentences(self.lead, form, self.width))
        yield from (table.text(form) for table in self.tables if table.rows)
        bullet = "- " if self.listed and form == "markdown" else ""
        notes = self.notes if form == "markdown" else [*(() if self.folded else self.notes), *self.text_notes]
        yield "\n".join(bullet + line for line in sentences(notes, form, self.width))

    def csv(self) -> str:
        """Its rows as CSV, ending in a newline."""
        rows = [asdict(row) if isinstance(row, Struct) else row for row in self.rows]
        data = [{name: _datum(row[name], self.digits) for name in self.columns} for row in rows]
        return table(data, "csv", self.columns, longest=self.longest) + "\n"


class Document(Struct, frozen=True, kw_only=True):
    """All that a command tells: sections for people, and the same as data for programs."""

    sections: Sequence[Section]
    data: Any = None
    """Structs, dicts and lists: what JSON holds."""

    def written(self, form: OutputFormat) -> str:
        """The document in this format, ending in a newline.

        CSV has one table a section, with an empty line between, and no sentences.
        """
        match form:
            case "json":
                return as_json(to_builtins(self.data)) + "\n"
            case "csv":
                return "\n".join(section.csv() for section in self.sections if section.columns)
        return "\n".join(f"{part}\n" for section in self.sections for part in section.parts(form) if part)


def table(
    rows: Sequence[Mapping[str, Any]],
    form: str,
    columns: Sequence[str] = (),
    right: Collection[str] = (),
    longest: int = _LONGEST,
) -> str:
    """The rows in ``form`` (table, markdown, csv or json), without a newline at the end.

    ``columns`` names the columns where there may be no row to tell, ``right`` those whose cells end in line. JSON keeps
    values as they are; elsewhere they are one line of at most ``longest`` characters.
    """
    if form == "json":
        return as_json([dict(row) for row in rows])
    names = list(columns or (rows[0] if rows else ()))
    none = "" if form == "csv" else str(None)
    lines = [[none if row[name] is None else plain(str(row[name]), longest) for name in names] for row in rows]
    if form == "csv":
        # a number is no formula, whatever its sign
        cells = (
            [cell(text) if isinstance(row[name], str) else text for name, text in zip(names, line, strict=True)]
            for row, line in zip(rows, lines, strict=True)
        )
        page = StringIO()
        csv.writer(page, lineterminator="\n").writerows([[cell(plain(name, longest)) for name in names], *cells])
        return page.getvalue().rstrip("\n")
    aligned = ["right" if name in right else "left" for name in names] if lines else None
    if form == "markdown":
        # no list begins in a cell
        lines = [[text if text == NONE else markdown(text) for text in line] for line in lines]
        names = [markdown(plain(name, longest)) for name in names]
    layout = "pipe" if form == "markdown" else "simple"
    text = tabulate(lines, headers=names, tablefmt=layout, colalign=aligned, disable_numparse=True)
    return text if form == "markdown" else "\n".join(guarded(line.rstrip()) for line in text.split("\n"))


def sentences(texts: Iterable[str], form: str, most: int) -> list[str]:
    """Texts made safe: in Markdown a line each, else in lines of at most ``most``, or as wide as the terminal."""
    most = min(most, width())
    safe = [plain(text, _SENTENCE) for text in texts]
    if form == "markdown":
        return [markdown(text) for text in safe]
    # a figure and its unit stay in one line
    lines = [line for text in safe for line in wrap(_UNIT.sub("\xa0", text), most, break_on_hyphens=False)]
    return [guarded(line.replace("\xa0", " ")) for line in lines]


def in_lines(row: Mapping[str, Any], widths: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """A row of a table whose cells have at most these widths: a cell that is too long continues in rows below."""
    cells = [_pieces(str(row[name]), width) for name, width in widths.items()]
    for number, parts in enumerate(zip_longest(*cells, fillvalue="")):
        yield {**(row if number == 0 else dict.fromkeys(row, "")), **dict(zip(widths, parts, strict=True))}


def _pieces(text: str, width: int) -> list[str]:
    """The text in pieces that fit once they are made safe, which may make them longer."""
    pieces = [text]
    if len(plain(text, _SENTENCE)) > width or text != text.strip():
        for narrower in range(width, 0, -1):
            pieces = wrap(text, narrower, break_on_hyphens=False) or [""]
            if all(len(plain(piece, _SENTENCE)) <= width for piece in pieces):
                break
    return pieces


def folded(rows: Sequence[dict[str, Any]], wide: Collection[str]) -> Sequence[dict[str, Any]]:
    """The rows within 80 columns: what is too long for its wide column goes on in rows below."""
    if not wide:
        return rows
    widths = {
        name: max([len(name) + _PADDING, *(len(plain(str(row[name]), _SENTENCE)) for row in rows)]) for name in rows[0]
    }
    while sum(widths.values()) + _GAP * (len(widths) - 1) > width():
        widest = max(wide, key=lambda name: widths[name])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    folded = {name: widths[name] for name in rows[0] if name in wide}
    return [line for row in rows for line in in_lines(row, folded)]


def _parts(value: Any) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _datum(value: Any, digits: int | None) -> Any:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return "; ".join(map(str, value))
        case dict() | list():
            return json.dumps(value)
        case float() if digits is not None:
            # no text: a number is no formula, whatever its sign
            return Decimal(f"{value:.{digits}f}")
    return value
