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

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice

from msgspec import Struct

from arena.chance import Chance
from arena.formats.line_ups import SeatingOrders, line_ups, owing

FEWEST_SEATS = 2
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


def draw(
    entrants: Sequence[str],
    *,
    seats: int,
    blocks: int,
    key: bytes,
    epoch: int = 0,
    first: int = 0,
    together: Sequence[str] = (),
) -> Iterator[Block]:
    """The schedule of one epoch, drawn block by block. The order in which entrants are listed makes no difference.

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
    _check(entrants, seats)
    if len(set(together)) > seats or not set(together) <= set(entrants):
        raise ValueError(f"expected at most {seats} entrants to sit together, got {', '.join(together)}")
    # bots that sit in every block get the last numbers: the others have the same numbers as without them
    names = [*sorted(set(entrants) - set(together)), *sorted(set(together))]
    always = list(range(len(names) - len(set(together)), len(names)))
    chance = Chance(key)
    drawn = line_ups(bots=len(names) - len(always), seats=seats - len(always), blocks=blocks, chance=chance)
    return _seated(names, ([*bots, *always] for bots in drawn), chance, epoch=epoch, first=first)


def draw_owed(
    entrants: Sequence[str], seats: int, owed: Mapping[str, int], key: bytes, *, epoch: int = 0, first: int = 0
) -> Iterator[Block]:
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
    _check(entrants, seats)
    if strange := owed.keys() - set(entrants):
        raise ValueError(f"expected blocks to be owed to entrants, got {min(strange)!r}")
    names = sorted(entrants)
    chance = Chance(key)
    return _seated(names, owing([owed.get(name, 0) for name in names], seats, chance), chance, epoch=epoch, first=first)


def _seated(
    names: Sequence[str], drawn: Iterable[list[int]], chance: Chance, *, epoch: int, first: int
) -> Iterator[Block]:
    orders = SeatingOrders(len(names))
    for number, bots in zip(count(first), drawn):
        yield Block(epoch=epoch, number=number, seating=tuple([names[bot] for bot in orders.seat(bots, chance)]))


def _check(entrants: Sequence[str], seats: int) -> None:
    check_distinct(entrants)
    if not FEWEST_SEATS <= seats <= len(entrants):
        raise ValueError(f"expected {FEWEST_SEATS} to {len(entrants)} seats for {len(entrants)} entrants, got {seats}")


def check_distinct(entrants: Sequence[str]) -> None:
    """Raise ValueError if two entrants have the same name."""
    if len(set(entrants)) != len(entrants):
        twice = next(name for name, times in Counter(entrants).items() if times > 1)
        raise ValueError(f"expected distinct entrants, got {twice!r} twice")


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
    left: list[Block] = []
    sitting: list[int] = []
    """The bots of each block that is left, a bit for each."""
    bits: dict[str, int] = {}
    while True:
        for block in islice(source, _AHEAD - len(left)):
            left.append(block)
            sitting.append(sum([bits.setdefault(name, 1 << len(bits)) for name in block.seating]))
        if not left:
            return
        # as long as all bots so far fit into a chunk, blocks keep their order
        yield tuple(_alike(left, sitting, size) if len(bits) > CHUNK_BOTS else _first(left, sitting, size))


def _first(left: list[Block], sitting: list[int], size: int) -> list[Block]:
    taken = left[:size]
    del left[:size], sitting[:size]
    return taken


def _alike(left: list[Block], sitting: list[int], size: int) -> Iterator[Block]:
    """Take out the first block and those that bring fewest new bots, up to so many blocks and ``CHUNK_BOTS``."""
    outside, room, chosen = -1, CHUNK_BOTS, 0
    for _ in range(min(size, len(left))):
        room -= (sitting[chosen] & outside).bit_count()
        outside &= ~sitting.pop(chosen)
        yield left.pop(chosen)
        brought = list(map(int.bit_count, map(outside.__and__, sitting)))
        fewest = min(brought, default=0)
        if fewest > room:
            return
        chosen = brought.index(fewest) if brought else 0


def units(
    blocks: Iterable[Block],
    most: int = CHUNK_BLOCKS,
    *,
    of: int | None = None,
    seats: int | None = None,
    unit: int = 0,
    chunk: int = 0,
) -> Iterator[Unit]:
    """The jobs of lanes for these blocks, chunk by chunk, in each rotation by rotation; arguments as for ``chunks``.

    ``unit`` and ``chunk`` are the numbers of the first ones.
    """
    for held in chunks(blocks, most, of=of, seats=seats):
        for rotation in range(most_seats(held)):
            turned = held if rotation == 0 else tuple([block for block in held if rotation < len(block.seating)])
            yield Unit(number=unit, chunk=chunk, rotation=rotation, blocks=turned)
            unit += 1
        chunk += 1


def remaining(unit: Unit, recorded: Container[str] = ()) -> list[Fixture]:
    """The matches of a unit that are not recorded, in the order of play: block by block."""
    fixtures = [Fixture(block, unit.rotation) for block in unit.blocks]
    return [fixture for fixture in fixtures if fixture.id not in recorded]
