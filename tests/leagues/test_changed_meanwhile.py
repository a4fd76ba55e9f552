"""Leagues whose files change while a command reads them: it ends in words, or what it leaves is true of one state.

And leagues that somebody plays meanwhile.
"""

import io
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from arena.tournament.journal import Journal
from tests.cli.command import arena, changed_meanwhile
from tests.leagues.test_season import RUN, enter, history, stop

TABLES = ("season", "--tables-only", "-q", "--json")
HISTORY = "history.jsonl"


def _gone(league: Path, name: str) -> None:
    shutil.rmtree(league / name) if (league / name).is_dir() else (league / name).unlink()


def _cut(league: Path, name: str) -> None:
    data = (league / name).read_bytes()
    (league / name).write_bytes(data[: len(data) // 2])


def _other(league: Path, name: str) -> None:
    shutil.copyfile(league.parent / "other" / name, league / "new")
    (league / "new").replace(league / name)


def _pipe(league: Path, name: str) -> None:
    (league / name).unlink()
    os.mkfifo(league / name)


Change = Callable[[Path, str], None]
CHANGES: tuple[Change, ...] = (_gone, _cut, _other, _pipe)
FILES = ("arena.toml", "bots/mine/bot.toml", "bots/mine/bot.py", f"{RUN}/run.json", f"{RUN}/matches.jsonl", HISTORY)


@pytest.fixture(scope="module")
def kept(first: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with a season, and another one with two. Both have more to tell: the next tables are a new season."""
    place = tmp_path_factory.mktemp("kept")
    league = Path(shutil.copytree(first, place / "league"))
    shutil.copytree(league, place / "other")
    enter(place / "other", "mine", more="# another\n")
    arena(place / "other", "season", "-q")
    for each in (league, place / "other"):
        text = (each / HISTORY).read_text()
        (each / HISTORY).write_text(text.replace('"matches":', '"matches":1'))
    return place


@pytest.fixture
def see(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, Change], None]:
    """Run the command in this process, and make a change before a file is opened, each time that it is."""
    league = tmp_path / "league"
    shutil.copytree(kept / "other", tmp_path / "other")
    monkeypatch.setenv("ARENA_ISOLATION", "none")

    def read(name: str, at: int, change: Change) -> tuple[int, object]:
        shutil.rmtree(league, ignore_errors=True)
        shutil.copytree(kept / "league", league)

        def ours(path: Path) -> bool:
            # by its whole path or, beneath an open folder, by its name; bots that ship with arena stay as they are
            return league in (league / path).parents and path.name == Path(name).name

        made = partial(change, league, name)
        return changed_meanwhile(monkeypatch, league, *TABLES, ours=ours, at=at, change=made, ways=(os, io))

    def seen(name: str, change: Change) -> None:
        count, code = read(name, 0, change)
        assert (code, bool(count)) == (0, True)
        capsys.readouterr()
        whole = history(league)
        for at in range(1, count + 1):
            _, code = read(name, at, change)
            said = capsys.readouterr()
            assert code in {0, 2, 3, 4}, (name, at, said)
            if code:
                assert said.err.count("\n") == 1, (name, at, said)
                assert said.err.startswith("arena: ")
                continue
            # what is printed is what was written, and the history goes on from one that there was
            assert json.loads(said.out) == json.loads((league / "leaderboard.json").read_bytes())
            lines = history(league) if (league / HISTORY).is_file() else whole
            assert [line["season"] for line in lines] == list(range(1, len(lines) + 1)), (name, at)

    return seen


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__[1:])
@pytest.mark.long_cases("cut", "other", "pipe")
def test_the_history(change: Change, see: Callable[[str, Change], None]) -> None:
    """A history that vanishes, shrinks or is replaced is never mixed with the one before."""
    see(HISTORY, change)


@pytest.mark.long
@pytest.mark.parametrize("name", FILES[:-1])
def test_every_file(name: str, see: Callable[[str, Change], None]) -> None:
    """So it is with settings, files of bots and runs, each changed before it is opened for whatever time."""
    for change in CHANGES:
        see(name, change)


def test_nothing_is_given_up_while_it_is_played(league: Path) -> None:
    """With --tables-only, --give-up leaves a season alone that somebody plays: its deals stay secret."""
    stop(league, 4)
    before = {path: path.read_bytes() for path in league.rglob("*") if path.is_file()}
    with Journal.open(league / RUN / "matches.jsonl"):
        said = arena(league, "season", "--tables-only", "--give-up", code=5)
    expected = f"arena: {RUN}/matches.jsonl: expected a journal nobody is writing, got one that another process holds\n"
    assert said.err.endswith(expected)
    assert {path: path.read_bytes() for path in league.rglob("*") if path.is_file()} == before
