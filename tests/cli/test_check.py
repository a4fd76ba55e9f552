"""`arena check` of several bots, as the host of a competition needs it, and the line that shows what it tries."""

import fcntl
import io
import json
import os
import pty
import re
import struct
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from arena.terminal.progress import trying_line
from tests.cli.command import BOTS, arena, bot_folder

WORDS = ("-g", "dockfight", "--seats", "2", "-q")


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """A folder of bots, of which one is fine, one crashes and two cannot be tried."""
    bot_folder(tmp_path / "good", name="good")
    bot_folder(tmp_path / "sick", BOTS["crash.py"], name="sick")
    (tmp_path / "empty").mkdir()
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "bot.toml").write_text('name = "lost"\ncommand = ["no-such-program"]\n')
    return tmp_path


def test_several_bots(bots: Path) -> None:
    """Each is checked; one that cannot be tried does not stop the others, and a last line tells who is not right."""
    said = arena(bots, "check", "./empty", "./good", "./lost", "./sick", *WORDS, "--junit-xml", "cases.xml", code=2)
    assert said.out.startswith("good: 17 of 17 rules pass")
    assert "sick: 0 of 17 rules pass, 1 failed" in said.out
    last = "1 of 4 bots keep the protocol; not: sick; could not be tried: ./empty, ./lost\n"
    assert said.out.endswith(last)
    assert said.err == (
        "arena: empty: expected a folder with a bot.toml, got none; `arena new bot` begins one\n"
        "arena: expected a bot this machine can run, got: lost needs no-such-program, which is not on PATH; "
        "install it\n"
    )
    cases = (bots / "cases.xml").read_text()
    assert 'failures="3"' in cases
    assert cases.count('name="can be tried"') == 2
    assert arena(bots, "check", "./good", "./sick", *WORDS, code=1).out.endswith("not: sick\n")


@pytest.mark.long
def test_for_programs(bots: Path) -> None:
    """For several bots JSON is a list and a table names each row's bot; for one bot nothing has changed."""
    found = json.loads(arena(bots, "check", "./good", "./sick", *WORDS, "--json", code=1).out)
    assert [(each["bot"], each["holds"]) for each in found] == [("good", True), ("sick", False)]
    rows = arena(bots, "check", "./good", "./good", *WORDS, "--format", "csv").out.splitlines()
    assert rows[0] == "bot,number,sentence,status,remark"
    assert len(rows) == 35
    assert json.loads(arena(bots, "check", "./good", *WORDS, "--json").out)["bot"] == "good"
    assert arena(bots, "check", "./good", *WORDS, "--format", "csv").out.startswith("number,")


def test_mistakes_of_the_command(bots: Path) -> None:
    """A wrong option is told once, and `--github` is for one bot."""
    told = arena(bots, "check", "./good", "./sick", "--limit", "line=2", code=2).err
    assert told.count("--limit line: expected a size from 1KiB to 1MiB") == 1
    step = {"GITHUB_STEP_SUMMARY": str(bots / "summary"), "GITHUB_OUTPUT": str(bots / "output")}
    told = arena(bots, "check", "./good", "./sick", "--github", code=2, env=step).err
    assert "arena: --github: expected one bot beside it, got 2\n" in told


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_one_row(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is tried fits into one row of the terminal, so that the next one overwrites all of it."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with trying_line(quiet=False) as trying:
            trying("fish-food with mode=simple, seat 5 of 6, " + "question " * 20)
            trying("short\x1b[2J\n")
    shown = b""
    # Linux tells the end of a terminal by an error
    with os.fdopen(master, "rb", buffering=0) as other_end, suppress(OSError):
        while part := other_end.read(1 << 16):
            shown += part
    rows = shown.decode().split("\r\x1b[K")
    assert rows[0] == rows[-1] == ""
    assert re.fullmatch(r"trying: fish-food with mode=simple.*\.\.\.", rows[1])
    assert len(rows[1]) < columns
    assert rows[2] == r"trying: short\x1b[2J\n"


def test_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a file there is no such line."""
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with trying_line(quiet=False) as trying:
        trying("dockfight")
    assert file.getvalue() == ""
