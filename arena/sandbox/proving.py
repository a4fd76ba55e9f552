"""Proves a level of isolation by running the probe in it: what a bot could do there, against what the level promises.

A proof has one of three outcomes. The level holds; or this machine lacks it (``arena.sandbox.missing``); or it could
not be tried now. Only a lack lets ``auto`` take a lower level.
"""

import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from arena.sandbox import needs
from arena.sandbox.attacks import ATTACKS
from arena.sandbox.missing import missing, missing_for_bwrap
from arena.sandbox.paths import folders
from arena.sandbox.planting import BOUNDS, planted, witnessed
from arena.sandbox.probe import ABSENT, POSSIBLE, REFUSED, UNCLEAR
from arena.sandbox.sandbox import Bounds, Level, Proof, Sandbox, Started, enclosed

_LONG = frozenset(
    {
        "open more files than allowed",
        "write a larger file than allowed",
        "fill its scratch beyond the limit",
        "take more memory than allowed",
        "take more memory, as shared pages",
        "take more memory, as page tables",
        "start more processes than allowed",
    }
)
QUICK = tuple(name for name in ATTACKS if name not in _LONG)
"""What is tried at each start of a run: all but what takes."""
_BY_EVERY_LEVEL = frozenset(
    {
        "open the terminal",
        "use descriptors it was not given",
        "see the house's variables",
        "open more files than allowed",
        "write a larger file than allowed",
        "take more memory than allowed",
    }
)
# these do not count as data of a process; a control group holds them, and the guard of a run ends who takes too many
_BY_NO_LEVEL = frozenset({"take more memory, as page tables"})
# Landlock guards the contents of files, not what is known about them, and not the room on a disk
_NOT_BY_LANDLOCK = frozenset({"see that a file is there, and its size", "fill its scratch beyond the limit"})
STARVE = "use up a rival's "
# pages of pipes are counted by user, in whatever namespace: only root has users for bots
_NOT_BY_A_USER = frozenset() if os.geteuid() == 0 else frozenset({f"{STARVE}pages of pipes"})
STARVING = tuple(f"{STARVE}{name}" for name in needs.HOARD)
"""Attacks by which a bot uses up what a rival needs: a hoarder beside a rival, each in a sandbox of its own."""
TRIED = (*ATTACKS, *STARVING)
PROMISES: dict[Level, frozenset[str]] = {
    "none": _BY_EVERY_LEVEL,
    "landlock": frozenset(TRIED) - _BY_NO_LEVEL - _NOT_BY_A_USER - _NOT_BY_LANDLOCK,
    "bwrap": frozenset(TRIED) - _BY_NO_LEVEL - _NOT_BY_A_USER,
}
"""Level -> the attacks that it refuses."""

_SECONDS, _STARVING_SECONDS = 60.0, 10.0


def proven(level: Level, bounds: Bounds = Bounds(), *, whole: bool = False) -> Proof:  # noqa: B008 - it is frozen
    """Try a level, with the bounds of a run, by the quick attacks or, much slower, by all of them.

    Those that go beyond a bound are tried within small ones.
    """
    if (lacking := missing(level)) is not None:
        return Proof(level, {}, lacking.why, lacking.lack)
    if sys.platform != "linux":
        return Proof(level, {})
    try:
        attacks = tried(level, QUICK, bounds=bounds)
        if whole:
            attacks |= tried(level, tuple(name for name in ATTACKS if name in _LONG), bounds=BOUNDS) | starved(level)
            attacks = {name: attacks[name] for name in TRIED}
    except (OSError, ValueError, MemoryError, subprocess.SubprocessError) as error:
        said = str(error) or type(error).__name__
        if level == "bwrap" and (lacking := missing_for_bwrap(said)) is not None:
            return Proof(level, {}, lacking.why, lacking.lack)
        return Proof(level, {}, f"expected to try {level}, got {said}", errno=getattr(error, "errno", None) or 0)
    done = [name for name in attacks if name in PROMISES[level] and attacks[name] not in {REFUSED, ABSENT}]
    got = f"expected these attacks to be refused, got them possible or not tested: {'; '.join(done)}"
    return Proof(level, attacks, got if done else "")


