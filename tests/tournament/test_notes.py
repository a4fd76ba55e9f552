"""Notes of bots: beside the run and its decisions, bounded, and in no record, digest or question of another bot."""

import shlex
import sys
from pathlib import Path

import pytest
from msgspec import Raw

from arena.players.match_notes import MatchNotes
from arena.record import Record
from arena.tournament import notes as module
from arena.tournament.folder import RunFolder
from arena.tournament.notes import keep_notes, notes_section, read_notes
from tests.cli.command import arena, data, records
from tests.cli.test_pictures import embedded

NOTER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    asked = 0 if message["type"] == "hello" else asked + 1
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "decide":
        note = {0: {"value": asked / 2, "depth": 4}, 1: "\\u001b[31m\\n\\u007f", 2: "x" * 2000}[asked % 3]
        if "quiet" in sys.argv:
            note = None
        answer = {"type": "choose", "id": message["id"], "picks": list(range(message["least"]))}
        if note is not None:
            answer["note"] = note
            print("saw", asked, "\\x1b[2J", file=sys.stderr)
        print(json.dumps(answer), flush=True)
"""
RUN = ("-g", "cash-a-catch", "-n", "3", "-j", "1", "--isolation", "none", "-q", "-o")


def _record(**more: object) -> Record:
    fields = {"picks": ((0,), (0,), (1,)), "seats_asked": (0, 1, 1), "micros": (5, -1, 5), "ranks": (0, 1)}
    shape = {"version": "1", "bots": ("a", "b"), "scores": (0, 0), "reason": "finished"}
    return Record(**{"id": "e0b0r0", "game": "toy", **shape, **fields, **more})  # type: ignore[arg-type]


def test_notes_stand_beside_their_decisions(tmp_path: Path) -> None:
    """A note belongs to the decision that it answers; a later line of a match counts; half a line is passed over."""
    folder = RunFolder(tmp_path)
    notes = {"b": MatchNotes({1: Raw(b'{"x": 1}'), 2: Raw(b"9")}), "a": MatchNotes({1: Raw(b'"\\u001b\x7f"')})}
    keep_notes(folder, _record(), notes)
    with (tmp_path / "notes" / "b.jsonl").open("ab") as file:
        file.write(b'{"match":"e0b')
    assert read_notes(folder, _record()).notes == {0: '"\\u001b\\u007f"', 2: '{"x": 1}'}
    assert read_notes(folder, _record(), 0).notes == {0: '"\\u001b\\u007f"'}
    assert read_notes(folder, _record(id="e0b0r1")) == ({}, {})


def test_notes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of notes takes no more than its limit, a void match leaves none, and no link is followed."""
    monkeypatch.setattr(module, "NOTES_LIMIT", 100)
    folder = RunFolder(tmp_path)
    for _ in range(5):
        keep_notes(folder, _record(), {"a": MatchNotes({1: Raw(b"7")})})
    assert (tmp_path / "notes" / "a.jsonl").stat().st_size <= 100
    keep_notes(folder, _record(reason="void", why="the disk"), {"b": MatchNotes({1: Raw(b"7")})})
    assert not (tmp_path / "notes" / "b.jsonl").exists()
    (tmp_path / "notes" / "b.jsonl").symlink_to(tmp_path / "elsewhere")
    keep_notes(folder, _record(), {"b": MatchNotes({1: Raw(b"7")})})
    assert not (tmp_path / "elsewhere").exists()


def test_standard_error_is_text_beside_its_decision(tmp_path: Path) -> None:
    """What a bot wrote is one text whatever is in it: it makes no line and no mark of its own, and no command."""
    folder = RunFolder(tmp_path)
    forged = '"}}\n{"match":"e0b0r0","stderr":{"0":"forged"}}\n::error::\x1b[2J\r\u0080\u2028'
    keep_notes(folder, _record(), {"b": MatchNotes(stderr={1: forged, 2: "not asked"})})
    said = ['"}}', '{"match":"e0b0r0","stderr":{"0":"forged"}}', "\\x3a:error::\\x1b[2J", "\\x80"]
    assert read_notes(folder, _record()) == ({}, {2: "\n".join(said)})
    assert read_notes(folder, _record(), stderr=False) == ({}, {})
    assert len((tmp_path / "notes" / "b.jsonl").read_bytes().splitlines()) == 1


