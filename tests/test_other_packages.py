"""Games of other packages join by the entry point alone; a broken one is named in one line and breaks nothing else."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena import games
from arena.players.botfile import BotFile
from arena.players.sandboxed import HostPolicy, around
from tests.cli.command import ARENA
from tests.levels import needed

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "night-nets"

# a bot that looks into an imagined world of a game it has never heard of
DREAMER = """
import sys
sys.path.insert(0, sys.argv[1])
from arena.bot import Bot

class Dreamer(Bot):
    def decide(self, decision):
        assert decision.imagine().observe(decision.seat) == decision.observation
        return [0]

Dreamer().run()
"""

# the search bot, where the game is installed in a folder of its own
SEEKER = """
import runpy, sys
sys.path.insert(0, sys.argv[1])
runpy.run_path(sys.argv[2], run_name="__main__")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the example in it, built and unpacked as an installer does, without network."""
    desk = tmp_path_factory.mktemp("example")
    source = shutil.copytree(EXAMPLE, desk / "source", ignore=shutil.ignore_patterns("__pycache__", "dist"))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(desk)]
    ended = subprocess.run(build, cwd=source, check=False, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    (wheel,) = desk.glob("*.whl")
    with ZipFile(wheel) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {"night_nets", "night_nets-1.0.dist-info"}
        archive.extractall(desk / "site")
    return desk / "site"


def arena(site: Path, place: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command with the packages of ``site``; it must end with this exit code and without a traceback."""
    env = os.environ | {"PYTHONPATH": str(site), "ARENA_ISOLATION": "none", "COLUMNS": "80"}
    ended = subprocess.run(
        [*ARENA, *words], cwd=place, env=env, check=False, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == code, ended
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended


@pytest.mark.long
def test_the_search_bot_plays_it(site: Path, tmp_path: Path) -> None:
    """The search bot plays a game that it was told nothing of, without a fault, and better than chance."""
    (tmp_path / "seeker.py").write_text(SEEKER)
    seeker = f"seeker={sys.executable} seeker.py {site} {ROOT / 'bots' / 'search' / 'bot.py'}"
    words = ("run", "-g", "night-nets", seeker, "random", "--seats", "2", "-n", "8", "--move-time", "150ms")
    board = json.loads(arena(site, tmp_path, *words, "--seed", "nets", "-o", "out", "-q", "--json").stdout)
    rows = {row["bot"]: row for row in board["leaderboard"]}
    assert not rows["seeker"]["faults"]
    assert rows["seeker"]["mean_score"] > rows["random"]["mean_score"]


@pytest.mark.long
def test_a_game_of_another_package_plays(site: Path, tmp_path: Path) -> None:
    """Installed beside arena it is listed, explained, played, checked, imagined, replayed and verified."""
    (tmp_path / "dreamer.py").write_text(DREAMER)
    assert [row["game"] for row in json.loads(arena(site, tmp_path, "games", "--json").stdout)][-1] == "night-nets"
    rules = (EXAMPLE / "night_nets" / "rules.md").read_text("utf-8")
    assert arena(site, tmp_path, "rules", "night-nets").stdout == rules
    dreamer = f"dreamer={sys.executable} dreamer.py {site}"
    field = ("greedy", "random", dreamer, "--variant", "nights=8", "-n", "6", "-o", "out", "-q", "--json")
    board = json.loads(arena(site, tmp_path, "run", "-g", "night-nets", *field).stdout)
    assert board["matches"] == 6
    assert not any(row["faults"] for row in board["leaderboard"])
    assert "6 matches hold" in arena(site, tmp_path, "verify", "out").stdout
    replayed = arena(site, tmp_path, "replay", "out", "#1").stdout
    assert "nights=8" in replayed
    assert "You count" in replayed
    assert "17 of 17" in arena(site, tmp_path, "check", "random", "-g", "night-nets", "--seats", "2").stdout
    assert '"Hauled"' in arena(site, tmp_path, "schema", "--of", "wire").stdout


@pytest.mark.long
def test_a_game_that_fails_says_where(site: Path, tmp_path: Path) -> None:
    """Whoever writes a game is told what its rules raised, and in which line, by each command that plays it."""
    flawed = shutil.copytree(site, tmp_path / "site")
    rules = flawed / "night_nets" / "rules.py"
    rules.write_text(rules.read_text("utf-8").replace("self.hauls) == self.nights", "self.hauls) == self.knights"))
    why = "AttributeError: 'NightNets' object has no attribute 'knights' (rules.py:"
    field = ("greedy", "random", "--seats", "2", "-n", "2", "-o", "out", "-q")
    said = arena(flawed, tmp_path, "run", "-g", "night-nets", *field, code=3).stderr
    assert f"are void and unrated: see `arena matches out --void`; the first of them: {why}" in said
    listed = arena(flawed, tmp_path, "matches", "out", "--void").stdout
    assert max(map(len, listed.splitlines())) <= 80
    assert "void: AttributeError: 'NightNets'" in listed
    said = arena(flawed, tmp_path, "check", "random", "-g", "night-nets", "-q", code=3).stderr
    assert f"expected a game that can be played to its end, got {why}" in said


@pytest.mark.long
def test_the_tests_of_the_example(site: Path, tmp_path: Path) -> None:
    """Its own tests pass against the installed package: every law, its rulings, its goldens."""
    tests = shutil.copytree(EXAMPLE / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    env = os.environ | {"PYTHONPATH": str(site)}
    ended = subprocess.run(
        [*command, str(tests)], cwd=tmp_path, env=env, check=False, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout


_GAME = "from arena.games.dockfight import GAME as OURS\nfrom msgspec.structs import replace\n"
BROKEN = {
    "unloadable": ("import nothing_of_this_name\n", "it to load, got ModuleNotFoundError: No module named"),
    "raising": ("raise RuntimeError('first\\nsecond')\n", "it to load, got RuntimeError: first second"),
    "leaving": ("raise SystemExit(1)\n", "it to load, got SystemExit: 1"),
    "lacking": ("from arena.game import Game\nGAME = Game(name='lacking')\n", "it to load, got TypeError: Missing"),
    "empty": ("", "it to load, got AttributeError: "),
    "toy-box": ("GAME = 'a game'\n", "an arena.game.Game, got str"),
    "misnamed": (_GAME + "GAME = replace(OURS, name='named')\n", "a Game of this name, got the name 'named'"),
    "seatless": (_GAME + "GAME = replace(OURS, name='seatless', seats=(2, 3))\n", "seats to be a range"),
    "shy": (_GAME + "GAME = replace(OURS, name='shy', variants=['a'])\n", "variants to be a dict of tuples"),
    "dealt": (_GAME + "GAME = replace(OURS, name='dealt', deal=None)\n", "deal to be a function, got None"),
    "typeless": (
        _GAME + "GAME = replace(OURS, name='typeless', event=7)\n",
        "event to be a type that msgspec",
    ),
    "dockfight": (_GAME + "GAME = OURS\n", "a name that no game of arena has, got 'dockfight'"),
}


def put(site: Path, package: str, name: str, module: str, source: str) -> None:
    """Install a package with one game into a folder."""
    info = site / f"{package.replace('-', '_')}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[arena.games]\n{name} = {module}:GAME\n")
    (site / f"{module}.py").write_text(source)


@pytest.fixture(scope="module")
def ruins(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of packages with every broken one besides."""
    folder = shutil.copytree(site, tmp_path_factory.mktemp("ruins") / "site")
    for name, (source, _) in BROKEN.items():
        put(folder, f"package-{name}", name, f"broken_{name.replace('-', '_')}", source)
    for package in ("one", "other"):
        put(folder, package, "twice", f"twice_{package}", _GAME + "GAME = replace(OURS, name='twice')\n")
    return folder


def test_broken_packages_are_named(ruins: Path, tmp_path: Path) -> None:
    """Each is left out with a line that names game, package and entry point, and says what is wrong."""
    listed = arena(ruins, tmp_path, "games", "--json")
    assert [row["game"] for row in json.loads(listed.stdout)] == [*games.names(), "night-nets"]
    lines = {line.split("'")[1]: line for line in listed.stderr.splitlines()}
    assert lines.keys() == {*BROKEN, "twice"}
    assert len(listed.stderr.splitlines()) == len(lines)
    for name, (_, wrong) in BROKEN.items():
        where = f"package-{name} (entry point broken_{name.replace('-', '_')}:GAME): expected "
        assert lines[name].startswith(f"arena: left out: game '{name}' of {where}{wrong}"), lines[name]
    assert "expected one package with this game, got one and other" in lines["twice"]


@pytest.mark.parametrize("name", ["unloadable", "misnamed", "twice"])
@pytest.mark.long
def test_a_broken_game_asked_for(ruins: Path, tmp_path: Path, name: str) -> None:
    """Whoever asks for a broken game gets that one line and exit code 2."""
    for words in (("rules", name), ("run", "-g", name)):
        said = arena(ruins, tmp_path, *words, code=2)
        assert said.stderr.startswith(f"arena: game '{name}' of ")
        assert said.stderr.count("\n") == 1


@pytest.mark.long
def test_broken_packages_break_nothing_else(ruins: Path, tmp_path: Path) -> None:
    """Beside them others are played, a name of arena's own is arena's, and `all` leaves the broken ones out."""
    one = json.loads(arena(ruins, tmp_path, "run", "-g", "dockfight", "random", "greedy", "-n", "2", "--json").stdout)
    assert one["matches"] == 2
    arena(ruins, tmp_path, "schema", "--of", "wire")
    asked = arena(ruins, tmp_path, "run", "-g", "all", "random", "--seats", "99", code=2).stderr.splitlines()
    assert [line.startswith("arena: left out: game ") for line in asked] == [True] * (len(BROKEN) + 1) + [False]
    assert "--seats: expected N or A-B" in asked[-1]
    wrong = arena(ruins, tmp_path, "rules", "night-net", code=2).stderr
    assert "night-nets" in wrong
    assert "misnamed" not in wrong


def test_a_game_without_rules(site: Path, tmp_path: Path) -> None:
    """A game whose package has no `rules.md` can be played, and `arena rules` says what it lacks."""
    bare = shutil.copytree(site, tmp_path / "site")
    (bare / "night_nets" / "rules.md").unlink()
    said = arena(bare, tmp_path, "rules", "night-nets", code=2).stderr
    assert said == "arena: expected rules.md in the package of night-nets, night_nets, got none\n"


@pytest.mark.long
def test_it_is_an_environment(site: Path) -> None:
    """PettingZoo tells who cast where; OpenSpiel's own test passes, with a variant whose values look like numbers."""
    pytest.importorskip("pyspiel")
    code = (
        "import pyspiel\n"
        "from arena.environments.openspiel import register\n"
        "from arena.environments.pettingzoo import env\n"
        "print(*env('night-nets', 3).encoding.names, sep='\\n')\n"
        "register()\n"
        "for text in ('arena_night_nets', 'arena_night_nets(nights=8,players=2)'):\n"
        "    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=1, serialize=True, verbose=False)\n"
    )
    env = os.environ | {"PYTHONPATH": str(site)}
    ended = subprocess.run([sys.executable, "-c", code], env=env, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "hauls[0].casts[+2]: deep\n" in ended.stdout


IMPORTER = """
import os, sys
import night_nets
from arena.bot import Bot

class Importer(Bot):
    def decide(self, decision):
        return range(decision.least)

print(os.path.realpath(night_nets.__file__), file=sys.stderr)
Importer().run()
"""


@pytest.mark.long
def test_bots_see_where_it_lies(site: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A game in a folder of its own is shown to bots that arena's interpreter runs, and to no others."""
    needed("landlock")
    (tmp_path / "bot.py").write_text(IMPORTER)
    (tmp_path / "bot.toml").write_text('name = "importer"\ncommand = ["{python}", "bot.py"]')
    checked = arena(site, tmp_path, "check", ".", "-g", "night-nets", "--isolation", "landlock")
    assert "17 of 17 rules pass" in checked.stdout

    monkeypatch.syspath_prepend(site)
    # another test may have loaded the example from its own folder
    monkeypatch.delitem(sys.modules, "night_nets", raising=False)
    (package,) = games.elsewhere()
    assert package == str(site / "night_nets")
    house = HostPolicy("landlock", games=(package,))
    for word, shown in (("{python}", True), ("env", False)):
        sandbox = around(BotFile(name="b", command=(word, "bot.py"), folder=str(tmp_path)), str(tmp_path), house)
        assert (package in sandbox.readable) == (package in sandbox.packages) == shown
