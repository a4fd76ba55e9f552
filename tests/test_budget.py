"""The budgets of the suite: what is over its budget fails, and names what was expected."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.budget import BUDGETS, find_room, judge_cost, measure_pace

ROOT = Path(__file__).parents[1]
_TESTS = """
import pytest

def burn(seconds):
    start = time.process_time()
    while time.process_time() < start + seconds:
        pass

import subprocess, sys, time

@pytest.fixture(scope="module")
def shared():
    burn(0.3)
    yield
    burn(0.3)

def test_cheap(shared): ...

def test_dear(): burn(0.3)

def test_dear_child():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.3: pass"], check=True)

def test_reaping():
    from tests.budget import leave_out
    with leave_out():
        test_dear_child()

@pytest.mark.long
def test_long(): burn(0.3)
"""
_RUN = r"""
import sys, pytest
from tests import budget
budget.BUDGETS = {"test": {"plain": 0.2, "long": 5}, "all": {"plain": 0.1, "ci": 0.1}, "room": {}}
budget.measure_pace = lambda: 1.0
words = ["-q", "-p", "no:cacheprovider", "--strict-markers", "-o", "markers=long: .\nproof: .", *sys.argv[1:]]
sys.exit(pytest.main(words, plugins=[budget.Costs()]))
"""


@pytest.mark.parametrize(
    ("path", "room"),
    [("tests/cli/test_run.py", "cli"), ("tests/page/deep/test_x.py", "page"), ("tests/test_wire.py", "top")],
)
def test_a_room_is_a_folder_of_tests(path: str, room: str) -> None:
    """A room is a folder of tests; files beside the folders are one room."""
    assert find_room(path) == room


def test_a_cost_is_held_against_the_pace_of_the_machine() -> None:
    """A test fails for its work, not for a slow machine: its CPU is divided by the pace of the machine."""
    assert judge_cost(3, 2, 1) == "expected at most 2 s of CPU, got 3.0 s"
    assert judge_cost(3, 2, 1.6) is None
    assert judge_cost(9, 2, 2) == "expected at most 2 s of CPU, got 9.0 s at 2.0 times the pace"
    assert judge_cost(9, None, 1) is None
    assert measure_pace() >= 1


def test_each_room_has_a_budget() -> None:
    """Each folder of tests has its budget, and no budget is for a folder that is gone."""
    rooms = {path.name for path in (ROOT / "tests").iterdir() if list(path.glob("test_*.py"))}
    assert set(BUDGETS["room"]) == rooms | {"top", "collection"}


@pytest.mark.parametrize(("circle", "total"), [("not proof and not long", "0.1"), ("not proof", "0.1"), ("long", None)])
def test_what_is_over_its_budget_fails(tmp_path: Path, circle: str, total: str | None) -> None:
    """A test over its budget fails, also by its children; a shared fixture is the room's; all together have theirs.

    What a test leaves out, such as processes of others that it reaps, is nobody's.
    """
    (tmp_path / "test_costs.py").write_text(_TESTS)
    command = [sys.executable, "-c", _RUN, "--rootdir", str(tmp_path), str(tmp_path), "-m", circle]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    failures = set(re.findall(r"::(\w+): expected at most .* of CPU, got", done.stdout))
    assert failures == (set() if circle == "long" else {"test_dear", "test_dear_child"})
    assert ("FAILED room all: expected at most 0.1 s" in done.stdout) == (total is not None)
    assert done.returncode == (0 if circle == "long" else 1)


def test_commands_are_forked() -> None:
    """A command of a test pays for no imports, whatever the user's settings of Python are."""
    words = "import os, tests.conftest; from tests.cli import forks; assert forks.fits(os.environ)"
    user = os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", words], cwd=ROOT, env=user, check=True)
