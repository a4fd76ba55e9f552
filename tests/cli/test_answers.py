"""`arena replay RUN MATCH -- CMD` and `arena verify --bots`: real bots are asked again what was asked in a run."""

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.command import MINE, PYTHON, SLIP, arena, change, forge, records, refusal, to_void

# writes all it is sent into a file, which no word of its command line is, or it would be one of the bot's own; makes a
# fault of every answer as long as its second word is `slip`
TAPE = """
import json, sys
with open(sys.argv[1] + ".txt", "ab", buffering=0) as tape:
    for line in sys.stdin.buffer:
        tape.write(line)
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {"type": "ready"}
        elif message["type"] == "decide":
            picks = [99] if sys.argv[2] == "slip" else list(range(message["most"]))
            answer = {"type": "choose", "id": message["id"], "picks": picks}
        else:
            continue
        print(json.dumps(answer), flush=True)
"""


RUN = ("-g", "cash-a-catch", "--isolation", "none", "-q", "-o", "r")


def told(tape: Path) -> dict[str, bytes]:
    """What a tape heard of each match, by the match's label."""
    talks: dict[str, bytes] = {}
    label = ""
    for line in tape.read_bytes().splitlines(keepends=True):
        if line.startswith(b'{"type":"hello"'):
            label = json.loads(line)["match"]
        talks[label] = talks.get(label, b"") + line
    return talks


@pytest.mark.long
def test_the_exact_bytes(tmp_path: Path) -> None:
    """A bot that is replayed a seat gets byte for byte what the process in that seat got, a bank running or retired."""
    (tmp_path / "tape.py").write_text(TAPE)
    bots = (f"tape={PYTHON} tape.py run play", f"slip={PYTHON} tape.py slip slip", "greedy")
    arena(tmp_path, "run", *bots, *RUN, "-n", "3", "-j", "1", "--bank", "9s+1ms")
    match = records(tmp_path / "r")[1]
    for bot, tape, manner in (("tape", "run.txt", "play"), ("slip", "slip.txt", "slip")):
        seat = match["bots"].index(bot)
        again = (*shlex.split(PYTHON), "tape.py", "again", manner)
        said = arena(tmp_path, "replay", "r", match["id"], "--seat", str(seat), "--", *again)
        assert "answers are as recorded" in said.out
        before, now = told(tmp_path / tape), told(tmp_path / "again.txt")
        (tmp_path / "again.txt").unlink()
        assert len(now) == 1
        assert now.items() <= before.items()
    assert match["retired"] == [match["bots"].index("slip")]


def seat_of(demo: Path, number: int, bot: str) -> str:
    """Where a bot sits in a match."""
    return str(records(demo)[number]["bots"].index(bot))


@pytest.mark.long
def test_equal_all_the_way(place: Path, demo: Path) -> None:
    """A bot that answers as it did is told so, with how many answers that were; recorded faults do not count."""
    seat = seat_of(demo, 0, "slip")
    match = records(demo)[0]
    asked = match["seats_asked"].count(int(seat))
    said = arena(place, "replay", "results/demo", "#0", "--seat", seat, "--", SLIP)
    assert said.out == (
        f"match {match['id']}, seat {seat} (slip): all {asked - 1} answers are as recorded; "
        "1 fault was recorded and not compared\n"
    )


@pytest.mark.long
def test_the_first_difference(place: Path, demo: Path) -> None:
    """Of another bot the first answer that differs is shown: decision, the line it was sent, both answers. Exit 1."""
    seat = seat_of(demo, 0, "greedy")
    said = arena(place, "replay", "results/demo", "#0", "--seat", seat, "--", "mine.py", code=2)
    assert "expected a shipped bot" in said.err
    said = arena(place, "replay", "results/demo", "#0", "--seat", seat, "--", *shlex.split(PYTHON), "mine.py", code=1)
    head, sent, recorded, got = said.out.splitlines()
    match = records(demo)[0]
    decision = int(head.partition("decision ")[2].partition(":")[0])
    assert head == f"match {match['id']}, seat {seat} (greedy): decision {decision}: another answer than recorded"
    question = json.loads(sent.removeprefix("sent     | "))
    picks = list(range(question["most"]))
    assert match["seats_asked"][decision] == int(seat)
    assert recorded.startswith(f"recorded | {match['picks'][decision]}")
    assert got.startswith(f"got      | {picks}")
    assert match["picks"][decision] != picks
    earlier = [at for at in range(decision) if match["seats_asked"][at] == int(seat)]
    whole = arena(place, "replay", "results/demo", "#0", "--seat", seat, "--all", "--", MINE, code=1).out.splitlines()
    assert whole[2].startswith(f"{decision} ")
    assert whole[-1].endswith(" answers differ")
    assert all(not line.startswith(f"{at} ") for at in earlier for line in whole)
    later = ("--seat", seat, "--decision", str(decision + 1))
    said = arena(place, "replay", "results/demo", "#0", *later, "--", MINE, code=1)
    assert int(said.out.partition("decision ")[2].partition(":")[0]) > decision
    said = arena(place, "replay", "results/demo", "#0", *later, "--", "greedy")
    assert said.out.endswith(f": all answers from decision {decision + 1} are as recorded\n")


