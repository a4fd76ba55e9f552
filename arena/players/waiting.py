"""What is measured and told of a bot that does not answer at once. Knows no process and no message."""

import os
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from arena.fault import Fault

SLICE = 0.05
"""Seconds of one wait at most: a longer absence of the house shows at its end. A wait is half as long at least, by lot,
so that nobody knows when the house looks."""
COMPUTING = ": it was computing"
IDLE = ": it was idle"
THINK_LESS = "look for a loop that never ends, or think for less long: watch the `time` field"
NEVER_HEARD = (
    "nothing ever came: it may keep its answer in a buffer (flush after every line: print(..., flush=True), fflush), "
    "or wait for more input (read one line at a time)"
)


class StolenTime(NamedTuple):
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

    def stolen(self, away: float) -> StolenTime:
        """Tell the time of this question that the bot did not get so far, through no fault of its own.

        ``away`` is how long the house failed to look in time.
        """

    @property
    def used(self) -> float:
        """Seconds of the processor that the bot used until ``stolen`` was asked last."""


def until_a_look() -> float:
    """Seconds of the next wait for a bot that is not quick."""
    return SLICE * (0.5 + os.urandom(1)[0] / 512)


def with_use(late: Fault, *, used: float, waited: float) -> Fault:
    """Add to a fault ``late`` whether the bot was computing or idle, if nothing else explains the delay.

    It used ``used`` seconds of the processor in the ``waited`` seconds since it was asked. Other programs may have had
    the processor as well, so between a tenth and a quarter of that nothing is said.
    """
    if used > waited / 4:
        return replace(late, rule=late.rule + COMPUTING, hint=THINK_LESS)
    return replace(late, rule=late.rule + IDLE) if used < waited / 10 else late
