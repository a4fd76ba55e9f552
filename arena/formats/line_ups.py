"""Line-ups and seating orders, drawn one after the other, with bots as numbers: the inner part of a schedule.

Pure; knows chance, no names, blocks or matches. ``arena.formats.schedule`` says what is drawn, and why.
"""

import sys
from collections.abc import Iterator
from itertools import combinations
from math import comb
from operator import add, itemgetter

from arena.chance import Chance

_ATTEMPTS = 8
_CANDIDATES = 64
"""How many of those waiting are weighed against each other: among so many, one who has met nobody is easily found."""
_TAKEN = sys.maxsize
"""What it costs to take a bot twice."""


def line_ups(*, bots: int, seats: int, blocks: int, chance: Chance) -> Iterator[list[int]]:
    """The bots of each block, by their place in the canonical order."""
    if not seats:
        yield from ([] for _ in range(blocks))
        return
    cycles, left = divmod(blocks, comb(bots, seats))
    every = list(combinations(range(bots), seats)) if cycles else []
    for _ in range(cycles):
        chance.shuffle(every)
        yield from map(list, every)
    yield from _balanced(bots, seats, left, chance)


def _balanced(bots: int, seats: int, blocks: int, chance: Chance) -> Iterator[list[int]]:
    """Line-ups by which nobody ever plays two blocks more than another, and pairs meet about equally often."""
    met = _no_counts(bots)
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


def owing(lacking: list[int], seats: int, chance: Chance) -> Iterator[list[int]]:
    """Line-ups until no bot lacks one: each has a bot that lacks most, and bots that have met few of the table.

    Whoever is new so meets everyone about as often as in a whole schedule, and not the other new ones alone.
    """
    met = _no_counts(len(lacking))
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


def _no_counts(bots: int) -> list[list[int]]:
    return [[0] * bots for _ in range(bots)]


class SeatingOrders:
    """Seating orders with fresh neighbours: who sits directly before whom is counted from table to table."""

    def __init__(self, bots: int) -> None:
        """``bots``: how many there are; they are numbered from 0."""
        self._before = _no_counts(bots)

    def seat(self, bots: list[int], chance: Chance) -> list[int]:
        """These bots in a seating order; the list itself may be shuffled.

        An attempt starts from a drawn order, and seats next whoever has acted least often directly after the last
        seated.
        """
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
