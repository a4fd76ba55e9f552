"""Matches that are void: the next session plays them again, within bounds, and what it plays stands."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.record import Record
from arena.tournament import journal
from arena.tournament.folder import TOLD_EVERY, VOID_SESSIONS, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.loop import Loop
from arena.tournament.merge import union
from tests.tournament import playing
from tests.tournament.playing import Run, bot

shelf = playing.shelf
NAMES = ("moody", "ann", "bob")


def sit(desk: Path, sin: str = "") -> Loop:
    """One session over a run of six matches; with a sin of the first bot the four that it sits in may be void."""
    desk.mkdir(exist_ok=True)
    return Run(desk, {name: bot(desk, sin if name == "moody" else "") for name in NAMES}, 6, lanes=2).session()


def written(folder: RunFolder) -> int:
    """How many lines the journal has."""
    return folder.journal.read_bytes().count(b"\n")


def told(records: Iterator[Record]) -> list[tuple[object, ...]]:
    """What of matches does not depend on time."""
    return sorted((record.id, record.picks, record.ranks, record.reason) for record in records)


@pytest.mark.long
def test_played_again(tmp_path: Path) -> None:
    """What was void is played by the next session; it stands in place of the void, and secrets are told only then."""
    folder = RunFolder(tmp_path / "moody" / "run")
    ended = sit(tmp_path / "moody", "--sin kill-house-at-start")
    assert (ended.voids, ended.again, folder.manifest().finished) == (4, 4, False)
    assert (folder.path / "secret.json").exists()
    assert [record.reason for record in folder.records()].count("void") == 4
    ended = sit(tmp_path / "moody")
    assert (ended.voids, ended.again, folder.manifest().finished) == (0, 0, True)
    assert written(folder) == 6 + 4
    whole = RunFolder(tmp_path / "whole" / "run")
    sit(tmp_path / "whole")
    for found in (folder.records(), folder.in_order(), union([folder]), union([folder, whole])):
        assert told(found) == told(whole.records())
    assert sorted(outcome.reason for outcome in folder.outcomes()) == ["finished"] * 6
    words = [sys.executable, "-m", "arena", "verify", str(folder.path)]
    checked = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert checked.startswith("6 matches hold: ")


@pytest.mark.long
def test_not_for_ever(tmp_path: Path) -> None:
    """What is void in three sessions stays so, and the run is finished: then nothing is played again.

    A match is void whose lane is killed twice; others are untouched.
    """
    folder = RunFolder(tmp_path / "run")
    for session in range(1, VOID_SESSIONS + 1):
        ended = sit(tmp_path, "--sin kill-house-at-start")
        assert ended.voids == 4
        assert ended.again == (4 if session < VOID_SESSIONS else 0)
        assert written(folder) == 2 + 4 * session
        if session == 1:
            assert folder.unsettled(folder.manifest())
            assert not folder.unsettled(msgspec.structs.replace(folder.manifest(), finished=True))
            for record in folder.records():
                void = "moody" in record.bots
                assert (record.reason, record.faults) == ("void" if void else "finished", ())
                assert record.why == ("the lane's process was ended" if void else "")
    assert folder.manifest().finished
    assert sit(tmp_path).voids == 4
    assert written(folder) == 2 + 4 * VOID_SESSIONS
    assert sum(1 for _ in folder.records()) == 6


@pytest.mark.long
def test_reading_what_is_superseded(tmp_path: Path) -> None:
    """A void record gives way to a later one of its match, void or not, and to no earlier one."""
    sit(tmp_path)
    records = list(RunFolder(tmp_path / "run").records())
    nobody = [record for record in records if record.id.startswith("e0b0")]
    other = next(record for record in records if not record.id.startswith("e0b0"))
    voids = [_void(record) for record in nobody]
    for times in (1, 2):
        path = tmp_path / f"other-{times}.jsonl"
        with Journal.open(path) as writing:
            for record in [*voids * times, *nobody[:1], other, _void(other)]:
                writing.append(msgspec.json.encode(record))
        standing = [*voids[1:], nobody[0], other, _void(other)]
        assert list(journal.read(path)) == standing
        assert [outcome.id for outcome in journal.outcomes(path)] == [record.id for record in standing]
        assert sorted(record.id for record in journal.in_order([path])) == sorted(record.id for record in standing)
        assert journal.voids(path) == {record.id: times for record in voids} | {other.id: 1}


def _void(record: Record) -> Record:
    return Record(
        record.id, record.game, record.version, record.bots, (0, 0), (0, 0), "void", why='"reason":"void" in words'
    )


@pytest.mark.long
def test_seconds_that_a_kill_left(tmp_path: Path) -> None:
    """Of a session that was killed the time to its last match counts, whatever was done to the clock of the files."""
    sit(tmp_path)
    folder = RunFolder(tmp_path / "run")
    for between, counts in ((-3600.0, 0.0), (0.0, 0.0), (1.5, 1.5), (3600.0, TOLD_EVERY)):
        os.utime(folder.path / "run.json", (10_000.0, 10_000.0))
        os.utime(folder.journal, (10_000.0 + between, 10_000.0 + between))
        assert folder.untold_seconds() == pytest.approx(counts)
