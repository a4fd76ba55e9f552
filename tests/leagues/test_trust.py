"""Settings of strangers: what lowers the sandbox, starts commands or opens files counts only if trusted."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.leagues.season import play_season
from tests.cli.command import BOTS, PYTHON, arena, refusal
from tests.leagues.test_season import SETTINGS, enter

NOT_NONE = "arena: arena.toml: isolation none is not taken, but auto: if you trust this file, add --trust"
READ_IT = ": read the file; if you trust it, add --trust"
MARK = "import pathlib; pathlib.Path(__file__).with_name('started').touch()\n"
"""A line with which a program tells that it was started."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user who trusts nothing so far, and whose levels are not set from outside."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def league(here: Path, *lines: str, name: str = "cloned") -> Path:
    """A league of somebody else's with a bot and a program, and these lines in its settings."""
    folder = here / name
    (folder / "bots").mkdir(parents=True)
    enter(folder, "mine")
    (folder / "evil.py").write_text(MARK + BOTS["mine.py"])
    settle(folder, *lines)
    return folder


def settle(folder: Path, *lines: str) -> None:
    """Have these lines in the place of those with the same keys."""
    keys = {line.partition(" ")[0] for line in lines}
    kept = [line for line in SETTINGS.splitlines() if line.partition(" ")[0] not in keys]
    (folder / "arena.toml").write_text("\n".join((*kept, *lines, "")))


def trusted(folder: Path, *words: str) -> bool:
    """Whether a season of a league that has not begun goes on with its settings, and misses its results."""
    said = refusal(folder, "season", "--tables-only", "-q", *words)
    assert "expected the results of a season" in said or "expected settings that you trust" in said
    return "trust" not in said


EVIL = f'bots = ["bots/*", "evil={PYTHON} evil.py"]'
NO_LEVEL = {"ARENA_ISOLATION": ""}


def test_a_cloned_league_starts_nothing(here: Path) -> None:
    """A cloned league with `isolation = "none"` and a command starts nothing; one line says what and what to type."""
    folder = league(here, EVIL, 'isolation = "none"')
    shown = f'isolation = "none"; bots = ["evil={PYTHON} evil.py"]'
    for words in (("season",), ("season", "--dry-run"), ("season", "--tables-only"), ("run",)):
        said = arena(folder, *words, "-q", code=2, env=NO_LEVEL)
        assert said.err == f"arena: arena.toml: expected settings that you trust, got {shown}{READ_IT}\n"
    with pytest.raises(UsageError, match="expected settings that you trust"):
        play_season(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["arena.toml", "bots", "evil.py"]


@pytest.mark.long
def test_a_league_of_folders_needs_no_trust(here: Path) -> None:
    """A league whose bots are folders, in the default sandbox, plays at once; `none` is not taken, and is told."""
    folder = league(here, 'isolation = "auto"')
    arena(folder, "season", "-q")
    folder = league(here, 'isolation = "none"', name="other")
    said = arena(folder, "season", "--dry-run", env=NO_LEVEL)
    assert NOT_NONE in said.err.splitlines()
    assert "arena: isolation: " in said.err
    assert not (here / "state").exists() or not [*(here / "state").rglob("trust/*")]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (EVIL, f'bots = ["evil={PYTHON} evil.py"]'),
        ('bots = ["bots/*", "evil=./evil.py"]', 'bots = ["evil=./evil.py"]'),
        (f'anchors = ["random", "greedy", "evil*2={PYTHON} evil.py"]', f'anchors = ["evil*2={PYTHON} evil.py"]'),
        ('readable = [".."]', 'readable = ["{here}"]'),
        ("build-network = true", "build-network = true"),
        ('isolation = "landlock"', 'isolation = "landlock"'),
        ('out = "../elsewhere"', 'out = "{here}/elsewhere"'),
        ('out = "linked/x"', 'out = "{here}/linked-to/x"'),
    ],
    ids=["command", "program", "anchor", "readable", "build", "landlock", "out", "linked"],
)
def test_what_needs_trust(here: Path, line: str, shown: str) -> None:
    """Commands, more to read, a network, a lower level and results elsewhere each need trust, by their real paths."""
    folder = league(here, line)
    (here / "linked-to").mkdir()
    (folder / "linked").symlink_to("../linked-to")
    (folder / "evil.py").chmod(0o755)
    said = arena(folder, "season", "--dry-run", "-q", code=2, env=NO_LEVEL)
    text = shown.replace("{here}", str(here))
    assert said.err == f"arena: arena.toml: expected settings that you trust, got {text}{READ_IT}\n"


