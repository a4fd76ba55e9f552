"""Outcomes of matches, and how they are laid out for the fit: by shape, in a fixed order, bots as numbers.

Knows names and ranks; knows no records, games or files.
"""

from array import array
from collections.abc import Iterable, Sequence
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

    outcomes: list[Outcome]
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


def laid_out(outcomes: Iterable[Outcome], names: Sequence[str]) -> LaidOut:
    """The outcomes in a fixed order, whatever order they came in; bots are numbered by their place in ``names``."""
    number = {name: at for at, name in enumerate(names)}.__getitem__
    of_shapes: dict[tuple[int, ...], list[tuple[tuple[int, ...], Outcome]]] = {}
    for outcome in outcomes:
        of_shapes.setdefault(tuple(map(len, outcome)), []).append((tuple(map(number, chain(*outcome))), outcome))
    found = [each for shape in sorted(of_shapes) for each in sorted(of_shapes[shape])]
    return LaidOut(
        outcomes=[outcome for _, outcome in found],
        shapes={shape: len(of_shapes[shape]) for shape in sorted(of_shapes)},
        bots=array("L", chain.from_iterable(bots for bots, _ in found)),
    )


def factors_of(laid: LaidOut, counts: Sequence[int], size: int) -> Factors:
    """The factors of these outcomes: as arrays where they are many and numpy is there."""
    number = len(laid.outcomes)
    if number >= MANY and number >= MANY_ALIKE * len(laid.shapes) and find_spec("numpy"):
        from arena.ratings.arrays import arrays_of  # noqa: PLC0415 - numpy is not always there, and takes 0.1 s

        return arrays_of(laid.shapes, laid.bots, counts, size)
    found: list[Factor] = []
    start = 0
    for shape, times in laid.shapes.items():
        pairs = pairs_of(shape)
        for _ in range(times):
            found.append(factor_of(tuple(laid.bots[start : start + sum(shape)]), pairs, counts[len(found)]))
            start += sum(shape)
    return Listed(found, size)
