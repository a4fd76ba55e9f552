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
"""

import re
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, pairwise, permutations
from math import comb
from typing import TypeVar

from msgspec import Struct

from arena.chance import Chance
from arena.identity import Identity

T = TypeVar("T")

FEWEST_SEATS = 2
CHUNK_BLOCKS = 64
"""The most blocks in a chunk: to start and end all its bots costs as much as some matches."""
LOOKED_AT_BLOCKS = 8
"""The most blocks in a chunk of what is looked at while it is played: only blocks that are over count."""
SHORT_CHUNK = 8
"""No chunk is cut smaller than this for the sake of more units, where there are blocks enough."""
CHUNK_BOTS = 16
"""The most bots in a chunk, since a lane keeps no more processes."""
_AHEAD = 128
"""Blocks that are weighed for a chunk, where there are more bots than it may have."""
FEWEST_UNITS = 16
"""Chunks are small enough for so many units, so that many lanes have work."""
FEWEST_CHUNKS = 4
"""Schedules of a few blocks are cut into about this many chunks."""
MATRIX_BOTS = 32
"""Up to this many bots an audit tells how often each met each."""

_ATTEMPTS = 8
_CANDIDATES = 64
"""How many of those waiting are weighed against each other: among so many, one who has met nobody is easily found."""
_ID = re.compile(r"e(0|[1-9][0-9]*)b(0|[1-9][0-9]*)r(0|[1-9][0-9]*)")


class Block(Struct, frozen=True):
    """One deal: the entrants in the seats of rotation 0."""

    epoch: int
    number: int
    """Counted from 0 in each epoch."""
    seating: tuple[str, ...]


class Fixture(Struct, frozen=True):
    """A match that is to be played: one rotation of a block."""

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


def match_key(match: str) -> tuple[int, int, int]:
    """Epoch, block and rotation of a match id: sorting by it is the canonical order of matches.

    Raises:
        ValueError: this is no match id.
    """
    found = _ID.fullmatch(match)
    if found is None:
        raise ValueError(f"expected a match id such as e0b17r3, got {match!r}")
    epoch, block, rotation = found.groups()
    return int(epoch), int(block), int(rotation)


def line_up(block: Block, rotation: int) -> tuple[str, ...]:
    """The entrant in each seat of one rotation: who has seat ``r`` in rotation 0 has seat 0 in rotation ``r``."""
    return block.seating[rotation:] + block.seating[:rotation]


def blocks_for(matches: int, *, seats: int) -> int:
    """How many whole blocks hold at least this many matches."""
    return -(-matches // seats)


def pad(entrants: Sequence[str], seats: int) -> list[str]:
    """The entrants with as many copies behind them as it takes to fill the seats: ``greedy#2``, ``greedy#3``, ...

    Copies are taken from the bots in turn; a name that is taken already is passed over.

    Raises:
        ValueError: there are no entrants, or two of the same name.
    """
    _distinct(entrants)
    if not entrants:
        raise ValueError("expected at least one entrant, got none")
    padded = list(entrants)
    originals = list(dict.fromkeys(Identity.of(name).bot for name in entrants))
    copies = dict.fromkeys(originals, 1)
    while len(padded) < seats:
        original = originals[(len(padded) - len(entrants)) % len(originals)]
        name = original
        while name in padded:
            copies[original] += 1
            name = str(Identity(original, copy=copies[original]))
        padded.append(name)
    return padded


def draw(
    entrants: Sequence[str],
    *,
    seats: int,
    blocks: int,
    key: bytes,
    epoch: int = 0,
    first: int = 0,
    together: Sequence[str] = (),
) -> list[Block]:
    """The schedule of one epoch. In which order the entrants are listed makes no difference.

    Args:
        entrants: distinct names, at least as many as ``seats``.
        seats: how many bots sit in a match.
        blocks: how many deals are played, each ``seats`` times.
        key: of the chance that decides whatever is left open.
        epoch: goes into the ids of the matches.
        first: the number of the first block, when other blocks of this epoch stand before these.
        together: entrants that sit in every block; the seats that they leave are shared evenly by the others.

    Raises:
        ValueError: there are too few entrants for the seats, two of the same name, or too many are to sit together.
    """
    _distinct(entrants)
    if not FEWEST_SEATS <= seats <= len(entrants):
        raise ValueError(f"expected {FEWEST_SEATS} to {len(entrants)} seats for {len(entrants)} entrants, got {seats}")
    if len(set(together)) > seats or not set(together) <= set(entrants):
        raise ValueError(f"expected at most {seats} entrants to sit together, got {', '.join(together)}")
    # those that sit in every block have the last numbers, so that the others have those of a schedule of their own
    names = [*sorted(set(entrants) - set(together)), *sorted(set(together))]
    always = list(range(len(names) - len(set(together)), len(names)))
    chance = Chance(key)
    before: dict[tuple[int, int], int] = {}
    return [
        Block(
            epoch=epoch, number=number, seating=tuple([names[bot] for bot in seated([*bots, *always], before, chance)])
        )
        for number, bots in enumerate(_line_ups(len(names) - len(always), seats - len(always), blocks, chance), first)
    ]


def draw_owed(
    entrants: Sequence[str], seats: int, owed: Mapping[str, int], key: bytes, *, epoch: int = 0, first: int = 0
) -> list[Block]:
    """The fewest blocks found in which each entrant sits at least as often as it is owed; the rest is as in ``draw``.

    Args:
        entrants: distinct names: all that may sit, those that are owed nothing too.
        seats: how many bots sit in a match.
        owed: how many blocks each entrant lacks; who is not named lacks none.
        key: of the chance that decides whatever is left open.
        epoch: goes into the ids of the matches.
        first: the number of the first block, when other blocks of this epoch stand before these.

    Raises:
        ValueError: there are too few entrants for the seats, two of the same name, or one is owed and not there.
    """
    _distinct(entrants)
    if not FEWEST_SEATS <= seats <= len(entrants):
        raise ValueError(f"expected {FEWEST_SEATS} to {len(entrants)} seats for {len(entrants)} entrants, got {seats}")
    if strange := owed.keys() - set(entrants):
        raise ValueError(f"expected blocks to be owed to entrants, got {min(strange)!r}")
    names = sorted(entrants)
    chance = Chance(key)
    before: dict[tuple[int, int], int] = {}
    line_ups = _owing([owed.get(name, 0) for name in names], seats, chance)
    return [
        Block(epoch=epoch, number=number, seating=tuple([names[bot] for bot in seated(bots, before, chance)]))
        for number, bots in enumerate(line_ups, first)
    ]


def chunks(blocks: Sequence[Block], most: int = CHUNK_BLOCKS) -> list[tuple[Block, ...]]:
    """Cut blocks into chunks; depends on nothing but the blocks.

    A chunk has as many blocks as leave ``FEWEST_UNITS`` units, but at least ``SHORT_CHUNK``, or a ``FEWEST_CHUNKS``th
    of few blocks, and at most ``most``. It has at most ``CHUNK_BOTS`` bots, but always a block: of more bots, blocks
    that share many go together.
    """
    rotations = max((len(block.seating) for block in blocks), default=1)
    even = -(-len(blocks) // -(-FEWEST_UNITS // rotations))
    size = min(most, max(even, min(SHORT_CHUNK, -(-len(blocks) // FEWEST_CHUNKS))))
    return list(_gathered(blocks, size))


def _gathered(blocks: Iterable[Block], size: int) -> Iterator[tuple[Block, ...]]:
    """Chunks of at most ``size`` blocks: each from the first block that is left, with those that bring fewest new bots.

    Only the next ``_AHEAD`` blocks are weighed, so that nobody plays much sooner than others.
    """
    source = iter(blocks)
    bit: dict[str, int] = {}
    ahead: list[Block] = []
    seated_in: list[int] = []
    """For each block ahead, its bots as bits."""
    while True:
        for block in islice(source, _AHEAD - len(ahead)):
            ahead.append(block)
            seated_in.append(sum([bit.setdefault(name, 1 << len(bit)) for name in block.seating]))
        if not ahead:
            return
        held, bots = [ahead.pop(0)], seated_in.pop(0)
        while ahead and len(held) < size:
            new = [(others & ~bots).bit_count() for others in seated_in]
            # where all bots are few, blocks stay in their order
            fewest = new[0] if len(bit) <= CHUNK_BOTS else min(new)
            if bots.bit_count() + fewest > CHUNK_BOTS:
                break
            at = new.index(fewest)
            held.append(ahead.pop(at))
            bots |= seated_in.pop(at)
        yield tuple(held)


def units(blocks: Sequence[Block], most: int = CHUNK_BLOCKS, *, unit: int = 0, chunk: int = 0) -> list[Unit]:
    """The jobs of lanes for these blocks, chunk by chunk, in each rotation by rotation.

    Args:
        blocks: of an epoch or a round.
        most: blocks of a chunk at most.
        unit: the number of the first unit.
        chunk: the number of the first chunk.
    """
    rotated = [
        (number, rotation, tuple([block for block in held if rotation < len(block.seating)]))
        for number, held in enumerate(chunks(blocks, most), chunk)
        for rotation in range(max(len(block.seating) for block in held))
    ]
    return [
        Unit(number=number, chunk=held, rotation=rotation, blocks=turned)
        for number, (held, rotation, turned) in enumerate(rotated, unit)
    ]


def remaining(unit: Unit, recorded: Container[str] = ()) -> list[Fixture]:
    """The matches of a unit that are not recorded, in the order of play: block by block."""
    fixtures = [Fixture(block, unit.rotation) for block in unit.blocks]
    return [fixture for fixture in fixtures if fixture.id not in recorded]


def audit(blocks: Sequence[Block], entrants: Iterable[str] = ()) -> Audit:
    """Count what a schedule gives to whom. ``entrants`` names also those who may not play at all."""
    names = sorted({bot for block in blocks for bot in block.seating}.union(entrants))
    seats = {name: [0] * max((len(block.seating) for block in blocks), default=0) for name in names}
    met: Counter[tuple[str, str]] = Counter()
    neighbours: Counter[tuple[str, str]] = Counter()
    line_ups: Counter[frozenset[str]] = Counter()
    for block in blocks:
        rotations = len(block.seating)
        for rotation in range(rotations):
            for seat, bot in enumerate(line_up(block, rotation)):
                seats[bot][seat] += 1
        for pair in combinations(sorted(block.seating), 2):
            met[pair] += rotations
        for pair in _neighbours(block.seating):
            neighbours[pair] += rotations
        line_ups[frozenset(block.seating)] += 1
    plays = {name: sum(seats[name]) for name in names}
    pairs = comb(len(names), 2)
    meetings = None
    if len(names) <= MATRIX_BOTS:
        meetings = {a: {b: met[min(a, b), max(a, b)] for b in names if b != a} for a in names}
    return Audit(
        blocks=len(blocks),
        matches=sum(len(block.seating) for block in blocks),
        fewest=min(plays.values(), default=0),
        most=max(plays.values(), default=0),
        bots=plays,
        seats={name: tuple(counts) for name, counts in seats.items()},
        fewest_meetings=_fewest(met, pairs),
        most_meetings=max(met.values(), default=0),
        fewest_neighbours=_fewest(neighbours, 2 * pairs),
        most_neighbours=max(neighbours.values(), default=0),
        repeated_line_ups=len(blocks) - len(line_ups),
        meetings=meetings,
    )


def _distinct(entrants: Sequence[str]) -> None:
    if len(set(entrants)) != len(entrants):
        twice = next(name for name, count in Counter(entrants).items() if count > 1)
        raise ValueError(f"expected distinct entrants, got {twice!r} twice")


def _fewest(counts: Counter[tuple[str, str]], kinds: int) -> int:
    """The least of the counts of so many kinds, most of which may never have come up."""
    return min(counts.values(), default=0) if len(counts) == kinds else 0


def _neighbours(seating: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Who acts directly before whom, around the table."""
    return pairwise([*seating, seating[0]])


