"""The house does not grow with the matches it has played."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

EARLY, LATE = 10_000, 20_000
"""By the first of them Python's free lists are nearly full, which takes some megabytes once."""
GROWTH_KB = 4_000
"""What a house may grow between the two: 0.4 KiB a match, where a record has about 1 KiB as text."""


def resident(pid: int) -> int:
    """The memory of a process, in KiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") // 1024


def house(runner: int) -> dict[int, int]:
    """The memory of the runner and of each of its lanes, by process number."""
    lanes = Path(f"/proc/{runner}/task/{runner}/children").read_text(encoding="ascii").split()
    return {pid: resident(pid) for pid in (runner, *map(int, lanes))}


@pytest.mark.proof
@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="needs /proc and a C compiler")
@pytest.mark.timeout(900)
def test_memory_is_flat_over_ten_thousand_matches(tmp_path: Path) -> None:
    """Between match 10,000 and match 20,000 neither the runner nor a lane grows."""
    source = Path(__file__).parents[2] / "bots" / "random-c" / "bot.c"
    built = tmp_path / "bot"
    subprocess.run([shutil.which("cc") or "cc", "-O2", "-o", str(built), str(source)], check=True)
    names = [f"c{number}={built}" for number in range(4)]
    out = tmp_path / "run"
    options = ["-g", "cash-a-catch", "-n", str(LATE), "-o", str(out), "-j", "2", "-q"]
    words = [sys.executable, "-m", "arena", "run", *options, *names]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as runner:
        seen: list[dict[int, int]] = []
        deadline = monotonic() + 800
        while runner.poll() is None and monotonic() < deadline:
            sleep(0.05)
            journal = out / "matches.jsonl"
            matches = journal.read_bytes().count(b"\n") if journal.exists() else 0
            if matches >= (EARLY if not seen else LATE - 500) and len(seen) < 2:
                seen.append(house(runner.pid))
        output, errors = runner.communicate()
    assert runner.returncode == 0, errors.decode()
    assert output
    early, late = seen
    assert early.keys() == late.keys()
    grown = {pid: late[pid] - early[pid] for pid in early}
    assert max(grown.values()) < GROWTH_KB, f"KiB grown, runner first: {list(grown.values())} on {list(early.values())}"
