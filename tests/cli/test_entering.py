"""Bots that enter a run late, change, leave and come back: history stays, and only what is missing is played."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import BOTS, DEMO, MATCHES, MINE, PYTHON, SLIP, arena, data, records

MORE = f"more={PYTHON} more.py"


def demo_with(*more: str) -> list[str]:
    """The command of the finished run with further words."""
    return ["run", *DEMO, *more]


def epochs(run: Path) -> list[dict[str, Any]]:
    """The epochs of the run manifest."""
    found: list[dict[str, Any]] = json.loads((run / "run.json").read_bytes())["epochs"]
    return found


def change_slip(place: Path, text: str = "# better now\n") -> None:
    """Change a bot's file."""
    with (place / "slip.py").open("a") as bot:
        bot.write(text)


@pytest.mark.long
def test_a_new_bot(place: Path, demo: Path) -> None:
    """A bot that was not there gets its share of a whole run of all, in a further epoch; what was played stays."""
    before = (demo / "matches.jsonl").read_bytes()
    (place / "more.py").write_text(BOTS["mine.py"])
    said = arena(place, *demo_with(MORE))
    assert "12 matches more; new: more" in said.err
    assert (demo / "matches.jsonl").read_bytes().startswith(before)
    further = records(demo)[MATCHES:]
    assert [match["id"][:2] for match in further] == ["e1"] * 12
    assert all("more" in match["bots"] for match in further)
    assert epochs(demo)[1]["owed"] == {"4": {"more": 3}}
    assert "28 matches hold" in arena(place, "verify", "results/demo").out
    board = data(place, *demo_with(MORE, "--json"))
    assert board["matches"] == MATCHES + 12
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "random", "mine", "slip", "more"}


@pytest.mark.long
def test_a_changed_bot(place: Path, demo: Path) -> None:
    """A bot whose file was changed is another entrant; the old one stays in the history, and out of the table."""
    change_slip(place)
    board = data(place, *demo_with("--json"))
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "random", "mine", "slip@2"}
    assert board["matches"] == 2 * MATCHES
    assert all(row["rank_high"] <= 4 for row in board["leaderboard"])
    assert "No longer in the run, rated but not shown (--past shows them): slip." in board["notes"]
    whole = data(place, "leaderboard", "results/demo", "--past", "--json")
    assert {row["bot"] for row in whole["leaderboard"]} == {"greedy", "random", "mine", "slip", "slip@2"}
    assert all("slip" not in match["bots"] for match in records(demo)[MATCHES:])
    arena(place, "verify", "results/demo")
    assert "@" in arena(place, "matches", "results/demo", "--bot", "slip@2").out


@pytest.mark.long
def test_a_bot_that_is_what_it_was(place: Path, demo: Path) -> None:
    """Changed back, a bot is the entrant it was before, and lacks nothing."""
    text = (place / "slip.py").read_text()
    change_slip(place)
    arena(place, *demo_with("-q"))
    played = len(records(demo))
    (place / "slip.py").write_text(text)
    board = data(place, *demo_with("--json"))
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "random", "mine", "slip"}
    assert len(records(demo)) == played
    change_slip(place, "# a third one\n")
    assert "new: slip@3" in arena(place, *demo_with()).err


@pytest.mark.long
def test_a_bot_that_leaves(place: Path, demo: Path) -> None:
    """A bot that is not named any more leaves the table; what it played counts on, and nothing need be played."""
    words = [word for word in demo_with("--json") if word != "random"]
    words[words.index("-o") : words.index("-o")] = ["--seats", "4"]
    (place / "more.py").write_text(BOTS["mine.py"])
    board = data(place, *words, MORE)
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "mine", "slip", "more"}
    assert any("random" in match["bots"] for match in records(demo))
    arena(place, "verify", "results/demo")


@pytest.mark.long
def test_more_matches_of_a_changed_field(place: Path, demo: Path) -> None:
    """After a change a larger `-n` brings everyone to its share of that many."""
    change_slip(place)
    arena(place, *demo_with("-q"))
    arena(place, *demo_with("-q", "-n", "32"))
    assert epochs(demo)[2]["owed"] == {"4": {"slip@2": 4}}
    assert data(place, *demo_with("-n", "32", "--json"))["matches"] == len(records(demo)) == 48


@pytest.mark.long
def test_an_extension_can_be_planned(place: Path, demo: Path) -> None:
    """What is missing can be planned, played in parts and merged, like a whole run."""
    change_slip(place)
    said = arena(place, *demo_with("--dry-run"))
    assert "plan: results/demo, 16 matches to play" in said.err
    assert len(records(demo)) == MATCHES
    for part in ("1", "2"):
        arena(place, "run", MINE, SLIP, "--plan", "results/demo", "--shard", f"{part}/2", "-o", part, "-q")
    assert len(records(place / "1")) + len(records(place / "2")) == 16
    arena(place, "merge", "results/demo", "1", "2", "-o", "joined", "-q")
    arena(place, "verify", "joined")
    arena(place, *demo_with("-q"))
    assert arena(place, "export", "joined").out == arena(place, "export", "results/demo").out


@pytest.mark.long
def test_a_lost_match_of_the_past(place: Path, demo: Path) -> None:
    """A match of a bot that takes part no longer cannot be played again: exit 4 names it."""
    change_slip(place)
    arena(place, *demo_with("-q"))
    journal = demo / "matches.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:7]))
    wrong = arena(place, *demo_with("-q"), code=4).err
    assert "expected bot 'slip' to play it again, got none that takes part" in wrong
    assert len(records(demo)) == 7
