"""``arena new``: from an empty folder to a bot that plays or a game that keeps the laws, and what is refused."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.command import arena, refusal


@pytest.mark.parametrize(
    ("folder", "name", "path"), [("a shoal=", "a-shoal", "./a shoal="), ("shoal*3", "shoal-3", "./shoal*3/")]
)
def test_from_nothing_to_a_bot_that_plays(tmp_path: Path, folder: str, name: str, path: str) -> None:
    """It ends with the two commands to go on with, which hold as they stand; the folder may be called anything."""
    said = arena(tmp_path, "new", "bot", folder, "-g", "dockfight")
    first, check, run = said.out.splitlines()
    assert first == f"{name}: a bot in python"
    assert (said.err, check.partition(": ")[0], run.partition(": ")[0]) == ("", "try it", "let it play")
    words = [shlex.split(line.partition(": arena ")[2]) for line in (check, run)]
    assert words == [["check", path], ["run", "-g", "dockfight", path]]
    assert "16 of 16 sentences hold" in arena(tmp_path, *words[0], "--seats", "2").out
    assert name in arena(tmp_path, *words[1], "random", "-n", "6", "-q").out


def test_what_is_refused(tmp_path: Path) -> None:
    """A folder with something in it, a file, an unknown language or game: exit code 2, the nearest name, no folder."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    for taken in ("full", "full/thesis.txt"):
        assert refusal(tmp_path, "new", "bot", taken) == f"expected an empty folder or a new one, got '{taken}'"
    assert refusal(tmp_path, "new", "bot", "x", "--lang", "pyton").endswith("got 'pyton'; did you mean 'python'?")
    for said, meant in (("cpp", "c++"), ("ts", "typescript"), ("py", "python"), ("Rust", "rust"), ("golang", "go")):
        assert refusal(tmp_path, "new", "bot", "x", "--lang", said).endswith(f"; did you mean {meant!r}?")
    for name, lack in (("lure", "no game has, got 'lure'"), ("json", "no module of Python has, got 'json'")):
        assert refusal(tmp_path, "new", "game", name) == f"expected a name that {lack}"
    assert refusal(tmp_path, "new", "game", "2nd") == "expected a folder named as a game, as reef-race, got '2nd'"
    assert refusal(tmp_path, "new", "bot", "x", "-g", "lur").endswith("got 'lur'; did you mean 'lure'?")
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "thesis.txt"]


def test_a_toolchain_that_is_not_here(tmp_path: Path) -> None:
    """Where this machine has no compiler for it the bot is written all the same, and what is lacking is told."""
    (tmp_path / "empty").mkdir()
    said = arena(tmp_path, "new", "bot", "empty", "--lang", "go", env={"PATH": str(tmp_path)})
    assert said.err == "arena: written, but this machine cannot run it: empty needs go, which is not on PATH\n"
    assert (tmp_path / "empty" / "bot.go").is_file()


@pytest.mark.parametrize(
    ("folder", "module", "state"), [("reef-race", "reef_race", "ReefRace"), ("Cast", "cast", "CastState")]
)
def test_a_game_of_another_name(tmp_path: Path, folder: str, module: str, state: str) -> None:
    """It is named after the folder everywhere, and where the rules have that word already its state has another."""
    said = arena(tmp_path, "new", "game", folder)
    assert said.out.splitlines()[-1] == f"let it play: arena run -g {folder.lower()}"
    texts = {path: path.read_text() for path in (tmp_path / folder).rglob("*") if path.is_file()}
    assert not re.search("night.?nets", "".join(map(str, texts)) + "".join(texts.values()), re.IGNORECASE)
    assert texts[tmp_path / folder / module / "rules.py"].count(f"class {state}(") == 1
    assert f'{folder.lower()} = "{module}:GAME"' in texts[tmp_path / folder / "pyproject.toml"]


@pytest.mark.long
def test_a_game_keeps_the_laws_at_once(tmp_path: Path) -> None:
    """What is written is a package that plays and is drawn; its tests pass once it has written its goldens."""
    arena(tmp_path, "new", "game", "reef-race")
    folder, site = tmp_path / "reef-race", tmp_path / "site"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=folder, check=True, capture_output=True, timeout=60)
    with ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    env = {"PYTHONPATH": str(site)}
    assert "reef-race" in arena(tmp_path, "games", env=env).out
    arena(tmp_path, "run", "-g", "reef-race", "random*3", "-n", "2", "-o", "run", "-q", env=env)
    assert "Night 1 of 6" in arena(tmp_path, "replay", "run", "#0", "--board", env=env).out
    for words in (["tests/test_reef_race.py"], ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]):
        done = subprocess.run([sys.executable, *words], cwd=folder, env=os.environ | env, check=False, timeout=300)
        assert done.returncode == 0
