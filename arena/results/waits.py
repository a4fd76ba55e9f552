"""Times in few classes, so memory does not grow with the matches: those of a class are alike to six binary digits."""

from functools import cache

from arena.numeric import Array, np

_BITS = 6
_LONGEST = 53
"""No time of a record has more binary digits."""
_HALF = 1 << _BITS - 1
CLASSES = (1 << _BITS) + _HALF * (_LONGEST - _BITS)
_SHORT = 1 << 16
"""Most times in microseconds are below it."""


def classes_of(micros: Array) -> Array:
    """The class of each time."""
    if len(micros) and micros.max() >= _SHORT:
        return _classes(micros)
    classes: Array = _short()[micros]
    return classes


def _classes(micros: Array) -> Array:
    shift = np.maximum(np.frexp(micros.astype(float))[1].astype(np.int64) - _BITS, 0)
    classes: Array = _HALF * shift + (micros >> shift)
    return classes


@cache
def _short() -> Array:
    return _classes(np.arange(_SHORT)).astype(np.int16)


@cache
def _middles() -> Array:
    """The time in the middle of each class: off by at most 1/64; exact below 64."""
    number = np.arange(CLASSES)
    shift = np.maximum(number // _HALF - 1, 0)
    middles: Array = ((number - _HALF * shift) << shift) + (1 << shift >> 1)
    return middles


def times(counts: Array) -> list[tuple[int, int]]:
    """The times that came up, the shortest first, each with how often it did."""
    here = np.flatnonzero(counts)
    return list(zip(_middles()[here].tolist(), counts[here].tolist(), strict=True))


def ranked(counts: Array, rank: int) -> int:
    """The time of this rank, 1 for the shortest."""
    return int(_middles()[np.searchsorted(np.cumsum(counts), rank)])


def share(counts: Array, per_mille: int) -> int | None:
    """The time that this share of the times did not exceed (nearest rank); None if there are none."""
    total = int(counts.sum())
    return ranked(counts, -(-per_mille * total // 1000)) if total else None