def test_standard_error_leaves_room_for_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error has half of the file: what comes after that is notes alone."""
    monkeypatch.setattr(module, "NOTES_LIMIT", 400)
    folder = RunFolder(tmp_path)
    for _ in range(9):
        keep_notes(folder, _record(), {"a": MatchNotes({1: Raw(b"7")}, {1: "x" * 80})})
    lines = (tmp_path / "notes" / "a.jsonl").read_text().splitlines()
    assert sum("stderr" in line for line in lines) == 1
    assert all("notes" in line for line in lines)
    assert len(lines) > 4


def test_notes_as_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of a note has a column, in the order of the journal: nested values are JSON text, and no text a formula."""
    folder = RunFolder(tmp_path)
    notes = [b'{"value":-1.5,"seat":"=x","far":[1,{"a":2}]}', b'"\\u001b[31m"', b'{"a":1,"b":2}']
    keep_notes(folder, _record(id="e0b0r1"), {"b": MatchNotes({1: Raw(notes[2])})})
    keep_notes(folder, _record(), {"b": MatchNotes({1: Raw(notes[0])}), "a": MatchNotes({1: Raw(notes[1])})})
    monkeypatch.setattr(RunFolder, "records", lambda _: iter([_record(), _record(id="e0b0r1")]))
    monkeypatch.setattr(module, "_COLUMNS", 4)
    assert notes_section(folder, ["a", "b"]).csv().splitlines() == [
        "match,decision,bot,seat,note,value,note.seat,far,more",
        "e0b0r0,0,a,0,\\x1b[31m,,,,",
        """e0b0r0,2,b,1,,-1.5,'=x,"[1, {""a"": 2}]",""",
        """e0b0r1,2,b,1,,,,,"{""a"": 1, ""b"": 2}\"""",
    ]
    assert [row["bot"] for row in notes_section(folder, ["a"]).rows] == ["a"]


@pytest.mark.long
def test_a_run_with_notes(tmp_path: Path) -> None:
    """A run with notes has the records of one without; replays show them, escaped; --no-notes and a shard drop them."""
    (tmp_path / "noter.py").write_text(NOTER)
    line = shlex.join([sys.executable, "-S", "noter.py"])
    field = ("greedy", "random", "--seed", "notes", *RUN)
    arena(tmp_path, "run", f"noter={line}", *field, "with")
    arena(tmp_path, "run", f"noter={line} quiet", *field, "without")
    arena(tmp_path, "run", f"noter={line}", *field, "dropped", "--no-notes")
    kept = {"picks", "ranks", "scores", "seats_asked", "bots"}
    played = [
        [{name: match[name] for name in kept} for match in records(tmp_path / run)] for run in ("with", "without")
    ]
    assert played[0] == played[1]
    assert sorted(path.name for path in (tmp_path / "with" / "notes").iterdir()) == ["noter.jsonl"]
    assert not (tmp_path / "without" / "notes").exists()
    assert not (tmp_path / "dropped" / "notes").exists()
    arena(tmp_path, "run", f"noter={line}", *field, "plan", "--dry-run")
    arena(tmp_path, "run", f"noter={line}", "--plan", "plan", "--shard", "1/2", "-o", "part")
    assert records(tmp_path / "part")
    assert not (tmp_path / "part" / "notes").exists()
    said = arena(tmp_path, "replay", "with", "#0").out
    assert '    note: {"value": 1.5, "depth": 4}\n' in said
    assert '    note: "\\u001b[31m\\n\\u007f"\n' in said
    assert "xxxx" not in said
    assert "stderr" not in said
    assert "    stderr | saw 3 \\x1b[2J\n" in arena(tmp_path, "replay", "with", "#0", "--stderr").out
    told = data(tmp_path, "replay", "with", "#0", "--json")["moves"]
    assert any({"note", "stderr"} <= each.keys() for move in told for each in move.get("asked", []))
    noted = data(tmp_path, "stats", "with", "--notes", "--json")["noted"]
    assert any({"value": 1.5, "depth": 4}.items() <= row.items() for row in noted)
    assert arena(tmp_path, "stats", "without", "--notes").out.endswith("No bot noted anything.\n")
    shown = str(embedded(arena(tmp_path, "replay", "with", "#0", "--html", "-").out))
    matches = str(embedded(arena(tmp_path, "report", "with", "-o", "-").out))
    for text in ('"depth": 4', "saw 3"):
        assert text in shown
        assert text not in matches
