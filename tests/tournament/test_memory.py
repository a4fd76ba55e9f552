"""The host does not grow with the matches it has played."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

import pytest

from arena.players.process_tree import children

EARLY, LATE = 15_000, 25_000
"""By the first of them Python's free lists are nearly full: tuples by the thousand, which takes ten megabytes once."""
GROWTH_KB = 4_000
"""What a host may grow between the two: 0.4 KiB a match, where a record has about 1 KiB as text."""
RESTARTING = 5_000
PER_BOT = 3
"""Descriptors of a bot's process in its lane."""

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="needs /proc and a C compiler"),
    pytest.mark.timeout(900),
]
Figure = Callable[[str, object], None]


class Size(NamedTuple):
    """What a process occupies: memory in KiB, descriptors, and children that nobody has reaped."""

    memory: int
    descriptors: int
    zombies: int


def is_zombie(pid: int) -> bool:
    """Whether a process has ended and is not reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def size(pid: int) -> Size:
    """What a process occupies now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    memory = pages * os.sysconf("SC_PAGESIZE") // 1024
    return Size(memory, len(list(Path(f"/proc/{pid}/fd").iterdir())), sum(map(is_zombie, children(pid))))


def bots(folder: Path, more: str = "") -> list[str]:
    """Four bots in C, each with a bot file, as they are named on the command line."""
    source = Path(__file__).parents[2] / "bots" / "random-c" / "bot.c"
    built = folder / "bot"
    subprocess.run([shutil.which("cc") or "cc", "-O2", "-o", str(built), str(source)], check=True)
    for number in range(4):
        home = folder / f"c{number}"
        home.mkdir()
        (home / "bot.toml").write_text(f'name = "c{number}"\ncommand = ["{built}"]\n{more}', encoding="ascii")
    return [f"{folder}/c{number}" for number in range(4)]


def watched(out: Path, words: Sequence[str], matches: int, moments: Sequence[int]) -> list[dict[int, Size]]:
    """Play so many matches; the size of runner and lanes, by process, in the 500 matches after each moment.

    Of memory and descriptors the most that was seen, of zombies the fewest: there is always one about to be reaped.
    """
    options = ["-g", "cash-a-catch", "-n", str(matches), "-o", str(out), "-j", "2", "-q"]
    seen: list[dict[int, Size]] = [{} for _ in moments]
    command = [sys.executable, "-m", "arena", "run", *options, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as runner:
        deadline = monotonic() + 800
        while runner.poll() is None and monotonic() < deadline:
            sleep(0.05)
            journal = out / "matches.jsonl"
            played = journal.read_bytes().count(b"\n") if journal.exists() else 0
            for moment, found in zip(moments, seen, strict=True):
                if moment <= played < min(moment + 500, matches - 50):
                    for pid in (runner.pid, *children(runner.pid)):
                        now = size(pid)
                        last = found.get(pid, now)
                        found[pid] = Size(
                            max(last.memory, now.memory),
                            max(last.descriptors, now.descriptors),
                            min(last.zombies, now.zombies),
                        )
        output, errors = runner.communicate()
    assert runner.returncode == 0, errors.decode()
    assert output
    assert all(found.keys() == seen[0].keys() and len(found) == 3 for found in seen)
    return seen


def grown(early: Mapping[int, Size], late: Mapping[int, Size]) -> Size:
    """The most by which any of the processes has grown."""
    return Size(*(max(late[pid][at] - early[pid][at] for pid in early) for at in range(3)))


def test_memory_is_flat_over_ten_thousand_matches(tmp_path: Path, record_property: Figure) -> None:
    """Between match 15,000 and match 25,000 neither the runner nor a lane grows."""
    early, late = watched(tmp_path / "run", bots(tmp_path), LATE, (EARLY, LATE - 500))
    record_property("KiB grown", grown(early, late).memory)
    assert grown(early, late).memory < GROWTH_KB, (early, late)


def test_restarts_leave_nothing(tmp_path: Path, record_property: Figure) -> None:
    """Over 5,000 matches that each start four processes, descriptors, zombies and memory stay as they were."""
    words = bots(tmp_path, 'restart = "match"\n')
    early, late = watched(tmp_path / "run", words, RESTARTING, (1000, RESTARTING - 500))
    more = grown(early, late)
    for name, value in zip(("KiB grown", "descriptors", "zombies"), more, strict=True):
        record_property(name, value)
    record_property("processes", 4 * RESTARTING)
    assert more.memory < GROWTH_KB, (early, late)
    # those of one match come and go
    assert more.descriptors <= 4 * PER_BOT, (early, late)
    assert max(found.descriptors for found in late.values()) < 64
    assert max(found.zombies for found in late.values()) == 0, late
