"""Text of strangers made safe to show."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.escape import as_json, cell, folded, guarded, harmless, markdown, plain

ESCAPE = r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\[nrt\\]|[^\\]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("random-js 1.0", "random-js 1.0"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[31mred\x1b]52;c;\x07", r"\x1b[31mred\x1b]52;c;\x07"),
        ("\u202eevil\x7f\x00", r"\u202eevil\x7f\x00"),
        ("M\u00f6we \U0001f41f", r"M\xf6we \U0001f41f"),
        ("C:\\bot", r"C:\\bot"),
        ("\udcff", r"\udcff"),
        ("::error::no", r"\x3a:error::no"),
        ("  ::add-mask::x", r"  \x3a:add-mask::x"),
        ("std::bad_alloc", "std::bad_alloc"),
        ("say ##[error]", r"say #\x23[error]"),
    ],
)
def test_control_characters_and_commands_are_spelled_out(text: str, shown: str) -> None:
    """Anything but printable ASCII is escaped, and no line is a command to a CI runner."""
    assert plain(text, 80) == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc..."),
        ("ab\x1bcd", 8, "ab\\x1bcd"),
        ("ab\x1bcd", 7, "ab..."),
        ("x", 4, "x"),
    ],
)
def test_long_text_is_cut_between_characters(text: str, limit: int, shown: str) -> None:
    """Text beyond the limit ends in three dots, and no escape is cut in two."""
    assert plain(text, limit) == shown


@pytest.mark.long
@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=[])) | st.from_regex(r"\s*(::|##\[)+.*"), st.integers(4, 30))
def test_whatever_comes_in_a_short_printable_line_comes_out(text: str, limit: int) -> None:
    """Any text becomes at most ``limit`` printable ASCII characters, whole escapes, no command."""
    line = plain(text, limit)
    assert len(line) <= limit
    assert all(" " <= char <= "~" for char in line)
    assert re.fullmatch(f"({ESCAPE})*", line)
    assert not line.lstrip().startswith("::")
    assert "##[" not in line
    assert guarded(line) == line


def test_markdown_shows_what_was_written() -> None:
    """What Markdown or HTML would read as markup is escaped, in a table's cell too."""
    assert markdown("a|b`c<d>&e") == "a&#124;b&#96;c&#60;d&#62;&#38;e"
    assert markdown("*_[x]~#\\") == r"\*\_\[x\]\~\#\\"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_a_csv_cell_is_never_a_formula(text: str) -> None:
    """A cell that begins like a formula gets an apostrophe before it."""
    assert cell(text) == "'" + text
    assert cell("a" + text) == "a" + text


def test_a_csv_cell_of_nothing() -> None:
    """The dash that stands where there is nothing stays what it is."""
    assert cell("-") == "-"


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=[])) | st.from_regex(r"(\s*(::|##\[)é+)*"))
def test_lines_that_quote_others_are_harmless(text: str) -> None:
    """Lines stay lines and printable characters stay, in any script; the rest is escaped, and no line is a command."""
    lines = harmless(text)
    assert lines.count("\n") == text.count("\n")
    assert all(line.isprintable() and guarded(line) == line for line in lines.split("\n"))
    if text.isprintable() and ":" not in text and "#" not in text:
        assert lines == text


@settings(max_examples=100)
@given(st.text(st.sampled_from("a :#[-")).map(lambda text: plain(text, 400)), st.integers(12, 30), st.booleans())
def test_a_break_makes_no_command(text: str, width: int, hyphens: bool) -> None:
    """Wherever plain text is folded, no line is too long, none is a command, and nothing is lost."""
    lines = folded(text, width, subsequent_indent="  ", break_on_hyphens=hyphens)
    assert all(len(line) <= width and guarded(line) == line for line in lines)
    assert told("".join(lines)) == told(text)


def told(text: str) -> str:
    """What a text says, however it is broken up."""
    return "".join(text.split()).replace(r"\x3a", ":").replace(r"\x23", "#")


def test_folded_text() -> None:
    """Lines are as wide as they may be; only where a break would make a command does that cost some room."""
    assert folded("abcd efgh ijkl", 9) == ["abcd efgh", "ijkl"]
    assert folded("abcd ::error", 12) == ["abcd ::error"]
    assert folded("abcd efgh ::error", 12) == ["abcd efgh", "\\x3a:error"]


@settings(max_examples=100)
@given(st.text() | st.sampled_from(["\x7f", "##[error]", "###[", '\\##["', "\n::error::"]))
def test_json_is_harmless_too(text: str) -> None:
    """JSON is printable ASCII and no command, and is read back as it was."""
    value: dict[str, Any] = {text: [text, 1, {"a": text}]}
    found = as_json(value)
    assert json.loads(found) == value
    assert all(char == "\n" or " " <= char <= "~" for char in found)
    assert not any(line.lstrip().startswith("::") for line in found.split("\n"))
    assert "##[" not in found
