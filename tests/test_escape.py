"""Text of strangers made safe to show."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arena.escape import as_json, cause_and_cure, cell, folded, guarded, harmless, markdown, plain, some

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


LINKS = [
    # GitHub Flavored Markdown, 6.9: extended autolinks, and mail
    r"(?:https?|ftp)://",
    r"\bwww\.",
    r"[\w.+-]+@[\w-]+\.\w",
    # any scheme as GitLab has it, and what linkify-it takes for a domain or an address
    r"\w://",
    r"//",
    r"\b[a-z][a-z0-9+.-]*:[^\s\d\u200b]",
    r"[\w-]\.[a-z]{2,}",
    # mentions; references to issues, requests, snippets, milestones, labels, epics and other trackers; commits; emoji
    r"@\w",
    r"#\w",
    r"!\d",
    r"\$\d",
    r"%[\w\"]",
    r"~[\w\"]",
    r"&\d",
    r"\b(?i:gh)-\d",
    r"\b[A-Z][A-Z0-9]+-\d",
    r"(?<!\w)[0-9a-fA-F]{7,40}(?!\w)",
    r":(?!\d\d:)[a-z0-9+_-]+:",
]
"""What forges and readers find in the text of a rendered page and make links of."""
PIECES = [
    *("@", "#", "!", "&", "$", "%", "~", ":", "/", "//", ".", "-", "www.", "https://", "mailto:", "GH-", "AB1-", "12"),
    *("name", "evil.com", "deadbeef", "1", " ", "  ", "*", "**", "_", "`", "|", "<b>", "&amp;", "[x](y)", "![", "]"),
    *("- ", "+ ", "1. ", "2) ", "---", "===", "> ", "# ", "~~~", "```", "\\", "{{ x }}", '"', "'", "(", ")", "Z", "zz"),
]
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
SHAPES = {
    "a paragraph": ("{}", ["paragraph"]),
    "a heading": ("### {}", ["heading"]),
    "a list": ("- {}", ["bullet_list", "list_item", "paragraph"]),
    "a line below another": ("text\n{}", ["paragraph"]),
    "a cell": ("| a |\n|---|\n| {} |", ["table", "thead", "tr", "th", "tbody", "tr", "td"]),
}


def rendered(page: str) -> tuple[list[str], str]:
    """The elements of a page, and the last line of text in it as a browser has it."""
    found = READER.parse(page)
    inside = [token.children or [] for token in found if token.type == "inline"][-1]
    elements = [token.type.removesuffix("_open") for token in found if token.nesting == 1]
    marks = [token.type for token in inside if token.type not in {"text", "text_special", "softbreak"}]
    below = [token.content if token.type != "softbreak" else "\n" for token in inside]
    return elements + marks, "".join(below).rpartition("\n")[2]


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=150)
@given(
    text=st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(st.characters(codec="ascii"), max_size=20)
)
def test_markdown_gives_back_the_text_and_nothing_else(shape: str, text: str) -> None:
    """Wherever it stands, a rendered text is what was written: no markup, and nothing a forge makes a link of."""
    frame, elements = SHAPES[shape]
    text = plain(text, 200) or "-"
    page = frame.replace("{}", markdown(text))
    assert page.isascii()
    found, shown = rendered(page)
    assert found == elements
    assert shown.replace("\u200b", "") == text
    for link in LINKS:
        assert not re.search(link, shown), link


def test_people_see_the_name() -> None:
    """What is put between is invisible; ordinary names, numbers, times and seeds stay as they are."""
    assert markdown("@name #12") == "@&#8203;name \\#&#8203;12"
    assert markdown("see https://a.org") == "see https:&#8203;/&#8203;/a.&#8203;org"
    for text in ("greedy", "random-2", "-1.25", "+0.5", "12.5 %", "18:00:00", "2027-01-31", "a" * 64, "1-3", "R-D v12"):
        assert markdown(text) == text


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


def test_long_lists_are_cut() -> None:
    """Of words that do not fit, those beyond are counted, and where they are is told; one is shown at least."""
    assert some(["stop", "hit"], 9, "-v") == "stop, hit"
    assert some(["stop", "hit"], 8, "-v") == "stop and 1 more: -v"
    assert some(["2", "2", "3", "4", "4"], 4, "-v") == "2, 2 and 3 more: -v"
    assert some(["a long option"], 4, "-v") == "a long option"


def test_cause_and_cure_have_a_line_each() -> None:
    """The cure stands below the cause, each folded with its own further indent, and its words stay whole."""
    path = "/a/path/that/is/longer/than/the/whole/line-and-has-hyphens"
    lines = cause_and_cure("what is wrong here", cure=path, width=14, indent="  ")
    assert lines == ["  what is", "    wrong here", "  fix:", f"    {path}"]
    assert cause_and_cure("wrong", cure="", width=14, indent="") == ["wrong"]
