"""All bots play about equally often, with each other about equally often: one round with all the blocks."""

from math import ceil
from typing import ClassVar

from msgspec import Struct

from arena.formats.format import Answer, Play, Round, Terms
from arena.formats.schedule import draw
from arena.formats.skills import result_of


class Balanced(Struct, frozen=True, kw_only=True):
    """The schedule of ``arena run`` if no format is named."""

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
        blocks = draw(terms.entrants, seats=terms.seats, blocks=terms.blocks, key=terms.key)
        played = yield Round(title="all blocks", line_ups=tuple([block.seating for block in blocks]))
        return result_of(terms.entrants, played)

    def size(self, terms: Terms) -> int:
        """How many blocks it has, however they end."""
        return terms.blocks

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:
        """20 blocks a bot."""
        return ceil(20 * bots / seats)
