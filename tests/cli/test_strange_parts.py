"""Parts of a run from somebody else, and a finished run of which records are gone: refused, whatever they claim."""

import shutil
from collections.abc import Callable
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
        assert said.startswith("2: expected a match of shard 2/2, got ") or "is no match id such as" in said


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


def _without(name: str) -> Callable[[Path], object]:
    return lambda part: (part / name).unlink()


def _half(name: str) -> Callable[[Path], object]:
    def halve(part: Path) -> None:
        data = (part / name).read_bytes()
        (part / name).write_bytes(data[: len(data) // 2])

    return halve


def _gap(part: Path) -> None:
    """A gap in the first record, however long that is."""
    data = (part / "matches.jsonl").read_bytes()
    third = data.index(b"\n") // 3
    (part / "matches.jsonl").write_bytes(data[:third] + data[2 * third :])


def _bare(part: Path) -> None:
    shutil.rmtree(part)
    part.mkdir()


TORN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a gap in the journal": (_gap, "1/matches.jsonl: expected record 0 at byte 0, got a damaged line with a good one"),
    "no manifest": (_without("run.json"), "1: expected a run.json beside matches.jsonl, got none"),
    "half a manifest": (_half("run.json"), "1/run.json: expected a run manifest, got something else"),
    "an empty folder": (_bare, "1: expected a run folder with a run.json, got none"),
}
"""What may have become of a part on its way, and what is then said of it."""


@pytest.mark.long
@pytest.mark.parametrize("how", TORN)
def test_a_torn_part(parts: Path, how: str) -> None:
    """A damaged part is named and nothing is written; with --keep-going it alone is left out, and that is said."""
    tear, why = TORN[how]
    tear(parts / "1")
    refused = arena(parts, "merge", "plan", "1", "2", "-o", "x", code=2 if how == "an empty folder" else 4)
    assert refused.err.startswith(f"arena: {why}")
    assert refused.out == ""
    assert not (parts / "x").exists()
    said = arena(parts, "merge", "plan", "1", "2", "-o", "x", "--keep-going")
    assert said.err.startswith(f"arena: left out: {why}")
    assert said.err.endswith("arena: x: 8 of 16 matches\n")
    assert records(parts / "x") == sorted(records(parts / "2"), key=lambda match: match["seq"])
    quiet = arena(parts, "merge", "plan", "1", "2", "-o", "z", "--keep-going", "-q")
    assert quiet.err == said.err.splitlines(keepends=True)[0]
    # the plan has the secret, or all that was played before: it is never left out
    assert refusal(parts, "merge", "1", "2", "-o", "y", "--keep-going", code=refused.code).startswith(why)
    assert "nowhere" in refusal(parts, "merge", "plan", "nowhere", "-o", "y", "--keep-going")


@pytest.mark.long
def test_an_older_copy_of_a_part(parts: Path) -> None:
    """A part that ends in the middle of a match lacks the rest; given beside its whole copy, and twice, it is whole."""
    shutil.copytree(parts / "1", parts / "older")
    _half("matches.jsonl")(parts / "older")
    whole = arena(parts, "merge", "plan", "1", "2", "-o", "whole")
    assert arena(parts, "merge", "plan", "older", "1", "older", "1", "2", "-o", "again").out[5:] == whole.out[5:]
    assert (parts / "again/matches.jsonl").read_bytes() == (parts / "whole/matches.jsonl").read_bytes()
    kept = (parts / "older/matches.jsonl").read_bytes().count(b"\n")
    said = arena(parts, "merge", "plan", "older", "2", "-o", "less")
    assert said.err == f"arena: less: {8 + kept} of 16 matches\n"


@pytest.mark.long
def test_a_part_of_two_games_of_which_one_is_torn(tmp_path: Path) -> None:
    """Only the run that is damaged is left out; a journal without a manifest is damaged, and not overlooked."""
    words = ("run", "greedy", "random", "-g", "dockfight", "-g", "lure", "--seats", "2", "-n", "4", "-q")
    arena(tmp_path, *words, "--dry-run", "-o", "plan")
    arena(tmp_path, "run", "--plan", "plan", "-o", "1", "-q")
    (tmp_path / "1/lure/run.json").unlink()
    why = "1/lure: expected a run.json beside matches.jsonl, got none"
    assert refusal(tmp_path, "merge", "plan", "1", "-o", "x", code=4) == why
    said = arena(tmp_path, "merge", "plan", "1", "-o", "x", "--keep-going")
    assert said.err == f"arena: left out: {why}\narena: x/dockfight: all 4 matches\narena: x/lure: 0 of 4 matches\n"


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
