"""Sums over all matches of a long run, by numpy: the same sums as elsewhere in this room, match by match.

Knows bots, matches, blocks and groups of blocks as numbers only. What there is of each match may lie in a file, see
``arena.spill``; in memory there are parts of it. See ``arena.ratings.arrays``.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from arena.chance import Chance
from arena.ratings.ahead import PairSums, points_of
from arena.ratings.blocks import EPOCH, KEY
from arena.spill import Numbers, Spill

if TYPE_CHECKING:
    from arena.ratings.arrays import Array
    from arena.ratings.blocks import BlockOutcomes, Matches
    from arena.ratings.outcomes import Outcomes
    from arena.ratings.table import Solution

_TOGETHER = 1 << 14
"""So many matches are worked on at once."""
_MATCHES = 1 << 16
"""Whole blocks of about so many matches are sorted at once."""
_MOST_DIGITS = 10
"""Of the number of a block in its epoch."""
_TENS = np.array([10**digits for digits in range(_MOST_DIGITS + 1)], np.uint64)
_DIGITS = 4
"""Bits for how many digits there are."""
_NAME = _DIGITS + 34
"""Bits for that and for the digits."""


def different(matches: "Matches", place: "array[int]", spill: Spill) -> tuple[Numbers, Numbers, Numbers]:
    """Of one shape the bots, counts and places of ``arena.ratings.outcomes.Outcomes``.

    ``place`` is that of each bot, -1 if it has none.
    """
    size, seats = len(place), matches.seats
    if size**seats > np.iinfo(np.int64).max:
        return _different_of_many(matches, place)
    keys = np.asarray(spill.whole("q", len(matches.blocks)))
    for part, found in zip(_parts(len(keys)), _keys(matches, place), strict=True):
        keys[part] = found
    keys.sort()
    keys = keys[np.searchsorted(keys, 0) :]
    counts = _counted(keys, spill)
    keys = keys[: len(counts)]
    bots = spill.whole("I", len(keys) * seats)
    of_seats = np.asarray(bots).reshape(-1, seats)
    for part in _parts(len(keys)):
        left = keys[part]
        for seat in reversed(range(seats)):
            left, of_seats[part, seat] = np.divmod(left, size)
    places = spill.whole("i", len(matches.blocks))
    of_matches = np.asarray(places)
    for part, found in zip(_parts(len(places)), _keys(matches, place), strict=True):
        of_matches[part] = np.where(found < 0, -1, np.searchsorted(keys, found))
    return bots, counts, places


def _keys(matches: "Matches", place: "array[int]") -> "Iterator[Array]":
    """The bots of each match as one number, first seat first; below 0 if they have no place."""
    of_bots = np.asarray(place).astype(np.int64)
    for bots in _even((bots for bots, _ in matches.pieces()), matches.seats):
        rows = of_bots[bots.reshape(-1, matches.seats)]
        keys = rows[:, 0]
        for column in rows.T[1:]:
            keys = keys * len(place) + column
        yield keys


def _different_of_many(matches: "Matches", place: "array[int]") -> tuple[Numbers, Numbers, Numbers]:
    """As ``different``, of so many bots that no number holds the bots of a match."""
    pieces = [np.asarray(bots).reshape(-1, matches.seats) for bots, _ in matches.pieces()]
    columns = np.asarray(place)[np.concatenate(pieces)].T
    inside = columns[0] >= 0
    keys = np.zeros(np.count_nonzero(inside), np.int64)
    most = 1
    for column in columns:
        if most * len(place) > np.iinfo(np.int64).max:
            _, keys = np.unique(keys, return_inverse=True)
            most = len(keys)
        keys = keys * len(place) + column[inside]
        most *= len(place)
    _, first, numbers, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    places = np.full(len(inside), -1, np.int32)
    places[inside] = numbers
    return _array("I", columns[:, inside][:, first].T), _array("I", counts), _array("i", places)


def pairs_at(outcomes: "Outcomes", one: int, *, other: int) -> set[tuple[int, int]]:
    """Every two bots that are at these two places of an outcome."""
    seats = sum(outcomes.shape)
    rows = np.asarray(outcomes.bots).reshape(-1, seats)
    found: set[int] = set()
    for part in _parts(len(rows)):
        found.update(np.unique(rows[part, one].astype(np.int64) << 32 | rows[part, other]).tolist())
    return {(pair >> 32, pair & (1 << 32) - 1) for pair in found}


def blocks_in_order(blocks: "BlockOutcomes") -> Numbers:
    """As ``arena.ratings.outcomes.in_order``."""
    room = blocks.spill.whole("Q", len(blocks))
    found, end = np.asarray(room), 0
    for matches in blocks.shapes.values():
        for _, owners in matches.pieces():
            found[end : end + len(owners)] = owners
            end += len(owners)
    found.sort()
    return room[: len(_counted(found, blocks.spill))]


def groups(blocks: "BlockOutcomes", most: int) -> tuple["Array", "Array"]:
    """Every block in canonical order, and the group of each, see ``BlockOutcomes.groups``."""
    order = np.asarray(blocks_in_order(blocks))
    epochs = {int(epoch) for part in _parts(len(order)) for epoch in np.unique(order[part] >> EPOCH)}
    ranked = np.array(sorted(epochs, key=lambda epoch: f"e{epoch}b"), np.uint64)
    sorter = np.argsort(ranked)
    # names as numbers that sort alike: they are compared from the left, and a name stands before those that go on
    names = np.asarray(blocks.spill.whole("Q", len(order)))
    for part in _parts(len(order)):
        rank = sorter[np.searchsorted(ranked, order[part] >> EPOCH, sorter=sorter)].astype(np.uint64)
        number = order[part] & (1 << EPOCH) - 1
        digits = np.maximum(np.searchsorted(_TENS, number, side="right"), 1)
        names[part] = rank << _NAME | number * _TENS[_MOST_DIGITS - digits] << _DIGITS | digits.astype(np.uint64)
    names.sort()
    room = blocks.spill.whole("I", len(order))
    places = np.asarray(room)
    for part in _parts(len(order)):
        epoch = ranked[names[part] >> _NAME]
        digits = (names[part] & (1 << _DIGITS) - 1).astype(np.intp)
        number = (names[part] & (1 << _NAME) - 1) >> _DIGITS
        places[part] = np.searchsorted(order, epoch << EPOCH | number // _TENS[_MOST_DIGITS - digits])
    if len(order) > most:
        Chance(KEY).shuffle(cast("list[int]", room))
    found = np.asarray(blocks.spill.whole("I", len(order)))
    for part in _parts(len(order)):
        found[places[part]] = np.arange(part.start, part.stop)[: len(places[part])] % most
    return order, found


def pulls_by_group(
    blocks: "BlockOutcomes", most: int, solution: "Solution"
) -> tuple[list[list[float]], list[set[int]]]:
    """By group of blocks and by bot, the sum of the pulls of its matches; and by bot, the groups that it sat in."""
    size = len(solution.names)
    order, group = groups(blocks, most)
    number = min(most, len(order))
    found, times = np.zeros(number * size), np.zeros(number * size)
    for outcomes, pulls in solution.parts():
        bots_of, pulls_of = (np.asarray(each).reshape(len(outcomes.counts), -1) for each in (outcomes.bots, pulls))
        places, owned = np.asarray(outcomes.places), blocks.shapes[outcomes.shape].pieces()
        for part, owners in zip(_parts(len(places)), _even(owners for _, owners in owned), strict=True):
            at = places[part]
            of_match = group[np.searchsorted(order, owners[at >= 0])].astype(np.intp)
            at = at[at >= 0]
            cells = (of_match[:, None] * size + bots_of[at]).ravel()
            found += np.bincount(cells, pulls_of[at].ravel(), number * size)
            times += np.bincount(cells, minlength=number * size)
    seated = [set(np.flatnonzero(of_bot).tolist()) for of_bot in times.reshape(number, size).T]
    return found.reshape(number, size).tolist(), seated


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
    of_bots, size = np.asarray(place).astype(np.int64), len(place)
    totals = {name: np.zeros(size * size) for name in PairSums.__struct_fields__}
    order = np.asarray(blocks_in_order(blocks))
    wide = max(_MATCHES * len(order) // max(len(blocks), 1), 1)
    for start in range(0, len(order), wide):
        here = order[start : start + wide]
        keys, halves = [], []
        for shape, matches in blocks.shapes.items():
            points = points_of(shape)
            for bots, owners in matches.pieces(first=int(here[0]), end=int(here[-1]) + 1):
                block = np.asarray(owners)
                inside = np.flatnonzero((block >= here[0]) & (block <= here[-1]))
                rows = of_bots[np.asarray(bots).reshape(len(block), -1)[inside]]
                cells = np.searchsorted(here, block[inside]) * (size * size)
                for better, worse, twice in points:
                    one, other = rows[:, better], rows[:, worse]
                    keys.append(cells + np.minimum(one, other) * size + np.maximum(one, other))
                    halves.append(np.where(one < other, twice, 2 - twice).astype(np.int8))
        cells, numbers, met = np.unique(np.concatenate(keys), return_inverse=True, return_counts=True)
        of_match = np.concatenate(halves)
        of_pair = np.bincount(numbers, of_match)
        tied = np.bincount(numbers, of_match == 1)
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
        counts = np.asarray(outcomes.counts)
        bots, of_seats = (np.asarray(each).reshape(len(counts), -1) for each in (outcomes.bots, pulls))
        for part in _parts(len(counts)):
            yield counts[part].astype(float), bots[part], of_seats[part]


def _counted(numbers: "Array", spill: Spill) -> "memoryview[int]":
    """How often each of the sorted numbers is there; the different ones are moved to the front."""
    room = spill.whole("I", sum(len(fresh) for fresh, _ in _firsts(numbers)))
    counts, end = np.asarray(room), 0
    for (fresh, found), part in zip(_firsts(numbers), _parts(len(numbers)), strict=True):
        counts[end : end + len(fresh)] = fresh + part.start
        numbers[end : end + len(fresh)] = found
        end += len(fresh)
    for part in _parts(end):
        after = np.append(counts[part.start + 1 : part.stop + 1], len(numbers) if part.stop >= end else [])
        counts[part] = after[: part.stop - part.start] - counts[part]
    return room


def _firsts(numbers: "Array") -> "Iterator[tuple[Array, Array]]":
    """Of each part of sorted numbers the places of those that were not there before, and what they are."""
    before = None
    for part in _parts(len(numbers)):
        here = numbers[part].copy()
        fresh = np.flatnonzero(np.append(before is None or here[0] != before, here[1:] != here[:-1]))
        before = here[-1]
        yield fresh, here[fresh]


def _parts(number: int) -> Iterator[slice]:
    """So many rows in steps that are worked on at once."""
    return (slice(start, start + _TOGETHER) for start in range(0, number, _TOGETHER))


def _even(pieces: "Iterable[Numbers]", seats: int = 1) -> "Iterator[Array]":
    """The same numbers, ``seats`` for a match, in as many parts as ``_parts`` has, wherever the pieces end.

    So no sum is rounded in another way where matches were stored.
    """
    step = _TOGETHER * seats
    left = None
    for piece in pieces:
        here = np.asarray(piece) if left is None else np.concatenate([left, piece])
        whole = len(here) // step * step
        yield from (here[start : start + step] for start in range(0, whole, step))
        left = here[whole:]
    if left is not None and len(left):
        yield left


def _array(code: str, values: "Array") -> "array[int]":
    found = array(code)
    found.frombytes(np.ascontiguousarray(values, code).tobytes())
    return found
