"""What a process is told of the time that its bot does not get. Knows no process and no message."""

import os
from typing import NamedTuple, Protocol

SLICE = 0.05
"""Seconds of one wait at most: a longer absence of the house shows at its end. A wait is half as long at least, by lot,
so that nobody knows when the house looks."""


class Lost(NamedTuple):
    """Seconds of a question that a bot did not get, by who had them."""

    bots: float
    """Other bots, or maybe so."""
    outside: float
    """Nobody in this lane: other programs, or nobody at all while the machine stood still."""


class Watch(Protocol):
    """Measures the time that a bot does not get."""

    def begin(self, first: float) -> None:
        """A question is not answered yet, ``first`` seconds after it was asked: begin to measure."""

    def look(self) -> None:
        """Read the times now."""

    def without(self, away: float) -> Lost:
        """The time of this question that the bot did not get so far, through no fault of its own.

        For ``away`` of it in all the house did not look when it would.
        """

    @property
    def used(self) -> float:
        """Seconds of the processor that the bot used until ``without`` was asked last."""


def until_a_look() -> float:
    """Seconds of the next wait for a bot that is not quick."""
    return SLICE * (0.5 + os.urandom(1)[0] / 512)
