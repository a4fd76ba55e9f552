"""How Fish Food ends: size 10, elimination, the last player, the turn limit and the places, ruling by ruling."""

from collections.abc import Sequence

import pytest

from arena.game import Outcome, Pending
from arena.games.fish_food.cards import TURN_LIMIT, Action
from arena.games.fish_food.events import Compare, FinalSizes, Grow, Lose, Out, Pass
from arena.games.fish_food.rules import FishFood
from arena.games.fish_food.table import Events
from tests.games.test_fish_food_turn import asked, copies, opened, play, say
from tests.shelf.games.fish_food import rigged


def outcome(state: FishFood) -> Outcome:
    """How it ended."""
    end = state.pending()
    assert isinstance(end, Outcome)
    return end


def settled(sizes: Sequence[int]) -> tuple[FishFood, Events]:
    """A table at which some card, that is not in the box, has moved the chips to these sizes."""
    state = rigged([["Stun"] for _ in sizes], turn=6)
    state.sizes[:] = sizes
    events: Events = []
    state.resolve(events)
    return state, events


def test_size_10_wins() -> None:
    """Ruling 41: a chip that reaches 10 ends the game at once; the rest of the turn, hand limit included, is left."""
    nine: list[Action] = [*copies("Fish Food", 8), "Stun"]
    state = opened([nine, ["Stun"]], encounters=[4], sizes=[9, 4])
    say(state, "pass")
    events = say(state, "pass")
    assert events == [Pass(1), Compare(0, 9, 4), Grow(0, 1, 10), FinalSizes("size 10", (10, 4), (0, 1))]
    assert outcome(state) == Outcome((0, 1), (10, 4))
    assert (len(state.hands[0]), state.encounter) == (9, 4)


def test_a_modified_size_of_10_does_not_win() -> None:
    """Ruling 41: it is the chip that counts."""
    state = opened([["School of Fish", "School of Fish"], []], encounters=[9, 1], sizes=[3, 3])
    play(state, 0, "School of Fish", 0)
    play(state, 0, "School of Fish", 0)
    assert isinstance(state.pending(), Pending)


def test_a_win_on_the_turn_of_another() -> None:
    """Ruling 22: a Switcheroo may make a player grow, and win, on the turn of another."""
    state = opened([["Stun"], ["Switcheroo"]], encounters=[1], sizes=[5, 9])
    say(state, "pass")
    events = play(state, 1, "Switcheroo", 1)
    events += say(state, "pass")
    assert events[-2:] == [Grow(1, 1, 10), FinalSizes("size 10", (5, 10), (1, 0))]
    assert (state.current_player, outcome(state)) == (0, Outcome((1, 0), (5, 10)))


@pytest.mark.parametrize(("sizes", "after"), [([10, 3], [9, 3]), ([2, 1], [0, 1])])
def test_chips_stop_at_0_and_10(sizes: Sequence[int], after: Sequence[int]) -> None:
    """Ruling 25: a chip moves no further than to 0 and to 10."""
    state = rigged([["Stun"], ["Stun"]], sizes=sizes)
    events: Events = []
    state.change(0, by=-5 if sizes[0] < 5 else 5, events=events)
    state.change(0, by=-1, events=events)
    assert state.sizes == after


def test_elimination() -> None:
    """Ruling 26: at size 0 the hand goes to the discard pile and the Character leaves the game."""
    state = opened(
        [["Fish Food", "Stun"], ["Caught in the Net", "Fish Food"], ["Fish Food"]], encounters=[4, 1], sizes=[1, 3, 3]
    )
    say(state, "pass")
    say(state, "pass")
    events = say(state, "pass")
    assert events[1:4] == [Compare(0, 1, 4), Lose(0, 1, 0), Out(0, ("Fish Food", "Stun"))]
    assert (state.hands[0], state.sizes, state.out) == ([], [0, 3, 3], [1, 0, 0])
    assert state.action_discards == [1, 0, 0, 0, 1, 0, 0, 0]
    # Nobody can play on a Character that has left.
    assert {option.target for option in asked(state)[1].options[1:]} == {"creature", 1, 2}


def test_the_last_player_wins() -> None:
    """Winning the game: who knocks all others to 0 wins, whatever the size."""
    state = opened([["Stun"], ["Caught in the Net"], []], encounters=[1], sizes=[1, 1, 0], out={2: 3}, turn=7)
    say(state, "pass")
    events = play(state, 1, "Caught in the Net", 0)
    events += say(state, "pass") if isinstance(state.pending(), Pending) else []
    assert events[-1] == FinalSizes("last player", (0, 1, 0), (1, 0, 2))
    assert outcome(state) == Outcome((1, 0, 2), (0, 1, 0))


def test_those_eliminated_last_share() -> None:
    """Ruling 27: eliminated together is placed together; if nobody is left, those eliminated last share the game."""
    state = opened([["Stun"], [], [], []], encounters=["Shark"], sizes=[1, 1, 0, 0], out={2: 3, 3: 2}, turn=4)
    assert outcome(state) == Outcome((0, 0, 2, 3), (0, 0, 0, 0))
    state = opened([["Stun"]] * 3, encounters=["Shark", 9], sizes=[1, 1, 1], turn=4)
    assert outcome(state).ranks == (0, 0, 0)


def test_size_10_comes_before_elimination() -> None:
    """Ruling 28: should a card bring one to 10 and the last other to 0, the one at 10 has won."""
    state, events = settled([10, 0, 0])
    assert events == [FinalSizes("size 10", (10, 0, 0), (0, 1, 1))]
    assert outcome(state).ranks == (0, 1, 1)


def test_two_at_size_10_share() -> None:
    """Ruling 29: should a card bring two to 10 at once, they share the win."""
    state, _ = settled([10, 4, 10])
    assert outcome(state).ranks == (0, 2, 0)


def test_the_turn_limit() -> None:
    """Ruling 39: after 500 turns of all players together the game stops; living players rank by size."""
    assert TURN_LIMIT == 500
    state = opened([["Stun"], ["Stun"], []], encounters=[1], sizes=[4, 6, 0], out={2: 40}, turn=498)
    say(state, "pass")
    say(state, "pass")
    assert state.turn == 500
    say(state, "pass")
    events = say(state, "pass")
    assert events[-1] == FinalSizes("turn limit", (5, 7, 0), (1, 0, 2))
    assert outcome(state) == Outcome((1, 0, 2), (5, 7, 0))


def test_the_hand_limit_of_the_last_turn() -> None:
    """Ruling 39: the last turn is a whole one."""
    state = opened([[*copies("Stun", 4), *copies("Fish Food", 4)], []], encounters=[1], turn=499)
    say(state, "pass")
    _, decision = asked(state)
    assert decision.most == 2
    state.apply({0: decision.silence})
    assert outcome(state).ranks == (0, 1)


def test_places() -> None:
    """Ruling 40: the winner, then living players by size, then the eliminated, later ones first; equals share."""
    state = opened(
        [["Stun"], [], [], [], [], []],
        encounters=[1],
        sizes=[9, 4, 0, 6, 4, 0],
        out={2: 5, 5: 8},
        turn=11,
    )
    say(state, "pass")
    assert outcome(state) == Outcome((0, 2, 5, 1, 2, 4), (10, 4, 0, 6, 4, 0))


def test_standing_before_the_end() -> None:
    """A match that is cut off is ranked like one at the turn limit."""
    state = opened([["Stun"], [], []], sizes=[4, 0, 6], out={1: 2}, turn=5)
    assert isinstance(state.pending(), Pending)
    assert state.standing() == Outcome((1, 2, 0), (4, 0, 6))
