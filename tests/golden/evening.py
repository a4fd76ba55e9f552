"""Makes mistakes with the real command at a terminal of 80 columns, and writes down what it says."""

import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread

from tests.cli import forks
from tests.golden.mistakes import GOOD, MISTAKES, Mistake

GOLDEN = Path(__file__).with_name("mistakes.md")
COLUMNS = 80
_MADE = "arena run -g dockfight --seats 2 -n 4 greedy random --seed demo -o results/demo -q"
_ENVIRONMENT = {
    # no progress is drawn
    "TERM": "dumb",
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "ARENA_ISOLATION": "none",
    "ARENA_LANES": "1",
}


@contextmanager
def evening() -> Iterator[Path]:
    """A folder with a bot and a finished run; its path has the same length everywhere, for lines are folded."""
    place = Path(mkdtemp(prefix="evening-", dir="/tmp"))
    try:
        (place / "mine.py").write_text(GOOD)
        typed(_MADE, place)
        yield place
    finally:
        shutil.rmtree(place)


def told(mistake: Mistake, whole: Path) -> str:
    """The mistake made in a copy of the folder: its heading, what is typed, the exit code and what is said."""
    place = Path(mkdtemp(prefix="evening-", dir="/tmp"))
    try:
        shutil.copytree(whole, place, dirs_exist_ok=True)
        for name, text in mistake.files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if mistake.first:
            typed(mistake.first, place)
        code, lines = typed(mistake.typed, place)
    finally:
        shutil.rmtree(place)
    before = f"$ {mistake.first}\n" if mistake.first else ""
    return f"### {mistake.title}\n\n```console\n{before}$ {mistake.typed}\n{lines}```\n\nExit code {code}\n"


def document(sections: Mapping[str, str]) -> str:
    """The golden file: what is told of each mistake, by title."""
    parts = [f"# {len(sections)} mistakes, and what arena says\n\nWritten by `make goldens`; read the diff.\n"]
    for heading, mistakes in MISTAKES.items():
        parts += [f"## {heading}\n", *(sections[mistake.title] for mistake in mistakes)]
    return "\n".join(parts)


def typed(line: str, place: Path) -> tuple[int, str]:
    """Type a line to a shell at a terminal; the exit code, and what is said, without what differs from time to time."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    heard: list[bytes] = []

    def hear() -> None:
        while True:
            try:
                data = os.read(ours, 65_536)
            except OSError:
                return
            if not data:
                return
            heard.append(data)

    listening = Thread(target=hear)
    listening.start()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "COLUMNS"))}
    env = kept | _ENVIRONMENT | {"XDG_STATE_HOME": str(place / "state"), "XDG_CACHE_HOME": str(place / "cache")}
    try:
        if line.startswith("arena ") and not _FOR_A_SHELL.search(line):
            code = forks.code_of(shlex.split(line, comments=True)[1:], place, env, timeout=300, out=theirs, err=theirs)
        else:
            code = subprocess.run(
                ["sh", "-c", line],  # noqa: S607 - any shell
                cwd=place,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                timeout=300,
                check=False,
            ).returncode
    finally:
        os.close(theirs)
        listening.join()
        os.close(ours)
    return code, _stable(b"".join(heard).decode(), place)


_FOR_A_SHELL = re.compile(r"[>|&;]")
_HELD = re.compile(r"(?:^(?:ok|-) .*\n(?:^ {9}(?! ).*\)\n)*|^note 1[36]\..*\n(?:^ {9}.*\n)*)+", re.MULTILINE)
"""Sentences of a check that hold or were not tried, and notes on a bot that was slow here."""
_DIFFERS = (
    (re.compile(r"\r\x1b\[K(?:trying: [^\r]*)?"), ""),
    (_HELD, "...\n"),
    (re.compile(r"arena: not every lane has a core to itself.*\n.*be\n"), ""),
    (re.compile(r"^arena: built: .*\n", re.MULTILINE), ""),
    (re.compile(r"\d+\.\d (m?s\b|m$)", re.MULTILINE), r"0.0 \1"),
    (re.compile(r"\s\((\d+ match(?:es)?),\s[\d,]+\squestions?,\s[\d.]+\ss\)"), r" (\1)"),
)
"""What differs from time to time, or from machine to machine."""


def _stable(said: str, place: Path) -> str:
    said = said.replace("\r\n", "\n")
    for differing, stable in _DIFFERS:
        said = differing.sub(stable, said)
    return said.replace(str(place), "/evening")
