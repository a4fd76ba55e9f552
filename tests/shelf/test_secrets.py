"""No seat is sent what it may not know: worlds that differ only in that are the same to it, byte for byte.

The other world is dealt from the rulebook's *Who sees what* (the game's ``redeal``), never from what ``observe`` says.
"""

from collections.abc import Callable, Iterator
from itertools import zip_longest
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Chosen, Decision, Pending, Seat, State
from tests.shelf import toy
from tests.shelf.walk import Table, answers, encode, every_table, heard, play, sent

MATCHES = 4
GLANCES = 60
"""States looked at in a match, at most; random ones."""


class Glance(NamedTuple):
    """A state, a seat, and another world that the seat must not be able to tell from it."""

    state: State
    seat: Seat
    world: State


def glances(table: Table, *, matches: int = MATCHES) -> Iterator[Glance]:
    """Every seat at random moments of random matches, the fresh deal and the end among them."""
    redeal = table.book.redeal
    for number in range(matches):
        rng = Random(number)
        moments = sum(1 for _ in play(table.deal(number), Chance(b"secrets", number)))
        chosen = {0, *rng.sample(range(moments), min(moments, GLANCES))}
        state = table.deal(number)
        for moment, _ in enumerate(play(state, Chance(b"secrets", number))):
            if moment in chosen:
                for seat in range(table.seats):
                    yield Glance(state, seat, redeal(state, seat, rng))
        for seat in range(table.seats):
            yield Glance(state, seat, redeal(state, seat, rng))


@every_table
def test_what_is_sent_is_the_same_in_both_worlds(table: Table) -> None:
    """A seat's question and observation do not depend on anything it may not know."""
    for glance in glances(table):
        assert sent(glance.state, glance.seat) == sent(glance.world, glance.seat)


@every_table
def test_redealing_leaves_the_state_alone(table: Table) -> None:
    """The other world has the same components and shares nothing with the state it was made from."""
    for glance in glances(table, matches=1):
        before = encode(glance.state)
        assert table.book.census(glance.world) == table.book.census(glance.state)
        for _, _ in zip(range(5), play(glance.world, Chance(b"elsewhere")), strict=False):
            pass
        assert encode(glance.state) == before


@every_table
def test_redealing_changes_what_is_hidden(table: Table) -> None:
    """In at least half of the glances the other world differs by more than its chance: the suite is not blind."""
    differ = [unlike(glance.state, glance.world) for glance in glances(table)]
    assert sum(differ) >= len(differ) / 2, f"expected half of {len(differ)} worlds to differ, got {sum(differ)}"


def unlike(state: State, world: State) -> bool:
    """Whether the two differ in more than their chance."""
    here, there = without_chance(msgspec.to_builtins(state)), without_chance(msgspec.to_builtins(world))
    return bool(here != there)


def without_chance(tree: Any) -> Any:
    """Plain data with every ``Chance`` taken out."""
    if isinstance(tree, dict):
        return None if tree.keys() == {"key", "drawn"} else {key: without_chance(part) for key, part in tree.items()}
    return [without_chance(part) for part in tree] if isinstance(tree, (list, tuple)) else tree


@every_table
def test_planted_leaks_are_found(table: Table) -> None:
    """An observation that tells more than it may is told apart: each leak that the game's book plants is found."""
    leaks = table.book.LEAKS
    assert len(leaks) >= 4, f"expected at least 4 planted leaks, got {sorted(leaks)}"
    found: set[str] = set()
    for state, seat, world in glances(table):
        found |= {name for name in leaks.keys() - found if differs(leaks[name], state, world, seat)}
        if found == leaks.keys():
            return
    assert found == leaks.keys(), f"expected all leaks to be found, got past: {sorted(leaks.keys() - found)}"


def differs(leak: Callable[[Any, Seat], object], state: State, world: State, seat: Seat) -> bool:
    """Whether the leak tells the worlds apart."""
    return encode(leak(state, seat)) != encode(leak(world, seat))


def told_too_much(table: Table) -> tuple[int, list[str]]:
    """Steps taken in both worlds alike after which a seat sees the same, and the events that tell them apart anyway.

    What a seat has learnt stands in its observation. So where the seat sees the same before and after a step, it must
    have heard the same too. Where it sees otherwise afterwards the worlds drew differently, and nothing can be said.
    Nor can it of a step that ends the match: a deck turned up to its last card is the same pile in any order, and what
    is told at the end is of no more use.
    """
    compared, found = 0, []
    for number, (state, seat, world) in enumerate(glances(table)):
        chosen = common_answers(state, world, Chance(b"both worlds", number * 1000))
        if chosen is None:
            continue
        here, there = state.copy(), world.copy()
        told, told_there = heard(here.apply(chosen), seat), heard(there.apply(chosen), seat)
        if here.observe(seat) == there.observe(seat) and isinstance(here.pending(), Pending):
            compared += 1
            unlike_events = [pair for pair in zip_longest(told, told_there) if encode(pair[0]) != encode(pair[1])]
            if unlike_events:
                found.append(f"seat {seat} after {chosen}: {unlike_events[0]}")
    return compared, found


def common_answers(state: State, world: State, dice: Chance) -> Chosen | None:
    """Random answers that are legal in both worlds, if there are any."""
    here, there = state.pending(), world.pending()
    if (
        not isinstance(here, Pending)
        or not isinstance(there, Pending)
        or here.decisions.keys() != there.decisions.keys()
    ):
        return None
    common = {}
    for seat, decision in here.decisions.items():
        other = there.decisions[seat]
        left = list(other.options)
        # cards that are alike stand side by side: take each as often as both worlds have it
        options = tuple(left.pop(left.index(option)) for option in decision.options if option in left)
        least, most = max(decision.least, other.least), min(decision.most, other.most, len(options))
        if least > most:
            return None
        common[seat] = Decision(options, least, most)
    return answers(Pending(common), dice)


@every_table
def test_events_tell_no_more_than_the_observation(table: Table) -> None:
    """Where a seat sees the same before and after a step of two worlds, it has heard the same events."""
    compared, found = told_too_much(table)
    if table.variants == table.game.settle({}):
        assert compared >= 10, f"expected at least 10 steps to compare, got {compared}"
    assert not found, f"expected equal events, got {found[:3]}"


class Indiscreet(toy.ToyState):
    """The toy with a leak in its events: what one seat draws is said aloud."""

    spoken_aloud = True


def test_a_whisper_said_aloud_is_found() -> None:
    """An event that reaches a seat which may not hear it is found."""

    def deal(seats: int, seed: bytes, variants: Any) -> Indiscreet:
        state = toy.deal(seats, seed, variants)
        return Indiscreet(**{name: getattr(state, name) for name in state.__struct_fields__})

    game = msgspec.structs.replace(toy.GAME, name="toy", deal=deal, state=Indiscreet)
    _, found = told_too_much(Table(game, 3, game.settle({})))
    assert found


@pytest.mark.parametrize("known", ["hand", "fish"])
def test_what_is_known_is_sent(known: str) -> None:
    """The other way round: a change of what a seat does know changes what it is sent."""
    state = toy.deal(2, bytes(32), toy.GAME.settle({}))
    before = sent(state, 0)
    if known == "hand":
        state.hands[0][0], state.deck[0] = state.deck[0], state.hands[0][0]
    else:
        state.fish[1] += 1
    assert sent(state, 0) != before
