"""Matches counted by shape and by block, the statistical unit: 24 bytes for a match of four, so there may be millions.

Matches of a block share a deal, so they are not independent; whole blocks are. Knows names and ranks; knows no records,
games or files, and of a block only its number. Where the matches lie, in memory or beyond it, is for ``arena.spill``.
"""

from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any

from msgspec import Struct, field

from arena.chance import Chance
from arena.spill import Column, Spill

KEY = b"arena groups of blocks"
EPOCH = 40
"""The bits of a block's number that tell its place in the epoch; those above tell the epoch."""
_EPOCHS, _BLOCKS = 10**4, 10**10
_ROW = 40
"""Bytes of a match of eight."""
EVERY = 1 << 63
"""More than the number of any block."""

Shape = tuple[int, ...]
"""The number of bots at each rank, best rank first."""
Outcome = tuple[tuple[str, ...], ...]
"""The bots of a match in groups of equal rank, best first, by name within a group."""


def block_number(*, epoch: int, block: int) -> int:
    """One number for a block of an epoch: sorting by it is the canonical order of blocks.

    Raises:
        ValueError: no run has so many epochs, or no epoch so many blocks.
    """
    if not (0 <= epoch < _EPOCHS and 0 <= block < _BLOCKS):
        raise ValueError(f"expected fewer than {_EPOCHS} epochs and {_BLOCKS} blocks, got e{epoch}b{block}")
    return epoch << EPOCH | block


def block_name(block: int) -> str:
    """The part that the ids of its matches share."""
    return f"e{block >> EPOCH}b{block & (1 << EPOCH) - 1}"


