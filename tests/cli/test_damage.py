"""Folders that something has happened to, or that somebody else holds, and a disk that is full."""

import fcntl
import json
import os
import select
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.games import find
from arena.tournament.journal import Corrupt, read
from tests.cli.command import (
    ARENA,
    DEMO,
    FIELD,
    MATCHES,
    arena,
    change,
    forge,
    inside,
    records,
    refusal,
    started,
    unfinish,
)

READING = (("leaderboard",), ("matches",), ("verify",), ("export",), ("replay", "#0"))


@pytest.mark.parametrize("command", [*READING, ("run",)], ids=lambda command: command[0])
def test_a_damaged_journal(place: Path, demo: Path, command: tuple[str, ...]) -> None:
    """A flipped bit in the middle of the journal: every command exits 4, naming record and byte."""
    journal = demo / "matches.jsonl"
    whole = bytearray(journal.read_bytes())
    lines = whole.splitlines(keepends=True)
    at = sum(map(len, lines[:5]))
    whole[at + 60] ^= 1
    journal.write_bytes(whole)
    words = {"run": ("run", *DEMO), "replay": ("replay", "results/demo", "#6")}
    wrong = refusal(place, *words.get(command[0], (command[0], "results/demo")), code=4)
    assert wrong == (
        f"results/demo/matches.jsonl: expected record 5 at byte {at}, got a damaged line with a good one behind it"
    )
    assert journal.read_bytes() == whole


@pytest.mark.parametrize("command", [*READING, ("run",)], ids=lambda command: command[0])
def test_a_damaged_manifest(place: Path, demo: Path, command: tuple[str, ...]) -> None:
    """A run manifest that is cut short, is no JSON, lacks a field or is gone: exit 4 with file and byte or field."""
    words = ("run", *DEMO) if command[0] == "run" else (command[0], "results/demo", *command[1:])
    manifest = demo / "run.json"
    whole = manifest.read_bytes()
    for spoilt, why in (
        (
            whole[:300],
            "results/demo/run.json: expected a run manifest, got something else (Input data was truncated, byte 300",
        ),
        (
            whole[:1] + b"?" + whole[2:],
            "results/demo/run.json: expected a run manifest, got something else (JSON is malformed",
        ),
        (whole.replace(b'"epochs"', b'"spochs"'), "missing required field `epochs`"),
    )[: 3 if command[0] == "leaderboard" else 1]:
        manifest.write_bytes(spoilt)
        assert why in refusal(place, *words, code=4)
    if command[0] in {"leaderboard", "run"}:
        manifest.unlink()
        assert refusal(place, *words, code=4) == "results/demo: expected a run.json beside matches.jsonl, got none"


@pytest.mark.parametrize("matches", [MATCHES, 2 * MATCHES], ids=["same", "more"])
def test_a_finished_run_with_another_journal(place: Path, demo: Path, matches: int) -> None:
    """A finished run whose records have changed is not extended either: they would be sealed with the new ones."""
    manifest = (demo / "run.json").read_bytes()
    change(demo, 3, lambda match: match.__setitem__("seconds", 9.0))
    (demo / "run.json").write_bytes(manifest)
    altered = (demo / "matches.jsonl").read_bytes()
    wrong = refusal(place, "run", *DEMO, "-n", str(matches), code=4)
    assert wrong == "results/demo/matches.jsonl: expected the 16 records that the finished run had, got others"
    assert (demo / "matches.jsonl").read_bytes() == altered
    assert (demo / "run.json").read_bytes() == manifest


def test_the_journal_of_another_run(place: Path, demo: Path) -> None:
    """A run that is not finished and has the journal of another one is not resumed: no match is added to it."""
    unfinish(demo, 8)
    arena(place, "run", *FIELD, "-g", "cash-a-catch", "-n", "4", "--seed", "other", "-o", "other")
    journal = (place / "other" / "matches.jsonl").read_bytes()
    (demo / "matches.jsonl").write_bytes(journal)
    first = records(demo)[0]["id"]
    wrong = refusal(place, "run", *DEMO, code=4)
    assert wrong == (
        f"results/demo/matches.jsonl: match {first}: expected a match of this run, with its bots, got another; "
        "see `arena verify`"
    )
    assert (demo / "matches.jsonl").read_bytes() == journal


