"""How a bot's process is started: its words and environment, its sandbox, a folder of its own."""

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import HostError
from arena.fault import Fault
from arena.players.lifetime import HOME, discard
from arena.players.limits import HOUSE
from arena.players.memory import ROOM, struck_note
from arena.players.process import Process
from arena.players.spawn import HeadAndTail, started
from arena.sandbox.cgroup import CgroupTree, Group
from arena.sandbox.sandbox import TOKEN, Bounds, Sandbox, Started
from arena.wire import Limits

_WRAPPERS = 8
"""Processes that a group may have besides, for those that hold the sandbox."""


class Launch(Struct, frozen=True, kw_only=True):
    """How to start a bot: its words, environment and working folder, and the sandbox around it.

    ``limits`` are those of its processes; those of its clock come with ``hello`` and ``decide``. ``fresh``: each match
    gets a new process.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    fresh: bool = False
    limits: Limits = HOUSE
    sandbox: Sandbox = Sandbox()
    shown: bool = False
    """Whether all that it is sent and says is shown as it comes, with its stderr."""
    local: bool = False
    """Whether it plays in the runner's process: then nothing is started."""
    bare: bool = False
    """Whether it was given as a command line, so that of its folder only what that names is the bot's own."""

    def kept(self) -> HeadAndTail:
        """Space for the stderr of one process."""
        return HeadAndTail(self.limits.stderr // 2)


class Serving:
    """A process of a bot, with its folder and control group, which are removed with it.

    ``token`` marks all that it starts.
    """

    __slots__ = ("_note", "_started", "folder", "group", "process", "token")

    def __init__(
        self, launch: Launch, scratch: Path, keep: Callable[[bytes], object], grove: CgroupTree | None = None
    ) -> None:
        """Start it; its folder is made in ``scratch``, its group in ``grove``; ``keep`` gets its stderr."""
        # begins with the run's name: if runner and lane are killed, the guard finds the processes by that
        self.token = f"{scratch.parent.name}.{secrets.token_hex(8)}"
        self.group: Group | None = None
        self._started: Started | None = None
        try:
            self.folder = tempfile.mkdtemp(dir=scratch)
        except OSError as error:
            raise HostError(f"cannot make a scratch folder: {error}") from error
        env = {**launch.env, TOKEN: self.token}
        limits = launch.limits
        try:
            home = f"{self.folder}/{HOME}"
            os.mkdir(home)  # noqa: PTH102 - this runs at each start of a bot
            how = started(launch.sandbox, launch.argv, env, folder=launch.folder, scratch=home)
            self._started = how
            if grove is not None:
                how = self._grouped(grove, launch.sandbox.bounds, how)
            self.process = Process(how, keep, line=limits.line, output=limits.output, stray=limits.stray)
            self._note = Path(struck_note(str(scratch.parent), self.process.pid))
            # of an earlier process with this number
            self._note.unlink(missing_ok=True)
        except BaseException:
            self.discard()
            raise

    def _grouped(self, grove: CgroupTree, bounds: Bounds, how: Started) -> Started:
        try:
            self.group = grove.group(
                "bot", memory=bounds.memory + bounds.file + ROOM, processes=bounds.processes + _WRAPPERS
            )
        except OSError as error:
            raise HostError(f"cannot make a control group: {error}") from error
        words = self.group.entering(how.argv, how.user)
        return how if words is None else how._replace(argv=words, user=None)

    def judged(self, fault: Fault) -> Fault:
        """The fault; or a ``resource`` fault, if the guard or a limit of the group ended the bot for its memory."""
        if fault.kind != "gone":
            return fault
        if not self._note.exists() and (self.group is None or not self.group.struck()):
            return fault
        rule = f"expected its processes to keep to the limit of memory together, got more: {fault.rule}"
        return replace(fault, kind="resource", rule=rule, hint="see `limits` in hello")

    def discard(self, *, forget: bool = False) -> None:
        """Remove the folder and the group of a process that has ended, and end all other processes in the group.

        ``forget``: also what it was the first to read from the disk, where there are groups that tell. Its next process
        would read that faster, and know.
        """
        if self.group is not None:
            self.group.kill()
        if self._started is not None:
            self._started.leave()
            self._started = None
        discard(self.folder)
        if self.group is not None:
            if forget:
                self.group.forget()
            self.group.remove()
