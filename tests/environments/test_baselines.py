"""The page to cite: its tasks exist, its commands run, and what is cited has the version of the package."""

import importlib.util
import subprocess
import sys

import pytest
import yaml

from arena import __version__, games
from arena.environments.encoding import name_of
from tests.documents import ROOT, blocks

LEARN = ROOT / "examples" / "learn"
PAGE = (ROOT / "docs" / "baselines.md").read_text("utf-8")
FIELDS = {
    "abstract",
    "authors",
    "cff-version",
    "keywords",
    "license",
    "message",
    "title",
    "type",
    "version",
}
"""What is used of the Citation File Format 1.2.0."""


def baseline(*words: str) -> list[list[str]]:
    """The cells of the rows that the command prints."""
    told = subprocess.run(
        [sys.executable, str(LEARN / "baselines.py"), *words], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    return [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in told.stdout.splitlines() if line.startswith("|")
    ]


def test_the_citation() -> None:
    """It has all that the format asks for, nothing else, and the version and licence of the package."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert set(cited) == FIELDS
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert cited["version"] == __version__
    assert cited["license"] in (ROOT / "LICENSE").read_text("utf-8").splitlines()[0]
    assert cited["authors"] == [{"name": "The fish-arena authors"}]
    assert cited["authors"][0]["name"] in (ROOT / "LICENSE").read_text("utf-8")


def test_the_tasks() -> None:
    """The page names every game of arena as an environment, with its seats."""
    for name in games.names():
        game = games.find(name)
        if game.state.__module__.startswith("arena.games."):
            assert f"| `{name_of(game)}` | {game.usual_seats} |" in PAGE


def test_no_file_of_the_example_is_long() -> None:
    """A reader sees each at a glance: 150 lines at most."""
    lengths = {path.name: len(path.read_text("utf-8").splitlines()) for path in LEARN.glob("**/*.py")}
    assert {"train.py", "dqn.py", "baselines.py", "bot.py"} <= lengths.keys()
    assert max(lengths.values()) <= 150


def test_commands_of_the_page() -> None:
    """Each one names a player and options that the program has."""
    spec = importlib.util.spec_from_file_location("baselines", LEARN / "baselines.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    commands = [line.split() for block in blocks(PAGE, "sh") for line in block.splitlines() if "baselines.py" in line]
    asked = [program.options().parse_args(words[2:]) for words in commands]
    assert {words[1] for words in commands} == {"examples/learn/baselines.py"}
    assert {one.player for one in asked} == {"random", "greedy", "search-20", "search-100", "search-1000", "ppo", "dqn"}
    assert {game for one in asked for game in one.games} == {*program.GAMES}
    assert program.LEARNERS.keys() < {one.player for one in asked}


@pytest.mark.parametrize("name", ["random", "search-20"])
@pytest.mark.long_cases("search-20")
def test_a_player(name: str) -> None:
    """A player without training gives a row with an interval of its own."""
    [row] = baseline(name, "--games", "catch-of-the-day", "--against", "greedy", "--matches", "40")
    assert row[:2] == ["catch-of-the-day", "greedy"]
    mean, low, high = (float(word.strip("(),")) for word in row[2].replace("to", "").split())
    assert -1 <= low <= mean <= high <= 1
    assert low < high
    assert row[4] == "40"


def test_greedy_is_no_better_than_itself() -> None:
    """At a table of its equals a player finishes as they do: the interval holds 0, and the verdict is open."""
    [row] = baseline("greedy", "--games", "catch-of-the-day", "--against", "greedy", "--matches", "160")
    _, low, high = (float(word.strip("(),")) for word in row[2].replace("to", "").split())
    assert low < 0 < high
    assert row[3] == "open"


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "module"), [("ppo", "sb3_contrib"), ("dqn", "open_spiel.python.pytorch.dqn")])
def test_a_learner(name: str, module: str) -> None:
    """What some seconds of training give is measured like any player."""
    pytest.importorskip("torch")
    pytest.importorskip(module)
    rows = baseline(name, "--games", "catch-of-the-day", "--matches", "40", "--seconds", "3")
    assert [row[:2] for row in rows] == [["catch-of-the-day", "random"], ["catch-of-the-day", "greedy"]]