@pytest.mark.parametrize("command", ["leaderboard", "stats"])
def test_a_match_of_strangers(place: Path, demo: Path, command: str) -> None:
    """A sound journal with bots that never entered: the table is refused with the match and the names."""
    name = change(demo, 3, lambda match: match["bots"].__setitem__(0, "stranger"))
    wrong = refusal(place, command, "results/demo", code=4)
    assert f"matches.jsonl: {name}: expected bots of greedy, random, mine, slip, got stranger" in wrong


def test_a_match_that_cannot_be_told(place: Path, demo: Path) -> None:
    """A match whose picks do not fit its deal is told up to the first difference: exit 4."""
    name = change(demo, 0, lambda match: match["picks"].__setitem__(3, [77]))
    said = arena(place, "replay", "results/demo", "#0", code=4)
    assert said.out.startswith(f"match {name}: ")
    assert said.err.startswith(f"arena: match {name}: decision 3, seat ")


def test_a_second_runner(place: Path, demo: Path) -> None:
    """A second runner on the same folder exits 5 before it starts a bot; reading goes on."""
    with (demo / "matches.jsonl").open("rb") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        wrong = refusal(place, "run", *DEMO, code=5)
        assert wrong == (
            "results/demo/matches.jsonl: expected a journal nobody is writing, got one that another process holds"
        )
        arena(place, "leaderboard", "results/demo")


READERS = [
    *(("leaderboard", "RUN"), ("matches", "RUN"), ("stats", "RUN"), ("stats", "RUN", "--bot", "mine")),
    *(("report", "RUN", "-o", "page.html"), ("verify", "RUN"), ("export", "RUN"), ("replay", "RUN", "#15")),
    ("merge", "RUN", "-o", "merged"),
]


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("name", ["x", "e0b" + "9" * 6000 + "r0"], ids=["none", "long"])
def test_an_id_that_is_none_is_damage(words: tuple[str, ...], name: str, place: Path, demo: Path) -> None:
    """Every command that reads a journal names the file and the record whose id is none, and no other command."""
    change(demo, 2, lambda match: match.update(id=name))
    told = refusal(place, *("results/demo" if word == "RUN" else word for word in words), code=4)
    assert told.startswith("results/demo/matches.jsonl: expected record 2 at byte ")
    assert told.endswith(", got one whose id is no match id such as e0b17r3")


@pytest.mark.parametrize("field", ["scores", "ranks", "micros", "seats_asked", "retired", "picks", "charged", "burnt"])
@pytest.mark.parametrize("number", [10**400, -(10**30), 2**63])
def test_numbers_that_no_match_can_have(field: str, number: int, demo: Path) -> None:
    """Numbers that are too large to count with are damage, whatever field they are in."""

    def make(match: dict[str, Any]) -> None:
        match[field] = [[number]] if field == "picks" else [number] * 4

    change(demo, 2, make)
    with pytest.raises(Corrupt, match="expected record 2 at byte"):
        list(read(demo / "matches.jsonl"))


def test_matches_given_up_that_are_none(place: Path, demo: Path) -> None:
    """Ids in a manifest of matches that were given up, of which one is none, are damage too."""
    manifest = json.loads((demo / "run.json").read_bytes())
    manifest["epochs"][0]["given_up"] = ["e0b" + "9" * 6000 + "r0"]
    (demo / "run.json").write_text(json.dumps(manifest))
    for words in (("verify",), ("leaderboard",), ("merge", "-o", "merged")):
        assert "expected a run manifest" in refusal(place, words[0], "results/demo", *words[1:], code=4)


@pytest.mark.parametrize("command", ["leaderboard", "stats", "matches", "export", "verify", "merge", "replay"])
@pytest.mark.long_cases("export", "matches", "merge", "replay", "stats")
def test_lost_records_are_told(place: Path, demo: Path, command: str) -> None:
    """Every command that reads a finished run says that records are gone, or are not those that it had."""
    words = {"merge": ("merge", "results/demo", "-o", "x"), "replay": ("replay", "results/demo", "#0")}
    asked = words.get(command, (command, "results/demo"))
    journal, manifest = demo / "matches.jsonl", (demo / "run.json").read_bytes()
    whole = journal.read_bytes()
    lines = whole.splitlines(keepends=True)
    told = f"expected the {len(lines)} records that the finished run had, got"
    short = b"".join(lines[:-1])
    for cut, left in ((short, len(lines) - 1), (short + lines[-1][:-5], len(lines) - 1), (b"", 0), (None, 0)):
        journal.write_bytes(cut or b"")
        if cut is None:
            journal.unlink()
        said = arena(place, *asked, code=1 if command == "verify" and cut is not None else None)
        if command != "verify":
            assert said.code == 4
            assert said.out == "" or command in ("matches", "export")
            assert f"{told} {left}" in said.err
    journal.write_bytes(whole)
    change(demo, 0, lambda match: match.__setitem__("seconds", 77.0))
    (demo / "run.json").write_bytes(manifest)
    assert f"{told} others\n" in arena(place, *asked, code=4).err


