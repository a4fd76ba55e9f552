"""Sales and spoilage of Cash-a-Catch."""

import pytest

from arena.game import Pending
from arena.games.cash_a_catch.cards import END_PHASE
from arena.games.cash_a_catch.events import Event, Sold, Spoiled, Turned
from arena.games.cash_a_catch.rules import CashACatch
from tests.shelf.games.cash_a_catch import answer, question, rigged, ring, sort_catch


def spoiled(events: list[Event]) -> list[Spoiled]:
    """The spoilage among these events."""
    return [event for event in events if isinstance(event, Spoiled)]


def selling(kinds: tuple[str, ...], *boards: list[list[str]]) -> tuple[CashACatch, list[Event]]:
    """Seat 0, with the first board, sells these kinds; the next seats have the other boards."""
    state = rigged(step="sale", boards=dict(enumerate(boards)))
    return state, answer(state, 0, *kinds)


def test_the_example_of_the_rulebook_earns_22_euro() -> None:
    """5 eel bring 7 Euro, 7 flounder of which 3 are octopi bring 15; the opponent loses his eel 2, not his flounder."""
    state, events = selling(
        ("eel", "flounder"),
        [["eel 3", "eel 2"], ["flounder 3", "octopus 3", "flounder 1"]],
        [["eel 1", "eel 2", "eel 1"], [], ["flounder 3"]],
    )
    assert events[:3] == [Sold(0, "eel", 5, 7), Spoiled(1, "eel 2", 0), Sold(0, "flounder", 7, 15)]
    assert state.money[0] == 52
    assert state.boards[:2] == [[[], [], []], [["eel 1", "eel 1"], [], ["flounder 3"]]]
    assert state.garbage_cans[1] == ["eel 2"]
    assert state.discards == {"eel 3": 1, "eel 2": 1, "flounder 3": 1, "octopus 3": 1, "flounder 1": 1}


def test_the_auctioneer_may_sell_any_number_of_kinds_fewest_fish_first() -> None:
    """Before his auction he is offered the kinds on his board, fewest fish first, and picks from none to all."""
    state = rigged(step="sale", boards={0: [["eel 3", "eel 1"], ["tuna 1"], ["octopus 2"]]}, supply=["shark 1"])
    decision = question(state, 0)
    assert (decision.options, decision.least, decision.most) == (("tuna", "octopus", "eel"), 0, 3)
    events = answer(state, 0)
    assert events == [Turned(0, "shark 1")]
    assert state.money[0] == 30


def test_kinds_of_equally_many_fish_are_offered_in_board_order() -> None:
    """Ties among the kinds on sale: crate 1, crate 2, ice tub."""
    state = rigged(step="sale", boards={0: [["tuna 2"], ["eel 1"], ["shark 1", "octopus 1"]]})
    assert question(state, 0).options == ("eel", "tuna", "shark")


def test_there_is_one_sale_before_the_auction_and_none_after() -> None:
    """Once cards are turned the auctioneer is not asked to sell until his next turn, not even after the auction."""
    state = rigged(step="sale", boards={0: [["eel 3"], ["tuna 1"]]}, supply=["shark 1"])
    answer(state, 0, "tuna")
    assert state.step == "auction"
    ring(state, 2)
    sort_catch(state, 2, "shark 1 in crate 1")
    assert (state.step, state.auctioneer) == ("auction", 1)


def test_who_has_no_fish_is_not_asked_to_sell() -> None:
    """An auctioneer with an empty board turns his first card at once."""
    state = rigged(supply=["tuna 1"])
    ring(state, 2)
    assert sort_catch(state, 2, "eel 1 in ice tub")[-1] == Turned(1, "tuna 1")


def test_one_kind_in_two_places_is_sold_as_one_number() -> None:
    """Both places go together and bring the price of their sum, with the jokers in them."""
    state, events = selling(("eel",), [["eel 3"], ["octopus 1", "eel 2"], ["tuna 1"]])
    assert events[0] == Sold(0, "eel", 6, 10)
    assert state.boards[0] == [[], [], ["tuna 1"]]


def test_jokers_are_sold_as_the_kind_of_their_place() -> None:
    """Octopi leave with the fish they lie with, and not with another kind."""
    state, events = selling(("tuna",), [["eel 1", "octopus 3"], ["octopus 2", "tuna 1"]])
    assert events[0] == Sold(0, "tuna", 3, 3)
    assert state.boards[0] == [["eel 1", "octopus 3"], [], []]


def test_octopi_alone_are_a_kind_of_their_own() -> None:
    """A place of octopi only is sold as octopus and spoils only such crates of others."""
    state, events = selling(
        ("octopus",),
        [["octopus 2", "octopus 1"]],
        [["octopus 2"], ["eel 1", "octopus 3"]],
        [["eel 2"], [], ["octopus 1"]],
    )
    assert events[0] == Sold(0, "octopus", 3, 3)
    assert spoiled(events) == [Spoiled(1, "octopus 2", 0)]
    assert state.garbage_cans == [[], ["octopus 2"], [], []]


def test_eleven_fish_bring_30_euro_and_are_all_discarded() -> None:
    """More than ten fish are paid as ten; none stays."""
    state, events = selling(("eel",), [["eel 3", "eel 3", "eel 3", "eel 2"]])
    assert events[0] == Sold(0, "eel", 11, 30)
    assert state.boards[0] == [[], [], []]


