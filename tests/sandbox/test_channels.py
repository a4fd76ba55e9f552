"""The law of channels: what one bot reads of a rival's deeds is in the table of docs/decisions/sandbox.md, or is not.

A walker in a sandbox reads every number and name that a bot can reach: all files of ``/proc`` and ``/sys``, all that is
told of each kind of descriptor, the answers of calls, how much can be had of each thing. A doer in another sandbox does
each allowed call a thousand times, or keeps what it makes. What then changes more than it does while the doer only
computes is a channel.

The law itself is a proof: it samples, so what one run finds counts only if a second one finds it, too.
"""

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sandbox import Level
from tests.levels import needed
from tests.sandbox.channels.lane import Change, Deed, Trial, moved
from tests.sandbox.channels.table import CHANNELS

# one lane waits for the other
pytestmark = pytest.mark.timeout(600)
ROOT = Path(__file__).parents[2]
_USER = "60999"
"""A user that nobody is."""
_PATIENCE = 3000
_SEED = 1
"""Of the lot by which CI tries deeds and controls; a proof draws one for each process."""
_SAMPLES = st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=9)


def _words(user: str, python: str) -> list[str]:
    # the program that becomes the user may still start what the user may not
    if user == "as it is":
        return [python]
    return ["setpriv", "--reuid", _USER, "--regid", _USER, "--clear-groups", "--", "env", python]


@cache
def _reachable() -> str | None:
    """An interpreter of this version that an ordinary user may start, with what arena needs; None if there is none."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, shutil.which(name, path="/usr/local/bin:/usr/bin:/bin")):
        if python is not None:
            try:
                words = [*_words("an ordinary user", python), "-c", "import arena.players.spawn"]
                subprocess.run(words, env=_env(), cwd=ROOT, capture_output=True, check=True, timeout=300)
            except (OSError, subprocess.SubprocessError):
                continue
            return python
    return None


def _env() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")])
    return {"PATH": os.defpath, "HOME": "/", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def lane(level: Level, user: str, *setting: str, seed: int = _SEED) -> Any:
    """What a walker and a doer find in a lane of this user, while no other lane of this kind shares their core."""
    needed(level)
    python: str | None = sys.executable
    if user == "an ordinary user":
        if os.geteuid() != 0:
            pytest.skip("expected root, who may become an ordinary user")
        python = _reachable()
    if python is None:
        pytest.skip("expected an interpreter that an ordinary user may start")
    words = [*_words(user, python), "-m", "tests.sandbox.channels.lane", str(seed), level, *setting]
    with Path(__file__).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            words, env=_env(), cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def confirmed(level: Level, user: str, setting: str) -> list[Any]:
    """What two processes of a seed each find, by the name of the number: what only one finds is chance."""
    first = lane(level, user, setting, seed=secrets.randbits(32))
    if not first:
        return []
    again = {what for what, *_ in lane(level, user, setting, seed=secrets.randbits(32))}
    return [found for found in first if found[0] in again]


at_each = pytest.mark.parametrize("level", ["landlock", "bwrap"])
as_each = pytest.mark.parametrize("user", ["as it is", "an ordinary user"])


@pytest.mark.proof
@pytest.mark.timeout(2 * _PATIENCE)
@as_each
@at_each
def test_the_law(level: Level, user: str) -> None:
    """What the deeds of a rival move is in the table of docs/decisions/sandbox.md."""
    assert confirmed(level, user, "beside") == []


@pytest.mark.long
@pytest.mark.parametrize("user", ["as it is", pytest.param("an ordinary user", marks=pytest.mark.proof)])
@at_each
def test_the_law_bites(level: Level, user: str) -> None:
    """Were their rows not in the table, numbers of event descriptors and sizes of folders would be found."""
    deed, shown = (
        ("eventfd2", "eventfd.fdinfo|eventfd-id.0.0") if level == "bwrap" else ("dup", "its/fd of rival.st_size")
    )
    assert shown in {what for what, *_ in lane(level, user, "beside", deed)}


@pytest.mark.long
@as_each
@at_each
def test_of_strangers(level: Level, user: str) -> None:
    """Of a rival's process calls tell what they tell of no process, but for what is in the table."""
    assert lane(level, user, "strangers") == []


@pytest.mark.proof
@pytest.mark.timeout(2 * _PATIENCE)
@as_each
@at_each
def test_nobody_starves(level: Level, user: str) -> None:
    """Beside a hoarder that takes all it can of a thing, a rival can have as much of each as it can alone."""
    assert confirmed(level, user, "starved") == []


@pytest.mark.parametrize(
    ("first", "second", "counts"), [([["a"], ["b"]], [["b"]], [["b"]]), ([["a"]], [["b"]], []), ([], None, [])]
)
def test_what_counts(
    monkeypatch: pytest.MonkeyPatch, first: list[list[str]], second: list[list[str]] | None, counts: list[list[str]]
) -> None:
    """A finding counts if a second process of another seed names the same number; without one there is no second."""
    runs, seeds = [first, *([] if second is None else [second])], set()

    def find(_level: Level, _user: str, _setting: str, *, seed: int) -> list[list[str]]:
        seeds.add(seed)
        return runs.pop(0)

    monkeypatch.setattr("tests.sandbox.test_channels.lane", find)
    assert confirmed("landlock", "as it is", "beside") == counts
    assert not runs
    assert len(seeds) == (1 if second is None else 2)


def test_the_rows() -> None:
    """The rows of the law are those of the table of docs/decisions/sandbox.md, one by one, at the same levels."""
    text = (ROOT / "docs/decisions/sandbox.md").read_text("utf-8")
    _, table = text.split("| channel | level | bits |\n|---|---|---|\n")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.split("\n\n")[0].splitlines()]
    for (first, where, _), channel in zip(rows, CHANNELS, strict=True):
        assert first.startswith(channel.row)
        assert channel.levels == (("landlock", "bwrap") if where == "both" else (where.strip("`"),))


@given(_SAMPLES, _SAMPLES)
def test_moved(moves: list[float], without: list[float]) -> None:
    """What happens without the deed, too, is not its doing; what is farther each time is."""
    assert not moved([*moves, *without[:1]], without)
    assert moved([20 + each for each in moves], without)
    assert moved([-20 - each for each in moves], without)
    assert moved([20.0, -20.0], without)
    assert moved([*moves, *(20.0 for _ in range(9))], [*without, 30.0], strays=len(moves), spare=1)


def test_back_and_forth() -> None:
    """What turns back and forth with each process that ends is no channel; what a deed moves beside it is one."""
    deed = Deed(("getpid",), hold=False)
    turns = [0]

    def sample(what: Deed | float) -> tuple[Change, float]:
        turns[0] += 1
        return {"number of a mount": 1.0 if turns[0] % 2 else -1.0, "made": 1000.0 * (what is deed)}, 0.05

    for _ in range(50):
        assert {each.what for each in Trial(sample).found([deed], lambda _: False)} == {"made"}
