"""The process that runs these tests is a host: orphans of its bots become its children."""

from pathlib import Path

import pytest

from arena.players.lifetime import LINUX, adopt_orphans
from arena.sandbox import LEVELS, Level
from tests.hostile.house import House, lacking
from tests.levels import unavailable


@pytest.fixture(autouse=True, scope="session")
def subreaper() -> None:
    """Adopt orphans, as a lane does."""
    if not LINUX:
        pytest.skip("expected Linux: elsewhere only a bot's own process group is ended")
    adopt_orphans()


@pytest.fixture
def house(level: Level, tmp_path: Path) -> House:
    """A host that receives its bots at one level of isolation, if this machine has it."""
    if why := unavailable(level):
        pytest.skip(why)
    assert lacking(level) == ""
    return House(level, tmp_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test in the host is done at every level, without a sandbox every day: but for those that say otherwise."""
    told = any("level" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "house" in metafunc.fixturenames and not told:
        levels = [pytest.param(level, marks=() if level == "none" else pytest.mark.proof) for level in LEVELS]
        metafunc.parametrize("level", levels)
