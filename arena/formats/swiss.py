"""At half of the tables neighbours in the standing sit together; no line-up is repeated while there is another.

The standing for pairings is drawn: mu + sigma z, with z from the secret. So the first round is random, bots of which
little is known meet different opponents, and at the end equal bots meet.

At the other half bots sit by lot. Without these links those who were lucky early would never again meet the others,
and chance alone would set equal bots apart: see ``docs/formats.md``, also for why it is half.
"""

from collections import Counter
from itertools import product
from typing import ClassVar

from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import Answer, Count, Play, Played, Round, Terms
from arena.formats.skills import Seating, Skills, result_of

_NEAR = 3
"""A change of places is looked for first among tables at most this far away."""


class Swiss(Struct, frozen=True, kw_only=True):
    """A Swiss system for tables of any size."""

    rounds: Count = 0
    """0: as many as the blocks that were asked for hold."""

    tells: ClassVar[str] = "the order"
    measured: ClassVar[dict[int, tuple[Answer, ...]]] = {
        2: (
            Answer(bots=4, best=0.75, order=0.78),
            Answer(bots=8, best=0.72, order=0.87),
            Answer(bots=16, best=0.65, order=0.89),
        ),
        4: (
            Answer(bots=8, best=0.91, order=0.97),
            Answer(bots=16, best=0.90, order=0.97),
            Answer(bots=32, best=0.88, order=0.97),
        ),
    }

    def play(self, terms: Terms) -> Play:
        """Its rounds; in each all bots sit once, except those that are too many for full tables."""
        rounds = self._rounds(terms)
        chance = Chance(terms.key)
        seating = Seating(terms.entrants, chance)
        skills = Skills(sorted(terms.entrants))
        sat_out: Counter[str] = Counter()
        before: Counter[frozenset[str]] = Counter()
        everything: list[Played] = []
        for number in range(1, rounds + 1):
            drawn = skills.drawn(chance)
            order = sorted(sorted(terms.entrants), key=lambda bot: -drawn[bot])
            byes = self._byes(order, terms.seats, sat_out, chance)
            sat_out.update(byes)
            seats = linked([bot for bot in order if bot not in byes], terms.seats, chance)
            line_ups = [seats[start : start + terms.seats] for start in range(0, len(seats), terms.seats)]
            avoid_repeats(line_ups, before, skills)
            before.update(map(frozenset, line_ups))
            played = yield Round(
                title=f"round {number} of {rounds}",
                line_ups=tuple([seating.seat(line_up) for line_up in line_ups]),
                byes=tuple(sorted(byes)),
            )
            skills.add(played)
            everything += played
        return result_of(terms.entrants, everything)

    def size(self, terms: Terms) -> int:
        """How many blocks it has, however they end."""
        return self._rounds(terms) * (len(terms.entrants) // terms.seats)

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:
        """Twice the rounds after which one bot is left without a loss."""
        return 2 * max((bots - 1).bit_length(), 1) * (bots // seats)

    def _rounds(self, terms: Terms) -> int:
        return self.rounds or max(terms.blocks // (len(terms.entrants) // terms.seats), 1)

    @staticmethod
    def _byes(order: list[str], seats: int, sat_out: Counter[str], chance: Chance) -> set[str]:
        """The bots that sit out: those that have done so least often, at random."""
        lots = order.copy()
        chance.shuffle(lots)
        lots.sort(key=lambda bot: sat_out[bot])
        return set(lots[: len(order) % seats])


def linked(order: list[str], seats: int, chance: Chance) -> list[str]:
    """The order of the bots table by table: in the last half of the tables, rounded up, they sit by lot.

    All others keep their order, and whoever sits by lot is drawn by lot, too.
    """
    lots = order.copy()
    chance.shuffle(lots)
    mixed = lots[: -(-len(order) // seats // 2) * seats]
    return [bot for bot in order if bot not in set(mixed)] + mixed


def avoid_repeats(line_ups: list[list[str]], before: Counter[frozenset[str]], skills: Skills) -> None:
    """Exchange two bots of different tables if a line-up would be one of those ``before``.

    Tables close to each other first; of all changes that leave the fewest repeats, the one after which the less even of
    the two tables is the most even, by the quality of its match.
    """
    for index, near in product(range(len(line_ups)), (_NEAR, len(line_ups))):
        line_up = line_ups[index]
        if not before[frozenset(line_up)]:
            continue
        changes: list[tuple[int, int, list[str], list[str]]] = []
        for other in range(max(index - near, 0), min(index + near + 1, len(line_ups))):
            partner = line_ups[other]
            now = before[frozenset(line_up)] + before[frozenset(partner)]
            for first, two in product(line_up, partner if other != index else ()):
                here = [two if bot == first else bot for bot in line_up]
                yonder = [first if bot == two else bot for bot in partner]
                repeats = before[frozenset(here)] + before[frozenset(yonder)]
                if repeats < now:
                    changes.append((repeats, other, here, yonder))
        if changes:
            fewest = min(repeats for repeats, *_ in changes)
            _, other, line_ups[index], line_ups[other] = max(
                (change for change in changes if change[0] == fewest),
                key=lambda change: min(skills.quality(table) for table in change[2:]),
            )
