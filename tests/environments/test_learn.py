"""The example that learns: what it has learnt plays as an ordinary bot, and so does what is learnt anew."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from tests.documents import ROOT

EXAMPLE = ROOT / "examples" / "learn"


def wins(bot: Path, out: Path, matches: int) -> float:
    """The share of matches that the bot wins against two random players, without a fault."""
    bots = [str(bot), "random*2"]
    with arena.open_run("dockfight", bots, matches=matches, seed="learnt", out=out) as run:
        played = list(run.play())
    assert [match.faults for match in played if match.faults] == []
    return sum(match.ranks[match.bots.index("learnt")] == 0 for match in played) / len(played)


@pytest.mark.long
def test_what_was_learnt_plays(tmp_path: Path) -> None:
    """The bot with its weights wins most matches against random players."""
    assert wins(EXAMPLE / "bot", tmp_path / "run", 60) > 1 / 2


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_short_training(tmp_path: Path) -> None:
    """What some seconds of training write down plays a run without a fault."""
    pytest.importorskip("sb3_contrib")
    bot = shutil.copytree(EXAMPLE / "bot", tmp_path / "bot")
    options = ["--seconds", "2", "--deals", "2", "--out", str(bot / "weights.json")]
    trained = subprocess.run(
        [sys.executable, str(EXAMPLE / "train.py"), *options], capture_output=True, text=True, check=False
    )
    assert trained.returncode == 0, trained.stderr
    assert "steps in arena/dockfight-v2" in trained.stdout
    wins(bot, tmp_path / "run", 6)
