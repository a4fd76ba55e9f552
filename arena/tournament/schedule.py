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

import hmac
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import overload

from msgspec import Struct

from arena.chance import Chance
from arena.identity import Identity
from arena.record import match_key as match_key  # noqa: PLC0414 - other modules import it from here
from arena.tournament.gathering import gathered
from arena.tournament.line_ups import SeatingOrders, line_ups, owing

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
"""Blocks that are weighed for a chunk, where there are more bots than it may have."""
FEWEST_UNITS = 16
"""Chunks are small enough for this many units, so that many lanes have work."""
FEWEST_CHUNKS = 4
"""Schedules of a few blocks are cut into about this many chunks."""

_AT_ONCE = 64
"""Blocks that are drawn in one go."""


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


class _BlockSequence(Sequence[Block], ABC):
    """Blocks that are found by their place; equal to any sequence of the same blocks."""

    @abstractmethod
    def _at(self, at: int) -> Block: ...

    @overload
    def __getitem__(self, at: int) -> Block: ...
    @overload
    def __getitem__(self, at: slice) -> list[Block]: ...
    def __getitem__(self, at: int | slice) -> Block | list[Block]:
        found = range(len(self))[at]
        return [self._at(each) for each in found] if isinstance(found, range) else self._at(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Block.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # equal to a list of the same blocks, which has none


class Blocks(_BlockSequence):
    """Several sequences of blocks joined into one; blocks of lazy sequences are drawn when they are read."""

    def __init__(self, parts: Iterable[Sequence[Block]]) -> None:
        self._parts = list(parts)
        self._ends = list(accumulate(map(len, self._parts)))

    def parts(self) -> Iterator[Sequence[Block]]:
        """The parts, and the parts of parts that are joined sequences themselves."""
        for part in self._parts:
            yield from part.parts() if isinstance(part, Blocks) else [part]

    def drawn(self) -> Iterator["LazyBlocks"]:
        """The lazy sequences among the parts."""
        return (part for part in self.parts() if isinstance(part, LazyBlocks))

    @property
    def seats(self) -> int:
        """The largest number of bots in a block."""
        return max((most_seats(part) for part in self._parts), default=1)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Block]:
        for part in self._parts:
            yield from part

    def _at(self, at: int) -> Block:
        part = bisect_right(self._ends, at)
        return self._parts[part][at - self._ends[part] + len(self._parts[part])]


class LazyBlocks(_BlockSequence):
    """The blocks of one schedule with one number of seats, drawn when they are read.

    Two bytes a seat are held of those that are drawn.
    """

    def __init__(
        self,
        names: Sequence[str],
        seats: int,
        seatings: Iterable[Sequence[int]],
        *,
        count: int,
        epoch: int,
        first: int,
        identity: bytes,
    ) -> None:
        """``seatings``: the place among the ``names`` of who sits in each seat, for ``count`` blocks."""
        self.identity = identity
        """What schedules of the same blocks have in common, and no others."""
        self.seats = seats
        self._names = names
        self._seatings = iter(seatings)
        self._count = count
        self._epoch = epoch
        self._first = first
        self._places = array("H" if len(names) <= 1 << 16 else "L")

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Block]:
        for start in range(0, self._count, _AT_ONCE):
            yield from self._between(start, min(start + _AT_ONCE, self._count))

    def _at(self, at: int) -> Block:
        (block,) = self._between(at, at + 1)
        return block

    @property
    def whole(self) -> bool:
        """Whether all blocks are drawn."""
        return len(self._places) == self._count * self.seats

    @property
    def size(self) -> int:
        """How many bytes ``take`` expects."""
        return self._count * self.seats * self._places.itemsize

    def places(self) -> bytes:
        """All that is drawn so far, as bytes for ``take``."""
        return self._places.tobytes()

    def take(self, places: bytes) -> None:
        """Take over blocks that a schedule of the same ``identity`` drew; bytes of another length are ignored."""
        if len(places) == self.size:
            taken = array(self._places.typecode)
            taken.frombytes(places)
            self._places = taken

    def _between(self, start: int, end: int) -> Iterator[Block]:
        """The blocks from one place up to another, drawn as far as they are not yet."""
        seats = self.seats
        while end * seats > len(self._places):
            for places in islice(self._seatings, _AT_ONCE):
                self._places.extend(places)
        seated = map(self._names.__getitem__, self._places[start * seats : end * seats])
        for number, seating in enumerate(zip(*[seated] * seats, strict=True), self._first + start):
            yield Block(epoch=self._epoch, number=number, seating=seating)


def most_seats(blocks: Sequence[Block]) -> int:
    """The largest number of bots in one of these blocks; 1 if there are none. Lazy blocks are not drawn for it."""
    if isinstance(blocks, LazyBlocks | Blocks):
        return blocks.seats if len(blocks) else 1
    return max((len(block.seating) for block in blocks), default=1)


