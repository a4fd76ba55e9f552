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
        poll = select.poll()
        poll.register(output, select.POLLIN)
        late = False
        while not late:
            late = not poll.poll(max(0, int((deadline - monotonic()) * 1000)))
            if not late:
                data = os.read(output.fileno(), CHUNK)
                if not data:
                    break
                kept.add(data)
    try:
        if not late:
            popen.wait(max(0.0, deadline - monotonic()))
    except subprocess.TimeoutExpired:
        late = True
    kill(popen.pid, group=True)
    status = popen.wait()
    return None if late else status, kept.text()
