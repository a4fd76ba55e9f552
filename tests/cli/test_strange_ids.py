"""Journals of strangers with ids that are none and numbers that are too large: damage, told in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.journal import Corrupt, read
from tests.cli.command import change, refusal

READERS = [
    *(("leaderboard", "RUN"), ("matches", "RUN"), ("stats", "RUN"), ("stats", "RUN", "--bot", "mine")),
    *(("report", "RUN", "-o", "page.html"), ("verify", "RUN"), ("export", "RUN"), ("replay", "RUN", "#15")),
    ("merge", "RUN", "-o", "merged"),
]
IDS = ["", "x", "e0b0", "e0b0r0\n", "e00b0r0", "e0b0r0x", "E0b0r0", "e0b" + "9" * 6000 + "r0", "e0b\u0663r0"]


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("name", ["x", "e0b" + "9" * 6000 + "r0"], ids=["none", "long"])
def test_an_id_that_is_none_is_damage(words: tuple[str, ...], name: str, place: Path, demo: Path) -> None:
    """Every command that reads a journal names the file and the record whose id is none, and no other command."""
    change(demo, 2, lambda match: match.update(id=name))
    told = refusal(place, *("results/demo" if word == "RUN" else word for word in words), code=4)
    assert told.startswith("results/demo/matches.jsonl: expected record 2 at byte ")
    assert told.endswith(", got one whose id is no match id such as e0b17r3")


@pytest.mark.parametrize("name", IDS, ids=lambda name: ascii(name[:8]))
def test_what_is_no_id(name: str, place: Path, demo: Path) -> None:
    """An id is three whole numbers of at most 20 digits behind `e`, `b` and `r`."""
    change(demo, 0, lambda match: match.update(id=name))
    assert "expected record 0 at byte 0" in refusal(place, "leaderboard", "results/demo", code=4)


@pytest.mark.parametrize("field", ["scores", "ranks", "micros", "seats_asked", "retired", "picks", "charged", "burnt"])
@pytest.mark.parametrize("number", [10**400, -(10**30), 2**63])
def test_numbers_that_no_match_can_have(field: str, number: int, demo: Path) -> None:
    """Numbers that are too large to count with are damage, whatever field they are in."""

    def make(match: dict[str, Any]) -> None:
        match[field] = [[number]] if field == "picks" else [number] * 4

    change(demo, 2, make)
    with pytest.raises(Corrupt, match="expected record 2 at byte"):
        list(read(demo / "matches.jsonl"))


def test_matches_given_up_that_are_none(place: Path, demo: Path) -> None:
    """So are ids of matches in a manifest that were given up."""
    manifest = json.loads((demo / "run.json").read_bytes())
    manifest["epochs"][0]["given_up"] = ["e0b" + "9" * 6000 + "r0"]
    (demo / "run.json").write_text(json.dumps(manifest))
    for words in (("verify",), ("leaderboard",), ("merge", "-o", "merged")):
        assert "expected a run manifest" in refusal(place, words[0], "results/demo", *words[1:], code=4)


@pytest.mark.parametrize("seats", ["9" * 6000, "3-" + "9" * 6000])
def test_seats_of_thousands_of_digits(seats: str, tmp_path: Path) -> None:
    """Seats of thousands of digits in somebody's settings, or a match of so many, are told like any others."""
    (tmp_path / "arena.toml").write_text(f'games = ["lure"]\nseats = "{seats}"\n')
    assert "seats: expected N or A-B within" in refusal(tmp_path, "run", "-q")


def test_a_match_of_thousands_of_digits(place: Path) -> None:
    """A number of a match with thousands of digits is the number of none."""
    assert "got '#999" in refusal(place, "replay", "results/demo", "#" + "9" * 6000)
