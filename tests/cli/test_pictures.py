"""A match as data, a page and boards, from ``arena replay``; a run as a page with replays, from ``arena report``."""

import base64
import gzip
import json
import os
import pty
import re
import select
import subprocess
import time
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from arena.report.replay import Replay
from arena.terminal.board import fitted
from tests.cli.command import ARENA, arena, data, refusal


def embedded(page: str) -> dict[str, Any]:
    """The matches that can be watched in a page, by their id."""
    found = re.findall(r'<script type="text/plain" data-replay="([^"]*)"[^>]*>([^<]*)</script>', page)
    return {ident: json.loads(gzip.decompress(base64.b64decode(packed))) for ident, packed in found}


def test_a_match_as_data(place: Path) -> None:
    """--json has every position, question, answer and event; its schema says what they are."""
    replay = msgspec.json.decode(arena(place, "replay", "results/demo", "#3", "--json").out, type=Replay)
    told = arena(place, "replay", "results/demo", "#3").out
    assert replay.number == 3
    named = re.findall(r"^(?:decisions? \d.*|after decision \d+|before decision 0)$", told, re.MULTILINE)
    assert named == [move.name for move in replay.moves]
    assert sum(len(move.asked) for move in replay.moves) == len(re.findall(r"^  seat \d .*picks ", told, re.MULTILINE))
    assert replay.table(0).zones
    schema = data(place, "schema", "--of", "replay")
    assert set(schema["$defs"]["Replay"]["properties"]) >= {"positions", "moves", "cards", "zones"}


def test_a_match_as_one_seat_saw_it(place: Path) -> None:
    """--json and --seat hold nothing that only others were asked, and no name of theirs."""
    found = data(place, "replay", "results/demo", "#0", "--json", "--seat", "2")
    assert found["seat"] == 2
    assert [bool(bot) for bot in found["bots"]] == [False, False, True, False]
    assert {asked["seat"] for move in found["moves"] for asked in move.get("asked", [])} == {2}


def test_a_match_as_a_page(place: Path) -> None:
    """--html writes one file that loads nothing, with hashes for its style and script, and says where it is."""
    assert arena(place, "replay", "results/demo", "#0", "--html", "match.html").out == "match.html\n"
    page = (place / "match.html").read_text()
    assert arena(place, "replay", "results/demo", "#0", "--html", "-").out == page
    assert not re.findall(r"(?:src|href)=[\"'](?!#|data:)", page)
    assert "default-src &#39;none&#39;" in page
    assert "unsafe" not in page
    assert len(page) < 200_000


def test_a_page_that_cannot_be_written(place: Path) -> None:
    """A place where no file can be is named in one line."""
    said = refusal(place, "replay", "results/demo", "#0", "--html", "nowhere/match.html")
    assert said == "expected to write nowhere/match.html, got No such file or directory; make its folder first"


def test_one_at_a_time(place: Path) -> None:
    """Two ways to show a match are one too many."""
    assert refusal(place, "replay", "results/demo", "#0", "--json", "--board").startswith("expected one of --board")


@pytest.mark.long
def test_from_a_decision(place: Path) -> None:
    """Text, boards and data begin at the position of --decision N and end at that of --until N.

    Text and a printed board are of that decision alone if no end is given; a page opens there and holds the match.
    """
    line = ("replay", "results/demo", "#3", "--decision", "41")
    whole = msgspec.json.decode(arena(place, "replay", "results/demo", "#3", "--json").out, type=Replay)
    begun = msgspec.json.decode(arena(place, *line, "--json").out, type=Replay)
    assert begun.moves[0].first <= 41 < begun.moves[0].beyond
    assert begun.moves == whole.moves[-len(begun.moves) :]
    assert [begun.table(at) for at in range(2)] == [whole.table(whole.position(41) + at) for at in range(2)]
    name = begun.moves[0].name
    told, all_told = (arena(place, *words).out for words in ((*line, "--until", "9999"), line[:3]))
    head = all_told.partition("before decision 0\n")[0]
    assert told == head + all_told[all_told.index(f"\n{name}\n") + 1 :]
    boards = [arena(place, *line, "--board", *until).out for until in ((), ("--until", str(begun.moves[1].first)))]
    assert [board.count(" of 0-") for board in boards] == [1, 2]
    assert all(f"{name} of 0-" in board.partition("\n")[0] for board in boards)
    part = msgspec.json.decode(arena(place, *line, "--until", "41", "--json").out, type=Replay)
    assert (part.moves, part.positions) == (begun.moves[:1], begun.positions[:2])
    assert refusal(place, *line, "--until", "41", "--html", "-").startswith("--until: expected none beside --html")
    page = arena(place, *line, "--html", "-").out
    assert 'data-decision="41"' in page
    assert len(embedded(page)[whole.id]["moves"]) == len(whole.moves)


