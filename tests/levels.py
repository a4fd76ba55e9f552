"""Tests that need a level of isolation: left out where the machine cannot have it, failed where only arena cannot."""

import subprocess
import sys
from functools import cache
from shutil import which

import pytest

from arena.sandbox.proving import missing, proven
from arena.sandbox.sandbox import Level


@cache
def unavailable(level: Level) -> str:
    """Why this machine cannot have a level, whatever arena does; empty if it can.

    Whether namespaces may be made is asked of bubblewrap itself: so a sandbox that arena can no longer build is no
    reason to leave its tests out.
    """
    if level == "none":
        return ""
    if not sys.platform.startswith("linux"):
        return "expected Linux"
    if why := missing(level):
        return why
    if level != "bwrap":
        return ""
    words = ("--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--proc", "/proc", "true")
    tried = subprocess.run([which("bwrap") or "bwrap", *words], capture_output=True, text=True, timeout=60, check=False)
    return f"expected bwrap to start, got {tried.stderr.strip()}" if tried.returncode else ""


def needed(level: Level) -> None:
    """Skip this test where the machine cannot have a level; fail it where it can and arena does not prove it."""
    if level == "none":
        return
    if why := unavailable(level):
        pytest.skip(why)
    if why := proven(level).why:
        pytest.fail(why)
