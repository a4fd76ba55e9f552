"""Sales and spoilage of Cash-a-Catch."""

import pytest

from arena.games.cash_a_catch.cards import END_PHASE
from arena.games.cash_a_catch.events import Event, Sold, Spoiled, Turned
from arena.games.cash_a_catch.rules import CashACatch
from tests.games.walks import questions
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


@pytest.mark.parametrize(
    ("kind", "board", "fish", "price", "left"),
    [
        ("eel", [["eel 3"], ["octopus 1", "eel 2"], ["tuna 1"]], 6, 10, [[], [], ["tuna 1"]]),
        ("tuna", [["eel 1", "octopus 3"], ["octopus 2", "tuna 1"]], 3, 3, [["eel 1", "octopus 3"], [], []]),
        ("eel", [["eel 3", "eel 3", "eel 3", "eel 2"]], 11, 30, [[], [], []]),
    ],
    ids=["one kind in two places", "jokers as the kind of their place", "more than ten"],
)
def test_what_is_sold(kind: str, board: list[list[str]], fish: int, price: int, left: list[list[str]]) -> None:
    """A kind is sold whole, both places as one number, with the jokers that lie with it; more than ten count as ten."""
    state, events = selling((kind,), board)
    assert events[0] == Sold(0, kind, fish, price)
    assert state.boards[0] == left


SPOILS: dict[str, tuple[tuple[str, ...], list[list[list[str]]], list[Spoiled]]] = {
    "the highest valued card, not the topmost, joker or not": (
        ("eel",),
        [[["eel 1", "eel 3", "eel 2"]], [[], ["eel 2", "octopus 3", "eel 1"]], [[], [], ["eel 3"]]],
        [Spoiled(1, "eel 3", 0), Spoiled(2, "octopus 3", 1)],
    ),
    "of like cards the topmost": (
        ("eel",),
        [[["eel 3", "octopus 3", "eel 1"]], [["octopus 2", "eel 2"]]],
        [Spoiled(1, "octopus 3", 0), Spoiled(2, "eel 2", 0)],
    ),
    "of two crates the higher": (("eel",), [[["eel 2"], ["eel 3"]]], [Spoiled(1, "eel 3", 1)]),
    "of two crates alike crate 1": (("eel",), [[["eel 2", "eel 1"], ["eel 2"]]], [Spoiled(1, "eel 2", 0)]),
    "of two crates a joker": (("eel",), [[["eel 1"], ["octopus 2", "eel 1"]]], [Spoiled(1, "octopus 2", 1)]),
    "nothing on ice": (("eel",), [[["eel 1"], [], ["eel 3"]], [[], [], ["eel 2"]]], [Spoiled(1, "eel 1", 0)]),
    "kind by kind, of every opponent and not of the seller": (
        ("tuna", "eel"),
        [[["eel 2"], ["tuna 2"]], [["shark 2"], ["eel 3"]]],
        [Spoiled(1, "tuna 2", 1), Spoiled(1, "eel 2", 0), Spoiled(2, "eel 3", 1)],
    ),
    "one card a crate, whatever its octopi become": (
        ("eel", "octopus"),
        [[["octopus 2", "eel 3"]]],
        [Spoiled(1, "eel 3", 0)],
    ),
    "one card a crate, whatever is sold first": (
        ("octopus", "eel"),
        [[["octopus 2", "eel 3"]]],
        [Spoiled(1, "eel 3", 0)],
    ),
}
"""What spoils -> the kinds that seat 0 sells, the boards of the next seats, and what they lose."""


@pytest.mark.parametrize("case", SPOILS)
def test_what_spoils(case: str) -> None:
    """Each kind sold costs each opponent who has it in a crate one card: the highest, of like ones the topmost.

    What lies in a crate is judged before the first kind is sold, so that the order of selling does not matter.
    """
    kinds, boards, wanted = SPOILS[case]
    left = [[*map(list, board), [], []][:3] for board in boards]
    for loss in wanted:
        place = left[loss.seat - 1][loss.place]
        del place[len(place) - 1 - place[::-1].index(loss.card)]
    state, events = selling(kinds, [["eel 1"], ["tuna 1"] if "tuna" in kinds else ["octopus 1"], ["shark 1"]], *boards)
    sold = ""
    for event in events:
        sold = event.kind if isinstance(event, Sold) else sold
        assert not isinstance(event, Spoiled) or event.card[:-2] in (sold, "octopus")
    assert spoiled(events) == wanted
    assert state.boards[1 : 1 + len(boards)] == left
    assert state.boards[0][2] == ["shark 1"]


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


def test_a_place_left_with_octopi_only_is_octopus_from_then_on() -> None:
    """When the last real fish has spoiled or been stolen, the octopi are a kind of their own."""
    state, _ = selling(("eel",), [["eel 1"]], [["octopus 2", "eel 3"]])
    while state.auctioneer != 1:
        ring(state, 3)
        while state.step == "sorting":
            decisions = questions(state)
            state.apply({3: decisions[3].silence})
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
