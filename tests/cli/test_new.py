"""``arena new``: from an empty folder to a bot that plays or a game that keeps the laws, and what is refused."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from msgspec.structs import replace

from arena import games, starters
from arena.players.botfile import BOT_FILE, read_bot_file
from arena.starters import write_copy
from tests.cli.command import arena, data, refusal, timeless


@pytest.mark.parametrize(
    ("folder", "name", "path"), [("a shoal=", "a-shoal", "./a shoal="), ("shoal*3", "shoal-3", "./shoal*3/")]
)
def test_from_nothing_to_a_bot_that_plays(tmp_path: Path, folder: str, name: str, path: str) -> None:
    """It ends with the two commands to go on with, which hold as they stand; the folder may be called anything."""
    said = arena(tmp_path, "new", "bot", folder, "-g", "dockfight")
    first, check, run, measure = said.out.splitlines()
    assert first == f"{name}: a bot in python"
    assert (said.err, check.partition(": ")[0], run.partition(": ")[0]) == ("", "try it", "let it play")
    words = [shlex.split(line.partition(": arena ")[2]) for line in (check, run, measure)]
    assert words == [["check", path], ["run", "-g", "dockfight", path], ["selfplay", "dockfight", path, "greedy"]]
    assert "17 of 17 rules pass" in arena(tmp_path, *words[0], "--seats", "2").out
    for line in words[1:] if folder[-1] == "=" else words[1:2]:
        assert name in arena(tmp_path, *line, "random", "-n", "6", "-q").out


def test_what_is_refused(tmp_path: Path) -> None:
    """A folder with something in it, a file, an unknown language or game: exit code 2, the nearest name, no folder."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    for taken in ("full", "full/thesis.txt"):
        assert refusal(tmp_path, "new", "bot", taken) == (
            f"expected an empty folder or a new one, got '{taken}'; name another"
        )
    assert refusal(tmp_path, "new", "bot", "x", "--lang", "pyton").endswith("got 'pyton'; did you mean 'python'?")
    for said, meant in (("cpp", "c++"), ("ts", "typescript"), ("py", "python"), ("Rust", "rust"), ("golang", "go")):
        assert refusal(tmp_path, "new", "bot", "x", "--lang", said).endswith(f"; did you mean {meant!r}?")
    for name, lack in (("lure", "no game has, got 'lure'"), ("json", "no module of Python has, got 'json'")):
        assert refusal(tmp_path, "new", "game", name) == f"expected a name that {lack}"
    assert refusal(tmp_path, "new", "game", "2nd") == "expected a folder named as a game, as reef-race, got '2nd'"
    assert refusal(tmp_path, "new", "bot", "x", "-g", "lur").endswith("got 'lur'; did you mean 'lure'?")
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "thesis.txt"]


@pytest.mark.parametrize(("source", "game"), [("greedy", "dockfight"), ("greedy", None), ("search", "fish-food")])
def test_from_a_bot_that_ships(tmp_path: Path, source: str, game: str | None) -> None:
    """A copy has the pages it needs, each of which says what to change, and plays as the bot it is a copy of."""
    said = arena(tmp_path, "new", "bot", "mine", "--from", source, *(["-g", game] if game else []))
    assert said.out.startswith(f"mine: a bot in python, which plays as {source} does\n")
    folder = tmp_path / "mine"
    texts = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    page = (game or "lure").replace("-", "_")
    pages = {f"{page}.py"} if source == "greedy" else {f"greedy/{page}.py", f"guides/{page}.py"}
    own = {name for name in texts if name.endswith(".py")} - {"bot.py"}
    assert pages == own if game else len(own) == len(games.names())
    bot = read_bot_file(folder)
    assert (bot.name, bot.games, bot.default) == ("mine", (game,) if game else (), True)
    assert "shelf" not in texts["bot.py"]
    for name in (*pages, "bot.toml"):
        first, second = texts[name].splitlines()[:2]
        assert re.fullmatch(f"# From arena's bot {source}, version [0-9]+. MIT License, Copyright .*", first)
        assert second.startswith("# To be changed: ")
    # which plays the same matches: each answer is that of the shipped bot
    asked, run = game or "lure", ("random", "-n", "4", "-q", "--seed", "copy", "--json")
    if source == "greedy":
        boards = [data(tmp_path, "selfplay", asked, bot, *run) for bot in ("./mine", "mine=greedy")]
        assert timeless(boards[0]) == timeless(boards[1])
        checked = arena(tmp_path, "check", "./mine", "-g", asked, "--seats", "2", "-q")
        assert "17 of 17 rules pass" in checked.out
    else:
        # it thinks for as long as its limit of time lets it
        assert "mine" in arena(tmp_path, "run", "-g", asked, "./mine", "random", "-n", "2", "--move-time", "20ms").out


