"""A real run over a disk that fails and under a wall clock that jumps: injected between the house and its C library."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from tests.tournament.test_killed_runs import MATCHES, Tournament, whole

__all__ = ["whole"]

SOURCE = Path(__file__).with_name("shim.c")
CLOCKS = "import time; print([time.time() for _ in range(50) if not time.sleep(0.002)])"

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="expected LD_PRELOAD"),
    pytest.mark.skipif(not shutil.which("cc"), reason="expected a C compiler"),
]


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shim, compiled."""
    made = tmp_path_factory.mktemp("shim") / "shim.so"
    subprocess.run(
        [shutil.which("cc") or "cc", "-shared", "-fPIC", "-O1", "-o", str(made), str(SOURCE), "-ldl"], check=True
    )
    return made


def disturbed(tournament: Tournament, shim: Path, **told: str) -> subprocess.CompletedProcess[bytes]:
    """The command, run to its end with the shim in the runner and its lanes."""
    env = {**os.environ, "LD_PRELOAD": str(shim), **told}
    return subprocess.run(
        tournament.command, cwd=tournament.folder, env=env, capture_output=True, timeout=120, check=False
    )


@pytest.mark.parametrize(("call", "count"), [("write", 1), ("write", 7), ("fdatasync", 7)])
@pytest.mark.long_cases("fdatasync-7", "write-1", "write-7")
def test_a_disk_that_fails(tmp_path: Path, shim: Path, whole: bytes, call: str, count: int) -> None:
    """An error of the disk stops the run in one line; nothing that was safe is lost, and the same command goes on."""
    # the shim is in the way of bubblewrap too, and a run goes on at the level it began with
    tournament = Tournament(tmp_path, "none")
    ended = disturbed(tournament, shim, SHIM_FAIL=f"{call}:{count}", SHIM_FILE="/matches.jsonl")
    assert ended.returncode == 3, ended.stderr
    assert b"Input/output error" in ended.stderr
    assert b"Traceback" not in ended.stderr
    assert b"resume with: arena run" in ended.stderr
    assert tournament.recorded() == count - 1
    tournament.assert_all_gone()
    assert tournament.finish() == whole


@pytest.mark.long
def test_a_wall_clock_that_jumps(tmp_path: Path, shim: Path, whole: bytes) -> None:
    """An hour ahead and back every 50 ms: nobody is late, nothing is void, the times told are those that passed."""
    words = [sys.executable, "-c", CLOCKS]
    env = {**os.environ, "LD_PRELOAD": str(shim), "SHIM_JUMP": "10"}
    seen = json.loads(subprocess.run(words, env=env, check=True, capture_output=True).stdout)
    assert max(seen) - min(seen) > 7000
    tournament = Tournament(tmp_path, "none")
    began = monotonic()
    ended = disturbed(tournament, shim, SHIM_JUMP="50")
    passed = monotonic() - began
    assert ended.returncode == 0, ended.stderr
    run = json.loads((tournament.out / "run.json").read_bytes())
    assert 0 < run["seconds"] < passed
    records = [json.loads(line) for line in (tournament.out / "matches.jsonl").read_bytes().splitlines()]
    assert len(records) == MATCHES
    for record in records:
        assert (record["reason"], record.get("faults", [])) == ("finished", [])
        assert 0 < sum(record["micros"]) / 1e6 <= record["seconds"] < passed
    assert tournament.finish() == whole
