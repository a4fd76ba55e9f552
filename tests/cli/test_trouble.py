"""A machine in trouble: no lower sandbox than when it is well, no bot blamed, its name and exit 3; then on again."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.command import ARENA, BOTS, bot_folder, started
from tests.levels import needed

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are of Linux")]

AUTO = {"ARENA_ISOLATION": "auto"}
SPY = """
try:
    open({!r}, "w")
except OSError:
    pass
"""
RUN = ("run", "./spy", "greedy", "-g", "dockfight", "--seats", "2", "-n", "2", "-o", "out", "-q", "-j", "1")
MOUNT = 'mount -t tmpfs -o "$0" none "$1"; shift; exec "$@"'


def with_mount(options: str, place: Path) -> list[str]:
    """Words before a command that sees a small file system at a place, which nobody else sees."""
    place.mkdir(exist_ok=True)
    words = ["unshare", "--mount", "sh", "-c", MOUNT, options, str(place)]
    if subprocess.run([*words, "true"], capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("expected to mount a file system, got no right to")
    return words


@pytest.fixture
def spied(tmp_path: Path) -> Path:
    """A folder with a bot that leaves a file where it may write, and has to be built."""
    needed("bwrap")
    program = SPY.format(str(tmp_path / "SPY")) + BOTS["mine.py"]
    bot_folder(tmp_path / "spy", program, name="spy")
    return tmp_path


def check_then_well(place: Path, words: Sequence[str], line: Sequence[str], *names: str, **env: str) -> None:
    """A command in trouble ends with exit 3 and the trouble's name, blames no bot and starts none; then it plays."""
    said = started(place, *words, *ARENA, *line, code=3, env=AUTO | env)
    assert any(name in said.err for name in names), said.err
    assert "cannot start" not in said.err
    assert not (place / "SPY").exists()
    started(place, *ARENA, *line, env=AUTO)
    assert not (place / "SPY").exists()


@pytest.mark.parametrize(
    ("options", "name"),
    [("size=16k", "No space left"), ("size=8m,nr_inodes=12", "No space left"), ("size=48k", "No space left")],
)
def test_a_full_temporary_folder(options: str, name: str, spied: Path) -> None:
    """Without room or inodes in the temporary folder nothing is played; with room the same command plays."""
    words = with_mount(options, spied / "small")
    check_then_well(spied, words, RUN, name, "room on its disk", TMPDIR=str(spied / "small"))
    assert json.loads((spied / "out/run.json").read_bytes())["isolation"] == "bwrap"
