"""What may not be read or written, links that lead back to themselves, and what is no file: one line says which."""

import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import ARENA, BOTS, arena, refusal, started

DENIED = "Permission denied"
# root may read and write whatever modes say, as long as it has these rights
AS_OTHERS = """\
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for right in (1, 2) if hasattr(libc, "prctl") else ():
    libc.prctl(24, right, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def said(place: Path, *words: str, code: int) -> tuple[str, str]:
    """What a command says that may do no more than the modes of files allow; its last line on stderr stands second."""
    ended = started(place, sys.executable, "-c", AS_OTHERS, *ARENA, *words, code=code)
    return ended.out, (ended.err.splitlines() or [""])[-1].removeprefix("arena: ")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league whose first season is played. Nobody changes it."""
    league = tmp_path_factory.mktemp("played") / "league"
    arena(league.parent, "new", "league", "league")
    text = (league / "arena.toml").read_text()
    games = '["dockfight"]\nseats = "2"'
    lines = [f"games = {games}" if line.startswith("games =") else line for line in text.splitlines()]
    (league / "arena.toml").write_text("\n".join(lines).replace("matches = 240", "matches = 4"))
    arena(league, "season", "-q")
    return league


@pytest.fixture
def league(played: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it; it can be removed again."""
    league = Path(shutil.copytree(played, tmp_path / "league"))
    yield league
    for folder, names, _ in os.walk(league):
        Path(folder).chmod(0o755)
        for name in names:
            Path(folder, name).chmod(0o755)


def _read_only(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        path.chmod(path.stat().st_mode & ~0o222)


@pytest.mark.long
def test_a_league_that_is_read_only(league: Path) -> None:
    """What writes nothing works; all else names what it may not write, and not a file of its own between."""
    before = {path: path.read_bytes() for path in league.rglob("*") if path.is_file()}
    _read_only(league)
    run = "results/dockfight"
    for reading in (("season", "--dry-run"), ("leaderboard", run), ("verify", run)):
        assert said(league, *reading, code=0)[0]
    refused: dict[tuple[str, ...], tuple[int, str]] = {
        ("season",): (3, f"{run}/matches.jsonl: {DENIED}"),
        ("season", "--tables-only"): (3, f"leaderboard.md: {DENIED}"),
        ("report", run): (2, f"expected to write {run}/report.html, got {DENIED}"),
        ("run", "greedy", "random", "-o", "new", "-n", "2"): (
            2,
            f"--out: expected a folder that can be made, got new: {DENIED}",
        ),
        ("merge", run, "-o", "new"): (3, f"new: {DENIED}"),
        ("new", "bot", "new"): (2, f"expected a folder that can be made, got new: {DENIED}"),
    }
    for words, (code, why) in refused.items():
        assert said(league, *words, code=code) == ("", why), words
    assert {path: path.read_bytes() for path in league.rglob("*") if path.is_file()} == before


@pytest.mark.long
def test_what_may_not_be_read(league: Path) -> None:
    """A closed bot is that bot's probation; a closed folder of all bots stops a season, and no bot is thought gone."""
    table = (league / "leaderboard.md").read_bytes()
    (league / "bots").chmod(0)
    why = f"bots: expected a folder that can be read, got: {DENIED}"
    for words in (("season",), ("season", "--dry-run"), ("season", "--tables-only"), ("run",)):
        out, last = said(league, *words, code=2)
        assert out == ""
        assert last.endswith(why)
    assert (league / "leaderboard.md").read_bytes() == table
    (league / "bots").chmod(0o755)
    (league / "bots/minnow").chmod(0)
    broken, _, kept = said(league, "season", "--dry-run", code=0)[1].partition("; ")
    assert broken == f"on probation: minnow: bots/minnow/bot.toml: expected to read it, got: {DENIED}"
    assert re.fullmatch(r"its version of \S+ \S+ UTC plays on", kept)
    closed = {
        "results/dockfight/run.json": ("season", "leaderboard results/dockfight"),
        "results/dockfight/matches.jsonl": ("season", "leaderboard results/dockfight"),
        "history.jsonl": ("season",),
    }
    for name, commands in closed.items():
        (league / name).chmod(0)
        for command in commands:
            assert said(league, *command.split(), code=3) == ("", f"{name}: {DENIED}")
        (league / name).chmod(0o644)
    (league / "results/dockfight").chmod(0)
    assert said(league, "leaderboard", "results/dockfight", code=2)[1].startswith("RUN: expected what can be read")
    assert said(league, "stats", "results/dockfight", code=3)[1] == f"results/dockfight: {DENIED}"


def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    """What needs the current folder says that it is gone; the rest works."""
    line = 'mkdir here && cd here && rmdir ../here && exec "$@"'
    for words, code in ((("run", "greedy", "random", "-g", "dockfight"), 2), (("games",), 0)):
        ended = started(tmp_path, "/bin/sh", "-c", line, "sh", *ARENA, *words, code=code)
        told = "arena: expected a current folder, got one that was removed\n"
        assert ended.err.endswith(told if code else "")


def test_a_link_that_leads_back_to_itself(tmp_path: Path) -> None:
    """Wherever a folder is asked for, the link is named, and what was expected."""
    (tmp_path / "loop").symlink_to("loop")
    ends = "expected a path that ends somewhere, got a link that leads back to itself"
    for line in ("leaderboard loop", "verify loop", "export loop", "run -g dockfight greedy -n 2 -o loop"):
        assert refusal(tmp_path, *line.split()) == f"loop: {ends}"
    made = "expected a folder that can be made, got loop"
    assert refusal(tmp_path, "new", "bot", "loop").startswith(made)
    assert refusal(tmp_path, "new", "bot", "loop/bot").startswith(made)
    assert refusal(tmp_path, "new", "league", "loop").startswith(made)
    readable = refusal(tmp_path, "run", "greedy", "random", "-g", "dockfight", "-n", "2", "-q", "--readable", "loop")
    assert readable == "--readable: expected a file or folder, got 'loop'"
    merged = refusal(tmp_path, "merge", "loop", "-o", "loop")
    assert merged == "--out: expected a new folder, got loop, which is a link that leads nowhere"


KINDS = {
    "pipe": "a pipe",
    "socket": "a socket",
    "folder": "a folder",
    "device": "a device",
    "loop": "a link that leads nowhere",
}
RUN = ("-g", "dockfight", "--seats", "2", "-n", "2", "-q")


def put(kind: str, path: Path) -> None:
    """Put it there."""
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as there:
                # names of sockets are short
                os.chdir(path.parent)
                there.bind(path.name)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.symlink_to(path.name)


@pytest.mark.parametrize("kind", KINDS)
def test_in_the_place_of_a_file(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots, settings, secrets and runs: each command names what it expected and what is there instead."""
    monkeypatch.chdir(tmp_path)
    for name in ("bot", "league"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine.py").write_text(BOTS["mine.py"])
    put(kind, tmp_path / "bot" / "bot.toml")
    put(kind, tmp_path / "league" / "arena.toml")
    put(kind, tmp_path / "odd")
    got = KINDS[kind]

    def said(*words: str, place: Path = tmp_path) -> str:
        line = arena(place, *words, code=2).err
        assert line.startswith("arena: ")
        assert line.count("\n") == 1
        return line.removeprefix("arena: ").rstrip("\n")

    for words in (("run", "./bot", "random", *RUN), ("compare", "./bot", "random", *RUN[:2]), ("check", "./bot")):
        assert said(*words) == f"bot/bot.toml: expected a file, got {got}"
    for command in ("run", "season"):
        assert f"odd: expected a file, got {got}" in said(command, "--config", "odd")
    assert said("season", place=tmp_path / "league") == f"arena.toml: expected a file, got {got}"
    assert said("run", "random*2", *RUN, "--secret-file", "odd").startswith("--secret-file: expected ")
    if kind != "folder":
        assert said("run", "./odd", "random", *RUN) == f"odd: expected a folder with a bot.toml, got {got}"
    if kind not in {"folder", "loop"}:
        for line in ("run --plan odd -o part", "verify odd", "merge odd odd -o all"):
            assert said(*line.split()) == f"odd: expected a run folder with a run.json, got {got}"
