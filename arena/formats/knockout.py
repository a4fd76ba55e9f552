"""Tables from which the better half advances, until one table is left; a bot is out after one loss, or after two.

A table plays a few blocks at a time until it is certain who advances, or until it has played its maximum. Then the
points of these blocks decide. All tables of a stage play side by side. The remaining blocks are shared evenly among all
later tables, so tables that are decided early leave more blocks for the others.

With N seats the last table has N bots. The stages before it are as even as possible: the first stage brings the number
of bots to one at which all can sit. Bots without a seat there have a bye, the first seeds first. Tables are filled by
seed, there and back (1, 4, 5, 8 and 2, 3, 6, 7), again at every stage.
"""

from collections import Counter
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from itertools import combinations
from typing import ClassVar

import msgspec
from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import Answer, Onward, Play, Played, Result, Round, Terms, counted, places_of
from arena.formats.skills import Seating, points
from arena.ratings.pairwise import PairwiseTests


class Tables(Struct, frozen=True):
    """Who sits at which table of a stage, and how many of each advance."""

    tables: tuple[tuple[str, ...], ...]
    onward: tuple[int, ...]


class StageResult(Struct, frozen=True):
    """How a stage ended, table by table."""

    kept: list[tuple[str, ...]]
    """Those that advance."""
    orders: list[list[str]]
    """All by their points."""
    onward: list[Onward]
    blocks: int
    """How many were played."""
    certain: list[bool]
    """Whether it is certain who advances; else the points decided, and of equal points the seed."""


class Knockout(Struct, frozen=True, kw_only=True):
    """Single or double elimination."""

    losses: int = 1
    """How many put a bot out: 1 or 2."""
    most: int = 24
    """Blocks of a table, at most; fewer if there are not enough blocks for every table."""
    batch: int = 4
    """How many of them are played before the next look."""

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
            ValueError: an option is out of range.
        """
        if self.losses not in {1, 2} or not 1 <= self.batch <= self.most:
            got = f"{self.losses} losses, {self.batch} of {self.most} blocks"
            raise ValueError(f"knockout: expected 1 or 2 losses and a batch of at most all blocks, got {got}")
        seating = Seating(terms.entrants, Chance(terms.key))
        lost = dict.fromkeys(terms.entrants, 0)
        out: list[list[str]] = []
        certain: list[bool] = []
        onward: list[Onward] = []
        if not terms.first_rules:
            # claims of all tables stand on one page: together they are wrong in alpha
            alpha = terms.alpha / self._tables_left([0] * len(terms.entrants), terms.seats)
            terms = msgspec.structs.replace(terms, alpha=alpha)
        left = terms.blocks
        stage = 0
        while len(alive := [bot for bot in terms.entrants if lost[bot] < self.losses]) > terms.seats:
            stage += 1
            drawn = self._stage(alive, lost, terms.seats)
            most = left // self._tables_left([lost[bot] for bot in alive], terms.seats)
            title, byes = f"stage {stage}", set(alive).difference(*drawn.tables)
            decided = yield from self._decide(terms, seating, drawn, title=title, most=most, byes=byes)
            left -= decided.blocks
            certain += decided.certain
            onward += decided.onward
            beaten = [
                bot for table, on in zip(drawn.tables, decided.kept, strict=True) for bot in table if bot not in on
            ]
            for bot in beaten:
                lost[bot] += 1
            # bots that go out together share a place
            if gone := [bot for bot in terms.entrants if bot in beaten and lost[bot] >= self.losses]:
                out.insert(0, gone)
        final = Tables((tuple(alive),), (1,))
        most = left // self._tables_left([lost[bot] for bot in alive], terms.seats)
        decided = yield from self._decide(terms, seating, final, title="final", most=most)
        if lost[decided.kept[0][0]] and not all(lost[bot] for bot in alive):
            # a bot with a loss has beaten one without: now both have lost
            most = left - decided.blocks
            decided = yield from self._decide(terms, seating, final, title="final, once more", most=most)
        certain += decided.certain
        onward += decided.onward
        (winner,) = decided.kept[0]
        places = places_of([[winner], *([bot] for bot in decided.orders[0] if bot != winner), *out])
        note = (
            f"At {sum(certain)} of {counted(len(certain), 'table')} each bot that advanced is certainly better than "
            "each that did not."
        )
        if not all(certain):
            note += " Elsewhere the points decided, and of equal points the seed."
        note += " Of bots that did not meet, a knockout tells nothing."
        return Result(
            places=places, through=tuple([place.bot for place in places]), notes=(note,), onward=tuple(onward)
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
            left = Counter(lost) - Counter(beaten) + Counter(times + 1 for times in beaten)
            yield tuple(sorted([times for times in left.elements() if times < self.losses]))

    def _decide(
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
            taken = yield Round(
                title=f"{title}, blocks {start + 1} to {start + blocks}",
                line_ups=tuple([seating.seat(drawn.tables[owner]) for owner in owners]),
                byes=tuple(sorted(byes)),
                stage=title,
            )
            for position, block in zip(owners, taken, strict=True):
                played[position].append(block)
                duels[position].add(list(block.matches()))
            for position in undecided:
                orders_found[position] = duels[position].top(drawn.onward[position])
        shares = [
            points(sorted(table, key=terms.entrants.index), blocks)
            for table, blocks in zip(drawn.tables, played, strict=True)
        ]
        orders = list(map(list, shares))
        kept = [
            tuple(order[:onward]) if sure is None else sure
            for sure, order, onward in zip(orders_found, orders, drawn.onward, strict=True)
        ]
        certain = [order is not None for order in orders_found]
        why = [
            Onward(stage=title, bot=bot, why="certainly better than all that are out" if sure else _why(table, bot, on))
            for table, on, sure in zip(shares, kept, certain, strict=True)
            for bot in on
        ]
        return StageResult(kept, orders, why, sum(map(len, played)), certain)


def _why(points: Mapping[str, float], bot: str, on: Collection[str]) -> str:
    """Why a bot advances from a table where that is not certain."""
    best = max((other for other in points if other not in on), key=points.__getitem__)
    if points[bot] > points[best]:
        return f"more points than {best} ({points[bot]:.3f} to {points[best]:.3f})"
    return f"as many points as {best} ({points[bot]:.3f}), and seeded before it"


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
