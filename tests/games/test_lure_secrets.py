"""Who sees what in Lure: score piles, secret Adjusts, and what may be imagined of them."""

from random import Random

import pytest

from arena.chance import Chance
from arena.games.lure import GAME
from arena.games.lure.events import Caught
from arena.games.lure.rules import LureState
from arena.laws.table import sent
from tests.games.test_lure_fish import NAMED
from tests.games.walks import questions as asked
from tests.shelf.games.lure import adjust, cast, redeal, rigged


def test_score_piles_are_no_secret() -> None:
    """Ruling 24 and 38: they lie face down, but everyone saw each fish caught: all know the fish and the VP of all."""
    state = rigged(2, fish=["Bleak", "Roach"], deck=["Pike"], boosts={1: 1}, faces=[5, 6, 1])
    events = cast(state, {1: ("d6", "d6")})
    assert [event for event in events if isinstance(event, Caught)] == [Caught(0, "Bleak", 1), Caught(1, "Roach", 2)]
    seen = [state.observe(seat) for seat in range(2)]
    for each in seen:
        assert each.score_piles == (("Bleak",), ("Roach",))
        assert (each.vp, each.boosts) == ((1, 4), (0, 1))
        world = GAME.imagine(each, Chance(b"score piles"))
        assert [player.score_pile for player in world.players] == [[NAMED["Bleak"]], [NAMED["Roach"]]]  # type: ignore[attr-defined]  # a LureState


def adjusting(done: int) -> LureState:
    """Seats 0, 1 and 2 roll 3, 4 and 2 together; 0 and 1 played three Adjusts each and have answered ``done`` times."""
    lures = {0: ["adjust"] * 3, 1: ["adjust"] * 3, 2: ["boost"]}
    state = rigged(fish=["Bleak", "Roach"], lures=lures, deck=["Pike"], faces=[3, 4, 2, 1, 1])  # type: ignore[arg-type]  # names of lures
    cast(state, {3: ("d6", "d6")}, {0: ("adjust",) * 3, 1: ("adjust",) * 3})
    answers: list[dict[int, tuple[int, int] | None]] = [{0: (0, 1), 1: (0, -1)}, {0: (0, 1), 1: None}]
    for answer in answers[:done]:
        assert adjust(state, answer) == []
    return state


def test_adjusted_numbers_are_their_owners() -> None:
    """Ruling 34: until the group is done the others see the roll as rolled, and not who is done."""
    state = adjusting(2)
    assert set(asked(state)) == {0}
    rolls = ((3,), (4,), (2,), ())
    assert all(state.observe(seat).rolls == rolls for seat in range(4))
    own = [(state.observe(seat).numbers, state.observe(seat).adjusts) for seat in range(4)]
    assert own == [((5,), 1), ((3,), 0), ((2,), 0), ((), 0)]
    adjust(state, {0: None})
    assert all(state.observe(seat).rolls[:2] == ((5,), (3,)) for seat in range(4))


@pytest.mark.parametrize("done", [0, 1, 2])
def test_secret_adjusts_do_not_show(done: int) -> None:
    """Ruling 34: what a seat is sent does not depend on the Adjusts of the others, nor on whether they go on."""
    rng = Random(done)
    state = adjusting(done)
    for seat in range(4):
        worlds = [redeal(state, seat, rng) for _ in range(50)]
        assert {sent(world, seat) for world in worlds} == {sent(state, seat)}
        others = [[p.numbers for p in world.players if p is not world.players[seat]] for world in worlds]
        assert done == 0 or any(numbers != others[0] for numbers in others)


@pytest.mark.parametrize("done", [0, 1, 2])
def test_imagined_adjusts(done: int) -> None:
    """An imagined table asks a seat for its Adjusts like the real one; others answered as often, somebody goes on."""
    state = adjusting(done)
    went_on = set()
    for seat in range(4):
        seen = state.observe(seat)
        for number in range(50):
            world = GAME.imagine(seen, Chance(b"adjusts", number * 100))
            assert isinstance(world, LureState)
            assert world.observe(seat) == seen
            assert sent(world, seat) == sent(state, seat)
            still = asked(world)
            assert still
            assert (seat in still) == (seat in asked(state))
            left = {world.players[other].adjusts for other in still}
            assert len(left) == 1
            went_on.add((seat, frozenset(still)))
    if done == 1:
        assert {still for seat, still in went_on if seat == 0} == {frozenset({0}), frozenset({0, 1})}


def test_secret_dice_are_imagined_within_the_rules() -> None:
    """While lures are chosen the others' dice are imagined: at least one, none that rests."""
    state = rigged(2, fish=["Bleak"], lures={0: ["adjust"]}, resting={1: ["d20"]})
    state.apply({0: ("d6",), 1: ("d6", "d12")})
    seen = state.observe(0)
    chosen = set()
    for number in range(300):
        world = GAME.imagine(seen, Chance(b"dice", number * 100))
        assert isinstance(world, LureState)
        assert world.observe(0) == seen
        chosen.add(world.players[1].chosen)
    assert () not in chosen
    assert chosen == {("d6",) * n + special for n in range(6) for special in [(), ("d12",)]} - {()}
