"""Auctions of Cash-a-Catch: turning cards, the bell, paying, the commission, the game for three."""

from collections import Counter

import pytest

from arena.games.cash_a_catch.cards import CANNED_FISH, END_PHASE, FISH_THIEF, MARKET_CLOSED
from arena.games.cash_a_catch.events import Bought, Commission, Rang, Turned, Unused
from arena.games.cash_a_catch.rules import CashACatch
from tests.games.walks import questions
from tests.shelf.games.cash_a_catch import answer, question, rigged, ring


def asked(state: CashACatch) -> list[int]:
    """The seats that are asked now."""
    decisions = questions(state)
    return [*decisions]


def buyer_of(events: list[object]) -> int:
    """Who bought the one lot sold in these events."""
    (bought,) = [event for event in events if isinstance(event, Bought)]
    return bought.seat


def test_each_card_is_a_beat_for_all_who_may_ring() -> None:
    """After each card turned all but the auctioneer are asked at once, ring or wait; silence waits."""
    state = rigged(lot=["eel 1"], supply=["tuna 2", "shark 3"], auctioneer=1)
    for card in ("tuna 2", "shark 3"):
        decisions = questions(state)
        assert [*decisions] == [0, 2, 3]
        for decision in decisions.values():
            assert (decision.options, decision.least, decision.most, decision.silence) == (("ring",), 0, 1, ())
        assert ring(state) == [Turned(1, card)]
    assert state.lot == ["eel 1", "tuna 2", "shark 3"]


def test_the_buyer_pays_10_and_takes_all_that_is_face_up() -> None:
    """The lot is what lay face up at the beat of the ring, whatever it is worth, for 10 Euro to the bank."""
    state = rigged(lot=["eel 1", "tuna 2", "tuna 3"])
    events = ring(state, 2)
    assert events[:3] == [Rang((2,)), Bought(2, ("eel 1", "tuna 2", "tuna 3"), 10), Commission(0, 3)]
    assert state.money == [33, 30, 20, 30]
    assert state.catch == ["eel 1", "tuna 2", "tuna 3"]
    assert (state.lot, state.buyer) == ([], 2)


def test_the_example_of_the_rulebook_earns_5_euro() -> None:
    """An eel, 2 lobster, 3 tuna, 2 octopi, 3 eel: five cards at 10 Euro, 5 Euro of commission, 4 eel in all."""
    state = rigged(lot=["eel 1", "lobster 2", "tuna 3", "octopus 2"], supply=["eel 3"])
    assert ring(state) == [Turned(0, "eel 3")]
    events = ring(state, 1)
    assert events[1:3] == [Bought(1, ("eel 1", "lobster 2", "tuna 3", "octopus 2", "eel 3"), 10), Commission(0, 5)]
    assert state.money == [35, 20, 30, 30]
    assert sum(int(card[-1]) for card in state.catch if card.startswith("eel")) == 4


def test_the_bell_binds() -> None:
    """Who has rung has bought: the next question is about the catch, and there is no way back."""
    state = rigged(lot=["eel 1", "tuna 1"])
    ring(state, 3)
    assert state.step == "sorting"
    assert question(state, 3).least == 1


def test_rings_on_one_beat_are_ordered_by_lot() -> None:
    """Of those who ring together the lot picks one, each about as often; all are named and only the buyer pays."""
    wins: Counter[int] = Counter()
    for number in range(300):
        state = rigged(auctioneer=3, key=number.to_bytes(32, "little"))
        events = ring(state, 0, 1, 2)
        assert events[0] == Rang((0, 1, 2))
        buyer = buyer_of([*events])
        wins[buyer] += 1
        assert [state.money[seat] for seat in (0, 1, 2)] == [20 if seat == buyer else 30 for seat in (0, 1, 2)]
    assert all(70 <= wins[seat] <= 130 for seat in (0, 1, 2)), wins


@pytest.mark.parametrize(
    ("auctioneer", "seats", "buyer"),
    [(0, (1, 2, 3), 1), (1, (0, 3), 3), (2, (0, 1), 0), (3, (1, 2), 1), (3, (0, 4), 4)],
)
def test_with_the_variant_the_nearest_clockwise_wins(auctioneer: int, seats: tuple[int, ...], buyer: int) -> None:
    """With ``bell=nearest`` the one who rang nearest clockwise (rising seats) to the auctioneer buys."""
    assert buyer_of([*ring(rigged(5, auctioneer=auctioneer, bell="nearest"), *seats)]) == buyer


def test_the_earliest_bell_is_at_the_first_card() -> None:
    """The first card alone can be bought."""
    assert buyer_of([*ring(rigged(lot=["shark 3"]), 1)]) == 1


@pytest.mark.parametrize("seats", [4, 5])
def test_with_4_or_5_the_auctioneer_may_not_buy(seats: int) -> None:
    """The auctioneer is not asked, so that his bell cannot sound."""
    assert asked(rigged(seats, auctioneer=2)) == [seat for seat in range(seats) if seat != 2]


def test_with_3_the_auctioneer_may_buy_for_no_commission() -> None:
    """In a game for three he is asked too; buying himself he pays 10 Euro and earns nothing."""
    state = rigged(3, lot=["eel 1", "tuna 1"], auctioneer=1)
    assert asked(state) == [0, 1, 2]
    events = ring(state, 1)
    assert not any(isinstance(event, Commission) for event in events)
    assert state.money == [30, 20, 30]


