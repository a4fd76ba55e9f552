"""Lines: what is no message is garbled, what is against the rules is illegal, and nothing else comes of either."""

import gc
from contextlib import suppress
from time import thread_time

import pytest

from arena import wire
from arena.players.process import DIGEST
from arena.wire import LINE_LIMIT
from tests.hostile.house import IN_TIME, House, only_fault, sinners_picks


@pytest.mark.parametrize(
    ("sin", "rule"),
    [
        ("debug-print", "expected a line of JSON"),
        ("terminal", "expected a line of JSON"),
        ("random", "expected"),
        ("bad-utf-8", "expected UTF-8"),
        ("byte-order-mark", "byte order mark"),
        ("deep", "nesting of at most 32, got 20001"),
        ("twin-keys", "picks twice"),
        ("other-type", "bid"),
        ("wrong-id", "expected the id of a question asked"),
    ],
)
def test_garbled(house: House, sin: str, rule: str) -> None:
    """A line that is no message of the protocol is garbled; the fault names the rule and quotes the line."""
    with house.visit("--sin", sin, "--at", "1") as guest:
        record = guest.match(move=IN_TIME, faults=2)
    fault = only_fault(record)
    assert (fault.kind, fault.decision) == ("garbled", 2)
    assert rule in fault.rule
    assert fault.line
    assert sinners_picks(record) == [(1,), (0,), (1,)]


@pytest.mark.parametrize(
    ("sin", "fault", "line", "told"),
    [
        ("debug-print", ("garbled", 0), "I am thinking about seat 1 ...", "stderr"),
        ("print-at-start", ("garbled", -1), "Sinner 1.0 by nobody", "stderr"),
        ("terminal", ("garbled", 0), "\\x1b]52;c;ZXZpbA==\\x07\\u202e::error::\\x00 boo", ""),
        ("utf-16", ("garbled", 0), "", "expected UTF-8 without a byte order mark"),
        ("future", ("unready", -1), "", "expected protocol 1, got 2"),
    ],
)
def test_what_is_quoted(house: House, sin: str, fault: tuple[str, int], line: str, told: str) -> None:
    """Who prints to stdout is shown the line, its control characters by number, and told where such lines belong."""
    with house.visit("--sin", sin) as guest:
        seen = only_fault(guest.match(move=IN_TIME))
    assert (seen.kind, seen.decision) == fault
    assert seen.line.startswith(line)
    assert told in f"{seen.rule} {seen.hint}"


def test_the_rest_of_a_long_line(house: House) -> None:
    """A line that is too long is garbled once; its rest is forgotten as it comes and no line of its own."""
    with house.visit("--sin", "one-long-line") as guest:
        record = guest.match(move=IN_TIME, faults=9)
    assert only_fault(record).kind == "garbled"
    assert sinners_picks(record) == [(0,), (1,), (1,)]


@pytest.mark.parametrize("filling", [b"{},", b"[],", b"1,", b"1e5,", b'"",', b'{"a":1},', b'"\\u00e9",', b"["])
def test_what_a_line_costs(filling: bytes) -> None:
    """The costliest line that is short enough takes no more of the host's time than its length accounts for."""
    head, tail = b'{"type":"choose","id":"f00d","picks":[0],"x":[', b"0]}"
    line = head + filling * ((LINE_LIMIT - len(head) - len(tail)) // len(filling)) + tail
    # as a lane does when it begins: what this process has in memory is nothing that a line has to pay for
    gc.freeze()
    try:
        began = thread_time()
        with suppress(wire.Garbled):
            wire.decode(line)
        spent = thread_time() - began
    finally:
        gc.unfreeze()
    assert spent < len(line) * DIGEST


@pytest.mark.parametrize(
    ("sin", "rule"),
    [
        ("minus-one", "expected picks from 0 to 2, got -1"),
        ("out-of-range", "expected picks from 0 to 2, got 3"),
        ("huge-pick", "expected picks from 0 to 2, got 99999999999999999999"),
        ("too-many", "expected 1 to 2 picks, got 3"),
        ("too-few", "expected 1 to 2 picks, got 0"),
        ("same-twice", "expected distinct picks, got [1, 1]"),
    ],
)
def test_illegal(house: House, sin: str, rule: str) -> None:
    """A message against the rules is illegal, its picks are shown, and the bot plays on."""
    with house.visit("--sin", sin, "--at", "1") as guest:
        record = guest.match(move=IN_TIME, faults=2)
    fault = only_fault(record)
    assert (fault.kind, fault.decision, fault.rule) == ("illegal", 2, rule)
    assert fault.line.startswith("[")
    assert "zero-based" in fault.hint
    assert sinners_picks(record) == [(1,), (0,), (1,)]
