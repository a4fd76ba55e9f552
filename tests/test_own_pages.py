"""A game of another package brings its greedy page and its guide: each way of playing knows them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

import arena
from arena import games, task
from arena.chance import Chance
from arena.game import Pending
from arena.laws.table import pick
from arena.selfplay.players import searcher
from arena.wire import Decide
from tests.documents import ROOT
from tests.example_games import PACKAGES, install

GREEDY = ROOT / "bots" / "greedy" / "bot.py"


@pytest.fixture(scope="module", name="site", autouse=True)
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The examples are installed."""
    site = install(tmp_path_factory.mktemp("site"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        yield site


def questions(matches: int) -> Iterator[Decide]:
    """What is asked in random matches of Love Letter."""
    game = games.find("love-letter")
    for number in range(matches):
        state, dice = game.deal(3, bytes([number] * 32), {}), Chance(b"dice", number * 1000)
        while isinstance(pending := state.pending(), Pending):
            for seat, one in pending.decisions.items():
                if not one.forced:
                    options = one.options
                    seen = state.observe(seat)
                    yield Decide("1", one.least, one.most, len(options), 1000, options, seen, [])
            state.apply({seat: pick(one, dice) for seat, one in pending.decisions.items()})


def test_the_process_finds_the_page(site: Path, tmp_path: Path) -> None:
    """The bot ``greedy``, which is started without packages, finds the page in the game's package."""
    asked = list(questions(3))
    lines = [
        json.dumps({"type": "hello", "game": "love-letter"}),
        *(msgspec.json.encode(one).decode() for one in asked),
    ]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
    command = [sys.executable, "-S", str(GREEDY)]
    said = "\n".join(lines) + "\n"
    done = subprocess.run(command, input=said, env=env, cwd=tmp_path, capture_output=True, text=True, check=True)
    own = games.find("love-letter").greedy
    assert own is not None
    told = [list(own(json.loads(msgspec.json.encode(one)))) for one in asked]
    assert [json.loads(line)["picks"] for line in done.stdout.splitlines()[1:]] == told
    assert done.stderr == ""
    assert len({tuple(picks) for picks in told}) > 1


def test_greedy_plays_without_a_process() -> None:
    """In self-play and as an opponent ``greedy`` plays by the page, else it takes the first options."""
    board = arena.play_many("love-letter", ["greedy", "random"], matches=300, seats=2, seed="pages", processes=1)
    assert [row.bot for row in board.leaderboard] == ["greedy", "random"]
    assert board.leaderboard[0].wins > 190
    board = arena.play_many("night-nets", ["greedy", "random"], matches=6, seats=2, seed="pages", processes=1)
    assert {row.bot for row in board.leaderboard} == {"greedy", "random"}
    table = task("love-letter", ["greedy"], seats=2).make_gym()
    table.reset(seed=3)
    assert table.action_masks().any()


def test_the_search_knows_the_guide() -> None:
    """``search`` thinks by the guide of the package, whose answers are those of the page."""
    guide = searcher(games.find("love-letter")).guide
    assert guide.quick is not None
    state, dice = games.find("love-letter").deal(4, bytes(32), {}), Random(1)
    own = games.find("love-letter").greedy
    assert own is not None
    compared = 0
    while isinstance(pending := state.pending(), Pending):
        for seat, one in pending.decisions.items():
            if not one.forced:
                seen = msgspec.to_builtins(state.observe(seat))
                options = [msgspec.to_builtins(option) for option in one.options]
                told = own({"least": 1, "options": options, "observation": seen})
                assert list(guide.quick(state, seat, one) or ()) == list(told)
                compared += 1
        state.apply({seat: (dice.choice(one.options),) for seat, one in pending.decisions.items()})
    assert compared
    assert searcher(games.find("night-nets")).guide.policy is None


@pytest.mark.long
@pytest.mark.parametrize("example", ["love-letter", "hearts"])
def test_the_tests_of_the_example(example: str, site: Path, tmp_path: Path) -> None:
    """Its own tests pass against the installed package: every law, and its rules."""
    ignored = shutil.ignore_patterns("__pycache__")
    tests = shutil.copytree(ROOT / "examples" / example / "tests", tmp_path / "tests", ignore=ignored)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    env = os.environ | {"PYTHONPATH": str(site)}
    done = subprocess.run([*command, str(tests)], cwd=tmp_path, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert example in PACKAGES
