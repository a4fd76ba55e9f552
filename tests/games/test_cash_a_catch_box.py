"""What is in the box of Cash-a-Catch, how it is prepared, and the table of rulings."""

import pytest

from arena.game import Pending
from arena.games.cash_a_catch import cards
from arena.games.cash_a_catch.events import Turned
from arena.games.cash_a_catch.rules import CashACatch, deal
from tests.games.walks import questions
from tests.shelf.games.cash_a_catch import census

LOT = {"bell": "lot"}


def dealt(number: int, seats: int = 4) -> CashACatch:
    """One of many deals."""
    return deal(seats, number.to_bytes(32, "little"), LOT)


def test_there_are_104_cards() -> None:
    """15 cards and 30 fish of each of six kinds, 6 jokers, 3 fish thieves, 3 canned fish, end phase, market closed."""
    assert sum(cards.SUPPLY.values()) + 2 == 104
    for kind in cards.FISH:
        assert [cards.SUPPLY[f"{kind} {value}"] for value in (1, 2, 3)] == [5, 5, 5]
    assert [cards.SUPPLY[f"{cards.OCTOPUS} {value}"] for value in (1, 2, 3)] == [2, 2, 2]
    assert (cards.SUPPLY[cards.FISH_THIEF], cards.SUPPLY[cards.CANNED_FISH]) == (3, 3)
    assert len(cards.FISH) == 6
    assert sum(cards.VALUE[card] * cards.SUPPLY[card] for card in cards.KIND) == 192


def test_the_price_list_is_as_printed() -> None:
    """1 to 10 fish bring 1 2 3 5 7 10 15 20 25 30 Euro, and half of it rounded up; the other sums are 30, 10, 1, 1."""
    assert cards.PRICES == (1, 2, 3, 5, 7, 10, 15, 20, 25, 30)
    assert cards.HALF_PRICES == (1, 1, 2, 3, 4, 5, 8, 10, 13, 15)
    assert (cards.START_MONEY, cards.LOT_PRICE, cards.COMMISSION, cards.GARBAGE_PRICE) == (30, 10, 1, 1)
    assert cards.PLACES == ("crate 1", "crate 2", "ice tub")


@pytest.mark.parametrize("fish", [10, 11, 30])
def test_more_than_ten_fish_are_paid_as_ten(fish: int) -> None:
    """Ten fish or more bring 30 Euro, or 15 at half price."""
    assert (cards.price(fish), cards.price(fish, cards.HALF_PRICES)) == (30, 15)


@pytest.mark.parametrize("number", range(40))
def test_the_supply_is_prepared_as_ruled(number: int) -> None:
    """The end phase is the 88th card, market closed one of the last six, and all cards are there."""
    state = dealt(number, 3 + number % 3)
    supply = [*reversed(state.deck)]
    assert len(supply) == 104
    assert supply[87] == cards.END_PHASE
    assert supply.index(cards.MARKET_CLOSED) >= 104 - cards.LAST_CARDS
    assert len(supply) - supply.index(cards.END_PHASE) - 1 == cards.BELOW_END_PHASE
    assert census(state) == {**cards.SUPPLY, cards.END_PHASE: 1, cards.MARKET_CLOSED: 1}


def test_chance_names_the_first_auctioneer() -> None:
    """Over many deals every seat is first auctioneer; he has nothing to sell, so the opening turns one card and tells.

    Before that nobody is asked.
    """
    deals = [dealt(number) for number in range(60)]
    assert {state.auctioneer for state in deals} == {0, 1, 2, 3}
    for state in deals:
        assert state.pending() == Pending({})
        top = state.deck[-1]
        assert state.apply({}) == [Turned(state.auctioneer, top)]
        assert (state.lot, state.step, len(state.deck)) == ([top], "auction", 103)


def test_everyone_starts_with_30_euro_and_an_empty_board() -> None:
    """30 Euro each, three empty places, an empty garbage can; all but the auctioneer may ring at the first card."""
    state = dealt(1)
    assert state.money == [30] * 4
    assert state.boards == [[[], [], []]] * 4
    assert state.garbage_cans == [[]] * 4
    state.apply({})
    decisions = questions(state)
    assert set(decisions) == {0, 1, 2, 3} - {state.auctioneer}
