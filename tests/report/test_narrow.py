"""Tables on a terminal of 40 columns."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.cli.command import OPEN, PYTHON, bot_folder


def at_terminal(place: Path, columns: int, *words: str) -> list[str]:
    """The lines that a command writes to a terminal that is this wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    line = [sys.executable, "-m", "arena", *words]
    env = os.environ | OPEN | {"NO_COLOR": "1"}
    subprocess.run(line, cwd=place, env=env, stdout=theirs, stderr=subprocess.DEVNULL, timeout=300, check=True)
    os.close(theirs)
    said = b""
    while True:
        try:
            data = os.read(ours, 65_536)
        except OSError:
            break
        if not data:
            break
        said += data
    os.close(ours)
    return said.decode().replace("\r\n", "\n").splitlines()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of bots, one of which faults."""
    folder = tmp_path_factory.mktemp("narrow")
    bot_folder(folder / "mine", name="a-bot-with-a-long-name")
    slip = f"slip={PYTHON} -c print(input())"
    words = ("run", "-g", "dockfight", "--seats", "2", "-n", "6", "greedy", "random", "./mine", slip, "-o", "run")
    line = [sys.executable, "-m", "arena", *words, "--keep-going", "-q"]
    subprocess.run(line, cwd=folder, env=os.environ | OPEN, stdout=subprocess.DEVNULL, timeout=300, check=True)
    return folder


@pytest.mark.parametrize("words", [("leaderboard", "run"), ("matches", "run")], ids=["leaderboard", "matches"])
@pytest.mark.parametrize("columns", [40, 80, 132])
def test_a_table_fits_its_terminal(place: Path, words: tuple[str, ...], columns: int) -> None:
    """No line is wider than the terminal; the bots stand in each table, on a wide one with more columns."""
    lines = at_terminal(place, columns, *words)
    assert max(map(len, lines)) <= min(columns, 80)
    assert sum("greedy" in line for line in lines) >= 1
    heading = next(line for line in lines if "bot" in line and "match" in line)
    assert ("sigma" in heading or " ms" in f" {heading}") == (columns >= 80)
