"""The time that a search bot gives itself, from the limits of a match and the time of a question."""

import pytest

from arena.referee import Clock
from arena.search import Timing
from arena.wire import Limits


@pytest.mark.parametrize("time", [1, 10, 20, 50, 100, 1000, 60_000])
def test_something_is_kept(time: int) -> None:
    """At least 12 ms and 15 % of the time are kept for what is no thinking; most of a longer time is used."""
    allotted = Timing(Limits(start=1, move=time, total=10**9)).allot(time)
    assert 0 <= allotted <= max(0.85 * time - 12, 0)
    assert allotted >= 0.7 * time or time < 100


def test_what_was_late_is_kept_too() -> None:
    """After an answer that took longer than allotted it keeps more, and later on trusts the machine again."""
    timing = Timing(Limits(start=1, move=1000))
    usual = timing.allot(1000)
    timing.charge(used=usual + 50, overrun=50)
    assert timing.allot(1000) <= usual - 100
    for _ in range(40):
        timing.charge(used=10, overrun=0)
    assert timing.allot(1000) > usual - 10


def test_a_pause_is_kept_before_it_makes_an_answer_late() -> None:
    """Where the machine did something else for 60 ms amid a search, twice that is kept until it is quiet."""
    timing = Timing(Limits(start=1, move=400))
    usual = timing.allot(400)
    timing.charge(used=usual, overrun=0, pause=5)
    assert timing.allot(400) == usual
    timing.charge(used=usual, overrun=0, pause=60)
    assert timing.allot(400) <= 400 - 2 * 60
    assert timing.allot(100) == 0
    for _ in range(40):
        timing.charge(used=10, overrun=0)
    assert timing.allot(400) == usual


@pytest.mark.parametrize(
    "limits",
    [
        Limits(start=1, move=1000, bank=5000),
        Limits(start=1, move=1000, bank=2000, increment=30),
        Limits(start=1, move=1000, total=8000),
        Limits(start=1, move=1000, bank=60_000, increment=100, total=20_000),
    ],
    ids=str,
)
def test_the_bank_lasts(limits: Limits) -> None:
    """By the host's own clock there is time to answer the 400th question too, and the first forty got their part."""
    clock, timing = Clock(limits), Timing(limits)
    for number in range(400):
        time = clock.begin()
        allotted = timing.allot(time)
        assert allotted <= time
        assert time >= 50
        if number < 40:
            assert allotted > 10
        clock.charge((allotted + 0.2) / 1000)
        timing.charge(used=allotted, overrun=0)
