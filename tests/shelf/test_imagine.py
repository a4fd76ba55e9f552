"""What a search bot is promised: a whole world made up from what one seat sees, and from nothing else."""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import msgspec

from arena.chance import Chance
from arena.game import Pending, Seat, State
from tests.shelf.test_secrets import unlike
from tests.shelf.walk import Table, encode, every_table, outcome, play

MATCHES = 2
MOMENTS = 40


class View(NamedTuple):
    """A state, a seat, and what the seat sees as it came over the wire."""

    state: State
    seat: Seat
    observation: Any


def views(table: Table) -> Iterator[View]:
    """Every seat at random moments of random matches, the fresh deal among them, before the end."""
    decode = msgspec.json.Decoder(table.game.observation).decode
    for number in range(MATCHES):
        moments = sum(1 for _ in play(table.deal(number), Chance(b"imagine", number)))
        chosen = {0, *Random(number).sample(range(moments), min(moments, MOMENTS))}
        state = table.deal(number)
        for moment, _ in enumerate(play(state, Chance(b"imagine", number))):
            if moment in chosen:
                for seat in range(table.seats):
                    yield View(state, seat, decode(encode(state.observe(seat))))


@every_table
def test_an_imagined_world_looks_the_same(table: Table) -> None:
    """The seat sees in the imagined world what it was imagined from, is asked the same, and no component is lost."""
    for number, (state, seat, observation) in enumerate(views(table)):
        world = table.game.imagine(observation, Chance(b"world", number * 1000))
        assert encode(world.observe(seat)) == encode(observation)
        assert table.book.census(world) == table.book.census(state)
        assert question(world, seat) == question(state, seat)
        assert type(world) is table.game.state


def question(state: State, seat: Seat) -> object:
    """What the seat is asked, if anything; the whole of it while the opening is yet to come and nobody is asked."""
    pending = state.pending()
    if not isinstance(pending, Pending):
        return None
    return pending.decisions.get(seat) if pending.decisions else pending


@every_table
def test_the_unknown_comes_from_chance(table: Table) -> None:
    """The same chance imagines the same world; the observation is left alone."""
    for number, (_, _, observation) in enumerate(views(table)):
        before = encode(observation)
        world, again = (table.game.imagine(observation, Chance(b"world", number * 1000)) for _ in range(2))
        assert encode(world) == encode(again)
        assert encode(observation) == before


@every_table
def test_an_imagined_world_plays_to_its_end(table: Table) -> None:
    """Random play in an imagined world comes to an end with the same components."""
    for number, (state, _, observation) in enumerate(views(table)):
        if number % 7 == 0:
            world = table.game.imagine(observation, Chance(b"world", number * 1000))
            for _ in play(world, Chance(b"onwards", number)):
                pass
            assert len(outcome(world).ranks) == table.seats
            assert table.book.census(world) == table.book.census(state)


@every_table
def test_imagined_worlds_differ(table: Table) -> None:
    """Where something is hidden, eight imagined worlds are not all one, and they go on with chances of their own."""
    rng = Random(0)
    for number, (state, seat, observation) in enumerate(views(table)):
        worlds = [table.game.imagine(observation, Chance(b"worlds", 1000 * (number * 8 + k))) for k in range(8)]
        assert len({encode(world) for world in worlds}) == 8
        hidden = all(unlike(state, table.book.redeal(state, seat, rng)) for _ in range(4))
        assert not hidden or any(unlike(worlds[0], world) for world in worlds[1:])
