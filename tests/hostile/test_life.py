"""Life: however a bot ends, hides or multiplies, its author hears of it and nothing of it is left."""

import json
from dataclasses import replace
from pathlib import Path
from time import monotonic
from unittest.mock import patch

import pytest

from arena.players import process
from arena.players.process_tree import children
from arena.sandbox.sandbox import Sandbox
from tests.hostile.house import IN_TIME, MARK, House, Visit, at, only_fault, survivors


class FromExit:
    """A clock that stands still until a bot has exited."""

    def __init__(self, guest: Visit) -> None:
        self._guest = guest
        self._stood = monotonic()
        self._now = 0.0

    def __call__(self) -> float:
        served, now = self._guest.player.process, monotonic()
        if served is not None and served.exited():
            self._now += now - self._stood
        self._stood = now
        return self._now


@pytest.mark.parametrize(("sin", "status"), [("exit-0", "status 0"), ("exit-3", "status 3")])
def test_exits_at_once(house: House, sin: str, status: str) -> None:
    """Who exits before it is ready is unready; its status is named and its last words are kept."""
    with house.visit("--sin", sin) as guest:
        record = guest.match(faults=3)
    fault = only_fault(record)
    assert (fault.kind, record.retired) == ("unready", (0,))
    assert f"it exited with {status}" in fault.rule
    assert "stderr" in fault.hint
    assert guest.errors == [b"these are my last words\n"]


@at("none", "bwrap")
@pytest.mark.parametrize(
    ("sin", "decision", "rule"),
    [
        ("exit-between", 2, "the end of output: it exited with status 0"),
        ("cut-short", 0, "bytes without a newline: it exited with status 0"),
        ("crash", 0, "it was ended by signal 11 (SIGSEGV)"),
        ("bomb-and-exit", 0, "it exited with status 1"),
        ("leave-child", 0, "it exited with status 0"),
    ],
)
def test_goes_in_a_match(house: House, sin: str, decision: int, rule: str) -> None:
    """Who exits in a match is gone, by the deadline though its children hold the pipes; how it ended is named."""
    held = sin in ("leave-child", "bomb-and-exit")
    with (
        house.visit("--sin", sin) as guest,
        patch.object(process, "monotonic", FromExit(guest) if held else monotonic),
    ):
        record = guest.match(move=300 if held else IN_TIME)
    fault = only_fault(record)
    assert (fault.kind, fault.decision) == ("gone", decision)
    assert rule in fault.rule
    assert "stderr" in fault.hint


def test_part_of_a_line(house: House) -> None:
    """An answer that lacks its newline when the output ends is no answer; it is quoted."""
    with house.visit("--sin", "cut-short") as guest:
        fault = only_fault(guest.match(move=IN_TIME))
    assert fault.line.startswith('{"type":"choose","id":"')


@at("none", "bwrap")
@pytest.mark.parametrize("sin", ["daemon", "daemon-with-pipes", "keep-child", "bomb", "deaf-to-signals"])
def test_nothing_is_left(house: House, sin: str) -> None:
    """Sessions, orphans, held pipes and deaf ears do not save a process: none is waited for, and none is left."""
    with house.visit("--sin", sin) as guest:
        bystanders = set(children()) - set(guest.pids)
        record = guest.match(move=IN_TIME)
        assert record.faults == ()
        mark = guest.player.launch.env[MARK]
        # the bomb may still be going off
        assert len(survivors(mark)) >= {"bomb": 20, "deaf-to-signals": 1}.get(sin, 2)
        guest.leave(bystanders)
        assert survivors(mark) == []


def test_exits_between_matches(house: House) -> None:
    """Who exits when a match is over gets a new process for the next one, and no fault, however late it is seen."""
    with house.visit("--sin", "exit-at-over") as guest:
        for _ in range(5):
            assert guest.match(move=IN_TIME).faults == ()
    assert guest.errors == [b"these are my last words\n"] * 5


@at("none", "bwrap")
def test_leaves_a_child_between_matches(house: House) -> None:
    """Who exits when a match is over is replaced at once, though a child holds its pipes."""
    with house.visit("--sin", "leave-child-at-over") as guest:
        assert guest.match(move=IN_TIME).faults == ()
        assert guest.player.process is not None
        assert "exited" in guest.player.process.status(patience=IN_TIME / 1000)
        # who waited for its answer would find it late
        assert guest.match(move=IN_TIME, start=IN_TIME).faults == ()


@pytest.mark.long
def test_closes_its_output_between_matches(house: House) -> None:
    """Who closes its output when a match is over gets a new process for the next one too."""
    walled = house.level == "bwrap"
    with house.visit("--sin", "close-at-over") as guest:
        for number in range(3):
            record = guest.match(move=IN_TIME, start=300 if walled and number == 1 else IN_TIME)
            assert [fault.kind for fault in record.faults] == ["unready"] * (walled and number == 1)


def test_deep_folders(house: House, deep: Path) -> None:
    """The scratch folder of a bot goes with its process, however deep the bot has dug in it."""
    with replace(house, place=deep).visit("--sin", "dig") as guest:
        assert guest.match(move=IN_TIME).faults == ()
        assert len(list(guest.scratch.iterdir())) == 1
    assert list(guest.scratch.iterdir()) == []


def test_warm(house: House) -> None:
    """One process serves match after match."""
    book = house.place / "book"
    book.mkdir()
    pids = []
    with house.visit("--diary", str(book / "diary"), sandbox=Sandbox(writable=(str(book),))) as guest:
        for _ in range(3):
            assert guest.match(move=IN_TIME).faults == ()
            pids += guest.pids
    entries = [line.split() for line in (book / "diary").read_text("ascii").splitlines()]
    assert len(set(pids)) == len({pid for pid, _ in entries}) == 1
    assert len({label for _, label in entries}) == 3


@at("none", "bwrap")
def test_inherits_nothing(house: House) -> None:
    """A bot has three pipes, a session of its own, no terminal, and the environment that it is given: no more."""
    with house.visit("--sin", "confess") as guest:
        assert guest.match(move=IN_TIME).faults == ()
    facts = json.loads(guest.errors[0])
    assert sorted(facts["descriptors"]) == ["0", "1", "2"]
    assert len(set(facts["descriptors"].values())) == 3
    assert all(link.startswith("pipe:") for link in facts["descriptors"].values())
    assert set(facts["environment"]) - {"LC_CTYPE"} == {"PATH", MARK, "ARENA_PROCESS", "HOME", "TMPDIR"}
    assert facts["environment"]["HOME"].startswith("/tmp" if house.level == "bwrap" else str(guest.scratch))  # noqa: S108 - the sandbox's own
    # in a sandbox of its own processes the first one, which is not the bot's, leads the session
    assert facts["session"] == (1 if house.level == "bwrap" else facts["pid"])
    assert not facts["terminal"]
    assert int(facts["status"]["SigBlk"], 16) == 0
