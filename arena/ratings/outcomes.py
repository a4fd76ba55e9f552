"""How matches ended, by shape and by block, the statistical unit: columns of numbers, so there may be millions.

Matches of a block share a deal, so they are not independent; whole blocks are. Knows names and ranks; knows no records,
games or files, and of a block only its number.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from msgspec import Struct
from msgspec.structs import replace

from arena.chance import Chance
from arena.numeric import Array, np

KEY = b"arena groups of blocks"
EPOCH = 40
"""The bits of a block's number that tell its place in the epoch; those above tell the epoch."""
FEWEST_NIGHTS = 10
"""From so many nights on it is known how much they differ."""
_EPOCHS, _DIGITS = 10**4, 10

Shape = tuple[int, ...]
"""The number of bots at each rank, best rank first."""
Outcome = tuple[tuple[str, ...], ...]
"""The bots of a match in groups of equal rank, best first, by name within a group."""


def block_number(*, epoch: int, block: int) -> int:
    """One number for a block of an epoch: sorting by it is the canonical order of blocks.

    Raises:
        ValueError: no run has so many epochs, or no epoch so many blocks.
    """
    if not (0 <= epoch < _EPOCHS and 0 <= block < 10**_DIGITS):
        raise ValueError(f"expected fewer than {_EPOCHS} epochs and {10**_DIGITS} blocks, got e{epoch}b{block}")
    return epoch << EPOCH | block


class Alike(Struct, frozen=True, eq=False):
    """The matches of one shape, a row each, in the order of their blocks."""

    shape: Shape
    bots: Array
    """By match the places of its bots among the names, best first, by name within a group of equal rank."""
    blocks: Array


class Different(Struct, frozen=True, eq=False, kw_only=True):
    """The different outcomes of one shape among the bots of one component, sorted by their bots."""

    shape: Shape
    bots: Array
    """By outcome the places of its bots among the names of the component, best first."""
    counts: Array
    """How often each was seen."""
    places: Array
    """For each match of this shape the place of its outcome here; -1: it is of another component."""


class Outcomes(Struct, frozen=True, eq=False):
    """How matches ended, and the block of each. A block with a missing or void match is a smaller block."""

    names: tuple[str, ...]
    """The bots that played, sorted."""
    shapes: tuple[Alike, ...]
    voids: tuple[tuple[str, ...], ...] = ()
    """The bots of each match that is void: it counts as lost before anything is called certain."""
    nights: bool = False
    """Whether epochs are nights of a league: from ``FEWEST_NIGHTS`` on a night is what a block is else."""

    def __len__(self) -> int:
        """The number of matches."""
        return sum(len(alike.blocks) for alike in self.shapes)

    def blocks(self) -> Array:
        """Every block, in canonical order."""
        # several times as fast as `np.unique`, which does not sort but hash
        every = np.sort(np.concatenate([np.zeros(0, np.int64), *[alike.blocks for alike in self.shapes]]))
        blocks: Array = every[np.diff(every, prepend=-1) != 0]
        return blocks

    def until(self, block: int) -> "Outcomes":
        """The matches of the blocks up to this one."""
        ends = [int(np.searchsorted(alike.blocks, block, side="right")) for alike in self.shapes]
        shapes = [
            Alike(alike.shape, bots=alike.bots[:end], blocks=alike.blocks[:end])
            for alike, end in zip(self.shapes, ends, strict=True)
            if end
        ]
        return replace(self, shapes=tuple(shapes))

    def of_seats(self) -> dict[int, "Outcomes"]:
        """The matches of each seat count."""
        return {
            seats: _drop_absentees(self.names, [alike for alike in self.shapes if sum(alike.shape) == seats])
            for seats in sorted({sum(alike.shape) for alike in self.shapes})
        }

    def groups(self, most: int) -> tuple[Array, Array]:
        """Every block in canonical order, and its group: one of its own or, of too many blocks, a random one.

        Groups of blocks are as equal in number as can be; neither bots nor the order of the matches have a say. Where
        nights count, each is a group.
        """
        blocks = self.blocks()
        if self.nights:
            epochs, night = np.unique(blocks >> EPOCH, return_inverse=True)
            if len(epochs) >= FEWEST_NIGHTS:
                return blocks, night
        order = _by_name(blocks)
        if len(order) > most:
            drawn = order.tolist()
            Chance(KEY).shuffle(drawn)
            order = np.array(drawn)
        group = np.empty(len(blocks), np.int64)
        group[order] = np.arange(len(blocks)) % most
        return blocks, group

    def blocks_in(self, groups: int) -> float:
        """About how many blocks there are in each of so many groups; a night counts as one."""
        if self.nights and groups == len(np.unique(self.blocks() >> EPOCH)):
            return 1.0
        return max(sum(len(alike.blocks) / sum(alike.shape) for alike in self.shapes) / groups, 1.0)

    def matches(self) -> Iterator[tuple[int, Outcome]]:
        """The block and the outcome of each match, shape by shape."""
        for alike in self.shapes:
            groups = list(pairwise(accumulate(alike.shape, initial=0)))
            for block, row in zip(alike.blocks.tolist(), alike.bots.tolist(), strict=True):
                bots = [self.names[bot] for bot in row]
                yield block, tuple([tuple(bots[start:end]) for start, end in groups])

    def components(self) -> list[list[int]]:
        """The bots that are connected by matches, by their places among the names; the first name's first."""
        chief = np.arange(len(self.names))
        while True:
            before = chief.copy()
            for alike in self.shapes:
                lowest = chief[alike.bots].min(axis=1)
                for column in alike.bots.T:
                    np.minimum.at(chief, column, lowest)
            chief = chief[chief]
            if (chief == before).all():
                return [np.flatnonzero(chief == root).tolist() for root in np.unique(chief)]

    def different(self, members: Sequence[int]) -> list[Different]:
        """The different outcomes among the bots of a component, by shape."""
        place = np.full(len(self.names), -1)
        place[members] = np.arange(len(members))
        rows = []
        for alike in self.shapes:
            bots = place[alike.bots]
            inside = bots[:, 0] >= 0
            bots = bots[inside]
            if len(bots):
                _, first, inverse, counts = np.unique(
                    _keys(bots, len(members)), return_index=True, return_inverse=True, return_counts=True
                )
                places = np.full(len(inside), -1, np.int32)
                places[inside] = inverse
                rows.append(Different(shape=alike.shape, bots=bots[first], counts=counts, places=places))
        return rows


