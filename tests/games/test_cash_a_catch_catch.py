"""What a buyer of Cash-a-Catch does with his catch: fish thief, sorting, garbage can, canned fish."""

import pytest

from arena.games.cash_a_catch.cards import CANNED_FISH, FISH_THIEF, Placing, Removal, Theft
from arena.games.cash_a_catch.events import Canned, Placed, Stole, Threw, Unused
from arena.games.cash_a_catch.rules import CashACatch
from tests.shelf.games.cash_a_catch import answer, question, rigged, ring, sort_catch


def bought(lot: list[str], board: list[list[str]], **others: list[list[str]]) -> CashACatch:
    """Seat 1, with this board, has just bought this lot; ``seat_2`` and ``seat_3`` may have boards too."""
    boards = {1: board} | {int(name[-1]): other for name, other in others.items()}
    state = rigged(lot=lot, boards=boards, garbage={1: ["shark 1", "crawfish 3", "crawfish 2", "shark 3", "shark 2"]})
    ring(state, 1)
    return state


def shown(state: CashACatch) -> list[str]:
    """The options of seat 1, as they read."""
    return [str(option) for option in question(state, 1).options]


def places(state: CashACatch, card: str) -> list[int]:
    """Where seat 1 may put this card now, in the order offered."""
    return [placing.place for placing in question(state, 1).options if placing.card == card]


# Placing fish cards


def test_fish_are_offered_as_turned_up_then_jokers_like_cards_once() -> None:
    """A question for each card to be placed: every (card, place), silence takes the first."""
    state = bought(["octopus 1", "tuna 2", "eel 1", "tuna 2"], [[], ["tuna 1"], []])
    decision = question(state, 1)
    assert decision.options == (
        Placing("tuna 2", 1),
        Placing("tuna 2", 0),
        Placing("tuna 2", 2),
        Placing("eel 1", 0),
        Placing("eel 1", 2),
        Placing("octopus 1", 1),
        Placing("octopus 1", 0),
        Placing("octopus 1", 2),
    )
    assert (decision.least, decision.most, decision.silence) == (1, 1, (Placing("tuna 2", 1),))


def test_new_cards_go_on_top_in_any_order() -> None:
    """The order among new cards is the buyer's; cards already placed stay as they are, below."""
    state = bought(["eel 1", "eel 3", "eel 2"], [["eel 2", "octopus 1", "eel 1"], ["tuna 1"], ["shark 1"]])
    assert places(state, "eel 2") == [0]
    assert answer(state, 1, "place eel 3 in crate 1") == [Placed(1, "eel 3", 0)]
    answer(state, 1, "place eel 2 in crate 1")
    assert state.boards[1][0] == ["eel 2", "octopus 1", "eel 1", "eel 3", "eel 2", "eel 1"]


def test_a_card_with_one_place_to_go_is_placed_unasked() -> None:
    """Like cards with a single place ask nobody."""
    state = bought(["eel 1", "eel 1"], [["eel 2"], ["tuna 1"], ["shark 1"]])
    assert state.boards[1][0] == ["eel 2", "eel 1", "eel 1"]
    assert state.buyer is None


def test_jokers_go_anywhere_at_any_point() -> None:
    """On any occupied place or an empty one, several apart, and under fish placed after them."""
    state = bought(["eel 1", "octopus 1", "octopus 2"], [["eel 2"], ["tuna 1"], []])
    assert places(state, "octopus 1") == [0, 1, 2]
    sort_catch(state, 1, "octopus 1 in crate 2", "octopus 2 in crate 1", "eel 1 in crate 1")
    assert state.boards[1] == [["eel 2", "octopus 2", "eel 1"], ["tuna 1", "octopus 1"], []]


def test_there_is_always_room_for_a_joker() -> None:
    """With three places taken by three kinds a joker goes on any of them, never into the garbage can."""
    state = bought(["octopus 1"], [["eel 2"], ["tuna 1"], ["shark 1"]])
    assert shown(state) == [f"place octopus 1 in {place}" for place in ("crate 1", "crate 2", "ice tub")]


def test_octopi_alone_take_in_any_kind() -> None:
    """A fish may go on an octopus-only place, last of its options; the octopi become that kind."""
    state = bought(["eel 1", "tuna 1"], [["octopus 2"], ["shark 1"], []])
    assert places(state, "eel 1") == [2, 0]
    sort_catch(state, 1, "eel 1 in crate 1")
    assert state.boards[1][0] == ["octopus 2", "eel 1"]
    assert state.boards[1][2] == ["tuna 1"]


