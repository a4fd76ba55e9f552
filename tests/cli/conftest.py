"""One finished run for all tests of the command line, and copies of it to spoil."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox import Level
from tests.cli.command import DEMO, Said, play_beside_bots
from tests.levels import needed


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """A folder with bots and ``results/demo``, and what the run said. Nobody changes it."""
    return play_beside_bots(tmp_path_factory.mktemp("finished"), DEMO)


# of the module, because a module may have a finished run of its own
@pytest.fixture(scope="module")
def board(finished: tuple[Path, Said]) -> dict[str, Any]:
    """The JSON object that the run printed."""
    printed: dict[str, Any] = json.loads(finished[1].out)
    return printed


@pytest.fixture
def place(finished: tuple[Path, Said], tmp_path: Path) -> Path:
    """A copy of the folder, to do anything with."""
    return Path(shutil.copytree(finished[0], tmp_path / "place"))


@pytest.fixture
def demo(place: Path) -> Path:
    """The finished run in ``place``."""
    return place / "results" / "demo"


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Help is laid out for 80 columns, wherever the tests run."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert os.environ["COLUMNS"] == "80"


@pytest.fixture(params=["landlock", "bwrap"])
def walled(request: pytest.FixtureRequest) -> Level:
    """Each level with a sandbox that this machine proves."""
    level: Level = request.param
    needed(level)
    return level
