"""A turn of Dockfight: HIT, BUST and the STOP PHASE, ruling by ruling, at tables set up by hand."""

from typing import Any

import pytest

from arena.game import Decision, Outcome
from arena.games.dockfight.events import Build, Burn, Bust, Cut, Dock, Hit, Rebuild, Stop, StringerCut, Swipe, Win
from arena.games.dockfight.rules import Dockfight
from tests.games.walks import questions
from tests.shelf.games.dockfight import rigged


def asked(state: Dockfight) -> Decision:
    """The one question there is, which is for the player in turn."""
    decisions = questions(state)
    assert list(decisions) == [state.turn]
    return decisions[state.turn]


def answer(state: Dockfight, *picks: Any) -> list[Any]:
    """Let the player in turn pick these options, which must be among those offered; returns the events."""
    decision = asked(state)
    left = list(decision.options)
    for pick in picks:
        left.remove(pick)
    assert decision.least <= len(picks) <= decision.most
    return list(state.apply({state.turn: picks}))


def test_hit_or_stop() -> None:
    """The player in turn is asked STOP or HIT, and again after every safe HIT; silence is STOP."""
    state = rigged([[], []], draws=[1, 2, 3, 4])
    assert asked(state) == Decision(("stop", "hit"))
    assert answer(state, "hit") == [Hit(0, 1)]
    assert asked(state) == Decision(("stop", "hit"))
    assert answer(state, "hit") == [Hit(0, 2)]
    assert state.cast == [1, 2]
    assert asked(state).silence == ("stop",)


def test_only_the_cast_busts() -> None:
    """Ruling 1 and 38: a Day that lies in LIVEWELL, STRINGERS or BROKEN HAULS does not bust; it may build at once."""
    state = rigged([[5, 5], []], draws=[5, 6, 7, 8], stringers={0: [6]}, broken_hauls={0: [7]}, frank=0)
    for day in (5, 6, 7):
        assert answer(state, "hit") == [Hit(0, day)]
    assert answer(state, "stop") == [Stop(0, (5, 6, 7)), Build(0, 5), Rebuild(0, 7), Win(0)]
    assert state.players[0].livewell == [6]


def test_the_second_copy_is_discarded_too() -> None:
    """Ruling 1: the whole CAST goes to the DISCARD PILE, the card that bust it included."""
    state = rigged([[], []], draws=[3, 9, 3, 1])
    before = state.discard_pile.copy()
    answer(state, "hit")
    answer(state, "hit")
    assert answer(state, "hit") == [Hit(0, 3), Bust(0, (3, 9, 3))]
    assert state.discard_pile[3 - 1] == before[3 - 1] + 2
    assert state.discard_pile[9 - 1] == before[9 - 1] + 1
    assert (state.cast, state.turn) == ([], 1)


def test_bust_is_instant() -> None:
    """Ruling 2: no banking, burning or building; the LIVEWELL is kept and Frank goes back to the DOCK."""
    state = rigged([[4, 4, 4], []], draws=[4, 4, 1], stringers={0: [10, 11, 12]}, frank=0)
    answer(state, "hit")
    assert answer(state, "hit") == [Hit(0, 4), Bust(0, (4, 4)), Dock(0)]
    assert state.players[0].livewell == [4, 4, 4]
    assert state.players[0].stringers == [10, 11, 12]
    assert (state.frank, state.turn) == (None, 1)


def test_bust_leaves_the_frank_of_others() -> None:
    """Ruling 2: Frank goes to the DOCK only if he is with the player who bust."""
    state = rigged([[], []], draws=[4, 4, 1], frank=1)
    answer(state, "hit")
    assert answer(state, "hit") == [Hit(0, 4), Bust(0, (4, 4))]
    assert state.frank == 1


def test_bust_ends_protection() -> None:
    """Ruling 3: a turn that bust is a finished turn: protection clears."""
    state = rigged([[], []], draws=[4, 4, 1], protected=[0])
    answer(state, "hit")
    answer(state, "hit")
    assert not state.players[0].protected


def test_zero_hit_stop_takes_all_steps() -> None:
    """Ruling 4: a STOP without a HIT may burn, builds and wins like any other."""
    state = rigged([[1, 2, 3, 9, 9, 9], []], stringers={0: [11, 12]})
    assert answer(state, "stop") == [Stop(0, ())]
    answer(state, "swipe")
    assert answer(state, 1, 2, 3) == [Burn(0, (1, 2, 3)), Swipe(0, None), Build(0, 9), Win(0)]
    assert state.pending() == Outcome((0, 1), (3, 0))


