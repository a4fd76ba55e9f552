"""What a machine lacks for a level of isolation, and how to get it: the closed list of reasons that lower ``auto``.

Whatever else keeps a level from being tried, as a full disk, is trouble of the moment and is not in here.
"""

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from errno import ENOSYS, EOPNOTSUPP, EPERM
from pathlib import Path
from typing import NamedTuple

from arena.sandbox import Level, bwrap, landlock, namespaces, seccomp, users
from arena.sandbox.proof import Lack

_SYSCTL = Path("/proc/sys")
_LSM = Path("/sys/kernel/security/lsm")
_OLDEST = (0, 8)
"""The first version of bubblewrap that has all its options."""
_SECONDS = 20.0


class Missing(NamedTuple):
    """What is missing, and in words how to get it."""

    lack: Lack
    why: str


def missing(level: Level) -> Missing | None:
    """What this machine clearly lacks for a level; None if only a trial can show it."""
    if level == "none":
        return None
    if sys.platform != "linux":
        return Missing("kernel", f"expected Linux, got {sys.platform}: only it has such sandboxes")
    if not seccomp.supported():
        got = os.uname().machine
        return Missing("kernel", f"expected x86_64 or aarch64, got {got}: system calls of others are not known here")
    if level == "landlock":
        version = landlock.abi()
        lacking = missing_landlock(version, error=0 if version else ctypes.get_errno(), release=os.uname().release)
        if lacking is None and os.geteuid() == 0 and (names := users.lacking(users.effective())):
            return Missing("permission", missing_rights(names))
        return lacking
    try:
        bwrap.program(bwrap.PROGRAM)
        if os.geteuid() == 0:
            bwrap.program("setpriv")
    except FileNotFoundError as error:
        return Missing("program", missing_program(str(error.filename)))
    return None


def missing_program(name: str) -> str:
    """How to get a program that is not there."""
    package = {"bwrap": "bubblewrap", "setpriv": "util-linux"}[name]
    return f"expected {name}, got none: `apt install {package}` or `dnf install {package}`"


def missing_landlock(version: int, *, error: int, release: str, lsm: Path = _LSM) -> Missing | None:
    """Why there is no Landlock, or too old a version, from the version and the error that the kernel gave."""
    if version >= landlock.ABI:
        return None
    requirement = f"expected Landlock version {landlock.ABI} (Linux 6.12 or later)"
    if version:
        return Missing("kernel", f"{requirement}, got version {version} of Linux {release}: a newer kernel has it")
    if error == EPERM:
        return Missing(
            "permission", f"{requirement}, got it refused: a container's seccomp profile must allow the landlock calls"
        )
    with suppress(OSError):
        if "landlock" not in (listed := lsm.read_text("ascii").strip()).split(","):
            return Missing(
                "kernel", f"{requirement}, got Linux {release} with lsm={listed}: boot with `lsm=landlock,{listed}`"
            )
    reason = {EOPNOTSUPP: "it is not switched on: boot with `lsm=landlock,...`", ENOSYS: "it is not built in"}
    return Missing("kernel", f"{requirement}, got none on Linux {release}: {reason.get(error, os.strerror(error))}")


def missing_rights(names: Sequence[str]) -> str:
    """What to do if root may not run bots as other users, because these capabilities are missing."""
    return (
        f"expected root to run bots as other users, got it without {', '.join(names)}: start the container as somebody "
        f"else (`docker run --user 1000:1000`), or with {' '.join(f'--cap-add {name}' for name in names)}"
    )


def missing_for_bwrap(message: str) -> Missing | None:
    """What keeps bwrap from starting, by the ``message`` with which it ended; None if the machine lacks nothing.

    Not its words tell, but its version and the kernel, which is asked for the same.
    """
    with suppress(OSError, subprocess.SubprocessError):
        words = [bwrap.program(bwrap.PROGRAM), "--version"]
        output = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=False).stdout
        version = tuple(map(int, re.findall(r"\d+", output)[:2]))
        if version and version < _OLDEST:
            return Missing("program", f"expected bubblewrap 0.8 or later, got {output.strip()}")
        lacks: dict[int, Lack] = {namespaces.REFUSED: "permission", namespaces.UNKNOWN: "kernel"}
        if (lack := lacks.get(_probe_kernel())) is not None:
            return Missing(lack, refused_bwrap(message))
    return None


def _probe_kernel() -> int:
    words = [sys.executable, "-I", "-S", namespaces.__file__]
    return subprocess.run(words, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False).returncode


def refused_bwrap(message: str, sysctl: Path = _SYSCTL) -> str:
    """What to do where bwrap is refused what it needs, from its message and the kernel's settings."""

    def setting(path: str) -> str:
        with suppress(OSError):
            return (sysctl / path).read_text("ascii").strip()
        return ""

    start = f"expected bwrap to start, got {message}"
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
    return (
        f"{start}: most containers refuse namespaces; run arena outside of one, or allow them "
        "(`docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined`)"
    )
