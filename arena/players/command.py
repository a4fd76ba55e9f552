"""One run of a command with a time limit: a step of a bot's build. Standard library only; knows no messages."""

import os
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from arena.players.lifetime import kill
from arena.players.process import CHUNK
from arena.players.spawn import HeadAndTail, exit_code, spawn, started
from arena.sandbox.sandbox import OPEN, Sandbox, Started, reclaim

_BEAT = 0.02
"""Seconds between two checks whether it has ended."""
_REST = 16
"""Pieces of output read after its end: a pipe's worth, for what it left behind may still write."""


def run(
    argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float, sandbox: Sandbox = OPEN
) -> tuple[int | None, bytes]:
    """Run a command to its end; returns the exit status, None if out of time, and the head and tail of its output.

    Its process group is killed in any case, and what it was given to write is the house's again. Within ``sandbox`` its
    scratch is what ``TMPDIR`` says.
    """
    deadline = monotonic() + seconds
    kept = HeadAndTail()
    how: Started | None = None
    try:
        how = started(sandbox, argv, env, folder=str(folder), scratch=env.get("TMPDIR", ""))
        popen = spawn(how, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        ended, status = _heard_out(popen, deadline, kept)
    finally:
        if how is not None:
            how.leave()
        reclaim(sandbox)
    return status if ended else None, kept.text()


def _heard_out(popen: "subprocess.Popen[bytes]", deadline: float, kept: HeadAndTail) -> tuple[bool, int]:
    """Whether it ended by itself, and its exit status."""
    assert popen.stdout  # noqa: S101 - it is a pipe, which only the type checker cannot see
    with popen.stdout as output:
        os.set_blocking(output.fileno(), False)
        poll = select.poll()
        poll.register(output, select.POLLIN)
        # the exit counts, not the end of output, which a daemon started by the step may hold open for ever
        while not (ended := exit_code(popen) is not None) and monotonic() < deadline:
            if poll.poll(min(_BEAT, max(0.0, deadline - monotonic())) * 1000) and _hear(output.fileno(), kept) == 0:
                poll.unregister(output)
        # not reaped yet: the number still names its own group
        kill(popen.pid, group=True)
        status = popen.wait()
        for _ in range(_REST):
            if not _hear(output.fileno(), kept):
                break
    return ended, status


def _hear(output: int, kept: HeadAndTail) -> int | None:
    """Read some of the output; returns how many bytes, 0 at its end, None if there is nothing now."""
    try:
        data = os.read(output, CHUNK)
    except BlockingIOError:
        return None
    kept.add(data)
    return len(data)
