"""How Dockfight ends: WIN CHECK, the Draw Pile Rule, stalling and Final Score, ruling by ruling."""

import pytest

from arena.game import Outcome, Pending
from arena.games.dockfight.events import Bust, FinalScore, Hit, Rebuild, Stop, Win
from arena.games.dockfight.rules import Dockfight
from tests.games.test_dockfight_turn import answer, asked
from tests.shelf.games.dockfight import rigged


def outcome(state: Dockfight) -> Outcome:
    """How it ended."""
    end = state.pending()
    assert isinstance(end, Outcome)
    return end


@pytest.mark.parametrize("sets", [[1, 2, 3], [1, 2, 3, 4]])
def test_three_sets_or_more_win(sets: list[int]) -> None:
    """Ruling 19: Frank and at least three sets win at the end of the own turn."""
    state = rigged([[], []], stringers={0: sets}, frank=0)
    assert answer(state, "stop") == [Stop(0, ()), Win(0)]
    assert outcome(state) == Outcome((0, 1), (len(sets), 0))


def test_frank_or_sets_alone_do_not_win() -> None:
    """1): neither three sets without Frank nor Frank with two sets and a BROKEN HAUL win."""
    state = rigged([[], []], stringers={0: [1, 2, 3], 1: [1, 2]}, broken_hauls={1: [3]}, frank=1)
    answer(state, "stop")
    assert state.turn == 1
    answer(state, "stop")
    assert isinstance(state.pending(), Pending)


def test_no_win_in_the_turn_of_another() -> None:
    """Ruling 20: the WIN CHECK is of the player whose turn ends, whatever lies in front of others."""
    state = rigged([[1, 2, 3], []], stringers={1: [4, 5, 6]}, frank=1)
    answer(state, "stop")
    assert answer(state, "none") == []
    assert state.turn == 1
    assert isinstance(state.pending(), Pending)


def test_last_card_busts() -> None:
    """Ruling 21: if the last card busts, the turn ends and the game with it, by Final Score."""
    state = rigged([[], []], draws=[4, 4], stringers={1: [1]})
    answer(state, "hit")
    assert answer(state, "hit") == [Hit(0, 4), Bust(0, (4, 4)), FinalScore("empty", ((), (1,)), (1, 0))]
    assert outcome(state) == Outcome((1, 0), (0, 1))


def test_last_card_drawn_safely() -> None:
    """Ruling 22: the player must STOP, takes all steps of it, and nobody else gets a turn."""
    state = rigged([[1, 2], []], draws=[4])
    assert answer(state, "hit") == [Hit(0, 4), Stop(0, (4,))]
    assert asked(state).options == ("none", "swipe")
    events = answer(state, "swipe")
    assert events[-1] == FinalScore("empty", ((), ()), (0, 1))
    assert outcome(state) == Outcome((0, 1), (0, 0))


def test_win_on_the_turn_that_empties_the_pile() -> None:
    """Ruling 34: the WIN CHECK comes before Final Score."""
    state = rigged([[], []], draws=[4], stringers={0: [1, 2], 1: [9, 10, 11, 12]}, broken_hauls={0: [4]}, frank=0)
    assert answer(state, "hit") == [Hit(0, 4), Stop(0, (4,)), Rebuild(0, 4), Win(0)]
    assert outcome(state) == Outcome((0, 1), (3, 4))


@pytest.mark.parametrize(
    ("stringers", "frank", "ranks"),
    [
        ([[1, 1], [12], []], 1, (0, 1, 2)),
        ([[12, 1, 4], [11, 10, 9], [2, 12, 5]], None, (1, 2, 0)),
        ([[12, 4], [4, 12], [3, 11]], None, (0, 0, 2)),
        ([[12, 4], [4, 12], [3, 11]], 1, (1, 0, 2)),
        ([[12, 4], [4, 12], [3, 11]], 2, (0, 0, 2)),
        ([[], [], []], None, (0, 0, 0)),
        ([[], [], []], 2, (1, 1, 0)),
    ],
)
def test_final_score(stringers: list[list[int]], frank: int | None, ranks: tuple[int, ...]) -> None:
    """Ruling 23 and 24: most sets; then their Days from high to low; then Frank, if among the tied; else shared."""
    sets = dict(enumerate(stringers))
    state = rigged([[5, 5], [], []], stringers=sets, broken_hauls={2: [6]}, frank=frank, draws=[7])
    answer(state, "hit")
    if isinstance(state.pending(), Pending):
        answer(state, "none")
    assert outcome(state) == Outcome(ranks, tuple(map(len, stringers)))


@pytest.mark.parametrize("seats", range(2, 7))
def test_silent_table_stalls(seats: int) -> None:
    """Ruling 25 and 33: two rounds of turns without HIT and burn end the game; silence counts, the first turn too."""
    state = rigged([[] for _ in range(seats)])
    for turn in range(2 * seats):
        assert state.stalled == turn
        events = answer(state, "stop")
    assert events == [Stop(seats - 1, ()), FinalScore("stalled", ((),) * seats, (0,) * seats)]
    assert outcome(state) == Outcome((0,) * seats, (0,) * seats)


def test_hit_and_burn_restart_the_count() -> None:
    """Ruling 33: a turn with a HIT, bust or not, or a burn is not stalled."""
    state = rigged([[1, 2, 3], []], draws=[9, 4, 4, 1])
    answer(state, "stop")
    answer(state, "none")
    assert state.stalled == 1
    answer(state, "hit")
    answer(state, "stop")
    assert state.stalled == 0
    answer(state, "stop")
    answer(state, "none")
    answer(state, "hit")
    answer(state, "hit")
    assert state.stalled == 0
    answer(state, "stop")
    answer(state, "none")
    answer(state, "stop")
    assert state.stalled == 2
    answer(state, "stop")
    answer(state, "swipe")
    assert state.stalled == 0


def test_building_does_not_restart_the_count() -> None:
    """Ruling 33: a turn that builds without HIT and burn is stalled."""
    state = rigged([[8, 8, 8], []])
    answer(state, "stop")
    answer(state, "none")
    assert (state.players[0].stringers, state.stalled) == ([8], 1)


def test_win_check_of_the_last_stalled_turn() -> None:
    """Ruling 33: the WIN CHECK of the last stalled turn comes before Final Score."""
    state = rigged([[], []], stringers={1: [1, 2]}, frank=1)
    for _ in range(3):
        answer(state, "stop")
    state.players[1].stringers.append(3)
    assert answer(state, "stop") == [Stop(1, ()), Win(1)]
    assert outcome(state) == Outcome((1, 0), (0, 3))


def test_places_below_the_winner() -> None:
    """Ruling 35: the winner is first whatever the sets; the others by the Final Score comparison, equals sharing."""
    sets = {0: [1, 2, 3], 1: [12, 11, 10, 9], 2: [5], 3: [6], 4: [5]}
    state = rigged([[], [], [], [], []], stringers=sets, frank=0)
    answer(state, "stop")
    assert outcome(state) == Outcome((0, 1, 3, 2, 3), (3, 4, 1, 1, 1))
