"""The different outcomes of matches, and how they are laid out for the fit: by shape, in a fixed order.

Knows names and ranks; knows no records, games or files.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import chain

from msgspec import Struct

from arena.ratings.blocks import BlockOutcomes, Matches, Shape
from arena.ratings.factor import Factor, factor_of, pairs_of
from arena.ratings.factors import Factors, Listed
from arena.spill import Numbers, Spill

MANY = 3000
MANY_ALIKE = 100
"""From so many different outcomes on, and so many of a shape, the fit is one of arrays, if numpy is there."""


class Outcomes(Struct, frozen=True, kw_only=True):
    """The different outcomes of one shape among the bots of one component, sorted by their bots."""

    shape: Shape
    bots: Numbers
    """Outcome after outcome: its bots, best first, as their places among the names of the component."""
    counts: Numbers
    """How often each was seen."""
    places: Numbers
    """For each match of this shape, the place of its outcome here; -1: it is of another component."""


def laid_out(blocks: BlockOutcomes, names: Sequence[str]) -> list[Outcomes]:
    """The outcomes among these names by their shapes, whatever order the matches came in."""
    known = {name: at for at, name in enumerate(names)}
    place = array("i", [known.get(name, -1) for name in blocks.bots])
    if by_arrays(len(blocks)):
        from arena.ratings.sums import different  # noqa: PLC0415 - numpy is not always there
    else:
        different = _different
    found = []
    for shape, matches in sorted(blocks.shapes.items()):
        bots, counts, places = different(matches, place, blocks.spill)
        if len(counts):
            found.append(Outcomes(shape=shape, bots=bots, counts=counts, places=places))
    return found


def in_order(blocks: BlockOutcomes) -> Numbers:
    """Every block, in canonical order."""
    if by_arrays(len(blocks)):
        from arena.ratings.sums import blocks_in_order  # noqa: PLC0415 - numpy is not always there

        return blocks_in_order(blocks)
    return array("Q", sorted({block for matches in blocks.shapes.values() for block, _ in matches.rows()}))


def _different(
    matches: Matches,
    place: "array[int]",
    spill: Spill,  # noqa: ARG001
) -> tuple[Numbers, Numbers, Numbers]:
    """Of one shape the bots, counts and places of ``Outcomes``; ``place`` is that of each bot, -1 if it has none."""
    times = Counter(row for _, row in matches.rows())
    bots = {row: [place[bot] for bot in row] for row in times if place[row[0]] >= 0}
    order = sorted(bots, key=bots.__getitem__)
    at = {row: number for number, row in enumerate(order)}
    return (
        array("I", chain.from_iterable(map(bots.__getitem__, order))),
        array("L", map(times.__getitem__, order)),
        array("i", [at.get(row, -1) for _, row in matches.rows()]),
    )


def by_arrays(number: int) -> bool:
    """Whether so many outcomes or matches are summed by numpy: it is there, and takes 0.1 s to load."""
    return number >= MANY and find_spec("numpy") is not None


def factors_of(outcomes: Sequence[Outcomes], size: int, spill: Spill) -> Factors:
    """The factors of these outcomes among so many bots: as arrays where they are many and numpy is there."""
    number = sum(len(each.counts) for each in outcomes)
    if by_arrays(number) and number >= MANY_ALIKE * len(outcomes):
        from arena.ratings.arrays import Alike, Arrays  # noqa: PLC0415 - numpy is not always there

        return Arrays([Alike(each, spill) for each in outcomes], size, spill)
    found: list[Factor] = []
    for each in outcomes:
        pairs, seats = pairs_of(each.shape), sum(each.shape)
        found += [
            factor_of(tuple(each.bots[at * seats : (at + 1) * seats]), pairs, count)
            for at, count in enumerate(each.counts)
        ]
    return Listed(found, size)
