"""`arena replay --lines` and `arena check --lines`: a match as lines in a file, and a bot that is held against them."""

import json
import os
import pty
import shlex
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.command import ARENA, MINE, PYTHON, Said, arena, data, records, refusal

DEBUGGED = """
import json, sys, time
terminal = __import__("os").environ["ARENA_TTY"]
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        time.sleep(message["time"] / 1000 + 0.3)
        with open(terminal, "w") as tty:
            print("asked of", message["count"], "in", message["time"], file=tty)
        print("a thought", file=sys.stderr, flush=True)
        picks = list(range(message["least"]))
        print(json.dumps({"type": "choose", "id": message["id"], "picks": picks}), flush=True)
"""


def seat_of(demo: Path, bot: str) -> int:
    """Where a bot sits in the first match."""
    return int(records(demo)[0]["bots"].index(bot))


def asked(demo: Path, seat: int) -> list[int]:
    """The decisions that a seat was asked in the first match."""
    return [number for number, who in enumerate(records(demo)[0]["seats_asked"]) if who == seat]


def lines_of(place: Path, seat: int, *words: str) -> str:
    """What the command prints of the first match."""
    return arena(place, "replay", "results/demo", "#0", "--seat", str(seat), "--lines", *words).out


def test_the_lines_play_the_match(place: Path, demo: Path) -> None:
    """A bot that is fed the lines answers each as it did in the match; bounds leave out questions, never the hello."""
    seat = seat_of(demo, "mine")
    own, picks = asked(demo, seat), records(demo)[0]["picks"]
    whole = lines_of(place, seat)
    said = subprocess.run(
        [*shlex.split(PYTHON), "mine.py"], cwd=place, input=whole, text=True, capture_output=True, check=True
    )
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    assert [answer["picks"] for answer in answers[1:]] == [picks[number] for number in own]
    part = lines_of(place, seat, "--decision", str(own[1]), "--until", str(own[2])).splitlines()
    assert part == [whole.splitlines()[number] for number in (0, 2, 3)]
    answered = lines_of(place, seat, "--answers").splitlines()
    told = [json.loads(line) for line in answered if line.startswith('{"type":"choose"')]
    assert [line for line in answered if not line.startswith('{"type":"choose"')] == whole.splitlines()
    assert [(each["decision"], each["picks"]) for each in told] == [(number, picks[number]) for number in own]


def check(place: Path, bot: str, *words: str, code: int = 0) -> Said:
    """Check a bot by the lines of ``lost.jsonl``."""
    return arena(place, "check", bot, "--lines", "lost.jsonl", *words, code=code)


@pytest.mark.long
def test_a_regression_test_of_ones_own(place: Path, demo: Path) -> None:
    """A bot is held against recorded questions: legal, in time, and not the answer that is ruled out."""
    seat = seat_of(demo, "greedy")
    picks = records(demo)[0]["picks"]
    number = next(n for n in asked(demo, seat) if picks[n] not in ([], list(range(len(picks[n])))))
    (place / "lost.jsonl").write_text(lines_of(place, seat, "--answers", "--until", str(number)))
    assert "11 of 11 rules pass" in check(place, "greedy").out
    said = check(place, "greedy", "--not", str(number), code=1).out
    assert f"decision {number}: expected another answer than recorded, got {picks[number]}" in " ".join(said.split())
    assert "12 of 12 rules pass" in check(place, MINE, "--not", str(number)).out
    slip = check(place, f"slip={PYTHON} slip.py", code=1).out
    assert "FAIL  7. picks as many different options" in slip
    assert f"decision {asked(demo, seat)[0]}: expected " in slip


def test_what_cannot_be_checked_by_lines(place: Path, demo: Path) -> None:
    """A decision without its answer, a table beside the lines, and a file that is not there are refused."""
    seat = seat_of(demo, "greedy")
    own = asked(demo, seat)
    (place / "bare.jsonl").write_text(lines_of(place, seat, "--until", str(own[0])))
    (place / "lost.jsonl").write_text(lines_of(place, seat, "--answers", "--until", str(own[0])))
    words = ("check", MINE, "--lines")
    assert "(none: `arena replay --lines --answers` has them), got 3" in refusal(
        place, *words, "bare.jsonl", "--not", "3"
    )
    assert f"({own[0]} to {own[0]}), got 999" in refusal(place, *words, "lost.jsonl", "--not", "999")
    assert "expected --lines or a table" in refusal(place, *words, "lost.jsonl", "-g", "lure")
    assert "got none.jsonl: No such file" in refusal(place, *words, "none.jsonl")
    assert "expected --lines FILE beside it" in refusal(place, "check", MINE, "--not", "3")


