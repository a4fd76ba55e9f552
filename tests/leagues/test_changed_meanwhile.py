"""Leagues whose files change while a command reads them: it ends in words, or what it leaves is true of one state.

And leagues that somebody plays meanwhile.
"""

import io
import json
import os
import shutil
from collections.abc import Callable
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


CHANGES: tuple[Callable[[Path, str], None], ...] = (_gone, _cut, _other, _pipe)
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


class Reader:
    """Runs the command in this process, and changes a file each time before it is opened."""

    def __init__(self, kept: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.league = place / "league"
        self._kept, self._monkeypatch = kept, monkeypatch
        shutil.copytree(kept / "other", place / "other")
        monkeypatch.setenv("ARENA_ISOLATION", "none")

    def read(self, name: str, at: int, change: Callable[[Path, str], None]) -> tuple[int, object]:
        """How often the file was opened, and the exit code; the change was made before it was opened for this time."""
        shutil.rmtree(self.league, ignore_errors=True)
        shutil.copytree(self._kept / "league", self.league)

        def ours(path: Path) -> bool:
            # by its whole path or, beneath an open folder, by its name; bots that ship with arena stay as they are
            return self.league in (self.league / path).parents and path.name == Path(name).name

        return changed_meanwhile(
            self._monkeypatch,
            self.league,
            *TABLES,
            ours=ours,
            at=at,
            change=lambda: change(self.league, name),
            ways=(os, io),
        )


@pytest.fixture
def reader(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """In a folder of its own."""
    return Reader(kept, tmp_path, monkeypatch)


def _see(reader: Reader, name: str, change: Callable[[Path, str], None], capsys: pytest.CaptureFixture[str]) -> None:
    count, code = reader.read(name, 0, change)
    assert (code, bool(count)) == (0, True)
    capsys.readouterr()
    whole = history(reader.league)
    for at in range(1, count + 1):
        _, code = reader.read(name, at, change)
        said = capsys.readouterr()
        assert code in {0, 2, 3, 4}, (name, at, said)
        if code:
            assert said.err.count("\n") == 1, (name, at, said)
            assert said.err.startswith("arena: ")
            continue
        # what is printed is what was written, and the history goes on from one that there was
        assert json.loads(said.out) == json.loads((reader.league / "leaderboard.json").read_bytes())
        lines = history(reader.league) if (reader.league / HISTORY).is_file() else whole
        assert [line["season"] for line in lines] == list(range(1, len(lines) + 1)), (name, at)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__[1:])
@pytest.mark.long_cases("cut", "other", "pipe")
def test_the_history(change: Callable[[Path, str], None], reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    """A history that vanishes, shrinks or is replaced is never mixed with the one before."""
    _see(reader, HISTORY, change, capsys)


@pytest.mark.long
@pytest.mark.parametrize("name", FILES[:-1])
def test_every_file(name: str, reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    """So it is with settings, files of bots and runs, each changed before it is opened for whatever time."""
    for change in CHANGES:
        _see(reader, name, change, capsys)


def test_nothing_is_given_up_while_it_is_played(league: Path) -> None:
    """With --tables-only, --give-up leaves a season alone that somebody plays: its deals stay secret."""
    stop(league, 4)
    before = {path: path.read_bytes() for path in league.rglob("*") if path.is_file()}
    with Journal.open(league / RUN / "matches.jsonl"):
        said = arena(league, "season", "--tables-only", "--give-up", code=5)
    expected = f"arena: {RUN}/matches.jsonl: expected a journal nobody is writing, got one that another process holds\n"
    assert said.err.endswith(expected)
    assert {path: path.read_bytes() for path in league.rglob("*") if path.is_file()} == before
