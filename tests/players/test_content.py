"""What belongs to a bot: one list that is hashed, copied and built, within bounds, whatever an author puts there."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import BotError
from arena.players.botfile import paths_named, read_bot_file
from arena.players.content import BUILT, SOURCE, FolderLimits, copy, digest_bot, listing, locate_files
from arena.players.entrants import read_entrant


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
    return [item.name for item in listing(folder, extent).items]


def test_no_part_of_a_bot(tmp_path: Path) -> None:
    """Caches, version control, runs and secrets are passed over, wherever they lie, and so in no copy."""
    passed = (".git/config", "a/__pycache__/x.pyc", "plan/run.json", "a/secret.json")
    folder = folder_of(tmp_path / "bot", *passed, "plan/matches.jsonl", "a/b", "run.json")
    assert names(folder) == ["a/b", "bot.toml", "run.json"]
    assert listing(folder).passed == {
        ".git": "version control",
        "a/__pycache__": "a cache",
        "a/secret.json": "a secret",
        "plan": "a run of arena",
    }
    copy(folder, to=tmp_path / "copy")
    assert names(tmp_path / "copy", FolderLimits(files=10, size=1 << 20, depth=2)) == names(folder)
    assert listing(tmp_path / "copy").passed == {}
    before = digest_bot(read_bot_file(folder))
    (folder / "plan/matches.jsonl").write_text("another match")
    assert digest_bot(read_bot_file(folder)) == before


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
def test_beyond_bounds(make: Callable[[Path], object], reason: str, deep: Path) -> None:
    """What no folder of a bot may hold is refused in one line that names the folder, and without reading it all."""
    folder = folder_of(deep / "bot")
    make(folder)
    with pytest.raises(BotError, match=reason) as caught:
        digest_bot(read_bot_file(folder))
    assert str(caught.value).startswith(str(folder))
    assert "\n" not in str(caught.value)


def test_too_many(tmp_path: Path) -> None:
    """Files and folders are counted, empty ones too."""
    folder = folder_of(tmp_path / "bot", "a/b")
    (folder / "c").mkdir()
    assert names(folder, FolderLimits(files=4, size=100, depth=2)) == ["a/b", "bot.toml"]
    with pytest.raises(BotError, match="expected at most 3 files and folders, got more, 2 of them in a: what the bot"):
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
    folder = folder_of(tmp_path / "bot", ".venv/pyvenv.cfg", "target/CACHEDIR.TAG")
    (folder / "python").symlink_to("/usr/bin/python3")
    built = [item.target for item in listing(folder, BUILT).items if item.name == "python"]
    assert (built, listing(folder, BUILT).passed) == (["/usr/bin/python3"], {})
    assert names(folder) == ["bot.toml"]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """Folders that are no part of the bot count for the limit as well: a list of what was left out has an end."""
    folder = folder_of(tmp_path / "bot", *[f"{number}/CACHEDIR.TAG" for number in range(4)])
    with pytest.raises(BotError, match="expected at most 4 files and folders, got more"):
        listing(folder, FolderLimits(files=4, size=1 << 20, depth=2))
    assert len(listing(folder, FolderLimits(files=5, size=1 << 20, depth=2)).passed) == 4


@pytest.mark.parametrize("target", ["/etc/passwd", "../other/bot.py", "../other", "sub/../../run/secret.json", "chain"])
def test_links_out_of_the_folder(target: str, tmp_path: Path) -> None:
    """A link out of the folder is no part of the bot: it is in no digest and no copy, and says where it leads."""
    folder = folder_of(tmp_path / "bot", "sub/a")
    before = digest_bot(read_bot_file(folder))
    (folder / "chain").symlink_to("/etc/hostname")
    (folder / "link").symlink_to(target)
    (folder / "within").symlink_to("sub/a")
    assert listing(folder).passed["link"] == f"a link out of the folder, to {target}"
    copy(folder, to=tmp_path / "copy")
    assert names(tmp_path / "copy") == names(folder) == ["bot.toml", "sub/a", "within"]
    (folder / "within").unlink()
    assert digest_bot(read_bot_file(folder)) == before


def test_swapped_while_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What becomes a link after it was listed, a file or a folder around it, is refused and not read."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "a").write_text("private")
    for number, name in enumerate(("a", "sub")):
        folder = folder_of(tmp_path / f"bot{number}", "a", "sub/a")
        listed = listing(folder)
        (folder / name).rename(tmp_path / f"moved{number}")
        (folder / name).symlink_to(tmp_path / "private" / ("a" if name == "a" else ""))
        monkeypatch.setattr("arena.players.content.listing", lambda *_, listed=listed: listed)
        with pytest.raises(BotError, match=r"expected a (file|folder) of its own, got a link"):
            copy(folder, to=tmp_path / f"copy{number}")
        assert "private" not in "".join(
            path.read_text() for path in tmp_path.glob(f"copy{number}/**/*") if path.is_file()
        )


@pytest.mark.parametrize(
    ("more", "there"),
    [
        ('command = ["python3", "bot.py"]', []),
        ('command = [".venv/bin/python", "bot.py"]', [".venv"]),
        ('command = ["python3", "bot.py", "--engine=target/release/engine"]', ["target"]),
        ('command = ["python3", "bot.py"]\nenv = {PYTHONPATH = "lib:.venv/lib"}', [".venv"]),
        ('command = ["target/release/engine"]\nbuild = [["cargo", "build", "--release"]]', []),
    ],
)
def test_what_tools_have_made(more: str, there: list[str], tmp_path: Path) -> None:
    """A virtual environment or a tagged cache counts where the command or ``env`` names a path in it, unless built.

    What else is in the folder counts always, such as ``node_modules``.
    """
    made = (".venv/pyvenv.cfg", ".venv/bin/python", "target/CACHEDIR.TAG", "target/release/engine")
    folder = folder_of(tmp_path / "bot", *made, "node_modules/x/cli.js")
    (folder / "node_modules" / "cli").symlink_to("x/cli.js")
    (folder / "bot.toml").write_text(f'name = "minnow"\n{more}\n')
    bot = read_bot_file(folder)
    tops = {item.name.partition("/")[0] for item in listing(folder, paths=paths_named(bot)).items}
    assert tops == {"bot.toml", "node_modules", *there}
    before = digest_bot(bot)
    (folder / "target" / "release" / "engine").write_text("another build")
    assert (digest_bot(bot) != before) == ("target" in there)


def test_the_digest_of_a_plain_folder_stays(tmp_path: Path) -> None:
    """The digest of files, programs and links within the folder is what it was in the first version of arena."""
    folder = folder_of(tmp_path / "bot", "lib/__init__.py", "node_modules/cli.js")
    (folder / "bot.toml").write_text('name = "minnow"\ncommand = ["python3", "bot.py"]\n')
    (folder / "bot.py").write_text("import lib\n")
    (folder / "bot.py").chmod(0o755)
    (folder / "lib/__init__.py").write_text("x = 1\n")
    (folder / "node_modules/cli.js").write_text("1\n")
    (folder / "node_modules/.bin").mkdir()
    (folder / "node_modules/.bin/cli").symlink_to("../cli.js")
    assert digest_bot(read_bot_file(folder)) == "a8bf3d0f9ad075cddfbecb813acd7a9e9f15a1c797f7b1128305133f2b4dab5c"


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
    bot = read_entrant(f"mine={line}")
    assert [os.path.relpath(path, here) for path in locate_files(bot, bot.folder)] == named


@pytest.mark.parametrize(
    ("line", "changed"),
    [("java -cp net Bot", "net/weights"), ("./bot net/weights", "bot"), ("./bot net/weights", "net/weights")],
)
def test_what_a_command_line_names_counts(
    line: str, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest of a command line is over the program that it names by its path, its files, and folders with all."""
    monkeypatch.chdir(folder_of(tmp_path / "here", "bot", "net/weights"))
    bot = read_entrant(f"mine={line}")
    before = digest_bot(bot)
    Path(changed).write_text("others")
    assert digest_bot(bot) != before
