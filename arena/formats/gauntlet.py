"""Challengers against a field: only blocks with one of them, or with all of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import LineUp, Play, Round, Terms
from arena.formats.schedule import draw
from arena.formats.skills import Seating, result_of


class Gauntlet(Struct, frozen=True, kw_only=True):
    """The entrants named first are the challengers."""

    fixed: ClassVar[bool] = True
    tells: ClassVar[str] = "the first bot"

    challengers: int = 1
    """How many."""
    together: bool = False
    """Whether all of them sit in each block, so that they are held against each other; else one by turns."""

    def play(self, terms: Terms) -> Play:
        """One round.

        Raises:
            ValueError: there are fewer challengers than 1, or more than there is room for.
        """
        most = terms.seats if self.together else len(terms.entrants)
        if not 1 <= self.challengers <= most:
            raise ValueError(f"gauntlet: expected 1 to {most} challengers, got {self.challengers}")
        challengers = terms.entrants[: self.challengers]
        if self.together:
            blocks = draw(terms.entrants, seats=terms.seats, blocks=terms.blocks, key=terms.key, together=challengers)
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
