"""Schedules that were drawn once, kept in the user's cache, so that a long run is resumed at once.

What is kept follows from the secret and can be drawn again at any time: a file that is missing, damaged or anybody
else's is drawn again. A results folder holds none of it, so nothing of a stranger's is ever believed.
"""

from collections.abc import Iterable

from arena.tournament import kept
from arena.tournament.schedule import LazyBlocks

FEWEST = 10_000
"""Shorter schedules, in blocks, are drawn as fast as they are read."""
MOST = 25_000_000
"""Of longer ones no file is made."""


def keep(parts: Iterable[LazyBlocks]) -> None:
    """Keep these schedules as far as they are drawn whole; where the cache cannot be written, nothing is kept."""
    for part in parts:
        if part.whole and FEWEST <= len(part) <= MOST and not kept.keep(_name(part), part.places()):
            return


def recall(parts: Iterable[LazyBlocks]) -> None:
    """Give these schedules what is kept of them."""
    for part in parts:
        if len(part) >= FEWEST and (places := kept.recall(_name(part), most=part.size)) is not None:
            part.take(places)


def forget(parts: Iterable[LazyBlocks]) -> None:
    """Remove what is kept of these schedules: their run is finished."""
    for part in parts:
        if len(part) >= FEWEST and not kept.forget(_name(part)):
            return


def _name(part: LazyBlocks) -> str:
    return f"schedules/{part.identity.hex()}"
