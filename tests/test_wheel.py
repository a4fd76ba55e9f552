"""The wheel holds all that a user needs and nothing else, and plays from an empty folder."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena import __version__, games
from arena.cli.docs import pages
from arena.games import folder_of
from tests.documents import anchors

ROOT = Path(__file__).parents[1]
FOLDERS = {"README.md", "RULINGS.md", "rules.md", "leaderboard.md"}
"""Documents of folders that users have: of a bot, a game, a run, a league."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    ended = subprocess.run(build, cwd=ROOT, check=False, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    (built,) = folder.glob("*.whl")
    return built


def names_in(wheel: Path) -> set[str]:
    """The files of a wheel."""
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_its_name(wheel: Path) -> None:
    """It is a wheel of fish-arena for any system, in the version that arena says."""
    assert wheel.name == f"fish_arena-{__version__}-py3-none-any.whl"


def test_what_is_in_it(wheel: Path) -> None:
    """All modules, starters, the example, texts for leagues, the shipped bots, documents, rules and marker of types."""
    names = names_in(wheel)
    wanted = {path.relative_to(ROOT).as_posix() for path in (ROOT / "arena").rglob("*.py")}
    bots = ROOT / "bots"
    wanted |= {
        f"arena/shipped/{path.relative_to(bots).as_posix()}"
        for path in bots.glob("*/*")
        if path.is_file() and path.suffix in {".toml", ".py", ".js", ".c"}
    }
    starters = ROOT / "arena" / "starters"
    wanted |= {
        path.relative_to(ROOT).as_posix() for path in starters.glob("*/*") if path.is_file() and path.suffix != ".pyc"
    }
    texts = [path for path in (ROOT / "arena" / "leagues").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    wanted |= {path.relative_to(ROOT).as_posix() for path in texts}
    for place, name in (("example", "night-nets"), ("example_format", "king-of-the-hill")):
        example = ROOT / "examples" / name
        wanted |= {
            f"arena/{place}/{path.relative_to(example).as_posix()}"
            for path in example.rglob("*")
            if path.suffix in {".py", ".md", ".toml"}
        }
    wanted |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "arena" / "page" / "files").iterdir()}
    wanted |= {"arena/py.typed", f"fish_arena-{__version__}.dist-info/licenses/LICENSE"}
    wanted |= {f"{folder_of(games.find(name)).replace('.', '/')}/rules.md" for name in games.names()}
    wanted |= {f"arena/documents/{path}" for path in ("README.md", "CHANGELOG.md", "SECURITY.md", "protocol.md")}
    ours = {path.name for path in (ROOT / "docs").glob("*.md")}
    wanted |= {f"arena/documents/docs/{name}" for name in ours}
    assert not wanted - names
    assert {name for name in names if name.startswith("arena/documents/docs/")} <= wanted


def texts_of_arena() -> Iterator[tuple[Path, str, bool]]:
    """What code, starters and bots of the wheel say: where, what, and whether it is the documentation of code."""
    for path in [*(ROOT / "arena").rglob("*.*"), *(ROOT / "bots").rglob("*.*")]:
        of_a_game = path.suffix == ".md" and "games" in path.parts
        if path.suffix == ".pyc" or of_a_game or not path.is_file():
            continue
        text = path.read_text("utf-8")
        if path.suffix != ".py" or (path.stem == "bot" and "starters" in path.parts):
            yield path, text, False
            continue
        nodes = [*ast.walk(ast.parse(text))]
        told = {node.value for node in nodes if isinstance(node, ast.Expr)}
        if path.parent.name == "cli":
            # there they are the help of commands
            told -= {getattr(node.body[0], "value", None) for node in nodes if isinstance(node, ast.FunctionDef)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path, node.value, node in told


@pytest.mark.long
def test_documents_that_are_named(wheel: Path) -> None:
    """Each document that arena, a starter or a bot names is there: `arena docs` shows it, with the section named.

    Messages name the command. The documentation of the code may name the file, and anybody the files of a user's
    folder.
    """
    names = names_in(wheel)
    known = pages()
    by_command = set()
    for path, text, inside in texts_of_arena():
        for page, anchor in re.findall(r"arena\s+docs\s+([a-z][\w-]*)(?:#([\w-]+))?", text):
            by_command.add(page)
            assert page in known, f"{path}: {page}"
            assert not anchor or anchor in anchors(known[page].text), f"{path}: {page}#{anchor}"
        for linked, file in re.findall(r"(\]\()?\b((?:[\w.-]+/)*[\w-]+\.md)\b", text):
            # what docs/commands.md says of fields has links
            there = (inside or linked) and f"arena/documents/{'docs/' if linked else ''}{file}" in names
            assert there or file in {*FOLDERS, "docs/README.md"}, f"{path}: {file}"
    assert {"protocol", "isolation", "config", "library"} <= by_command
    for page in known.values():
        assert {page.path, f"arena/documents/{page.path}"} & names, page.path


def test_what_is_not_in_it(wheel: Path) -> None:
    """Nothing but arena and its description is in it: no tests but the examples', no benchmarks, nothing compiled."""
    names = names_in(wheel)
    assert {name.partition("/")[0] for name in names} == {"arena", f"fish_arena-{__version__}.dist-info"}
    ours = [name for name in names if not name.startswith(("arena/example/tests/", "arena/example_format/tests/"))]
    assert not [name for name in ours if re.search(r"(^|/)tests?[/_]|__pycache__|\.(pyc|so)$", name)]


def install(wheel: Path, home: Path) -> Path:
    """A fresh environment with the wheel in it, by uv or pip as the Makefile does; its folder of packages."""
    uv = shutil.which("uv")
    venv.create(home, symlinks=True)
    python = str(home / "bin" / "python")
    offline = (
        [uv, "pip", "install", "--offline", "--python", python]
        if uv
        else [sys.executable, "-m", "pip", "--python", python, "install", "--no-index"]
    )
    ended = subprocess.run(
        [*offline, "-q", "--no-deps", str(wheel)], check=False, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    # a path file brings in the packages arena needs, but not what their own path files would: the checkout
    (packages / "needs.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    return packages


@pytest.mark.long
def test_it_plays(wheel: Path, tmp_path: Path) -> None:
    """Installed without network, its command plays the shipped bots from an empty folder, and begins new ones."""
    home, folder = tmp_path / "home", tmp_path / "empty"
    packages = install(wheel, home)
    folder.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}

    def printed(program: str, *words: str) -> str:
        command = [str(home / "bin" / program), *words]
        ended = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    assert Path(printed("python", "-c", "import arena; print(arena.__file__)")).is_relative_to(packages)
    assert printed("arena", "--version") == f"arena {__version__}\n"
    found = json.loads(printed("arena", "run", "-g", "dockfight", "-n", "6", "-q", "--json"))
    assert found["matches"] >= 6
    assert not any(row["faults"] for row in found["leaderboard"])
    assert {"greedy", "random"} <= {row["bot"] for row in found["leaderboard"]}
    assert "Dockfight" in printed("arena", "rules", "dockfight")
    assert printed("arena", "docs", "protocol") == (ROOT / "protocol.md").read_text("utf-8")
    listed = {row["page"]: row["about"] for row in json.loads(printed("arena", "docs", "--json"))}
    assert listed == {name: page.about for name, page in pages().items()}
    assert "matches hold" in printed("arena", "verify", found["run"])
    printed("arena", "new", "bot", "mine", "--lang", "python-typed", "-g", "dockfight")
    # the packages that it needs are another environment's, where no wall lets it look
    assert "17 of 17" in printed("arena", "check", "mine", "--seats", "2", "--isolation", "none")
