"""How a bot's process is started: its words and environment, in its box, with a folder of its own. Knows no message."""

import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from arena.players.lifetime import TOKEN, discard
from arena.players.process import HouseTrouble, Process, started
from arena.sandbox.box import Box


class Launch(Struct, frozen=True):
    """How to start a bot: its words, environment and working folder, and the box around it."""

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    fresh: bool = False
    """Whether each match gets a new process."""
    box: Box = Box()


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
            self.process = Process(started(launch.box, launch.argv, env, launch.folder, self.folder), keep)
        except BaseException:
            discard(self.folder)
            raise

    def discard(self) -> None:
        """Remove the folder of a process that has ended."""
        discard(self.folder)
