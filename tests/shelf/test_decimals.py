"""A game whose scores have decimals: all that arena tells of them has the same places, and adds none."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from msgspec.structs import replace

from arena.environments.single_picks import reward_range, rewards
from arena.game import Game, Outcome, end_of
from arena.laws import LAWS, GameSetup, setups
from arena.laws.contract import random_play_ends
from tests.shelf import coins

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("setup", setups(coins.GAME, coins), ids=lambda setup: setup.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], setup: GameSetup) -> None:
    """Every law of arena holds of it."""
    law(setup)


@pytest.mark.parametrize(
    ("scores", "game", "said"),
    [
        ((0.5, 1), coins.GAME, "floats rounded to 1 decimals"),
        ((0.25, 0.5), coins.GAME, "floats rounded to 1 decimals"),
        ((0.1 + 0.2, 0.5), coins.GAME, "floats rounded to 1 decimals"),
        ((-0.0, 0.5), coins.GAME, "none -0.0"),
        ((0.5, 1.5), replace(coins.GAME, decimals=0), "integers"),
        ((2.6, 0.5), coins.GAME, "scores from -0.5 to 2.5"),
        ((0.1, -0.3), replace(coins.GAME, zero_sum=True), "0 in all"),
    ],
)
def test_other_places_break_a_law(
    monkeypatch: pytest.MonkeyPatch, scores: tuple[float, ...], game: Game, said: str
) -> None:
    """Scores that are not rounded to the places that the game declares are found, and so are those out of bounds."""
    monkeypatch.setattr(coins.Coins, "standing", lambda _: Outcome((0, 0), scores))
    with pytest.raises(AssertionError, match=re.escape(said)):
        random_play_ends(setups(game, coins)[0])


def test_parts_that_are_0_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of decimals counts as 0 if it is so to the places of the game."""
    assert sum((0.1, 0.2, -0.3))
    setup = next(each for each in setups(replace(coins.GAME, zero_sum=True), coins) if each.seats == 3)
    monkeypatch.setattr(coins.Coins, "standing", lambda _: Outcome((0, 0, 0), (0.1, 0.2, -0.3)))
    random_play_ends(setup)


@pytest.mark.parametrize("score", [nan, inf, -(2.0**53)])
def test_a_score_that_cannot_be_written_is_refused(monkeypatch: pytest.MonkeyPatch, score: float) -> None:
    """A match whose score is no number, or too great for some who read JSON, has no end that is recorded."""
    monkeypatch.setattr(coins.Coins, "standing", lambda _: Outcome((0, 0), (score, 0.5)))
    state: Any = coins.deal(2, bytes(32), coins.GAME.resolve_variants({}))
    with pytest.raises(ValueError, match=re.escape("expected scores nearer to 0 than 2^53, got")):
        end_of(state, state.standing())


def test_a_reward_is_the_score() -> None:
    """An environment returns the decimals, between bounds that have them."""
    assert rewards(coins.GAME, Outcome((0, 1), (2.5, -0.5))) == [2.5, -0.5]
    assert reward_range(coins.GAME, 2, {}) == (-0.5, 2.5)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs a command in a folder where the game is installed."""
    place = tmp_path_factory.mktemp("coins")
    info = place / "coins-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coins\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\ncoins = tests.shelf.coins:GAME\n")
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(place), str(ROOT)))}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "arena", *words]
        ended = subprocess.run(command, cwd=place, env=env, check=False, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    run("new", "bot", "low", "-g", "coins")
    run("run", "-g", "coins", "./low", "random", "more=random", "-n", "60", "-o", "out", "--seed", "coins")
    return run


@pytest.mark.long
def test_all_tell_the_same_score(arena: Callable[..., str]) -> None:
    """The journal, the list of matches, the leaderboard and the check of a run have the same decimals."""
    arena("verify", "out")
    matches = json.loads(arena("matches", "out", "--format", "json"))
    assert len(matches) == 60
    told = [score for match in matches for score in match["scores"]]
    assert {type(score) for score in told} == {float}
    assert all(score == round(score, 1) for score in told)
    assert any(score % 1 for score in told)
    board = json.loads(arena("leaderboard", "out", "--format", "json"))
    for row in board["leaderboard"]:
        own = [match["scores"][match["bots"].index(row["bot"])] for match in matches]
        assert row["mean_score"] == pytest.approx(fmean(own), abs=1e-4)
    first = matches[0]
    shown = arena("replay", "out", "#0").splitlines()
    for seat, (bot, score) in enumerate(zip(first["bots"], first["scores"], strict=True)):
        assert any(line.endswith(f"seat {seat} ({bot}): {score}") for line in shown)
    assert " ".join(map(str, sorted(first["scores"], reverse=True))) in arena("matches", "out")


@pytest.mark.long
def test_what_computes_with_scores_adds_no_places(arena: Callable[..., str]) -> None:
    """Statistics, a comparison, formats by score and pages tell differences without the noise of floats."""
    texts = [arena("stats", "out"), arena("leaderboard", "out"), arena("report", "out", "-o", "page.html")]
    texts += [arena("compare", "-g", "coins", "low=./low", "random", "-n", "12", "-o", "two", "--format", "json")]
    assert json.loads(texts[-1])["span"] == 3.0
    texts += [arena("run", "-g", "coins", "./low", "random", "-n", "24", "--schedule", "swiss", "-o", "swiss")]
    assert not [text for text in texts if re.search(r"\d\.\d{6,}", text)]
