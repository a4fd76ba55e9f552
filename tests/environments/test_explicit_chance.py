"""Games whose chance is explicit: the poker of the examples, installed as a package, held against OpenSpiel's own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import ARENA

EXAMPLE = Path(__file__).parents[2] / "examples" / "poker"
ALONGSIDE = """
import json, sys
import pyspiel
from arena.environments.openspiel import register
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability
from open_spiel.python.policy import tabular_policy_from_callable

register()

def nodes(state):
    if not state.is_terminal():
        return 1 + sum(nodes(state.child(action)) for action in state.legal_actions())
    return 1

def found(game, rounds):
    solver = cfr.CFRSolver(game)
    for _ in range(rounds):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    return [nodes(game.new_initial_state()), exploitability.exploitability(game, policy), *values]

def kuhns(state):
    "An equilibrium of Kuhn's: bluff with the lowest card, and call with the middle one, a third of the time."
    known = json.loads(state.information_state_string())
    card, acts = known["observation"]["card"], known["observation"]["acts"]
    bet = 0 if not acts else [0, 1 / 3, 1][card] if "bet" in acts else [1 / 3, 0, 1][card]
    return [(0, 1 - bet), (1, bet)]

ours = pyspiel.load_game("arena_kuhn_poker(returns=score)")
optimal = tabular_policy_from_callable(ours, kuhns)
values = expected_game_score.policy_value(ours.new_initial_state(), [optimal] * 2)
print(json.dumps({
    "kuhn": [found(ours, 30), found(pyspiel.load_game("kuhn_poker"), 30)],
    "leduc": [found(pyspiel.load_game(name), 1) for name in ("arena_leduc_poker(returns=score)", "leduc_poker")],
    "optimal": [exploitability.exploitability(ours, optimal), *values],
}))
for name in ("arena_kuhn_poker(players=5,returns=score)", "arena_leduc_poker"):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=True, verbose=False)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the example in it, as an installer leaves it."""
    folder = tmp_path_factory.mktemp("poker")
    shutil.copytree(EXAMPLE / "poker", folder / "poker", ignore=shutil.ignore_patterns("__pycache__"))
    info = folder / "poker-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: poker\nVersion: 1.0\n")
    entries = (EXAMPLE / "pyproject.toml").read_text().partition('"arena.games"]\n')[2].partition("\n\n")[0]
    (info / "entry_points.txt").write_text("[arena.games]\n" + entries.replace('"', "") + "\n")
    return folder


def done(site: Path, place: Path, *command: str) -> str:
    """What a command prints that ends well."""
    env = os.environ | {"PYTHONPATH": str(site), "ARENA_ISOLATION": "none", "COLUMNS": "80"}
    ended = subprocess.run(command, cwd=place, env=env, check=False, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0, ended
    return ended.stdout


@pytest.mark.long
def test_what_openspiel_finds(site: Path, tmp_path: Path) -> None:
    """Trees, exploitability and values are those of OpenSpiel's own games; an equilibrium of Kuhn's is worth -1/18."""
    pytest.importorskip("pyspiel", reason="OpenSpiel comes as no wheel for this Python and machine")
    found: dict[str, Any] = json.loads(done(site, tmp_path, sys.executable, "-c", ALONGSIDE).splitlines()[0])
    for name, histories in (("kuhn", 58), ("leduc", 9457)):
        ours, theirs = found[name]
        assert ours == pytest.approx(theirs, abs=1e-9)
        assert ours[0] == histories
    assert found["optimal"] == pytest.approx([0, -1 / 18, 1 / 18], abs=1e-9)


@pytest.mark.long
def test_the_tests_of_the_example(site: Path, tmp_path: Path) -> None:
    """Its own tests pass against the installed package: every law, and its rules."""
    tests = shutil.copytree(EXAMPLE / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    assert " passed" in done(site, tmp_path, *command, str(tests))


def test_the_house_draws(site: Path, tmp_path: Path) -> None:
    """A run of such a game is played, repeated and verified as any other; a block deals the same cards to each seat."""
    words = ("run", "-g", "kuhn-poker", "random", "greedy=random", "-n", "40", "--seed", "cards", "-q", "--json")
    told = [json.loads(done(site, tmp_path, *ARENA, *words, "-o", name))["leaderboard"] for name in ("one", "two")]
    one, two = ([row["wins"] for row in rows] for rows in told)
    assert one == two
    assert "40 matches hold" in done(site, tmp_path, *ARENA, "verify", "one")
    lines = done(site, tmp_path, *ARENA, "replay", "one", "e0b3r0").splitlines()
    again = done(site, tmp_path, *ARENA, "replay", "one", "e0b3r1").splitlines()
    cards = [[line for line in match if "You hold" in line] for match in (lines, again)]
    assert [line.partition("(")[0] for line in cards[0]] == [line.partition("(")[0] for line in cards[1]]
    assert len(cards[0]) == 2
