"""Proves a level of isolation by running the probe in it: what a bot could do there, against what the level promises.

A proof has one of three outcomes. The level holds; or this machine lacks it (``arena.sandbox.missing``); or it could
not be tried now. Only a lack lets ``auto`` take a lower level.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.sandbox import Level
from arena.sandbox.attacks import ATTACKS
from arena.sandbox.enclosure import Started, enclosed
from arena.sandbox.missing import missing, missing_for_bwrap
from arena.sandbox.paths import folders
from arena.sandbox.planting import BOUNDS, PROGRAM, planted, witnessed
from arena.sandbox.probe import ABSENT, REFUSED
from arena.sandbox.proof import Proof
from arena.sandbox.sandbox import Bounds, Sandbox

_OF_LIMITS = frozenset(
    {"open more files than allowed", "take more memory than allowed", "start more processes than allowed"}
)
QUICK = tuple(name for name in ATTACKS if name not in _OF_LIMITS)
"""What is tried at each start of a run."""
PROMISES: dict[Level, frozenset[str]] = {
    "none": frozenset({"open more files than allowed", "take more memory than allowed"}),
    "landlock": frozenset(ATTACKS),
    "bwrap": frozenset(ATTACKS),
}
"""Level -> the attacks that it refuses."""
_SECONDS = 60.0


def proven(level: Level, bounds: Bounds = Bounds(), *, full: bool = False) -> Proof:  # noqa: B008 - it is frozen
    """Try a level, with the bounds of a run; ``full``: also to go beyond bounds, which are small ones then."""
    if (lacking := missing(level)) is not None:
        return Proof(level, {}, lacking.why, lacking.lack)
    if sys.platform != "linux":
        return Proof(level, {})
    try:
        attacks = tried(level, QUICK, bounds=bounds)
        if full:
            attacks |= tried(level, tuple(_OF_LIMITS))
            attacks = {name: attacks[name] for name in ATTACKS}
    except (OSError, ValueError, MemoryError, subprocess.SubprocessError) as error:
        reason = str(error) or type(error).__name__
        if level == "bwrap" and (lacking := missing_for_bwrap(reason)) is not None:
            return Proof(level, {}, lacking.why, lacking.lack)
        return Proof(level, {}, f"expected to try {level}, got {reason}", errno=getattr(error, "errno", None) or 0)
    done = [name for name in attacks if name in PROMISES[level] and attacks[name] not in {REFUSED, ABSENT}]
    got = f"expected these attacks to be refused, got them possible or not tested: {'; '.join(done)}"
    return Proof(level, attacks, got if done else "")


# --- the trial


def tried(
    level: Level,
    attacks: tuple[str, ...],
    *,
    bounds: Bounds = BOUNDS,
    program: Mapping[str, str] = PROGRAM,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, str]:
    """Run the probe at a level: the verdicts; ``OSError`` or ``ValueError`` if it does not start, end or tell."""
    with planted(attacks, program, more) as (canaries, witness):
        folder = Path(canaries.code).parent
        scratch = folder.parent / "scratch"
        scratch.mkdir()
        words = (sys.executable, "-I", "-S", str(folder), json.dumps(canaries._asdict()))
        sandbox = Sandbox(level, folders([sys.executable], os.defpath), private=(str(folder),), bounds=bounds)
        env = {"PATH": os.defpath, "LANG": "C.UTF-8"}
        output = _output(enclosed(sandbox, words, env, folder=str(folder), scratch=str(scratch)))
        return witnessed(json.loads(output), canaries, witness)


@contextmanager
def running(started: Started, **streams: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """Start it, and end it with all of its group."""
    try:
        with started.begin(**streams) as process:
            try:
                yield process
            finally:
                # not reaped yet: the number still names its own group
                os.killpg(process.pid, signal.SIGKILL)
    finally:
        started.leave()


def _output(started: Started) -> bytes:
    # in memory: a full disk is to spoil no verdict
    with open(os.memfd_create("out"), "w+b") as out, open(os.memfd_create("errors"), "w+b") as errors:  # noqa: PTH123 - descriptors
        with running(started, stdin=subprocess.DEVNULL, stdout=out, stderr=errors) as process:
            watch = os.pidfd_open(process.pid)
            waiting = select.poll()
            waiting.register(watch, select.POLLIN)
            ended = bool(waiting.poll(_SECONDS * 1000))
            os.close(watch)
        out.seek(0)
        errors.seek(0)
        complaint = errors.read(2000).decode("utf-8", "replace").strip()
        if not ended:
            raise TimeoutError(f"no end within {_SECONDS:.0f} s {complaint}".rstrip())
        answer = out.read()
        if process.returncode or not answer:
            raise ChildProcessError(complaint or f"exit status {process.returncode}")
        return answer
