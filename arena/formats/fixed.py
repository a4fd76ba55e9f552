"""Formats of one round: neither its line-ups nor its length depend on results, but for a play-off that is asked for."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import ClassVar

from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import (
    Answer,
    Count,
    LineUp,
    Onward,
    Play,
    Played,
    Positive,
    Result,
    Round,
    Terms,
    derived,
    places_of,
)
from arena.formats.play_off import Level, find_level, group_level, play_off
from arena.formats.schedule import draw_blocks
from arena.formats.skills import Seating, in_order, result_of, standing
from arena.ratings import Looks
from arena.words import plural


class Balanced(Struct, frozen=True, kw_only=True):
    """All bots play about equally often, with each other about equally often: what is played if no format is named."""

    fixed: ClassVar[bool] = True
    tells: ClassVar[str] = "all, alike sure"
    measured: ClassVar[dict[int, tuple[Answer, ...]]] = {
        2: (
            Answer(bots=4, best=0.94, order=0.98),
            Answer(bots=8, best=0.97, order=0.96),
            Answer(bots=16, best=0.80, order=0.96),
        ),
        4: (
            Answer(bots=8, best=1.00, order=0.99),
            Answer(bots=16, best=0.95, order=0.99),
            Answer(bots=32, best=1.00, order=0.99),
        ),
    }

    def play(self, terms: Terms) -> Play:
        """One round."""
        blocks = draw_blocks(terms.entrants, seats=terms.seats, blocks=terms.blocks, key=terms.key)
        played = yield Round(title="all blocks", line_ups=tuple([block.seating for block in blocks]))
        return result_of(terms.entrants, played)

    def size(self, terms: Terms) -> int:
        """How many blocks it has, however they end."""
        return terms.blocks

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:
        """20 blocks a bot."""
        return ceil(20 * bots / seats)


class Gauntlet(Struct, frozen=True, kw_only=True):
    """Challengers, which are the entrants named first, against a field: a block has one of them, or all."""

    fixed: ClassVar[bool] = True
    claims: ClassVar[Looks] = "pairs"
    tells: ClassVar[str] = "the first bot"

    challengers: Positive = 1
    """How many."""
    together: bool = False
    """Whether all of them sit in each block, so that they are held against each other; else one by turns."""

    def play(self, terms: Terms) -> Play:
        """One round.

        Raises:
            ValueError: there are more challengers than there is room for.
        """
        most = terms.seats if self.together else len(terms.entrants)
        if self.challengers > most:
            raise ValueError(f"gauntlet: expected 1 to {most} challengers, got {self.challengers}")
        challengers = terms.entrants[: self.challengers]
        if self.together:
            blocks = draw_blocks(
                terms.entrants, seats=terms.seats, blocks=terms.blocks, key=terms.key, together=challengers
            )
            line_ups = tuple([block.seating for block in blocks])
        else:
            line_ups = tuple(_by_turns(terms, challengers))
        played = yield Round(title="gauntlet", line_ups=line_ups)
        return result_of(terms.entrants, played)

    def size(self, terms: Terms) -> int:
        """How many blocks it has, however they end."""
        return terms.blocks

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:  # noqa: ARG004 - as of all formats
        """40 blocks of the challenger."""
        return 40


def _by_turns(terms: Terms, challengers: Sequence[str]) -> Iterator[LineUp]:
    """Bots of the field: first those that met this challenger least, then that played least, then at random."""
    chance = Chance(terms.key)
    seating = Seating(terms.entrants, chance)
    field = sorted(set(terms.entrants).difference(challengers))
    met: Counter[tuple[str, str]] = Counter()
    sat: Counter[str] = Counter()
    for number in range(terms.blocks):
        now = challengers[number % len(challengers)]
        chance.shuffle(field)
        pool = sorted(field, key=lambda bot: (met[now, bot], sat[bot]))
        # where the field is too small, other challengers fill the seats
        pool += [bot for bot in challengers if bot != now]
        others = pool[: terms.seats - 1]
        sat.update(others)
        met.update((now, bot) for bot in others)
        yield seating.seat((now, *others))


class Groups(Struct, frozen=True, kw_only=True):
    """Groups drawn from pots, each a balanced tournament of its own; the first of each advance."""

    claims: ClassVar[Looks] = "pairs"
    ends: ClassVar[bool] = True
    tells: ClassVar[str] = "who advances"
    tables: ClassVar[int] = 4
    """One group alone is a balanced run."""

    groups: Count = 0
    """0: as many as make groups of about twice the seats."""
    through: Positive = 2
    """How many of each group advance."""
    play_off: Count = 0
    """Blocks in which bots of a group play once more that are level where only some of them advance."""

    @property
    def fixed(self) -> bool:
        """Whether no result decides who plays next, or how long."""
        return not self.play_off

    def play(self, terms: Terms) -> Play:
        """One round with all blocks of all groups, since none depends on another.

        Raises:
            ValueError: a group would be too small for a table, or for those that advance.
        """
        groups = self._count_groups(len(terms.entrants), terms.seats)
        smallest = len(terms.entrants) // groups
        if smallest < max(terms.seats, self.through):
            got = f"{plural(groups, 'group')} of {smallest} or more, {self.through} to advance, for {terms.seats} seats"
            raise ValueError(f"groups: expected groups that fill a table and hold those that advance, got {got}")
        members = drawn(terms.entrants, groups, Chance(terms.key))
        line_ups: list[LineUp] = []
        owners: list[int] = []
        for number, group in enumerate(members):
            blocks = max(terms.blocks * len(group) // len(terms.entrants), 1)
            key = derived(terms.key, f"group {number}")
            line_ups += [block.seating for block in draw_blocks(group, seats=terms.seats, blocks=blocks, key=key)]
            owners += [number] * blocks
        played = yield Round(title=plural(groups, "group"), line_ups=tuple(line_ups))
        of_group: list[list[Played]] = [[] for _ in members]
        for owner, block in zip(owners, played, strict=True):
            of_group[owner].append(block)
        standings = [standing(group, blocks) for group, blocks in zip(members, of_group, strict=True)]
        ties = {
            number: Level(bots=level, table=in_order(ranked))
            for number, ranked in enumerate(standings)
            if (level := find_level(ranked, self.through))
        }
        again = yield from play_off(
            list(ties.values()),
            seats=terms.seats,
            blocks=self.play_off,
            seating=Seating(terms.entrants, Chance(derived(terms.key, "play-off"))),
            title="play-off",
        )
        after = dict(zip(ties, again, strict=True))
        onward = []
        for number, ranked in enumerate(standings):
            if number in ties:
                place = ranked.index(list(ties[number].bots))
                ranked[place : place + 1] = group_level(after[number])
            onward += [
                Onward(
                    stage=plural(groups, "group"),
                    bot=bot,
                    why=_why(ranked, bot, group=number + 1, through=self.through, again=after.get(number, {})),
                )
                for bot in in_order(ranked)[: self.through]
            ]
        # bots of different groups never met: those with the same place in their groups share a place
        of_place: defaultdict[int, list[str]] = defaultdict(list)
        for ranked in standings:
            for finish in places_of(ranked):
                of_place[finish.place].append(finish.bot)
        shared = [sorted(of_place[place], key=terms.entrants.index) for place in sorted(of_place)]
        tables = list(map(in_order, standings))
        through = [
            bot
            for index in range(self.through)
            for bot in sorted([table[index] for table in tables], key=terms.entrants.index)
        ]
        return Result(
            places=places_of(shared),
            through=tuple(through),
            notes=tuple(
                f"Group {number}, by rating: {', '.join(' = '.join(level) for level in ranked)}."
                for number, ranked in enumerate(standings, 1)
            ),
            onward=tuple(onward),
        )

    def fitting(self, bots: int, *, seats: int, onward: int) -> int:
        """The fewest groups from which so many advance; 0: none are."""
        able = range(1, bots // max(seats, self.through, 1) + 1)
        return next((groups for groups in able if groups * self.through >= onward), 0)

    def onward(self, bots: int, seats: int) -> int:
        """How many of ``bots`` advance."""
        return self.through * self._count_groups(bots, seats)

    def size(self, terms: Terms) -> int | None:
        """How many blocks it has, however they end; None if play-offs may follow."""
        if self.play_off:
            return None
        bots, groups = len(terms.entrants), self._count_groups(len(terms.entrants), terms.seats)
        members = [bots // groups + (group < bots % groups) for group in range(groups)]
        return sum(max(terms.blocks * member // bots, 1) for member in members)

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:
        """10 blocks a bot."""
        return ceil(10 * bots / seats)

    def _count_groups(self, bots: int, seats: int) -> int:
        return self.groups or max(bots // (2 * seats), 1)


def _why(ranked: Sequence[Sequence[str]], bot: str, *, group: int, through: int, again: Mapping[str, float]) -> str:
    """Why a bot of a group advances, from its bots by rating and those that are level together."""
    equal = next(part for part in ranked if bot in part)
    place = 1 + len(in_order(ranked[: ranked.index(equal)]))
    why = f"place {place} of group {group} by rating"
    rival = next((other for other in in_order(ranked)[through:] if other in again), None)
    if bot not in again or rival is None:
        return why
    if again[bot] > again[rival]:
        return f"{why}, level with {rival}, ahead in the play-off ({again[bot]:.3f} to {again[rival]:.3f})"
    return f"{why}, level with {rival}, and seeded before it"


def drawn(entrants: Sequence[str], groups: int, chance: Chance) -> list[list[str]]:
    """The groups: entrants fill pots by seed, and each group gets a random bot of each pot; the last may be short."""
    drawn_groups: list[list[str]] = [[] for _ in range(groups)]
    for start in range(0, len(entrants), groups):
        pot = list(entrants[start : start + groups])
        order = list(range(groups))
        chance.shuffle(order)
        for group, bot in zip(order, pot, strict=False):
            drawn_groups[group].append(bot)
    return drawn_groups
