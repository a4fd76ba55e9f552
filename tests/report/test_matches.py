"""The matches of a run as rows of a table."""

import pytest
from msgspec.structs import replace

from arena.fault import Fault, FaultKind
from arena.report.document import table
from arena.report.matches import COLUMNS, PAGE, data, listed, row, select_rows
from tests.report.matches import match
from tests.report.records import results_of


def test_faults_are_counted() -> None:
    """The faults of a match are counted by bot and kind, none is left out, and a name is not broken where it fits."""
    noticed: list[tuple[int, FaultKind]] = [(1, "garbled"), (1, "garbled"), (2, "late"), (1, "gone"), (0, "late")]
    faults = tuple(Fault(seat=seat, kind=kind, decision=0, rule="expected none, got one") for seat, kind in noticed)
    bots = ("ann", "writes-garbage", "eve")
    results = results_of([match("dockfight", faults=faults, bots=bots).record], bots)
    rows = select_rows(results, [], lost=False, fault=True, void=False)
    told = "2 garbled (writes-garbage), 1 late (eve), 1 gone (writes-garbage), 1 late (ann)"
    assert f'"{told}"' in "\n".join(listed(results, rows, "csv"))
    text = [line.split() for line in "\n".join(listed(results, rows, "table")).split("\n")]
    assert text[2][-3:-1] == ["2", "garbled"]
    assert text[3] == ["(writes-garbage),"]


def test_a_page_is_as_wide_as_all() -> None:
    """A table of several pages has one heading and one width a column, and what is not plain text is made so."""
    bots = ("ann", "bob", "eve")
    played = match("dockfight", bots=bots).record
    records = [replace(played, id=f"e0b{number}r0") for number in range(PAGE + 1)]
    records[7] = replace(records[7], reason="void", why="::lost\x1b")
    results = results_of(records, bots)
    rows = select_rows(results, [], lost=False, fault=False, void=False)
    pages = list(listed(results, rows, "table"))
    assert len(pages) == 1 + 2
    assert "void: ::lost\\x1b" in pages[1]
    assert "\n".join(pages) == table([row(results.match(number)) for number in rows], "table", COLUMNS)


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
@pytest.mark.parametrize("count", [0, 1, PAGE, 2 * PAGE + 1])
def test_a_long_list_is_the_same_page_by_page(form: str, count: int) -> None:
    """However many matches there are, the parts are what the whole table is; the widest cell may be on any page."""
    bots = ("ann", "bob", "eve")
    played = match("dockfight", bots=bots).record
    records = [replace(played, id=f"e0b{number}r0", scores=(number % 17, 1, 0)) for number in range(count)]
    records[-1:] = [replace(record, reason="void", why="wide" * 4) for record in records[-1:]]
    results = results_of(records, bots)
    rows = select_rows(results, [], lost=False, fault=False, void=False)
    to_cells = data if form == "json" else row
    due = table([to_cells(found) for found in results.matches(rows)], form, COLUMNS)
    assert "\n".join(listed(results, rows, form)) == due