def test_the_highest_valued_card_spoils() -> None:
    """Not the topmost: the card of the kind with the most fish, and it could be a joker."""
    _, events = selling(
        ("eel",), [["eel 1"]], [["eel 1", "eel 3", "eel 2"]], [[], ["eel 2", "octopus 3", "eel 1"]], [[], [], ["eel 3"]]
    )
    assert spoiled(events) == [Spoiled(1, "eel 3", 0), Spoiled(2, "octopus 3", 1)]


def test_of_like_cards_the_topmost_spoils() -> None:
    """Of two cards of the same highest value in a crate the upper one goes, joker or not; nobody is asked."""
    state, events = selling(("eel",), [["eel 1"]], [["eel 3", "octopus 3", "eel 1"]], [["octopus 2", "eel 2"]])
    assert spoiled(events) == [Spoiled(1, "octopus 3", 0), Spoiled(2, "eel 2", 0)]
    assert state.boards[1][0] == ["eel 3", "eel 1"]


@pytest.mark.parametrize(
    ("crates", "card", "place"),
    [
        ([["eel 2"], ["eel 3"]], "eel 3", 1),
        ([["eel 2", "eel 1"], ["eel 2"]], "eel 2", 0),
        ([["eel 1"], ["octopus 2", "eel 1"]], "octopus 2", 1),
    ],
)
def test_a_kind_in_two_crates_loses_one_card_in_all(crates: list[list[str]], card: str, place: int) -> None:
    """The highest valued of both crates goes; of like ones that of crate 1."""
    _, events = selling(("eel",), [["eel 1"]], crates)
    assert spoiled(events) == [Spoiled(1, card, place)]


def test_nothing_spoils_on_ice() -> None:
    """Of crate and ice tub only the crate counts, even if the dearer card lies on ice."""
    _, events = selling(("eel",), [["eel 1"]], [["eel 1"], [], ["eel 3"]], [[], [], ["eel 2"]])
    assert spoiled(events) == [Spoiled(1, "eel 1", 0)]


def test_every_sold_kind_spoils_from_every_opponent() -> None:
    """Kind by kind, one card from each opponent who has it in a crate, and none of the seller's own."""
    state, events = selling(
        ("tuna", "eel"),
        [["eel 1"], ["tuna 1"], ["shark 1"]],
        [["eel 2"], ["tuna 2"]],
        [["shark 2"], ["eel 3"]],
    )
    assert [type(event).__name__ for event in events[:5]] == ["Sold", "Spoiled", "Sold", "Spoiled", "Spoiled"]
    assert spoiled(events) == [Spoiled(1, "tuna 2", 1), Spoiled(1, "eel 2", 0), Spoiled(2, "eel 3", 1)]
    assert state.boards[0] == [[], [], ["shark 1"]]


@pytest.mark.parametrize("order", [("eel", "octopus"), ("octopus", "eel")])
def test_a_crate_loses_at_most_one_card_a_sale(order: tuple[str, ...]) -> None:
    """What lies in a crate is judged before the first kind is sold, so that the order of selling does not matter."""
    state, events = selling(order, [["eel 1"], ["octopus 1"]], [["octopus 2", "eel 3"]])
    assert spoiled(events) == [Spoiled(1, "eel 3", 0)]
    assert state.boards[1] == [["octopus 2"], [], []]


def test_a_place_left_with_octopi_only_is_octopus_from_then_on() -> None:
    """When the last real fish has spoiled or been stolen, the octopi are a kind of their own."""
    state, _ = selling(("eel",), [["eel 1"]], [["octopus 2", "eel 3"]])
    while state.auctioneer != 1:
        ring(state, 3)
        while state.step == "sorting":
            pending = state.pending()
            assert isinstance(pending, Pending)
            state.apply({3: pending.decisions[3].silence})
    assert question(state, 1).options == ("octopus",)


def test_a_crate_emptied_by_spoilage_takes_any_kind() -> None:
    """The last card of a crate spoils: the place is empty and may take any kind."""
    state = rigged(
        step="sale",
        boards={0: [["eel 1"]], 1: [["eel 2"], ["tuna 1"], ["shark 1"]]},
        supply=["lobster 1"],
    )
    answer(state, 0, "eel")
    assert state.boards[1][0] == []
    ring(state, 1)
    assert state.boards[1] == [["lobster 1"], ["tuna 1"], ["shark 1"]]


def test_only_the_seller_is_exempt_from_spoilage() -> None:
    """A buyer who sells in the end phase makes the auctioneer spoil too."""
    state = rigged(
        lot=["eel 2"], boards={0: [["eel 3"]], 1: [["eel 1"]], 2: [["eel 1"]]}, end_phase=True, supply=["tuna 1"]
    )
    ring(state, 1)
    sort_catch(state, 1, "eel 2 in crate 1")
    assert spoiled(answer(state, 1, "eel")) == [Spoiled(0, "eel 3", 0), Spoiled(2, "eel 1", 0)]


def test_the_buyer_may_sell_once_the_end_phase_is_out() -> None:
    """The buyer of the very auction in which it appears may sell already, after sorting; before it he may not."""
    state = rigged(lot=["eel 2"], supply=[END_PHASE])
    ring(state)
    ring(state, 2)
    sort_catch(state, 2, "eel 2 in ice tub")
    decision = question(state, 2)
    assert (state.step, decision.options, decision.least, decision.most) == ("end phase sale", ("eel",), 0, 1)
    assert answer(state, 2, "eel")[0] == Sold(2, "eel", 2, 2)
    state = rigged(lot=["eel 2"])
    ring(state, 2)
    sort_catch(state, 2, "eel 2 in ice tub")
    assert state.step == "auction"
