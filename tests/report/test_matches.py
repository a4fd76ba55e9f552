"""The matches of a run as rows of a table."""

from arena.fault import Fault, FaultKind
from arena.report.matches import Columns, row
from tests.report.matches import match


def test_faults_are_counted() -> None:
    """The faults of a match are counted by bot and kind, none is left out, and a name is not broken where it fits."""
    noticed: list[tuple[int, FaultKind]] = [(1, "garbled"), (1, "garbled"), (2, "late"), (1, "gone"), (0, "late")]
    faults = tuple(Fault(seat=seat, kind=kind, decision=0, rule="expected none, got one") for seat, kind in noticed)
    shown = row(7, match("dockfight", faults=faults, bots=("ann", "writes-garbage", "eve")).record)
    assert shown["faults"] == "2 garbled (writes-garbage), 1 late (eve), 1 gone (writes-garbage), 1 late (ann)"
    cells = [line["faults"] for line in Columns([shown]).folded(shown)]
    assert cells[:2] == ["2 garbled", "(writes-garbage),"]
