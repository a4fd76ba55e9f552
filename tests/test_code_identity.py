"""Code of this process is known again by what it does and holds, in any process."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena import Bot, Decision
from arena.code_identity import digest_code

WEIGHTS = np.arange(3)
FAVOURITES = {"shark", "tuna", "eel"}


def picking(number: int) -> Callable[[Decision[Any]], list[int]]:
    """A function that holds a number."""

    def pick(decision: Decision[Any]) -> list[int]:
        return [min(number, len(decision.options) - 1)]

    return pick


class Weighing(Bot[Any]):
    """A bot that holds weights."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights
        self.itself = self

    def decide(self, decision: Decision[Any]) -> list[int]:
        """The option of the greatest weight."""
        return [int(np.argmax(self.weights)) % len(decision.options)]


def by_global(decision: Decision[Any]) -> list[int]:
    """What a global value says."""
    return [int(WEIGHTS[0]) if decision.options[0] in FAVOURITES | {"cod", "ray", "dab"} else 0]


@given(st.integers(), st.integers())
def test_two_closures_are_one_bot_if_they_hold_equal_values(one: int, other: int) -> None:
    """Closures of one function are told apart by the values that they hold, and by nothing else."""
    assert (digest_code(picking(one)) == digest_code(picking(other))) == (one == other)


def test_instances_and_weights() -> None:
    """Objects of one class are told apart by their state, also where it holds the object itself."""
    digests = [digest_code(Weighing(np.array(weights))) for weights in ([1, 2], [1, 3], [1, 2])]
    assert None not in digests
    assert digests[0] == digests[2] != digests[1]


def test_global_values_and_methods_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function changes with a global value that it names, a class with a method."""
    function, kind = digest_code(by_global), digest_code(Weighing)
    monkeypatch.setitem(globals(), "WEIGHTS", np.arange(1, 4))
    monkeypatch.setattr(Weighing, "decide", lambda _self, _decision: [0])
    assert (digest_code(by_global), digest_code(Weighing)) != (function, kind)
    assert digest_code(by_global) != function
    assert digest_code(Weighing) != kind


@pytest.mark.long
def test_another_process_gives_the_same() -> None:
    """The digest is the same in every process, in whatever order sets stand there."""
    words = "from tests.test_code_identity import *; print(digest_code(by_global), digest_code(picking(3)))"
    told = {
        subprocess.run(
            [sys.executable, "-c", words],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parent.parent,
            timeout=300,
        ).stdout
        for seed in "12"
    }
    assert told == {f"{digest_code(by_global)} {digest_code(picking(3))}\n"}


def test_what_cannot_be_told_is_another_bot_each_time() -> None:
    """Code whose state cannot be written is another bot each time, unless it has a version."""
    holding = picking(threading.Lock())  # type: ignore[arg-type]
    assert digest_code(holding) is None
    words = [arena.local_bot(holding, version=version).file.command for version in (None, None, "1", "1")]
    assert words[0] != words[1]
    assert words[2] == words[3] == ("python", words[0][1], "1")


@pytest.mark.long
def test_code_of_other_values_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`compare` plays two closures of one function, and a changed one is another bot in a folder of results."""
    monkeypatch.chdir(tmp_path)
    new, old = arena.local_bot(picking(0), "new"), arena.local_bot(picking(9), "old")
    settings: dict[str, Any] = {"seats": 2, "lanes": 1, "isolation": "none"}
    assert arena.compare(new, old, "dockfight", matches=4, **settings).matches == 4
    tables = []
    for number in (0, 9, 0):
        bot = arena.local_bot(picking(number), "pick")
        with arena.open_run("dockfight", [bot, "random"], matches=4, out="r", seed="s", **settings) as run:
            list(run.play())
            tables.append({row.bot for row in run.leaderboard().leaderboard})
    assert tables == [{"pick", "random"}, {"pick@2", "random"}, {"pick", "random"}]
