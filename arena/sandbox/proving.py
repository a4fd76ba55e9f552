"""Proves a level of isolation by running the probe in it: what a bot could do there, against what the level promises.

Where the level cannot be had, it says what is missing and how to get it.
"""

import ctypes
import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import ENOSYS, EOPNOTSUPP, EPERM
from pathlib import Path
from time import monotonic
from typing import Any

from arena.sandbox import bwrap, landlock, needs, seccomp, users
from arena.sandbox.attacks import ATTACKS
from arena.sandbox.paths import folders
from arena.sandbox.planting import BOUNDS, planted, witnessed
from arena.sandbox.probe import ABSENT, POSSIBLE, REFUSED, UNCLEAR
from arena.sandbox.sandbox import Level, Proof, Sandbox, Started, enclosed

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

_QUICK_SECONDS, _WHOLE_SECONDS, _STARVING_SECONDS = 10.0, 60.0, 10.0
_SYSCTL = Path("/proc/sys")
_LSM = Path("/sys/kernel/security/lsm")


def proven(level: Level, *, whole: bool = False) -> Proof:
    """Try a level with the quick attacks or, much slower, with all of them."""
    if sys.platform != "linux":
        return Proof(
            level, {}, "" if level == "none" else f"expected Linux, got {sys.platform}: only it has such sandboxes"
        )
    if why := missing(level):
        return Proof(level, {}, why)
    try:
        attacks = tried(level, tuple(ATTACKS) if whole else QUICK, _WHOLE_SECONDS if whole else _QUICK_SECONDS)
        if whole:
            attacks |= starved(level)
    except OSError as error:
        why = refused_bwrap(str(error)) if level == "bwrap" else f"expected a probe to start, got {error}"
        return Proof(level, {}, why)
    done = [name for name in attacks if name in PROMISES[level] and attacks[name] not in {REFUSED, ABSENT}]
    return Proof(
        level,
        attacks,
        f"expected these attacks to be refused, got them possible or not tested: {'; '.join(done)}" if done else "",
    )


# --- what is missing, and how to get it


def missing(level: Level) -> str:
    """What this machine clearly lacks for a level; empty if only a trial can show it."""
    if level == "none":
        return ""
    if not seccomp.supported():
        return f"expected x86_64 or aarch64, got {os.uname().machine}: system calls of others are not known here"
    if level == "landlock":
        version = landlock.abi()
        why = missing_landlock(version, error=0 if version else ctypes.get_errno(), release=os.uname().release)
        return why or (missing_rights(users.lacking(users.effective())) if os.geteuid() == 0 else "")
    try:
        bwrap.programs()
    except FileNotFoundError as error:
        return missing_program(str(error.filename))
    return ""


def missing_program(name: str) -> str:
    """How to get a program that is not there."""
    package = {"bwrap": "bubblewrap", "prlimit": "util-linux"}[name]
    return f"expected {name}, got none: `apt install {package}` or `dnf install {package}`"


def missing_landlock(version: int, *, error: int, release: str, lsm: Path = _LSM) -> str:
    """Why there is no Landlock, or too old a version, from the version and the error that the kernel gave."""
    if version >= landlock.ABI:
        return ""
    wanted = f"expected Landlock version {landlock.ABI} (Linux 6.12 or later)"
    if version:
        return f"{wanted}, got version {version} of Linux {release}: a newer kernel has it"
    if error == EPERM:
        return f"{wanted}, got it refused: a container's seccomp profile must allow the landlock calls"
    with suppress(OSError):
        if "landlock" not in (listed := lsm.read_text("ascii").strip()).split(","):
            return f"{wanted}, got Linux {release} with lsm={listed}: boot with `lsm=landlock,{listed}`"
    reason = {EOPNOTSUPP: "it is not switched on: boot with `lsm=landlock,...`", ENOSYS: "it is not built in"}
    return f"{wanted}, got none on Linux {release}: {reason.get(error, os.strerror(error))}"


def missing_rights(names: Sequence[str]) -> str:
    """What to do if root may not run bots as other users, because these capabilities are missing."""
    if not names:
        return ""
    return (
        f"expected root to run bots as other users, got it without {', '.join(names)}: start the container as somebody "
        f"else (`docker run --user 1000:1000`), or with {' '.join(f'--cap-add {name}' for name in names)}"
    )


def refused_bwrap(said: str, sysctl: Path = _SYSCTL) -> str:
    """Why bwrap does not start, from its message and the kernel's settings, and what to do."""

    def setting(path: str) -> str:
        with suppress(OSError):
            return (sysctl / path).read_text("ascii").strip()
        return ""

    start = f"expected bwrap to start, got {said}"
    if "nknown option" in said:
        return f"{start}: bubblewrap 0.8 or later is needed"
    if setting("user/max_user_namespaces") == "0":
        return f"{start}: user namespaces are switched off; `sudo sysctl -w user.max_user_namespaces=10000`"
    if setting("kernel/unprivileged_userns_clone") == "0":
        return f"{start}: user namespaces are for root only; `sudo sysctl -w kernel.unprivileged_userns_clone=1`"
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            f"{start}: AppArmor refuses user namespaces, as on Ubuntu 24.04 and GitHub's runners; in a CI job "
            "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, on your own machine the AppArmor profile "
            "bwrap-userns-restrict (`arena docs isolation`)"
        )
    if "ermission" in said or "permitted" in said:
        return (
            f"{start}: most containers refuse namespaces; run arena outside of one, or allow them "
            "(`docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined`)"
        )
    return start


# --- the trial


def tried(level: Level, attacks: tuple[str, ...], seconds: float = _WHOLE_SECONDS) -> dict[str, str]:
    """Run the probe at a level, with a time limit: the verdicts; ``OSError`` if it does not start or end."""
    with planted(attacks) as (canaries, house):
        own = Path(canaries.own).parent
        scratch = own.parent / "scratch"
        scratch.mkdir()
        words = (sys.executable, "-I", "-S", str(own), json.dumps(canaries._asdict()))
        sandbox = Sandbox(level, folders([sys.executable], os.defpath), private=(str(own),), bounds=BOUNDS)
        env = {"PATH": os.defpath, "LANG": "C.UTF-8"}
        said = _output(enclosed(sandbox, words, env, folder=str(own), scratch=str(scratch)), seconds)
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


def _output(started: Started, seconds: float) -> bytes:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        with _running(started, stdin=subprocess.DEVNULL, stdout=out, stderr=errors) as process:
            watch = os.pidfd_open(process.pid)
            waiting = select.poll()
            waiting.register(watch, select.POLLIN)
            ended = bool(waiting.poll(seconds * 1000))
            os.close(watch)
        out.seek(0)
        errors.seek(0)
        told = errors.read(2000).decode("utf-8", "replace").strip()
        if not ended:
            raise TimeoutError(f"no end within {seconds:.0f} s {told}".rstrip())
        said = out.read()
        if process.returncode or not said:
            raise ChildProcessError(told or f"exit status {process.returncode}")
        return said
