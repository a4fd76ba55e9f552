"""Who plays whom, in which seat, on which deal, and which matches share a bot's process. Pure; knows chance, no games.

The same entrants, seats, blocks and key give the same schedule on every machine and with any number of lanes.

A *block* is one deal, played once in each rotation of a seating order, so that each of its bots sits once in each seat.
It is the unit of everything here: bots are drawn, counted and compared by blocks.

*Line-ups.* As long as all of them fit, every possible line-up gets one block, in a drawn order (a cycle). The remaining
blocks, or all if there are more line-ups than blocks, are filled one by one: those who have played least must sit, and
of these whoever has met the bots already chosen least often is taken, ties by lot. So the blocks of any two bots differ
by at most one. Meetings are not bounded by a law, but even in practice: over 250 blocks of 4, each two of 8 bots share
53 or 54, each two of 16 bots 11 to 14.

*What is owed.* Where some entrants have played less than others, as those that have entered late, blocks are drawn
until each has had what it is owed: whoever lacks most sits, with those it has met least in these blocks, old and new.

*Seating orders.* Of up to 8 drawn attempts the one is kept whose neighbours (who sits directly before whom) have been
neighbours least often.

*Units.* Bots stay warm from match to match, and one that meets a deal again in the same process could know every card.
So blocks are gathered into chunks, and one rotation of a chunk is a unit: the job of one lane, and the life of the
processes in it. Of up to 16 bots consecutive blocks make a chunk; of more, those that share many bots.

*The audit* counts how often each bot plays, sits in each seat and meets each other bot.
"""

import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count, islice
from math import comb
from operator import add, itemgetter

from msgspec import Struct

from arena.chance import Chance

FEWEST_SEATS = 2
_ATTEMPTS = 8
_CANDIDATES = 64
"""How many of those waiting are weighed against each other: among so many, one who has met nobody is easily found."""
_REPEAT_COST = sys.maxsize
"""What it costs to take a bot twice."""
CHUNK_BLOCKS = 64
"""The most blocks in a chunk: to start and end all its bots costs as much as some matches."""
LOOKED_AT_BLOCKS = 8
"""The most blocks in a chunk where results are looked at during play: only finished blocks count."""
SHORT_CHUNK = 8
"""No chunk is cut smaller than this for the sake of more units, where there are blocks enough."""
CHUNK_BOTS = 16
"""The most bots in a chunk, since a lane keeps no more processes."""
_AHEAD = 128
"""Blocks that are weighed for a chunk of some of the bots: not more, so that nobody plays much sooner than others."""
FEWEST_UNITS = 16
"""Chunks are small enough for this many units, so that many lanes have work."""
FEWEST_CHUNKS = 4
"""Schedules of a few blocks are cut into about this many chunks."""


class Block(Struct, frozen=True):
    """One deal: the entrants in the seats of rotation 0."""

    epoch: int
    number: int
    """Counted from 0 in each epoch."""
    seating: tuple[str, ...]


class Fixture(Struct, frozen=True):
    """A match of the schedule: one rotation of a block."""

    block: Block
    rotation: int

    @property
    def id(self) -> str:
        """``e<epoch>b<block>r<rotation>``."""
        return f"e{self.block.epoch}b{self.block.number}r{self.rotation}"

    @property
    def bots(self) -> tuple[str, ...]:
        """The entrant in each seat."""
        return line_up(self.block, self.rotation)


class Unit(Struct, frozen=True, kw_only=True):
    """One rotation of a chunk: the job of one lane, and the life of the processes in it."""

    number: int
    chunk: int
    """The number of its chunk: units of the same chunk play the same deals."""
    rotation: int
    blocks: tuple[Block, ...]
    """Those of the chunk that have this rotation."""


def most_seats(blocks: Iterable[Block]) -> int:
    """The largest number of bots in one of these blocks; 1 if there are none."""
    return max((len(block.seating) for block in blocks), default=1)


def line_up(block: Block, rotation: int) -> tuple[str, ...]:
    """The entrant in each seat of one rotation: seat ``r`` of rotation 0 becomes seat 0 of rotation ``r``."""
    return block.seating[rotation:] + block.seating[:rotation]


