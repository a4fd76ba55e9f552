"""The example that learns: it is trained, and what it has learnt plays as an ordinary bot."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from tests.documents import ROOT

pytest.importorskip("sklearn")
EXAMPLE = ROOT / "examples" / "learn"


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_short_training_beats_random(tmp_path: Path) -> None:
    """After a few lessons the bot plays a run without a fault and finishes ahead of random players in most matches."""
    bot = tmp_path / "bot"
    shutil.copytree(EXAMPLE / "bot", bot)
    (bot / "weights.json").unlink()
    options = ["--lessons", "6", "--tables", "32", "--seed", "5", "--out", str(bot / "weights.json")]
    trained = subprocess.run(
        [sys.executable, str(EXAMPLE / "train.py"), *options], capture_output=True, text=True, check=False
    )
    assert trained.returncode == 0, trained.stderr
    assert "against random players" in trained.stdout
    first = arena.local_bot(lambda decision: range(decision.least), "first")
    with arena.open_run(
        "dockfight", [str(bot), "random", first], matches=30, seed="learnt", out=tmp_path / "run"
    ) as run:
        matches = list(run.play())
    places = [match.ranks[match.bots.index("learnt")] for match in matches]
    assert [match.faults for match in matches if match.faults] == []
    assert places.count(0) > len(places) / 2, places
