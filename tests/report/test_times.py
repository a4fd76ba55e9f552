"""Answering times: percentiles within their error, the closest call, and a move time with a margin."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.fault import Fault, FaultKind
from arena.record import Record
from arena.report.times import BotTimes, margin, times_of
from arena.results.waits import CLASSES, classes_of, share, times
from tests.report.records import record, results_of

WAITS = st.lists(st.integers(0, 10**9), min_size=1, max_size=60)


def rows(*records: Record, move_time: int = 100) -> dict[str, BotTimes]:
    """The rows of ``a`` and ``b`` by name."""
    return {row.bot: row for row in times_of(results_of(records, "ab"), "ab", move_time)}


def answers(waits: list[int]) -> list[tuple[int, int]]:
    """The answers of these times as they are kept."""
    return times(np.bincount(classes_of(np.array(waits, np.int64)), minlength=CLASSES))


@settings(max_examples=200)
@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=60), st.integers(1, 1000))
def test_a_percentile_is_off_by_at_most_a_sixty_fourth(waits: list[int], per_mille: int) -> None:
    """Each percentile is the answer of its rank to 1/64, and exact below 64 microseconds."""
    counts = np.bincount(classes_of(np.array(waits)), minlength=CLASSES)
    exact = sorted(waits)[-(-per_mille * len(waits) // 1000) - 1]
    found = share(counts, per_mille)
    assert found is not None
    assert abs(found - exact) <= exact / 64
    assert found == exact or exact >= 64
    assert sum(count for _, count in times(counts)) == len(waits)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-1, 10**7), min_size=1, max_size=500), st.lists(st.integers(0, 500), max_size=4))
def test_parts_together_equal_the_whole(waits: list[int], cuts: list[int]) -> None:
    """Answers counted in parts, in whatever order, give the same as all at once, and never more than the longest."""
    match = record({"a": 0, "b": 1})
    cut = [waits[first:last] for first, last in pairwise([0, *sorted(cuts), max(cuts, default=0) + len(waits)])]
    parts = [replace(match, seats_asked=(0,) * len(part), micros=tuple(part)) for part in reversed(cut)]
    whole, found = (
        rows(*each)["a"] for each in ([replace(match, seats_asked=(0,) * len(waits), micros=tuple(waits))], parts)
    )
    nowhere = {"closest_match": None, "closest_decision": None}
    assert replace(found, **nowhere) == replace(whole, **nowhere)
    assert whole.asked == sum(wait >= 0 for wait in waits)
    assert (whole.ms_p999 or 0) <= (whole.ms_max or 0)


def test_answers_go_to_their_bots() -> None:
    """Who was silent was not asked; the closest call is the longest answer, where it was first."""
    found = rows(
        record({"a": 0, "b": 1}, waits=((0, 4000), (1, 70_000), (0, -1))),
        record({"b": 0, "a": 1}, waits=((0, 70_000), (1, 25_000), (1, 25_000))),
    )
    a, b = found["a"], found["b"]
    assert (a.asked, a.late, a.ms_max, a.closest) == (3, 0, 25.0, 0.25)
    assert (a.closest_match, a.closest_decision) == (1, 1)
    assert (b.asked, b.ms_max, b.closest, b.closest_match, b.closest_decision) == (2, 70.0, 0.7, 0, 1)
    assert b.ms_median == pytest.approx(70, rel=1 / 64)


@pytest.mark.parametrize(
    ("kind", "late", "longest"), [("late", 1, 2.0), ("gone", 0, 2.0), ("garbled", 0, 2.0), ("illegal", 0, 150.0)]
)
def test_only_picks_in_time_are_answers(kind: FaultKind, late: int, longest: float) -> None:
    """What no picks came for counts as asked, and what was late as late, but no percentile knows it."""
    match = record({"a": 0, "b": 1}, waits=((0, 2000), (0, 150_000)))
    found = rows(
        replace(
            match,
            faults=(
                Fault(seat=0, kind="unready", decision=-1, rule="late?"),
                Fault(seat=0, kind=kind, decision=1, rule="expected picks"),
            ),
        )
    )["a"]
    assert (found.asked, found.late, found.ms_max, found.at_least) == (2, late, longest, late == 1)


def test_a_bot_that_never_answered() -> None:
    """There are no times of a bot that was never asked, nor of matches whose times are not recorded."""
    match = replace(record({"a": 0, "b": 1}, waits=((0, -1),)), seats_asked=(0, 1), micros=())
    a = rows(match)["a"]
    assert (a.asked, a.ms_median, a.ms_max, a.closest, a.closest_match, a.suggested_ms) == (0, *[None] * 5)


def test_a_damaged_record_is_refused() -> None:
    """A time without a seat, or a fault in a decision that is not there, is an error that says so."""
    match = record({"a": 0, "b": 1}, waits=((0, 5),))
    with pytest.raises(ValueError, match="e0b0r0: expected a rank and a score a seat, and picks and time a decision"):
        rows(replace(match, seats_asked=()))
    with pytest.raises(ValueError, match="e0b0r0: expected 1 decisions, got a fault in 1"):
        rows(replace(match, faults=(Fault(seat=0, kind="late", decision=1, rule="late"),)))


@pytest.mark.parametrize(
    ("waits", "late", "suggested"),
    [
        ([10], 0, 1),
        ([500], 0, 1),
        ([600], 0, 2),
        ([63] * 9999 + [8000], 0, 10),
        ([63] * 9999 + [8001], 0, 20),
        ([63] * 998 + [8000] * 2, 0, 20),
        ([63] * 9999, 1, 200),
        ([63] * 998, 2, 200),
        ([130_000] * 998, 2, 500),
        ([], 1, 200),
    ],
)
def test_the_suggested_move_time(waits: list[int], late: int, suggested: int) -> None:
    """It is 1, 2 or 5 times a power of ten, twice p99.9 and 5/4 of the longest; who was late took all of its 100 ms."""
    assert margin(answers(waits), longest=max(waits, default=-1), late=late, limit=100_000) == suggested


@settings(max_examples=100)
@given(WAITS)
def test_a_suggested_move_time_leaves_a_margin(waits: list[int]) -> None:
    """It leaves what it promises and is the smallest that does, to the error of the percentile."""
    found = margin(answers(waits), longest=max(waits), late=0, limit=100_000)
    needed = max(2 * max(waits), 1.25 * max(waits)) / 1000
    assert str(found).rstrip("0") in {"1", "2", "5"}
    assert found >= needed * (1 - 1 / 64)
    assert found == 1 or found <= 2.5 * needed
