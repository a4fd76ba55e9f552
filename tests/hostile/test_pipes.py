"""Pipes and time: whatever a bot writes, leaves unread or holds back, the deadline stands and the host stays small."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest

from arena import referee
from arena.players.head_and_tail import ROOM
from arena.players.process import CHUNK, STDERR_LIMIT
from arena.wire import LINE_LIMIT
from tests.hostile.house import IN_TIME, House, at, forget_peak, only_fault, peak_memory, sinners_picks

MUTE = ("got none", "flush after every line")
CUT = ("without a newline", "end every line with a newline")
SOON = {"move": IN_TIME}
SAYS_NOTHING = {"start": 1000, "faults": 3}


@pytest.mark.parametrize(
    ("sin", "terms", "fault", "told", "picks"),
    [
        # no whole line on the output at the deadline
        (
            "never-read",
            {"padding": "x" * (1 << 20)},
            ("late", 0),
            ["got none", "of the question were never read"],
            None,
        ),
        ("mute", {}, ("late", 0), MUTE, None),
        ("unflushed", {}, ("late", 0), MUTE, None),
        ("stop", {}, ("late", 0), MUTE, None),
        ("no-newline", {}, ("late", 0), CUT, None),
        ("drip", {}, ("late", 0), CUT, None),
        # nothing at all until the time to start is over, which is not taken from the time to decide
        ("never-write", SAYS_NOTHING, ("unready", -1), ["buffer"], [(0,)] * 3),
        ("greet-unflushed", SAYS_NOTHING, ("unready", -1), ["buffer"], [(0,)] * 3),
        ("slow-start", {"start": IN_TIME, "move": 300}, None, [], None),
        # harmless lines are suffered until the deadline or a limit, whichever comes first
        ("chatter", {"move": 300}, ("late", 0), [], None),
        ("spam", SOON, ("garbled", 0), ["at most 64 stray lines"], None),
        ("blank-flood", SOON, ("garbled", 0), ["at most 64 stray lines"], None),
        ("fat-spam", SOON, ("garbled", 0), ["at most 1048576 bytes of output"], None),
        ("long-line", SOON, ("garbled", 0), [f"a line of at most {LINE_LIMIT} bytes"], None),
        # lines end at a newline and nowhere else; blank ones, a carriage return and unknown fields do no harm
        *[(sin, SOON, None, [], [(1,)] * 3) for sin in ("crlf", "blank-lines", "line-separators", "extra-fields")],
        # of two answers the first counts; what comes before its question, or too late, is never taken for an answer
        ("answer-twice", SOON, None, [], [(1,)] * 3),
        ("answer-late", {"move": 400, "faults": 3}, ("late", 0), [], [(0,), (1,), (1,)]),
        ("early-answers", SOON, None, [], [(1,)] * 3),
        ("close-errors", SOON, None, [], None),
    ],
)
def test_what_comes_of_it(
    house: House,
    sin: str,
    terms: dict[str, Any],
    fault: tuple[str, int] | None,
    told: Sequence[str],
    picks: list[tuple[int, ...]] | None,
) -> None:
    """Whatever a bot writes or holds back, the deadline stands; its one fault tells what the host saw instead."""
    with house.visit("--sin", sin) as guest:
        record = guest.match(**terms)
    assert [(each.kind, each.decision) for each in record.faults] == ([fault] if fault else [])
    assert all(word in f"{record.faults[0].rule} {record.faults[0].hint}" for word in told)
    assert picks is None or sinners_picks(record) == picks
    ended = fault is not None and (fault[0] == "unready" or "faults" not in terms)
    assert record.retired == ((0,) if ended else ())


@pytest.mark.long
def test_every_answer_late(house: House) -> None:
    """A bot that is always late costs ``max_faults`` limits, not one for each decision."""
    with house.visit("--sin", "always-late") as guest:
        record = guest.match(rounds=50, faults=3)
    assert [fault.kind for fault in record.faults] == ["late"] * 3
    assert [micros >= 0 for micros in record.micros[::2]] == [True] * 3 + [False] * 47


@pytest.mark.parametrize("sin", ["long-line", "fat-spam", "stderr-flood"])
@pytest.mark.long_cases("none-stderr-flood")
def test_floods_leave_the_house_small(house: House, sin: str) -> None:
    """However much a bot writes, over many questions, the host grows by no more than its buffers."""
    with house.visit("--sin", sin) as guest:
        forget_peak()
        before = peak_memory()
        record = guest.match(rounds=10, faults=100, move=50)
        grown = peak_memory() - before
    assert len(record.faults) == 10
    assert grown < 8 << 20


def test_much_stderr(house: House) -> None:
    """Stderr is drained while an answer is waited for; its head and its tail are kept."""
    with house.visit("--sin", "much-stderr") as guest:
        record = guest.match(move=IN_TIME)
    assert record.faults == ()
    assert guest.errors[0].startswith(b"first ")
    assert guest.errors[0].endswith(b" last")
    assert b"bytes left out" in guest.errors[0]


@at("none", "bwrap")
def test_flood_of_stderr(house: House) -> None:
    """A flood of stderr is left in the pipe beyond a limit for each question, kept in part, and told of."""
    with house.visit("--sin", "stderr-flood") as guest:
        record = guest.match(move=300)
        errors = guest.errors[0]
    assert only_fault(record).kind == "late"
    assert "to stderr" in only_fault(record).hint
    assert 2 * ROOM < len(errors) < 2 * ROOM + 100
    left_out = int(errors.split(b"[... ")[1].split(b" ")[0])
    # what one question reads, what the end of the process reads, and the reads under way
    assert left_out <= 2 * (STDERR_LIMIT + CHUNK)


def test_guessed_ids(house: House) -> None:
    """Ids cannot be guessed: answers sent ahead count as garbled once a question is open."""
    with house.visit("--sin", "guess-ids") as guest:
        record = guest.match(move=IN_TIME, faults=100)
    assert {fault.kind for fault in record.faults} == {"garbled"}
    assert "the id of a question asked" in record.faults[0].rule
    assert "`id`" in record.faults[0].hint
    assert sinners_picks(record) == [(0,)] * 3


FORGED, FORGERIES = 200, 5
"""Rounds of three questions, and answers of a round with an id that is not that of the open question."""


def forged(house: House) -> list[tuple[int, ...]]:
    """What is taken for the answers of a bot that forges ids, over several matches."""
    picks: list[tuple[int, ...]] = []
    with house.visit("--sin", "forge-ids") as guest:
        for _ in range(FORGED // 20):
            picks += sinners_picks(guest.match(move=IN_TIME, rounds=60, faults=10_000))
    return picks


def test_forged_ids(house: House) -> None:
    """Of a thousand answers sent ahead, too late or again, none is taken for the answer to the open question."""
    assert FORGED * FORGERIES == 1000
    assert forged(house) == [(1,), (0,), (1,)] * FORGED


def test_counted_ids_would_be_forged(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is for the ids alone: were they counted, every answer sent ahead would be accepted."""
    monkeypatch.setattr(referee, "_ids", lambda _key: (f"{number:012x}" for number in count()))
    assert forged(house) == [(1,), (2,), (1,)] * FORGED


@at("none", "bwrap")
def test_closes_its_output(house: House) -> None:
    """Who closes its output is gone at once, though it lives on; it is late where the sandbox holds the pipes."""
    walled = house.level == "bwrap"
    with house.visit("--sin", "close-output") as guest:
        record = guest.match(move=300 if walled else IN_TIME)
    fault = only_fault(record)
    assert fault.kind == ("late" if walled else "gone")
    assert walled or "it is still running" in fault.rule


def test_closes_its_input(house: House) -> None:
    """A closed input is no fault while answers come; then the deadline decides, and the host does not die of it."""
    with house.visit("--sin", "close-input") as guest:
        record = guest.match()
    fault = only_fault(record)
    assert (fault.kind, fault.decision) == ("late", 2)
    # where the sandbox holds the pipes, it does not show
    assert house.level == "bwrap" or "its input is closed" in fault.hint
    assert sinners_picks(record)[0] == (1,)
