"""The line with which `arena check` shows on a terminal what it tries."""

import fcntl
import io
import os
import pty
import re
import struct
import sys
import termios
from contextlib import suppress

import pytest

from arena.terminal.progress import trying_line


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
