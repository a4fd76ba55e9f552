"""Tests that need a level of isolation: left out where the machine cannot have it, failed where only arena cannot."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import which

import pytest

from arena.sandbox import Level
from arena.sandbox.missing import missing
from arena.sandbox.proving import proven


@cache
def unavailable(level: Level) -> str:
    """Why this machine cannot have a level, whatever arena does; empty if it can."""
    if level == "none":
        return ""
    if not sys.platform.startswith("linux"):
        return "expected Linux"
    if (lacking := missing(level)) is not None:
        return lacking.why
    if level != "bwrap":
        return ""
    words = ("--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--proc", "/proc", "true")
    tried = subprocess.run(
        [which("bwrap") or "bwrap", *words], capture_output=True, text=True, timeout=300, check=False
    )
    return f"expected bwrap to start, got {tried.stderr.strip()}" if tried.returncode else ""


def needed(level: Level) -> None:
    """Skip this test where the machine cannot have a level; fail it where it can and arena does not prove it."""
    if level == "none":
        return
    if why := unavailable(level):
        pytest.skip(why)
    if why := proven(level).why:
        pytest.fail(why)


USER = 61_400 + os.getpid() % 4000
"""An ordinary user without a name: neither one of the host's for bots nor anybody's.

Another one in each process of tests: a user's limit of processes counts those that other tests have at the same time.
"""
_BECOME = """
set -e
user=$1 interpreter=$2 closed=$3; shift 3
if [ -n "$closed" ]; then
    aside=$(mktemp -d)
    mount --bind "$interpreter" "$aside"
    mount -t tmpfs -o mode=755 none "$closed"
    mkdir -p "$interpreter"
    mount --move "$aside" "$interpreter"
    rmdir "$aside"
fi
exec setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set -all "$@"
"""
"""Shows the interpreter to all, also where it lies in a folder of root's alone; in mounts that nobody else sees."""


def as_user(*words: str) -> list[str]:
    """A command as an ordinary user, if this process is root's; else as it is. Skips the test where that cannot be."""
    if os.geteuid() != 0:
        return list(words)
    base = Path(sys.base_prefix)
    closed = next((str(folder) for folder in reversed(base.parents) if not folder.stat().st_mode & 1), "")
    become = ["unshare", "--mount", "sh", "-c", _BECOME, "become", str(USER), str(base), closed]
    tried = subprocess.run(
        [*become, sys.executable, "-c", ""], capture_output=True, text=True, timeout=300, check=False
    )
    if tried.returncode:
        pytest.skip(f"expected to become an ordinary user, got {tried.stderr.strip()}")
    return [*become, *words]
