"""Nothing leaves the box and nothing joins it."""

from arena.chance import Chance
from tests.shelf.walk import Table, every_table, play

MATCHES = 3


@every_table
def test_census_is_constant(table: Table) -> None:
    """Every card, die and coin of the box is somewhere, once, at every step and in every match alike."""
    box = table.book.census(table.deal(0))
    assert box.total() > 0
    for number in range(MATCHES):
        state = table.deal(number)
        for _ in play(state, Chance(b"players", number)):
            assert table.book.census(state) == box
        assert table.book.census(state) == box
