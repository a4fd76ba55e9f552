"""``arena review``: the answers that cost a bot most, as text, as data and on a page; and ``arena replay --by``."""

import json
from pathlib import Path

import pytest

from tests.cli.command import arena

FAST = "def decide(decision):\n    return range(decision.least)\n"
LOUD = f"import os\n{FAST.replace('return', 'print(1), os.write(1, bytes(8)); return')}"


@pytest.fixture
def by(place: Path) -> Path:
    """A file beside the runs with a bot that answers at once."""
    path = place / "first.py"
    path.write_text(FAST, encoding="utf-8")
    return path


def test_a_review_as_text_and_data(place: Path, by: Path) -> None:
    """It tells what it will look at and for how long, then its rows; JSON and CSV have all that was measured."""
    words = ("review", "results/demo", "--bot", "slip", "--by", by.name, "--within", "10s")
    said = arena(place, *words)
    assert "arena: slip lost" in said.err
    assert "for at most 10 s, in" in said.err
    assert said.out.startswith("results/demo: cash-a-catch.\nslip lost ")
    assert max(map(len, said.out.splitlines())) <= 80
    by.write_text(LOUD, encoding="utf-8")
    told = json.loads(arena(place, *words, "--json", "-q").out)
    by.write_text(FAST, encoding="utf-8")
    assert (told["bot"], told["by"], told["game"], told["guided"]) == ("slip", "first", "cash-a-catch", True)
    assert 0 <= told["differing"] <= told["looked"] <= told["decisions"]
    assert all(row["sure"] == (row["low"] > 0) for row in told["answers"])
    quiet = arena(place, *words, "--format", "csv", "-q")
    assert quiet.err == ""
    assert quiet.out.startswith("match,id,seat,decision,question,answer,better,")


def test_a_bot_that_lost_nothing(place: Path) -> None:
    """Nothing is to review, and that is no mistake."""
    (place / "wins.py").write_text(FAST, encoding="utf-8")
    arena(place, "run", "greedy", "random", "-g", "dockfight", "-n", "2", "--seed", "even", "-o", "results/two", "-q")
    board = json.loads(arena(place, "leaderboard", "results/two", "--json").out)["leaderboard"]
    best = next(row["bot"] for row in board if row["wins"] == 2)
    said = arena(place, "review", "results/two", "--bot", best)
    assert said.out.endswith(f"{best} lost none of its 2 matches: there is nothing to review.\n")
    assert said.err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--bot", "nine"),
            "arena: --bot: expected a bot of greedy, random, mine, slip, got 'nine'; did you mean 'mine'",
        ),
        (("--bot", "mine", "--within", "1s"), "arena: --within: expected at least 5s, got 1s"),
        (("--bot", "mine", "--within", "soon"), "arena: --within: expected a time from"),
        (("--bot", "mine", "--by", "nobody"), "arena: expected Python code or a bot that plays without a process"),
        (("--bot", "mine", "--by", "none.py"), "arena: expected a file, got none at none.py"),
        ((), "arena: expected --bot"),
    ],
)
def test_bad_input(place: Path, words: tuple[str, ...], said: str) -> None:
    """What cannot be is one line and exit 2."""
    got = arena(place, "review", "results/demo", *words, code=2)
    assert got.out == ""
    assert got.err.startswith(said)


@pytest.mark.long
def test_what_another_bot_picks(place: Path, by: Path) -> None:
    """A match shows beside each answer what another bot picks: in words, at the table, as data and on a page."""
    words = ("replay", "results/demo", "#0", "--by", by.name, "--seat", "0", "--within", "20s")
    assert "    first: " in arena(place, *words).out
    assert " <- first" in arena(place, *words, "--board").out
    by.write_text(LOUD, encoding="utf-8")
    told = json.loads(arena(place, *words, "--json").out)
    asked = [asked for move in told["moves"] for asked in move.get("asked", [])]
    assert told["other"] == "first"
    assert all(asked["other"] == list(range(asked.get("least", 1))) for asked in asked if asked.get("micros", -1) >= 0)
    arena(place, *words, "--html", "match.html")
    assert (place / "match.html").exists()
    got = arena(place, *words, "--", "greedy", code=2)
    assert got.err == "arena: expected --by or a bot to ask again, got both\n"


def test_a_review_on_the_page(place: Path, by: Path) -> None:
    """A report has the review as a section whose rows lead to their moments; several runs have none."""
    words = ("report", "results/demo", "--review", "slip", "--by", by.name, "--within", "8s", "-o", "page.html")
    arena(place, *words)
    page = (place / "page.html").read_text("utf-8")
    assert 'id="review"' in page
    assert "slip lost" in page
    got = arena(place, *words[:2], "results/demo", *words[2:], code=2)
    assert got.err == "arena: --review: expected one run with it, got several\n"
