"""Files that somebody edited by hand: a value, or all of it, of the wrong kind ends in words and a known exit code."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli import forks
from tests.cli.command import arena, unfinish
from tests.leagues.test_season import enter, season

Key = str | int
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**63,
    10**30,
    1.5,
    "",
    "\0",
    "2/5",
    "::error::x",
    "a\n::error::x",
    [],
    {},
    [[]],
    ["x"],
)
"""What may stand where something else is expected."""
PIECES = (
    b"",
    b"\n",
    b"[]",
    b"{}",
    b"null",
    b"1e999",
    b"9" * 5000,
    b"\0" * 64,
    b"\xff\xfe",
    b'"\\ud800"',
    b'{"a":' * 10_000,
)
"""What may stand in a file where all of it, or a piece, was something else."""
CODES = (0, 1, 2, 4)
"""All is well, a gate failed, a mistake, a journal that is damaged: never trouble of the machine."""
BOT = {
    "name": "mine",
    "command": ["{python}", "-S", "bot.py"],
    "games": ["dockfight"],
    "build": [["true"]],
    "needs": ["sh"],
    "restart": "never",
    "env": {"A": "b"},
    "threads": 1,
    "limits": {"move": "1s", "stray": 3},
}
SETTINGS = {
    "games": ["dockfight"],
    "bots": ["bots/*"],
    "anchors": ["random"],
    "seats": 3,
    "matches": 6,
    "lanes": 1,
    "max-faults": 3,
    "out": "results",
    "readable": ["bots"],
    "isolation": "none",
    "limits": {"memory": "1GiB"},
    "clocks": {"move": "1s", "start": "10s", "bank": "30s+1s", "budget": "2m"},
}


class Edited(NamedTuple):
    """A file of the folder, what is in it, how that is written, and the commands that read it."""

    file: str
    table: Callable[[Path], Any]
    write: Callable[[Any], str]
    commands: tuple[tuple[str, ...], ...]
    where: str = "."


def loaded(file: str) -> Callable[[Path], Any]:
    """What a file of JSON holds."""
    return lambda place: json.loads((place / file).read_bytes())


def toml(table: dict[str, Any]) -> str:
    """A table as TOML; what TOML has no word for is left out."""
    return "".join(f"{json.dumps(key)} = {_toml(value)}\n" for key, value in table.items() if value is not None)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items() if each) + "}"
    return json.dumps([each for each in value if each is not None] if isinstance(value, list) else value)


RUN = ("run", "greedy", "random", "-g", "dockfight", "-n", "4", "--seats", "2", "-q", "-o", "run")
SEASON = tuple(("season", *words) for words in (("-q",), ("--dry-run",), ("--tables-only",)))
READING = tuple((word, "run") for word in ("leaderboard", "matches", "stats", "verify", "export"))
FILES = [
    Edited("run/run.json", loaded("run/run.json"), json.dumps, (RUN, *READING, ("merge", "run", "-o", "merged"))),
    Edited("run/secret.json", loaded("run/secret.json"), json.dumps, (RUN, ("verify", "run"))),
    Edited("plan/run.json", loaded("plan/run.json"), json.dumps, (("run", "--plan", "plan", "-o", "part", "-q"),)),
    Edited(
        "league/results/dockfight/run.json", loaded("league/results/dockfight/run.json"), json.dumps, SEASON, "league"
    ),
    Edited("league/history.jsonl", loaded("league/history.jsonl"), json.dumps, SEASON, "league"),
    Edited("league/arena.toml", lambda _: SETTINGS, toml, (*SEASON, RUN), "league"),
    Edited("league/bots/mine/bot.toml", lambda _: BOT, toml, (*SEASON, ("run", "bots/mine", *RUN[2:])), "league"),
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that is not finished, a plan, and a league. Nobody changes it."""
    place = tmp_path_factory.mktemp("kept")
    arena(place, *RUN)
    unfinish(place / "run", 2)
    arena(place, *RUN[:-1], "plan", "--dry-run")
    (place / "league").mkdir()
    (place / "league/arena.toml").write_text(toml({**SETTINGS, "anchors": ["random", "greedy"]}))
    enter(place / "league", "mine")
    season(place / "league", "--trust")
    return place


def places(value: Any, at: tuple[Key, ...] = ()) -> Iterator[tuple[Key, ...]]:
    """The way to each value within a value."""
    inside: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*at, key)
        yield from places(each, (*at, key))


@pytest.mark.parametrize("edited", FILES, ids=[each.file for each in FILES])
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.long
def test_any_value_of_any_kind(edited: Edited, kept: Path, tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """Whatever stands in a file, or is left out, nobody sees a traceback, and no line is a command of a CI runner."""
    table = deepcopy(edited.table(kept))
    *way, last = data.draw(st.sampled_from(list(places(table))))
    inside = table
    for key in way:
        inside = inside[key]
    if data.draw(st.booleans()):
        inside[last] = data.draw(st.sampled_from(WRONG))
    else:
        del inside[last]
    words = data.draw(st.sampled_from(edited.commands))
    place = Path(shutil.copytree(kept, tmp_path_factory.mktemp("edited") / "place"))
    (place / edited.file).write_text(edited.write(table) + "\n", encoding="utf-8")
    ends_in_words(words, place / edited.where)


def ends_in_words(words: tuple[str, ...], place: Path) -> None:
    """Run a command, which must end in words and a known exit code."""
    done = forks.run(
        list(words), place, os.environ | {"ARENA_ISOLATION": "none", "ARENA_LANES": "1", "ARENA_TRUST": "1"}, timeout=60
    )
    out = (done.stdout + done.stderr).decode()
    assert "Traceback" not in out
    assert done.returncode in CODES, out
    assert not [line for line in out.split("\n") if line.lstrip().startswith("::")]


JOURNALS = [
    Edited("run/matches.jsonl", str, str, (RUN, *READING, ("replay", "run", "#0"), ("report", "run", "-o", "x.html"))),
    Edited("league/results/dockfight/matches.jsonl", str, str, SEASON, "league"),
]


@pytest.mark.parametrize("edited", [*FILES, *JOURNALS], ids=lambda each: each.file)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.long
def test_any_file_as_a_whole(edited: Edited, kept: Path, tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """So does a file that is something else from its first byte, or has a piece in it that is."""
    place = Path(shutil.copytree(kept, tmp_path_factory.mktemp("edited") / "place"))
    file = place / edited.file
    old = file.read_bytes() if file.exists() else b""
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(old))] * 2)))
    piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=8))
    file.write_bytes(data.draw(st.sampled_from([piece, old[:start] + piece + old[end:], old + piece])))
    ends_in_words(data.draw(st.sampled_from(edited.commands)), place / edited.where)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("run/run.json", ("leaderboard", "run")),
        ("league/history.jsonl", ("season", "--tables-only")),
    ],
)
@pytest.mark.long
def test_nested_too_deep(file: str, words: tuple[str, ...], kept: Path, tmp_path: Path) -> None:
    """JSON that is nested deeper than anything can be is told as damage of its file."""
    place = Path(shutil.copytree(kept, tmp_path / "place"))
    (place / file).write_bytes(PIECES[-1] + b"\n")
    folder = place / "league" if words[0] == "season" else place
    said = arena(folder, *words, code=4, env={"ARENA_TRUST": "1"}).err
    assert Path(file).name in said
    assert "JSON is nested too deep" in said
