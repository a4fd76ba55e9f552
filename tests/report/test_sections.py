"""The statistics as text: 80 columns, safe whatever the bots wrote."""

import csv
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.report.document import Document, Section, table
from arena.report.seats import SeatRow
from arena.report.sections import faults_section, seats_section, times_section
from arena.report.times import BotFaults, BotTimes, Rule

NAME = "a" * 64
TIMES = [
    BotTimes(NAME, 204_000_000, 12_345, 0.009, 12.34, 999.5, 60_000.0, 1.0234, 999_999, 7, 200_000, at_least=True),
    BotTimes("quick", 12, 0, 0.01, 0.02, 0.02, 0.02, 0.0002, 3, 7, 1, at_least=False),
    BotTimes("idle", 0, 0, None, None, None, None, None, None, None, None, at_least=False),
]
SEATS = [
    SeatRow("cash-a-catch", 3, 0, 250_000, 0.45, 0.01, -123.456, 12.3, 0.4, 0.1, uneven=True),
    SeatRow("cash-a-catch", 3, 1, 250_000, 0.5, 0.01, 1.0, 0.0, 0.3, 0.1),
    SeatRow("cash-a-catch", 3, 2, 4, 0.55, None, 1.0, None, 0.3, None),
]


def fault(rule: str, first: str = "") -> Section:
    """A section of one bot's one kind of fault."""
    row = BotFaults(NAME, "garbled", 16_000, 12_000, 4000, 123_456, -1, first or rule, (Rule(9000, rule),))
    return faults_section([row], {"b": 3})


def test_the_words_below_the_tables() -> None:
    """Notes tell a move time that suits all, who was late, which seats are not even, and who was withdrawn."""
    assert times_section(TIMES, 1000).notes == (
        "Move time: 1s; with a margin for busier machines: 200s or more.",
        f"How much more time these would have taken is not known: {NAME}.",
    )
    assert times_section(TIMES[1:], 1000).notes == ("Move time: 1s; with a margin for busier machines: 1ms.",)
    assert times_section(TIMES[2:], 1000).notes == ()
    assert seats_section(SEATS, 1).notes[1:] == (
        "Certainly not even in rank: seat 0 of 3 (ahead).",
        "Left out, because some of the matches are not rated: 1 block.",
    )
    assert seats_section([], 0).notes == ("No block is whole yet.",)
    assert faults_section([], {}).notes == ("No faults.",)
    assert fault("x").notes == ("b was withdrawn for its faults from 3 matches: there arena picked its first options.",)


def test_long_cells_go_on_below() -> None:
    """However long names and numbers are, a table is at most 80 columns wide and loses nothing."""
    sections = [times_section(TIMES, 1000), fault("expected " + "picks " * 20, "first"), seats_section(SEATS, 0)]
    text = Document(sections=sections).written("table")
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("a") >= 64 * 3
    for word in ("102.3 % #999999", "200s+", "#123456, at the start", "-123.46 +- 12.30", "first"):
        assert word in text


@pytest.mark.long
@settings(max_examples=60)
@given(st.text(max_size=120))
def test_what_bots_wrote_is_safe(text: str) -> None:
    """Whatever a rule quotes, each form is printable ASCII, and the table is at most 80 columns wide."""
    for form in ("table", "markdown", "csv"):
        printed = Document(sections=[replace(fault(text), lead=[text])]).written(form)
        assert all(" " <= char <= "~" or char == "\n" for char in printed)
        assert form != "table" or max(map(len, printed.splitlines())) <= 80


def test_csv() -> None:
    """CSV has the fields of the rows, one table a section; None is empty, a number is never quoted as a formula."""
    time, seats = Document(sections=[times_section(TIMES, 1000), seats_section(SEATS, 0)]).written("csv").split("\n\n")
    rows = list(csv.DictReader(StringIO(time)))
    assert list(rows[0]) == list(BotTimes.__struct_fields__)
    assert (rows[0]["at_least"], rows[2]["ms_p99"], rows[2]["asked"]) == ("true", "", "0")
    assert next(csv.DictReader(StringIO(seats)))["mean_score"] == "-123.456"
    [row] = csv.DictReader(StringIO(Document(sections=[fault("=1+1")]).written("csv")))
    assert (row["first_rule"], row["rules"]) == ("'=1+1", "9000 x =1+1")
    assert Document(sections=[faults_section([], {})]).written("csv") == ",".join(BotFaults.__struct_fields__) + "\n"


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_columns_on_the_right(form: str) -> None:
    """Cells of columns that are named so end in line, the others begin in line."""
    lines = table([{"n": 1, "of": 1}, {"n": 100, "of": 100}], form, (), ("n",)).splitlines()
    assert lines[2].strip("| ").split()[0] == "1"
    assert lines[2].index("1") > lines[3].index("1")
    assert lines[2].rindex("1") == lines[3].rindex("100")
