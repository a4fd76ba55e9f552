"""The Dockerfile keeps its promises, as far as can be told without a builder: pinned, no root, nothing fetched late."""

import fnmatch
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from tests.documents import ROOT, blocks

INSTRUCTIONS = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
FETCHES = re.compile(r"\b(pip\b.* (install|wheel|download)|apt-get|apt|curl|wget|npm|uv|git)\b")


class Instruction(NamedTuple):
    """A word in capitals and what follows it, continued lines joined."""

    word: str
    rest: str


def stages() -> list[list[Instruction]]:
    """The instructions of the Dockerfile; what stands before the first ``FROM``, then each stage with its ``FROM``."""
    text = (ROOT / "Dockerfile").read_text("ascii").replace("\\\n", " ")
    found: list[list[Instruction]] = [[]]
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            assert word in INSTRUCTIONS, f"expected an instruction of {sorted(INSTRUCTIONS)}, got {line!r}"
            if word == "FROM":
                found.append([])
            found[-1].append(Instruction(word, " ".join(rest.split())))
    return found


def of(stage: list[Instruction], word: str) -> list[str]:
    """What follows each such word of a stage."""
    return [each.rest for each in stage if each.word == word]


def sources(stage: list[Instruction]) -> list[tuple[list[str], str]]:
    """What a stage copies from the repository, and where to."""
    copies = [rest.split() for rest in of(stage, "COPY") if not rest.startswith("--from=")]
    return [(words[:-1], words[-1]) for words in copies]


def sent(path: str) -> bool:
    """Whether the builder is given a file: nothing is, but for what ``.dockerignore`` lets through again."""
    rules = [line for line in (ROOT / ".dockerignore").read_text("ascii").splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    let_through = any(path == rule[1:] or path.startswith(f"{rule[1:]}/") for rule in rules if rule[0] == "!")
    kept_back = [rule.removeprefix("**/") for rule in rules[1:] if rule[0] != "!"]
    return let_through and not any(fnmatch.fnmatch(part, rule) for part in path.split("/") for rule in kept_back)


def test_its_base() -> None:
    """Both stages stand on one slim image of a named Python and Debian, never on `latest`."""
    before, build, final = stages()
    (base,) = of(before, "ARG")
    name, _, image = base.partition("=")
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", image)
    assert of(build, "FROM") == [f"${{{name}}} AS build"]
    assert of(final, "FROM") == [f"${{{name}}}"]


def test_nobody_is_root() -> None:
    """What runs in the container is a user by number that is not root, and nothing is run as root after that."""
    _, _, final = stages()
    words = [each.word for each in final]
    (user,) = of(final, "USER")
    assert all(int(number) >= 1000 for number in user.split(":"))
    assert "RUN" not in words[words.index("USER") :]
    assert of(final, "ENTRYPOINT") == ['["arena"]']


def test_nothing_is_fetched_when_it_runs() -> None:
    """Only the first stage fetches, and only what has its hash; the image itself is made of what that one has built."""
    _, build, final = stages()
    assert not [rest for rest in of(final, "RUN") if FETCHES.search(rest)]
    assert sources(final) == []
    steps = [step for rest in of(build, "RUN") for step in rest.split(" && ") if FETCHES.search(step)]
    assert steps
    for step in steps:
        assert ("--require-hashes -r " in step) != ("--no-index --no-deps " in step), step
    assert "/opt/arena/bin" in " ".join(of(final, "ENV"))


def test_what_it_copies() -> None:
    """Every file that is copied is there and is given to the builder; results, tests and history are not."""
    _, build, _ = stages()
    for names, _ in sources(build):
        for name in names:
            assert (ROOT / name).exists()
            assert sent(name)
    for name in ("results/a/secret.json", "tests/conftest.py", ".git/config", "arena/__pycache__/game.py", ".venv/x"):
        assert not sent(name)


@pytest.mark.long
def test_what_it_copies_is_enough(tmp_path: Path) -> None:
    """From the files that the builder is given the wheel is built, and it is the one of the whole checkout."""
    _, build, _ = stages()
    for names, to in sources(build):
        for name in names:
            here, there = ROOT / name, tmp_path / (to if (ROOT / name).is_dir() else f"{to}/{Path(name).name}")
            there.parent.mkdir(parents=True, exist_ok=True)
            if here.is_dir():
                shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(here, there)
    found = []
    for folder in (ROOT, tmp_path):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / f"of-{folder.name}")]
        ended = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stderr
        (wheel,) = (tmp_path / f"of-{folder.name}").glob("*.whl")
        with ZipFile(wheel) as archive:
            found.append(sorted(archive.namelist()))
    assert found[0] == found[1]


def test_hadolint() -> None:
    """The linter of Dockerfiles finds nothing, neither in the image nor in the extension that the docs show."""
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("expected hadolint, got none: there is no build of it for this machine")
    shown = blocks((ROOT / "docs" / "container.md").read_text("utf-8"), "dockerfile")
    assert shown
    for text in ((ROOT / "Dockerfile").read_text("ascii"), *shown):
        ended = subprocess.run([hadolint, "-"], input=text, check=False, capture_output=True, text=True, timeout=300)
        assert (ended.returncode, ended.stdout) == (0, "")
    flawed = subprocess.run([hadolint, "-"], input=b"FROM python:latest\n", check=False, capture_output=True)
    assert flawed.returncode != 0
