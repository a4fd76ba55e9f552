"""`arena compare`: two versions of a bot against a field, and the verdict."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena import games
from tests.cli.command import BOTS, PYTHON, arena, bot_folder, refusal

FIELD = ("greedy", "random")
FEW = ("-g", "dockfight", "--seats", "3", "-n", "9", "--seed", "two", "-q")
MORE = ("-g", "dockfight", "--seats", "3", "-n", "30", "--seed", "two", "-q")


def compared(place: Path, *words: str, code: int = 0) -> dict[str, Any]:
    """The verdict as JSON."""
    found: dict[str, Any] = json.loads(arena(place, "compare", *words, "--json", code=code).out)
    return found


def bot(place: Path, folder: str, program: str, *, name: str = "mine", more: str = "") -> str:
    """A folder with one of the bots of these tests; what to type for it."""
    bot_folder(place / folder, BOTS[program], name=name, more=more)
    return f"./{folder}"


def rivals(place: Path) -> tuple[str, str]:
    """Two bots that start fast, for a field."""
    return bot(place, "third", "mine.py", name="third"), bot(place, "fourth", "mine.py", name="fourth")


@pytest.mark.long
def test_better_and_worse(tmp_path: Path) -> None:
    """Who is certainly better passes, who is certainly worse is exit 1, with the difference and its interval."""
    few = (*rivals(tmp_path), "-g", "dockfight", "--seats", "4", "-n", "64", "--seed", "two", "-q", "-o", "run")
    found = compared(tmp_path, "greedy", "random", *few)
    assert (found["verdict"], found["new"], found["old"]) == ("better", "greedy", "random")
    assert 0 <= found["score_low"] < found["score"] < found["score_high"]
    assert found["low"] < found["difference"] < found["high"]
    assert found["ahead"] > 0.5
    assert (found["matches"], found["blocks"]) == (64, 16)
    assert found["decided_after"] <= 16
    assert [row["bot"] for row in found["rows"]] == ["greedy", "random"]
    # the same matches the other way round, and in words
    worse = compared(tmp_path, "random", "greedy", *few, code=1)
    assert worse["verdict"] == "worse"
    assert worse["score_high"] <= 0
    assert worse["why"].startswith(
        "random is worse than greedy at 4 seats, against fourth and third, after 64 matches."
    )
    said = arena(tmp_path, "compare", "greedy", "random", *few, "--format", "markdown")
    assert said.out.startswith(
        "### Better: greedy, dockfight\n\ngreedy is better than random at 4 seats, against fourth "
    )


@pytest.mark.long
def test_two_of_one_name(tmp_path: Path) -> None:
    """Versions have one name as a rule: the old one is called so; both play, and no third of that name."""
    new, old = bot(tmp_path, "new", "mine.py"), bot(tmp_path, "old", "mine.py", more="threads = 2\n")
    words = (new, old, new, *FIELD, *FEW, "-o", "run")
    found = compared(tmp_path, *words)
    assert (found["verdict"], found["new"], found["old"]) == ("undecided", "mine", "mine-before")
    assert found["why"].startswith(
        "Not decided yet whether mine is better than mine-before at 3 seats, against greedy "
    )
    board = json.loads(arena(tmp_path, "leaderboard", "run", "--json").out)
    assert {row["bot"] for row in board["leaderboard"]} == {"mine", "mine-before", *FIELD}
    # which is which is said, for a person may have exchanged them
    said = arena(tmp_path, "compare", *[word for word in words if word != "-q"]).err
    assert f"arena: the new version, mine, is {new}; the old one, mine-before, is {old}\n" in said
    # the same command on the same folder tells the same again, and `--until decided` wants to know
    assert compared(tmp_path, *words, "--until", "decided", code=6) == found


def test_nothing_changed(tmp_path: Path) -> None:
    """Two folders with the same files are the same bot: that is said, and nothing is played."""
    new, old = bot(tmp_path, "new", "mine.py"), bot(tmp_path, "old", "mine.py")
    found = compared(tmp_path, new, old, *FEW, "--until", "decided", "-o", "run")
    assert (found["verdict"], found["matches"]) == ("equal", 0)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("program", "why"), [("slip.py", "mine is worse"), ("crash.py", "mine cannot start")])
@pytest.mark.long_cases("crash.py-mine cannot start", "slip.py-mine is worse")
def test_a_new_one_that_breaks(tmp_path: Path, program: str, why: str) -> None:
    """If the new one faults again and again or cannot start where the old one did, that is exit 1 however it plays."""
    field = rivals(tmp_path)
    new, old = bot(tmp_path, "new", program), bot(tmp_path, "old", "mine.py")
    found = compared(tmp_path, new, old, *field, *MORE, code=1)
    assert found["verdict"] == "worse"
    assert found["why"].startswith(why)
    # the other way round nothing is held against it
    if program == "slip.py":
        assert compared(tmp_path, old, new, *field, *MORE)["verdict"] != "worse"
    else:
        assert "bot mine-before cannot start" in arena(tmp_path, "compare", old, new, *FEW, code=2).err


def test_refusals(tmp_path: Path) -> None:
    """One game, and bots that play it."""
    known = ", ".join(games.names())
    assert refusal(tmp_path, "compare", "greedy", "random") == f"--game: expected one game of {known}, got none"
    assert "got lure, dockfight" in refusal(tmp_path, "compare", "greedy", "random", "-g", "lure", "-g", "dockfight")
    other = bot(tmp_path, "other", "mine.py", more='games = ["lure"]\n')
    assert "expected bots that play dockfight" in refusal(tmp_path, "compare", other, "random", "-g", "dockfight")
    assert "got 'nobody'" in refusal(tmp_path, "compare", f"a={PYTHON} mine.py", "nobody", "-g", "dockfight")
    (tmp_path / "other" / "before").mkdir()
    (tmp_path / "other" / "before" / "bot.toml").write_text('name = "x"\ncommand = ["sh"]', "utf-8")
    nested = refusal(tmp_path, "compare", "./other", "./other/before", "-g", "lure")
    assert "expected folders of which neither lies in the other" in nested


@pytest.mark.long
def test_until_decided(tmp_path: Path) -> None:
    """It ends as soon as it is decided, the rest is given up, and the same command says the same again at once."""
    pair = ("greedy", "random", "-g", "dockfight", "--seats", "3", "--seed", "two", "-q")
    words = (*pair, "-o", "run", "--until", "decided")
    found = compared(tmp_path, *words)
    assert found["verdict"] == "better"
    assert found["decided_after"] * 3 <= found["matches"] < 400
    manifest = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    assert manifest["finished"]
    assert len(manifest["epochs"][0]["given_up"]) == 4002 - found["matches"]
    assert manifest["epochs"][0]["together"] == ["greedy", "random"]
    # the default field has copies of the old one, and none of the others that play at random
    assert {entrant["name"] for entrant in manifest["entrants"]} == {"greedy", "random", "random#2"}
    records = [json.loads(line) for line in (tmp_path / "run" / "matches.jsonl").read_text("utf-8").splitlines()]
    assert all({"greedy", "random"} <= set(record["bots"]) for record in records)
    assert compared(tmp_path, *words) == found
    assert len((tmp_path / "run" / "matches.jsonl").read_text("utf-8").splitlines()) == len(records)
    arena(tmp_path, "verify", "run")


@pytest.mark.long
def test_faults_decide_too(tmp_path: Path) -> None:
    """A version that faults again and again is not played to the last match."""
    field = rivals(tmp_path)
    new, old = bot(tmp_path, "new", "slip.py"), bot(tmp_path, "old", "mine.py")
    order = ("-g", "dockfight", "--seats", "3", "-n", "600", "--seed", "two", "-q", "--until", "decided")
    found = compared(tmp_path, new, old, *field, *order, code=1)
    assert (found["verdict"], found["faulty"]) == ("worse", True)
    assert found["matches"] < 200


@pytest.mark.long
def test_undecided_at_the_last_match(tmp_path: Path) -> None:
    """Where nothing is found until the last match, that is exit 6."""
    field = rivals(tmp_path)
    new, old = bot(tmp_path, "new", "mine.py"), bot(tmp_path, "old", "mine.py", more="threads = 2\n")
    found = compared(tmp_path, new, old, *field, *FEW, "--until", "decided", code=6)
    assert (found["verdict"], found["matches"], found["blocks"]) == ("undecided", 9, 3)
    gate = compared(tmp_path, new, old, *field, *FEW, "--until", "sprt=0,0.1", code=6)
    assert (gate["passed"], gate["gate"]) == (None, [0.0, 0.1])


@pytest.mark.long
def test_a_gate(tmp_path: Path) -> None:
    """`--until sprt=A,B` passes who is better by so much with exit 0, and fails who is not with exit 1."""
    gate = ("-g", "dockfight", "--seats", "2", "--seed", "two", "-q", "--until", "sprt=0,0.5")
    passed = compared(tmp_path, "greedy", "random", *gate)
    failed = compared(tmp_path, "random", "greedy", *gate, code=1)
    assert (passed["passed"], failed["passed"]) == (True, False)
    assert "greedy passes the gate from a score of 0 to one of 0.5" in passed["why"]


@pytest.mark.long
def test_the_field(tmp_path: Path) -> None:
    """Bots named twice are taken as copies; at two seats NEW and OLD play each other alone, and that is said."""
    words = ("compare", "greedy", "random", "-g", "dockfight", "--seed", "two", "--json")
    arena(tmp_path, *words, "random-c", "random-c", "--seats", "3", "-n", "12", "-q", "-o", "three")
    board = json.loads(arena(tmp_path, "leaderboard", "three", "--json").out)
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "random", "random-c", "random-c#2"}
    said = arena(tmp_path, *words, "random-c", "random-js", "--seats", "2", "-n", "4", "-o", "two")
    assert "at 2 seats NEW and OLD play each other alone" in said.err
    board = json.loads(arena(tmp_path, "leaderboard", "two", "--json").out)
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "random"}


def test_questions_that_are_none(tmp_path: Path) -> None:
    """What is asked is read before anything is played; options that testers know lead to the one there is."""
    words = ("compare", "greedy", "random", "-g", "dockfight")
    wrong = refusal(tmp_path, *words, "--until", "best")
    assert wrong.startswith("--until: expected decided, equal=M, sprt=A,B or never ")
    assert wrong.endswith(", got 'best'")
    margin = refusal(tmp_path, *words, "--until", "equal=1.5")
    assert margin == "--until: equal: expected a number between 0 and 1, got '1.5'"
    for before, now in (
        (["--decide"], "decided"),
        (["--margin", "0.1"], "equal=M"),
        (["--sprt=0,0.1"], "sprt=A,B"),
        (["--alpha", "0.01"], "decided,alpha=A"),
    ):
        option = before[0].partition("=")[0]
        said = f"expected --until {now}, got {option!r}; see `arena compare --help`"
        assert refusal(tmp_path, *words, *before) == said
