"""The verdict on two versions of a bot in words, figures and every format."""

import csv
import json
from collections.abc import Sequence
from io import StringIO

import pytest
from msgspec.structs import replace

from arena.record import FaultKind, Record
from arena.report import leaderboard
from arena.report.comparison import Comparison, compared, render_comparison, unchanged, unready
from tests.report.records import record

FORMATS = ("table", "markdown", "csv", "json")


def of(wins: Sequence[bool], *, faulty: tuple[FaultKind, ...] = (), both: bool = False) -> Comparison:
    """Twenty blocks of one match: in which ``new`` was ahead of ``old``; in the first these faults of ``new``."""
    matches: list[Record] = []
    for at, win in enumerate(wins):
        faults = tuple((seat, kind) for kind in faulty for seat in ((0, 1) if both else (0,))) if not at else ()
        match = record({"new": 1 - win, "old": 0 + win}, faults=faults)
        matches.append(replace(match, id=f"e0b{at}r0"))
    board = leaderboard(matches, ["new", "old"], run="run", game="lure", seats=2, seed=None, seconds=1.0)
    return compared(matches, board, "new", "old")


def test_verdicts() -> None:
    """Better and worse only where it is certain; with fewer than ten blocks nothing is."""
    better, worse = of([True] * 17 + [False] * 3), of([True] * 3 + [False] * 17)
    assert (better.verdict, worse.verdict) == ("better", "worse")
    assert better.why.startswith("new is better than old after 20 matches: mu +")
    assert "new finished ahead of old in 85 % of the 20 matches that both sat in" in better.why
    assert (better.met, better.ahead, worse.ahead) == (20, 0.85, 0.15)
    assert better.difference is not None
    assert better.difference > 0
    assert of([True, False] * 10).verdict == "undecided"
    few = of([True] * 9)
    assert (few.verdict, few.low) == ("undecided", None)
    assert "expected 10 blocks of each, got fewer" in few.why


def test_faults_weigh_more_than_wins() -> None:
    """A new version that faults where the old one never did is worse, though it wins; if both fault, wins decide."""
    wins = [True] * 17 + [False] * 3
    found = of(wins, faulty=("late", "illegal"))
    assert found.verdict == "worse"
    assert found.why.startswith("new faulted 2 times, old never. new is better than old")
    assert of(wins, faulty=("late",)).why.startswith("new faulted once, old never.")
    assert of(wins, faulty=("late",), both=True).verdict == "better"


@pytest.mark.parametrize("form", FORMATS)
def test_formats(form: str) -> None:
    """Every format holds the verdict, for what was played and for what was not."""
    for found in (of([True] * 20), unchanged("new", "old", "lure"), unready("new", "old", "lure")):
        text = render_comparison(found, form)
        assert text.isascii()
        assert text.endswith("\n")
        if form == "json":
            assert json.loads(text)["verdict"] == found.verdict
        elif form == "csv":
            (row,) = csv.DictReader(StringIO(text))
            assert (row["verdict"], row["matches"]) == (found.verdict, str(found.matches))
        else:
            assert found.why.split()[-1] in text


def test_markdown_of_any_name() -> None:
    """No word of the verdict becomes markup: it may be posted as it is."""
    found = replace(unready("new", "old", "lure"), why="<b> @you #1 [x](y)", new="a_b*")
    text = render_comparison(found, "markdown")
    assert text.startswith("### Worse: a\\_b\\*, lure\n\n&#60;b&#62; @you \\#1 \\[x\\](y)")
