"""Parts of a run from somebody else, and a finished run of which records are gone: refused, whatever they claim."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import arena, change, forge, records, refusal

PLANNED = ("run", "greedy", "random", "-g", "dockfight", "--seats", "2", "-n", "16", "-q")
FAULT = {"seat": 0, "kind": "late", "rule": "", "decision": 0, "hint": "", "line": ""}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan and its two shards, played. Nobody changes it."""
    place = tmp_path_factory.mktemp("played")
    arena(place, *PLANNED, "--dry-run", "-o", "plan")
    for number in ("1", "2"):
        arena(place, "run", "--plan", "plan", "--shard", f"{number}/2", "-o", number, "-q")
    return place


@pytest.fixture
def parts(played: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(played, tmp_path / "parts"))


@pytest.mark.long
def test_faults_forged_for_a_match_of_another_part(parts: Path) -> None:
    """Who plays one shard cannot blame a bot for a match of another: it is not of that part, or it contradicts."""
    theirs: dict[str, Any] = dict(records(parts / "1")[0])
    theirs["faults"] = [FAULT]
    forge(parts / "2", [*records(parts / "2"), theirs])
    said = refusal(parts, "merge", "plan", "1", "2", "-o", "x", code=4)
    assert said == f"2: expected a match of shard 2/2, got {theirs['id']}"
    # without the plan nobody knows which match is whose
    said = refusal(parts, "merge", "1", "2", "-o", "x", code=4)
    bot = theirs["bots"][0]
    assert f"match {theirs['id']}: expected the same match in all parts, got faults " in said
    assert f"late of {bot} at decision 0" in said
    assert not (parts / "x").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    "match", ["e0b99999999r0", "e7b0r0", "e0b0r7", "e0b123456789012345678901234567890r0", "nonsense"]
)
def test_an_id_that_no_match_has(parts: Path, match: str) -> None:
    """An id outside of the schedule is refused before anything is held in memory for it, with the plan or without."""
    change(parts / "2", 0, lambda record: record.update(id=match))
    for runs in (("plan", "1", "2"), ("1", "2")):
        said = refusal(parts, "merge", *runs, "-o", "x", code=4)
        assert said.startswith("2: expected a match of shard 2/2, got ") or "expected a match id such as" in said


@pytest.mark.long
@pytest.mark.parametrize("shard", ["x", "3/2", "1/0", "0/0", "-1/2"])
def test_a_part_that_is_none(parts: Path, shard: str) -> None:
    """A manifest whose part or whose bots have names that none can have is refused in words."""
    path = parts / "2" / "run.json"
    text = path.read_text()
    path.write_text(text.replace('"2/2"', f'"{shard}"'))
    assert refusal(parts, "merge", "1", "2", "-o", "x", code=4).startswith("2/run.json: shard: expected I/N")
    path.write_text(text.replace('"name": "greedy"', '"name": "../greedy"'))
    assert refusal(parts, "merge", "1", "2", "-o", "x", code=4).endswith("expected a name of a bot, got '../greedy'")


READING = ("leaderboard", "stats", "matches", "export", "verify", "merge", "replay")


@pytest.mark.parametrize("command", READING)
@pytest.mark.long_cases("export", "matches", "merge", "replay", "stats")
def test_lost_records_are_told(place: Path, demo: Path, command: str) -> None:
    """Every command that reads a finished run says that records are gone, or are not those that it had."""
    words = {"merge": ("merge", "results/demo", "-o", "x"), "replay": ("replay", "results/demo", "#0")}
    whole = (demo / "matches.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in (b"".join(lines[:-1]), b"".join(lines[:-1]) + lines[-1][:-5], b""):
        (demo / "matches.jsonl").write_bytes(cut)
        said = arena(place, *words.get(command, (command, "results/demo")), code=1 if command == "verify" else 4)
        if command != "verify":
            assert said.out == "" or command in ("matches", "export")
            got = cut.count(b"\n")
            assert f"expected the {len(lines)} records that the finished run had, got {got}\n" in said.err
    (demo / "matches.jsonl").write_bytes(whole)
    forged = records(demo)
    manifest = (demo / "run.json").read_bytes()
    forged[0]["seconds"] = 77.0
    forge(demo, forged)
    (demo / "run.json").write_bytes(manifest)
    said = arena(place, *words.get(command, (command, "results/demo")), code=4)
    assert f"expected the {len(lines)} records that the finished run had, got others\n" in said.err


def test_a_lost_journal_is_told(place: Path, demo: Path) -> None:
    """So is a finished run whose journal is gone altogether."""
    (demo / "matches.jsonl").unlink()
    said = refusal(place, "leaderboard", "results/demo", code=4)
    assert said == "results/demo/matches.jsonl: expected the 16 records that the finished run had, got 0"