@pytest.mark.long
def test_boards(place: Path) -> None:
    """--board prints each position in 80 columns, with the sentences of the match in their order."""
    shown = arena(place, "replay", "results/demo", "#0", "--board").out
    assert max(map(len, shown.splitlines())) <= 80
    replay = data(place, "replay", "results/demo", "#0", "--json")
    last = sum(len(move.get("asked", [])) for move in replay["moves"]) - 1
    firsts = [int(first) for first in re.findall(rf"decisions? (\d+)(?:-\d+)? of 0-{last}", shown)]
    assert firsts == [move.get("first", 0) for move in replay["moves"] if move.get("count", 1)]
    assert "is asked" in shown
    assert "\x1b" not in shown


def test_boards_fit_the_terminal(place: Path) -> None:
    """Each position has room in 24 lines of 80 columns: its head, what is asked and what followed, and the keys."""
    replay = msgspec.json.decode(arena(place, "replay", "results/demo", "#0", "--json").out, type=Replay)
    console = Console(width=80, height=24, file=StringIO(), color_system=None, legacy_windows=False)
    brief = 0
    for position in range(len(replay.positions)):
        shown, brief = fitted(console, replay, position, seat=None, brief=brief)
        console.file = StringIO()
        console.print(shown, end="")
        head, *_, keys = console.file.getvalue().split("\n")
        assert console.file.getvalue().count("\n") < 24
        assert f"match #0 {replay.id}" in head
        assert "decision" in head or "the end" in head
        assert keys.endswith("q: quit")
    assert brief, "some position is too tall with its empty places"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (80, 18), (40, 20), (120, 40)])
def test_no_seat_is_left_out_without_a_word(place: Path, width: int, height: int) -> None:
    """In a small terminal seats take a line each; if that is still too much, it is said how many lines lack."""
    replay = msgspec.json.decode(arena(place, "replay", "results/demo", "#0", "--json").out, type=Replay)
    console = Console(width=width, height=height, file=StringIO(), color_system=None, legacy_windows=False)
    brief = 0
    for position in range(0, len(replay.positions), 4):
        shown, brief = fitted(console, replay, position, seat=None, brief=brief)
        console.file = StringIO()
        console.print(shown, end="")
        text = console.file.getvalue()
        assert text.count("\n") < height
        there = [f" {seat} {bot}" in text for seat, bot in enumerate(replay.bots)]
        assert all(there) or re.search(r"^ \.\.\. \d+ lines need a taller terminal$", text, re.MULTILINE)
        if height == 40:
            assert all(there)
            assert brief < 2


