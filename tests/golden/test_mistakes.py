"""What arena says to the mistakes of an evening is what ``mistakes.md`` tells, for readers to judge."""

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from tests.golden.evening import COLUMNS, GOLDEN, document, evening, told
from tests.golden.mistakes import MISTAKES, PLAYING, STARTING, Mistake
from tests.toolchains import leave_out

RENEW = "renew with: python -m tests.golden.renew"
TEXT = GOLDEN.read_text("utf-8")
PARTS = {part.partition("\n")[0]: f"### {part}" for part in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]}
LISTED = [mistake for mistakes in MISTAKES.values() for mistake in mistakes]
AT_ONCE = 4
"""Of the mistakes with processes, so many are made in the plain suite too, and of the others each fourth."""
PLAIN = [
    *STARTING[:AT_ONCE],
    *PLAYING[:AT_ONCE],
    *(
        mistake
        for mistake in [mistake for mistake in LISTED if mistake not in (*STARTING, *PLAYING)][::AT_ONCE]
        if not mistake.first.startswith("arena run") and " && " not in mistake.first
    ),
]
CASES = [
    pytest.param(mistake, id=mistake.title, marks=[] if mistake in PLAIN else [pytest.mark.long]) for mistake in LISTED
]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder with a bot that works and a finished run. Nobody changes it."""
    with evening() as made:
        yield made


@pytest.mark.parametrize("mistake", CASES)
def test_mistake(mistake: Mistake, place: Path) -> None:
    """The command says the same as ever, and ends with the same exit code."""
    if missing := [program for program in mistake.needs if which(program) is None]:
        leave_out(f"expected {missing[0]} on PATH, got none")
    assert told(mistake, place).strip() == PARTS[mistake.title].partition("\n## ")[0].strip(), RENEW


def test_the_golden_is_whole() -> None:
    """It tells of each mistake once, in the order of the table, and of no other; there are a hundred and more."""
    assert len({mistake.title for mistake in LISTED}) == len(LISTED) > 100
    bare = {mistake.title: PARTS[mistake.title].partition("\n## ")[0].rstrip("\n") + "\n" for mistake in LISTED}
    assert document(bare) == TEXT, RENEW


def test_what_is_said_is_short() -> None:
    """No traceback is shown, no line is wider than the terminal, and nothing is told of what was sent and received."""
    for title, part in PARTS.items():
        said = part.partition("```console\n")[2].partition("```")[0].splitlines()
        lines = [line for line in said if not line.startswith("$ ")]
        assert not [line for line in lines if len(line) > COLUMNS], title
        assert not [line for line in lines if "Traceback" in line or " | " in line], title
