"""One bounded run of a command: a step of a bot's build. Standard library only; knows no messages."""

import os
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from arena.players.lifetime import kill
from arena.players.process import CHUNK, CannotStart
from arena.players.stderr import Kept

_BEAT = 0.02
"""Seconds between two looks whether it has ended."""


def run(argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> tuple[int | None, bytes]:
    """Run a command to its end; its exit status, None if it ran out of time, and the head and tail of its output.

    Its process group is killed in any case.

    Raises:
        CannotStart: no such program, not executable, or no such folder.
    """
    deadline = monotonic() + seconds
    kept = Kept()
    try:
        popen = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
            env=env,
            cwd=folder,
        )
    except OSError as error:
        raise CannotStart(f"{error.strerror}: {error.filename or argv[0]}") from error
    assert popen.stdout  # noqa: S101 - it is a pipe, which only the type checker cannot see
    with popen.stdout as output:
        os.set_blocking(output.fileno(), False)
        poll = select.poll()
        poll.register(output, select.POLLIN)
        # the exit counts, not the end of output, which a daemon started by the step may hold open for ever
        while (status := popen.poll()) is None and monotonic() < deadline:
            if poll.poll(min(_BEAT, max(0.0, deadline - monotonic())) * 1000) and not _hear(output.fileno(), kept):
                poll.unregister(output)
        while _hear(output.fileno(), kept):
            pass
    kill(popen.pid, group=True)
    popen.wait()
    return status, kept.text()


def _hear(output: int, kept: Kept) -> bool:
    """Take in what there is of the output; whether there may be more."""
    try:
        data = os.read(output, CHUNK)
    except BlockingIOError:
        return False
    kept.add(data)
    return bool(data)
