"""Observations as rows of numbers: what a good player sees can be read back from its row."""

import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from arena import games
from arena.environments.encoding import Encoding, encoding_of, plain
from arena.environments.environment import Environment
from arena.games.dockfight.events import Cut
from arena.selfplay.players import module_of
from tests.documents import ROOT

QUICK = ("catch-of-the-day", "dockfight")


def lost(columns: dict[str, float], rows: set[str], name: str, value: Any) -> Iterator[str]:
    """What the numbers of a field do not tell of its value; the order of a row of words they need not tell."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from lost(columns, rows, f"{name}.{key}" if name else key, each)
    elif isinstance(value, list) and name in rows:
        for at, each in enumerate(value):
            yield from lost(columns, rows, f"{name}[{at}]", each)
    elif name in columns and value is not None:
        if columns[name] != value:
            yield f"{name}: {value} is {columns[name]}"
    elif value is not None:
        for word, count in Counter(map(str, value if isinstance(value, list) else [value])).items():
            if columns.get(f"{name}: {word}") != count:
                yield f"{name}: {count} times {word} is {columns.get(f'{name}: {word}')}"


def parts(name: str) -> Iterator[str]:
    """The beginnings of a column's name that end with a place: ``boards[0]`` and ``boards[0][1]``."""
    for at, letter in enumerate(name):
        if letter == "]":
            yield name[: at + 1]


def row_of(encoding: Encoding, observation: Any) -> dict[str, float]:
    """The row of an observation by the names of its columns."""
    row: array[float] = encoding.encode(observation)
    assert all(map(float.__le__, encoding.low, row))
    assert all(map(float.__le__, row, encoding.high))
    return dict(zip(encoding.names[: encoding.observed], row, strict=False))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long]) for name in games.names()]
)
def test_nothing_is_lost(name: str) -> None:
    """In matches of ``greedy``, which get further than random play, nothing is beyond the bounds or left out."""
    table = Environment(name)
    encoding = encoding_of(name, table.seats, table.variants)
    decide = module_of(ROOT / "bots" / "greedy" / f"{name.replace('-', '_')}.py").decide
    rows = {part[:-1].rpartition("[")[0] for name in encoding.names for part in parts(name)}
    beyond: Counter[str] = Counter()
    seen = 0
    table.reset("test")
    while table.seat is not None:
        decision, observation = table.decision, plain(table.observation())
        beyond.update(lost(row_of(encoding, table.observation()), rows, "", observation))
        seen += 1
        question = {"observation": observation, "options": plain(decision.options), "events": []}
        question |= {"least": decision.least, "most": decision.most, "count": len(decision.options)}
        table.step(decide(question))
    assert sum(beyond.values()) * 100 <= seen, beyond


def test_always_the_same() -> None:
    """Another process, with other hashes of words, makes the same encoding."""
    code = "from arena.environments.encoding import encoding_of; print(*encoding_of('dockfight', 3, {}).describe())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "1"}
    )
    described = encoding_of("dockfight", 3, {}).describe()
    assert done.stdout.split() == " ".join(described).split()
    assert "at_most[1][11]" in done.stdout


def test_options_that_were_not_seen() -> None:
    """Each opponent can be cut off from the same Days as the others: values of fields are put together in all ways."""
    table = Environment("dockfight", 3)
    encoding = encoding_of("dockfight", 3, table.variants)
    known = [{day for day in range(1, 13) if encoding.option(Cut(opponent=seat, day=day))} for seat in range(3)]
    assert known[0] == known[1] == known[2]
    assert known[0] == set(range(min(known[0]), max(known[0]) + 1))
    assert encoding.option(Cut(opponent=0, day=99)) == 0


@pytest.mark.long
def test_words_of_a_history_are_no_words_of_other_fields() -> None:
    """Moves of Fish Food have columns of their own: no other field of seats or sizes gets columns for them."""
    game = games.find("fish-food")
    names = encoding_of(game.name, 4, game.resolve_variants({})).names
    words = {name.partition(": ")[2] for name in names if name.startswith("moves: ")}
    assert "2+" in words
    assert not [name for name in names if name.partition(": ")[2] in words and not name.startswith("moves: ")]
