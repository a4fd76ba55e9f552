"""The scenarios of `readings/dockfight.md`, Dockfight's rulebook read without its code, each played out by hand."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Decision, Outcome, Pending
from arena.games.dockfight import GAME
from arena.games.dockfight.events import Build, Burn, Bust, Cut, Dock, Hit, Rebuild, Stop, StringerCut, Swipe, Win
from arena.games.dockfight.rules import Dockfight
from tests.games.test_dockfight_turn import answer, asked
from tests.shelf.games.dockfight import census, rigged

READING = Path(__file__).parent / "readings" / "dockfight.md"
STOP_HIT = Decision(("stop", "hit"))


def table(
    livewells: Sequence[Sequence[int]],
    *,
    top: Sequence[int] = (),
    cast: Sequence[int] = (),
    stalled: int = 0,
    **zones: Any,
) -> Dockfight:
    """A table set up by hand with a well filled draw pile: ``top`` is drawn first, ``cast`` lies before ``turn``."""
    state = rigged(livewells, **zones)
    for day in (*cast, *top):
        state.draw_pile.remove(day)
    state.draw_pile += reversed(top)
    state.cast = list(cast)
    state.stalled = stalled
    state.stalling = not cast
    return state


def discarded(state: Dockfight) -> list[int]:
    """The cards of the discard pile, Days upwards."""
    return [day for day, copies in enumerate(state.discard_pile, 1) for _ in range(copies)]


def play(state: Dockfight, *picks: str | Cut) -> Dockfight:
    """Answer one question after the other with one option each."""
    for pick in picks:
        answer(state, pick)
    return state


def test_the_reading_and_its_tests_agree() -> None:
    """The reading has twenty numbered scenarios with an expected result each, and every one has its test here."""
    text = READING.read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    tests = [re.match(r"test_scenario_(\d\d)_", name) for name in globals()]
    assert numbers == list(range(1, 21))
    assert text.count("**Expected:**") == text.count("*Rests on:*") == 20
    assert sorted(int(found[1]) for found in tests if found) == numbers


@pytest.mark.parametrize(("n", "copies", "pile"), [(2, 6, 66), (3, 8, 87), (4, 16, 180), (5, 16, 177), (6, 16, 174)])
def test_scenario_01_box_at_every_table(n: int, copies: int, pile: int) -> None:
    """The deal gives everyone three cards, leaves the right pile, and puts Frank in the DOCK; anyone may start."""
    state = GAME.deal(n, bytes(32), {})
    assert isinstance(state, Dockfight)
    assert [len(player.livewell) for player in state.players] == [3] * n
    assert len(state.draw_pile) == pile
    assert census(state) == Counter({f"Day {day}": copies for day in range(1, 13)} | {"Fisherman Frank": 1})
    assert (state.frank, state.cast, discarded(state)) == (None, [], [])
    assert not any(player.stringers or player.broken_hauls for player in state.players)
    assert asked(state) == STOP_HIT
    starters: set[int] = set()
    for seed in range(100):
        pending = GAME.deal(n, seed.to_bytes(32, "big"), {}).pending()
        assert isinstance(pending, Pending)
        starters |= pending.decisions.keys()
    assert starters == set(range(n))
    assert 1 not in GAME.seats
    assert 7 not in GAME.seats
    assert GAME.variants == {}


def test_scenario_02_silent_table_of_three() -> None:
    """Nobody ever answers: twelve questions in six turns, then a shared win without a set or a card drawn."""
    hands = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    state = table(hands, turn=1)
    assert len(state.draw_pile) == 87
    for turn in (1, 2, 0, 1, 2, 0):
        for question in (STOP_HIT, Decision(("none", "swipe"))):
            assert asked(state) == question
            assert state.turn == turn
            state.apply({turn: question.silence})
    assert state.pending() == Outcome((0, 0, 0), (0, 0, 0))
    assert len(state.draw_pile) == 87
    assert [player.livewell for player in state.players] == hands


def test_scenario_03_what_restarts_the_count_of_stalled_turns() -> None:
    """Building does not restart the count of stalled turns; a burn without a HIT does."""
    state = table([[8, 8, 8, 1], [2, 3, 4, 5]], stalled=2)
    play(state, "stop", "none")
    assert (state.players[0].stringers, state.observe(0).stalled) == ([8], 3)
    play(state, "stop", "swipe")
    assert asked(state) == Decision((2, 3, 4, 5), 3, 3)
    answer(state, 2, 3, 4)
    for count in range(4):
        assert (state.observe(1).stalled, state.turn, asked(state)) == (count, count % 2, STOP_HIT)
        answer(state, "stop")
    assert state.pending() == Outcome((0, 1), (1, 0))


def test_scenario_04_last_stalled_turn_may_still_win() -> None:
    """The win check of the last stalled turn comes before Final Score."""
    zones = {0: [12, 11, 10], 1: [2, 5]}
    state = table([[], [9, 9, 9]], stringers=zones, frank=1, turn=1, stalled=3)
    answer(state, "stop")
    assert asked(state) == Decision(("none", Cut(0, 10), Cut(0, 11), Cut(0, 12)))
    assert answer(state, "none") == [Build(1, 9), Win(1)]
    assert state.pending() == Outcome((1, 0), (3, 3))


def test_scenario_05_bust() -> None:
    """A bust discards the CAST, docks Frank, skips all steps, ends protection and restarts the stalled count."""
    state = table(
        [[], [], [2, 6, 6, 6]],
        top=[9],
        cast=[4, 9],
        stalled=4,
        stringers={2: [1, 3]},
        frank=2,
        protected=[2],
        turn=2,
    )
    assert answer(state, "hit") == [Hit(2, 9), Bust(2, (4, 9, 9)), Dock(2)]
    player = state.players[2]
    assert (discarded(state), state.cast, state.frank) == ([4, 9, 9], [], None)
    assert (player.livewell, player.stringers, player.protected) == ([2, 6, 6, 6], [1, 3], False)
    assert (state.observe(0).stalled, state.turn, asked(state)) == (0, 0, STOP_HIT)


def test_scenario_06_only_the_cast_can_bust() -> None:
    """A Day that lies in LIVEWELL, STRINGERS and BROKEN HAULS does not bust; one copy mends the haul, one stays."""
    state = table([[5], [], []], top=[5], stringers={0: [5]}, broken_hauls={0: [5]})
    assert answer(state, "hit") == [Hit(0, 5)]
    assert (state.turn, asked(state)) == (0, STOP_HIT)
    assert answer(state, "stop") == [Stop(0, (5,)), Rebuild(0, 5)]
    player = state.players[0]
    assert (player.stringers, player.broken_hauls, player.livewell) == ([5, 5], [], [5])
    assert (state.turn, asked(state)) == (1, STOP_HIT)


def test_scenario_07_when_the_burn_move_is_not_asked() -> None:
    """No burn-3 question without a legal move, nor with two cards."""
    state = table(
        [[1, 2, 3, 4, 5], [10, 11], []],
        stringers={1: [9], 2: [6, 7, 8]},
        frank=0,
        protected=[2],
    )
    answer(state, "stop")
    assert (state.turn, asked(state)) == (1, STOP_HIT)
    answer(state, "stop")
    assert (state.turn, asked(state)) == (2, STOP_HIT)
    assert (state.observe(0).stalled, discarded(state)) == (2, [])
    assert [player.protected for player in state.players] == [False, False, True]


def test_scenario_08_order_of_the_moves() -> None:
    """None, Swipe, then Cuts by opponent clockwise and Day upwards, once a Day; the protected are left out."""
    state = table(
        [[], [1, 2, 3], [], []],
        stringers={2: [9, 3], 3: [12, 6], 0: [11, 4, 11]},
        broken_hauls={3: [5]},
        frank=2,
        protected=[3],
        turn=1,
    )
    answer(state, "stop")
    assert asked(state) == Decision(("none", "swipe", Cut(2, 3), Cut(2, 9), Cut(0, 4), Cut(0, 11)))


def test_scenario_09_burning() -> None:
    """Cards just banked may be burned; they are offered Days upwards and silence burns the first three."""
    state = play(table([[7, 12], []], top=[7, 1, 4]), "hit", "hit", "hit", "stop")
    move = asked(state)
    assert move == Decision(("none", "swipe"))
    silent = state.copy()
    answer(state, "swipe")
    cards = asked(state)
    assert cards == Decision((1, 4, 7, 7, 12), 3, 3)
    assert answer(state, *cards.silence) == [Burn(0, (1, 4, 7)), Swipe(0, None)]
    assert (state.players[0].livewell, discarded(state), state.frank) == ([7, 12], [1, 4, 7], 0)
    assert (state.turn, asked(state)) == (1, STOP_HIT)
    assert answer(silent, *move.silence) == []
    assert (silent.players[0].livewell, discarded(silent), silent.frank) == ([1, 4, 7, 7, 12], [], None)
    assert (silent.turn, asked(silent)) == (1, STOP_HIT)


def test_scenario_10_cut_that_mends_a_haul_and_wins() -> None:
    """A card cut from an opponent completes the own haul in the same turn and may win; the others are ranked below."""
    state = table(
        [[3, 4, 8], [], []],
        stringers={0: [1, 2], 1: [5, 10, 11, 12], 2: [12, 11, 9]},
        broken_hauls={0: [5]},
        frank=0,
    )
    answer(state, "stop")
    events = answer(state, Cut(1, 5))
    assert events == [Burn(0, (3, 4, 8)), StringerCut(0, 1, 5), Rebuild(0, 5), Win(0)]
    assert discarded(state) == [3, 4, 8]
    assert (sorted(state.players[1].stringers), state.players[1].broken_hauls) == ([10, 11, 12], [5])
    assert state.pending() == Outcome((0, 1, 2), (3, 3, 3))


@pytest.mark.parametrize(
    ("burned", "livewell", "stringers"), [((1, 2, 3), [], [10]), ((1, 10, 10), [2, 3, 10], [])], ids=["low", "high"]
)
def test_scenario_11_cut_from_two_sets_of_one_day(
    burned: tuple[int, ...], livewell: list[int], stringers: list[int]
) -> None:
    """Two sets of one Day are one option; the card to be taken cannot pay for the Cut, and counts once taken."""
    state = table([[1, 2, 3, 10, 10], [], []], stringers={1: [10, 10]}, frank=0)
    answer(state, "stop")
    assert asked(state) == Decision(("none", Cut(1, 10)))
    answer(state, Cut(1, 10))
    assert asked(state) == Decision((1, 2, 3, 10, 10), 3, 3)
    answer(state, *burned)
    cutter, target = state.players[:2]
    assert (target.stringers, target.broken_hauls, target.protected) == ([10], [10], True)
    assert (cutter.livewell, cutter.stringers) == (livewell, stringers)
    assert discarded(state) == sorted(burned)


def test_scenario_12_how_long_protection_lasts() -> None:
    """A player is safe from Cuts from one Cut to the end of the own next turn, a bust included."""
    state = table([[1, 2, 3, 4], [5, 6, 7], []], top=[8, 8, 6], stringers={2: [12, 11, 10]})
    play(state, "stop", Cut(2, 12))
    answer(state, 1, 2, 3)
    answer(state, "stop")
    assert (state.turn, asked(state)) == (1, Decision(("none", "swipe")))
    play(state, "none", "hit", "hit")
    assert state.observe(1).protected == (False, False, False)
    play(state, "hit", "stop")
    assert (state.turn, state.players[0].livewell) == (0, [4, 6, 12])
    assert asked(state) == Decision(("none", "swipe", Cut(2, 10), Cut(2, 11)))


def test_scenario_13_protection_does_not_hold_frank() -> None:
    """Frank may be swiped from a protected player; with two sets he does not win yet."""
    state = table(
        [[], [5, 6, 7], []],
        stringers={1: [3, 4], 2: [10]},
        broken_hauls={2: [12]},
        frank=2,
        protected=[2],
        turn=1,
    )
    answer(state, "stop")
    assert asked(state) == Decision(("none", "swipe"))
    assert answer(state, "swipe") == [Burn(1, (5, 6, 7)), Swipe(1, 2)]
    assert (state.frank, state.players[1].livewell, state.players[2].protected) == (1, [], True)
    assert (state.turn, asked(state)) == (2, STOP_HIT)


def test_scenario_14_haul_is_its_owners_alone() -> None:
    """Nobody else completes a haul; its owner does, unasked, even in a turn without a HIT."""
    state = table([[1, 2, 3, 7], [7], []], stringers={1: [7, 9]}, frank=0)
    play(state, "stop", Cut(1, 7))
    answer(state, 1, 2, 3)
    cutter, owner = state.players[:2]
    assert (cutter.livewell, cutter.stringers) == ([7, 7], [])
    assert (owner.stringers, owner.broken_hauls, owner.protected) == ([9], [7], True)
    assert answer(state, "stop") == [Stop(1, ()), Rebuild(1, 7)]
    assert (sorted(owner.stringers), owner.broken_hauls, owner.livewell, owner.protected) == ([7, 9], [], [], False)
    assert (state.turn, asked(state)) == (2, STOP_HIT)


@pytest.mark.parametrize(
    ("livewell", "hauls", "stringers", "left"),
    [([6] * 3, [6], [6], [6]), ([6] * 4, [6], [6, 6], []), ([6], [6, 6], [6], [6]), ([6, 6], [6, 6], [6, 6], [])],
)
def test_scenario_15_triples_first_hauls_second(
    livewell: list[int], hauls: list[int], stringers: list[int], left: list[int]
) -> None:
    """Triples are laid before hauls are completed, and each haul needs a third card of its own."""
    state = table([livewell, [], []], broken_hauls={0: hauls}, frank=0)
    answer(state, "stop")
    player = state.players[0]
    assert (player.stringers, player.broken_hauls, player.livewell, state.turn) == (stringers, left, [], 1)


def test_scenario_16_three_alike_in_the_opening_hand() -> None:
    """A triple of the opening hand is laid at the first STOP, unless it is burned before; a bust lays nothing."""
    state = table([[2, 2, 2], []], top=[5, 5], unseen={0: [2, 2, 2]})
    laid = play(state.copy(), "stop", "none")
    assert (laid.players[0].stringers, laid.players[0].livewell, laid.turn) == ([2], [], 1)
    burned = play(state.copy(), "stop", "swipe")
    assert (burned.players[0].stringers, burned.players[0].livewell, burned.turn) == ([], [], 1)
    assert (discarded(burned), burned.frank) == ([2, 2, 2], 0)
    bust = play(state.copy(), "hit", "hit")
    assert (bust.players[0].stringers, bust.players[0].livewell, bust.turn) == ([], [2, 2, 2], 1)
    assert discarded(bust) == [5, 5]


@pytest.mark.parametrize(("last", "frank", "ranks"), [(6, None, (0, 0)), (7, 0, (0, 1))], ids=["bust", "safe"])
def test_scenario_17_last_card_busts_or_does_not(last: int, frank: int | None, ranks: tuple[int, int]) -> None:
    """The last card ends the game: a bust docks Frank and the win is shared, a safe card lets him break the tie."""
    state = rigged([[], []], draws=[6, last], stringers={0: [9, 4], 1: [9, 4]}, frank=0)
    play(state, "hit")
    assert (state.cast, asked(state)) == ([6], STOP_HIT)
    answer(state, "hit")
    assert state.frank == frank
    assert state.players[0].livewell == ([] if frank is None else [6, 7])
    assert state.pending() == Outcome(ranks, (2, 2))


def test_scenario_18_last_card_leaves_one_more_move() -> None:
    """After a safe last card only the burn-3 move is asked; a win stands, or else Final Score decides."""
    state = rigged([[1, 4, 6, 8, 8], []], draws=[8], stringers={0: [2, 3], 1: [9, 10, 11, 12]})
    before = Counter(discarded(state))
    answer(state, "hit")
    assert asked(state) == Decision(("none", "swipe", Cut(1, 9), Cut(1, 10), Cut(1, 11), Cut(1, 12)))
    win = play(state.copy(), "swipe")
    assert asked(win) == Decision((1, 4, 6, 8, 8, 8), 3, 3)
    assert answer(win, 1, 4, 6) == [Burn(0, (1, 4, 6)), Swipe(0, None), Build(0, 8), Win(0)]
    assert win.pending() == Outcome((0, 1), (3, 4))
    assert play(state.copy(), "none").pending() == Outcome((1, 0), (3, 4))
    cut = play(state.copy(), Cut(1, 12))
    answer(cut, 1, 4, 6)
    assert (cut.players[0].livewell, Counter(discarded(cut)) - before) == ([12], Counter([1, 4, 6]))
    assert cut.pending() == Outcome((1, 0), (3, 3))


@pytest.mark.parametrize(
    ("stringers", "frank", "ranks", "scores"),
    [
        ({0: [12, 3, 1], 1: [12, 4, 1], 2: [11, 10, 9]}, None, (1, 0, 2), (3, 3, 3)),
        ({0: [9, 7], 1: [9, 8], 2: [12]}, None, (1, 0, 2), (2, 2, 1)),
        ({0: [9], 1: [9]}, 1, (1, 0, 2), (1, 1, 0)),
        ({0: [9], 1: [9]}, 2, (0, 0, 2), (1, 1, 0)),
        ({}, 1, (1, 0, 1), (0, 0, 0)),
    ],
)
def test_scenario_19_final_score(
    stringers: dict[int, list[int]], frank: int | None, ranks: tuple[int, ...], scores: tuple[int, ...]
) -> None:
    """Most sets, then their Days from high to low, then Frank if his holder is among the tied; else shared."""
    hauls = {2: [11]} if len(stringers.get(2, [])) == 1 else {}
    state = rigged([[], [], []], draws=[2], stringers=stringers, broken_hauls=hauls, frank=frank)
    answer(state, "hit")
    assert state.pending() == Outcome(ranks, scores)


def test_scenario_20_what_the_others_know_of_a_livewell() -> None:
    """Others know of a LIVEWELL what they saw going in, less what they saw leaving, and what was not built."""
    hands = [[2, 4, 9], [1, 5, 8], [3, 10, 11]]
    state = play(table(hands, top=[4, 6], unseen=dict(enumerate(hands))), "hit", "hit", "stop", "swipe")

    hidden = state.copy()
    answer(hidden, 2, 4, 6)
    assert (hidden.players[0].livewell, hidden.observe(0).livewell) == ([4, 9], (4, 9))
    other = hidden.copy()
    other.players[0].livewell, other.players[0].unseen = [8, 10], [8, 10]
    other.draw_pile = [day for day in other.draw_pile if day not in {8, 10}] + [8] * 6 + [10] * 6 + [4, 9]
    assert census(other) == census(hidden)
    for seat in (1, 2):
        seen = hidden.observe(seat)
        assert (seen.shown[0], seen.unseen[0]) == ((), 2)
        assert msgspec.json.encode((seen, hidden.pending())) == msgspec.json.encode(
            (other.observe(seat), other.pending())
        )

    answer(state, 2, 6, 9)
    seen = state.observe(1)
    assert (seen.shown[0], seen.unseen[0]) == ((4,), 1)
    for key in range(200):
        guess = GAME.imagine(seen, Chance(key.to_bytes(8, "big")))
        assert isinstance(guess, Dockfight)
        assert guess.observe(1) == seen
        assert (len(guess.players[0].livewell), guess.players[1].livewell) == (2, [1, 5, 8])
        assert 4 in guess.players[0].livewell

    state = table([[1, 5, 5], [1, 2, 4, 6], []], stringers={0: [3, 9]}, broken_hauls={0: [7]}, unseen={0: [1]}, frank=0)
    play(state, "stop", "stop", Cut(0, 3))
    answer(state, 1, 2, 4)
    seen = state.observe(2)
    assert (seen.shown[0], seen.unseen[0], seen.broken_hauls[0]) == ((5, 5), 1, (7, 3))
    drawn = set()
    for key in range(400):
        guess = GAME.imagine(seen, Chance(key.to_bytes(8, "big")))
        assert isinstance(guess, Dockfight)
        (day,) = (Counter(guess.players[0].livewell) - Counter([5, 5])).elements()
        drawn.add(day)
    assert drawn == set(range(1, 13)) - {5, 7}