def test_banked_cards_may_be_burned() -> None:
    """Ruling 5: the burn is asked after AUTO-BANK, and the cards just banked are among its options."""
    state = rigged([[8, 9], []], draws=[2, 10, 1])
    answer(state, "hit")
    answer(state, "hit")
    answer(state, "stop")
    answer(state, "swipe")
    assert asked(state) == Decision((2, 8, 9, 10), 3, 3)
    answer(state, 2, 9, 10)
    assert state.players[0].livewell == [8]


def test_burn_is_three_of_the_livewell() -> None:
    """Ruling 6: exactly three of the LIVEWELL, Days upwards; silence burns the first three; sets are no options."""
    state = rigged([[6, 2, 9, 2], []], stringers={0: [12]}, broken_hauls={0: [11]})
    answer(state, "stop")
    answer(state, "swipe")
    assert asked(state) == Decision((2, 2, 6, 9), 3, 3)
    assert asked(state).silence == (2, 2, 6)
    before = state.discard_pile.copy()
    answer(state, 2, 2, 9)
    assert (state.discard_pile[1] - before[1], state.discard_pile[8] - before[8]) == (2, 1)


def test_two_cards_cannot_burn() -> None:
    """Ruling 6: with fewer than three cards in the LIVEWELL there is no move, and nobody is asked for one."""
    state = rigged([[1, 2], []])
    assert answer(state, "stop") == [Stop(0, ())]
    assert state.turn == 1


@pytest.mark.parametrize("livewell", [[1, 2, 3], [7, 7, 7, 7]])
def test_a_burn_without_a_choice_is_not_asked(livewell: list[int]) -> None:
    """Three cards, or cards all of one Day, are burned without asking which."""
    state = rigged([livewell, []])
    answer(state, "stop")
    assert answer(state, "swipe")[:2] == [Burn(0, tuple(livewell[:3])), Swipe(0, None)]
    assert (state.turn, state.frank) == (1, 0)


def test_no_swipe_from_oneself() -> None:
    """Ruling 7 and 31: who holds Frank is not offered Swipe, and with no Cut legal is not asked to burn."""
    state = rigged([[1, 2, 3, 4], []], frank=0)
    assert answer(state, "stop") == [Stop(0, ())]
    assert state.turn == 1
    state = rigged([[1, 2, 3, 4], []], stringers={1: [5, 6]}, frank=0)
    answer(state, "stop")
    assert asked(state) == Decision(("none", Cut(1, 5), Cut(1, 6)))


def test_order_of_moves() -> None:
    """Flow: none, Swipe, then Cuts by opponent clockwise and Day upwards, one option a Day; silence is none."""
    state = rigged([[], [1], [1, 2, 3], []], stringers={0: [9, 4], 1: [3, 3, 2], 3: [12, 11]}, turn=2)
    answer(state, "stop")
    cuts = (Cut(3, 11), Cut(3, 12), Cut(0, 4), Cut(0, 9), Cut(1, 2), Cut(1, 3))
    assert asked(state) == Decision(("none", "swipe", *cuts))
    assert asked(state).silence == ("none",)


def test_cut_needs_two_sets() -> None:
    """Ruling 8: an opponent with one completed set cannot be cut; with two he can."""
    state = rigged([[1, 2, 3], [], []], stringers={1: [5], 2: [6, 7]})
    answer(state, "stop")
    assert asked(state).options == ("none", "swipe", Cut(2, 6), Cut(2, 7))


def test_cut_card_counts_at_once() -> None:
    """Ruling 9 and 10: one card of the set goes to the cutter's LIVEWELL and builds in the same turn."""
    state = rigged([[1, 2, 3, 6, 6], []], stringers={1: [6, 7]})
    answer(state, "stop")
    answer(state, Cut(1, 6))
    assert answer(state, 1, 2, 3) == [Burn(0, (1, 2, 3)), StringerCut(0, 1, 6), Build(0, 6)]
    assert state.players[0].livewell == []
    assert state.players[1].stringers == [7]
    assert state.players[1].broken_hauls == [6]


def test_protected_from_cut_to_end_of_own_turn() -> None:
    """Ruling 11: once cut, no second Cut before the end of the cut player's next turn; also before a first turn."""
    state = rigged([[1, 2, 3], [1, 2, 3], []], stringers={2: [6, 7, 8]})
    answer(state, "stop")
    answer(state, Cut(2, 6))
    assert state.players[2].protected
    answer(state, "stop")
    assert asked(state).options == ("none", "swipe")
    answer(state, "none")
    answer(state, "stop")
    assert (state.turn, state.players[2].protected) == (0, False)


