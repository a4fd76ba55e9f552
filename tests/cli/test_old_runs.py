"""Runs, plans and leagues of an older arena are read, resumed and verified: `tests/tournament/old` has them."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.command import arena

OLD = Path(__file__).parents[1] / "tournament/old"
BOTS = ("bots/pike/", "bots/perch/")
ALIKE = ("-g", "dockfight", "--seed", "old", "--isolation", "none", "-q")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A copy of all of them."""
    place = Path(shutil.copytree(OLD, tmp_path / "old"))
    shutil.copytree(place / "bots", place / "league/bots")
    return place


def test_an_old_run_goes_on(place: Path) -> None:
    """A run that was extended, and stopped in its second epoch, is played to its end by the same command."""
    before = (place / "run/matches.jsonl").read_bytes()
    assert before.count(b"\n") == 12
    assert "12 matches hold" in arena(place, "verify", "run").out
    arena(place, "run", *BOTS, *ALIKE, "-n", "24", "-o", "run")
    after = (place / "run/matches.jsonl").read_bytes()
    assert after.startswith(before)
    assert json.loads((place / "run/run.json").read_bytes())["finished"] is True
    assert "24 matches hold" in arena(place, "verify", "run").out


def test_an_old_run_of_rounds_is_over(place: Path) -> None:
    """Its rounds follow from its results as they did then, so nothing is left to play."""
    before = (place / "swiss/matches.jsonl").read_bytes()
    assert "12 matches hold" in arena(place, "verify", "swiss").out
    again = ("bots/pike*2", "bots/perch/", *ALIKE, "-n", "12", "--schedule", "swiss", "--seats", "2")
    arena(place, "run", *again, "-o", "swiss")
    assert (place / "swiss/matches.jsonl").read_bytes() == before


def test_an_old_plan_is_played(place: Path) -> None:
    """Its shards are played and merged, and the whole is the run that was planned."""
    for shard in ("1/2", "2/2"):
        arena(place, "run", *BOTS, "--plan", "plan", "--shard", shard, "-o", f"part-{shard[0]}", "-q")
    arena(place, "merge", "plan", "part-1", "part-2", "-o", "merged", "-q")
    assert "8 matches hold" in arena(place, "verify", "merged").out
    # the first epoch of the run has the same bots, seed and matches
    assert arena(place, "export", "merged").out.splitlines() == arena(place, "export", "run").out.splitlines()[:8]


def test_an_old_league_goes_on(place: Path) -> None:
    """Its season is finished: nothing is lacking, until one of its bots changes."""
    league = place / "league"
    results = league / "results/dockfight"
    assert "9 matches hold" in arena(league, "verify", str(results)).out
    arena(league, "season", "--isolation", "none", "-q")
    before = (results / "matches.jsonl").read_bytes()
    assert before.count(b"\n") == 9
    with (league / "bots/pike/play").open("a") as file:
        file.write("# changed\n")
    arena(league, "season", "--isolation", "none", "-q")
    assert (results / "matches.jsonl").read_bytes().startswith(before)
    assert "Season 2" in (league / "leaderboard.md").read_text()
