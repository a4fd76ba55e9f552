"""`arena run --debug NAME`: one bot on its author's terminal, its clock off, and no run that passes for a fair one."""

import json
import os
import pty
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from arena.players.launch import Launch
from arena.sandbox.sandbox import Sandbox
from arena.terminal.debugging import debug_launches
from tests.cli.command import ARENA, MINE, PYTHON, arena, data, records, refusal
from tests.cli.command import DEMO as COMMAND

DEBUG = ("-g", "cash-a-catch", "--seats", "3", "-o", "r", "--isolation", "none")


@pytest.mark.long
def test_every_line(place: Path) -> None:
    """Each line to and from the bot is shown in 80 columns, with its process, its faults and its place."""
    said = arena(place, "run", f"slip={PYTHON} slip.py", "greedy", "random", *DEBUG, "--debug", "slip")
    lines = said.err.splitlines()
    matches = records(place / "r")
    assert len(matches) == 3
    asked = sum(match["seats_asked"].count(match["bots"].index("slip")) for match in matches)
    assert sum(line.startswith('-> {"type": "decide"') for line in lines) == asked
    assert sum(line.startswith('<- {"type": "choose"') for line in lines) == asked
    assert sum(line.startswith("-- slip: process ") for line in lines) == 3
    assert sum(": fault illegal: expected " in line for line in lines) == 3
    assert max(map(len, lines[: lines.index(next(line for line in lines if line.startswith("results: ")))])) <= 80
    assert "slip was debugged with its clock off: this is not a fair run." in said.out


@pytest.mark.long
def test_no_clock(place: Path) -> None:
    """The bot has a day for every answer, and is late at nothing; the others keep their clocks."""
    # less than it takes to answer first, and for the others enough on a busy machine
    words = ("--debug", "slow", "--move-time", "600ms", "--bank", "600ms+100ms")
    arena(place, "run", f"slow={PYTHON} slow.py", "greedy", "random", *DEBUG, *words)
    assert [match["faults"] for match in records(place / "r") if "faults" in match] == []
    limits = {each["name"]: each["limits"] for each in json.loads((place / "r/run.json").read_bytes())["entrants"]}
    assert (limits["slow"]["move"], limits["slow"]["bank"]) == (86_400_000, 0)
    assert limits["greedy"] is None


@pytest.mark.long
def test_a_debugger_on_the_terminal(tmp_path: Path) -> None:
    """A debugger in the bot talks on the terminal that the bot is told of."""
    (tmp_path / "bot.py").write_text("""
import json, os, pdb, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        terminal = os.environ["ARENA_TTY"]
        pdb.Pdb(stdin=open(terminal), stdout=open(terminal, "w")).set_trace()
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        picks = list(range(message["least"]))
        print(json.dumps({"type": "choose", "id": message["id"], "picks": picks}), flush=True)
""")
    ours, theirs = pty.openpty()
    words = (f"bot={PYTHON} bot.py", "random", "greedy", *DEBUG, "--debug", "bot")
    with subprocess.Popen([*ARENA, "run", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs) as run:
        os.close(theirs)
        # what is typed ahead waits for the processes of the three rotations
        os.write(ours, b"p message['seat'] + 70 * 100\nc\n" * 3)
        seen = b""
        with suppress(OSError):
            while more := os.read(ours, 65_536):
                seen += more
        assert run.wait(300) == 0
    os.close(ours)
    assert all(b"%d" % (7000 + seat) in seen for seat in range(3))


@pytest.mark.long
def test_no_fair_run(place: Path) -> None:
    """The manifest tells of it, and who goes on without --debug, or with it in a fair run, is refused."""
    bots = (MINE, "greedy", "random")
    arena(place, "run", *bots, *DEBUG, "--debug", "mine", "-q")
    assert json.loads((place / "r/run.json").read_bytes())["debug"] == "mine"
    assert "expected --debug mine, got none" in refusal(place, "run", *bots, *DEBUG, "-n", "3")
    assert data(place, "leaderboard", "r", "--json")["notes"][-1].startswith("mine was debugged")
    fair = refusal(place, "run", *COMMAND, "--debug", "mine")
    assert "results/demo holds another run: expected --debug none, got mine" in fair


def test_outside_of_the_sandbox() -> None:
    """Unless a level is asked for by name, the bot and its copies are outside of the sandbox, where a debugger is."""
    walled = Launch(argv=("true",), env={}, folder="/", sandbox=Sandbox("bwrap"))
    field = dict.fromkeys(("mine", "mine#2", "mined"), walled)
    free = debug_launches(field, "mine", free=True)
    assert {name: (each.shown, each.sandbox.level) for name, each in free.items()} == {
        "mine": (True, "none"),
        "mine#2": (True, "none"),
        "mined": (False, "bwrap"),
    }
    assert debug_launches(field, "mine", free=False)["mine"].sandbox.level == "bwrap"


def test_what_cannot_be_debugged(place: Path) -> None:
    """A name that does not play, and a dry run, are refused."""
    assert refusal(place, "run", MINE, "greedy", *DEBUG, "--debug", "mina") == (
        "--debug: expected a bot of mine, greedy, got 'mina'; did you mean 'mine'?"
    )
    assert "got both" in refusal(place, "run", MINE, "greedy", *DEBUG, "--debug", "mine", "--dry-run")
