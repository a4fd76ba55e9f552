"""How a bot's process is started: its words and environment, its box, a folder of its own. Says nothing."""

import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from arena.players.lifetime import TOKEN, discard
from arena.players.limits import HOUSE
from arena.players.process import HouseTrouble, Process, started
from arena.players.stderr import Kept
from arena.sandbox.box import Box
from arena.wire import Limits


class Launch(Struct, frozen=True):
    """How to start a bot: its words, environment and working folder, and the box around it.

    ``limits`` are those of its processes; those of its clock come with ``hello`` and ``decide``.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    fresh: bool = False
    """Whether each match gets a new process."""
    limits: Limits = HOUSE
    box: Box = Box()

    def kept(self) -> Kept:
        """Room for what one process writes to stderr."""
        return Kept(self.limits.stderr // 2)


class Serving:
    """A process of a bot, with the folder that is gone with it. ``token`` marks all that it starts."""

    __slots__ = ("folder", "process", "token")

    def __init__(self, launch: Launch, scratch: Path, keep: Callable[[bytes], object]) -> None:
        """Start it; its folder is made in ``scratch``, and ``keep`` is handed what it writes to stderr.

        Raises:
            CannotStart: no such program, not executable, or no such folder.
            HouseTrouble: this machine is out of processes, memory, descriptors or room on its disk.
        """
        self.token = secrets.token_hex(8)
        try:
            self.folder = tempfile.mkdtemp(dir=scratch)
        except OSError as error:
            raise HouseTrouble(f"cannot make a scratch folder: {error}") from error
        env = {**launch.env, TOKEN: self.token}
        try:
            how = started(launch.box, launch.argv, env, launch.folder, self.folder)
            limits = launch.limits
            self.process = Process(how, keep, line=limits.line, output=limits.output, stray=limits.stray)
        except BaseException:
            discard(self.folder)
            raise

    def discard(self) -> None:
        """Remove the folder of a process that has ended."""
        discard(self.folder)
