"""The opening of a match, which asks nobody, is told: to every seat, and to whoever tells the match again."""

from collections.abc import Sequence

import pytest

from arena.game import Pending
from arena.laws import GameSetup
from arena.laws.table import filter_events
from arena.record import Record
from arena.referee import Match, Player, play
from arena.retelling import retell, verify
from arena.wire import Decide, Hello, Limits, Over
from tests.shelf.walk import setups

OPENED = [table for table in setups() if table.deal(0).pending() == Pending({})]
"""Tables of games whose fresh state waits for nobody."""
opened_table = pytest.mark.parametrize("table", OPENED, ids=lambda table: table.name)


class Mild:
    """Answers with silence and keeps what it was told in play."""

    waited = 0.0

    def __init__(self) -> None:
        self.sent: list[Decide | Over] = []

    def greet(self, _hello: Hello) -> None:
        assert not self.sent

    def decide(self, decide: Decide) -> Sequence[int]:
        self.sent.append(decide)
        return tuple(range(decide.least))

    def close(self, over: Over) -> None:
        self.sent.append(over)

    def leave(self) -> None:
        raise AssertionError("expected no fault, got one")


def played(table: GameSetup, players: Sequence[Player]) -> Record:
    """Match 0 of a table, by the referee."""
    game, seats = table.game, table.seats
    bots = tuple(f"mild{seat}" for seat in range(seats))
    limits = (Limits(start=1000, move=1000),) * seats
    match = Match("e0b0r0", "m", game.name, game.version, bots, {**table.variants}, b"i", b"o", (0,) * seats, limits)
    return play(match, table.deal(0), players)


@opened_table
def test_the_opening_is_told(table: GameSetup) -> None:
    """What happens in the opening is the first that every seat hears, and the first step of the match replayed."""
    players = [Mild() for _ in range(table.seats)]
    record = played(table, players)
    assert verify(record, table.deal(0)) is None
    opening = next(retell(record, table.deal(0)))
    assert (opening.first, opening.pending, opening.chosen) == (0, Pending({}), {})
    assert opening.events
    for seat, player in enumerate(players):
        first = filter_events(opening.events, seat)
        assert player.sent[0].events[: len(first)] == first


def test_an_opening_is_on_the_shelf() -> None:
    """At least one game has an opening, so that this suite sees one."""
    assert OPENED