def _line_ups(bots: int, seats: int, blocks: int, chance: Chance) -> Iterator[list[int]]:
    """The bots of each block, by their place in the canonical order."""
    if not seats:
        yield from ([] for _ in range(blocks))
        return
    kinds = comb(bots, seats)
    cycles = blocks // kinds
    if cycles:
        every = list(combinations(range(bots), seats))
        for _ in range(cycles):
            chance.shuffle(every)
            yield from map(list, every)
    yield from _balanced(bots, seats, blocks - cycles * kinds, chance)


def _balanced(bots: int, seats: int, blocks: int, chance: Chance) -> Iterator[list[int]]:
    """Line-ups by which nobody ever plays two blocks more than another, and pairs meet about equally often."""
    met: list[dict[int, int]] = [{} for _ in range(bots)]
    waiting: list[int] = []
    for _ in range(blocks):
        again: list[int] = []
        if len(waiting) >= seats:
            chosen = [waiting.pop(0)]
        else:
            # the last of this round sit in any case, then the next round begins, in which they wait again
            chosen = waiting
            again = chosen.copy()
            waiting = [bot for bot in range(bots) if bot not in again]
            chance.shuffle(waiting)
        pool = waiting[:_CANDIDATES]
        costs = [sum(met[one].get(bot, 0) for one in chosen) for bot in pool]
        while len(chosen) < seats:
            cheapest = costs.index(min(costs))
            bot = pool.pop(cheapest)
            del costs[cheapest]
            chosen.append(bot)
            waiting.remove(bot)
            costs = [cost + met[bot].get(other, 0) for cost, other in zip(costs, pool, strict=True)]
        waiting += again
        for one, other in permutations(chosen, 2):
            met[one][other] = met[one].get(other, 0) + 1
        yield chosen


