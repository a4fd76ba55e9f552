"""Adds noise to what a bot's next process could read from the machine: the moment it begins, and kernel counters.

A bot decides when its last answer comes and how many pipes it makes, and the house begins the next process just after.
So between two rotations of a deal the house waits, and uses pipes, by random amounts. Fewer bits remain, but not none:
SECURITY.md says how many. Standard library only.
"""

import os
import secrets
import select

PAUSE = 0.01
"""Seconds of waiting at most."""
NUMBERS = 1024
"""Numbers of pipes at most: as many as a core takes at once of those that the kernel counts for all."""


def jitter() -> None:
    """Wait for up to ``PAUSE`` seconds, and use up to ``NUMBERS`` numbers of pipes; both are random."""
    for _ in range(secrets.randbelow(NUMBERS)):
        for end in os.pipe():
            os.close(end)
    select.select([], [], [], PAUSE * secrets.randbelow(1000) / 1000)
