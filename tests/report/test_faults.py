"""Faults counted by bot and kind."""

from msgspec.structs import replace

from arena.fault import Fault
from arena.record import Record
from arena.report.times import BotFaults, Rule, fault_rows
from arena.results.tally import silenced
from tests.report.records import record, results_of

MATCH = record({"a": 0, "b": 1, "c": 2})


def faults_of(*records: Record) -> list[BotFaults]:
    """The faults of ``c``, ``b`` and ``a``."""
    return fault_rows(results_of(records, "cba"), "cba")


def test_faults_are_counted_by_bot_and_kind() -> None:
    """A row tells how many, in how many matches, the first with decision and rule, and how many of them retired."""
    late, later, gone = (
        Fault(seat=1, kind="late", decision=4, rule="slow"),
        Fault(seat=1, kind="late", decision=9, rule="slower"),
        Fault(seat=1, kind="gone", decision=9, rule="exit 1"),
    )
    found = faults_of(
        MATCH,
        replace(MATCH, faults=(late, later, later)),
        replace(MATCH, faults=(late, gone), retired=(1,)),
        replace(MATCH, bots=("b", "a", "c"), faults=(late,), retired=(1,)),
    )
    rules = (Rule(2, "slow"), Rule(2, "slower"))
    assert found == [
        BotFaults("b", "late", 4, 2, 0, 1, 4, "slow", rules),
        BotFaults("b", "gone", 1, 1, 1, 2, 9, "exit 1", (Rule(1, "exit 1"),)),
        BotFaults("a", "late", 1, 1, 1, 3, 4, "slow", (Rule(1, "slow"),)),
    ]


def test_the_silence_of_withdrawn_bots_is_no_fault() -> None:
    """Who is retired in a match without a fault of its own was withdrawn before it."""
    results = results_of([replace(MATCH, retired=(2,)), replace(MATCH, retired=(2, 0))], "abc")
    assert fault_rows(results, "abc") == []
    assert silenced(results) == {"a": 1, "c": 2}
    faulty = replace(MATCH, faults=(Fault(seat=1, kind="gone", decision=9, rule="exit 1"),), retired=(1,))
    assert silenced(results_of([faulty], "abc")) == {}


def test_figures_make_no_other_rule() -> None:
    """Explanations that differ in figures alone are counted together, by the first of them."""
    found = faults_of(
        *(
            replace(MATCH, faults=(Fault(seat=0, kind="late", decision=0, rule=f"late, with 0.{n} s given back"),))
            for n in (4, 6, 5)
        )
    )
    assert [row.rules for row in found] == [(Rule(3, "late, with 0.4 s given back"),)]


def test_a_bot_cannot_fill_the_memory_with_rules() -> None:
    """However many different texts there are, a bounded number is kept, and every fault is counted."""
    number = 5000
    found = faults_of(
        *(
            replace(
                MATCH,
                faults=(
                    Fault(seat=0, kind="garbled", decision=0, rule="often"),
                    Fault(seat=0, kind="garbled", decision=1, rule=f"got {'x' * (n // 80)}y{'z' * (n % 80)}"),
                ),
            )
            for n in range(number)
        )
    )
    [row] = found
    assert (row.count, row.rules[0], len(row.rules)) == (2 * number, Rule(number, "often"), 3)
