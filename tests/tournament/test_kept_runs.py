"""Runs, plans and leagues of the present form are read, resumed and verified; those of another are refused.

``kept`` has some, as they were written: a change that cannot read them changes the form.
"""

import json
import shutil
from pathlib import Path

import pytest

from arena.tournament.folder import BrokenRun, RunFolder
from tests.cli.command import arena, data

KEPT = Path(__file__).parent / "kept"
BOTS = ("bots/pike/", "bots/perch/")
ALIKE = ("-g", "dockfight", "--seed", "old", "--isolation", "none", "-q")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("pairing", 1, "expected pairing 3, got 1: another version of arena began this run"),
        ("cut", 3, "expected cut 4, got 3: another version of arena began this run"),
        ("cut", None, "expected a run manifest, got something else (Object missing required field `cut`)"),
        ("sealed", None, "sealed: expected what the journal of a finished run holds, got none"),
        ("format", 2, "expected format 1, got 2: another version of arena began this run"),
    ],
)
def test_a_run_of_another_version_is_refused(key: str, value: int | None, said: str, tmp_path: Path) -> None:
    """A run of other rules or of another form is refused in one sentence, whatever it is read for."""
    manifest = json.loads((KEPT / "swiss/run.json").read_bytes())
    del manifest[key]
    (tmp_path / "run.json").write_text(json.dumps(manifest if value is None else manifest | {key: value}))
    with pytest.raises(BrokenRun) as refused:
        RunFolder(tmp_path).manifest()
    assert str(refused.value) == f"{tmp_path / 'run.json'}: {said}"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A copy of all of them."""
    place = Path(shutil.copytree(KEPT, tmp_path / "kept"))
    shutil.copytree(place / "bots", place / "league/bots")
    return place


@pytest.mark.long
def test_a_kept_run_goes_on(place: Path) -> None:
    """A run that was extended, and stopped in its second epoch, is played to its end by the same command."""
    before = (place / "run/matches.jsonl").read_bytes()
    assert before.count(b"\n") == 12
    assert "12 matches hold" in arena(place, "verify", "run").out
    arena(place, "run", *BOTS, *ALIKE, "-n", "24", "-o", "run")
    after = (place / "run/matches.jsonl").read_bytes()
    assert after.startswith(before)
    assert json.loads((place / "run/run.json").read_bytes())["finished"] is True
    assert "24 matches hold" in arena(place, "verify", "run").out


def test_a_kept_run_of_rounds_is_over(place: Path) -> None:
    """Its rounds follow from its results as they did before, so nothing is left to play."""
    before = (place / "swiss/matches.jsonl").read_bytes()
    assert "12 matches hold" in arena(place, "verify", "swiss").out
    again = ("bots/pike*2", "bots/perch/", *ALIKE, "-n", "12", "--schedule", "swiss", "--seats", "2")
    arena(place, "run", *again, "-o", "swiss")
    assert (place / "swiss/matches.jsonl").read_bytes() == before


@pytest.mark.parametrize("schedule", ["balanced", "swiss"])
def test_a_run_under_the_second_pairing(place: Path, schedule: str) -> None:
    """Only what ends by a bet has other rounds since: other runs are verified, and a balanced one is extended."""
    folder = f"older-{schedule}"
    assert "6 matches hold" in arena(place, "verify", folder).out
    if schedule == "balanced":
        arena(place, "run", *BOTS, *ALIKE, "--seats", "2", "-n", "8", "-o", folder)
        assert "8 matches hold" in arena(place, "verify", folder).out
    manifest = json.loads((KEPT / folder / "run.json").read_bytes())
    (place / folder / "run.json").write_text(json.dumps(manifest | {"schedule": "knockout"}))
    assert "expected pairing 3, got 2" in arena(place, "verify", folder, code=4).err


@pytest.mark.long
def test_a_kept_plan_is_played(place: Path) -> None:
    """Its shards are played and merged, and the whole is the run that was planned."""
    for shard in ("1/2", "2/2"):
        arena(place, "run", *BOTS, "--plan", "plan", "--shard", shard, "-o", f"part-{shard[0]}", "-q")
    arena(place, "merge", "plan", "part-1", "part-2", "-o", "merged", "-q")
    assert "8 matches hold" in arena(place, "verify", "merged").out
    # the first epoch of the run has the same bots, seed and matches
    assert arena(place, "export", "merged").out.splitlines() == arena(place, "export", "run").out.splitlines()[:8]


@pytest.mark.long
def test_a_kept_league_goes_on(place: Path) -> None:
    """Its season is finished: nothing is lacking, until one of its bots changes."""
    league = place / "league"
    results = league / "results/dockfight"
    assert "9 matches hold" in arena(league, "verify", str(results)).out
    (lacking,) = data(league, "season", "--dry-run", "--isolation", "none", "-q", "--json")
    assert lacking["matches"] == 0
    before = (results / "matches.jsonl").read_bytes()
    assert before.count(b"\n") == 9
    with (league / "bots/pike/play").open("a") as file:
        file.write("# changed\n")
    arena(league, "season", "--isolation", "none", "-q")
    assert (results / "matches.jsonl").read_bytes().startswith(before)
    assert "Season 2" in (league / "leaderboard.md").read_text()
