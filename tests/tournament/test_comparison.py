"""Comparisons from Python: played until they are decided, interrupted and resumed, with the same verdict."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import arena
from arena import Decision
from arena.record import Record
from arena.report.verdict import Question
from arena.tournament import comparison
from arena.tournament.comparison import InterimAnalysis, Lucks
from arena.tournament.folder import RunFolder
from arena.tournament.loop import Watcher
from tests.tournament.test_open_run import first, last

UNTIL = Question.read("decided")


def middle(decision: Decision) -> list[int]:
    """Options from the middle."""
    start = (len(decision.options) - decision.least) // 2
    return list(range(start, start + decision.least))


class Cut(Exception):
    """The session ends here."""


class Impatient(Watcher):
    """Ends the session after so many matches."""

    left = 7

    def played(self, record: Record) -> None:
        """Count the match."""
        del record
        self.left -= 1
        if not self.left:
            raise Cut


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compared(out: str, *, until: str = "decided", **settings: Any) -> arena.Comparison:
    """The first options against the last, beside a third bot."""
    new, old, third = (arena.local_bot(policy) for policy in (first, last, middle))
    whole: dict[str, Any] = {"matches": 300, "seed": "s", "seats": 3, "lanes": 1, "isolation": "none"} | settings
    return arena.compare(new, old, "dockfight", [third, "random"], until=until, out=out, **whole)


@pytest.mark.long
def test_it_stops_when_it_is_decided(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict comes before the last match, both sit in every one, and the run is finished and holds.

    Stopped after a few matches and resumed, it is decided after the same block.
    """
    found = compared("r")
    assert found.verdict in {"better", "worse"}
    assert found.decided_after is not None
    assert 3 * found.decided_after <= found.matches < 300
    # Dockfight tells its luck, which is derived from the record
    assert found.luck is not None
    assert ("luck added" in found.why) == (abs(found.luck) >= 0.0005)
    run = arena.Run(here / "r")
    assert run.finished
    assert run.verify().holds
    assert all({"first", "last"} <= set(match.bots) for match in run.matches())
    assert run.manifest.epochs[0].together == ("first", "last")
    # asked again, it is the same, and nothing is played
    assert compared("r") == found
    assert run.manifest.matches == found.matches
    with monkeypatch.context() as patch:
        patch.setattr(comparison, "Watcher", Impatient)
        with pytest.raises(Cut):
            compared("cut")
    assert not RunFolder(Path("cut")).manifest().finished
    resumed = compared("cut")
    assert (resumed.verdict, resumed.decided_after) == (found.verdict, found.decided_after)


@pytest.mark.long
def test_what_ends_out_of_turn_waits(here: Path) -> None:
    """A block of which a match is not recorded, and all after it, are not looked at; a match counts once."""
    compared("r", until="never", matches=60)
    folder = RunFolder(here / "r")
    records = list(folder.records())
    lucks = Lucks(folder, new="first", old="last", memo={})
    looks = InterimAnalysis(folder, UNTIL, lucks)
    assert looks.evidence.blocks == 20
    for record in records:
        looks.add(record)
    assert looks.evidence.blocks == 20
    lines = folder.journal.read_bytes().splitlines(keepends=True)
    gap = next(number for number, record in enumerate(records) if record.id.startswith("e0b3r"))
    folder.journal.write_bytes(b"".join(lines[:gap]))
    # as of a run that was stopped there
    folder.write_manifest(replace(folder.manifest(), finished=False))
    lucks = Lucks(folder, new="first", old="last", memo={})
    short = InterimAnalysis(folder, UNTIL, lucks)
    before = short.evidence.blocks
    assert before <= 3
    for record in records[gap + 1 :]:
        short.add(record)
    assert short.evidence.blocks == 3
    short.add(records[gap])
    assert short.evidence.blocks == 20


@pytest.mark.long
def test_a_gate_from_python() -> None:
    """A gate that is passed says so, and its verdict is beside it."""
    found = compared("r", until="sprt=-0.9,-0.8")
    assert found.passed is not None
    assert found.gate == (-0.9, -0.8)


def test_a_comparison_has_a_schedule_of_its_own(here: Path) -> None:
    """Another one is refused, and nothing is played."""
    with pytest.raises(arena.UsageError, match="expected balanced for a comparison, got 'swiss'"):
        compared("r", schedule="swiss")
    assert not (here / "r").exists()
