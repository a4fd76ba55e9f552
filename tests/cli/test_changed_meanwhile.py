"""Runs whose files are changed while a command reads them: it ends in words, or prints one of the two states whole."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.command import arena, changed_meanwhile

GAME = ("-g", "dockfight", "--seats", "2", "-q")
CODES = {0, 1, 2, 3, 4}
READING = (
    ("leaderboard", "run"),
    ("stats", "run", "--json"),
    ("matches", "run", "--json"),
    ("replay", "run", "#3"),
    ("replay", "run", "e0b0r0", "--json"),
    ("report", "run", "-o", "page.html"),
    ("verify", "run"),
    ("export", "run"),
    ("merge", "run", "-o", "merged"),
)


def _other(place: Path, name: str) -> None:
    shutil.copyfile(place / "other" / name, place / "new")
    (place / "new").replace(place / "run" / name)


def _whole(place: Path) -> None:
    shutil.rmtree(place / "run")
    shutil.copytree(place / "other", place / "run")


def _into_journal(how: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def change(place: Path) -> None:
        journal = place / "run" / "matches.jsonl"
        journal.write_bytes(how(journal.read_bytes()))

    return change


def _pipe(place: Path) -> None:
    (place / "run/matches.jsonl").unlink()
    os.mkfifo(place / "run/matches.jsonl")


CHANGES: dict[str, Callable[[Path], object]] = {
    "folder gone": lambda place: shutil.rmtree(place / "run"),
    "journal gone": lambda place: (place / "run/matches.jsonl").unlink(),
    "manifest gone": lambda place: (place / "run/run.json").unlink(),
    "journal cut": _into_journal(lambda data: data[: len(data) // 2]),
    "journal empty": _into_journal(lambda _data: b""),
    "records gone": _into_journal(lambda data: b"".join(data.splitlines(keepends=True)[:4])),
    "a record twice": _into_journal(lambda data: data + data.splitlines(keepends=True)[-1]),
    "more": _into_journal(lambda data: data + b"more"),
    "another run": _whole,
    "another journal": lambda place: _other(place, "matches.jsonl"),
    "another manifest": lambda place: _other(place, "run.json"),
    "a pipe": _pipe,
}


class Printed(NamedTuple):
    """What a command left behind."""

    code: object
    out: str
    made: str
    err: str


class Reader:
    """Runs commands in this process, and does something before one of the files of the run is opened."""

    def __init__(
        self, place: Path, kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.place, self._kept, self._capsys = place, kept, capsys
        self._monkeypatch = monkeypatch
        shutil.copytree(kept / "other", place / "other")

    def fresh(self) -> None:
        """Have the run as it was."""
        for name in ("run", "merged"):
            shutil.rmtree(self.place / name, ignore_errors=True)
        (self.place / "page.html").unlink(missing_ok=True)
        shutil.copytree(self._kept / "run", self.place / "run")

    def read(self, words: tuple[str, ...], at: int = 0, change: Callable[[Path], object] = id) -> tuple[int, Printed]:
        """How many files were opened, and what the command left; it must end in words and a known exit code."""
        opened, code = changed_meanwhile(
            self._monkeypatch,
            self.place,
            *words,
            ours=lambda path: path.suffix in {".json", ".jsonl"} or path.name == "leaderboard.md",
            at=at,
            change=lambda: change(self.place),
        )
        said = self._capsys.readouterr()
        assert code in CODES, (words, at, said)
        assert "Traceback" not in said.err
        made = [path for path in (self.place / "page.html", self.place / "merged/matches.jsonl") if path.exists()]
        return opened, Printed(code, said.out, "".join(path.read_text() for path in made), said.err)

    def see(self, words: tuple[str, ...], change: Callable[[Path], object]) -> None:
        """Make the change before each of the files is opened: what is printed is true of before, or of after."""
        self.fresh()
        count, before = self.read(words)
        assert before.code == 0
        assert count
        self.fresh()
        change(self.place)
        _, after = self.read(words)
        for at in range(1, count + 1):
            self.fresh()
            _, found = self.read(words, at, change)
            assert found.code or found[:3] in (before[:3], after[:3]), (words, at, found.err)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, and another one of the same bots. Nobody changes them."""
    place = tmp_path_factory.mktemp("kept")
    arena(place, "run", "greedy", "random", *GAME, "-n", "8", "-o", "run")
    arena(place, "run", "greedy", "random", *GAME, "-n", "12", "-o", "other")
    return place


@pytest.fixture
def reader(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Reader:
    """In a folder of its own."""
    return Reader(tmp_path, kept, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("words", "change"),
    [
        (("leaderboard", "run"), "another run"),
        (("replay", "run", "e0b0r0", "--json"), "journal empty"),
        (("merge", "run", "-o", "merged"), "folder gone"),
        (("matches", "run", "--json"), "a pipe"),
    ],
)
def test_a_change(words: tuple[str, ...], change: str, reader: Reader) -> None:
    """A folder that vanishes or is replaced, a journal that shrinks or becomes a pipe: told, or not seen at all."""
    reader.see(words, CHANGES[change])


@pytest.mark.parametrize("words", READING, ids=" ".join)
@pytest.mark.long
def test_every_change(words: tuple[str, ...], reader: Reader) -> None:
    """Every change, before each file that any reading command opens."""
    # a report takes long, and opens the same files in the same way
    for change in list(CHANGES.values())[:: 4 if "report" in words else 1]:
        reader.see(words, change)
