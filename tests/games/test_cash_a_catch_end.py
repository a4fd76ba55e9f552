"""The end of Cash-a-Catch: market closed, the final sale, the garbage bill, the ranking."""

import pytest

from arena.chance import Chance
from arena.game import Outcome
from arena.games.cash_a_catch import GAME
from arena.games.cash_a_catch.cards import MARKET_CLOSED
from arena.games.cash_a_catch.events import Final, Garbage, Sold, Turned
from arena.laws.table import answers
from tests.shelf.games.cash_a_catch import rigged, ring


def test_market_closed_ends_the_game_at_once() -> None:
    """Nobody may ring any more; the lot is discarded without sale or commission, and the supply below never comes."""
    state = rigged(lot=["eel 3", "tuna 2"], supply=[MARKET_CLOSED])
    events = ring(state)
    assert events == [Turned(0, MARKET_CLOSED), Final((30, 30, 30, 30), (0, 0, 0, 0))]
    assert state.pending() == Outcome((0, 0, 0, 0), (30, 30, 30, 30))
    assert state.lot == []
    assert (state.discards["eel 3"], state.discards["tuna 2"]) == (1 + 4, 1 + 4)


def test_all_fish_are_sold_at_half_price_and_nothing_spoils() -> None:
    """Kind by kind, two places of a kind as one, jokers as their place, octopi alone as a kind; no spoilage."""
    state = rigged(
        supply=[MARKET_CLOSED],
        boards={0: [["eel 3", "eel 2"], ["octopus 2", "tuna 3"], ["eel 2"]], 1: [["eel 3"], [], ["octopus 3"]]},
    )
    events = ring(state)
    assert events[1:] == [
        Sold(0, "eel", 7, 8, half_price=True),
        Sold(0, "tuna", 5, 4, half_price=True),
        Sold(1, "eel", 3, 2, half_price=True),
        Sold(1, "octopus", 3, 2, half_price=True),
        Final((42, 34, 30, 30), (0, 1, 2, 2)),
    ]
    assert state.garbage_cans == [[]] * 4
    assert state.boards == [[[], [], []]] * 4


@pytest.mark.parametrize(("garbage", "price"), [(["eel 3", "octopus 2", "tuna 1", "shark 1"], 7), (["octopus 3"], 3)])
def test_garbage_costs_1_euro_a_fish(garbage: list[str], price: int) -> None:
    """1 to 3 Euro a card by its value, jokers included: the four cards of the example cost 7 Euro."""
    state = rigged(supply=[MARKET_CLOSED], garbage={2: garbage})
    events = ring(state)
    assert events[1] == Garbage(2, tuple(garbage), price)
    assert state.money == [30, 30, 30 - price, 30]


def test_the_garbage_bill_may_lead_below_zero() -> None:
    """Who cannot pay for his garbage ends with less than nothing, for the ranking."""
    state = rigged(supply=[MARKET_CLOSED], garbage={2: ["eel 3", "octopus 2"]}, money={2: 1})
    ring(state)
    assert state.standing() == Outcome((0, 0, 3, 0), (30, 30, -4, 30))


def test_equal_money_shares_a_rank() -> None:
    """The most money wins; ties share the better rank, victory included."""
    state = rigged(supply=[MARKET_CLOSED], money={0: 50, 1: 20, 2: 50, 3: 20})
    assert ring(state)[-1] == Final((50, 20, 50, 20), (0, 2, 0, 2))


def test_the_standing_is_that_of_an_end_now() -> None:
    """Before the end the standing counts half prices and the garbage bill; a catch not yet placed counts nothing."""
    state = rigged(lot=["eel 2", "tuna 3"], boards={1: [["eel 3", "eel 3"]]}, garbage={2: ["shark 3"]})
    assert state.standing() == Outcome((1, 0, 3, 1), (30, 35, 27, 30))
    ring(state, 3)
    assert state.standing().scores == (32, 35, 27, 20)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_supply_never_runs_out(seats: int) -> None:
    """Market closed comes before the supply is empty, whatever is played, and the discards are never used again."""
    for number in range(20):
        state = GAME.deal(seats, number.to_bytes(32, "little"), GAME.resolve_variants({}))
        dice = Chance(b"play", number * 10_000)
        cards = 0
        while not isinstance(pending := state.pending(), Outcome):
            cards += sum(isinstance(event, Turned) for event in state.apply(answers(pending, dice)))
        assert isinstance(state, GAME.state)
        assert 104 - 5 <= cards <= 104
        assert cards + len(state.deck) == 104
