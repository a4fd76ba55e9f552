"""The contract's own arithmetic: what answers may be, what silence says, how seats are ranked, what variants settle."""

import copy
import pickle
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena import games
from arena.chance import Chance
from arena.game import Decision, Game, KeptDecisions, Pending, once_per_observation, ranks_of
from arena.laws.table import play
from tests.shelf.toy import GAME

SWIPE_OR_CUT = Decision(("none", "swipe", "cut"))
BURN = Decision(("1", "1", "2", "5", "9"), least=3, most=3)
SELL = Decision(("eel", "tuna"), least=0, most=2)


@pytest.mark.parametrize(
    ("decision", "picks", "fault"),
    [
        (SWIPE_OR_CUT, (2,), None),
        (SWIPE_OR_CUT, (), "expected 1 pick, got 0"),
        (SWIPE_OR_CUT, (0, 1), "expected 1 pick, got 2"),
        (SWIPE_OR_CUT, (3,), "expected picks from 0 to 2, got 3"),
        (SWIPE_OR_CUT, (-1,), "expected picks from 0 to 2, got -1"),
        (SWIPE_OR_CUT, (10**20,), f"expected picks from 0 to 2, got {10**20}"),
        (BURN, (4, 0, 2), None),
        (BURN, (0, 1), "expected 3 picks, got 2"),
        (BURN, (0, 1, 1), "expected distinct picks, got [0, 1, 1]"),
        (SELL, (), None),
        (SELL, (1, 0), None),
        (SELL, (0, 1, 2), "expected 0 to 2 picks, got 3"),
    ],
)
def test_fault_in(decision: Decision, picks: tuple[int, ...], fault: str | None) -> None:
    """An answer is legal if it picks as many as asked, each once, among the options; a fault says what was expected."""
    assert decision.fault_in(picks) == fault


def test_take_keeps_the_order_of_the_picks() -> None:
    """The options come in the order in which they were picked, since that may mean something."""
    assert BURN.take((4, 0, 2)) == ("9", "1", "2")
    assert SELL.take(()) == ()


@pytest.mark.parametrize(
    ("decision", "forced"),
    [
        (Decision(("stop",)), True),
        (Decision(("stop", "hit")), False),
        (Decision(("ring",), least=0), False),
        (Decision(("eel", "tuna"), least=0, most=0), True),
        (Decision((), least=0, most=0), True),
        (Decision((), least=0, most=1), True),
        # all must be taken, but in an order that may mean something
        (Decision(("eel", "tuna"), least=2, most=2), False),
    ],
)
def test_forced(decision: Decision, forced: bool) -> None:
    """Nobody is asked where there is nothing to decide, not even an order."""
    assert decision.forced is forced


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    """Any decision a game may ask for."""
    options = tuple(range(draw(st.integers(1, 9))))
    least = draw(st.integers(0, len(options)))
    return Decision(options, least, draw(st.integers(least, len(options))))


@settings(max_examples=100)
@given(decisions())
def test_silence_is_legal(decision: Decision) -> None:
    """Silence takes the first options, as few as may be taken, and that is a legal answer."""
    mildest = range(decision.least)
    assert decision.fault_in(mildest) is None
    assert decision.silence == decision.take(mildest) == decision.options[: decision.least]


@settings(max_examples=200)
@given(decisions(), st.lists(st.integers(-3, 12), max_size=10))
def test_legality_is_membership(decision: Decision, picks: list[int]) -> None:
    """Exactly those lists are legal that are as long as asked and name distinct options."""
    names = set(picks) <= set(range(len(decision.options)))
    legal = decision.least <= len(picks) <= decision.most and len(set(picks)) == len(picks) and names
    assert (decision.fault_in(picks) is None) is legal
    if legal:
        assert decision.take(picks) == tuple(picks)