def line_up(block: Block, rotation: int) -> tuple[str, ...]:
    """The entrant in each seat of one rotation: seat ``r`` of rotation 0 becomes seat 0 of rotation ``r``."""
    return block.seating[rotation:] + block.seating[:rotation]


def blocks_for(matches: int, *, seats: int) -> int:
    """How many whole blocks hold at least this many matches."""
    return -(-matches // seats)


def pad(entrants: Sequence[str], seats: int) -> list[str]:
    """The entrants, and as many copies after them as are needed to fill the seats: ``greedy#2``, ``greedy#3``, ...

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
) -> LazyBlocks:
    """The schedule of one epoch. The order in which entrants are listed makes no difference.

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
    # bots that sit in every block get the last numbers: the others have the same numbers as without them
    names = [*sorted(set(entrants) - set(together)), *sorted(set(together))]
    always = list(range(len(names) - len(set(together)), len(names)))
    lot = Chance(key)
    orders = SeatingOrders(len(names))
    drawn = line_ups(bots=len(names) - len(always), seats=seats - len(always), blocks=blocks, chance=lot)
    seatings = (orders.seat([*bots, *always], lot) for bots in drawn)
    identity = _identity(key, names, len(always), seats, blocks, epoch, first)
    return LazyBlocks(names, seats, seatings, count=blocks, epoch=epoch, first=first, identity=identity)


def draw_owed(
    entrants: Sequence[str], seats: int, owed: Mapping[str, int], key: bytes, *, epoch: int = 0, first: int = 0
) -> LazyBlocks:
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
    lot = Chance(key)
    orders = SeatingOrders(len(names))
    drawn = owing([owed.get(name, 0) for name in names], seats, lot)
    # how many there are is known once all are drawn
    seatings = [orders.seat(bots, lot) for bots in drawn]
    identity = _identity(key, names, sorted(owed.items()), seats, epoch, first)
    return LazyBlocks(names, seats, seatings, count=len(seatings), epoch=epoch, first=first, identity=identity)


def chunks(blocks: Sequence[Block], most: int = CHUNK_BLOCKS) -> Iterator[tuple[Block, ...]]:
    """Cut blocks into chunks, one after the other; depends on nothing but the blocks.

    A chunk has as many blocks as leave ``FEWEST_UNITS`` units, but at least ``SHORT_CHUNK``, or a ``FEWEST_CHUNKS``th
    of few blocks, and at most ``most``. It has at most ``CHUNK_BOTS`` bots, but always a block: of more bots, blocks
    that share many go together.
    """
    rotations = most_seats(blocks)
    even = -(-len(blocks) // -(-FEWEST_UNITS // rotations))
    size = min(most, max(even, min(SHORT_CHUNK, -(-len(blocks) // FEWEST_CHUNKS))))
    return gathered(blocks, size, ahead=_AHEAD, bots=CHUNK_BOTS)


def units(blocks: Sequence[Block], most: int = CHUNK_BLOCKS, *, unit: int = 0, chunk: int = 0) -> Iterator[Unit]:
    """The jobs of lanes for these blocks, chunk by chunk, in each rotation by rotation.

    Args:
        blocks: of an epoch or a round.
        most: blocks of a chunk at most.
        unit: the number of the first unit.
        chunk: the number of the first chunk.
    """
    for held in chunks(blocks, most):
        yield from units_of(held, unit=unit, chunk=chunk)
        unit, chunk = unit + most_seats(held), chunk + 1


def units_of(held: tuple[Block, ...], *, unit: int, chunk: int) -> Iterator[Unit]:
    """The units of a chunk with this number, the first of which has the number ``unit``."""
    for rotation in range(most_seats(held)):
        turned = held if rotation == 0 else tuple([block for block in held if rotation < len(block.seating)])
        yield Unit(number=unit + rotation, chunk=chunk, rotation=rotation, blocks=turned)


def remaining(unit: Unit, recorded: Container[str] = ()) -> list[Fixture]:
    """The matches of a unit that are not recorded, in the order of play: block by block."""
    fixtures = [Fixture(block, unit.rotation) for block in unit.blocks]
    return [fixture for fixture in fixtures if fixture.id not in recorded]


def _identity(key: bytes, *drawn: object) -> bytes:
    """A name for a drawn schedule; it does not reveal the key."""
    return hmac.digest(key, b"arena drawn schedule 1\0" + repr(drawn).encode(), "sha256")


def _distinct(entrants: Sequence[str]) -> None:
    if len(set(entrants)) != len(entrants):
        twice = next(name for name, count in Counter(entrants).items() if count > 1)
        raise ValueError(f"expected distinct entrants, got {twice!r} twice")
