"""How many more blocks will answer a question: a range that holds, or none."""

from typing import Any

import pytest

from arena.ratings.evidence import Evidence, more_blocks
from tests.ratings.matches import Recorder
from tests.ratings.test_evidence import drawn, of


def forecasts(gap: float, runs: int, at: int, **question: Any) -> list[tuple[int, int, int]]:
    """Where a range is told after so many blocks: it, and how many more blocks it took (at most one too many)."""
    found = []
    for seed in range(runs):
        evidence = Evidence(**question)
        source = drawn(gap, seed)
        for _ in range(at):
            evidence.add(next(source))
        told = more_blocks(evidence)
        if told is not None:
            while gap and not evidence.answered and evidence.blocks - at <= told[1]:
                evidence.add(next(source))
            found.append((*told, evidence.blocks - at))
    return found


def test_what_has_no_forecast() -> None:
    """Too few blocks tell nothing of those to come, nor do even scores; what is found needs no more."""
    assert more_blocks(of([0.5, 0.0, -0.1] * 6)) is None
    assert more_blocks(of([0.5, -0.5] * 20)) is None
    assert more_blocks(of([1.0] * 40)) is None
    assert more_blocks(Evidence()) is None


def test_a_forecast_is_a_range_that_holds_the_answer() -> None:
    """Blocks that go on as they did are decided within it; and even blocks are the same within a margin."""
    slow = [0.3, -0.15, 0.3, -0.1] * 8
    low, high = more_blocks(of(slow)) or (0, 0)
    assert 0 < low < high
    found = of(slow * 40).found_after
    assert found is not None
    assert low <= found - len(slow) <= high
    even = [0.5, -0.5] * 15
    low, high = more_blocks(of(even, margin=0.2)) or (0, 0)
    found = of(even * 10, margin=0.2).found_after
    assert found is not None
    assert low <= found - len(even) <= high


def test_ranges_in_brief() -> None:
    """Of 25 simulated comparisons most are decided within the range."""
    seen = forecasts(0.3, 25, 40)
    assert len(seen) >= 8
    assert sum(low <= took <= high for low, high, took in seen) >= 0.7 * len(seen)


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_ranges_hold(record_property: Recorder) -> None:
    """Of equal bots 5 in 100 or fewer are told a range; of others three of four ranges or more hold what it took."""
    told = len(forecasts(0.0, 200, 60))
    record_property("a range is told of equal bots", f"{told} of 200")
    assert told <= 10
    for gap, question in ((0.2, {}), (0.3, {}), (0.25, {"gate": (0.0, 0.075)}), (0.1, {"margin": 0.1})):
        seen = forecasts(gap, 150, 60, **question)
        held = sum(low <= took <= high for low, high, took in seen)
        record_property(f"held, {gap} beta {question}", f"{held} of {len(seen)}")
        assert len(seen) >= 30
        assert held >= 0.75 * len(seen)