LIMIT = (
    "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes}, {bytes}));"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
"""Starts a program whose files may have so many bytes each."""


@pytest.mark.long
def test_a_full_disk(place: Path) -> None:
    """When the journal cannot grow the run ends with exit 3 and how many matches are recorded; then it goes on."""
    words = ["full" if word == "results/demo" else word for word in DEMO]
    said = started(place, sys.executable, "-c", LIMIT.format(bytes=9000), *ARENA, "run", *words, code=3)
    assert said.out == ""
    assert "\narena: the disk is full: " in said.err
    recorded = len(records(place / "full"))
    assert 0 < recorded < 16
    assert f"arena: {recorded} of 16 matches are recorded; resume with: arena run greedy random " in said.err
    assert json.loads((place / "full" / "run.json").read_bytes())["finished"] is False
    arena(place, "run", *words)
    assert arena(place, "export", "full").out == arena(place, "export", "results/demo").out


FULL = "/dev/full"


@pytest.mark.parametrize(
    "words",
    [
        ("report", "results/demo", "-o", FULL),
        ("replay", "results/demo", "#0", "--html", FULL),
        ("check", "random", "-g", "dockfight", "--seats", "2", "--junit-xml", FULL),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.long_cases("report", "check")
def test_a_file_on_a_full_disk(place: Path, words: tuple[str, ...]) -> None:
    """A file that the disk has no room for is the host's trouble, exit 3, whatever file the user asked for."""
    said = arena(place, *words, code=3)
    assert said.err.splitlines()[-1].endswith("No space left on device")
    assert FULL in said.err


@pytest.mark.parametrize("words", [("new", "bot", "mine"), ("new", "league", "mine", "--ci", "github")], ids=" ".join)
def test_a_folder_on_a_full_disk(tmp_path: Path, words: tuple[str, ...]) -> None:
    """So is a new folder whose files cannot be written."""
    said = started(tmp_path, sys.executable, "-c", LIMIT.format(bytes=9), *ARENA, *words, code=3)
    assert said == (3, "", "arena: expected a folder that can be made, got mine: File too large\n")


@pytest.mark.parametrize(
    "words", [("export", "results/demo"), ("matches", "results/demo"), ("schema",)], ids=lambda w: w[0]
)
def test_a_broken_pipe(place: Path, words: tuple[str, ...]) -> None:
    """When the reader goes away, as `| head` does, the command ends in silence."""
    said = started(place, "bash", "-o", "pipefail", "-c", '"$@" | head -c 1', "bash", *ARENA, *words)
    assert len(said.out) == 1
    assert "rror" not in said.err


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_does_not_block(place: Path, unbuffered: str) -> None:
    """Into a pipe that is set not to block, and whose reader is slow, all output is written."""
    reading, writing = os.pipe()
    size = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 12)
    os.set_blocking(writing, False)
    whole = arena(place, "export", "results/demo").out.encode()
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen([*ARENA, "export", "results/demo"], cwd=place, stdout=writing, env=env) as writer:
        os.close(writing)
        waits = False
        while not waits:
            select.select([], [], [], 0.002)
            held = int.from_bytes(fcntl.ioctl(reading, termios.FIONREAD, bytes(4)), sys.byteorder)
            state = Path(f"/proc/{writer.pid}/stat").read_text().rpartition(")")[2].split()[0]
            # it sleeps until there is room, or has given up
            waits = held > 0 and state in "SZ"
        with os.fdopen(reading, "rb") as pipe:
            assert pipe.read() == whole
    assert len(whole) > 2 * size
    assert writer.returncode == 0


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_device(place: Path, unbuffered: str) -> None:
    """Output that cannot be written is exit 3 and a word, no traceback, whether it is noticed at once or at the end."""
    with Path("/dev/full").open("wb") as full:
        said = started(place, *ARENA, "games", code=3, env={"PYTHONUNBUFFERED": unbuffered}, stdout=full)
    assert said.err.startswith("arena: the disk is full: ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("command", ["verify", "report", "replay"])
def test_the_matches_of_another_game(
    demo: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Records that say to be of another game, with variants or seats that it has not, are damage."""
    game = find("dockfight")
    manifest = demo / "run.json"
    manifest.write_text(manifest.read_text().replace('"cash-a-catch"', f'"{game.name}"'))
    matches = records(demo)
    for match in matches:
        match |= {"game": game.name, "version": game.version}
    forge(demo, matches)
    more = {"replay": ["#0"], "report": ["-o", "page.html"]}
    assert inside(monkeypatch, demo.parent, command, str(demo), *more.get(command, [])) in {1, 4}
    said = capsys.readouterr()
    assert "expected " in said.out + said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("command", ["verify", "report", "replay"])
def test_a_game_that_is_not_installed(demo: Path, command: str) -> None:
    """Of a run whose game is of a package that is not here, what needs the game says so."""
    manifest = demo / "run.json"
    manifest.write_text(manifest.read_text().replace('"cash-a-catch"', '"go-fish"'))
    forge(demo, [match | {"game": "go-fish"} for match in records(demo)])
    words = (command, str(demo), "#0") if command == "replay" else (command, str(demo))
    wrong = refusal(demo.parent, *words)
    assert wrong.endswith(", lure, got 'go-fish'; install the package that has it")


def _many(match: dict[str, Any]) -> None:
    match["ranks"] = [0] * 100_000


STRANGE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "seconds": (lambda match: match.update(seconds=1e308), "`float` <= "),
    "rank": (lambda match: match["ranks"].__setitem__(0, -1), "`int` >= 0"),
    "ranks": (_many, "length <= "),
    "nobody": (lambda match: match.update(bots=[]), "length >= 1"),
}


@pytest.mark.parametrize("command", ["leaderboard", "stats", "report", "replay", "merge"])
@pytest.mark.parametrize("what", STRANGE)
def test_numbers_that_no_match_has(
    demo: Path, what: str, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A record of a stranger with a number out of all bounds is damage, whoever reads it."""
    change, why = STRANGE[what]
    matches = records(demo)
    change(matches[0])
    forge(demo, matches)
    more = {"replay": ["#0"], "report": ["-o", "page.html"], "merge": ["-o", "whole"]}
    assert inside(monkeypatch, demo.parent, command, str(demo), *more.get(command, [])) == 4
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("seconds", 1e308, "`float` <= "),
        ("seconds", -1, "`float` >= "),
        ("matches", 10**9, "`int` <= "),
        ("move", -1, "limits: expected move from 0 to "),
        ("move", 10**18, "limits: expected move from 0 to "),
    ],
)
def test_numbers_that_no_run_has(
    demo: Path, key: str, value: float, why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So it is with the manifest of a run; of millions of matches that are not there no schedule is drawn."""
    manifest = json.loads((demo / "run.json").read_text())
    where = {"matches": manifest["epochs"][0], "move": manifest["limits"]}.get(key, manifest)
    where[key] = value
    (demo / "run.json").write_text(json.dumps(manifest))
    for command in ("leaderboard", "verify", "report"):
        assert inside(monkeypatch, demo.parent, command, str(demo)) == 4
        assert why in capsys.readouterr().err
    manifest["epochs"][0]["matches"] = 10_000_000
    manifest |= {"seconds": 1.0, "limits": manifest["limits"] | {"move": 1000}}
    (demo / "run.json").write_text(json.dumps(manifest))
    assert inside(monkeypatch, demo.parent, "verify", str(demo)) == 1
    why = "expected at most 201600 matches with 16 recorded, got 10000000"
    assert why in capsys.readouterr().out
    (demo / "run.json").write_text(json.dumps(manifest | {"finished": False}))
    assert inside(monkeypatch, demo.parent, "verify", str(demo)) == 2
    assert f"{why}: play more of it first" in capsys.readouterr().err
    assert inside(monkeypatch, demo.parent, "merge", str(demo), "-o", "whole") == 0
    assert "16 of 10,000,000 matches" in capsys.readouterr().err
