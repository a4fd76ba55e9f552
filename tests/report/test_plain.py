"""Text of strangers made safe to show."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.report.plain import cell, guarded, markdown, plain

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
