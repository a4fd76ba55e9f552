"""RULINGS.md of each game: what the rulebook leaves open, what that rests on, and which test holds it."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from arena import games

FOLDERS = sorted(page.parent for page in Path(games.__file__).parent.glob("*/RULINGS.md"))
every_game = pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])


class Ruling(NamedTuple):
    """A row of the table."""

    number: int
    text: str
    rests_on: str
    tests: list[str]


def rulings(folder: Path) -> list[Ruling]:
    """All rows of a game's table."""
    row = r"^\| (\d+) \| (.*) \| (.*) \| (.*) \|$"
    found = re.findall(row, (folder / "RULINGS.md").read_text("ascii"), re.MULTILINE)
    return [
        Ruling(int(number), text, rests_on, re.findall(r"`(\w+\.py::\w+)`", named))
        for number, text, rests_on, named in found
    ]


@cache
def functions_of(file: str) -> set[str]:
    """The functions of a file of tests in this folder."""
    tree = ast.parse((Path(__file__).parent / file).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@every_game
def test_rulings_are_numbered(folder: Path) -> None:
    """Every game has its rulings, numbered from 1 without a gap: a row that cannot be read leaves one."""
    rows = (folder / "RULINGS.md").read_text("ascii").count("\n| ")
    assert [ruling.number for ruling in rulings(folder)] == list(range(1, rows))


@every_game
def test_rulings_say_what_they_rest_on(folder: Path) -> None:
    """Each ruling is of the rulebook, publicly known, derived or designed, and the page says what these words mean."""
    found = {ruling.rests_on for ruling in rulings(folder)}
    assert found <= {"seed", "sourced", "derived", "designed"}
    assert {"seed", "derived", "designed"} <= found
    text = (folder / "RULINGS.md").read_text("ascii")
    assert all(f"*{mark}*: " in text for mark in ("seed", "sourced", "derived", "designed"))


@every_game
def test_rulings_name_their_tests(folder: Path) -> None:
    """Each ruling names at least one test, and each of them is really there."""
    for ruling in rulings(folder):
        assert ruling.tests, f"expected a test for ruling {ruling.number}, got none"
        for name in ruling.tests:
            file, _, test = name.partition("::")
            assert test in functions_of(file), f"expected a test {name} for ruling {ruling.number}, got none"


@pytest.mark.parametrize(
    ("name", "number", "reason"),
    [
        ("fish_food", 32, "more than the rulebook says"),
        ("cash_a_catch", 27, "departs from the rulebook"),
    ],
)
def test_who_departs_from_the_rulebook_says_why(name: str, number: int, reason: str) -> None:
    """A ruling that does not follow the rulebook says so, and why."""
    (folder,) = [each for each in FOLDERS if each.name == name]
    (ruling,) = [each for each in rulings(folder) if each.number == number]
    assert ruling.rests_on in {"sourced", "designed"}
    assert reason in ruling.text
