"""Life: however a bot ends, hides or multiplies, its author hears of it and nothing of it is left."""

import json
from pathlib import Path
from time import monotonic

import pytest

from arena.players.converse import leave
from arena.players.lifetime import PATIENCE, children, sweep
from tests.hostile.house import MARK, kept_waiting, only_fault, survivors, visit

IN_TIME = 20_000


@pytest.mark.parametrize(("sin", "status"), [("exit-0", "status 0"), ("exit-3", "status 3")])
def test_exits_at_once(tmp_path: Path, sin: str, status: str) -> None:
    """Who exits before it is ready is unready; its status is named and its last words are kept."""
    with visit(tmp_path, "--sin", sin) as guest:
        record = guest.match(faults=3)
    fault = only_fault(record)
    assert (fault.kind, record.retired) == ("unready", (0,))
    assert f"it exited with {status}" in fault.rule
    assert "stderr" in fault.hint
    assert guest.errors == [b"these are my last words\n"]


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
def test_goes_in_a_match(tmp_path: Path, sin: str, decision: int, rule: str) -> None:
    """Who exits in a match is gone, by the deadline though its children hold the pipes; how it ended is named."""
    with visit(tmp_path, "--sin", sin) as guest:
        record = guest.match(move=300 if sin in ("leave-child", "bomb-and-exit") else IN_TIME)
    fault = only_fault(record)
    assert (fault.kind, fault.decision) == ("gone", decision)
    assert rule in fault.rule
    assert "stderr" in fault.hint


def test_part_of_a_line(tmp_path: Path) -> None:
    """An answer that lacks its newline when the output ends is no answer; it is quoted."""
    with visit(tmp_path, "--sin", "cut-short") as guest:
        fault = only_fault(guest.match(move=IN_TIME))
    assert fault.line.startswith('{"type":"choose","id":"')


@pytest.mark.parametrize("sin", ["daemon", "daemon-with-pipes", "keep-child", "bomb", "deaf-to-signals"])
def test_nothing_is_left(tmp_path: Path, sin: str) -> None:
    """Sessions, orphans, held pipes and deaf ears do not save a process: within a second all of them are gone."""
    with visit(tmp_path, "--sin", sin) as guest:
        bystanders = set(children()) - {guest.player.process.pid if guest.player.process else 0}
        record = guest.match(move=IN_TIME)
        assert record.faults == ()
        mark = guest.player.launch.env[MARK]
        # the bomb may still be going off
        assert len(survivors(mark)) >= {"bomb": 40, "deaf-to-signals": 1}.get(sin, 2)
        began, waited = monotonic(), kept_waiting()
        leave([guest.player], PATIENCE)
        sweep(bystanders)
        assert monotonic() - began < 1 + kept_waiting() - waited
        assert survivors(mark) == []


def test_exits_between_matches(tmp_path: Path) -> None:
    """Who exits when a match is over gets a new process for the next one, and no fault, however late it is seen."""
    with visit(tmp_path, "--sin", "exit-at-over") as guest:
        for _ in range(5):
            assert guest.match(move=IN_TIME).faults == ()
    assert guest.errors == [b"these are my last words\n"] * 5


def test_leaves_a_child_between_matches(tmp_path: Path) -> None:
    """Who exits when a match is over is replaced at once, though a child holds its pipes."""
    with visit(tmp_path, "--sin", "leave-child-at-over") as guest:
        assert guest.match(move=IN_TIME).faults == ()
        assert guest.player.process is not None
        assert "exited" in guest.player.process.status(patience=IN_TIME / 1000)
        began = monotonic()
        assert guest.match(move=IN_TIME, start=IN_TIME).faults == ()
        assert monotonic() - began < IN_TIME / 1000


def test_closes_its_output_between_matches(tmp_path: Path) -> None:
    """Who closes its output when a match is over gets a new process for the next one too."""
    with visit(tmp_path, "--sin", "close-at-over") as guest:
        for _ in range(3):
            assert guest.match(move=IN_TIME).faults == ()


def test_deep_folders(tmp_path: Path) -> None:
    """The scratch folder of a bot goes with its process, however deep the bot has dug in it."""
    with visit(tmp_path, "--sin", "dig") as guest:
        assert guest.match(move=IN_TIME).faults == ()
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_warm(tmp_path: Path) -> None:
    """One process serves match after match."""
    with visit(tmp_path, "--diary", str(tmp_path / "diary")) as guest:
        for _ in range(3):
            assert guest.match(move=IN_TIME).faults == ()
    entries = [line.split() for line in (tmp_path / "diary").read_text("ascii").splitlines()]
    assert len({pid for pid, _ in entries}) == 1
    assert len({label for _, label in entries}) == 3


def test_inherits_nothing(tmp_path: Path) -> None:
    """A bot has three pipes, a session of its own, no terminal, and the environment that it is given: no more."""
    with visit(tmp_path, "--sin", "confess") as guest:
        assert guest.match(move=IN_TIME).faults == ()
    facts = json.loads(guest.errors[0])
    assert sorted(facts["descriptors"]) == ["0", "1", "2"]
    assert len(set(facts["descriptors"].values())) == 3
    assert all(link.startswith("pipe:") for link in facts["descriptors"].values())
    assert set(facts["environment"]) - {"LC_CTYPE"} == {"PATH", MARK, "ARENA_PROCESS", "HOME", "TMPDIR"}
    assert facts["environment"]["HOME"].startswith(str(tmp_path))
    assert facts["leads"]
    assert not facts["terminal"]
    assert int(facts["status"]["SigBlk"], 16) == 0
