"""What a trial of a level of isolation has found."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from arena.sandbox import Level

Lack: TypeAlias = Literal["program", "permission", "kernel"]
"""A program that is not there or too old; what this process may not do; a kernel that has no such thing."""


@dataclass(frozen=True)
class Proof:
    """The result of trying a level."""

    level: Level
    attacks: dict[str, str]
    """Attack -> verdict of ``arena.sandbox.probe``; empty if the level does not even start."""
    why: str = ""
    """If it does not hold: what is missing, what kept it from being tried, or which attack broke its promise."""
    lack: Lack | None = None
    """What this machine lacks for it; None if it holds, or nobody can tell now."""
    errno: int = 0
    """Of the error that kept it from being tried, where the system gave one."""

    @property
    def holds(self) -> bool:
        """Whether the level starts here and refuses all that it promises to."""
        return not self.why