def test_swipe_from_a_protected_player() -> None:
    """Ruling 12 and 13: Frank is protected by nothing: any opponent may swipe him in his own turn."""
    for thief in (0, 1):
        state = rigged([[1, 2, 3], [1, 2, 3], []], frank=2, protected=[2], turn=thief)
        answer(state, "stop")
        assert answer(state, "swipe") == [Burn(thief, (1, 2, 3)), Swipe(thief, 2)]
        assert state.frank == thief


@pytest.mark.parametrize(
    ("livewell", "hauls", "built", "left"),
    [
        # ruling 14: the triple is laid, and the haul of that Day stays broken unless there is a fourth card
        ([5, 5, 5], [5], [Build(0, 5)], ([], [5])),
        ([5, 5, 5, 5], [5], [Build(0, 5), Rebuild(0, 5)], ([], [])),
        # ruling 15: all that can be built is
        ([8, 8, 8, 2, 2, 2], [], [Build(0, 2), Build(0, 8)], ([], [])),
        ([2, 2, 2, 9], [9], [Build(0, 2), Rebuild(0, 9)], ([], [])),
        # ruling 16: six of a Day are two sets
        ([2] * 6, [], [Build(0, 2), Build(0, 2)], ([], [])),
        # ruling 17: two hauls of a Day need a third card each
        ([5], [5, 5], [Rebuild(0, 5)], ([], [5])),
        ([5, 5], [5, 5], [Rebuild(0, 5), Rebuild(0, 5)], ([], [])),
    ],
)
def test_what_is_built(
    livewell: list[int], hauls: list[int], built: list[Build | Rebuild], left: tuple[list[int], list[int]]
) -> None:
    """Ruling 14 to 17: all sets that can be built are built unasked, triples before BROKEN HAULS, each on its own."""
    state = rigged([livewell, []], broken_hauls={0: hauls}, frank=0)
    assert answer(state, "stop") == [Stop(0, ()), *built]
    player = state.players[0]
    assert (state.turn, player.livewell, player.broken_hauls) == (1, *left)
    assert player.stringers == [each.day for each in built]


def test_hauls_of_others_are_locked() -> None:
    """Ruling 18: the broken haul of another cannot be burned, taken or completed."""
    state = rigged([[5, 1, 2, 3], []], stringers={1: [6]}, broken_hauls={1: [5]})
    answer(state, "stop")
    assert asked(state).options == ("none", "swipe")
    assert answer(state, "swipe") == []
    assert asked(state).options == (1, 2, 3, 5)
    answer(state, 1, 2, 3)
    assert state.players[1].broken_hauls == [5]


def test_a_triple_may_be_burned_first() -> None:
    """Ruling 28: three alike of the opening hand lie until its owner's first STOP, and may be burned before BUILD."""
    bust = rigged([[5, 5, 5], []], draws=[1, 1, 2], unseen={0: [5, 5, 5]})
    answer(bust, "hit")
    answer(bust, "hit")
    assert bust.players[0].livewell == [5, 5, 5]
    burned = rigged([[5, 5, 5, 6], []], unseen={0: [5, 5, 5]})
    answer(burned, "stop")
    answer(burned, "swipe")
    assert answer(burned, 5, 5, 6) == [Burn(0, (5, 5, 6)), Swipe(0, None)]
    laid = rigged([[5, 5, 5], []], unseen={0: [5, 5, 5]})
    answer(laid, "stop")
    assert answer(laid, "none") == [Build(0, 5)]


def test_a_named_move_stands() -> None:
    """Ruling 32: first the move with opponent and Day, then the cards; the move cannot be taken back."""
    state = rigged([[1, 2, 3, 4], []], stringers={1: [6, 7]})
    answer(state, "stop")
    assert answer(state, Cut(1, 7)) == []
    assert state.move == Cut(1, 7)
    assert asked(state) == Decision((1, 2, 3, 4), 3, 3)
    assert answer(state, 1, 2, 3) == [Burn(0, (1, 2, 3)), StringerCut(0, 1, 7)]
    assert state.turn == 1


def test_one_move_a_turn() -> None:
    """7.2: after one Burn-3 move the turn goes on to BUILD, however many cards are left."""
    state = rigged([[1, 2, 3, 4, 5, 6, 7], []], stringers={1: [6, 7]})
    answer(state, "stop")
    answer(state, "swipe")
    answer(state, 1, 2, 3)
    assert state.turn == 1
