"""Drawn schedules in the user's cache, so that a long run resumes quickly.

A schedule follows from the secret and can be drawn again at any time: so it is, if its file is missing, damaged or of
another user. A results folder holds no such file, so arena never uses one that a stranger made.
"""

from collections.abc import Iterable

from arena.tournament import cache
from arena.tournament.schedule import LazyBlocks

FEWEST = 10_000
"""Shorter schedules, in blocks, are drawn as fast as they are read."""
MOST = 25_000_000
"""Longer schedules, in blocks, are not stored."""


def store(parts: Iterable[LazyBlocks]) -> None:
    """Store those of these schedules that are drawn completely; nothing happens if the cache cannot be written."""
    for part in parts:
        if part.whole and FEWEST <= len(part) <= MOST and not cache.store(_name(part), part.places()):
            return


def load(parts: Iterable[LazyBlocks]) -> None:
    """Fill these schedules with their blocks from the cache, where it has them."""
    for part in parts:
        if len(part) >= FEWEST and (places := cache.load(_name(part), most=part.size)) is not None:
            part.take(places)


def discard(parts: Iterable[LazyBlocks]) -> None:
    """Remove these schedules from the cache: their run is finished."""
    for part in parts:
        if len(part) >= FEWEST and not cache.discard(_name(part)):
            return


def _name(part: LazyBlocks) -> str:
    return f"schedules/{part.identity.hex()}"
