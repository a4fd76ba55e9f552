"""Two records held against each other: the first field in which they differ, in words."""

from typing import Any

import pytest
from msgspec.structs import replace

from arena.fault import Fault
from arena.record import Record
from arena.retelling import compare_fields

RECORD = Record(
    id="e0b0r0",
    game="lure",
    version="1",
    bots=("pike", "cod"),
    ranks=(0, 1),
    scores=(2, 1),
    reason="finished",
    picks=((0,), (1,)),
    seats_asked=(0, 1),
    micros=(5, 5),
)
LATE = Fault(seat=1, kind="late", decision=1, rule="a rule", hint="")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"scores": (2, 2), "ranks": (0, 0)}, "ranks: expected [0, 1], got [0, 0]"),
        ({"picks": ((0,), (0,))}, "picks by cod at decision 1: expected [1], got [0]"),
        ({"picks": ((0,),)}, "decisions: expected 2, got 1"),
        ({"faults": (LATE,)}, "faults: expected none, got late of cod at decision 1"),
    ],
    ids=["none", "ranks", "picks", "decisions", "faults"],
)
def test_the_first_difference_is_named(change: dict[str, Any], words: str | None) -> None:
    """The field is named with both values; of picks the decision and whose it is, of faults whose and when."""
    wrong = compare_fields(RECORD, replace(RECORD, **change), RECORD.__struct_fields__, seat=RECORD.bots.__getitem__)
    assert (wrong and str(wrong)) == words


def test_faults_in_other_words_are_the_same() -> None:
    """How a fault is worded makes no difference, for another version may word it otherwise."""
    other = replace(RECORD, faults=(replace(LATE, rule="in other words"),))
    assert compare_fields(replace(RECORD, faults=(LATE,)), other, ["faults"]) is None