@pytest.mark.parametrize(
    ("keys", "ranks"),
    [
        ((30, 42, 17), (1, 0, 2)),
        ((30, 42, 42, 17), (2, 0, 0, 3)),
        ((0, 0, 0), (0, 0, 0)),
        (((2, (12, 3)), (2, (12, 4)), (3, (1, 1))), (2, 1, 0)),
        ((-5,), (0,)),
    ],
)
def test_ranks_of(keys: tuple[object, ...], ranks: tuple[int, ...]) -> None:
    """The greatest key is rank 0; equal keys share the better rank, and the next is as many places behind."""
    assert ranks_of(keys) == ranks


@settings(max_examples=100)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_ranks_do_not_depend_on_the_seat(keys: list[int]) -> None:
    """Seats turned around the table keep their ranks, and ranks ranked again are the same."""
    ranks = ranks_of(keys)
    assert ranks_of(keys[1:] + keys[:1]) == ranks[1:] + ranks[:1]
    assert ranks_of([-rank for rank in ranks]) == ranks
    assert min(ranks) == 0


def test_settle_names_a_value_for_every_variant() -> None:
    """The first value of a variant is its default; what is chosen stands; every variant of the game is named."""
    assert GAME.resolve_variants({}) == {"dice": "one", "lowest": "trades"}
    assert GAME.resolve_variants({"lowest": "waits"}) == {"dice": "one", "lowest": "waits"}
    assert GAME.resolve_variants(GAME.resolve_variants({"dice": "two"})) == GAME.resolve_variants({"dice": "two"})


@pytest.mark.parametrize(
    ("game", "variants", "error"),
    [
        (GAME, {"bell": "lot"}, "toy: expected a variant of dice, lowest, got 'bell'"),
        (GAME, {"dice": "three"}, "toy: expected dice=one|two, got dice=three"),
        (replace(GAME, variants={}), {"dice": "one"}, "toy: expected a variant of none, got 'dice'"),
    ],
)
def test_settle_refuses(game: Game, variants: dict[str, str], error: str) -> None:
    """An unknown variant or value is refused by a message that names those there are."""
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        game.resolve_variants(variants)


def test_work_for_an_observation_is_done_once() -> None:
    """Until another observation comes, an equal one too, what was found for the last one is given again."""
    asked: list[list[int]] = []

    def total(observation: list[int]) -> int:
        """A sum."""
        asked.append(observation)
        return sum(observation)

    found = once_per_observation(total)
    one, like = [1, 2], [1, 2]
    assert [found(one), found(one), found(like), found(like), found(one)] == [3] * 5
    assert [id(each) for each in asked] == [id(one), id(like), id(one)]
    assert found.__doc__ == "A sum."


@pytest.mark.parametrize("game", games.names())
def test_a_question_is_not_changed_through_another(game: str) -> None:
    """Whoever empties the decisions of a state, as a bot may that searches, changes no state by it."""
    found = games.find(game)
    state = found.deal(found.usual_seats, bytes(32), found.resolve_variants({}))
    for pending in play(state, Chance(b"kept")):
        there = dict(pending.decisions)
        asked: Any = state.pending()
        with suppress(TypeError):
            asked.decisions.clear()
        assert state.pending() == Pending(there)


def test_kept_decisions() -> None:
    """Decisions that are kept are read, compared, copied and pickled as others; no way changes them."""
    plain = {1: SELL, 0: BURN}
    kept = KeptDecisions(plain)
    assert kept == plain
    assert list(kept) == [1, 0]
    for other in (copy.copy(kept), copy.deepcopy(kept), pickle.loads(pickle.dumps(kept)), kept.copy(), kept | {}):  # noqa: S301
        assert (type(other), other) == (dict, plain)
    # what is no view of a dictionary and no row has, are the ways to change one, and to read it
    for name in set(dir({})) - set(dir({}.items())) - set(dir(())) - {"copy", "fromkeys", "get", *dir(Mapping)}:
        with pytest.raises(TypeError, match=r"^expected the decisions of a state to be read, got a change; "):
            getattr(kept, name)(1, SELL)
    assert kept == plain
