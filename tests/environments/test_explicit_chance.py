"""Games whose chance is explicit: the poker of the examples, installed as a package, held against OpenSpiel's own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.folder import RunFolder
from arena.tournament.standings import compute_standings
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

ours = pyspiel.load_game("arena_kuhn_poker")
optimal = tabular_policy_from_callable(ours, kuhns)
values = expected_game_score.policy_value(ours.new_initial_state(), [optimal] * 2)
theirs, rounds = sys.argv[1], int(sys.argv[2])
print(json.dumps({
    "found": [found(pyspiel.load_game(name), rounds) for name in ("arena_" + theirs, theirs)],
    "optimal": [exploitability.exploitability(ours, optimal), *values],
}))
for name, theirs in (("arena_kuhn_poker", "kuhn_poker"), ("arena_leduc_poker", "leduc_poker")):
    ends = [
        (one.min_utility(), one.max_utility(), one.utility_sum(), one.max_game_length(), one.get_type().utility)
        for one in map(pyspiel.load_game, (name, theirs))
    ]
    assert ends[0] == ends[1], ends
for name in ("arena_kuhn_poker(players=5)", "arena_leduc_poker(returns=rank)"):
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
    ended = subprocess.run(command, cwd=place, env=env, check=False, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended
    return ended.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "rounds", "histories"),
    [("kuhn_poker", 30, 58), pytest.param("leduc_poker", 1, 9457, marks=pytest.mark.proof)],
)
def test_what_openspiel_finds(site: Path, tmp_path: Path, game: str, rounds: int, histories: int) -> None:
    """Trees, exploitability and values are those of OpenSpiel's own games; an equilibrium of Kuhn's is worth -1/18."""
    pytest.importorskip("pyspiel", reason="OpenSpiel comes as no wheel for this Python and machine")
    words = (sys.executable, "-c", ALONGSIDE, game, str(rounds))
    found: dict[str, Any] = json.loads(done(site, tmp_path, *words).splitlines()[0])
    ours, theirs = found["found"]
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert ours[0] == histories
    assert found["optimal"] == pytest.approx([0, -1 / 18, 1 / 18], abs=1e-9)


@pytest.mark.long
def test_the_tests_of_the_example(site: Path, tmp_path: Path) -> None:
    """Its own tests pass against the installed package: every law, and its rules."""
    tests = shutil.copytree(EXAMPLE / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    assert " passed" in done(site, tmp_path, *command, str(tests))


BETTORS = """
import arena
from arena.bot import Bot

# how often a bet is right, by card and what was done before: an equilibrium (H. W. Kuhn, 1950)
BETS = {
    (0, ""): 1 / 3, (1, ""): 0, (2, ""): 1, (0, "p"): 1 / 3, (1, "p"): 0, (2, "p"): 1,
    (0, "b"): 0, (1, "b"): 1 / 3, (2, "b"): 1, (0, "pb"): 0, (1, "pb"): 2 / 3, (2, "pb"): 1,
}

class Always(Bot):
    def decide(self, decision):
        return [1]

class Equilibrium(Bot):
    def decide(self, decision):
        seen = decision.observation
        return [decision.rng.random() < BETS[seen.card, "".join(act[0] for act in seen.acts)]]

bots = [arena.local_bot(Always, "always-bet"), arena.local_bot(Equilibrium, "equilibrium")]
"""


@pytest.mark.long
def test_the_score_counts(site: Path, tmp_path: Path) -> None:
    """A bot that always bets has the better rating, for it wins more hands; the equilibrium leads, for it wins more."""
    played = 'print(arena.play_many("kuhn-poker", bots, matches=6000, seed="a", processes=1))'
    lines = done(site, tmp_path, sys.executable, "-c", BETTORS + played).splitlines()
    rows = [dict(zip(lines[3].split(), line.split(), strict=True)) for line in lines[4:6]]
    first, last = rows
    assert lines[0] == "equilibrium won, for certain."
    assert (first["bot"], last["bot"]) == ("equilibrium", "always-bet")
    assert float(first["rating"]) < float(last["rating"])
    assert float(first["wins"].replace(",", "")) < float(last["wins"].replace(",", ""))
    # what always betting loses to it is 1/9 of a chip a hand
    assert float(last["from"]) <= -1 / 9 <= float(last["to"]) < 0
    assert "Certain by mean score, 5 % for all of it: both places." in lines


@pytest.mark.long
def test_a_comparison_by_the_score(site: Path, tmp_path: Path) -> None:
    """Whether the equilibrium is better than always betting is found by the score, and again from the same folder."""
    compared = 'print(arena.compare(*bots[::-1], "kuhn-poker", until="decided", seed="a", out="run", matches=8000).why)'
    told = [done(site, tmp_path, sys.executable, "-c", BETTORS + compared) for _ in range(2)]
    assert told[0] == told[1]
    assert told[0].startswith("equilibrium is better than always-bet at 2 seats, after ")


@pytest.mark.long
def test_a_question_is_answered_by_the_score(site: Path, tmp_path: Path) -> None:
    """Always betting wins most hands; a run until the best is certain names who folds in time, resumes and holds."""
    code = """
class Fold(Bot):
    def decide(self, decision):
        return [decision.rng.random() < decision.observation.card / 2]

bots = [bots[0], arena.local_bot(Fold, "fold")]
with arena.open_run("kuhn-poker", bots, matches=4000, seed="a", until="best", out="run") as run:
    print(len(list(run.play())))
"""
    played = int(done(site, tmp_path, sys.executable, "-c", BETTORS + code))
    assert 60 < played < 4000
    shown = done(site, tmp_path, *ARENA, "leaderboard", "run")
    assert shown.startswith("fold is the best, for certain.\n")
    wins = {row.bot: row.wins for row in compute_standings(RunFolder(tmp_path / "run")).leaderboard.leaderboard}
    assert max(wins, key=lambda bot: wins[bot]) == "always-bet"
    assert int(done(site, tmp_path, sys.executable, "-c", BETTORS + code)) == 0
    assert f"{played} matches hold" in done(site, tmp_path, *ARENA, "verify", "run")


def test_rewards_are_scores(site: Path, tmp_path: Path) -> None:
    """A seat is paid its chips, within the bounds; an action that is forbidden costs the most, and never less."""
    code = """
from arena.environments.pettingzoo import env
one = env("kuhn-poker", seed=1)
assert one.reward_range == (-2, 2), one.reward_range
one.reset(1)
while not any(one.terminations.values()):
    one.step(1)
print(sorted(one.rewards.values()))
one.reset(2)
one.step(one.done)
print(one.rewards)
import arena
alone = arena.task("kuhn-poker").make_gym(seat=0)
alone.reset(seed=1)
print(alone.step(alone.encoding.done)[1:3])
"""
    told = done(site, tmp_path, sys.executable, "-c", code).splitlines()
    assert told == ["[-2.0, 2.0]", "{'seat_0': -2.0, 'seat_1': 0.0}", "(-2.0, True)"]


@pytest.mark.long
def test_the_house_draws(site: Path, tmp_path: Path) -> None:
    """A run of such a game is played, repeated and verified as any other; a block deals the same cards to each seat.

    The manifest says what counts, so a table needs no rules.
    """
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
    board = compute_standings(RunFolder(tmp_path / "one")).leaderboard
    assert board.objective == "score"
    means = [row.mean_score or 0 for row in board.leaderboard]
    assert means == sorted(means)[::-1]
    assert all(row.score_low is not None for row in board.leaderboard)
