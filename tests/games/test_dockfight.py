"""The box, the deal and the papers of Dockfight."""

from collections import Counter

import pytest

from arena.game import Pending
from arena.games.dockfight import cards
from arena.games.dockfight.events import Bust, Cut, FinalScore, Hit, Stop, StringerCut, Swipe
from arena.games.dockfight.rules import deal
from tests.shelf.games.dockfight import rigged


def test_box() -> None:
    """What You Need: 96 Day cards of Days 1 to 12, eight copies each, and Fisherman Frank make 97 cards."""
    assert list(cards.DAYS) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert cards.COPIES[3] * len(cards.DAYS) == 96
    assert cards.COPIES[3] * len(cards.DAYS) + cards.FRANKS == 97
    assert (cards.OPENING_HAND, cards.SET, cards.HAUL, cards.BURN) == (3, 3, 2, 3)
    assert (cards.SETS_TO_WIN, cards.SETS_TO_BE_CUT, cards.STALLED_ROUNDS) == (3, 2, 2)


@pytest.mark.parametrize(
    ("seats", "copies", "deck", "draw_pile"),
    [(2, 6, 72, 66), (3, 8, 96, 87), (4, 16, 192, 180), (5, 16, 192, 177), (6, 16, 192, 174)],
)
def test_decks(seats: int, copies: int, deck: int, draw_pile: int) -> None:
    """Ruling 29 and 30: six copies of each Day for two, one deck for three, two decks and one Frank for four to six."""
    state = deal(seats, bytes(32), {})
    dealt = Counter(state.draw_pile)
    for player in state.players:
        assert len(player.livewell) == 3
        dealt.update(player.livewell)
    assert dealt == dict.fromkeys(cards.DAYS, copies)
    assert (dealt.total(), len(state.draw_pile)) == (deck, draw_pile)
    assert state.frank is None
    assert not any(player.stringers or player.broken_hauls or player.protected for player in state.players)


@pytest.mark.parametrize("answer", ["hit", "stop"])
def test_the_first_event_names_who_starts(answer: str) -> None:
    """Somebody is asked at once, and whatever the answer, the first event names the player drawn to start."""
    for number in range(20):
        state = deal(4, number.to_bytes(32, "big"), {})
        starts = state.turn
        first = state.apply({starts: (answer,)})[0]
        assert isinstance(first, (Hit, Stop))
        assert first.seat == starts


def test_clockwise() -> None:
    """Ruling 26 and 37: turns go by rising seat number, and from the last seat to seat 0."""
    state = rigged([[], [], [], []], turn=2)
    turns = []
    for _ in range(6):
        turns.append(state.turn)
        state.apply({state.turn: ("stop",)})
    assert turns == [2, 3, 0, 1, 2, 3]


def test_open_and_hidden() -> None:
    """Ruling 27: a LIVEWELL has no limit and its number is public; the whole DISCARD PILE is open; contents are not."""
    state = rigged([[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8], [9, 9, 10]], draws=[11], unseen={1: [9, 9, 10]})
    seen = state.observe(0)
    assert (seen.shown[1], seen.unseen[1]) == ((), 3)
    assert len(state.observe(1).shown[0]) + state.observe(1).unseen[0] == 16
    assert seen.discard_pile == (4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 6)
    state.apply({0: ("stop",)})
    assert len(state.players[0].livewell) == 16


def test_standing_before_the_end() -> None:
    """How the seats stand in the middle of a match is the Final Score comparison."""
    state = rigged([[], [], []], stringers={0: [1, 2, 3], 1: [1, 2, 4], 2: [12]}, frank=0)
    assert isinstance(state.pending(), Pending)
    assert state.standing().ranks == (1, 0, 2)
    assert state.standing().scores == (3, 3, 1)


def test_sentences() -> None:
    """An event or option is a sentence with seats written as ``seat 0``."""
    told = {
        Hit(0, 7): "seat 0 HITs and draws Day 7",
        Stop(1, ()): "seat 1 STOPs and banks nothing",
        Bust(1, (3, 9, 3)): "seat 1 BUSTs and discards Days 3, 9, 3",
        Swipe(0, None): "seat 0 swipes Fisherman Frank from the DOCK",
        Swipe(0, 2): "seat 0 swipes Fisherman Frank from seat 2",
        StringerCut(0, 1, 6): "seat 0 cuts seat 1's set of Day 6 and takes one card of it",
        Cut(1, 6): "cut seat 1's set of Day 6",
        FinalScore("empty", ((12, 7), ()), (0, 1)): "Final Score as the draw pile is empty: "
        "seat 0 is placed 1 with sets of Days 12, 7; seat 1 is placed 2 with sets of nothing",
    }
    assert {event: str(event) for event in told} == told
