"""Outcomes of matches, and how they are laid out for the fit: by shape, in a fixed order, bots as numbers.

Knows names and ranks; knows no records, games or files.
"""

from array import array
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import chain

from msgspec import Struct

from arena.ratings.factor import Factor, factor_of, pairs_of
from arena.ratings.factors import Factors, Listed

MANY = 3000
MANY_ALIKE = 100
"""From so many different outcomes on, and so many of a shape, the fit is one of arrays, if numpy is there."""

Outcome = tuple[tuple[str, ...], ...]
"""The bots of a match in groups of equal rank, best first, by name within a group."""


class LaidOut(Struct, frozen=True, kw_only=True):
    """Outcomes by their shape, which is the number of bots at each rank; in a fixed order."""

    order: "array[int]"
    """The place that each had among those that were given."""
    shapes: dict[tuple[int, ...], int]
    """How many there are of each shape."""
    bots: "array[int]"
    """The bots of each outcome as numbers, best first."""

    def starts(self) -> "array[int]":
        """Where in ``bots`` those of each outcome begin, and where the last one's end."""
        found = array("L", [0])
        for shape, number in self.shapes.items():
            found.extend(range(found[-1] + sum(shape), found[-1] + sum(shape) * number + 1, sum(shape)))
        return found


def laid_out(outcomes: Sequence[Outcome], names: Sequence[str]) -> LaidOut:
    """The outcomes in a fixed order, whatever order they came in; bots are numbered by their place in ``names``."""
    number = {name: at for at, name in enumerate(names)}.__getitem__
    of_shapes: dict[tuple[int, ...], list[int]] = {}
    for at, outcome in enumerate(outcomes):
        of_shapes.setdefault(tuple(map(len, outcome)), []).append(at)
    order, bots = array("L"), array("L")
    for shape in sorted(of_shapes):
        alike, seats = of_shapes[shape], sum(shape)
        groups = chain.from_iterable(map(outcomes.__getitem__, alike))
        of_seats = list(map(number, chain.from_iterable(groups)))
        columns = [of_seats[seat::seats] for seat in range(seats)]
        # sorted by bots, first seat first, as one number each: faster to compare, and no work for the collector
        keys = columns[0]
        for column in columns[1:]:
            keys = [key * len(names) + bot for key, bot in zip(keys, column, strict=True)]
        in_order = sorted(range(len(alike)), key=keys.__getitem__)
        order.extend(map(alike.__getitem__, in_order))
        laid = array("L", bytes(bots.itemsize * len(of_seats)))
        for seat, column in enumerate(columns):
            laid[seat::seats] = array("L", map(column.__getitem__, in_order))
        bots += laid
    return LaidOut(order=order, shapes={shape: len(of_shapes[shape]) for shape in sorted(of_shapes)}, bots=bots)


def by_arrays(number: int) -> bool:
    """Whether so many outcomes or matches are summed by numpy: it is there, and takes 0.1 s to load."""
    return number >= MANY and find_spec("numpy") is not None


def factors_of(laid: LaidOut, counts: Sequence[int], size: int) -> Factors:
    """The factors of these outcomes: as arrays where they are many and numpy is there."""
    number = len(laid.order)
    if by_arrays(number) and number >= MANY_ALIKE * len(laid.shapes):
        from arena.ratings.arrays import arrays_of  # noqa: PLC0415 - numpy is not always there

        return arrays_of(laid.shapes, laid.bots, counts, size)
    found: list[Factor] = []
    start = 0
    for shape, times in laid.shapes.items():
        pairs = pairs_of(shape)
        for _ in range(times):
            found.append(factor_of(tuple(laid.bots[start : start + sum(shape)]), pairs, counts[len(found)]))
            start += sum(shape)
    return Listed(found, size)
