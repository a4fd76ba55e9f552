"""A bot's process with its folder and control group; and how a step of its build is run to its end."""

import os
import secrets
import select
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic

from msgspec.structs import replace

from arena.errors import HostError, cure_of
from arena.fault import Fault
from arena.players.head_and_tail import HeadAndTail
from arena.players.launch import Launch
from arena.players.lifetime import kill
from arena.players.memory import ROOM, struck_note
from arena.players.process import CHUNK, Process
from arena.players.scratch import HOME, discard
from arena.players.spawn import check_begun, exit_code, spawn, started
from arena.sandbox.cgroup import CgroupTree, Group
from arena.sandbox.enclosure import Started, reclaim
from arena.sandbox.sandbox import OPEN, TOKEN, Bounds, Sandbox

_WRAPPERS = 8
"""Processes that a group may have besides, for those that hold the sandbox."""
_BEAT = 0.02
"""Seconds between two checks whether it has ended."""
_REST = 16
"""Pieces of output read after its end: a pipe's worth, for what it left behind may still write."""


class Serving:
    """A process of a bot, with its folder and control group, which go with it; ``token`` marks all that it starts."""

    __slots__ = ("_note", "_run", "_started", "folder", "group", "process", "token")

    def __init__(
        self, launch: Launch, scratch: Path, keep: Callable[[bytes], object], cgroups: CgroupTree | None = None
    ) -> None:
        """Start it; its folder is made in ``scratch``, its group in ``cgroups``; ``keep`` gets its stderr."""
        # begins with the run's name: if runner and lane are killed, the guard finds the processes by that
        self.token = f"{scratch.parent.name}.{secrets.token_hex(8)}"
        self._run = scratch.parent
        self.group: Group | None = None
        self._started: Started | None = None
        try:
            self.folder = tempfile.mkdtemp(dir=scratch)
        except OSError as error:
            raise HostError(f"cannot make a scratch folder: {error}; {cure_of(error.errno or 0)}") from error
        env = {**launch.env, TOKEN: self.token}
        limits = launch.limits
        try:
            home = f"{self.folder}/{HOME}"
            os.mkdir(home)  # noqa: PTH102 - this runs at each start of a bot
            how = started(launch.sandbox, launch.argv, env, folder=launch.folder, scratch=home)
            self._started = how
            if cgroups is not None:
                how = self._grouped(cgroups, launch.sandbox.bounds, how)
            self.process = Process(how, keep, line=limits.line, output=limits.output, stray=limits.stray)
            self._note = Path(struck_note(str(scratch.parent), self.process.pid))
            # of an earlier process with this number
            self._note.unlink(missing_ok=True)
        except OSError as error:
            self.discard()
            raise HostError(f"cannot start a process: {error}; {cure_of(error.errno or 0)}") from error
        except BaseException:
            self.discard()
            raise

    def _grouped(self, cgroups: CgroupTree, bounds: Bounds, how: Started) -> Started:
        try:
            self.group = cgroups.group(
                "bot", memory=bounds.memory + bounds.file + ROOM, processes=bounds.processes + _WRAPPERS
            )
        except OSError as error:
            raise HostError(f"cannot make a control group: {error}") from error
        if how.waits:
            return how._replace(entries=self.group.entries)
        return how._replace(argv=self.group.entering(how.argv))

    def judged(self, fault: Fault) -> Fault:
        """The fault; or a ``resource`` fault, if the guard or a limit of the group ended the bot for its memory."""
        if fault.kind != "gone":
            return fault
        if not self._note.exists() and (self.group is None or not self.group.struck()):
            return fault
        rule = f"expected its processes to keep to the limit of memory together, got more: {fault.rule}"
        return replace(Fault.of("limit", rule=rule), line=fault.line)

    def discard(self) -> None:
        """Remove the folder and the group of a process that has ended, and end all other processes in the group."""
        if self.group is not None:
            self.group.kill()
        if self._started is not None:
            self._started.leave()
            self._started = None
        discard(self.folder, leftovers=self._run)
        if self.group is not None:
            self.group.remove()


def run_command(
    argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float, sandbox: Sandbox = OPEN
) -> tuple[int | None, bytes]:
    """Run a command to its end: exit status, None if out of time, and head and tail of its output.

    Its process group is killed in any case, and what it was given to write is the host's again. Within ``sandbox`` its
    scratch is what ``TMPDIR`` says. Raises as ``spawn`` does, also if it ends before its sandbox is set up.
    """
    deadline = monotonic() + seconds
    buffer = HeadAndTail()
    how: Started | None = None
    try:
        how = started(sandbox, argv, env, folder=str(folder), scratch=env.get("TMPDIR", ""))
        popen = spawn(how, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        ended, status = _heard_out(popen, deadline, buffer)
        check_begun(how, status if ended else None, buffer.text())
    finally:
        if how is not None:
            how.leave()
        reclaim(sandbox)
    return status if ended else None, buffer.text()


def _heard_out(popen: "subprocess.Popen[bytes]", deadline: float, buffer: HeadAndTail) -> tuple[bool, int]:
    assert popen.stdout  # noqa: S101 - it is a pipe, which only the type checker cannot see
    with popen.stdout as output:
        os.set_blocking(output.fileno(), False)
        poll = select.poll()
        poll.register(output, select.POLLIN)
        # the exit counts, not the end of output, which a daemon started by the step may hold open for ever
        while not (ended := exit_code(popen) is not None) and monotonic() < deadline:
            if poll.poll(min(_BEAT, max(0.0, deadline - monotonic())) * 1000) and _hear(output.fileno(), buffer) == 0:
                poll.unregister(output)
        # not reaped yet: the number still names its own group
        kill(popen.pid, group=True)
        status = popen.wait()
        for _ in range(_REST):
            if not _hear(output.fileno(), buffer):
                break
    return ended, status


def _hear(output: int, buffer: HeadAndTail) -> int | None:
    """Read some of the output; returns how many bytes, 0 at its end, None if there is nothing now."""
    try:
        data = os.read(output, CHUNK)
    except BlockingIOError:
        return None
    buffer.add(data)
    return len(data)
