"""Runs, plans and leagues of an older arena are read, resumed and verified, by the rules of pairing they began with.

``old`` has them: whole ones, and the results alone of two from before.
"""

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from arena.formats.format import PAIRING
from arena.record import MatchResult
from arena.tournament.folder import BrokenRun, Manifest
from arena.tournament.rounds import Rounds, derived
from arena.tournament.secrets import Secret
from tests.cli.command import arena, data

OLD = Path(__file__).parent / "old"
BOTS = ("bots/pike/", "bots/perch/")
ALIKE = ("-g", "dockfight", "--seed", "old", "--isolation", "none", "-q")


def recorded(name: str) -> tuple[Manifest, list[MatchResult]]:
    """The manifest and the outcomes of a run: a Swiss of eight rounds, or a race that ended without a test."""
    manifest = msgspec.json.decode((OLD / f"{name}.json").read_bytes(), type=Manifest)
    lines = (OLD / f"{name}.jsonl").read_bytes().splitlines()
    return manifest, [msgspec.json.decode(line, type=MatchResult) for line in lines]


def rounds_of(manifest: Manifest, outcomes: list[MatchResult]) -> Rounds:
    """The rounds that follow from these."""
    secrets = {epoch.number: Secret.of(str(epoch.seed)) for epoch in manifest.epochs}
    return derived(manifest, secrets, outcomes)


@pytest.mark.parametrize("name", ["swiss", "race"])
def test_an_old_run_holds(name: str) -> None:
    """All its rounds are derived as they were played, and it is over where it was; by today's rules it would not be."""
    manifest, outcomes = recorded(name)
    assert manifest.pairing == 1
    rounds = rounds_of(manifest, outcomes)
    assert rounds.round is None
    assert rounds.strange() == []
    assert sum(len(finished.played) for finished in rounds.finished) * 2 == len(outcomes)
    today = rounds_of(msgspec.structs.replace(manifest, pairing=PAIRING), outcomes)
    assert today.round is not None


def test_a_stopped_old_run_goes_on_as_it_was() -> None:
    """After each match of an old Swiss the round to be played is the one that was played next."""
    manifest, outcomes = recorded("swiss")
    for known in range(0, len(outcomes), 8):
        rounds = rounds_of(manifest, outcomes[:known])
        assert rounds.round is not None
        assert {bots for block in rounds.blocks[-4:] for bots in [block.seating]} == {
            each.bots for each in outcomes[known : known + 8] if each.id.endswith("r0")
        }


def test_a_run_of_later_rules_is_refused() -> None:
    """What a later arena began cannot be derived."""
    manifest, outcomes = recorded("swiss")
    later = msgspec.structs.replace(manifest, pairing=PAIRING + 1)
    with pytest.raises(BrokenRun, match=f"expected pairing 1 to {PAIRING}, got {PAIRING + 1}"):
        rounds_of(later, outcomes)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A copy of all of them."""
    place = Path(shutil.copytree(OLD, tmp_path / "old"))
    shutil.copytree(place / "bots", place / "league/bots")
    return place


@pytest.mark.long
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


@pytest.mark.long
def test_an_old_plan_is_played(place: Path) -> None:
    """Its shards are played and merged, and the whole is the run that was planned."""
    for shard in ("1/2", "2/2"):
        arena(place, "run", *BOTS, "--plan", "plan", "--shard", shard, "-o", f"part-{shard[0]}", "-q")
    arena(place, "merge", "plan", "part-1", "part-2", "-o", "merged", "-q")
    assert "8 matches hold" in arena(place, "verify", "merged").out
    # the first epoch of the run has the same bots, seed and matches
    assert arena(place, "export", "merged").out.splitlines() == arena(place, "export", "run").out.splitlines()[:8]


@pytest.mark.long
def test_an_old_league_goes_on(place: Path) -> None:
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
