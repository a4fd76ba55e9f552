"""``arena doctor``: what it prints of this machine, and of the levels of isolation."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli import app
from arena.sandbox.proving import TRIED
from arena.sandbox.sandbox import LEVELS, Level, Proof
from arena.tournament import isolation
from tests.cli.command import arena, data

NOTHING = "expected bwrap, got none: `apt install bubblewrap` or `dnf install bubblewrap`"


def pretend(monkeypatch: pytest.MonkeyPatch, proofs: dict[Level, Proof]) -> str:
    """What it prints on a machine of which these are the proofs."""
    monkeypatch.setattr(isolation, "prove", lambda _lanes, level, **_how: proofs[level])
    ended = CliRunner().invoke(app, ["doctor"])
    assert ended.exit_code == 0
    return ended.stdout


@pytest.mark.long
def test_the_matrix(tmp_path: Path) -> None:
    """The table has a row for each attack and fits 80 columns; the level that auto picks is the best that holds."""
    said = arena(tmp_path, "doctor").out
    assert max(map(len, said.splitlines())) <= 80
    known = data(tmp_path, "doctor", "--json")
    assert known["levels"].keys() == set(LEVELS)
    assert known["auto"] == next(level for level in reversed(LEVELS) if known["levels"][level]["holds"])
    assert list(known["levels"]["none"]["attacks"]) == list(TRIED)
    for name in TRIED:
        assert any(line.startswith(name) for line in said.splitlines()), name


@pytest.mark.long
def test_other_forms(tmp_path: Path) -> None:
    """As CSV it is one table of what was looked at and what was found; as Markdown there are two tables."""
    rows = list(csv.DictReader(StringIO(arena(tmp_path, "doctor", "--format", "csv").out)))
    assert {"what": "none: kill a process of the house", "found": "possible"} in rows
    assert {"isolation: none", "isolation: auto picks", "arena"} <= {row["what"] for row in rows}
    assert arena(tmp_path, "doctor", "--format", "markdown").out.count("|:--") >= 2


def test_a_level_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a level that does not start the column is blank, and below stands what is missing and how to get it."""
    told = {"kill a process of the house": "refused", "read another bot's code": "absent"}
    said = pretend(
        monkeypatch,
        {
            "none": Proof("none", dict.fromkeys(told, "possible"), ""),
            "landlock": Proof("landlock", told, ""),
            "bwrap": Proof("bwrap", {}, NOTHING),
        },
    )
    lines = [line.split() for line in said.splitlines()]
    assert ["kill", "a", "process", "of", "the", "house", "YES", "-"] in lines
    assert ["isolation:", "auto", "picks", "landlock"] in lines
    assert " ".join(said.split()).endswith(f"bwrap: {NOTHING}")
    assert max(map(len, said.splitlines())) <= 80


def test_a_level_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level whose promise the probe broke, or could not settle, is not picked; its marks show it, and why."""
    broken = {"kill a process of the house": "possible", "read another bot's code": "unclear"}
    said = pretend(
        monkeypatch,
        {
            "none": Proof("none", broken, ""),
            "landlock": Proof("landlock", broken, "expected these to be refused, got them done"),
            "bwrap": Proof("bwrap", {}, NOTHING),
        },
    )
    lines = [line.split() for line in said.splitlines()]
    assert ["kill", "a", "process", "of", "the", "house", "YES", "YES"] in lines
    assert ["read", "another", "bot's", "code", "?", "?"] in lines
    assert ["isolation:", "auto", "picks", "none"] in lines
    assert "landlock: expected these to be refused, got them done\n" in said
