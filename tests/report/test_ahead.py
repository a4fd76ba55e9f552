"""Who finishes ahead of whom, as text."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from arena.ratings import fit_outcomes
from arena.record import Record
from arena.report.ahead import Ahead, ahead_section, finished_ahead, rows
from arena.report.document import Document
from tests.report.records import board_of, record, results_of

CIRCLE = [{"rock": 0, "scissors": 1}, {"scissors": 0, "paper": 1}, {"paper": 0, "rock": 1}]
RECORDS = [
    replace(record(ranks), id=f"e0b{block}r{turn}", picks=((block,), (turn,)))
    for block in range(40)
    for turn, ranks in enumerate([*CIRCLE, {"slow|er": 2, "rock": 0, "paper": 0}])
]
NAMES = ["rock", "paper", "scissors", "slow|er", "idle"]

TABLE = """\
All matches: the share of shared matches finished ahead, a tie half. +
certainly the better bot, - the worse.

#    bot       1      2      3     4
---  --------  -----  -----  ----  -----
1    rock      -      0.25   1.00  1.00+
2    paper     0.75   -      0.00  1.00+
3    scissors  0.00   1.00   -     -
4    slow|er   0.00-  0.00-  -     -

A circle: paper > rock > scissors > paper, each certainly ahead.
"""


def every_ahead(records: Iterable[Record]) -> list[Ahead]:
    """Who finishes ahead of whom in these records."""
    records = list(records)
    bots = sorted({bot for each in records for bot in each.bots})
    results = results_of(records, bots)
    return finished_ahead(results, fit_outcomes(results.outcomes(), bots), board_of(records, bots))


def test_a_matrix_has_a_column_for_each_bot() -> None:
    """Rows and columns stand in the order of the table; certain shares are marked, who never met has a dash."""
    page = Document(sections=[ahead_section(every_ahead(iter(RECORDS))[0])]).written("table")
    assert TABLE in page
    assert "of the variance of as many matches" in page


def test_several_seat_counts_have_a_matrix_each() -> None:
    """All matches come first, then those of each seat count; a run of one seat count has the first alone."""
    found = every_ahead(RECORDS)
    assert [ahead.seats for ahead in found] == [None, 2, 3]
    assert [sum(pair.matches for pair in ahead.pairs) for ahead in found] == [240, 120, 120]
    assert (
        Document(sections=[ahead_section(found[2])])
        .written("table")
        .partition("\n\n")[2]
        .startswith("Matches of 3 seats: ")
    )
    assert [ahead.seats for ahead in every_ahead(RECORDS[:3])] == [None]


def test_rows_have_every_pair_once() -> None:
    """JSON and CSV hold each pair, the better first, figures to four decimals."""
    found = every_ahead(RECORDS)[0]
    pairs = rows(found)
    assert [(pair["bot"], pair["other"], pair["certain"]) for pair in pairs] == [
        ("rock", "paper", 0),
        ("rock", "scissors", 0),
        ("rock", "slow|er", 1),
        ("paper", "scissors", 0),
        ("paper", "slow|er", 1),
    ]
    assert pairs[0] | {"low": 0, "high": 0, "expected": 0, "deviations": 0} == {
        "bot": "rock",
        "other": "paper",
        "matches": 80,
        "ahead": 0,
        "tied": 40,
        "share": 0.25,
        "low": 0,
        "high": 0,
        "expected": 0,
        "deviations": 0,
        "blocks": 40,
        "certain": 0,
    }
    columns = "bot,other,matches,ahead,tied,share,low,high,expected,deviations,blocks,certain"
    assert Document(sections=[ahead_section(found)]).written("csv").splitlines()[0] == columns


def test_markdown_escapes_names() -> None:
    """No name breaks out of its cell."""
    page = Document(sections=[ahead_section(every_ahead(RECORDS)[0])]).written("markdown")
    assert "| slow&#124;er |" in page
    assert len({line.count("|") for line in page.splitlines() if line.startswith("|")}) == 1


@pytest.mark.parametrize("bots", [8, 9])
def test_long_names_and_many_bots_fit_eighty_columns(bots: int) -> None:
    """Up to eight bots stand in a matrix; of more, each is held against those that follow it closely."""
    names = [f"{number}" * 40 for number in range(bots)]
    ranks = {name: rank for rank, name in enumerate(names)}
    found = every_ahead([replace(record(ranks), id=f"e0b{block}r0") for block in range(40)])[0]
    page = Document(sections=[ahead_section(found)]).written("table")
    assert max(map(len, page.splitlines())) <= 80
    assert page.count("1.00+") == (28 if bots == 8 else 15)


def test_repeated_games_are_told() -> None:
    """A match that is another one move for move is counted among the notes."""
    repeated = replace(RECORDS[0], id="e0b99r0")
    notes = every_ahead([*RECORDS, repeated])[0].notes
    assert notes[-1] == "1 of 161 matches repeats another one move for move."


def test_no_match_is_an_empty_matrix() -> None:
    """Of a run without matches there is a title and nothing to tell."""
    found = every_ahead([])
    assert [(ahead.bots, ahead.pairs, ahead.notes) for ahead in found] == [((), (), ())]
    assert Document(sections=[ahead_section(found[0])]).written("table").partition("\n\n")[2].startswith("All matches")
