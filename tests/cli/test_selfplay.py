"""``arena selfplay``: many matches of Python bots in one line, on standard output the leaderboard alone."""

import json
from pathlib import Path

import pytest

from arena.terminal import progress
from tests.cli.command import arena
from tests.report.records import record

MINE = "def decide(decision):\n    return range(decision.least)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a bot in it."""
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    return tmp_path


def test_a_table(folder: Path) -> None:
    """A shipped bot and a Python file play; the table is printed, and nothing is written."""
    said = arena(folder, "selfplay", "dockfight", "greedy", "me=mine.py", "-n", "8", "--seed", "s", "--json")
    assert (said.code, said.err) == (0, "")
    board = json.loads(said.out)
    assert (board["matches"], board["seed"], board["provisional"]) == (8, "s", False)
    assert {row["bot"] for row in board["leaderboard"]} == {"greedy", "me"}
    assert sorted(path.name for path in folder.iterdir() if path.name != "__pycache__") == ["mine.py"]


@pytest.mark.parametrize("lanes", ["1", "2"])
def test_what_bots_print(folder: Path, lanes: str) -> None:
    """What a bot prints goes to standard error, by whatever means, from whichever process: the result stands alone."""
    printing = "print(1), print(2, file=sys.__stdout__), os.write(1, b'3\\n'), os.system('echo 4')"
    mine = MINE.replace("return", f"{printing}; return")
    (folder / "loud.py").write_text(f"import os, sys\nprint('hello')\n{mine}", encoding="utf-8")
    said = arena(folder, "selfplay", "dockfight", "greedy", "loud.py", "-n", "8", "-j", lanes, "--json")
    assert json.loads(said.out)["matches"] == 8
    assert {"hello", *"1234"} <= set(said.err.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("chess", "greedy"), "arena: --game: expected one game of"),
        (("dockfight", "greedy", "random-c"), "arena: expected Python code or a bot that plays without a process"),
        (("dockfight", "greedy", "none.py"), "arena: expected a file, got none at none.py"),
        (
            ("dockfight", "greedy", "--seats", "9"),
            "arena: --seats: expected N or A-B within 2-6 for dockfight, got '9'",
        ),
        (("dockfight", "greedy", "greedy"), "arena: expected bots of different names, got greedy, greedy"),
    ],
)
def test_bad_input(folder: Path, words: tuple[str, ...], said: str) -> None:
    """What cannot be is one line and exit 2."""
    got = arena(folder, "selfplay", *words, code=2)
    assert got.out == ""
    assert got.err.startswith(said)
    assert got.err.count("\n") == 1


def test_a_bot_that_fails(folder: Path) -> None:
    """An error of a bot is one line with the place in its file, and exit 2."""
    (folder / "bad.py").write_text("def decide(decision):\n    return 1 / 0\n", encoding="utf-8")
    got = arena(folder, "selfplay", "dockfight", "bad.py", "greedy", "-n", "8", code=2)
    assert (got.out, got.err.count("\n")) == ("", 1)
    assert "bot bad: expected an answer, got ZeroDivisionError: division by zero at" in got.err
    assert "bad.py:2" in got.err


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys\nsys.exit(0)\n", "bad.py: expected Python that loads, got SystemExit: 0"),
        ("import sys\ndef decide(decision):\n    sys.exit(0)\n", "bot bad: expected an answer, got SystemExit: 0 at "),
        (
            "import arena\nclass B(arena.Bot):\n    decide = None\n    def __init__(self):\n        open('/no/n')\n",
            "bot bad: expected a new player for its matches, got FileNotFoundError: ",
        ),
        (
            "import arena\nclass B(arena.Bot):\n    pass\n",
            "expected a class of which `B()` makes a bot, got one without decide",
        ),
    ],
)
@pytest.mark.parametrize("lanes", ["1", "2"])
def test_files_that_make_no_bot(folder: Path, code: str, said: str, lanes: str) -> None:
    """A file that leaves, or whose class makes no bot, is one line and exit 2, in however many processes."""
    (folder / "bad.py").write_text(code, encoding="utf-8")
    got = arena(folder, "selfplay", "dockfight", "bad.py", "greedy", "-n", "8", "-j", lanes, code=2)
    assert (got.out, got.err.count("\n")) == ("", 1)
    assert got.err.startswith(f"arena: {said}")


def test_progress_in_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where standard error is no terminal, a line now and then says how far self-play is; --quiet has none."""
    monkeypatch.setattr(progress, "PLAIN_EVERY", 0.0)
    with progress.bar(quiet=True) as told:
        assert told is None
    with progress.bar(quiet=False) as told:
        assert told is not None
        for _ in range(2):
            told(record({"a": 0, "b": 1}), 2)
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("arena: self-play: 1/2 matches, ")
    assert last == "arena: self-play: 2/2 matches, 0 s left"