def test_a_kind_may_lie_in_two_places() -> None:
    """New cards of a kind that has a place may go to another while there is room: one kind in two places."""
    state = bought(["eel 1"], [["eel 2"], ["tuna 1"], []])
    assert places(state, "eel 1") == [0, 2]
    sort_catch(state, 1, "eel 1 in ice tub")
    assert state.boards[1] == [["eel 2"], ["tuna 1"], ["eel 1"]]


def test_a_kind_may_be_split_only_while_every_new_kind_keeps_a_place() -> None:
    """With one free place and one new kind the old kind stays together; with octopi to cover it may be split."""
    state = bought(["eel 1", "shark 2"], [["eel 2"], ["tuna 1"], []])
    assert places(state, "eel 1") == [0]
    assert places(state, "shark 2") == [2]
    state = bought(["eel 1", "shark 2"], [["eel 2"], ["octopus 1"], []])
    assert places(state, "eel 1") == [0, 2, 1]
    sort_catch(state, 1, "eel 1 in ice tub")
    assert state.boards[1] == [["eel 2"], ["octopus 1", "shark 2"], ["eel 1"]]


# Garbage


def test_the_example_of_the_rulebook_throws_the_shark_away() -> None:
    """A fourth kind has no place: one shark goes into the garbage can and makes room for two lobsters."""
    state = bought(["lobster 2"], [["eel 3"], ["shark 1"], ["tuna 3"]])
    decision = question(state, 1)
    assert (state.step, decision.least, decision.most) == ("throw away", 1, 1)
    assert decision.options == ("shark", "lobster", "eel", "tuna")
    events = answer(state, 1, "shark")
    assert events[:2] == [Threw(1, "shark", ("shark 1",)), Placed(1, "lobster 2", 1)]
    assert state.boards[1] == [["eel 3"], ["lobster 2"], ["tuna 3"]]
    assert state.garbage_cans[1][-1] == "shark 1"


def test_kinds_are_offered_fewest_fish_first_catch_before_board() -> None:
    """Catch and places are counted together with their jokers; ties: the catch as turned up, then board order."""
    state = bought(
        ["lobster 2", "crawfish 2", "tuna 1", "octopus 3"], [["eel 1", "octopus 1"], ["tuna 1"], ["shark 2"]]
    )
    assert question(state, 1).options == ("lobster", "crawfish", "tuna", "eel", "shark")
    assert question(state, 1).silence == ("lobster",)


def test_nothing_is_thrown_away_without_need() -> None:
    """While each kind of the catch can have a place, the buyer is not asked to throw anything away."""
    for board in ([["eel 1"], ["tuna 1"], []], [["eel 1"], ["tuna 1"], ["octopus 1"]], [["eel 1"], ["shark 1"], []]):
        assert bought(["shark 2", "shark 3"], board).step == "sorting"
    assert bought(["shark 2", "lobster 2"], [["eel 1"], ["tuna 1"], []]).step == "throw away"


def test_throwing_away_goes_on_until_the_rest_fits() -> None:
    """Three new kinds on a full board: three kinds must go, old or new as the buyer likes."""
    state = bought(["shark 2", "lobster 2", "crawfish 1"], [["eel 1"], ["tuna 1"], ["flounder 1"]])
    steps = [state.step]
    for kind in ("eel", "crawfish", "tuna"):
        answer(state, 1, kind)
        steps.append(state.step)
    assert steps == ["throw away", "throw away", "throw away", "sorting"]
    assert state.boards[1] == [[], [], ["flounder 1"]]


def test_a_thrown_kind_goes_whole() -> None:
    """Its cards in the catch and all its places with their jokers; nothing else moves, and the places are free."""
    state = bought(["eel 1", "shark 2", "lobster 3"], [["eel 2", "octopus 3"], ["tuna 1"], ["octopus 1", "eel 1"]])
    events = answer(state, 1, "eel")
    assert events[0] == Threw(1, "eel", ("eel 1", "eel 2", "octopus 3", "octopus 1", "eel 1"))
    assert state.boards[1] == [[], ["tuna 1"], []]
    assert state.catch == ["shark 2", "lobster 3"]
    assert places(state, "shark 2") == [0, 2]


