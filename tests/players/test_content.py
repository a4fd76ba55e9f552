"""What belongs to a bot: one list that is hashed, copied and built, within bounds, whatever an author puts there."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import BotError
from arena.players.botfile import read
from arena.players.content import BUILT, SOURCE, FolderLimits, contents, copy, digest, listing, own
from arena.players.entrants import entrant


def folder_of(place: Path, *names: str) -> Path:
    """A bot's folder with these files besides its bot file."""
    place.mkdir()
    (place / "bot.toml").write_text('name = "minnow"\ncommand = ["true"]\n')
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    return place


def names(folder: Path, extent: FolderLimits = SOURCE) -> list[str]:
    """What is a bot's own in a folder."""
    return [item.name for item in contents(folder, extent)]


def test_no_part_of_a_bot(tmp_path: Path) -> None:
    """Caches, version control, runs and secrets are passed over, wherever they lie, and so in no copy."""
    passed = (".git/config", "a/__pycache__/x.pyc", "plan/run.json", "a/secret.json")
    folder = folder_of(tmp_path / "bot", *passed, "plan/matches.jsonl", "a/b", "run.json")
    assert names(folder) == ["a/b", "bot.toml", "run.json"]
    assert listing(folder).passed == [".git", "a/__pycache__", "a/secret.json", "plan"]
    copy(folder, to=tmp_path / "copy")
    assert names(tmp_path / "copy", FolderLimits(files=10, size=1 << 20, depth=2)) == names(folder)
    assert listing(tmp_path / "copy").passed == []
    before = digest(read(folder))
    (folder / "plan/matches.jsonl").write_text("another match")
    assert digest(read(folder)) == before


def _deep(folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _sparse(folder: Path) -> None:
    with (folder / "large").open("wb") as file:
        file.truncate(1 << 40)


def _long(folder: Path) -> None:
    here = folder
    for _ in range(5):
        here = here / ("n" * 250)
        here.mkdir()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_deep, "expected at most 32 folders in one another, got more"),
        (_sparse, "expected at most 512 MiB of files, got more"),
        (_long, "expected paths of at most 1024 bytes in it, got a longer one"),
        (lambda folder: (folder / os.fsdecode(b"\xff")).touch(), r"expected names in UTF-8, got b'\\xff'"),
        (lambda folder: os.mkfifo(folder / "a\n::error::b"), r"a\\n::error::b: expected a regular file, got a FIFO"),
    ],
)
def test_beyond_bounds(make: Callable[[Path], object], reason: str, tmp_path: Path) -> None:
    """What no folder of a bot may hold is refused in one line that names the folder, and without reading it all."""
    folder = folder_of(tmp_path / "bot")
    make(folder)
    try:
        with pytest.raises(BotError, match=reason) as caught:
            digest(read(folder))
        assert str(caught.value).startswith(str(folder))
        assert "\n" not in str(caught.value)
    finally:
        # no recursion of anybody's copes with the deep one
        subprocess.run(["/bin/rm", "-rf", str(folder)], check=True)


def test_too_many(tmp_path: Path) -> None:
    """Files and folders are counted, empty ones too."""
    folder = folder_of(tmp_path / "bot", "a/b")
    (folder / "c").mkdir()
    assert names(folder, FolderLimits(files=4, size=100, depth=2)) == ["a/b", "bot.toml"]
    with pytest.raises(BotError, match="expected at most 3 files and folders, got more"):
        names(folder, FolderLimits(files=3, size=100, depth=2))


def test_odd_and_harmless(tmp_path: Path) -> None:
    """A long name, a link to itself and a link to nothing are kept as they are."""
    folder = folder_of(tmp_path / "bot", "n" * 250)
    (folder / "loop").symlink_to("loop")
    (folder / "nothing").symlink_to("nowhere")
    copy(folder, to=tmp_path / "copy")
    assert names(tmp_path / "copy") == names(folder) == ["bot.toml", "loop", "n" * 250, "nothing"]


def test_what_is_built_may_lead_out(tmp_path: Path) -> None:
    """Of what build steps have made links may lead anywhere, as those of a virtual environment do; nobody follows."""
    folder = folder_of(tmp_path / "bot")
    (folder / "python").symlink_to("/usr/bin/python3")
    assert [item.target for item in contents(folder, BUILT)] == [None, "/usr/bin/python3"]
    with pytest.raises(BotError, match="expected a link within"):
        contents(folder)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("python3 bot.py", ["bot.py"]),
        ("./bot --model=net/weights bot.py", ["net/weights", "bot.py"]),
        ("./bot --depth 3", ["bot"]),
        ("java -cp net Bot", ["net"]),
        ("bot.py", []),
        ("python3 . .. / nowhere ~ --all=.", []),
        ("sh ../elsewhere", ["../elsewhere"]),
    ],
)
def test_a_command_line_names_its_files(
    line: str, named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command line's own are the files and folders it names, never the folder it was typed in or any around that."""
    here = tmp_path / "here"
    folder_of(here, "bot.py", "bot", "net/weights")
    (tmp_path / "elsewhere").touch()
    monkeypatch.chdir(here)
    bot = entrant(f"mine={line}")
    assert [os.path.relpath(path, here) for path in own(bot, bot.folder)] == named


@pytest.mark.parametrize(
    ("line", "changed"),
    [("java -cp net Bot", "net/weights"), ("./bot net/weights", "bot"), ("./bot net/weights", "net/weights")],
)
def test_what_a_command_line_names_counts(
    line: str, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest of a command line is over the program that it names by its path, its files, and folders with all."""
    monkeypatch.chdir(folder_of(tmp_path / "here", "bot", "net/weights"))
    bot = entrant(f"mine={line}")
    before = digest(bot)
    Path(changed).write_text("others")
    assert digest(bot) != before
