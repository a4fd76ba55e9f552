"""Matches counted by shape and by block, the statistical unit: 20 bytes for a match of four, so there may be millions.

Matches of a block share a deal, so they are not independent; whole blocks are. Knows names and ranks; knows no records,
games or files, and of a block only its name.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise

from msgspec import Struct, field

from arena.chance import Chance

_KEY = b"arena groups of blocks"

Shape = tuple[int, ...]
"""The number of bots at each rank, best rank first."""
Outcome = tuple[tuple[str, ...], ...]
"""The bots of a match in groups of equal rank, best first, by name within a group."""


class Matches(Struct, frozen=True, kw_only=True):
    """The matches of one shape. Bots and blocks are the numbers that ``BlockOutcomes`` gives them."""

    seats: int
    bots: "array[int]" = field(default_factory=lambda: array("I"))
    """Match after match: its bots, best first, by name within a group of equal rank."""
    blocks: "array[int]" = field(default_factory=lambda: array("I"))
    """The block of each match."""

    def columns(self) -> list["array[int]"]:
        """By place from the best, the bot of each match."""
        return [self.bots[place :: self.seats] for place in range(self.seats)]

    def rows(self) -> Iterator[tuple[int, ...]]:
        """The bots of each match."""
        return zip(*self.columns(), strict=True)


class BlockOutcomes(Struct):
    """How matches ended, and the block of each. A block with a missing or void match is a smaller block."""

    bots: dict[str, int] = field(default_factory=dict)
    """The number of every bot, in the order in which they were first seen."""
    names: dict[str, int] = field(default_factory=dict)
    """The number of every block likewise."""
    shapes: dict[Shape, Matches] = field(default_factory=dict)

    def __len__(self) -> int:
        """The number of matches."""
        return sum(len(matches.blocks) for matches in self.shapes.values())

    def add(self, block: str, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Count a match: the bot in each seat and the rank of each seat, 0 best.

        The order of the seats and the size of gaps between ranks do not matter.

        Raises:
            ValueError: not as many ranks as bots, fewer than two bots, or a bot sits twice.
        """
        if len(bots) != len(ranks):
            raise ValueError(f"expected one rank for each of {len(bots)} bots, got {len(ranks)}")
        if len(bots) < 2:  # noqa: PLR2004 - nobody is better than nobody
            raise ValueError(f"expected at least 2 bots in a match, got {len(bots)}")
        if len(set(bots)) < len(bots):
            raise ValueError(f"expected each bot once in a match, got {', '.join(bots)}")
        shape, groups = _groups(tuple(ranks))
        matches = self.shapes.get(shape)
        if matches is None:
            matches = self.shapes[shape] = Matches(seats=len(bots))
        if len(shape) == len(bots):
            names = [bots[seat] for (seat,) in groups]
        else:
            names = [name for seats in groups for name in sorted([bots[seat] for seat in seats])]
        number = self.bots
        try:
            matches.bots.extend([number[name] for name in names])
        except KeyError:
            matches.bots.extend([number.setdefault(name, len(number)) for name in names])
        matches.blocks.append(self.names.setdefault(block, len(self.names)))

    def matches(self) -> Iterator[tuple[int, Outcome]]:
        """The block and the outcome of each match, shape by shape."""
        names = list(self.bots)
        for shape, matches in self.shapes.items():
            groups = list(pairwise(accumulate(shape, initial=0)))
            for block, row in zip(matches.blocks, matches.rows(), strict=True):
                bots = [names[bot] for bot in row]
                yield block, tuple([tuple(bots[start:end]) for start, end in groups])

    def take(self, other: "BlockOutcomes", blocks: Iterable[str]) -> None:
        """Count the matches of these blocks, none of which is here yet; bots have the same numbers there as here.

        They are counted in the order of the blocks and of the names, so that no other order changes a sum over them.
        """
        number = array("l", [-1]) * len(other.names)
        for block in blocks:
            number[other.names[block]] = self.names.setdefault(block, len(self.names))
        place = {other.bots[name]: at for at, name in enumerate(sorted(other.bots))}
        for shape, matches in other.shapes.items():
            found = [
                (number[block], [place[bot] for bot in row], row)
                for block, row in zip(matches.blocks, matches.rows(), strict=True)
                if number[block] >= 0
            ]
            found.sort()
            into = self.shapes.setdefault(shape, Matches(seats=matches.seats))
            into.bots.extend(chain.from_iterable(row for _, _, row in found))
            into.blocks.extend(block for block, _, _ in found)

    def groups(self, most: int) -> list[int]:
        """The group of each block, counted from 0: a group of its own or, if there are too many blocks, a random one.

        Groups of blocks are as equal in number as can be; neither bots nor the order of the matches have a say.
        """
        order = sorted(self.names)
        if len(order) > most:
            Chance(_KEY).shuffle(order)
        found = [0] * len(order)
        for at, name in enumerate(order):
            found[self.names[name]] = at % most
        return found

    def of_seats(self) -> dict[int, "BlockOutcomes"]:
        """The matches of each seat count."""
        names = list(self.names)
        found = {}
        for seats in sorted({matches.seats for matches in self.shapes.values()}):
            alike = {shape: matches for shape, matches in self.shapes.items() if matches.seats == seats}
            blocks = sorted(set(chain.from_iterable(matches.blocks for matches in alike.values())))
            part = found[seats] = BlockOutcomes(bots=self.bots)
            part.take(BlockOutcomes(bots=self.bots, names=self.names, shapes=alike), map(names.__getitem__, blocks))
        return found


@lru_cache(maxsize=4096)
def _groups(ranks: tuple[int, ...]) -> tuple[Shape, tuple[tuple[int, ...], ...]]:
    """The shape of a match, and the seats of each rank, best rank first."""
    groups = [tuple([seat for seat, other in enumerate(ranks) if other == rank]) for rank in sorted(set(ranks))]
    return tuple(map(len, groups)), tuple(groups)