class Matches(Struct, frozen=True, kw_only=True):
    """The matches of one shape."""

    seats: int
    bots: Column
    """Match after match: the numbers of its bots, best first, by name within a group of equal rank."""
    blocks: Column
    """The block of each match."""
    spans: list[tuple[int, int]] = field(default_factory=list)
    """The first and the last block of each piece that is stored."""

    def store(self) -> None:
        """Store the last matches.

        Raises:
            OSError: as ``arena.spill.Spill.store``.
        """
        if self.blocks.last:
            span = min(self.blocks.last), max(self.blocks.last)
            if self.bots.store() and self.blocks.store():
                self.spans.append(span)

    def pieces(self, *, first: int = 0, end: int = EVERY) -> Iterator[tuple["array[int]", "array[int]"]]:
        """The bots and the blocks of matches by pieces; those without a block from ``first`` to ``end`` are left out.

        Raises:
            OSError: as ``arena.spill.Column.piece``.
        """
        for at, (lowest, highest) in enumerate(self.spans):
            if first <= highest and lowest < end:
                yield self.bots.piece(at), self.blocks.piece(at)
        if self.blocks.last:
            yield self.bots.last, self.blocks.last

    def rows(self, *, first: int = 0, end: int = EVERY) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The block and the bots of each match of the ``pieces``."""
        for bots, blocks in self.pieces(first=first, end=end):
            yield from zip(blocks, zip(*[iter(bots)] * self.seats, strict=True), strict=True)


class BlockOutcomes(Struct):
    """How matches ended, and the block of each. A block with a missing or void match is a smaller block."""

    bots: dict[str, int] = field(default_factory=dict)
    """The number of every bot, in the order in which they were first seen."""
    shapes: dict[Shape, Matches] = field(default_factory=dict)
    spill: Spill = field(default_factory=Spill)
    """Where the matches lie, and what a fit needs."""
    _pending: int = 0
    """Matches that are not stored."""
    _most: int = 0
    """So many are stored together."""

    def __post_init__(self) -> None:
        """Ask how many."""
        self._most = self.spill.pending(_ROW)

    def __len__(self) -> int:
        """The number of matches."""
        return sum(len(matches.blocks) for matches in self.shapes.values())

    def add(self, block: int, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Count a match: the bot in each seat and the rank of each seat, 0 best.

        The order of the seats and the size of gaps between ranks do not matter.

        Raises:
            ValueError: not as many ranks as bots, fewer than two bots, or a bot sits twice.
            OSError: as ``Matches.store``.
        """
        if len(bots) != len(ranks):
            raise ValueError(f"expected one rank for each of {len(bots)} bots, got {len(ranks)}")
        if len(bots) < 2:  # noqa: PLR2004 - nobody is better than nobody
            raise ValueError(f"expected at least 2 bots in a match, got {len(bots)}")
        if len(set(bots)) < len(bots):
            raise ValueError(f"expected each bot once in a match, got {', '.join(bots)}")
        shape, groups, in_order = _groups(tuple(ranks))
        matches = self.shapes.get(shape) or self._begun(shape)
        names = in_order(bots)
        if len(shape) < len(bots):
            names = [name for seats in groups for name in sorted([bots[seat] for seat in seats])]
        number = self.bots
        try:
            matches.bots.last.extend(list(map(number.__getitem__, names)))
        except KeyError:
            matches.bots.last.extend([number.setdefault(name, len(number)) for name in names])
        matches.blocks.last.append(block)
        self._pending += 1
        if self._pending >= self._most:
            self._store()

    def _begun(self, shape: Shape) -> Matches:
        bots, blocks = Column("I", self.spill), Column("Q", self.spill)
        return self.shapes.setdefault(shape, Matches(seats=sum(shape), bots=bots, blocks=blocks))

    def _store(self) -> None:
        self._pending = 0
        for matches in self.shapes.values():
            matches.store()

    def take(self, other: "BlockOutcomes", *, first: int, end: int) -> None:
        """Count the matches of the blocks from ``first`` to ``end``, of which none is here yet.

        Bots have the same numbers there as here. The matches are counted in the order of the blocks and of the names,
        so that no other order changes a sum over them.

        Raises:
            OSError: as ``Matches.store``.
        """
        place = {other.bots[name]: at for at, name in enumerate(sorted(other.bots))}
        for shape, matches in other.shapes.items():
            found = [
                (block, [place[bot] for bot in row], row)
                for block, row in matches.rows(first=first, end=end)
                if first <= block < end
            ]
            found.sort()
            into = self.shapes.get(shape) or self._begun(shape)
            into.bots.last.extend(chain.from_iterable(row for _, _, row in found))
            into.blocks.last.extend(block for block, _, _ in found)
            self._pending += len(found)
        if self._pending >= self._most:
            self._store()

    def groups(self, most: int) -> dict[int, int]:
        """The group of each block, counted from 0: a group of its own or, if there are too many blocks, a random one.

        Groups of blocks are as equal in number as can be; neither bots nor the order of the matches have a say.
        """
        order = sorted({block for matches in self.shapes.values() for block, _ in matches.rows()}, key=block_name)
        if len(order) > most:
            Chance(KEY).shuffle(order)
        return {block: at % most for at, block in enumerate(order)}

    def of_seats(self) -> dict[int, "BlockOutcomes"]:
        """The matches of each seat count, not to be added to."""
        seats = sorted({matches.seats for matches in self.shapes.values()})
        return {
            each: BlockOutcomes(
                bots=self.bots,
                shapes={shape: matches for shape, matches in self.shapes.items() if matches.seats == each},
                spill=self.spill,
            )
            for each in seats
        }

    def matches(self) -> Iterator[tuple[int, Outcome]]:
        """The block and the outcome of each match, shape by shape."""
        names = list(self.bots)
        for shape, matches in self.shapes.items():
            groups = list(pairwise(accumulate(shape, initial=0)))
            for block, row in matches.rows():
                bots = [names[bot] for bot in row]
                yield block, tuple([tuple(bots[start:end]) for start, end in groups])


@lru_cache(maxsize=4096)
def _groups(ranks: tuple[int, ...]) -> tuple[Shape, tuple[tuple[int, ...], ...], "itemgetter[Any]"]:
    """The shape of a match; the seats of each rank, best rank first; and what puts its bots in the order of these."""
    groups = [tuple([seat for seat, other in enumerate(ranks) if other == rank]) for rank in sorted(set(ranks))]
    return tuple(map(len, groups)), tuple(groups), itemgetter(*chain.from_iterable(groups))