def _owing(lacking: list[int], seats: int, chance: Chance) -> Iterator[list[int]]:
    """Line-ups until nobody lacks one: each around a bot that lacks most, with those that have met fewest of the table.

    Whoever is new so meets everyone about as often as in a whole schedule, and not the other new ones alone.
    """
    met: list[dict[int, int]] = [{} for _ in lacking]
    waiting = list(range(len(lacking)))
    chance.shuffle(waiting)
    while (most := max(lacking)) > 0:
        chosen = [next(bot for bot in waiting if lacking[bot] == most)]
        while len(chosen) < seats:
            pool = [bot for bot in waiting[: _CANDIDATES + seats] if bot not in chosen]
            costs = [(sum(met[one].get(bot, 0) for one in chosen), -lacking[bot]) for bot in pool]
            chosen.append(pool[costs.index(min(costs))])
        for one, other in permutations(chosen, 2):
            met[one][other] = met[one].get(other, 0) + 1
        for bot in chosen:
            lacking[bot] -= 1
            waiting.remove(bot)
        waiting += chosen
        yield chosen


def seated(bots: list[int], before: dict[tuple[int, int], int], chance: Chance) -> tuple[int, ...]:
    """A seating order with fresh neighbours; counts them in ``before``.

    An attempt starts from a drawn order, and seats next whoever has acted least often directly after the last seated.
    """
    best: tuple[int, ...] = ()
    lowest = sys.maxsize
    for _ in range(_ATTEMPTS):
        chance.shuffle(bots)
        left = bots.copy()
        order = [left.pop(0)]
        cost = 0
        while left:
            counts = [before.get((order[-1], bot), 0) for bot in left]
            fewest = min(counts)
            cost += fewest
            order.append(left.pop(counts.index(fewest)))
        cost += before.get((order[-1], order[0]), 0)
        if cost < lowest:
            best, lowest = tuple(order), cost
        if cost == 0:
            break
    for pair in _neighbours(best):
        before[pair] = before.get(pair, 0) + 1
    return best
