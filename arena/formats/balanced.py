"""All bots play about equally often, with each other about equally often: one round with all the blocks."""

from typing import ClassVar

from msgspec import Struct

from arena.formats.format import Play, Result, Round, Terms, places_of
from arena.formats.schedule import draw
from arena.formats.skills import in_order, standing


class Balanced(Struct, frozen=True, kw_only=True):
    """The schedule of ``arena run`` if no format is named."""

    fixed: ClassVar[bool] = True

    def play(self, terms: Terms) -> Play:
        """One round."""
        blocks = draw(terms.entrants, seats=terms.seats, blocks=terms.blocks, key=terms.key)
        played = yield Round(title="all blocks", line_ups=tuple([block.seating for block in blocks]))
        order = standing(terms.entrants, played)
        return Result(places=places_of(order), through=in_order(order))

    def size(self, terms: Terms) -> int:
        """How many blocks it has, however they end."""
        return terms.blocks
