"""What a run would be: a trial that ends in time however slow the bots are, and times as people say them."""

from pathlib import Path
from time import monotonic

import pytest

from arena.report.findings import duration
from arena.tournament import estimate
from arena.tournament.open_run import OpenRun
from arena.tournament.planning import contests_of
from arena.tournament.settings import RunSpec
from tests.cli.command import BOTS, PYTHON

DROWSY = BOTS["mine.py"].replace("picks = list", "__import__('time').sleep(30); picks = list")


@pytest.mark.long
def test_a_trial_of_slow_bots_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that thinks for half a minute holds nobody up: the trial ends in time, and says that it takes longer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(estimate, "LONGEST", 0.4)
    (tmp_path / "drowsy.py").write_text(DROWSY)
    spec = RunSpec(games=("dockfight",), seats=2, matches=4, move_time="60s", isolation="none", lanes=1)
    root, contests = contests_of(spec, [f"drowsy={PYTHON} drowsy.py", "random"], lambda _: None, planning=True)
    with OpenRun(spec, contests, root, lambda _: None) as session:
        session.start()
        began = monotonic()
        looked = estimate.outlook(contests[0], session.lanes, lambda _: None)
        assert monotonic() - began < 5
    assert looked is not None
    assert looked.pace.at_least
    assert looked.pace.seconds > 0
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.94, "0.9 s"), (31.7, "31.7 s"), (720, "12 min"), (19_080, "5.3 h"), (181_440, "2.1 days")],
)
def test_times_in_words(seconds: float, said: str) -> None:
    """A time has the unit that people would say it in."""
    assert duration(seconds) == said
