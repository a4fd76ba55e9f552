"""The shape of the host: `.importlinter` says which room imports which, and files and commands stay short."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

OFFENCES = {
    "chance.py": ["arena.game"],
    "cli/options.py": ["arena.referee", "arena.ratings.fit", "tabulate"],
    "formats/swiss.py": ["arena.tournament.journal"],
    "game.py": ["arena.wire", "arena.laws"],
    "games/lure/rules.py": ["arena.games.dockfight.cards", "arena.errors", "arena.wire", "random", "os"],
    "leagues/league.py": ["arena.cli.run"],
    "players/process.py": ["arena.game", "arena.referee"],
    "page/comparison.py": ["arena.tournament.run"],
    "ratings/fit.py": ["arena.game", "arena.formats", "trueskill"],
    "referee.py": ["arena.players.process", "arena.games"],
    "report/table.py": ["arena.tournament.run", "typer", "numpy"],
    "tournament/run.py": ["arena.leagues.league", "arena.terminal", "rich", "htpy"],
    "wire.py": ["arena.record"],
}
"""File -> what it imports against the map when this is written at its end."""


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the package in a folder."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_rooms_import_only_what_they_may_know() -> None:
    """No file of the host imports a room it may not know, or an outside package whose door is elsewhere."""
    done = linted(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_offences_are_found(tmp_path: Path) -> None:
    """An import against the map is found wherever it is written, and a room that the map does not name."""
    shutil.copytree(ROOT / "arena", tmp_path / "arena", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for path, names in OFFENCES.items():
        with (tmp_path / "arena" / path).open("a", encoding="utf-8") as file:
            file.writelines(f"def f():\n    import {name}\n" for name in names)
    (tmp_path / "arena/cellar.py").touch()
    said = linted(tmp_path).stdout
    importers = {path: "arena." + path.removesuffix(".py").replace("/", ".") for path in OFFENCES}
    wanted = {f"{importers[path]} -> {name} (" for path, names in OFFENCES.items() for name in names}
    assert {link for link in wanted if link not in said} == set()
    assert "arena.cellar" in said


@pytest.mark.parametrize("words", ["--version", "games", "run --help"])
def test_numpy_is_loaded_when_something_is_computed(words: str) -> None:
    """No command loads numpy that computes nothing; its one door in the host loads it when it is first used."""
    script = f"""
import sys
from arena.__main__ import main
from arena.numeric import np
sys.argv[1:] = {words.split()}
try:
    main()
except SystemExit as end:
    assert not end.code
print("numpy" in sys.modules, np.zeros(1).sum(), "numpy" in sys.modules)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "False 0.0 True"


def test_commands_are_thin() -> None:
    """A command reads its arguments, calls and prints: no function has over 40 lines, the whole under 2,800."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "arena/cli").rglob("*.py")}
    lengths = {
        f"{path.name}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }
    assert {name: lines for name, lines in lengths.items() if lines > 40} == {}
    assert sum(text.count("\n") for text in texts.values()) < 2800


def test_no_file_is_too_long() -> None:
    """No file of the host, its bots or its tests has over 500 lines: it is split by subject before."""
    paths = [path for room in ("arena", "benchmarks", "bots", "tests") for path in (ROOT / room).rglob("*")]
    lengths = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n")
        for path in paths
        if path.suffix in {".py", ".js", ".css"} and "node_modules" not in path.parts
    }
    assert {path: length for path, length in lengths.items() if length > 500} == {}
