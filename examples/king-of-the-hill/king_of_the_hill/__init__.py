"""The format king-of-the-hill: who does best at a table stays there, and meets the next in line."""

from typing import Annotated

from msgspec import Meta, Struct

from arena.formats import Play, Result, Round, Terms, places_of, points


class KingOfTheHill(Struct):
    """The first seed is the first king; its fields are its options, as ``--schedule king-of-the-hill,least=4``."""

    least: Annotated[int, Meta(ge=1)] = 2
    """Blocks of a table, if ``-n`` does not give more."""

    def play(self, terms: Terms) -> Play:
        """A round is one table: the king, and the next in line; those who fell last fill the last table."""
        king, *line = terms.entrants
        tables = -(-len(line) // (terms.seats - 1))
        blocks = max(self.least, terms.blocks // tables)
        fallen: list[str] = []
        for number in range(1, tables + 1):
            others = [*line, *fallen][: terms.seats - 1]
            table = (king, *others)
            played = yield Round(title=f"hill {number}", line_ups=(table,) * blocks)
            # each bot sat in every seat: points says who did best, whatever its seats
            king, *rest = points(table, played)
            line = [bot for bot in line if bot not in table]
            fallen = [*rest, *(bot for bot in fallen if bot not in table)]
        order = (king, *fallen)
        notes = (f"{tables} hills were played.",)
        return Result(places=places_of([[bot] for bot in order]), through=order, notes=notes)