def test_boards_at_a_terminal(place: Path) -> None:
    """At a terminal one position is shown; keys step, choose a seat and quit, and the terminal is as it was."""
    replay = msgspec.json.decode(arena(place, "replay", "results/demo", "#0", "--json").out, type=Replay)
    at = replay.position(7)
    master, slave = pty.openpty()
    env = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "60"}
    line = [*ARENA, "replay", "results/demo", "#0", "--board", "--decision", "7"]
    with subprocess.Popen(line, cwd=place, env=env, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        seen = _until(master, f"{replay.moves[at].name} of")
        os.write(master, b"\x1b[C")
        seen += _until(master, f"{replay.moves[at + 1].name} of")
        os.write(master, b"n1")
        seen += _until(master, "of")
        os.write(master, b"?")
        helped = _until(master, "any key: back to the table")
        assert "Most money wins." in helped
        assert "the more of one kind, the better the price" in helped
        os.write(master, b"x")
        seen += _until(master, "q: quit")
        os.write(master, b"q")
        seen += _until(master, "\x1b[?1049l")
        assert process.wait(300) == 0
    os.close(master)
    assert "Traceback" not in seen


def _until(terminal: int, wanted: str) -> str:
    """All that is written until this is."""
    seen, end = "", time.monotonic() + 300
    while wanted not in re.sub(r"\x1b\[[0-9;]*m", "", seen):
        assert time.monotonic() < end, seen
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")
    return seen


def test_the_page_holds_the_data(place: Path) -> None:
    """What the page embeds is what --json says, but for options and events as data."""
    page = arena(place, "replay", "results/demo", "#1", "--html", "-").out
    (replay,) = embedded(page).values()
    whole = data(place, "replay", "results/demo", "#1", "--json")
    assert replay["sights"] == whole["sights"]
    assert [len(move.get("events", [])) for move in replay["moves"]] == [
        len(move.get("events", [])) for move in whole["moves"]
    ]


def test_a_report(place: Path, board: dict[str, Any]) -> None:
    """The page stands beside the journal, loads nothing, and has every bot, section and match."""
    said = arena(place, "report", "results/demo")
    assert said.out == "results/demo/report.html\n"
    page = (place / "results/demo/report.html").read_text()
    assert not re.findall(r"(?:src|href)=[\"'](?!#|data:)", page)
    for key in ("board", "duels", "growth", "pace", "seating", "faults", "matches", "provenance"):
        assert f'id="{key}"' in page
    for row in board["leaderboard"]:
        assert f"{row['rating']:.2f}" in page
    (packed,) = re.findall(r'<script id="matches-data" type="text/plain">([^<]*)</script>', page)
    listed = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert listed["matches"]["number"] == list(range(16))
    assert {listed["bots"][at] for seated in listed["matches"]["bots"] for at in seated} == set(listed["bots"])
    assert f"arena verify {said.out.rpartition('/')[0]}" in page
    assert 1 <= len(embedded(page)) <= 8


def test_replays_that_are_asked_for(place: Path) -> None:
    """--replay adds a match; --replays says how many are chosen besides."""
    page = arena(place, "report", "results/demo", "-o", "-", "--replays", "0", "--replay", "#5").out
    (replay,) = embedded(page).values()
    assert replay["number"] == 5
    assert embedded(arena(place, "report", "results/demo", "-o", "-", "--replays", "0").out) == {}
    assert refusal(place, "report", "results/demo", "--replay", "#99").startswith("expected a match")


def test_several_runs(place: Path) -> None:
    """The page over several runs has the combined table and each run's leaderboard."""
    arena(place, "run", "greedy", "random", "-g", "dockfight", "--seats", "2", "-n", "4", "-o", "results/other", "-q")
    page = arena(place, "report", "results/demo", "results/other", "-o", "-").out
    combined = data(place, "leaderboard", "results/demo", "results/other", "--json")["combined"]
    overall = page.partition('id="overall"')[2].partition("</table>")[0]
    lines = re.findall(r"<tr><th scope=\"row\".*?</tr>", overall)
    assert len(lines) == len(combined)
    for row, line in zip(combined, lines, strict=True):
        games = [row["games"].get(game) for game in ("cash-a-catch", "dockfight")]
        shown = ["\N{EN DASH}" if share is None else f"{100 * share:.1f}" for share in (row["share"], *games)]
        assert re.findall(r"<td>([^<]*)</td>", line) == shown
    assert page.count('<table class="board">') == 2
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert refusal(place, "report", "results/demo", "results/other").startswith("--out: expected a file")


def test_a_run_without_matches(place: Path, demo: Path) -> None:
    """A run that has played nothing yet has a page that says so, and an unfinished one is provisional."""
    manifest = json.loads((demo / "run.json").read_text())
    manifest["finished"] = False
    (demo / "run.json").write_text(json.dumps(manifest))
    page = arena(place, "report", "results/demo", "-o", "-").out
    assert "greedy leads after 16 of 16 matches" in page
    assert "not settled in an unfinished run" in page
    (demo / "matches.jsonl").write_bytes(b"")
    assert "No match of 16 has been played yet" in arena(place, "report", "results/demo", "-o", "-").out