@pytest.mark.parametrize("bell", ["lot", "nearest"])
@pytest.mark.parametrize("number", range(8))
def test_with_3_the_auctioneers_ring_yields_to_any_other(bell: str, number: int) -> None:
    """His ring counts only if nobody else rings on the same beat."""
    state = rigged(3, auctioneer=1, bell="lot" if bell == "lot" else "nearest", key=number.to_bytes(32, "little"))
    events = ring(state, 1, 2)
    assert events[0] == Rang((1, 2))
    assert buyer_of([*events]) == 2


def test_who_has_less_than_10_euro_cannot_ring() -> None:
    """10 Euro are enough, 9 are not; no credit."""
    assert asked(rigged(money={1: 9, 2: 10})) == [2, 3]


def test_when_nobody_may_ring_the_cards_are_turned_on() -> None:
    """With everyone too poor nobody is asked: cards are turned until market closed ends the game."""
    state = rigged(supply=["tuna 1", "tuna 2", MARKET_CLOSED], money={0: 8, 1: 9, 2: 9, 3: 10}, auctioneer=0)
    assert asked(state) == [3]
    ring(state, 3)
    answer(state, 3, "place eel 1 in crate 1")
    events = answer(state, 3)
    assert events[:3] == [Turned(1, "tuna 1"), Turned(1, "tuna 2"), Turned(1, MARKET_CLOSED)]
    assert state.step == "market closed"


@pytest.mark.parametrize(("seats", "end"), [(4, True), (3, False)])
def test_a_rich_auctioneer_among_the_poor_is_asked_only_with_three(seats: int, *, end: bool) -> None:
    """If only the auctioneer has 10 Euro nobody is asked with four seats, and he alone with three."""
    state = rigged(seats, supply=["tuna 1", MARKET_CLOSED], money={0: 0, 1: 30, 2: 10, 3: 0}, auctioneer=0)
    ring(state, 2)
    answer(state, 2, "place eel 1 in crate 1")
    answer(state, 2)
    assert state.auctioneer == 1
    assert (state.step == "market closed") == end
    if not end:
        assert asked(state) == [1]


def test_if_nobody_wants_to_ring_the_game_still_ends() -> None:
    """The auctioneer keeps turning until market closed, and everyone shares the victory with 30 Euro."""
    state = rigged(lot=["eel 1"])
    while state.step != "market closed":
        ring(state)
    assert state.standing().ranks == (0, 0, 0, 0)
    assert state.standing().scores == (30, 30, 30, 30)
    assert state.auctioneer == 0


def test_commission_is_paid_for_every_card_but_the_end_phase() -> None:
    """1 Euro for each card bought, action cards included; the end phase is set aside and not sold."""
    state = rigged(lot=["eel 1", FISH_THIEF, CANNED_FISH, "octopus 3"], supply=[END_PHASE])
    assert ring(state) == [Turned(0, END_PHASE)]
    assert state.lot == ["eel 1", FISH_THIEF, CANNED_FISH, "octopus 3"]
    assert ring(state, 1)[2] == Commission(0, 4)


def test_the_end_phase_is_a_beat_if_there_is_a_lot() -> None:
    """All who may ring are asked again when the end phase appears beside at least one card."""
    state = rigged(lot=["eel 1"], supply=[END_PHASE, "tuna 1"])
    assert ring(state) == [Turned(0, END_PHASE)]
    assert state.end_phase
    assert asked(state) == [1, 2, 3]
    assert state.lot == ["eel 1"]


def test_the_end_phase_alone_is_no_lot() -> None:
    """As the first card of an auction it is set aside and the next card is turned; nobody is asked in between."""
    state = rigged(lot=["eel 1"], supply=[END_PHASE, "tuna 1"])
    ring(state, 2)
    events = answer(state, 2, "place eel 1 in crate 1")
    assert events[1:] == [Turned(1, END_PHASE), Turned(1, "tuna 1")]
    assert asked(state) == [0, 2, 3]
    assert state.lot == ["tuna 1"]


def test_a_lot_of_action_cards_only_is_a_lot() -> None:
    """It is bought for 10 Euro and pays commission; without use its cards are discarded."""
    state = rigged(lot=[FISH_THIEF, CANNED_FISH])
    events = ring(state, 1)
    assert events[1:5] == [
        Bought(1, (FISH_THIEF, CANNED_FISH), 10),
        Commission(0, 2),
        Unused(1, FISH_THIEF),
        Unused(1, CANNED_FISH),
    ]
    assert state.discards == {FISH_THIEF: 1, CANNED_FISH: 1}


@pytest.mark.parametrize("buyer", [1, 2, 3])
def test_the_auctioneer_passes_clockwise_whoever_bought(buyer: int) -> None:
    """After each auction the next seat in rising order is auctioneer, after the last one the first."""
    state = rigged(auctioneer=0)
    ring(state, buyer)
    answer(state, buyer, "place eel 1 in crate 1")
    if buyer == 1:
        assert state.step == "sale"
        answer(state, 1)
    assert state.auctioneer == 1
    state = rigged(auctioneer=3)
    ring(state, 1)
    answer(state, 1, "place eel 1 in crate 1")
    assert state.auctioneer == 0


def test_a_silent_auctioneer_earns_his_commission() -> None:
    """Saying nothing he sells nothing, the cards are turned all the same, and the commission is his."""
    state = rigged(step="sale", boards={0: [["eel 3"]]}, supply=["tuna 1"])
    assert question(state, 0).silence == ()
    assert answer(state, 0) == [Turned(0, "tuna 1")]
    assert state.boards[0] == [["eel 3"], [], []]
    assert ring(state, 2)[2] == Commission(0, 1)
