"""All attacks at a level: those of a proof, those that only tests try, and a hoarder beside a rival."""

import json
import math
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from arena.sandbox import Level, proving
from arena.sandbox.attacks import ATTACKS
from arena.sandbox.enclosure import enclosed
from arena.sandbox.paths import folders
from arena.sandbox.planting import PROGRAM
from arena.sandbox.probe import POSSIBLE, REFUSED, UNCLEAR
from arena.sandbox.sandbox import Sandbox
from tests.sandbox.probes import needs
from tests.sandbox.probes.attacks import MORE
from tests.sandbox.probes.planting import has_heard, planted_more

_HERE = Path(__file__).parent
WITH_MORE = {
    **PROGRAM,
    "__main__.py": "from tests.sandbox.probes.attacks import main\n\nmain()\n",
    **dict.fromkeys(("tests/__init__.py", "tests/sandbox/__init__.py", "tests/sandbox/probes/__init__.py"), ""),
    **{
        f"tests/sandbox/probes/{name}.py": (_HERE / f"{name}.py").read_text("utf-8") for name in ("attacks", "channels")
    },
}
"""The files of a probe that knows all attacks."""
STARVE = "use up a rival's "
STARVING = tuple(f"{STARVE}{name}" for name in needs.HOARD)
"""Attacks by which a bot uses up what a rival needs: a hoarder beside a rival, each in a sandbox of its own."""
EVERY = (*dict.fromkeys((*ATTACKS, *MORE)), *STARVING)
BY_EVERY_LEVEL = proving.PROMISES["none"] | {
    "open the terminal",
    "use descriptors it was not given",
    "see the host's variables",
    "write a larger file than allowed",
}
# these do not count as data of a process; a control group holds them, and the guard of a run ends who takes too many
_BY_NO_LEVEL = frozenset({"take more memory, as page tables"})
# Landlock guards the contents of files, not what is known about them, and not the room on a disk
NOT_BY_LANDLOCK = frozenset({"see that a file is there, and its size", "fill its scratch beyond the limit"})
# pages of pipes are counted by user, in whatever namespace: only root has users for bots
_NOT_BY_A_USER = frozenset() if os.geteuid() == 0 else frozenset({f"{STARVE}pages of pipes"})
REFUSED_AT: dict[Level, frozenset[str]] = {
    "none": BY_EVERY_LEVEL,
    "landlock": frozenset(EVERY) - _BY_NO_LEVEL - _NOT_BY_A_USER - NOT_BY_LANDLOCK,
    "bwrap": frozenset(EVERY) - _BY_NO_LEVEL - _NOT_BY_A_USER,
}
"""Level -> the attacks that it refuses."""
_SECONDS = 30.0


def verdicts(level: Level) -> dict[str, str]:
    """The verdict on each of ``EVERY``."""
    with planted_more() as (more, udp):
        found = proving.tried(level, EVERY[: -len(STARVING)], program=WITH_MORE, more=more) | starved(level)
        if not has_heard(udp, more["token"]):
            found["send UDP to this machine"] = REFUSED
    return {name: found[name] for name in EVERY}


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
    with proving.running(started, **pipes) as process:
        yield process


def _said(process: "subprocess.Popen[bytes]", size: float = math.inf) -> bytes:
    assert process.stdout is not None
    said, until = b"", monotonic() + _SECONDS
    while len(said) < size:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - monotonic()))
        if not ready or not (part := process.stdout.read(4096)):
            break
        said += part
    return said
