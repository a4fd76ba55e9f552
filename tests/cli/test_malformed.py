"""Run folders of strangers whose files are malformed and yet signed: every reading command ends in words.

A journal's sums keep accidents apart from records; whoever hands a folder on can sign whatever he writes. So here the
sums are right, and what they are of is wrong. ``test_hand_edited`` has what is not signed.
"""

import json
import os
import shutil
import socket
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arena.cli.failure import code_of
from arena.errors import ArenaError
from arena.page.serving import Request
from arena.tournament.folder import RunFolder
from arena.web.live import Live
from tests.cli.command import arena, forge, records, unfinish
from tests.cli.test_hand_edited import WRONG, ends_in_words, places

GAME = ("-g", "dockfight", "--seats", "2", "-q")
RUNS = {
    "run": ("run", "greedy", "random", *GAME, "-n", "8", "-o", "run"),
    "compared": ("compare", "greedy", "random", "random-c", *GAME, "-n", "4", "-o", "compared"),
    "cup": ("run", "greedy", "random", "random-c", *GAME, "--schedule", "knockout", "-o", "cup"),
}
"""Folders, and the commands that play them and go on with them."""
READING = (
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
FILES = ("run.json", "matches.jsonl", "secret.json", "leaderboard.md", "matches.torn", "logs", "logs/greedy.log")
KINDS = ("folder", "pipe", "loop", "socket", "zeros", "hole", "empty", "cut")
TERABYTE = 1 << 40


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of each kind. Nobody changes it."""
    place = tmp_path_factory.mktemp("kept")
    for words in RUNS.values():
        arena(place, *words)
    return place


@pytest.fixture
def place(kept: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(kept, tmp_path / "place"))


def spoil(value: Any, data: st.DataObject) -> None:
    """Put something else in one or two places of a value, leave it out, or have more of it."""
    for _ in range(data.draw(st.integers(1, 2))):
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
            inside[last] = deepcopy(data.draw(st.sampled_from((*WRONG, *HUGE))))


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
    yield from READING
    yield ("watch",)
    yield RUNS[run]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of two matches. Nobody changes it."""
    place = tmp_path_factory.mktemp("small")
    arena(place, "run", "greedy", "random", *GAME, "-n", "2", "-o", "run")
    return place


@settings(
    max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate], derandomize=True
)
@given(data=st.data())
def test_a_few(small: Path, tmp_path_factory: Any, data: Any) -> None:
    """A few examples of both kinds below, the same each time."""
    place = Path(shutil.copytree(small, tmp_path_factory.mktemp("spoilt") / "place"))
    matches = records(place / "run")
    spoil(data.draw(st.sampled_from(matches)), data)
    forge(place / "run", matches)
    read_by(data.draw(st.sampled_from(READING)), "run", place)
    replace(place / "run" / data.draw(st.sampled_from(FILES)), data.draw(st.sampled_from(KINDS)))
    read_by(data.draw(st.sampled_from(READING)), "run", place)


@pytest.mark.parametrize("what", ["record", "run.json"])
@pytest.mark.parametrize("finished", [True, False], ids=["finished", "open"])
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(data=st.data())
@pytest.mark.long
def test_signed_and_wrong(what: str, finished: bool, kept: Path, tmp_path_factory: Any, data: Any) -> None:
    """Any value of a signed record, or of the manifest beside it, may be anything: all that read it end in words."""
    place = Path(shutil.copytree(kept, tmp_path_factory.mktemp("spoilt") / "place"))
    name = data.draw(st.sampled_from(list(RUNS)))
    run = place / name
    if not finished:
        unfinish(run, 2)
    if what == "record":
        matches = records(run)
        spoil(data.draw(st.sampled_from(matches)), data)
        forge(run, matches)
    else:
        manifest = json.loads((run / what).read_bytes())
        spoil(manifest, data)
        (run / what).write_text(json.dumps(manifest))
    for words in data.draw(st.lists(st.sampled_from(list(commands(name))), min_size=2, max_size=2, unique=True)):
        read_by(words, name, place)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(data=st.data())
@pytest.mark.long
def test_what_is_no_such_file(kind: str, kept: Path, tmp_path_factory: Any, data: Any) -> None:
    """Anything may be in the place of a file of a run: a folder, a pipe, a terabyte that nobody wrote."""
    place = Path(shutil.copytree(kept, tmp_path_factory.mktemp("spoilt") / "place"))
    name = data.draw(st.sampled_from(list(RUNS)))
    if data.draw(st.booleans()):
        unfinish(place / name, 2)
    replace(place / name / data.draw(st.sampled_from(FILES)), kind)
    for words in data.draw(st.lists(st.sampled_from(list(commands(name))), min_size=2, max_size=2, unique=True)):
        read_by(words, name, place)
