"""Files that somebody edited by hand, or made up and signed: whatever is in them ends in words and a known exit code.

A journal's sums keep accidents apart from records; whoever hands a folder on can sign whatever he writes. So here the
sums are wrong in some files, and right in others, where what they are of is wrong.
"""

import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arena.cli.failure import code_of
from arena.errors import ArenaError
from arena.page.serving import Request
from arena.tournament.folder import RunFolder
from arena.web.live import Live
from tests.cli import forks
from tests.cli.command import OPEN, arena, forge, records, unfinish
from tests.leagues.test_season import enter, season

MORE = 4 if settings.get_current_profile_name() == "fresh" else 1
"""The proofs try four times as many examples."""
SOME = settings(max_examples=2 * MORE, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
Key = str | int
TEXTS = ("", "\0", "2/5", "::error::x", "a\n::error::x")
WRONG: tuple[Any, ...] = (None, True, -1, 0, 2**63, 10**30, 1.5, *TEXTS, [], {}, [[]], ["x"])
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
    """A folder with an unfinished run, a plan, a league, and a finished run of each kind. Nobody changes it."""
    place = tmp_path_factory.mktemp("kept")
    arena(place, *RUN)
    unfinish(place / "run", 2)
    arena(place, *RUN[:-1], "plan", "--dry-run")
    (place / "league").mkdir()
    (place / "league/arena.toml").write_text(toml({**SETTINGS, "anchors": ["random", "greedy"]}))
    enter(place / "league", "mine")
    season(place / "league", "--trust")
    for words in RUNS.values():
        arena(place, *words)
    return place


@pytest.fixture
def spoilt(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Make a copy of it, for each example another."""
    return lambda: Path(shutil.copytree(kept, tmp_path_factory.mktemp("spoilt") / "place"))


def places(value: Any, at: tuple[Key, ...] = ()) -> Iterator[tuple[Key, ...]]:
    """The way to each value within a value."""
    inside: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*at, key)
        yield from places(each, (*at, key))


def spoil(value: Any, data: st.DataObject, wrong: tuple[Any, ...] = WRONG, most: int = 1) -> None:
    """Put something else in a place or two of a value, leave it out, or have more of it."""
    for _ in range(data.draw(st.integers(1, most))):
        *way, last = data.draw(st.sampled_from(list(places(value))))
        inside = value
        for key in way:
            inside = inside[key]
        how = data.draw(st.sampled_from(["other", "other", "none", "more"]))
        if how == "none":
            del inside[last]
        elif how == "more" and isinstance(inside, list):
            inside.extend(deepcopy(inside))
        else:
            inside[last] = deepcopy(data.draw(st.sampled_from(wrong)))


@pytest.mark.parametrize("edited", FILES, ids=[each.file for each in FILES])
@SOME
@given(data=st.data())
@pytest.mark.long
def test_any_value_of_any_kind(edited: Edited, spoilt: Callable[[], Path], data: Any) -> None:
    """Whatever stands in a file, or is left out, nobody sees a traceback, and no line is a command of a CI runner."""
    place = spoilt()
    table = deepcopy(edited.table(place))
    spoil(table, data)
    (place / edited.file).write_text(edited.write(table) + "\n", encoding="utf-8")
    ends_in_words(data.draw(st.sampled_from(edited.commands)), place / edited.where)


def ends_in_words(words: tuple[str, ...], place: Path) -> None:
    """Run a command, which must end in words and a known exit code."""
    done = forks.run(list(words), place, os.environ | OPEN | {"ARENA_TRUST": "1"}, timeout=300)
    out = (done.stdout + done.stderr).decode()
    assert "Traceback" not in out
    assert done.returncode in CODES, out
    assert not [line for line in out.split("\n") if line.lstrip().startswith("::")]


JOURNALS = [
    Edited("run/matches.jsonl", str, str, (RUN, *READING, ("replay", "run", "#0"), ("report", "run", "-o", "x.html"))),
    Edited("league/results/dockfight/matches.jsonl", str, str, SEASON, "league"),
]


@pytest.mark.parametrize("edited", [*FILES, *JOURNALS], ids=lambda each: each.file)
@SOME
@given(data=st.data())
@pytest.mark.long
def test_any_file_as_a_whole(edited: Edited, spoilt: Callable[[], Path], data: Any) -> None:
    """So does a file that is something else from its first byte, or has a piece in it that is."""
    place = spoilt()
    file = place / edited.file
    old = file.read_bytes() if file.exists() else b""
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(old))] * 2)))
    piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=8))
    file.write_bytes(data.draw(st.sampled_from([piece, old[:start] + piece + old[end:], old + piece])))
    ends_in_words(data.draw(st.sampled_from(edited.commands)), place / edited.where)


@pytest.mark.parametrize(
    ("file", "words"), [("run/run.json", ("leaderboard", "run")), ("league/history.jsonl", ("season", "--tables-only"))]
)
@pytest.mark.long
def test_nested_too_deep(file: str, words: tuple[str, ...], spoilt: Callable[[], Path]) -> None:
    """JSON that is nested deeper than anything can be is told as damage of its file."""
    place = spoilt()
    (place / file).write_bytes(PIECES[-1] + b"\n")
    folder = place / "league" if words[0] == "season" else place
    said = arena(folder, *words, code=4, env={"ARENA_TRUST": "1"}).err
    assert Path(file).name in said
    assert "JSON is nested too deep" in said


# --- signed, and yet wrong

GAME = ("-g", "dockfight", "--seats", "2", "-q")
RUNS = {
    "whole": ("run", "greedy", "random", *GAME, "-n", "8", "-o", "whole"),
    "compared": ("compare", "greedy", "random", "random-c", *GAME, "-n", "4", "-o", "compared"),
    "cup": ("run", "greedy", "random", "random-c", *GAME, "--schedule", "knockout", "-o", "cup"),
}
"""Folders, and the commands that play them and go on with them."""
SIGNED = (
    ("leaderboard",),
    ("leaderboard", "--json"),
    ("stats",),
    ("stats", "--json"),
    ("matches",),
    ("matches", "--json"),
    ("replay", "#0"),
    ("replay", "e0b0r0", "--json"),
    ("report", "-o", "page.html"),
    ("verify",),
    ("export",),
    ("merge", "-o", "merged"),
)
HUGE = (2**31, 2**53, 2**64, -(2**63), 10**300, 1e308, -1e308, 5e-324, "x" * 300, "\x1b[31m", "\u202e", [0] * 5000)
"""More that may stand where something else is expected."""
PARTS = ("run.json", "matches.jsonl", "secret.json", "leaderboard.md", "matches.torn", "logs", "logs/greedy.log")
KINDS = ("folder", "pipe", "loop", "socket", "zeros", "hole", "empty", "cut")
TERABYTE = 1 << 40


def replace(path: Path, kind: str) -> None:
    """Put something else in the place of a file or folder."""
    old = path.read_bytes() if path.is_file() else b""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "loop":
            path.symlink_to(path.name)
        case "zeros":
            path.symlink_to("/dev/zero")
        case "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                # its path may be longer than the name of a socket may be
                folder = os.open(path.parent, os.O_PATH)
                listener.bind(f"/proc/self/fd/{folder}/{path.name}")
                os.close(folder)
        case "hole":
            path.write_bytes(old)
            os.truncate(path, TERABYTE)
        case _:
            path.write_bytes(old[: len(old) // 2 if kind == "cut" else 0])


def read_by(words: tuple[str, ...], run: str, place: Path) -> None:
    """Have a command read the run; for ``watch`` see each of its pages, too."""
    if words[0] == "watch":
        watched(place / run)
    else:
        ends_in_words(words if words in RUNS.values() else (words[0], run, *words[1:]), place)


def watched(run: Path) -> None:
    """What ``arena watch`` does until a person has seen each page; trouble is words, and at the start an exit code."""
    trouble: BaseException | None = None
    try:
        live = Live(RunFolder(run))
    except (ArenaError, OSError) as error:
        trouble = error
    if trouble is not None:
        assert code_of(trouble) in (2, 4), trouble
        return
    for _ in range(100):
        if not live.look():
            break
    for path, answer in dict(live.gets).items():
        body = answer(Request()).body
        assert body if isinstance(body, bytes) else next(iter(body)), path


def commands(run: str) -> Iterator[tuple[str, ...]]:
    """All that reads a run."""
    yield from SIGNED
    yield ("watch",)
    yield RUNS[run]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of two matches. Nobody changes it."""
    place = tmp_path_factory.mktemp("small")
    arena(place, "run", "greedy", "random", *GAME, "-n", "2", "-o", "run")
    return place


def signed(run: Path, data: st.DataObject) -> None:
    """Spoil one of its records, and sign it."""
    matches = records(run)
    spoil(data.draw(st.sampled_from(matches)), data, (*WRONG, *HUGE), 2)
    forge(run, matches)


@settings(SOME, max_examples=3, derandomize=True)
@given(data=st.data())
def test_a_few(small: Path, tmp_path_factory: Any, data: Any) -> None:
    """A few examples of both kinds below, the same each time."""
    place = Path(shutil.copytree(small, tmp_path_factory.mktemp("spoilt") / "place"))
    signed(place / "run", data)
    read_by(data.draw(st.sampled_from(SIGNED)), "run", place)
    replace(place / "run" / data.draw(st.sampled_from(PARTS)), data.draw(st.sampled_from(KINDS)))
    read_by(data.draw(st.sampled_from(SIGNED)), "run", place)


def read_by_two(name: str, data: st.DataObject, place: Path) -> None:
    """Have two commands read a run."""
    for words in data.draw(st.lists(st.sampled_from(list(commands(name))), min_size=2, max_size=2, unique=True)):
        read_by(words, name, place)


@pytest.mark.parametrize("what", ["record", "run.json"])
@pytest.mark.parametrize("finished", [True, False], ids=["finished", "open"])
@SOME
@given(data=st.data())
@pytest.mark.long
def test_signed_and_wrong(what: str, finished: bool, spoilt: Callable[[], Path], data: Any) -> None:
    """Any value of a signed record, or of the manifest beside it, may be anything: all that read it end in words."""
    name = data.draw(st.sampled_from(list(RUNS)))
    place = spoilt()
    run = place / name
    if not finished:
        unfinish(run, 2)
    if what == "record":
        signed(run, data)
    else:
        manifest = json.loads((run / what).read_bytes())
        spoil(manifest, data, (*WRONG, *HUGE), 2)
        (run / what).write_text(json.dumps(manifest))
    read_by_two(name, data, place)


@pytest.mark.parametrize("kind", KINDS)
@settings(SOME, max_examples=MORE)
@given(data=st.data())
@pytest.mark.long
def test_what_is_no_such_file(kind: str, spoilt: Callable[[], Path], data: Any) -> None:
    """Anything may be in the place of a file of a run: a folder, a pipe, a terabyte that nobody wrote."""
    name = data.draw(st.sampled_from(list(RUNS)))
    place = spoilt()
    if data.draw(st.booleans()):
        unfinish(place / name, 2)
    replace(place / name / data.draw(st.sampled_from(PARTS)), kind)
    read_by_two(name, data, place)
