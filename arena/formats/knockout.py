"""Tables from which the better half advances, until one table is left; a bot is out after one loss, or after two.

A table plays a few blocks at a time until it is certain who advances, or until it has played its maximum. Then the
points of these blocks decide. Bots that are level where only some of them advance play off, if that is asked for; else
the seed decides who goes on, and the reader is told so. From the final nobody goes on: bots that are level share.

All tables of a stage play side by side. The remaining blocks are shared evenly among all later tables, so tables that
are decided early leave more blocks for the others.

With N seats the last table has N bots. The stages before it are as even as possible: the first stage brings the number
of bots to one at which all can sit. Bots without a seat there have a bye, the first seeds first. Tables are filled by
seed, there and back (1, 4, 5, 8 and 2, 3, 6, 7), again at every stage.
"""

from collections import Counter
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import combinations
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta, Struct

from arena.chance import Chance
from arena.formats.format import Answer, Count, Onward, Play, Played, Positive, Result, Round, Terms, places_of
from arena.formats.play_off import Level, find_level, group_level, play_off
from arena.formats.skills import Seating, in_order, points, put_first
from arena.ratings.pairwise import PairwiseTests
from arena.words import listed, plural


class Way(IntEnum):
    """What decided who advances from a table, the surest first."""

    TESTS = 0
    POINTS = 1
    PLAY_OFF = 2
    SEED = 3


class Tables(Struct, frozen=True):
    """Who sits at which table of a stage, and how many of each advance."""

    tables: tuple[tuple[str, ...], ...]
    onward: tuple[int, ...]


class StageResult(Struct, frozen=True):
    """How a stage ended, table by table."""

    qualifiers: list[tuple[str, ...]]
    """Those that advance."""
    orders: list[list[list[str]]]
    """All by their points, and by those of a play-off; those that are level together."""
    onward: list[Onward]
    blocks: int
    """How many were played, without those of play-offs."""
    decided_by: list[Way]
    """By table."""


