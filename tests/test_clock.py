"""A seat's clock, alone and in the referee's hand: no limit is exceeded, and who has no time left is late."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import wire
from arena.referee import Clock
from arena.wire import Limits
from tests.test_referee import LATE, Answer, Script, Scripted, ask, everyone, referee

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


# --- in a match


class Thinker(Scripted):
    """Takes for each answer what it makes of the milliseconds it is told; past them it is late."""

    def __init__(self, takes: Callable[[int], float]) -> None:
        super().__init__(lambda decide: LATE if self.waited * 1000 > decide.time else (1,))
        self.takes = takes
        self.charged = 0.0

    def decide(self, decide: wire.Decide) -> Answer:
        self.waited = self.takes(decide.time) / 1000
        self.charged += self.waited * 1000
        return super().decide(decide)


def test_bank() -> None:
    """Of one bank each decision may take what the ones before it left, and the increment; the others keep theirs."""
    player, other = Thinker(lambda _: 40), Thinker(lambda _: 0)
    record = referee(Script([everyone(2)] * 5, 2), player, other, move=1000, bank=200, increment=10)
    assert [question.time for question in player.asked] == [210, 180, 150, 120, 90]
    assert [question.time for question in other.asked] == [210, 220, 230, 240, 250]
    assert record.faults == ()


def test_bank_and_move() -> None:
    """With a bank and a move limit, the lower of the two is told."""
    player = Thinker(lambda _: 60)
    referee(Script([{0: ask()}] * 4, 1), player, move=100, bank=200)
    assert [question.time for question in player.asked] == [100, 100, 80, 20]


def test_empty_bank() -> None:
    """With an empty bank and no increment a seat is late without being asked, each time one fault."""
    player = Thinker(lambda time: time + 5)
    state = Script([{0: ask()}] * 5, 1)
    record = referee(state, player, bank=100)
    assert [question.time for question in player.asked] == [100]
    assert [(fault.kind, fault.decision) for fault in record.faults] == [("late", 0), ("late", 1), ("late", 2)]
    assert record.faults[0].rule == LATE.rule
    assert record.faults[1].rule == "expected an answer within the bank of 0.1 s, got none left of it"
    assert "`time`" in record.faults[1].hint
    assert (record.retired, player.left) == ((0,), 1)
    assert [micros >= 0 for micros in record.micros] == [True] + [False] * 4
    assert state.heard == [[(0, ("no",))]] * 5


@pytest.mark.parametrize(("takes", "asked"), [(100, 5), (120, 5)], ids=["in time", "late at last"])
def test_total(takes: int, asked: int) -> None:
    """A seat that has used up its total gets one fault for it and is retired at once."""
    player = Thinker(lambda _: takes)
    record = referee(Script([{0: ask()}] * 8, 1), player, move=200, total=500)
    assert len(player.asked) == asked
    # the last answer of the slower one is late for the total: that is the fault
    assert [(fault.kind, fault.decision) for fault in record.faults] == [("late", 5 if takes == 100 else 4)]
    assert record.faults[0].rule == "expected at most 0.5 s of thinking in a match, got more"
    assert "`time`" in record.faults[0].hint
    assert (record.retired, player.left) == ((0,), 1)


def test_other_faults_do_not_wait_for_the_total() -> None:
    """What else is wrong with the answer that uses up the total is told as what it is."""
    player = Scripted(lambda _: (7,))
    player.waited = 0.5
    record = referee(Script([{0: ask()}] * 3, 1), player, move=500, total=500)
    assert [(fault.kind, fault.decision) for fault in record.faults] == [("illegal", 0), ("late", 1)]
    assert record.retired == (0,)


@pytest.mark.long
@given(
    st.integers(1, 400),
    st.integers(0, 900),
    st.integers(0, 60),
    st.integers(1, 3000),
    st.lists(st.floats(0, 1.2), min_size=30, max_size=30),
)
@settings(max_examples=60, deadline=None)
def test_no_seat_thinks_longer_than_it_may(
    move: int, bank: int, increment: int, total: int, shares: list[float]
) -> None:
    """Whatever answers take, no time told exceeds the move, and all of them together the total by one move at most."""
    drawn = iter(shares)
    player = Thinker(lambda time: time * next(drawn))
    limits = {"move": move, "bank": bank, "increment": increment, "total": total}
    record = referee(Script([{0: ask()}] * 30, 1), player, faults=100, **limits)
    times = [question.time for question in player.asked]
    assert all(1 <= time <= min(move, total) for time in times)
    assert player.charged <= total + move
    if bank:
        assert all(time <= bank + increment * (number + 1) for number, time in enumerate(times))
    assert sum("in a match" in fault.rule for fault in record.faults) == len(record.retired)