@pytest.mark.long
def test_a_program_alone(place: Path, demo: Path) -> None:
    """After `--` the name of a program will do, and so will a command line in one word; a BOT goes before both."""
    words = ("replay", "results/demo", "#0", "--seat", seat_of(demo, 0, "greedy"), "--")
    assert "fault garbled" in arena(place, *words, "cat", code=1).out
    assert "another answer than recorded" in arena(place, *words, f"{PYTHON} mine.py", code=1).out
    assert "answers are as recorded" in arena(place, *words, "greedy").out
    assert refusal(place, *words, "gredy").endswith("got 'gredy'; did you mean 'greedy'?")
    assert refusal(place, *words, "no-such-program --x").startswith("expected a shipped bot")


def test_a_fault_is_told(place: Path, demo: Path) -> None:
    """A bot that says what is no message is told rule, remedy and line; what it writes to stderr comes through."""
    program = "import sys; print('a word', file=sys.stderr); print('oops', flush=True); input()"
    words = ("--seat", seat_of(demo, 0, "greedy"), "--", *shlex.split(PYTHON), "-c", program)
    said = arena(place, "replay", "results/demo", "#0", "-v", *words, code=1)
    assert "hello: fault garbled\n  after hello: expected a line of JSON" in said.out
    assert "  fix: only messages go to stdout" in said.out
    assert said.out.endswith("got      | oops\n")
    assert "a word\n" in said.err


def test_what_cannot_be_replayed_to_a_bot(place: Path, demo: Path) -> None:
    """A command needs a seat, and a match that was played."""
    assert refusal(place, "replay", "results/demo", "#0", "--", "greedy").startswith("--seat: expected the seat")
    change(demo, 0, to_void)
    said = refusal(place, "replay", "results/demo", "#0", "--seat", "0", "--", "greedy")
    assert said.endswith("which is void: the disk was slow")


def rows(out: str) -> dict[str, list[str]]:
    """The table below the first line, by bot."""
    return {line.split()[0]: line.split()[1:] for line in out.splitlines()[3:]}


@pytest.mark.long
def test_the_bots_of_a_run(place: Path, demo: Path) -> None:
    """Every bot that answers by what it is sent answers again as it did; what is counted are its sound answers."""
    said = arena(place, "verify", "results/demo", "--bots", MINE, SLIP)
    matches = records(demo)
    for bot in ("greedy", "random", "mine", "slip"):
        played = [match for match in matches if bot in match["bots"]]
        asked = sum(match["seats_asked"].count(match["bots"].index(bot)) for match in played)
        spoilt = sum(match["bots"][fault["seat"]] == bot for match in played for fault in match["faults"])
        assert rows(said.out)[bot] == [str(len(played)), str(asked - spoilt), "0", "-"]


@pytest.mark.long
def test_a_bot_that_answers_otherwise(place: Path) -> None:
    """A bot that differs is named with the first match and decision in canonical order, and nobody else is: exit 1."""
    clock = place / "clock.py"
    clock.write_text((place / "mine.py").read_text().replace("if message", "import os\n    if message", 1))
    # differs from one time to the next without its files telling
    text = clock.read_text().replace(
        'list(range(message["most"]))', 'list(range(message["most" if os.path.exists(FLAG) else "least"]))'
    )
    clock.write_text(f"FLAG = {str(place / 'flag')!r}\n" + text)
    bot = f"clock={PYTHON} clock.py"
    arena(place, "run", bot, "greedy", "random", *RUN, "-n", "6")
    (place / "flag").touch()
    said = arena(place, "verify", "r", "--bots", bot, code=1)
    found = rows(said.out)
    assert found["greedy"][2:] == found["random"][2:] == ["0", "-"]
    matches = {match["id"]: match for match in records(place / "r")}
    first, word, decision = found["clock"][3:]
    seat = matches["e0b0r0"]["bots"].index("clock")
    assert (first, word) == ("e0b0r0", "decision")
    assert matches[first]["seats_asked"][int(decision)] == seat
    assert int(found["clock"][2]) > 0


@pytest.mark.long
def test_a_sample(place: Path) -> None:
    """A sample is always of the same matches; bots that are lacking or have changed are named and not tried."""
    (place / "slip.py").write_text("# another one")
    (place / "mine.py").unlink()
    one, two = (arena(place, "verify", "results/demo", "--bots", "--sample", "3", SLIP).out for _ in range(2))
    assert one == two
    assert f"\nnot tried:\n  mine: expected the bot on the command line, got none; it was entered as '{MINE}'" in one
    assert "\n  slip: expected the bot as it was entered, got other files or another command\n" in one
    assert {line.split()[1] for line in one.splitlines()[3:5]} == {"3"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--sample", "3"), "expected --bots with --sample, got none"),
        (("results/demo", "greedy"), "expected one RUN, got 3: `arena verify` takes one after the other"),
        (("greedy",), "expected --bots with 'greedy', got none"),
        (("--bots", "other=true"), "expected bots of the run (greedy, random, mine, slip), got 'other'"),
    ],
)
def test_what_cannot_be_asked(place: Path, words: tuple[str, ...], why: str) -> None:
    """A sample or bots without --bots, and bots that were not in the run, are refused."""
    assert refusal(place, "verify", "results/demo", *words) == why


def test_a_forged_match_is_not_tried(place: Path, demo: Path) -> None:
    """What does not follow from its deal is said as such; no bot is asked."""
    matches = records(demo)
    matches[0]["scores"][0] += 1
    forge(demo, matches)
    said = arena(place, "verify", "results/demo", "--bots", code=1)
    assert "scores: expected" in said.out
    assert said.out.count("\n") == 1
