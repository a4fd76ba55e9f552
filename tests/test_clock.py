"""A seat's clock: what it tells never exceeds the move, the bank or the total, and what is used is taken off."""

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.clock import Clock
from arena.wire import Limits

ROUNDING = 1e-6
"""Milliseconds by which the sums of a few dozen times may differ."""


def clock(move: int = 1000, **limits: int) -> Clock:
    """A clock with these limits."""
    return Clock(Limits(start=1, move=move, **limits))


def test_without_a_bank_each_decision_has_the_move() -> None:
    """Without a bank a decision has the move limit, whatever the ones before it took, until the total runs out."""
    one = clock(250, total=1000)
    for used in (0.25, 0.0, 0.25, 0.25):
        assert one.begin() == 250
        one.charge(used)
    assert one.begin() == 250
    one.charge(0.1004)
    assert (one.begin(), one.spent) == (149, False)
    one.charge(0.149)
    assert (one.begin(), one.spent) == (0, True)


def test_the_increment_comes_first() -> None:
    """The increment is there for the first decision, and what is not used is kept."""
    one = clock(bank=500, increment=100)
    assert one.begin() == 600
    one.charge(0.05)
    assert one.begin() == 650
    one.charge(0.65)
    assert one.begin() == 100


def test_an_empty_bank() -> None:
    """A bank is never overdrawn; empty, it allows the increment, and nothing without one."""
    one, other = clock(bank=30, increment=1), clock(bank=30)
    for each in (one, other):
        each.begin()
        each.charge(5.0)
        assert each.bank == 0.0
    assert [one.begin(), other.begin()] == [1, 0]


def test_less_than_a_millisecond_is_nothing() -> None:
    """Nobody is asked for an answer within less than a millisecond."""
    one = clock(bank=30)
    one.begin()
    one.charge(0.0292)
    assert one.begin() == 0


@given(
    st.integers(1, 500),
    st.integers(0, 2000),
    st.integers(0, 100),
    st.integers(1, 5000),
    st.lists(st.floats(0, 1.5), max_size=40),
)
@settings(max_examples=150, deadline=None)
def test_no_limit_is_ever_exceeded(move: int, bank: int, increment: int, total: int, shares: list[float]) -> None:
    """What is told is at least 1 ms and within move, bank and total; the bank is never negative."""
    one = clock(move, bank=bank, increment=increment, total=total)
    used, held = 0.0, float(bank)
    for share in shares:
        held += increment
        told = one.begin()
        left = max(min([move, total - used, *([held] if bank else [])]), 0)
        assert left - 1 - ROUNDING < told <= left + ROUNDING
        if not told:
            return
        took = share * told
        one.charge(took / 1000)
        used, held = used + took, max(held - took, 0.0)
        assert one.bank >= 0
        assert used <= total + move
