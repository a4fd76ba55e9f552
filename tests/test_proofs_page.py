"""The page of proofs names what is there, every long proof among it, and `make proof` says how it went."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.documents import ROOT

PAGE = (ROOT / "docs" / "decisions" / "proofs.md").read_text(encoding="utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
PROOFS = """
import pytest

@pytest.mark.proof
def test_one(record_property):
    '''All fish swim. In the sea.'''
    record_property("fish", 12345)

@pytest.mark.proof
def test_two():
    '''No fish
    flies.'''
    assert not "flying fish"

@pytest.mark.proof
@pytest.mark.skipif(True, reason="no sea")
def test_three():
    '''Fish sing.'''

def test_four():
    '''No proof.'''
"""


@cache
def functions_of(path: str) -> dict[str, bool]:
    """The test functions of a file, and whether each is a long proof, by itself or in one of its cases."""
    text = (ROOT / path).read_text(encoding="utf-8")
    tree = ast.parse(text)
    whole = re.search(r"^pytestmark = .*mark\.proof", text, re.MULTILINE) is not None
    return {
        node.name: whole or any("mark.proof" in ast.unparse(mark) for mark in node.decorator_list)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def rows() -> list[list[str]]:
    """The cells of each row."""
    _, _, *lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_what_the_page_names_is_there() -> None:
    """Each row names a promise, at least one test that is there, and a figure or what was seen."""
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    table = rows()
    assert len(table) > 15
    for cells in table:
        assert len(cells) == 3
        promise, by, numbers = cells
        named = TEST.findall(by)
        assert promise
        assert numbers
        assert named, by
        for path, name in named:
            assert not name or name in functions_of(path), f"{path}::{name}"
        # of a file as a whole, part may be long
        if all(name for _, name in named):
            assert ("`make proof`" in by) == any(functions_of(path)[name] for path, name in named), by
        assert set(re.findall(r"`make (\w+)`", by)) <= set(targets)


def test_every_long_proof_is_on_the_page() -> None:
    """Whatever `make proof` runs stands in the table."""
    named = set(TEST.findall(PAGE))
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        path = file.relative_to(ROOT).as_posix()
        for name, long in functions_of(path).items():
            # a file named as a whole stands for all that is in it
            assert not long or {(path, name), (path, "")} & named, f"{path}::{name}"


@pytest.mark.long
def test_the_summary_of_proofs(tmp_path: Path) -> None:
    """Each proof is one line: its first sentence, its figures and its seconds; what has not passed says so first."""
    (tmp_path / "test_proofs.py").write_text(PROOFS, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"), "-q", "-m"]

    def said(selected: str) -> str:
        run = [*words, selected, "--rootdir", str(tmp_path), "-p", "no:cacheprovider", str(tmp_path)]
        return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False).stdout

    summary = re.sub(r"\d+ s\]", "0 s]", said("proof"))
    assert (
        "\n- All fish swim. [fish 12,345, 0 s]\n- FAILED: No fish flies. [0 s]\n- SKIPPED: Fish sing. [0 s]\n"
        in summary
    )
    assert "what was proven" not in said("not proof")