def test_what_begins_from_nothing(tmp_path: Path) -> None:
    """Mistakes get one line: no such bot, one without pages, a language besides, a game that has no page."""
    for words, said in (
        (("--from", "gredy"), "expected a shipped bot of greedy, search, got 'gredy'; did you mean 'greedy'?"),
        (("--from", "random-c"), "expected a shipped bot of greedy, search, got 'random-c'"),
        (
            ("--from", "greedy", "--lang", "go"),
            "expected --lang or --from, got both: greedy is in Python; without --from a bot in go picks at random",
        ),
    ):
        assert refusal(tmp_path, "new", "bot", "x", *words) == said
    with pytest.raises(LookupError, match=r"expected a game that greedy has a page for \(.*, lure\), got 'night-nets'"):
        write_copy(tmp_path / "x", "greedy", replace(games.find("lure"), name="night-nets"))
    assert list(tmp_path.iterdir()) == []


def test_where_the_shipped_bots_are(tmp_path: Path) -> None:
    """The list of shipped bots says where their source is, and each row for programs has its own path."""
    told = arena(tmp_path, "bots").err
    place = Path(next(line for line in told.splitlines() if line.startswith("their source: "))[14:])
    assert (place / "greedy" / "bot.toml").is_file()
    assert [Path(row["path"]).parent for row in json.loads(arena(tmp_path, "bots", "--json").out)] == [place] * 5


def test_a_toolchain_that_is_not_here(tmp_path: Path) -> None:
    """Where this machine has no compiler for it the bot is written all the same, and what is lacking is told."""
    (tmp_path / "empty").mkdir()
    said = arena(tmp_path, "new", "bot", "empty", "--lang", "go", env={"PATH": str(tmp_path)})
    assert (
        said.err == "arena: written, but this machine cannot run it: empty needs go, which is not on PATH; install it\n"
    )
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
    subprocess.run(build, cwd=folder, check=True, capture_output=True, timeout=300)
    with ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    env = {"PYTHONPATH": str(site)}
    assert "reef-race" in arena(tmp_path, "games", env=env).out
    arena(tmp_path, "run", "-g", "reef-race", "random*3", "-n", "2", "-o", "run", "-q", env=env)
    assert "Night 1 of 6" in arena(tmp_path, "replay", "run", "#0", "--board", env=env).out
    for words in (["tests/test_reef_race.py"], ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]):
        done = subprocess.run([sys.executable, *words], cwd=folder, env=os.environ | env, check=False, timeout=300)
        assert done.returncode == 0


@pytest.mark.long
def test_a_language_of_another_package(tmp_path: Path) -> None:
    """A package with a bot file and a bot adds a language; its code is not run, and one that lacks them is left out."""
    site = tmp_path / "site"
    for name, files in (("arena_dash", ("bot.sh", BOT_FILE)), ("arena_bare", ("bot.sh",))):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text("raise SystemExit('it was run')")
        for file in files:
            text = (Path(starters.__file__).parent / "shell" / file).read_text()
            (site / name / file).write_text(text.replace('"shell"', '"dash"'))
    info = site / "dashes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dashes\nVersion: 1.0\n")
    named = "dash = arena_dash\nbare = arena_bare\ngone = arena_gone\nperl = arena_dash\n"
    (info / "entry_points.txt").write_text(f"[arena.starters]\n{named}")
    env = {"PYTHONPATH": str(site)}
    arena(tmp_path, "new", "bot", "mine", "--lang", "dash", "-g", "dockfight", env=env)
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "README.md",
        "bot.sh",
        BOT_FILE,
        "dockfight.md",
    ]
    assert "A bot for arena in dash." in (tmp_path / "mine" / "README.md").read_text()
    arena(tmp_path, "run", "-g", "dockfight", "mine", "random", "-n", "6", "-q", "-o", "played", env=env)
    arena(tmp_path, "new", "bot", "pearl", "--lang", "perl", env=env)
    assert (tmp_path / "pearl" / "bot.pl").is_file()
    wrong = arena(tmp_path, "new", "bot", "other", "--lang", "bare", env=env, code=2).err
    assert wrong.startswith("arena: expected a language of c, c++, dash, go, java, javascript, perl, python, ")


@pytest.mark.long
def test_a_format_under_another_name(tmp_path: Path) -> None:
    """It is named after the folder everywhere, plays at once, and its own test passes: it reads results by bot."""
    said = arena(tmp_path, "new", "format", "the-ladder")
    assert said.out.splitlines()[-1] == "let it play: arena run -g dockfight --schedule the-ladder"
    folder = tmp_path / "the-ladder"
    texts = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert not re.search("king.?of", "".join(map(str, texts)) + "".join(texts.values()), re.IGNORECASE)
    assert {path.name for path in texts} == {"README.md", "pyproject.toml", "__init__.py", "test_the_ladder.py"}
    info = tmp_path / "site" / "the_ladder-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: the-ladder\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.formats]\nthe-ladder = the_ladder:TheLadder\n")
    env = {"PYTHONPATH": os.pathsep.join([str(folder), str(tmp_path / "site")])}
    words = ("run", "-g", "dockfight", "--seats", "2", "--schedule", "the-ladder", "-n", "12", "-o", "run", "-q")
    assert "2 hills were played." in arena(tmp_path, *words, "greedy", "random*2", env=env).out
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    assert subprocess.run(tests, cwd=folder, env=os.environ | env, check=False, timeout=300).returncode == 0
    wrong = refusal(tmp_path, "new", "format", "swiss")
    assert wrong == "expected a name that no format has, got 'swiss'"
