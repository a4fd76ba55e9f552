"""Line-ups and seating orders, drawn one after the other, with bots as numbers: the inner part of a schedule.

Pure; knows chance, no names, blocks or matches. ``arena.tournament.schedule`` says what is drawn, and why.
"""

import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import product
from math import comb
from operator import add, itemgetter
from struct import unpack
from typing import Any, Protocol, TypeAlias, TypeVar

from arena.chance import Chance

T = TypeVar("T")
_Shuffled: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]
"""What one shuffle makes of items."""

_ATTEMPTS = 8
_CANDIDATES = 64
"""How many of those waiting are weighed against each other: among so many, one who has met nobody is easily found."""
_FULL = 1024
"""Up to so many bots, counts of pairs are lists; of more bots most pairs never come up."""
_WORDS = 8
"""Words of a hash of ``Chance``."""
_HASHES = 64
"""So many hashes are made at once."""
_MOST = 256
"""A shuffle of more items is left to ``Chance``."""
_TAKEN = sys.maxsize
"""What it costs to take a bot twice."""
_FEW = 5
"""Items less one of which every order is kept at hand."""
_USUAL = 4
"""Seats of most runs."""
_PER_FOUR = 3
"""Words of a shuffle of 4 items."""
_FOUR_BYTES = 1 << 32
_KEPT = 4096
"""So many line-ups are kept at hand: all there are of few bots."""
_PLAIN = (1 << 64) - _MOST
"""A word below this is drawn again by no shuffle of so few items."""


_SIZES = tuple(tuple(range(last + 1, 1, -1)) for last in range(_FEW))
"""How many are left at each swap of a shuffle, by the number of swaps."""


@cache
def _shuffled(size: int) -> list[_Shuffled]:
    """What the shuffle makes of so many items, for all that can be drawn: last place first, its most draws last."""
    found: list[_Shuffled] = []
    for drawn in product(*(range(places) for places in range(size, 1, -1))):
        order = list(range(size))
        for i, j in zip(range(size - 1, 0, -1), drawn, strict=True):
            order[i], order[j] = order[j], order[i]
        found.append(itemgetter(*order))
    return found


