"""Sums over all matches of a long run, by numpy: the same sums as elsewhere in this room, match by match.

Knows bots, matches and groups of blocks as numbers only. See ``arena.ratings.arrays``.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from arena.ratings.arrays import Array
    from arena.ratings.blocks import BlockOutcomes
    from arena.ratings.table import Solution

_TOGETHER = 1 << 14
"""So many matches are worked on at once."""


def pulls_by_group(
    blocks: "BlockOutcomes", group_of: Sequence[int], solution: "Solution"
) -> tuple[list[list[float]], list[set[int]]]:
    """By group of blocks and by bot, the sum of the pulls of its matches; and by bot, the groups that it sat in."""
    size = len(solution.names)
    groups = max(group_of) + 1
    place = np.array(solution.places, np.intp)[np.array(blocks.seen, np.intp)]
    group = np.array(group_of, np.intp)[np.array(blocks.owners, np.intp)]
    pulls, times = np.zeros(groups * size), np.zeros(groups * size)
    for matches, bots, of_seats in _together(solution, place):
        cells = (group[matches][:, None] * size + bots).ravel()
        pulls += np.bincount(cells, of_seats.ravel(), groups * size)
        times += np.bincount(cells, minlength=groups * size)
    seated = [set(np.flatnonzero(of_bot).tolist()) for of_bot in times.reshape(groups, size).T]
    return pulls.reshape(groups, size).tolist(), seated


def greatest_moves_of(solution: "Solution", covariances: Sequence[Sequence[float]]) -> list[float]:
    """As ``arena.ratings.uncertainty.greatest_moves``."""
    of_pairs = np.array(covariances)
    found = np.zeros(len(solution.names))
    for _, bots, pulls in _together(solution, np.arange(len(solution.counts))):
        moves = (of_pairs[bots[:, :, None], bots[:, None, :]] * pulls[:, None, :]).sum(axis=2)
        np.maximum.at(found, bots.ravel(), np.abs(moves).ravel())
    return [float(each) for each in found]


def squared_moves(solution: "Solution", products: Sequence[Sequence[float]]) -> float:
    """The sum over all matches of the squares of how far each moves the bots.

    ``products``: for each two bots, the product of how far a pull of 1 at either moves all others.
    """
    of_pairs = np.array(products)
    counts = np.array(solution.counts, float)
    total = 0.0
    for outcomes, bots, pulls in _together(solution, np.arange(len(counts))):
        both = of_pairs[bots[:, :, None], bots[:, None, :]] * pulls[:, :, None] * pulls[:, None, :]
        total += float(counts[outcomes] @ both.sum(axis=(1, 2)))
    return total


def _together(solution: "Solution", place: "Array") -> Iterator[tuple["Array", "Array", "Array"]]:
    """Matches of one seat count at a time: their numbers, and by match and seat the bots and their pulls.

    Args:
        solution: of a component.
        place: of the outcome of each match; -1: it is none of that component.
    """
    starts = np.array(solution.starts, np.intp)
    bots, pulls = np.array(solution.bots, np.intp), np.array(solution.pulls)
    seats = np.where(place >= 0, np.diff(starts)[place], 0)
    for wide in np.unique(seats[seats > 0]).tolist():
        matches = np.flatnonzero(seats == wide)
        for start in range(0, len(matches), _TOGETHER):
            some = matches[start : start + _TOGETHER]
            at = starts[place[some]][:, None] + np.arange(wide)
            yield some, bots[at], pulls[at]
