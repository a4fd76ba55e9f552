"""Root in a container: Landlock holds with the rights that engines leave to it; with fewer it is told what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox import users
from arena.sandbox.missing import missing_rights
from tests.levels import unavailable

CONTAINERS = ("chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setpcap", "setuid", "setfcap")
"""What container engines leave to root, and what all of them do."""
PROVES = "from arena.sandbox.proving import proven; print(proven('landlock').why, end='')"


def as_root_with(*names: str) -> str:
    """What a proof of Landlock finds amiss, by root with these capabilities alone."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("expected root and setpriv")
    words = ["setpriv", "--bounding-set", ",".join(["-all", *(f"+{name}" for name in names)])]
    done = subprocess.run(
        [*words, sys.executable, "-c", PROVES], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_root_of_a_container() -> None:
    """Landlock holds for root with what a container leaves to it."""
    if why := unavailable("landlock"):
        pytest.skip(why)
    assert as_root_with(*CONTAINERS) == ""


def test_root_without_rights() -> None:
    """Root that cannot run bots as another user is told what it lacks and what to do."""
    if why := unavailable("landlock"):
        pytest.skip(why)
    assert as_root_with(*(name for name in CONTAINERS if name not in {"kill", "dac_override"})) == (
        "expected root to run bots as other users, got it without DAC_OVERRIDE, KILL: start the container as somebody "
        "else (`docker run --user 1000:1000`), or with --cap-add DAC_OVERRIDE --cap-add KILL"
    )


def test_what_is_lacking() -> None:
    """Reading is by the least capability there is; the names that are missing are sorted."""
    assert users.to_read(0b110) == users.READ_SEARCH
    assert users.to_read(0b010) == users.OVERRIDE
    assert users.to_read(0b001) is None
    assert users.lacking((1 << 41) - 1) == []
    assert users.lacking(0b101) == ["KILL", "SETGID", "SETPCAP", "SETUID"]
    assert "--cap-add KILL" in missing_rights(["KILL"])


def test_what_a_process_holds(tmp_path: Path) -> None:
    """The effective capabilities are read as the kernel tells them; where it tells of none there are none."""
    (tmp_path / "status").write_text("Name:\tpython\nCapPrm:\t00ff\nCapEff:\t00000000800405fb\n")
    assert users.effective(tmp_path / "status") == 0x8004_05FB
    assert users.effective(tmp_path / "none") == 0