def test_an_octopus_only_place_is_not_offered_for_throwing_away() -> None:
    """It already is room for a new kind."""
    state = bought(["shark 2", "lobster 3"], [["eel 1"], ["tuna 3"], ["octopus 1"]])
    assert question(state, 1).options == ("eel", "shark", "lobster", "tuna")


# Action cards: fish thief


def test_the_thief_takes_a_topmost_card_of_an_opponent() -> None:
    """Before sorting, from crate or ice tub, clockwise and in board order; not from himself, not from garbage cans."""
    state = bought(
        [FISH_THIEF, "eel 1"],
        [["tuna 3"]],
        seat_0=[[], ["tuna 1"]],
        seat_2=[["shark 1", "shark 3"]],
        seat_3=[[], ["octopus 1"], ["eel 3"]],
    )
    decision = question(state, 1)
    assert (state.step, decision.least, decision.most, decision.silence) == ("fish thief", 0, 1, ())
    assert decision.options == (
        Theft(2, 0, "shark 3"),
        Theft(3, 1, "octopus 1"),
        Theft(3, 2, "eel 3"),
        Theft(0, 1, "tuna 1"),
    )
    money = list(state.money)
    events = answer(state, 1, "steal shark 3 from crate 1 of seat 2")
    assert events == [Stole(1, 2, 0, "shark 3")]
    assert state.boards[2][0] == ["shark 1"]
    assert state.catch == ["eel 1", "shark 3"]
    assert state.discards == {FISH_THIEF: 1}
    assert state.money == money


def test_a_stolen_joker_is_placed_anew_anywhere() -> None:
    """It joins the catch as a joker, behind the fish."""
    state = bought([FISH_THIEF, "octopus 2", "eel 1"], [["tuna 3"]], seat_2=[["shark 1", "octopus 3"]])
    answer(state, 1, "steal octopus 3 from crate 1 of seat 2")
    assert state.catch == ["eel 1", "octopus 2", "octopus 3"]
    assert places(state, "octopus 3") == [0, 1, 2]


def test_a_stolen_fish_comes_after_those_turned_up_and_before_jokers() -> None:
    """The order of the catch: fish as turned up, stolen ones, jokers."""
    state = bought([FISH_THIEF, "octopus 2", "eel 1"], [["tuna 3"]], seat_2=[["shark 1"]])
    answer(state, 1, "steal shark 1 from crate 1 of seat 2")
    assert state.catch == ["eel 1", "shark 1", "octopus 2"]


def test_several_thieves_steal_one_after_the_other() -> None:
    """Each may pick a new victim and sees the changed tops."""
    state = bought([FISH_THIEF, FISH_THIEF, "eel 1"], [], seat_2=[["shark 1", "shark 3"]], seat_3=[["tuna 1"]])
    answer(state, 1, "steal shark 3 from crate 1 of seat 2")
    assert shown(state) == ["steal shark 1 from crate 1 of seat 2", "steal tuna 1 from crate 1 of seat 3"]
    answer(state, 1, "steal tuna 1 from crate 1 of seat 3")
    assert state.catch == ["eel 1", "shark 3", "tuna 1"]


def test_a_thief_may_be_declined_or_find_nothing() -> None:
    """Declined, or with no card to steal, it is discarded for no gain."""
    state = bought([FISH_THIEF, "eel 1"], [], seat_2=[["shark 1"]])
    assert answer(state, 1) == [Unused(1, FISH_THIEF)]
    assert (state.step, state.fish_thieves, state.discards) == ("sorting", 0, {FISH_THIEF: 1})
    state = bought([FISH_THIEF, "eel 1"], [["tuna 1"]])
    assert (state.step, state.discards) == ("sorting", {FISH_THIEF: 1})


def test_a_place_whose_last_card_is_stolen_is_empty() -> None:
    """The thief may take the only card of a place."""
    state = bought([FISH_THIEF, "eel 1"], [], seat_2=[["shark 1"], ["octopus 1", "tuna 1"]])
    answer(state, 1, "steal shark 1 from crate 1 of seat 2")
    assert state.boards[2] == [[], ["octopus 1", "tuna 1"], []]


# Action cards: canned fish


