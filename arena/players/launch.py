"""How a bot is started, as a value: its words, sandbox and folder."""

from msgspec import Struct

from arena.players.head_and_tail import HeadAndTail
from arena.sandbox.sandbox import Sandbox
from arena.wire import DEFAULT_LIMITS, Limits

GRACE = 0.05
"""Seconds beyond the limit told to a bot, for the machine's own scheduling."""


class Launch(Struct, frozen=True, kw_only=True):
    """How to start a bot: words, environment, working folder, sandbox; its clock comes with ``hello``."""

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    fresh: bool = False
    lasting: bool = False  # whether a process plays on in other parts of the schedule, where all deals are new to it
    limits: Limits = DEFAULT_LIMITS
    sandbox: Sandbox = Sandbox()
    shown: bool = False
    """Whether all that it is sent and says is shown as it comes, with its stderr."""
    grace: float = GRACE  # seconds beyond the limits that it is told
    local: bool = False
    """Whether it plays in the runner's process: then nothing is started."""
    bare: bool = False
    """Whether it was given as a command line, so that of its folder only what that names is the bot's own."""

    def make_buffer(self) -> HeadAndTail:
        """Space for the stderr of one process."""
        return HeadAndTail(self.limits.stderr // 2)
