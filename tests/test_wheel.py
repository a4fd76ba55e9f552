"""The wheel holds all that a user needs and nothing else, and plays from an empty folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena import __version__, games
from arena.games import folder_of

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    ended = subprocess.run(build, cwd=ROOT, check=False, capture_output=True, text=True, timeout=60)
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
    """All modules, starters, the example, texts for leagues, the shipped bots, protocol, rules and marker of types."""
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
    example = ROOT / "examples" / "night-nets"
    wanted |= {
        f"arena/example/{path.relative_to(example).as_posix()}"
        for path in example.rglob("*")
        if path.suffix in {".py", ".md", ".toml"}
    }
    wanted |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "arena" / "page" / "files").iterdir()}
    wanted |= {"arena/protocol.md", "arena/py.typed", f"fish_arena-{__version__}.dist-info/licenses/LICENSE"}
    wanted |= {f"{folder_of(games.find(name)).replace('.', '/')}/rules.md" for name in games.names()}
    assert not wanted - names


def test_what_is_not_in_it(wheel: Path) -> None:
    """Nothing but arena and its description is in it: no tests but the example's, no benchmarks, nothing compiled."""
    names = names_in(wheel)
    assert {name.partition("/")[0] for name in names} == {"arena", f"fish_arena-{__version__}.dist-info"}
    ours = [name for name in names if not name.startswith("arena/example/tests/")]
    assert not [name for name in ours if re.search(r"(^|/)tests?[/_]|__pycache__|\.(pyc|so)$", name)]


def install(wheel: Path, home: Path) -> Path:
    """A fresh environment with the wheel in it, by uv or pip as the Makefile does; its folder of packages."""
    uv = shutil.which("uv")
    venv.create(home, with_pip=uv is None, symlinks=True)
    python = str(home / "bin" / "python")
    offline = (
        [uv, "pip", "install", "--offline", "--python", python]
        if uv
        else [python, "-m", "pip", "install", "--no-index"]
    )
    ended = subprocess.run(
        [*offline, "-q", "--no-deps", str(wheel)], check=False, capture_output=True, text=True, timeout=60
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
        ended = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    assert Path(printed("python", "-c", "import arena; print(arena.__file__)")).is_relative_to(packages)
    assert printed("arena", "--version") == f"arena {__version__}\n"
    found = json.loads(printed("arena", "run", "-g", "dockfight", "-n", "6", "-q", "--json"))
    assert found["matches"] >= 6
    assert not any(row["faults"] for row in found["leaderboard"])
    assert {"greedy", "random"} <= {row["bot"] for row in found["leaderboard"]}
    assert "Dockfight" in printed("arena", "rules", "dockfight")
    assert "matches hold" in printed("arena", "verify", found["run"])
    printed("arena", "new", "bot", "mine", "--lang", "python-typed", "-g", "dockfight")
    # the packages that it needs are another environment's, where no wall lets it look
    assert "16 of 16" in printed("arena", "check", "mine", "--seats", "2", "--isolation", "none")