class Shuffler(Protocol):
    """Whatever decides by lot; ``Chance`` is one."""

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put ``items`` into a random order, in place."""


class Shuffles:
    """The shuffles of a ``Chance`` with this key, from its start: the same orders, some times as fast."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._drawn = 0
        """Words before those that are held."""
        self._words: tuple[int, ...] = ()
        self._at = 0
        """How many of these are used."""
        self._plain = True

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put ``items`` into a random order, in place."""
        last = len(items) - 1
        if last < 1:
            return
        if last >= _MOST:
            self._by_chance(items)
            return
        if self._at + last > len(self._words):
            self._read()
        if not self._plain:
            self._by_chance(items)
            return
        at = self._at
        self._at = at + last
        words = self._words
        if last < _FEW:
            # few items have few orders: the order is looked up
            drawn = 0
            for size, word in zip(_SIZES[last], words[at : at + last], strict=True):
                drawn = drawn * size + word % size
            items[:] = _shuffled(last + 1)[drawn](items)
            return
        for i in range(last, 0, -1):
            j = words[at] % (i + 1)
            at += 1
            items[i], items[j] = items[j], items[i]

    def fours(self, times: int) -> list[_Shuffled]:
        """What the next shuffles do to 4 items each; none if one of them may have to draw a word again.

        They are not used up: ``use`` says how many are.
        """
        words = self._words[self._at : self._at + times * _PER_FOUR]
        if len(words) < times * _PER_FOUR:
            self._read()
            words = self._words[self._at : self._at + times * _PER_FOUR]
        if not self._plain:
            return []
        every = _shuffled(_USUAL)
        return [
            every[one % 4 * 6 + two % 3 * 2 + three % 2]
            for one, two, three in zip(words[::3], words[1::3], words[2::3], strict=True)
        ]

    def use(self, times: int) -> None:
        """Use up so many of the shuffles that ``fours`` has told."""
        self._at += times * _PER_FOUR

    def _by_chance(self, items: MutableSequence[T]) -> None:
        chance = Chance(self._key, self._drawn + self._at)
        chance.shuffle(items)
        self._drawn, self._words, self._at = chance.drawn, (), 0

    def _read(self) -> None:
        """Hold the next words, ``_HASHES`` hashes of them."""
        first, self._at = divmod(self._drawn + self._at, _WORDS)
        self._drawn = first * _WORDS
        hashed = [
            blake2b(block.to_bytes(8, "little"), key=self._key).digest() for block in range(first, first + _HASHES)
        ]
        self._words = unpack(f"<{_HASHES * _WORDS}Q", b"".join(hashed))
        self._plain = max(self._words) < _PLAIN


class _Sparse(dict[int, int]):
    """Counts of which most are 0."""

    def __missing__(self, key: int) -> int:
        return 0


def _counts(bots: int) -> "Sequence[list[int] | _Sparse]":
    """How often each of so many bots was beside each: none yet."""
    if bots > _FULL:
        return [_Sparse() for _ in range(bots)]
    return [[0] * bots for _ in range(bots)]


def line_ups(*, bots: int, seats: int, blocks: int, chance: Shuffler) -> Iterator[list[int]]:
    """The bots of each block, by their place in the canonical order."""
    if not seats:
        yield from ([] for _ in range(blocks))
        return
    kinds = comb(bots, seats)
    cycles = blocks // kinds
    if cycles:
        # places in the order of `combinations`: where there may be millions, they take 4 bytes each, or 8
        places = range(kinds)
        few = kinds <= _KEPT
        every = list(places) if few else array("I" if kinds < _FOUR_BYTES else "L", places)
        for _ in range(cycles):
            chance.shuffle(every)
            for place in every:
                yield list(_combination(place, bots, seats))
    yield from _balanced(bots, seats, blocks - cycles * kinds, chance)


@lru_cache(maxsize=_KEPT)
def _combination(place: int, bots: int, seats: int) -> tuple[int, ...]:
    """What stands at this place of ``combinations(range(bots), seats)``, without those before it.

    Counted from the end, a place is a sum of binomial coefficients, the largest first: the combinatorial number system.
    """
    rows = _binomials(bots, seats)
    left = comb(bots, seats) - 1 - place
    found = []
    for row in rows:
        at = bisect_right(row, left) - 1
        left -= row[at]
        found.append(bots - 1 - at)
    return tuple(found)


@cache
def _binomials(bots: int, seats: int) -> list[list[int]]:
    """By how many seats are left, from all to one: in how many ways they can be given to the last 0, 1, ... bots."""
    return [[comb(last, left) for last in range(bots)] for left in range(seats, 0, -1)]


def _balanced(bots: int, seats: int, blocks: int, chance: Shuffler) -> Iterator[list[int]]:
    """Line-ups by which nobody ever plays two blocks more than another, and pairs meet about equally often."""
    met = _counts(bots)
    waiting: list[int] = []
    for _ in range(blocks):
        again: list[int] = []
        if len(waiting) >= seats:
            chosen = [waiting.pop(0)]
        else:
            # those left of this round sit in any case; then the next round begins, in which they wait again
            chosen = waiting
            again = chosen.copy()
            waiting = [bot for bot in range(bots) if bot not in again]
            chance.shuffle(waiting)
        pool = waiting[:_CANDIDATES]
        # an itemgetter gives a tuple only for two places or more
        of_pool = itemgetter(*pool, pool[0]) if pool else tuple
        costs = list(of_pool(met[chosen[0]])) if chosen else [0] * len(pool)
        for one in chosen[1:]:
            costs = list(map(add, costs, of_pool(met[one])))
        del costs[len(pool) :]
        while len(chosen) < seats:
            cheapest = costs.index(min(costs))
            bot = pool[cheapest]
            chosen.append(bot)
            waiting.remove(bot)
            if len(chosen) < seats:
                costs[cheapest] = _TAKEN
                costs = list(map(add, costs, of_pool(met[bot])))
        waiting += again
        for one in chosen:
            row = met[one]
            for other in chosen:
                # nothing reads how often a bot has met itself
                row[other] += 1
        yield chosen


def owing(lacking: list[int], seats: int, chance: Shuffler) -> Iterator[list[int]]:
    """Line-ups until no bot lacks one: each has a bot that lacks most, and bots that have met few of the table.

    Whoever is new so meets everyone about as often as in a whole schedule, and not the other new ones alone.
    """
    met = _counts(len(lacking))
    waiting = list(range(len(lacking)))
    chance.shuffle(waiting)
    while (most := max(lacking)) > 0:
        chosen = [next(bot for bot in waiting if lacking[bot] == most)]
        while len(chosen) < seats:
            pool = [bot for bot in waiting[: _CANDIDATES + seats] if bot not in chosen]
            costs = [(sum(met[one][bot] for one in chosen), -lacking[bot]) for bot in pool]
            chosen.append(pool[costs.index(min(costs))])
        for one in chosen:
            for other in chosen:
                met[one][other] += 1
        for bot in chosen:
            lacking[bot] -= 1
            waiting.remove(bot)
        waiting += chosen
        yield chosen


class SeatingOrders:
    """Seating orders with fresh neighbours: who sits directly before whom is counted from table to table."""

    def __init__(self, bots: int) -> None:
        """``bots``: how many there are; they are numbered from 0."""
        self._before = _counts(bots)

    def seat(self, bots: list[int], chance: Shuffler) -> list[int]:
        """These bots in a seating order; the list itself may be shuffled.

        An attempt starts from a drawn order, and seats next whoever has acted least often directly after the last
        seated.
        """
        if len(bots) == _USUAL and isinstance(chance, Shuffles) and (fours := chance.fours(_ATTEMPTS)):
            return self._seat_four(bots, chance, fours)
        before = self._before
        best: list[int] = []
        lowest = sys.maxsize
        for _ in range(_ATTEMPTS):
            chance.shuffle(bots)
            last, *left = bots
            order = [last]
            cost = 0
            while len(left) > 1:
                row = before[last]
                counts = [row[bot] for bot in left]
                fewest = min(counts)
                cost += fewest
                if cost >= lowest:
                    break
                last = left.pop(counts.index(fewest))
                order.append(last)
            else:
                order += left
                if left:
                    cost += before[last][left[0]]
                cost += before[order[-1]][order[0]]
                if cost < lowest:
                    best, lowest = order, cost
                    if cost == 0:
                        break
        last = best[-1]
        for bot in best:
            before[last][bot] += 1
            last = bot
        return best

    def _seat_four(self, bots: list[int], chance: Shuffles, fours: Sequence[_Shuffled]) -> list[int]:
        """As ``seat`` for four bots: the same orders, without a loop over those who are left."""
        before = self._before
        best: Sequence[int] = ()
        lowest = sys.maxsize
        seated: Sequence[int] = bots
        tried = 0
        for shuffled in fours:
            tried += 1
            seated = first, second, third, fourth = shuffled(seated)
            after = before[first]
            one, two, three = after[second], after[third], after[fourth]
            if one <= two and one <= three:
                cost = one
            elif two <= three:
                cost = two
                second, third = third, second
            else:
                cost = three
                second, third, fourth = fourth, second, third
            if cost >= lowest:
                continue
            after = before[second]
            one, two = after[third], after[fourth]
            if one <= two:
                cost += one
            else:
                cost += two
                third, fourth = fourth, third
            if cost >= lowest:
                continue
            cost += before[third][fourth] + before[fourth][first]
            if cost < lowest:
                best, lowest = (first, second, third, fourth), cost
                if cost == 0:
                    break
        chance.use(tried)
        first, second, third, fourth = best
        before[first][second] += 1
        before[second][third] += 1
        before[third][fourth] += 1
        before[fourth][first] += 1
        return [first, second, third, fourth]
