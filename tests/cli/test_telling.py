"""`arena matches` finds the match to look at, `arena replay` tells it."""

import json
import re
from pathlib import Path

import pytest

from arena.cli import app
from arena.report.replay import EventLine, Move
from tests.cli.command import MATCHES, arena, change, data, records, refusal, to_void

PICKS = re.compile(r"^  seat (\d+)")


@pytest.fixture
def here(finished: tuple[Path, object], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in the folder of the finished run, for commands called without a process of their own."""
    monkeypatch.chdir(finished[0])
    return finished[0]


def told(capsys: pytest.CaptureFixture[str], match: str, seat: int | None = None) -> str:
    """What is printed of a match; every line of it must be short plain text."""
    words = ["replay", "results/demo", match, *([] if seat is None else ["--seat", str(seat)])]
    app(words, standalone_mode=False)
    text = capsys.readouterr().out
    assert re.fullmatch(r"[ -~\n]*", text)
    longest = max(text.split("\n"), key=len)
    assert len(longest) <= 80, longest
    return text


@pytest.mark.long
def test_every_match_can_be_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every match is told to its end: each question, what followed, faults with cause and cure, places and scores."""
    for number, match in enumerate(records(here / "results" / "demo")):
        text = told(capsys, f"#{number}")
        assert text.startswith(f"match {match['id']}: cash-a-catch version {match['version']}, bell=lot\n")
        assert len(re.findall(r"^  seat \d \(\w+\) picks", text, re.MULTILINE)) == len(match["picks"])
        assert text.count("    fault illegal: ") == len(match["faults"]) > 0
        assert "\n    fix: " in text
        ends = text.partition("\nend: finished\n")[2].splitlines()
        order = sorted(range(4), key=lambda seat: (match["ranks"][seat], seat))
        assert ends == [
            f"  {match['ranks'][s] + 1}. seat {s} ({match['bots'][s]}): {match['scores'][s]}" for s in order
        ]


@pytest.mark.long
def test_what_one_seat_saw(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--seat` there are only this seat's questions and faults, no name but its own, and what all could see."""
    for number, match in enumerate(records(here / "results" / "demo")[:4]):
        whole = told(capsys, f"#{number}")
        for seat, bot in enumerate(match["bots"]):
            text = told(capsys, f"#{number}", seat)
            assert {int(found[1]) for line in text.split("\n") if (found := PICKS.match(line))} == {seat}
            assert text.count(f"\n  seat {seat} ({bot}) picks ") == match["seats_asked"].count(seat)
            assert text.count("fault ") == sum(fault["seat"] == seat for fault in match["faults"])
            assert not [other for other in match["bots"] if other != bot and f"({other})" in text]
            # neither of the games whispers, so every event of the match is here
            assert text.count("\n  - ") == whole.count("\n  - ")


def test_whispers() -> None:
    """What only some seats saw is told to these and, with their numbers, to whoever sees all."""
    move = Move(events=(EventLine(text="seat 1 draws"), EventLine(text="it is an eel", seats=(1, 2))))
    assert list(move.sentences(2)) == ["  - seat 1 draws", "  - it is an eel"]
    assert list(move.sentences(None))[1] == "  - it is an eel (seen by seat 1, seat 2 only)"


def test_by_number_and_by_id(place: Path, demo: Path) -> None:
    """A match is named by its number in the journal, its id, or the beginning of its id if no other begins so."""
    name = records(demo)[3]["id"]
    assert arena(place, "replay", "results/demo", "#3").out == arena(place, "replay", "results/demo", name).out


def test_void_matches(place: Path, demo: Path) -> None:
    """A void match is told as such, found by `--void`, noted below the table, and counts for nothing."""
    name = change(demo, 2, lambda match: to_void(match, "the disk was \x1b[31mslow"))
    said = arena(place, "replay", "results/demo", "#2")
    assert said.out.endswith("\nvoid, unrated: the disk was \\x1b[31mslow\n")
    assert [match["id"] for match in data(place, "matches", "results/demo", "--void", "--json")] == [name]
    assert "void" in arena(place, "matches", "results/demo", "--void").out
    board = data(place, "leaderboard", "results/demo", "--json")
    assert board["matches"] == MATCHES - 1
    assert "Void and not rated: 1 match." in board["notes"]
    (demo / "leaderboard.md").unlink()
    assert "16 matches hold, 1 of them void" in arena(place, "verify", "results/demo").out


def test_the_list(place: Path, demo: Path) -> None:
    """The list has every match in the order of the journal, at 80 columns; the last line tells how to look at one."""
    said = arena(place, "matches", "results/demo")
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[1] for line in lines[2:] if line.startswith("#")] == [match["id"] for match in records(demo)]
    assert said.err == "16 matches; look at one: arena replay results/demo '#0'\n"
    assert arena(place, "matches", "results/demo", "-q").err == ""
    listed = data(place, "matches", "results/demo", "--json")
    assert [match["match"] for match in listed] == list(range(MATCHES))
    assert listed[0] == {
        "match": 0,
        **{field: records(demo)[0][field] for field in ("id", "bots", "ranks", "scores", "reason", "seconds")},
        "faults": [{"bot": "slip", "kind": "illegal"}],
        "decisions": len(records(demo)[0]["picks"]),
        "why": "",
    }


def test_filters(place: Path, demo: Path) -> None:
    """`--bot`, `--lost` and `--fault` keep the matches that a bot played, did not win, had a fault in."""
    matches = records(demo)
    lost = [match["id"] for match in matches if match["ranks"][match["bots"].index("greedy")] > 0]
    listed = data(place, "matches", "results/demo", "--bot", "greedy", "--lost", "--json")
    assert [match["id"] for match in listed] == lost
    assert len(data(place, "matches", "results/demo", "--bot", "slip", "--fault", "--json")) == MATCHES
    assert data(place, "matches", "results/demo", "--bot", "greedy", "--fault", "--json") == []
    assert json.loads(arena(place, "matches", "results/demo", "--void", "--format", "json").out) == []


def test_matches_of_several_bots(place: Path) -> None:
    """Several --bot mean all of them at the table; who lost or faulted is the first."""
    both = data(place, "matches", "results/demo", "--bot", "mine", "--bot", "slip", "--json")
    assert both
    assert all({"mine", "slip"} <= set(row["bots"]) for row in both)
    three = data(place, "matches", "results/demo", "--bot", "slip", "--bot", "mine", "--bot", "random", "--json")
    assert three == [row for row in both if "random" in row["bots"]]
    # one bot named twice is one bot, as it cannot sit at a table with itself
    twice = data(place, "matches", "results/demo", "--bot", "mine", "--bot", "mine", "--json")
    assert twice == data(place, "matches", "results/demo", "--bot", "mine", "--json")
    wrong = refusal(place, "matches", "results/demo", "--bot", "mine", "--bot", "mine#2")
    assert wrong.startswith("--bot: expected a bot of the run (greedy, random, mine, slip), got 'mine#2'")
    lost = data(place, "matches", "results/demo", "--bot", "mine", "--bot", "slip", "--lost", "--json")
    assert [row["match"] for row in lost] == [
        row["match"] for row in both if row["ranks"][row["bots"].index("mine")] != 0
    ]
