"""A game in which all seats share one score: it is ranked by what each bot scores with the same partners."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import UsageError
from arena.game import Outcome
from arena.laws import LAWS, GameSetup, setups
from arena.laws.contract import random_play_ends
from arena.laws.secrets import who_learns_something_hears_of_it
from arena.search import Search
from arena.tournament.comparison import score_bounds
from tests.search.test_search import best
from tests.shelf import rowing

ROOT = Path(__file__).parents[2]
CREWS = """
import arena
from arena.bot import Bot

class Sailor(Bot):
    def decide(self, decision):
        return [decision.options.index(decision.observation.wind)]

class Sleepy(Sailor):
    def decide(self, decision):
        return super().decide(decision) if decision.rng.random() < 0.6 else [0]

bots = [arena.local_bot(Sailor, "sailor"), arena.local_bot(Sleepy, "sleepy"), "random"]
board = arena.play_many("rowing", bots, matches=600, seed="crew", processes=1)
print(board)
print(*[row.bot for row in board.leaderboard], board.better)
"""


@pytest.mark.parametrize("setup", setups(rowing.GAME, rowing), ids=lambda setup: setup.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], setup: GameSetup) -> None:
    """Every law of arena holds of it."""
    law(setup)


def test_scores_that_are_not_shared_break_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a game that says ``shared`` all seats have one score and one rank."""
    monkeypatch.setattr(rowing.Boat, "standing", lambda self: Outcome((0, 1), (self.lengths, 0)))
    with pytest.raises(AssertionError, match="one score and rank for all"):
        random_play_ends(setups(rowing.GAME, rowing)[0])


def test_what_no_event_tells_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rowers feel the next wind and hear of no event; the book has to say so, by the name of a field that there is."""
    usual = setups(rowing.GAME, rowing)[0]
    monkeypatch.setattr(rowing, "UNHEARD", ())
    words = (
        r"expected seat \d to learn by an event or a field in UNHEARD of the book what it sees after \w+ of seat \d, "
    )
    with pytest.raises(AssertionError, match=words + "got wind: (port and starboard|starboard and port)"):
        who_learns_something_hears_of_it(usual)
    monkeypatch.setattr(rowing, "UNHEARD", ("winds", "sun"))
    with pytest.raises(AssertionError, match=r"UNHEARD of the book to name fields of the observation, got \['sun'\]"):
        who_learns_something_hears_of_it(usual)


def test_a_table_ranks_by_the_score(tmp_path: Path) -> None:
    """Who scores more with the same partners is first, for certain, though no seat is ever ahead of another."""
    info = tmp_path / "rowing-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rowing\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nrowing = tests.shelf.rowing:GAME\n")
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    command = [sys.executable, "-c", CREWS]
    ended = subprocess.run(command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert "sailor sleepy random (('sailor', 'sleepy'), ('sleepy', 'random'))" in ended.stdout
    assert "score the mean, from and to its 95 %" in ended.stdout


def test_what_asks_who_is_ahead_is_refused() -> None:
    """At one table nobody is ahead, so a comparison is refused, and says what tells versions apart."""
    with pytest.raises(UsageError, match="rowing: expected a score for each seat, got one that all seats share"):
        score_bounds(rowing.GAME, "shared", {})


def test_a_search_plays_for_the_score() -> None:
    """It pulls with the wind, for itself and its crew."""
    state = rowing.deal(2, bytes(32), {})
    assert best(Search(rowing.GAME), state, 1) == (state.wind,)
    assert best(Search(replace(rowing.GAME, objective="score")), state, 0) == (state.wind,)