def test_canned_fish_takes_up_to_two_cards_out_of_the_garbage_can() -> None:
    """After sorting, from none to two, dearest first; they and the canned fish go to the discard pile."""
    state = bought([CANNED_FISH, "eel 1"], [["tuna 1"]])
    sort_catch(state, 1, "eel 1 in crate 2")
    decision = question(state, 1)
    assert (state.step, decision.least, decision.most, decision.silence) == ("canned fish", 0, 2, ())
    assert decision.options == (
        Removal("crawfish 3", 1),
        Removal("shark 3", 3),
        Removal("crawfish 2", 2),
        Removal("shark 2", 4),
        Removal("shark 1", 0),
    )
    events = answer(
        state, 1, "remove shark 2 (number 4 of the garbage can)", "remove crawfish 3 (number 1 of the garbage can)"
    )
    assert events[0] == Canned(1, ("shark 2", "crawfish 3"))
    assert state.garbage_cans[1] == ["shark 1", "crawfish 2", "shark 3"]
    assert state.discards == {"shark 2": 1, "crawfish 3": 1, CANNED_FISH: 1}


def test_canned_fish_takes_cards_thrown_there_a_moment_ago() -> None:
    """What sorting threw away can be taken out by the same purchase."""
    state = bought([CANNED_FISH, "lobster 2"], [["eel 3"], ["flounder 3"], ["tuna 3"]])
    answer(state, 1, "lobster")
    answer(state, 1, "remove lobster 2 (number 5 of the garbage can)")
    assert state.discards["lobster 2"] == 1


@pytest.mark.parametrize(("picks", "unused"), [(0, 2), (1, 1), (2, 1), (3, 0), (4, 0)])
def test_two_canned_fish_take_up_to_four_cards(picks: int, unused: int) -> None:
    """Two cards each; what is not used lapses, and all canned fish are discarded."""
    state = bought([CANNED_FISH, CANNED_FISH, "eel 1"], [["eel 1"], ["tuna 1"], ["lobster 1"]])
    assert question(state, 1).most == 4
    events = answer(state, 1, *[str(option) for option in question(state, 1).options[:picks]])
    assert events.count(Unused(1, CANNED_FISH)) == unused
    assert state.discards[CANNED_FISH] == 2
    assert state.canned_fish == 0


def test_canned_fish_without_garbage_asks_nobody() -> None:
    """With an empty garbage can it is discarded unused."""
    state = rigged(lot=[CANNED_FISH])
    assert Unused(1, CANNED_FISH) in ring(state, 1)


def test_action_cards_take_no_place() -> None:
    """Thief and canned fish are discarded after use: neither board nor garbage can holds them."""
    state = bought([FISH_THIEF, CANNED_FISH, "eel 1"], [["eel 2"], ["shark 1"], ["tuna 1"]], seat_2=[["eel 3"]])
    assert state.catch == ["eel 1"]
    answer(state, 1, "steal eel 3 from crate 1 of seat 2")
    sort_catch(state, 1, "eel 1 in crate 1")
    answer(state, 1)
    assert state.boards[1] == [["eel 2", "eel 1", "eel 3"], ["shark 1"], ["tuna 1"]]
    assert state.discards == {FISH_THIEF: 1, CANNED_FISH: 1}


def test_the_order_of_a_purchase() -> None:
    """Pay, commission, thief, throw away, sort, canned fish and, once the end phase is out, sell."""
    state = rigged(
        lot=[CANNED_FISH, "eel 1", FISH_THIEF, "lobster 1", "lobster 2"],
        boards={1: [["tuna 1"], ["shark 1"], ["crawfish 1"]], 2: [["eel 3"]]},
        end_phase=True,
    )
    events = ring(state, 1)
    assert [type(event).__name__ for event in events] == ["Rang", "Bought", "Commission"]
    steps = []
    while state.buyer == 1:
        steps.append(state.step)
        answer(state, 1, *[str(option) for option in question(state, 1).options[:1]])
    assert [*dict.fromkeys(steps)] == ["fish thief", "throw away", "sorting", "canned fish", "end phase sale"]


# Who sees what


def test_boards_discards_and_garbage_cans_are_open() -> None:
    """Everyone sees money, boards, lot, catch, discards and the cards in every garbage can."""
    state = bought([CANNED_FISH, "eel 1"], [["tuna 1"]])
    own, other = state.observe(1), state.observe(2)
    cards = ("shark 1", "crawfish 3", "crawfish 2", "shark 3", "shark 2")
    assert own.garbage_cans == other.garbage_cans == ((), cards, (), ())
    assert own.money == other.money == (32, 20, 30, 30)
    assert own.boards == other.boards == (((), (), ()), (("tuna 1",), (), ()), ((), (), ()), ((), (), ()))
    assert (other.buyer, other.catch, other.canned_fish, other.step) == (1, ("eel 1",), 1, "sorting")
