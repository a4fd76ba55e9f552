"""Which blocks go together into a chunk: those that share many bots. Pure; knows who sits in a block and nothing else.

The next blocks are held as bits: for each bot one integer with a bit for each block that it sits in. How many bots each
block would bring into a chunk is held in binary digits, one integer a digit, so that one subtraction serves all blocks.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.tournament.schedule import Block

_SHIFTED = 64
"""After so many blocks that are gone the bits of the others move down."""


def gathered(blocks: "Iterable[Block]", size: int, *, ahead: int, bots: int) -> "Iterator[tuple[Block, ...]]":
    """Chunks of at most ``size`` blocks: each from the first block that is left, with those that bring fewest new bots.

    Args:
        blocks: in the order of the schedule.
        size: blocks of a chunk at most.
        ahead: only so many next blocks are weighed, so that nobody plays much sooner than others.
        bots: of a chunk at most, but always a block. Where no more were seen yet, blocks stay in their order.
    """
    source = iter(blocks)
    left = _Left()
    while True:
        left.add(islice(source, ahead - left.count))
        if not left.count:
            return
        yield tuple(left.first(size) if left.seen <= bots else left.alike(size, bots))


class _Left:
    """The next blocks. Bit ``n`` of each integer is that of block ``n``, counted from the first that is left."""

    def __init__(self) -> None:
        self._blocks: list[Block | None] = []
        """None: it is gone."""
        self._bits = 0
        """Which blocks are there."""
        self.count = 0
        self._of_bot: dict[str, int] = {}
        self._names: set[str] = set()
        self._digits = [0]
        """How many bots sit in each block: its binary digits, the lowest first."""

    @property
    def seen(self) -> int:
        """How many bots sit in the blocks so far, gone or not."""
        return len(self._names)

    def add(self, blocks: "Iterable[Block]") -> None:
        """Put further blocks behind the others."""
        of_bot = self._of_bot
        first = bit = 1 << len(self._blocks)
        of_seats: dict[int, int] = {}
        for block in blocks:
            self._blocks.append(block)
            seats = len(block.seating)
            of_seats[seats] = of_seats.get(seats, 0) | bit
            for name in block.seating:
                before = of_bot.get(name, 0)
                if not before:
                    self._names.add(name)
                of_bot[name] = before | bit
            bit <<= 1
        self._bits |= bit - first
        self.count += (bit - first).bit_count()
        for seats, bits in of_seats.items():
            self._digits += [0] * (seats.bit_length() - len(self._digits))
            for at in range(seats.bit_length()):
                if seats >> at & 1:
                    self._digits[at] |= bits

    def first(self, size: int) -> "Iterator[Block]":
        """Take out the first blocks."""
        for _ in range(min(size, self.count)):
            yield self._take(self._bits & -self._bits)
        self._move_down()

    def alike(self, size: int, bots: int) -> "Iterator[Block]":
        """Take out the first block and those that bring fewest new bots, up to so many blocks and bots."""
        digits = self._digits.copy()
        inside: set[str] = set()
        found = self._bits & -self._bits
        held = 0
        while True:
            block = self._take(found)
            yield block
            held += 1
            for name in block.seating:
                if name not in inside:
                    inside.add(name)
                    borrowed = self._of_bot[name]
                    for at, digit in enumerate(digits):
                        digits[at] = digit ^ borrowed
                        borrowed &= ~digit
            if not self._bits or held == size:
                break
            found, fewest = self._bits, 0
            for at in range(len(digits) - 1, -1, -1):
                fewest <<= 1
                if lower := found & ~digits[at]:
                    found = lower
                else:
                    fewest |= 1
            found &= -found
            if len(inside) + fewest > bots:
                break
        self._move_down()

    def _take(self, bit: int) -> "Block":
        at = bit.bit_length() - 1
        block = self._blocks[at]
        assert block is not None  # noqa: S101 - its bit is set
        self._blocks[at] = None
        self._bits ^= bit
        self.count -= 1
        return block

    def _move_down(self) -> None:
        """Forget the blocks before the first that is left, once they are many."""
        gone = (self._bits & -self._bits).bit_length() - 1 if self._bits else len(self._blocks)
        if gone < _SHIFTED:
            return
        del self._blocks[:gone]
        self._bits >>= gone
        self._digits = [digit >> gone for digit in self._digits]
        self._of_bot = {name: bits >> gone for name, bits in self._of_bot.items() if bits >> gone}