# --- the trial


def tried(level: Level, attacks: tuple[str, ...], *, bounds: Bounds = BOUNDS) -> dict[str, str]:
    """Run the probe at a level: the verdicts; ``OSError`` or ``ValueError`` if it does not start, end or tell."""
    with planted(attacks) as (canaries, house):
        own = Path(canaries.own).parent
        scratch = own.parent / "scratch"
        scratch.mkdir()
        words = (sys.executable, "-I", "-S", str(own), json.dumps(canaries._asdict()))
        sandbox = Sandbox(level, folders([sys.executable], os.defpath), private=(str(own),), bounds=bounds)
        env = {"PATH": os.defpath, "LANG": "C.UTF-8"}
        said = _output(enclosed(sandbox, words, env, folder=str(own), scratch=str(scratch)))
        return witnessed(json.loads(said), canaries, house)


def starved(level: Level, names: tuple[str, ...] = STARVING) -> dict[str, str]:
    """The verdict on each of ``STARVING``: possible if a rival has a little of it alone, and none beside a hoarder.

    ``OSError``: a level does not start.
    """
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101, S103 - the bots' users are to reach it
        own = Path(folder, "own")
        own.mkdir()
        (own / "needs.py").write_text(Path(needs.__file__).read_text("utf-8"), "utf-8")
        needed = {name: name.removeprefix(STARVE) for name in names}
        alone = _had(level, own, list(needed.values()))
        return {name: _beside(level, own, need) if alone[need] else REFUSED for name, need in needed.items()}


def _beside(level: Level, own: Path, need: str) -> str:
    with _started(level, own, ["hoard", need]) as hoarder:
        if _said(hoarder, len(b"hoarded\n")) != b"hoarded\n":
            return UNCLEAR
        return REFUSED if _had(level, own, [need])[need] else POSSIBLE


def _had(level: Level, own: Path, names: list[str]) -> dict[str, bool]:
    with _started(level, own, ["need", *names]) as rival:
        said = _said(rival)
    try:
        had: dict[str, bool] = json.loads(said)
    except ValueError as error:
        raise OSError(f"expected a rival to tell what it has, got {said!r}") from error
    return had


@contextmanager
def _started(level: Level, own: Path, words: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    sandbox = Sandbox(level, folders([sys.executable], os.defpath), private=(str(own),))
    program = (sys.executable, "-I", "-S", str(own / "needs.py"), *words)
    scratch = tempfile.mkdtemp(dir=own.parent)
    home = f"{scratch}/home"
    Path(scratch).chmod(0o755)
    Path(home).mkdir()
    started = enclosed(sandbox, program, {"PATH": os.defpath}, folder=str(own), scratch=home)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}
    with _running(started, **pipes) as process:
        yield process


def _said(process: "subprocess.Popen[bytes]", size: float = math.inf) -> bytes:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    said, until = b"", monotonic() + _STARVING_SECONDS
    while len(said) < size:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - monotonic()))
        if not ready or not (part := process.stdout.read(4096)):
            break
        said += part
    return said


@contextmanager
def _running(started: Started, **streams: Any) -> Iterator["subprocess.Popen[bytes]"]:
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
        with _running(started, stdin=subprocess.DEVNULL, stdout=out, stderr=errors) as process:
            watch = os.pidfd_open(process.pid)
            waiting = select.poll()
            waiting.register(watch, select.POLLIN)
            ended = bool(waiting.poll(_SECONDS * 1000))
            os.close(watch)
        out.seek(0)
        errors.seek(0)
        told = errors.read(2000).decode("utf-8", "replace").strip()
        if not ended:
            raise TimeoutError(f"no end within {_SECONDS:.0f} s {told}".rstrip())
        said = out.read()
        if process.returncode or not said:
            raise ChildProcessError(told or f"exit status {process.returncode}")
        return said