def blocks_for(matches: int, *, seats: int) -> int:
    """How many whole blocks hold at least this many matches."""
    return -(-matches // seats)


def draw_blocks(
    entrants: Sequence[str],
    *,
    seats: int,
    key: bytes,
    blocks: int = 0,
    owed: Mapping[str, int] | None = None,
    epoch: int = 0,
    first: int = 0,
    together: Sequence[str] = (),
) -> Iterator[Block]:
    """The schedule of one epoch, drawn block by block. The order in which entrants are listed makes no difference.

    Args:
        entrants: distinct names, at least as many as ``seats``.
        seats: how many bots sit in a match.
        key: of the chance that decides whatever is left open.
        blocks: how many deals are played, each ``seats`` times.
        owed: in place of ``blocks``, how many each entrant lacks, 0 if it is not named: the fewest blocks found in
            which each sits at least as often as it is owed.
        epoch: goes into the ids of the matches.
        first: the number of the first block, when other blocks of this epoch stand before these.
        together: entrants that sit in every block; the seats that they leave are shared evenly by the others.

    Raises:
        ValueError: there are too few entrants for the seats, two of the same name, too many are to sit together, or
            one is owed and not there.
    """
    check_distinct(entrants)
    if not FEWEST_SEATS <= seats <= len(entrants):
        raise ValueError(f"expected {FEWEST_SEATS} to {len(entrants)} seats for {len(entrants)} entrants, got {seats}")
    chance = Chance(key)
    if owed is not None:
        if strange := owed.keys() - set(entrants):
            raise ValueError(f"expected blocks to be owed to entrants, got {min(strange)!r}")
        names = sorted(entrants)
        drawn = owing([owed.get(name, 0) for name in names], seats, chance)
        return _seated(names, drawn, chance, epoch=epoch, first=first)
    if len(set(together)) > seats or not set(together) <= set(entrants):
        raise ValueError(f"expected at most {seats} entrants to sit together, got {', '.join(together)}")
    # bots that sit in every block get the last numbers: the others have the same numbers as without them
    names = [*sorted(set(entrants) - set(together)), *sorted(set(together))]
    always = list(range(len(names) - len(set(together)), len(names)))
    drawn = line_ups(bots=len(names) - len(always), seats=seats - len(always), blocks=blocks, chance=chance)
    return _seated(names, ([*bots, *always] for bots in drawn), chance, epoch=epoch, first=first)


def _seated(
    names: Sequence[str], drawn: Iterable[list[int]], chance: Chance, *, epoch: int, first: int
) -> Iterator[Block]:
    orders = SeatingOrders(len(names))
    for number, bots in zip(count(first), drawn):
        yield Block(epoch=epoch, number=number, seating=tuple([names[bot] for bot in orders.seat(bots, chance)]))


def check_distinct(entrants: Sequence[str]) -> None:
    """Raise ValueError if two entrants have the same name."""
    if len(set(entrants)) != len(entrants):
        twice = next(name for name, times in Counter(entrants).items() if times > 1)
        raise ValueError(f"expected distinct entrants, got {twice!r} twice")


def line_ups(*, bots: int, seats: int, blocks: int, chance: Chance) -> Iterator[list[int]]:
    """The bots of each block, by their place in the canonical order."""
    if not seats:
        yield from ([] for _ in range(blocks))
        return
    cycles, rest = divmod(blocks, comb(bots, seats))
    every = list(combinations(range(bots), seats)) if cycles else []
    for _ in range(cycles):
        chance.shuffle(every)
        yield from map(list, every)
    yield from _balanced(bots, seats, rest, chance)


def _balanced(bots: int, seats: int, blocks: int, chance: Chance) -> Iterator[list[int]]:
    """Line-ups by which nobody ever plays two blocks more than another, and pairs meet about equally often."""
    met = _no_counts(bots)
    waiting: list[int] = []
    for _ in range(blocks):
        again: list[int] = []
        if len(waiting) >= seats:
            table = [waiting.pop(0)]
        else:
            # those left of this round sit in any case; then the next round begins, in which they wait again
            table = waiting
            again = table.copy()
            waiting = [bot for bot in range(bots) if bot not in again]
            chance.shuffle(waiting)
        pool = waiting[:_CANDIDATES]
        # an itemgetter gives a tuple only for two places or more
        of_pool = itemgetter(*pool, pool[0]) if pool else tuple
        costs = list(of_pool(met[table[0]])) if table else [0] * len(pool)
        for member in table[1:]:
            costs = list(map(add, costs, of_pool(met[member])))
        del costs[len(pool) :]
        while len(table) < seats:
            cheapest = costs.index(min(costs))
            bot = pool[cheapest]
            table.append(bot)
            waiting.remove(bot)
            if len(table) < seats:
                costs[cheapest] = _REPEAT_COST
                costs = list(map(add, costs, of_pool(met[bot])))
        waiting += again
        for member in table:
            row = met[member]
            for other in table:
                # nothing reads how often a bot has met itself
                row[other] += 1
        yield table


def owing(lacking: list[int], seats: int, chance: Chance) -> Iterator[list[int]]:
    """Line-ups until no bot lacks one: each has a bot that lacks most, and bots that have met few of the table.

    Whoever is new so meets everyone about as often as in a whole schedule, and not the other new ones alone.
    """
    met = _no_counts(len(lacking))
    waiting = list(range(len(lacking)))
    chance.shuffle(waiting)
    while (most := max(lacking)) > 0:
        table = [next(bot for bot in waiting if lacking[bot] == most)]
        while len(table) < seats:
            pool = [bot for bot in waiting[: _CANDIDATES + seats] if bot not in table]
            costs = [(sum(met[member][bot] for member in table), -lacking[bot]) for bot in pool]
            table.append(pool[costs.index(min(costs))])
        for member in table:
            for other in table:
                met[member][other] += 1
        for bot in table:
            lacking[bot] -= 1
            waiting.remove(bot)
        waiting += table
        yield table


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
            last, *rest = bots
            order = [last]
            cost = 0
            while len(rest) > 1:
                row = before[last]
                counts = [row[bot] for bot in rest]
                fewest = min(counts)
                cost += fewest
                if cost >= lowest:
                    break
                last = rest.pop(counts.index(fewest))
                order.append(last)
            else:
                order += rest
                if rest:
                    cost += before[last][rest[0]]
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


def chunks(
    blocks: Iterable[Block], most: int = CHUNK_BLOCKS, *, of: int | None = None, seats: int | None = None
) -> Iterator[tuple[Block, ...]]:
    """Cut blocks into chunks, one after the other; depends on nothing but the blocks.

    A chunk has as many blocks as leave ``FEWEST_UNITS`` units, but at least ``SHORT_CHUNK``, or a ``FEWEST_CHUNKS``th
    of few blocks, and at most ``most``. It has at most ``CHUNK_BOTS`` bots, but always a block: once there are more
    bots, each chunk has the first block that is left, and of the next ``_AHEAD`` those that bring fewest new bots.

    Args:
        blocks: of an epoch or a round.
        most: blocks of a chunk at most.
        of: how many blocks there are, and ``seats``, how many sit in one at most; told for blocks that are not all
            drawn yet.
        seats: see ``of``.
    """
    if of is None or seats is None:
        blocks = list(blocks)
        of, seats = len(blocks), most_seats(blocks)
    even = -(-of // -(-FEWEST_UNITS // seats))
    size = min(most, max(even, min(SHORT_CHUNK, -(-of // FEWEST_CHUNKS))))
    source = iter(blocks)
    queue: list[Block] = []
    sitting: list[int] = []
    """The bots of each block that is left, a bit for each."""
    bits: dict[str, int] = {}
    while True:
        for block in islice(source, _AHEAD - len(queue)):
            queue.append(block)
            sitting.append(sum([bits.setdefault(name, 1 << len(bits)) for name in block.seating]))
        if not queue:
            return
        # as long as all bots so far fit into a chunk, blocks keep their order
        yield tuple(_alike(queue, sitting, size) if len(bits) > CHUNK_BOTS else _first(queue, sitting, size))


def _first(queue: list[Block], sitting: list[int], size: int) -> list[Block]:
    head = queue[:size]
    del queue[:size], sitting[:size]
    return head


def _alike(queue: list[Block], sitting: list[int], size: int) -> Iterator[Block]:
    """Take out the first block and those that bring fewest new bots, up to so many blocks and ``CHUNK_BOTS``."""
    outside, room, index = -1, CHUNK_BOTS, 0
    for _ in range(min(size, len(queue))):
        room -= (sitting[index] & outside).bit_count()
        outside &= ~sitting.pop(index)
        yield queue.pop(index)
        brought = list(map(int.bit_count, map(outside.__and__, sitting)))
        fewest = min(brought, default=0)
        if fewest > room:
            return
        index = brought.index(fewest) if brought else 0


def cut_units(blocks: Iterable[Block], most: int = CHUNK_BLOCKS, **sizes: int) -> Iterator[Unit]:
    """The units of these blocks; arguments as for ``chunks``."""
    return units_of(chunks(blocks, most, **sizes))


def units_of(parts: Iterable[tuple[Block, ...]], *, unit: int = 0, chunk: int = 0) -> Iterator[Unit]:
    """The jobs of lanes for these chunks, one after the other, in each rotation by rotation.

    ``unit`` and ``chunk`` are the numbers of the first ones.
    """
    for blocks in parts:
        for rotation in range(most_seats(blocks)):
            turned = blocks if rotation == 0 else tuple([block for block in blocks if rotation < len(block.seating)])
            yield Unit(number=unit, chunk=chunk, rotation=rotation, blocks=turned)
            unit += 1
        chunk += 1


def shared(parts: Sequence[tuple[Block, ...]], *, number: int, of: int) -> list[tuple[Block, ...]]:
    """The chunks that one of several machines plays, in whole blocks: what another loses takes none of them along.

    Every ``of``-th chunk, from the ``number``-th on, from 1. Of fewer chunks than machines, each is shared by some.
    """
    if of <= len(parts):
        return list(parts[number - 1 :: of])
    if not parts:
        return []
    sharing, chunk = divmod(number - 1, len(parts))
    share = parts[chunk][sharing :: len(range(chunk, of, len(parts)))]
    return [share] if share else []


def remaining_matches(unit: Unit, recorded: Container[str] = ()) -> list[Fixture]:
    """The matches of a unit that are not recorded, in the order of play: block by block."""
    fixtures = [Fixture(block, unit.rotation) for block in unit.blocks]
    return [fixture for fixture in fixtures if fixture.id not in recorded]


MATRIX_BOTS = 32
"""Up to this many bots an audit tells how often each met each."""


class Audit(Struct, frozen=True):
    """What a schedule promises, counted afterwards. Everything is in matches unless it says otherwise."""

    blocks: int
    matches: int
    fewest: int
    """Matches of the bot that plays least."""
    most: int
    bots: dict[str, int]
    """Matches of each bot."""
    seats: dict[str, tuple[int, ...]]
    """How often each bot sits in each seat."""
    fewest_meetings: int
    """Matches of the pair that meets least; 0 if there is no pair."""
    most_meetings: int
    fewest_neighbours: int
    """How often the rarest ordered pair sits one directly before the other, around the table; 0 if there is no pair."""
    most_neighbours: int
    repeated_line_ups: int
    """Blocks whose bots, in any order, have made up an earlier block."""
    meetings: dict[str, dict[str, int]] | None = None
    """How often each bot meets each; None for more than ``MATRIX_BOTS`` bots."""


def audit(blocks: Iterable[Block], entrants: Iterable[str] = ()) -> Audit:
    """Count what the schedule gives to each bot. ``entrants`` may also name bots that do not play at all."""
    number: dict[str, int] = {}
    played: list[dict[int, int]] = []
    """Of each bot its blocks, by how many sit in them."""
    met: list[dict[int, int]] = []
    """Of each bot its matches with each that was numbered before it."""
    neighbours: list[dict[int, int]] = []
    tables: set[tuple[int, ...]] = set()
    count = matches = most_seats = 0
    for name in entrants:
        number.setdefault(name, len(number))
    for block in blocks:
        rotations = len(block.seating)
        count += 1
        matches += rotations
        most_seats = max(most_seats, rotations)
        sat = [number.setdefault(name, len(number)) for name in block.seating]
        while len(met) < len(number):
            played.append({})
            met.append({})
            neighbours.append({})
        last = sat[-1]
        for bot in sat:
            of_bot = neighbours[last]
            of_bot[bot] = of_bot.get(bot, 0) + rotations
            of_bot = played[bot]
            of_bot[rotations] = of_bot.get(rotations, 0) + 1
            last = bot
        sat.sort()
        for lower, other in combinations(sat, 2):
            of_bot = met[other]
            of_bot[lower] = of_bot.get(lower, 0) + rotations
        tables.add(tuple(sat))
    names = sorted(number)
    places = [number[name] for name in names]
    played += [{} for _ in range(len(number) - len(played))]
    met += [{} for _ in range(len(number) - len(met))]
    seats = {
        name: tuple([sum(times for size, times in played[index].items() if seat < size) for seat in range(most_seats)])
        for name, index in zip(names, places, strict=True)
    }
    plays = {name: sum(counts) for name, counts in seats.items()}
    meetings = None
    if len(names) <= MATRIX_BOTS:
        meetings = {
            a: {b: met[max(number[a], number[b])].get(min(number[a], number[b]), 0) for b in names if b != a}
            for a in names
        }
    pairs = comb(len(names), 2)
    all_met = [times for of_bot in met for times in of_bot.values()]
    beside = [times for of_bot in neighbours for times in of_bot.values()]
    return Audit(
        blocks=count,
        matches=matches,
        fewest=min(plays.values(), default=0),
        most=max(plays.values(), default=0),
        bots=plays,
        seats=seats,
        fewest_meetings=_fewest(all_met, pairs),
        most_meetings=max(all_met, default=0),
        fewest_neighbours=_fewest(beside, 2 * pairs),
        most_neighbours=max(beside, default=0),
        repeated_line_ups=count - len(tables),
        meetings=meetings,
    )


def _fewest(counts: Sequence[int], kinds: int) -> int:
    """The least of the counts of so many kinds, most of which may never have come up."""
    return min(counts, default=0) if len(counts) == kinds else 0