class Knockout(Struct, frozen=True, kw_only=True):
    """Single or double elimination."""

    losses: Annotated[int, Meta(ge=1, le=2)] = 1
    """How many put a bot out: 1 or 2."""
    most: Positive = 24
    """Blocks of a table, at most; fewer if there are not enough blocks for every table."""
    batch: Positive = 4
    """How many of them are played before the next look."""
    play_off: Count = 0
    """Blocks in which bots play once more that are level where only some of them advance, or at the first place."""

    ends: ClassVar[bool] = True
    tells: ClassVar[str] = "a winner"
    tables: ClassVar[int] = 1
    measured: ClassVar[dict[int, tuple[Answer, ...]]] = {
        2: (
            Answer(bots=4, best=1.00, order=0.80, fewest=28.0, most=32.0),
            Answer(bots=8, best=0.91, order=0.69, fewest=36.2, most=40.8),
            Answer(bots=16, best=1.00, order=0.66, fewest=40.1, most=43.4),
        ),
        4: (
            Answer(bots=8, best=1.00, order=0.86, fewest=34.0, most=36.0),
            Answer(bots=16, best=1.00, order=0.77, fewest=40.1, most=42.0),
            Answer(bots=32, best=1.00, order=0.71, fewest=43.9, most=45.0),
        ),
    }

    def play(self, terms: Terms) -> Play:
        """Its stages, each of one or more rounds.

        Raises:
            ValueError: a batch is of more blocks than there are.
        """
        if self.batch > self.most:
            raise ValueError(f"knockout: expected a batch of at most {plural(self.most, 'block')}, got {self.batch}")
        seating = Seating(terms.entrants, Chance(terms.key))
        lost = dict.fromkeys(terms.entrants, 0)
        out: list[list[str]] = []
        decided_by: list[Way] = []
        onward: list[Onward] = []
        # claims of all tables stand on one page: together they are wrong in alpha
        alpha = terms.alpha / self._tables_left([0] * len(terms.entrants), terms.seats)
        terms = msgspec.structs.replace(terms, alpha=alpha)
        budget = terms.blocks
        stage = 0
        while len(alive := [bot for bot in terms.entrants if lost[bot] < self.losses]) > terms.seats:
            stage += 1
            drawn = self._stage(alive, lost, terms.seats)
            most = budget // self._tables_left([lost[bot] for bot in alive], terms.seats)
            byes = set(alive).difference(*drawn.tables)
            is_last = self.losses == 1 and sum(drawn.onward) + len(byes) <= terms.seats
            title = "semi-final" if is_last else f"stage {stage}"
            decided = yield from self._play_stage(terms, seating, drawn, title=title, most=most, byes=byes)
            budget -= decided.blocks
            decided_by += decided.decided_by
            onward += decided.onward
            beaten = [
                bot
                for table, on in zip(drawn.tables, decided.qualifiers, strict=True)
                for bot in table
                if bot not in on
            ]
            for bot in beaten:
                lost[bot] += 1
            # bots that go out together share a place
            if gone := [bot for bot in terms.entrants if bot in beaten and lost[bot] >= self.losses]:
                out.insert(0, gone)
        final = Tables((tuple(alive),), (1,))
        most = budget // self._tables_left([lost[bot] for bot in alive], terms.seats)
        decided = yield from self._play_stage(terms, seating, final, title="final", most=most)
        if lost[decided.qualifiers[0][0]] and not all(lost[bot] for bot in alive):
            # a bot with a loss has beaten one without: now both have lost
            most = budget - decided.blocks
            decided = yield from self._play_stage(terms, seating, final, title="final, once more", most=most)
        decided_by += decided.decided_by
        onward += decided.onward
        # nobody has to go on from the final: those who are level there share their places, and no seed decides
        places = places_of([*decided.orders[0], *out])
        first = decided.orders[0][0]
        if len(first) > 1:
            decided_by.pop()
            onward = [entry for entry in onward if entry not in decided.onward]
        return Result(
            places=places,
            through=tuple([place.bot for place in places]),
            notes=(_explain(decided_by, first),),
            onward=tuple(onward),
        )

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:  # noqa: ARG004 - as of all formats
        """The most of a table, for each bot."""
        return 24 * bots

    def _stage(self, alive: Sequence[str], lost: dict[str, int], seats: int) -> Tables:
        """The tables of a stage: of the unbeaten among themselves and of the others, where these fill one."""
        if self.losses == 1:
            return stage_of(alive, seats)
        over = len(alive) - seats
        pools = [[bot for bot in alive if lost[bot] == times] for times in range(self.losses)]
        line_ups: list[tuple[str, ...]] = []
        onward: list[int] = []
        for pool in pools:
            drawn = dealt(pool[len(pool) % seats :], len(pool) // seats)
            for table in drawn:
                # bots that lost before are out, but no more of them than the last table can spare
                beaten = len(table) - len(table) // 2
                if lost[table[0]]:
                    beaten = min(beaten, over)
                    over -= beaten
                if beaten:
                    line_ups.append(table)
                    onward.append(len(table) - beaten)
        if not line_ups:
            # neither side fills a table: bots that have lost sit with the last seeds of the others
            table = tuple(sorted(alive, key=lambda bot: (-lost[bot], -alive.index(bot)))[:seats])
            line_ups, onward = [table], [len(table) - min(len(table) - len(table) // 2, max(over, 1))]
        return Tables(tuple(line_ups), tuple(onward))

    def _tables_left(self, lost: Sequence[int], seats: int) -> int:
        """The greatest number of tables that are still to be played, whoever wins.

        Args:
            lost: of each bot that is not out how often it has lost.
            seats: at a table.
        """
        if len(lost) <= seats:
            # if a bot with a loss beats one without, they play once more
            return len(set(lost))
        names = {str(index): times for index, times in enumerate(sorted(lost))}
        stage = self._stage(tuple(names), names, seats)
        ways = {tuple(names.values())}
        for table, onward in zip(stage.tables, stage.onward, strict=True):
            ways = {after for way in ways for after in self._after(way, [names[bot] for bot in table], onward)}
        return len(stage.tables) + max(self._tables_left(way, seats) for way in ways)

    def _after(self, lost: Sequence[int], table: Sequence[int], onward: int) -> Iterator[tuple[int, ...]]:
        """How often each bot has lost after a table of these, for all ways in which it can end."""
        for beaten in set(combinations(table, len(table) - onward)):
            losses = Counter(lost) - Counter(beaten) + Counter(times + 1 for times in beaten)
            yield tuple(sorted([times for times in losses.elements() if times < self.losses]))

    def _play_stage(
        self, terms: Terms, seating: Seating, drawn: Tables, *, title: str, most: int, byes: Collection[str] = ()
    ) -> Generator[Round, tuple[Played, ...], StageResult]:
        """Play the tables of a stage side by side, a batch of blocks at a time, each until it is decided.

        A table has ``most`` blocks, but one at least.
        """
        terms.check_duels("knockout")
        duels = [PairwiseTests(table, alpha=terms.alpha) for table in drawn.tables]
        played: list[list[Played]] = [[] for _ in drawn.tables]
        orders_found: list[tuple[str, ...] | None] = [None for _ in drawn.tables]
        most = min(self.most, max(most, 1))
        for start in range(0, most, self.batch):
            undecided = [index for index, order in enumerate(orders_found) if order is None]
            if not undecided:
                break
            blocks = min(self.batch, most - start)
            owners = [index for index in undecided for _ in range(blocks)]
            outcomes = yield Round(
                title=f"{title}, blocks {start + 1} to {start + blocks}",
                line_ups=tuple([seating.seat(drawn.tables[owner]) for owner in owners]),
                byes=tuple(sorted(byes)),
                stage=title,
            )
            for position, block in zip(owners, outcomes, strict=True):
                played[position].append(block)
                duels[position].add(list(block.matches()), voids=block.voids())
            for position in undecided:
                orders_found[position] = duels[position].top(drawn.onward[position])
        shares = [
            points(sorted(table, key=terms.entrants.index), blocks)
            for table, blocks in zip(drawn.tables, played, strict=True)
        ]
        ties = {
            index: Level(bots=level, table=tuple(share))
            for index, share in enumerate(shares)
            if orders_found[index] is None and (level := find_level(group_level(share), drawn.onward[index]))
        }
        again = yield from play_off(
            list(ties.values()), seats=terms.seats, blocks=self.play_off, seating=seating, title=f"{title}, play-off"
        )
        after = dict(zip(ties, again, strict=True))
        ends = [
            _end_table(share, sure=orders_found[index], advance=drawn.onward[index], again=after.get(index, {}))
            for index, share in enumerate(shares)
        ]
        return StageResult(
            qualifiers=[end.qualifiers for end in ends],
            orders=[end.order for end in ends],
            onward=[Onward(stage=title, bot=bot, why=why) for end in ends for bot, why in end.reasons.items()],
            blocks=sum(map(len, played)),
            decided_by=[end.decided_by for end in ends],
        )


class TableEnd(Struct, frozen=True, kw_only=True):
    """How a table ended."""

    order: list[list[str]]
    """Its bots, best first; those that are level together."""
    qualifiers: tuple[str, ...]
    decided_by: Way
    reasons: dict[str, str]
    """Of each bot that advances why it does."""


def _end_table(
    share: Mapping[str, float], *, sure: tuple[str, ...] | None, advance: int, again: Mapping[str, float]
) -> TableEnd:
    """How a table ended by its points, by who is certainly ahead, and by the points ``again`` of a play-off."""
    if sure is not None:
        reasons = dict.fromkeys(sure, "certainly better than all that are out")
        return TableEnd(
            order=put_first(group_level(share), sure), qualifiers=sure, decided_by=Way.TESTS, reasons=reasons
        )
    order = group_level(share)
    if again:
        place = next(index for index, group in enumerate(order) if group[0] in again)
        order[place : place + 1] = group_level(again)
    qualifiers = in_order(order)[:advance]
    reasons = {}
    ways = {Way.POINTS}
    for bot in qualifiers:
        rival = next((other for other in in_order(order)[advance:] if other in again or bot not in again), None)
        if rival is None or share[bot] > share[rival]:
            than = "" if rival is None else f" than {rival} ({share[bot]:.3f} to {share[rival]:.3f})"
            reasons[bot] = f"more points{than}"
        elif again[bot] > again[rival]:
            ways.add(Way.PLAY_OFF)
            points_again = f"{again[bot]:.3f} to {again[rival]:.3f}"
            reasons[bot] = f"level with {rival} ({share[bot]:.3f}), ahead in the play-off ({points_again})"
        else:
            ways.add(Way.SEED)
            reasons[bot] = f"level with {rival} ({share[bot]:.3f}), and seeded before it"
    return TableEnd(order=order, qualifiers=qualifiers, decided_by=max(ways), reasons=reasons)


def _explain(decided_by: Sequence[Way], first: Sequence[str]) -> str:
    """What decided, in how many tables, and what that tells."""
    ways = Counter(decided_by)
    note, tables = "", plural(len(decided_by), "table")
    if decided_by:
        note = f"At {ways[Way.TESTS]} of {tables} each bot that advanced is certainly better than each that did not."
    if ways[Way.POINTS]:
        note += f" At {ways[Way.POINTS]} the points decided."
    if ways[Way.PLAY_OFF]:
        note += f" At {ways[Way.PLAY_OFF]} bots were level, and a play-off decided."
    if ways[Way.SEED]:
        note += f" At {ways[Way.SEED]} bots were level, and the seed decided who went on."
    if len(first) > 1:
        note += f" {listed(first)} are level in the final: they share the first place."
    return f"{note} Of bots that did not meet, a knockout tells nothing.".lstrip()


def stage_of(alive: Sequence[str], seats: int) -> Tables:
    """The next stage of single elimination, by seed."""
    size = len(alive)
    half = max(seats // 2, 1)
    after = seats
    # from these numbers of bots on, everybody sits
    while (full := seats * -(-after // half)) < size:
        after = full
    tables = min(size // seats, -(-(size - after) // (seats - half)))
    byes = size - tables * seats
    onward = max(after - byes, tables)
    share, more = divmod(onward, tables)
    return Tables(dealt(alive[byes:], tables), tuple([share + (index < more) for index in range(tables)]))


def dealt(bots: Sequence[str], tables: int) -> tuple[tuple[str, ...], ...]:
    """The bots, the first seed first, dealt to tables there and back."""
    dealt_tables: list[list[str]] = [[] for _ in range(tables)]
    for start in range(0, len(bots), max(tables, 1)):
        row = bots[start : start + tables]
        order = range(tables) if start // tables % 2 == 0 else reversed(range(tables))
        for index, bot in zip(order, row, strict=False):
            dealt_tables[index].append(bot)
    return tuple(map(tuple, dealt_tables))
