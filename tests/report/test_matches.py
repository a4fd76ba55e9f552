"""The matches of a run as rows of a table."""

from arena.fault import Fault, FaultKind
from arena.report.matches import WIDE, listed, wanted
from tests.report.matches import match
from tests.report.records import results_of


def test_faults_are_counted() -> None:
    """The faults of a match are counted by bot and kind, none is left out, and a name is not broken where it fits."""
    noticed: list[tuple[int, FaultKind]] = [(1, "garbled"), (1, "garbled"), (2, "late"), (1, "gone"), (0, "late")]
    faults = tuple(Fault(seat=seat, kind=kind, decision=0, rule="expected none, got one") for seat, kind in noticed)
    bots = ("ann", "writes-garbage", "eve")
    results = results_of([match("dockfight", faults=faults, bots=bots).record], bots)
    rows = wanted(results, [], lost=False, fault=True, void=False)
    (shown,) = listed(results, rows, "csv")()
    assert shown["faults"] == "2 garbled (writes-garbage), 1 late (eve), 1 gone (writes-garbage), 1 late (ann)"
    assert [line["faults"] for line in listed(results, rows, "table")()][:2] == ["2 garbled", "(writes-garbage),"]
    assert set(WIDE) < shown.keys()
