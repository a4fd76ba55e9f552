"""Files named like modules of Python, or of what arena needs, in every folder that a stranger may fill: none is run.

Each planted file leaves a mark that says which file it is and who imported it, then steps back for the real module. A
bot's own process may import what lies in the bot's own folder; nobody else may import any of them.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from arena.sandbox import LEVELS, Level
from tests.cli.command import BOTS
from tests.levels import needed

ARENA = (str(Path(sys.executable).with_name("arena")),)
PLANTED = """
import sys
posix = sys.modules["posix"]
own = posix.open("/proc/self/cmdline", posix.O_RDONLY)
words = posix.read(own, 9999).decode().replace("\\0", " ")
posix.close(own)
try:
    mark = posix.open("%s/%%s-%%d" %% (__name__, posix.getpid()), posix.O_WRONLY | posix.O_CREAT, 0o666)
except OSError:
    pass
else:
    posix.write(mark, (__file__ + "\\n" + words).encode())
    posix.close(mark)
name, path = __name__, sys.path[:]
sys.path[:] = [folder for folder in path if folder not in ("", __file__.rpartition("/")[0])]
del sys.modules[name]
__import__(name)
sys.path[:] = path
"""
NAMES = {*sys.stdlib_module_names, *packages_distributions(), "sitecustomize", "usercustomize", "tomli", "numpy"}


class Trap:
    """A league's folder, its bot's folder and a home, each full of planted files."""

    def __init__(self, place: Path) -> None:
        self.league, self.home, self.marks = place / "league", place / "home", place / "marks"
        self.bot = self.league / "bots" / "mine"
        self.marks.mkdir()
        self.marks.chmod(0o777)
        text = place / "planted"
        text.write_text(PLANTED % self.marks)
        for folder in (self.bot, self.league, self.home):
            folder.mkdir(parents=True, exist_ok=True)
            for name in NAMES:
                if name.isidentifier() and name not in {"arena", "tests"}:
                    os.link(text, folder / f"{name}.py")
        (self.bot / "bot.py").write_text(BOTS["mine.py"])
        (self.bot / "bot.toml").write_text('name = "mine"\ncommand = ["{python}", "bot.py"]\n')
        (self.league / "arena.toml").write_text(
            'games = ["dockfight"]\nseats = 2\nmatches = 2\nbots = ["bots/*"]\nanchors = ["random"]\nlanes = 1\n'
        )

    def run(self, *words: str, level: Level = "none", code: int = 0) -> str:
        """Start a program in the league's folder, and what it printed."""
        known = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ARENA_ISOLATION": level,
            "PYTHONPYCACHEPREFIX": "",
        }
        done = subprocess.run(
            words, cwd=self.league, env=known, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    def sprung(self) -> list[str]:
        """Which planted files were imported by whom, but for those of the bot by the bot."""
        found = [mark.read_text().partition("\n") for mark in sorted(self.marks.iterdir())]
        own = [Path(file).parent == self.bot and words.endswith(" bot.py ") for file, _, words in found]
        return [f"{file}: {words}" for (file, _, words), its in zip(found, own, strict=True) if not its]


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    """A fresh one."""
    return Trap(tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
def test_no_command_imports_them(trap: Trap, level: Level) -> None:
    """No process that a command starts, but the bot's own, imports anything from these folders."""
    needed(level)
    mine = "./bots/mine"
    trap.run(*ARENA, "run", mine, "greedy", "-q", "-o", "r", level=level)
    trap.run(*ARENA, "check", mine, "--seats", "2", "-g", "dockfight", level=level)
    trap.run(*ARENA, "season", "-q", level=level)
    trap.run(*ARENA, "compare", mine, "greedy", "-q", "-n", "2", "-o", "c", level=level)
    trap.run(*ARENA, "verify", "r", "--bots", mine, level=level)
    match = json.loads((trap.league / "r" / "matches.jsonl").read_bytes().splitlines()[0])
    trap.run(*ARENA, "replay", "r", "#0", "--seat", str(match["bots"].index("mine")), "--", mine, level=level)
    assert trap.sprung() == []
    # in a sandbox nobody can write down what they did
    assert any(trap.marks.iterdir()) == (level == "none")


@pytest.mark.long
def test_nor_does_the_module_arena(trap: Trap) -> None:
    """`python -P -m arena` imports none either; without `-P` Python itself does, before it reads a line of arena."""
    (trap.league / "empty_module.py").touch()
    trap.run(sys.executable, "-m", "empty_module")
    by_python = {line.partition(":")[0] for line in trap.sprung()}
    trap.run(sys.executable, "-m", "arena", "run", "greedy", "random", "-q")
    assert {line.partition(":")[0] for line in trap.sprung()} <= by_python
    for mark in trap.marks.iterdir():
        mark.unlink()
    trap.run(sys.executable, "-P", "-m", "arena", "run", "greedy", "random", "-q")
    assert trap.sprung() == []


def test_the_trap_is_set(trap: Trap) -> None:
    """An interpreter that looks into the current folder springs it."""
    trap.run(sys.executable, "-c", "import secrets, msgspec")
    assert {Path(line.partition(":")[0]).stem for line in trap.sprung()} >= {"secrets", "msgspec"}


@pytest.mark.long
def test_a_checkout_that_is_not_installed(tmp_path: Path) -> None:
    """A checkout that only the current folder brings in is played from: its lanes find it."""
    root = Path(__file__).parents[2]
    bare = f"import sys; sys.path[:] = [p for p in sys.path if p != {str(root)!r}]; sys.path.insert(0, {str(root)!r}); "
    run = "sys.argv[1:] = ['run', 'greedy', 'random', '-g', 'dockfight', '-n', '2', '-q', '-o', sys.argv[1]]; "
    start = "import runpy; runpy.run_module('arena', run_name='__main__', alter_sys=True)"
    env = {"PATH": os.environ["PATH"], "ARENA_ISOLATION": "none", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", bare + run + start, str(tmp_path / "r")],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
