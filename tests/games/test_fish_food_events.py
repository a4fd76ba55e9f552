"""Shark, Take the Bait and Feeding Frenzy, and what becomes of Events, ruling by ruling."""

from collections.abc import Sequence

import pytest

from arena.game import Decision, Outcome, Pending, Whisper
from arena.games.fish_food import GAME
from arena.games.fish_food.events import Bait, Begin, Compare, Draw, FinalSizes, Flip, Grow, Lose, Out, Reshuffle
from arena.games.fish_food.rules import FishFood
from tests.games.test_fish_food_turn import asked, copies, opened, say
from tests.shelf.games.fish_food import rigged


@pytest.mark.parametrize(
    ("sizes", "after"),
    [([3, 5, 4], [3, 3, 4]), ([5, 5, 4], [4, 4, 4]), ([3, 3, 3], [2, 2, 2]), ([9, 0, 9], [8, 0, 8])],
)
def test_shark(sizes: Sequence[int], after: Sequence[int]) -> None:
    """Shark: the biggest Character loses 2 sizes; if several are biggest each loses 1."""
    state = opened([["Stun"], ["Stun"], ["Stun"]], sizes=sizes, out={1: 1}, encounters=["Shark", 9])
    assert state.sizes == after


@pytest.mark.parametrize(("sizes", "after"), [([3, 5, 6], [4, 6, 6]), ([9, 0, 1], [9, 0, 2])])
def test_feeding_frenzy(sizes: Sequence[int], after: Sequence[int]) -> None:
    """Feeding Frenzy: every Character of size 5 or less grows 1, who is out does not."""
    state = opened([["Stun"], ["Stun"], ["Stun"]], sizes=sizes, out={1: 1}, encounters=["Feeding Frenzy", 9])
    assert state.sizes == after


def test_an_event_is_the_turn() -> None:
    """Ruling 5: when an Event is flipped nobody may play Actions, and the turn ends after it, hand limit included."""
    state = rigged([[*copies("Fish Food", 7), "Stun"], ["Swim Away"]], encounters=["Shark", 1])
    assert state.apply({}) == [Begin(0), Flip(0, "Shark"), Lose(0, 1, 2), Lose(1, 1, 2)]
    assert (state.step, asked(state)) == ("end of turn", (0, Decision(("Fish Food", "Stun"), 1, 1)))
    assert Flip(1, 1) in say(state, "Stun")


def test_order_of_an_event_turn() -> None:
    """Ruling 50: draw, flip, effect, elimination, hand limit, next player; who is out has no hand to cut."""
    state = rigged(
        [copies("Fish Food", 7), ["Stun"], ["Stun"]],
        encounters=["Take the Bait", 9, 1],
        sizes=[2, 3, 3],
        turn=4,
        draws=["Swim Away"],
    )
    events = state.apply({})
    assert events[1:2] + events[3:] == [Draw(0), Flip(0, "Take the Bait")]
    events = say(state, "take it")
    assert events[:5] == [
        Bait(0, taken=True),
        Flip(0, 9),
        Compare(0, 2, 9),
        Lose(0, 2, 0),
        Out(0, (*copies("Fish Food", 7), "Swim Away")),
    ]
    assert events[5] == Draw(1)


def test_take_the_bait_may_be_left() -> None:
    """Take the Bait: the current player alone is asked, may leave it, and then nothing happens; silence leaves it."""
    state = opened([["Stun"], ["Stun"]], encounters=["Take the Bait", 1])
    assert asked(state) == (0, Decision(("leave it", "take it")))
    assert asked(state)[1].silence == ("leave it",)
    events = say(state, "leave it")
    assert events[:2] == [Bait(0, taken=False), Draw(1)]
    assert (state.sizes, state.encounter_discards[11]) == ([3, 3], 1)


@pytest.mark.parametrize(("creature", "size"), [(3, 6), (4, 6), (5, 2)])
def test_take_the_bait(creature: int, size: int) -> None:
    """Take the Bait: flip up to a creature; Events flipped are discarded; as big or bigger grows 2, else loses 2."""
    state = opened(
        [["Stun"], ["Stun"]], encounters=["Take the Bait", "Shark", "Feeding Frenzy", creature], sizes=[4, 5]
    )
    events = say(state, "take it")
    assert events[:5] == [
        Bait(0, taken=True),
        Flip(0, "Shark"),
        Flip(0, "Feeding Frenzy"),
        Flip(0, creature),
        Compare(0, 4, creature),
    ]
    assert state.sizes == [size, 5]
    assert state.encounter_discards[10:] == [1, 1, 1]
    assert state.encounter_discards[creature - 1] == 1


