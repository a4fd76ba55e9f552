"""Groups drawn from pots, each a balanced tournament of its own; the first of each advance."""

from collections.abc import Sequence
from math import ceil
from typing import ClassVar

from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import LineUp, Play, Played, Result, Round, Terms, counted, derived, places_of
from arena.formats.schedule import draw
from arena.formats.skills import in_order, standing


class Groups(Struct, frozen=True, kw_only=True):
    """A group stage."""

    fixed: ClassVar[bool] = True
    ends: ClassVar[bool] = True
    tells: ClassVar[str] = "who advances"
    tables: ClassVar[int] = 4
    """One group alone is a balanced run."""

    groups: int = 0
    """0: as many as make groups of about twice the seats."""
    through: int = 2
    """How many of each group advance."""

    def play(self, terms: Terms) -> Play:
        """One round with all blocks of all groups, since none depends on another.

        Raises:
            ValueError: a group would be too small for a table, or for those that advance.
        """
        wanted = self._wanted(len(terms.entrants), terms.seats)
        smallest = len(terms.entrants) // wanted
        if smallest < max(terms.seats, self.through) or self.through < 1:
            got = f"{wanted} groups of {smallest} or more, of which {self.through} advance, for {terms.seats} seats"
            raise ValueError(f"groups: expected groups that fill a table and hold those that advance, got {got}")
        members = drawn(terms.entrants, wanted, Chance(terms.key))
        line_ups: list[LineUp] = []
        owners: list[int] = []
        for number, group in enumerate(members):
            blocks = max(terms.blocks * len(group) // len(terms.entrants), 1)
            key = derived(terms.key, f"group {number}")
            line_ups += [block.seating for block in draw(group, seats=terms.seats, blocks=blocks, key=key)]
            owners += [number] * blocks
        played = yield Round(title=counted(wanted, "group"), line_ups=tuple(line_ups))
        of_group: list[list[Played]] = [[] for _ in members]
        for owner, block in zip(owners, played, strict=True):
            of_group[owner].append(block)
        tables = [in_order(standing(group, blocks)) for group, blocks in zip(members, of_group, strict=True)]
        seed = terms.entrants.index
        # bots of different groups never met: those with the same place in their groups share a place
        longest = max(map(len, tables))
        shared = [sorted([table[at] for table in tables if at < len(table)], key=seed) for at in range(longest)]
        return Result(
            places=places_of(shared),
            through=tuple([bot for each in shared[: self.through] for bot in each]),
            notes=tuple(f"Group {number}, by rating: {', '.join(table)}." for number, table in enumerate(tables, 1)),
        )

    def onward(self, bots: int, seats: int) -> int:
        """How many of ``bots`` advance."""
        return self.through * self._wanted(bots, seats)

    def size(self, terms: Terms) -> int:
        """How many blocks it has, however they end."""
        bots, wanted = len(terms.entrants), self._wanted(len(terms.entrants), terms.seats)
        members = [bots // wanted + (group < bots % wanted) for group in range(wanted)]
        return sum(max(terms.blocks * each // bots, 1) for each in members)

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:
        """10 blocks a bot."""
        return ceil(10 * bots / seats)

    def _wanted(self, bots: int, seats: int) -> int:
        return self.groups or max(bots // (2 * seats), 1)


def drawn(entrants: Sequence[str], groups: int, chance: Chance) -> list[list[str]]:
    """The groups: entrants fill pots by seed, and each group gets a random bot of each pot; the last may be short."""
    found: list[list[str]] = [[] for _ in range(groups)]
    for start in range(0, len(entrants), groups):
        pot = list(entrants[start : start + groups])
        order = list(range(groups))
        chance.shuffle(order)
        for group, bot in zip(order, pot, strict=False):
            found[group].append(bot)
    return found
