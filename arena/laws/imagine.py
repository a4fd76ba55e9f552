"""Laws of ``imagine``: a whole world made up from what one seat sees, and from nothing else. Knows no game."""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import msgspec

from arena.chance import Chance
from arena.game import Pending, Seat, State
from arena.laws.secrets import unlike
from arena.laws.table import GameSetup, encode, hold, hold_alike, moments, outcome, play

MATCHES = 2
MOMENTS = 40
WORLDS = 8


class SeatView(NamedTuple):
    """A state, a seat, and what the seat sees as it came over the wire."""

    state: State
    seat: Seat
    observation: Any


def views(setup: GameSetup) -> Iterator[SeatView]:
    """Every seat at random moments of random matches, the fresh deal among them, before the end."""
    decode = msgspec.json.Decoder(setup.game.observation).decode
    for number in setup.numbers(MATCHES):
        rng = Random(number)  # noqa: S311 - drawn tries need no secrecy
        for state in moments(setup, number, most=MOMENTS, rng=rng, dice=b"imagine"):
            if isinstance(state.pending(), Pending):
                for seat in range(setup.seats):
                    yield SeatView(state, seat, decode(encode(state.observe(seat))))


def an_imagined_world_looks_the_same(setup: GameSetup) -> None:
    """The seat sees in the imagined world what it was imagined from, is asked the same, and no component is lost."""
    census = setup.book.census
    for number, (state, seat, observation) in enumerate(views(setup)):
        world = setup.game.imagine(observation, Chance(b"world", number * 1000))
        hold_alike(f"seat {seat} to see the same in the imagined world", observation, world.observe(seat))
        counts = [dict(sorted(census(table).items())) for table in (state, world)]
        hold_alike("an imagined world with the census of the state", *counts)
        question, twin = _question(state, seat), _question(world, seat)
        hold_alike(f"seat {seat} to be asked the same in the imagined world", question, twin)
        hold(type(world) is setup.game.state, f"a state of type {setup.game.state}", type(world))


def the_unknown_comes_from_chance(setup: GameSetup) -> None:
    """The same chance imagines the same world; the observation is left alone."""
    for number, (_, _, observation) in enumerate(views(setup)):
        before = encode(observation)
        world, again = (setup.game.imagine(observation, Chance(b"world", number * 1000)) for _ in range(2))
        hold_alike("the same world of the same chance", world, again)
        hold_alike("an observation that imagining leaves alone", msgspec.json.decode(before), observation)


def an_imagined_world_plays_to_its_end(setup: GameSetup) -> None:
    """Random play in an imagined world comes to an end with the same components."""
    census = setup.book.census
    for number, (state, _, observation) in enumerate(views(setup)):
        if number % 7 == 0:
            world = setup.game.imagine(observation, Chance(b"world", number * 1000))
            for _ in play(world, Chance(b"onwards", number)):
                pass
            hold(len(outcome(world).ranks) == setup.seats, f"ranks of {setup.seats} seats", outcome(world))
            hold(census(world) == census(state), f"the census {census(state)} at the end", census(world))


def imagined_worlds_differ(setup: GameSetup) -> None:
    """Where something is hidden, eight imagined worlds are not all one, and they go on with chances of their own."""
    rng = Random(0)  # noqa: S311 - drawn tries need no secrecy
    for number, (state, seat, observation) in enumerate(views(setup)):
        worlds = [
            setup.game.imagine(observation, Chance(b"worlds", 1000 * (number * WORLDS + draw)))
            for draw in range(WORLDS)
        ]
        different = len({encode(world) for world in worlds})
        hold(different == WORLDS, f"{WORLDS} worlds with chances of their own", different)
        hidden = all(unlike(state, setup.book.redeal(state, seat, rng)) for _ in range(4))
        varied = any(unlike(worlds[0], world) for world in worlds[1:])
        hold(not hidden or varied, "imagined worlds that differ where something is hidden", "all alike")


def _question(state: State, seat: Seat) -> object:
    pending = state.pending()
    if not isinstance(pending, Pending):
        return None
    return pending.decisions.get(seat) if pending.decisions else pending
