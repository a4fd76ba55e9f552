"""Sums over all matches of a long run, by numpy: the same sums as elsewhere in this room, match by match.

Knows bots, matches and groups of blocks as numbers only. See ``arena.ratings.arrays``.
"""

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from arena.ratings.ahead import PairSums, points_of

if TYPE_CHECKING:
    from arena.ratings.arrays import Array
    from arena.ratings.blocks import BlockOutcomes, Matches
    from arena.ratings.table import Solution

_TOGETHER = 1 << 14
"""So many matches are worked on at once."""
_MATCHES = 1 << 18
"""Whole blocks of about so many matches are sorted at once."""


def different(matches: "Matches", place: "array[int]") -> tuple["array[int]", "array[int]", "array[int]"]:
    """Of one shape the bots, counts and places of ``arena.ratings.outcomes.Outcomes``.

    ``place`` is that of each bot, -1 if it has none.
    """
    of_bots = _of(place)
    columns = [of_bots[_of(column)] for column in matches.columns()]
    inside = columns[0] >= 0
    # the bots of a match as one number, first seat first
    keys = np.zeros(np.count_nonzero(inside), np.int64)
    most = 1
    for column in columns:
        if most * len(place) > np.iinfo(np.int64).max:
            _, keys = np.unique(keys, return_inverse=True)
            most = len(keys)
        keys = keys * len(place) + column[inside]
        most *= len(place)
    _, first, numbers, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    bots = np.array([column[inside][first] for column in columns], np.uint32).T
    places = np.full(len(inside), -1, np.int32)
    places[inside] = numbers
    return _array("I", bots), _array("L", counts), _array("i", places)


def pulls_by_group(
    blocks: "BlockOutcomes", group_of: Sequence[int], solution: "Solution"
) -> tuple[list[list[float]], list[set[int]]]:
    """By group of blocks and by bot, the sum of the pulls of its matches; and by bot, the groups that it sat in."""
    size = len(solution.names)
    groups = max(group_of) + 1
    group = np.array(group_of, np.intp)
    found, times = np.zeros(groups * size), np.zeros(groups * size)
    for outcomes, pulls in solution.parts():
        shown = _of(outcomes.bots).reshape(len(outcomes.counts), -1), _of(pulls).reshape(len(outcomes.counts), -1)
        owners, places = _of(blocks.shapes[outcomes.shape].blocks), _of(outcomes.places)
        for start in range(0, len(places), _TOGETHER):
            at = places[start : start + _TOGETHER]
            of_match = group[owners[start : start + _TOGETHER]][at >= 0]
            bots, of_seats = (each[at[at >= 0]] for each in shown)
            cells = (of_match[:, None] * size + bots).ravel()
            found += np.bincount(cells, of_seats.ravel(), groups * size)
            times += np.bincount(cells, minlength=groups * size)
    seated = [set(np.flatnonzero(of_bot).tolist()) for of_bot in times.reshape(groups, size).T]
    return found.reshape(groups, size).tolist(), seated


def greatest_moves_of(solution: "Solution", covariances: Sequence[Sequence[float]]) -> list[float]:
    """As ``arena.ratings.uncertainty.greatest_moves``."""
    of_pairs = np.array(covariances)
    found = np.zeros(len(solution.names))
    for _, bots, pulls in _together(solution):
        moves = (of_pairs[bots[:, :, None], bots[:, None, :]] * pulls[:, None, :]).sum(axis=2)
        np.maximum.at(found, bots.ravel(), np.abs(moves).ravel())
    return [float(each) for each in found]


def squared_moves(solution: "Solution", products: Sequence[Sequence[float]]) -> float:
    """The sum over all matches of the squares of how far each moves the bots.

    ``products``: for each two bots, the product of how far a pull of 1 at either moves all others.
    """
    of_pairs = np.array(products)
    total = 0.0
    for counts, bots, pulls in _together(solution):
        both = of_pairs[bots[:, :, None], bots[:, None, :]] * pulls[:, :, None] * pulls[:, None, :]
        total += float(counts @ both.sum(axis=(1, 2)))
    return total


def sums_of_pairs(blocks: "BlockOutcomes", place: "array[int]") -> dict[tuple[int, int], PairSums]:
    """As ``arena.ratings.ahead.pairs`` takes them: by the ``place`` of two bots among the names."""
    of_bots, size = _of(place).astype(np.int64), len(place)
    totals = {name: np.zeros(size * size) for name in PairSums.__struct_fields__}
    wide = max(_MATCHES * len(blocks.names) // max(len(blocks), 1), 1)
    for first in range(0, len(blocks.names), wide):
        keys, halves = [], []
        for shape, matches in blocks.shapes.items():
            owners = _of(matches.blocks)
            here = np.flatnonzero((owners >= first) & (owners < first + wide))
            rows = of_bots[_of(matches.bots).reshape(len(owners), -1)[here]]
            block = (owners[here] - first).astype(np.int64)
            for better, worse, twice in points_of(shape):
                one, other = rows[:, better], rows[:, worse]
                pair = np.minimum(one, other) * size + np.maximum(one, other)
                keys.append(block * (size * size) + pair)
                halves.append(np.where(one < other, twice, 2 - twice).astype(np.int8))
        cells, numbers, met = np.unique(np.concatenate(keys), return_inverse=True, return_counts=True)
        points = np.concatenate(halves)
        of_pair = np.bincount(numbers, points)
        tied = np.bincount(numbers, points == 1)
        ahead = (of_pair - tied) / 2
        blocks_each = np.ones(len(cells))
        each = {
            "matches": met,
            "ahead": ahead,
            "tied": tied,
            "blocks": blocks_each,
            "points_points": of_pair * of_pair,
            "points_matches": of_pair * met,
            "matches_matches": met * met,
        }
        for name, values in each.items():
            totals[name] += np.bincount(cells % (size * size), values, size * size)
    return {
        divmod(pair, size): PairSums(**{name: int(values[pair]) for name, values in totals.items()})
        for pair in np.flatnonzero(totals["matches"]).tolist()
    }


def _together(solution: "Solution") -> Iterator[tuple["Array", "Array", "Array"]]:
    """Some outcomes of one shape at a time: how often each was seen, and by outcome and seat the bots and pulls."""
    for outcomes, pulls in solution.parts():
        counts = _of(outcomes.counts)
        bots, of_seats = _of(outcomes.bots).reshape(len(counts), -1), _of(pulls).reshape(len(counts), -1)
        for start in range(0, len(counts), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            yield counts[part].astype(float), bots[part], of_seats[part]


def _of(values: "array[int] | array[float]") -> "Array":
    """The same numbers at the same place in memory."""
    return np.frombuffer(values, values.typecode)


def _array(code: str, values: "Array") -> "array[int]":
    found = array(code)
    found.frombytes(np.ascontiguousarray(values, code).tobytes())
    return found