def outcomes_of(matches: Iterable[tuple[int, Sequence[str], Sequence[int]]]) -> Outcomes:
    """These matches: the block of each, the bot in each seat and the rank of each seat, 0 best.

    The order of the seats and the size of gaps between ranks do not matter.

    Raises:
        ValueError: not as many ranks as bots, fewer than two bots, or a bot sits twice.
    """
    blocks: list[int] = []
    seated: list[Sequence[str]] = []
    ranked: list[Sequence[int]] = []
    for block, bots, ranks in matches:
        if len(bots) != len(ranks):
            raise ValueError(f"expected one rank for each of {len(bots)} bots, got {len(ranks)}")
        if len(bots) < 2:  # noqa: PLR2004 - nobody is better than nobody
            raise ValueError(f"expected at least 2 bots in a match, got {len(bots)}")
        if len(set(bots)) < len(bots):
            raise ValueError(f"expected each bot once in a match, got {', '.join(bots)}")
        blocks.append(block)
        seated.append(bots)
        ranked.append(ranks)
    names = sorted({bot for bots in seated for bot in bots})
    place = {name: index for index, name in enumerate(names)}
    width = max(map(len, seated), default=2)
    padding = [[-1] * (width - len(bots)) for bots in seated]
    rows = [[*map(place.__getitem__, bots), *rest] for bots, rest in zip(seated, padding, strict=True)]
    ranks_of = [[*ranks, *rest] for ranks, rest in zip(ranked, padding, strict=True)]
    table = [np.array(column, np.int64).reshape(-1, width) for column in (rows, ranks_of)]
    return from_columns(names, bots=table[0], ranks=table[1], blocks=np.array(blocks, np.int64))


def from_columns(names: Sequence[str], *, bots: Array, ranks: Array, blocks: Array) -> Outcomes:
    """The matches in these rows, a column a seat, -1 beyond the last seat; ``names`` are sorted."""
    order = np.argsort(blocks, kind="stable")
    pattern = np.zeros(len(order), np.int64)
    for column in ranks.T:
        if pattern.max(initial=0) * (column.max(initial=0) + 2) > np.iinfo(np.int64).max >> 1:
            _, pattern = np.unique(pattern, return_inverse=True)
        pattern = pattern * (column.max(initial=0) + 2) + column + 1
    by_shape: dict[Shape, list[Array]] = {}
    by_pattern = order[np.argsort(pattern[order], kind="stable")]
    for rows in np.split(by_pattern, np.flatnonzero(np.diff(pattern[by_pattern])) + 1) if len(order) else ():
        of_match = [rank for rank in ranks[rows[0]].tolist() if rank >= 0]
        seats = [[seat for seat, rank in enumerate(of_match) if rank == of_group] for of_group in sorted({*of_match})]
        parts = [np.sort(bots[rows][:, group], axis=1) for group in seats]
        by_shape.setdefault(tuple(map(len, seats)), []).append(np.column_stack([blocks[rows], *parts]))
    shapes = []
    for shape, tables in sorted(by_shape.items()):
        table = np.concatenate(tables)
        table = table[np.argsort(table[:, 0], kind="stable")]
        shapes.append(Alike(shape, bots=table[:, 1:].astype(np.int32), blocks=table[:, 0].copy()))
    return _drop_absentees(names, shapes)


def _drop_absentees(names: Sequence[str], shapes: Sequence[Alike]) -> Outcomes:
    """The matches of these shapes, without the names that did not play."""
    present = np.zeros(len(names), bool)
    for alike in shapes:
        present[alike.bots] = True
    place = np.cumsum(present) - 1
    return Outcomes(
        tuple([name for name, flag in zip(names, present.tolist(), strict=True) if flag]),
        tuple([Alike(alike.shape, bots=place[alike.bots].astype(np.int32), blocks=alike.blocks) for alike in shapes]),
    )


def _keys(rows: Array, size: int) -> Array:
    """A number for each row of numbers below ``size``: equal for equal rows, and sorted as these."""
    keys, most = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        if most * size > np.iinfo(np.int64).max:
            _, keys = np.unique(keys, return_inverse=True)
            most = len(rows)
        keys = keys * size + column
        most *= size
    return keys


def _by_name(blocks: Array) -> Array:
    """The places of these blocks in the order of their names, such as ``e0b17``, as text."""
    epochs, epoch = np.unique(blocks >> EPOCH, return_inverse=True)
    rank = np.empty(len(epochs), np.int64)
    rank[sorted(range(len(epochs)), key=lambda index: f"e{epochs[index]}b")] = np.arange(len(epochs))
    number = blocks & (1 << EPOCH) - 1
    tens = 10 ** np.arange(_DIGITS + 1)
    digits = np.maximum(np.searchsorted(tens, number, side="right"), 1)
    # texts are compared from the left, and one stands before those that go on
    return np.lexsort((digits, number * tens[_DIGITS - digits], rank[epoch]))