def test_other_names_and_copies_are_no_commands(here: Path) -> None:
    """A shipped bot or a folder under another name, and copies, start no command of the settings."""
    folder = league(here, 'bots = ["g2=greedy", "old=./bots/mine", "random*2"]', 'anchors = ["greedy"]')
    arena(folder, "run", "-g", "dockfight", "-q", "-n", "4")


def test_trust_is_remembered_until_these_settings_change(here: Path) -> None:
    """`--trust` counts until a setting that needs it changes; others may change, and another folder has none of it."""
    folder = league(here, EVIL)
    arena(folder, "season", "--dry-run", "-q", "--trust")
    assert trusted(folder)
    assert trusted(here, "--config", "cloned/arena.toml")
    (here / "link").symlink_to("cloned")
    assert trusted(here / "link")
    settle(folder, EVIL, "matches = 9")
    assert trusted(folder)
    other = shutil.copytree(folder, here / "other")
    assert not trusted(other)
    settle(folder, EVIL.replace("evil.py", "-B evil.py"))
    assert not trusted(folder)
    settle(folder, EVIL, "build-network = true")
    assert "build-network = true; bots" in refusal(folder, "season", "--dry-run", "-q")


@pytest.mark.long
def test_the_users_own_word(here: Path) -> None:
    """Options and variables count without trust, and what they replace is not asked for: CI needs no more."""
    folder = league(here, EVIL, 'isolation = "none"', "build-network = true", 'readable = [".."]')
    words = ("-g", "dockfight", "-n", "4", "-q")
    own = {"ARENA_BUILD_NETWORK": "0", "ARENA_READABLE": str(folder / "bots"), "ARENA_BOTS": "bots/mine random"}
    arena(folder, "run", *words, env=own)
    options = ("--no-build-network", "--readable", "bots", "--isolation", "none")
    arena(folder, "run", "bots/mine", "random", *words, *options)
    arena(folder, "run", *words, env={"ARENA_TRUST": "1"})
    arena(folder, "check", "bots/mine", "-g", "dockfight", "-q")


def test_no_room_to_remember(here: Path) -> None:
    """Where nothing can be remembered, `--trust` counts for its command, and the next one asks again."""
    folder = league(here, EVIL)
    (here / "state").write_text("a file")
    assert trusted(folder, "--trust")
    assert not trusted(folder)


@pytest.mark.parametrize("how", ["open", "link", "damaged", "another"])
def test_what_others_could_write_is_not_believed(here: Path, how: str) -> None:
    """What is remembered counts only in a whole file of this path that only the user may write."""
    folder = league(here, EVIL)
    assert trusted(folder, "--trust")
    (file,) = (here / "state/arena/trust").iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    match how:
        case "open":
            file.chmod(0o666)
        case "link":
            file.rename(here / "kept")
            file.symlink_to(here / "kept")
        case "damaged":
            file.write_bytes(file.read_bytes() + b" ")
        case "another":
            file.rename(file.with_name("0" * 64))
    assert not trusted(folder)


def test_a_league_that_the_user_made(here: Path) -> None:
    """A league made by `arena new league` may set anything until its folder is under version control.

    Then changes of others may come into it. A copy of it was not made by this user.
    """
    arena(here, "new", "league", "harbour", "-g", "dockfight")
    folder = here / "harbour"
    (folder / "evil.py").write_text(BOTS["mine.py"])
    with (folder / "arena.toml").open("r+") as file:
        text = f"{EVIL}\n" + file.read().replace("bots = ", "# ")
        file.seek(0)
        file.write(text)
    assert trusted(folder)
    copy = shutil.copytree(folder, here / "copy")
    assert not trusted(copy)
    subprocess.run(["/usr/bin/env", "git", "init", "-q"], cwd=folder, check=True)
    assert not trusted(folder)
    assert trusted(folder, "--trust")
    assert trusted(folder)
    # somebody else's league at the same place
    folder.rename(here / "old")
    shutil.copytree(here / "copy", folder)
    (folder / "arena.toml").write_text((folder / "arena.toml").read_text().replace("evil.py", "-B evil.py"))
    assert not trusted(folder)


def test_trust_in_a_script(here: Path) -> None:
    """In the library a league is trusted by `trust=True`."""
    folder = league(
        here, f'anchors = ["random", "greedy", "evil={PYTHON} {here}/cloned/evil.py"]', 'isolation = "none"'
    )
    season = play_season(folder, trust=True)
    assert "evil" in {row.bot for board in season.games.values() for row in board.house}
    assert json.loads((folder / "results/dockfight/run.json").read_bytes())["isolation"] == "none"
    assert [*(here / "state/arena/trust").iterdir()]
