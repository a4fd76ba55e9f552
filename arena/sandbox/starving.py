"""Whether a bot at a level can use up what a rival needs: a hoarder beside a rival, each in a sandbox of its own.

Standard library only; knows the sandbox and what is needed (``arena.sandbox.needs``), and nothing of bots or matches.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from arena.sandbox import needs
from arena.sandbox.probe import POSSIBLE, REFUSED, UNCLEAR
from arena.sandbox.sandbox import Level, Sandbox, enclosed
from arena.sandbox.toolchain import folders

STARVE = "use up a rival's "
NAMES = tuple(f"{STARVE}{name}" for name in needs.HOARD)
_SECONDS = 10.0


def starved(level: Level, names: tuple[str, ...] = NAMES) -> dict[str, str]:
    """Each of ``NAMES`` -> the verdict: possible if a rival has a little of it alone, and none beside a hoarder.

    Raises:
        OSError: a level does not start.
    """
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101, S103 - the bots' users are to reach it
        own = Path(folder, "own")
        own.mkdir()
        (own / "needs.py").write_text(Path(needs.__file__).read_text("utf-8"), "utf-8")
        of = {name: name.removeprefix(STARVE) for name in names}
        alone = _had(level, own, list(of.values()))
        return {name: _beside(level, own, need) if alone[need] else REFUSED for name, need in of.items()}


def _beside(level: Level, own: Path, need: str) -> str:
    with _started(level, own, ["hoard", need]) as read:
        if read(len(b"hoarded\n")) != b"hoarded\n":
            return UNCLEAR
        return REFUSED if _had(level, own, [need])[need] else POSSIBLE


def _had(level: Level, own: Path, names: list[str]) -> dict[str, bool]:
    with _started(level, own, ["need", *names]) as read:
        said = read(None)
    try:
        found: dict[str, bool] = json.loads(said)
    except ValueError as error:
        raise OSError(f"expected a rival to tell what it has, got {said!r}") from error
    return found


@contextmanager
def _started(level: Level, own: Path, words: list[str]) -> Iterator[Callable[[int | None], bytes]]:
    """A process of ``needs`` in a sandbox; what reads so many bytes of what it says, or all."""
    sandbox = Sandbox(level, folders([sys.executable], os.defpath), private=(str(own),))
    program = (sys.executable, "-I", "-S", str(own / "needs.py"), *words)
    scratch = tempfile.mkdtemp(dir=own.parent)
    home = f"{scratch}/home"
    Path(scratch).chmod(0o755)
    Path(home).mkdir()
    how = enclosed(sandbox, program, {"PATH": os.defpath}, folder=str(own), scratch=home)
    try:
        process = subprocess.Popen(
            how.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=how.env,
            cwd=how.folder,
            pass_fds=how.files,
            start_new_session=True,
            user=how.user,
            group=how.user,
            extra_groups=None if how.user is None else [],
        )
        with process:
            try:
                yield lambda size: _heard(process, size)
            finally:
                os.killpg(process.pid, signal.SIGKILL)
    finally:
        for descriptor in how.files:
            os.close(descriptor)
        how.leave()


def _heard(process: "subprocess.Popen[bytes]", size: int | None) -> bytes:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    said, until = b"", monotonic() + _SECONDS
    while size is None or len(said) < size:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - monotonic()))
        if not ready or not (part := process.stdout.read(4096)):
            break
        said += part
    return said