def test_the_bait_may_win() -> None:
    """Ruling 42: the 2 sizes of the bait may reach 10, where the chip stops, and win."""
    state = opened([["Stun"], ["Stun"]], encounters=["Take the Bait", 1], sizes=[9, 5])
    events = say(state, "take it")
    assert events[-2:] == [Grow(0, 1, 10), FinalSizes("size 10", (10, 5), (0, 1))]
    assert state.pending() == Outcome((0, 1), (10, 5))


def test_the_deck_may_run_out_at_the_bait() -> None:
    """Ruling 42: if the deck runs out meanwhile the discards are shuffled, the Bait card staying out."""
    state = opened([["Stun"], ["Stun"]], encounters=["Take the Bait"], rest="discards", draws=["Stun"])
    assert say(state, "take it")[1] == Reshuffle("encounters", 47)


def test_equal_size_takes_the_bait_in_every_variant() -> None:
    """Ruling 24: Events do what they say: with ``ties=tie`` an equal size still gets the bait."""
    state = opened([[], []], encounters=["Take the Bait", 3], mode="simple", ties="tie")
    assert Grow(0, 2, 5) in say(state, "take it")


def test_events_move_by_more_than_one() -> None:
    """Ruling 24: an encounter moves a chip by 1, an Event as it says."""
    state = opened([["Stun"], ["Stun"]], encounters=["Shark", "Take the Bait", 1], sizes=[7, 5])
    assert state.sizes == [5, 5]
    say(state, "take it")
    assert state.sizes == [5, 7]


@pytest.mark.parametrize("seats", [2, 6])
def test_events_are_kept_or_removed(seats: int) -> None:
    """Ruling 4: ``events=keep`` discards and reshuffles them, ``remove`` takes them out of the game after use."""
    for keep in (True, False):
        state = opened(
            [["Stun"] * (seat < 4) for seat in range(seats)],
            encounters=["Shark", "Take the Bait", "Feeding Frenzy", 1],
            event_cards="keep" if keep else "remove",
        )
        say(state, "take it")
        gone = [1, 1, 1]
        assert state.encounter_discards[10:] == (gone if keep else [0, 0, 0])
        assert state.removed == ([0, 0, 0] if keep else gone)


@pytest.mark.parametrize("seats", range(2, 7))
def test_events_leave_large_tables(seats: int) -> None:
    """Ruling 4: unless told otherwise, Events leave the game after use with 5 players or more, and stay with fewer."""
    state = GAME.deal(seats, bytes(32), GAME.resolve_variants({}))
    assert isinstance(state, FishFood)
    assert state.event_cards == ("remove" if seats >= 5 else "keep")


def test_removed_events_do_not_come_back() -> None:
    """Ruling 4: what was removed is not shuffled into the new deck."""
    state = opened([["Stun"], ["Stun"]], encounters=["Shark"], rest="discards", event_cards="remove", draws=["Stun"])
    assert (state.removed, state.encounter_deck.count("Shark") + (state.encounter == "Shark")) == ([1, 0, 0], 2)


def test_shark_may_eliminate() -> None:
    """Ruling 27: several may be eliminated at once; with nobody left those share the game."""
    state = rigged([["Stun"], ["Fish Food"], []], encounters=["Shark"], sizes=[1, 1, 0], out={2: 3}, turn=5)
    events = state.apply({})
    assert not any(isinstance(event, Whisper) and event.seats != (0,) for event in events)
    assert events[-3:] == [
        Out(0, ("Fish Food", "Stun")),
        Out(1, ("Fish Food",)),
        FinalSizes("nobody left", (0, 0, 0), (0, 0, 2)),
    ]


def test_simple_without_events_asks_nobody() -> None:
    """Ruling 47: the Simple variation without Events is decided by the deal; with them the bait alone is asked."""
    state = rigged([[], [], []], mode="simple", event_cards="off")
    events = state.apply({})
    assert isinstance(state.pending(), Outcome)
    assert isinstance(events[-1], FinalSizes)
    assert not any(isinstance(event, Draw) for event in events)
    state = rigged([[], [], []], mode="simple", event_cards="off", encounters=[3, 1])
    assert state.apply({})[:5] == [Begin(0), Flip(0, 3), Compare(0, 3, 3), Grow(0, 1, 4), Flip(1, 1)]
    state = rigged([[], [], []], mode="simple", encounters=[3, "Shark", "Take the Bait"])
    assert isinstance(state.apply({})[-1], Flip)
    while isinstance(pending := state.pending(), Pending):
        assert pending == Pending({state.current_player: Decision(("leave it", "take it"))})
        say(state, "take it")
