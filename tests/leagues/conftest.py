"""One first season for all tests of leagues, and copies of it to go on with."""

import shutil
from pathlib import Path

import pytest

from tests.leagues.test_season import SETTINGS, enter, season, shown


@pytest.fixture(scope="session")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league after its first season. Nobody changes it."""
    league = tmp_path_factory.mktemp("league")
    (league / "arena.toml").write_text(SETTINGS)
    enter(league, "mine")
    assert shown(season(league)) == {"mine", "random", "greedy"}
    return league


@pytest.fixture
def league(first: Path, tmp_path: Path) -> Path:
    """A copy of the league, to do anything with."""
    # pages name the league, which is called as its folder
    return Path(shutil.copytree(first, tmp_path / first.name))