def test_one_decision_alone(place: Path) -> None:
    """In words --decision shows its moment alone; --until goes on to another; a stronger bot is asked no more."""
    moves = data(place, "replay", "results/demo", "#0", "--json")["moves"]
    number = next(move["first"] for move in moves if move.get("count", 1) == 1 and move.get("first", 0))
    line = ("replay", "results/demo", "#0", "--decision", str(number))
    whole = arena(place, "replay", "results/demo", "#0").out
    alone = arena(place, *line).out
    assert [text for text in alone.splitlines() if text.startswith("decision")] == [f"decision {number}"]
    assert "end: " not in alone
    further = arena(place, *line, "--until", str(number + 4)).out
    body = further.partition(f"decision {number}\n")[2]
    assert body in whole
    assert len(further) > len(alone)
    assert "asking greedy 1 question," in arena(place, *line, "--by", "greedy").err


@pytest.mark.long
def test_a_match_in_a_debugger(place: Path, demo: Path) -> None:
    """With --debug the bot has the terminal and a day for each answer; its stderr goes through; bounds hold."""
    (place / "debugged.py").write_text(DEBUGGED)
    seat = seat_of(demo, "greedy")
    own = asked(demo, seat)
    ours, theirs = pty.openpty()
    words = ("replay", "results/demo", "#0", "--seat", str(seat), "--decision", str(own[1]), "--until", str(own[1]))
    line = [*ARENA, *words, "--debug", "--", *shlex.split(PYTHON), "debugged.py"]
    with subprocess.Popen(line, cwd=place, stdout=subprocess.PIPE, stderr=theirs) as run:
        os.close(theirs)
        seen = b""
        with suppress(OSError):
            while more := os.read(ours, 65_536):
                seen += more
        assert run.stdout
        told = run.stdout.read().decode()
        assert run.wait(300) in {0, 1}
    os.close(ours)
    assert seen.count(b"asked of") == seen.count(b"a thought") == 1
    assert "fault" not in told


def test_what_cannot_be_combined(place: Path) -> None:
    """Lines need a seat, answers need lines, a debugger needs a bot, and an end lies behind its beginning."""
    line = ("replay", "results/demo", "#0")
    assert refusal(place, *line, "--lines").startswith("--seat: expected the seat")
    assert refusal(place, *line, "--answers").startswith("--answers: expected --lines")
    assert refusal(place, *line, "--seat", "0", "--debug").startswith("--debug: expected a bot to debug")
    assert refusal(place, *line, "--decision", "5", "--until", "4") == "--until: expected 5 or more, got 4"
    assert "got several" in refusal(place, *line, "--lines", "--json")


@pytest.mark.long
def test_played_on(place: Path, demo: Path) -> None:
    """From a decision on another bot plays the match to its end, once as the cards lay and then afresh."""
    seat = seat_of(demo, "greedy")
    match = records(demo)[0]
    number = asked(demo, seat)[-1]
    line = ("replay", "results/demo", "#0", "--seat", str(seat), "--play-on", "3")
    words = ("--decision", str(number), "--with", MINE, "--with", f"slip={PYTHON} slip.py", "--", "greedy")
    recorded, same, fresh = arena(place, *line, *words).out.splitlines()
    place_then = 1 + sum(rank < match["ranks"][seat] for rank in match["ranks"])
    assert recorded == f"recorded: place {place_then}, score {match['scores'][seat]:g}"
    assert same.startswith("as the cards lay: place ")
    assert fresh.startswith("in 3 fresh matches from there: mean place ")
    said = refusal(place, *line, "--decision", str(number), "--", "greedy")
    assert said.endswith("; such as --with NAME=BOT")
    assert refusal(place, *line, "--", "greedy").startswith("--decision: expected the decision to play on from")
    assert refusal(place, *line).startswith("--play-on: expected a bot to play on with")
