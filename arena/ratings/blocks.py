"""Matches counted by outcome and by block, the statistical unit: eight bytes a match, so there may be millions.

Matches of a block share a deal, so they are not independent; whole blocks are. Knows names and ranks; knows no records,
games or files, and of a block only its name.
"""

from array import array
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from arena.chance import Chance
from arena.ratings.outcomes import Outcome
from arena.ratings.table import outcome_of

_KEY = b"arena groups of blocks"


class BlockOutcomes(Struct):
    """The outcomes of matches, and the block of each. A block with a missing or void match is a smaller block."""

    outcomes: dict[Outcome, int] = field(default_factory=dict)
    """Every outcome, by the order in which they were first seen."""
    names: dict[str, int] = field(default_factory=dict)
    """Every block likewise."""
    seen: "array[int]" = field(default_factory=lambda: array("L"))
    """The outcome of each match."""
    owners: "array[int]" = field(default_factory=lambda: array("L"))
    """The block of each match."""

    def add(self, block: str, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Count a match: the bot in each seat and the rank of each seat, 0 best.

        Raises:
            ValueError: the match is malformed, see ``arena.ratings.table.outcome_of``.
        """
        outcome = outcome_of(bots, ranks)
        self.seen.append(self.outcomes.setdefault(outcome, len(self.outcomes)))
        self.owners.append(self.names.setdefault(block, len(self.names)))

    def counts(self) -> dict[Outcome, int]:
        """How often each outcome was seen, in the order of ``outcomes``."""
        times = [0] * len(self.outcomes)
        for number in self.seen:
            times[number] += 1
        return dict(zip(self.outcomes, times, strict=True))

    def matches(self) -> Iterator[tuple[int, Outcome]]:
        """The block and the outcome of each match."""
        outcomes = list(self.outcomes)
        return zip(self.owners, map(outcomes.__getitem__, self.seen), strict=True)

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
        found: dict[int, BlockOutcomes] = {}
        sizes = {sum(map(len, outcome)) for outcome in self.outcomes}
        if len(sizes) == 1:
            return {sizes.pop(): self}
        names = list(self.names)
        for owner, outcome in self.matches():
            seats = sum(map(len, outcome))
            part = found.setdefault(seats, BlockOutcomes())
            part.seen.append(part.outcomes.setdefault(outcome, len(part.outcomes)))
            part.owners.append(part.names.setdefault(names[owner], len(part.names)))
        return dict(sorted(found.items()))
