"""The twenty scenarios of readings/cash_a_catch.md, played. Cards are written as there: ``E3`` is three eels.

A place is its cards from the bottom to the top; options are compared in the order in which they are offered.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from arena.game import Outcome, Pending
from arena.games.cash_a_catch import GAME
from arena.games.cash_a_catch.events import Bought, Commission, Event, Final, Rang, Sold, Turned
from arena.games.cash_a_catch.options import Placing, Removal, Theft
from arena.games.cash_a_catch.rules import CashACatch, deal
from tests.shelf.games.cash_a_catch import question, rigged, ring

READING = Path(__file__).parent / "readings" / "cash_a_catch.md"
LONG = {"thief": "fish thief", "can": "canned fish", "end": "end phase", "closed": "market closed"} | {
    f"{kind[0].upper()}{value}": f"{kind} {value}"
    for kind in ("eel", "shark", "flounder", "crawfish", "tuna", "lobster", "octopus")
    for value in (1, 2, 3)
}
SHORT = {card: short for short, card in LONG.items()}
PLACES = ("crate 1", "crate 2", "ice")


def cards(text: str) -> list[str]:
    """The cards written in short, as the game names them."""
    return [LONG[short] for short in text.split()]


def board(crate_1: str = "", crate_2: str = "", ice: str = "") -> list[list[str]]:
    """A board of three places."""
    return [cards(crate_1), cards(crate_2), cards(ice)]


def lies(state: CashACatch, seat: int) -> list[str]:
    """The three places of a seat, in short."""
    return [" ".join(SHORT[card] for card in place) for place in state.boards[seat]]


def can(state: CashACatch, seat: int) -> str:
    """The garbage can of a seat in short, sorted."""
    return " ".join(sorted(SHORT[card] for card in state.garbage_cans[seat]))


def short(option: object) -> str:
    """An option as the scenarios write it."""
    match option:
        case Theft():
            return f"seat {option.seat} {PLACES[option.place]} {SHORT[option.card]}"
        case Placing():
            return f"{SHORT[option.card]} to {PLACES[option.place]}"
        case Removal():
            return SHORT[option.card]
        case _:
            return str(option)


def offered(state: CashACatch, seat: int, least: int, most: int) -> list[str]:
    """The options of the one seat that is asked, which must have this many picks."""
    decision = question(state, seat)
    assert (decision.least, decision.most) == (least, most)
    return [short(option) for option in decision.options]


def pick(state: CashACatch, seat: int, *picks: str) -> list[Event]:
    """The one seat that is asked picks these options."""
    decision = question(state, seat)
    read = [short(option) for option in decision.options]
    indexes = [read.index(one) for one in picks]
    assert decision.fault_in(indexes) is None
    return state.apply({seat: decision.take(indexes)})


def asked(state: CashACatch, seat: int, least: int, most: int, options: list[str], *picks: str) -> list[Event]:
    """The one seat that is asked is offered exactly these options and picks these of them."""
    assert offered(state, seat, least, most) == options
    return pick(state, seat, *picks)


def bell(state: CashACatch) -> list[int]:
    """The seats that hear the bell question now."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    assert state.step == "auction"
    for decision in pending.decisions.values():
        assert (decision.options, decision.least, decision.most, decision.silence) == (("ring",), 0, 1, ())
    return list(pending.decisions)


def discarded(before: CashACatch, after: CashACatch) -> list[str]:
    """The cards that came to the discard pile in between, in short, sorted."""
    return sorted(SHORT[card] for card in (Counter(after.discards) - Counter(before.discards)).elements())


def buyer_of(events: list[Event]) -> int:
    """Who bought the one lot sold in these events."""
    (bought,) = [event for event in events if isinstance(event, Bought)]
    return bought.seat


def result(state: CashACatch) -> Outcome:
    """How the game ended."""
    outcome = state.pending()
    assert isinstance(outcome, Outcome)
    return outcome


def test_the_reading_has_twenty_scenarios_and_a_test_for_each() -> None:
    """Headings count from 1 to 20 and each number has its test in this file."""
    headings = [int(number) for number in re.findall(r"^## (\d+)\. \S", READING.read_text("utf-8"), re.MULTILINE)]
    tests = [int(found[1]) for name in globals() if (found := re.match(r"test_scenario_(\d\d)_", name))]
    assert headings == tests == list(range(1, 21))


def test_scenario_01_the_box_is_dealt_and_opened() -> None:
    """30 each, End phase 88th, Market closed in the last six, the first card turned before the first question."""
    assert list(GAME.seats) == [3, 4, 5]
    assert GAME.variants == {"bell": ("lot", "nearest")}
    for seats in GAME.seats:
        first, closes = set(), set()
        for seed in range(40):
            state = deal(seats, seed.to_bytes(32, "big"), GAME.settle({}))
            supply = state.deck[::-1]
            assert (state.money, len(supply), supply.index("end phase"), state.bell) == ([30] * seats, 104, 87, "lot")
            assert not any(card for one in state.boards for place in one for card in place)
            closes.add(supply.index("market closed"))
            first.add(auctioneer := state.auctioneer)
            assert state.apply({}) == [Turned(auctioneer, supply[0])]
            assert bell(state) == [seat for seat in range(seats) if seats == 3 or seat != auctioneer]
        assert first == set(range(seats))
        assert closes == set(range(98, 104))


def test_scenario_02_one_kind_in_two_places_is_sold_as_one_number() -> None:
    """Eel in a crate and on ice is one kind of 11 fish for 30; options run from the fewest fish."""

    def after(ice: str, *kinds: str) -> tuple[CashACatch, CashACatch]:
        state = rigged(boards={1: board("E3 E3", "F1", ice)}, money={1: 4}, auctioneer=1, step="sale")
        before = state.copy()
        asked(state, 1, 0, 2, ["flounder", "eel"], *kinds)
        return before, state

    before, both = after("E3 E2", "flounder", "eel")
    assert (both.money[1], lies(both, 1)) == (35, ["", "", ""])
    assert discarded(before, both) == ["E2", "E3", "E3", "E3", "F1"]
    _, eel = after("E3 E2", "eel")
    assert (eel.money[1], lies(eel, 1)) == (34, ["", "F1", ""])
    assert after("E3", "eel")[1].money[1] == 4 + 25
    assert after("E3 E1", "eel")[1].money[1] == 4 + 30
    assert after("E3 E2")[1].money[1] == 4


def test_scenario_03_what_spoils_and_where() -> None:
    """The dearest of the kind, of like ones the topmost, crate 1 before crate 2, one in all, nothing on ice."""
    boards = {
        0: board("E3 E2", "", "F1 F2 F1 O3"),
        1: board("E2 O2", "F1 F3 F2"),
        2: board("E2 E1", "E2", "E3"),
        3: board("E1", "E3 E1", "F3"),
    }
    state = rigged(boards=boards, step="sale", supply=["tuna 1"])
    asked(state, 0, 0, 2, ["eel", "flounder"], "eel", "flounder")
    assert (state.money, lies(state, 0)) == ([52, 30, 30, 30], ["", "", ""])
    assert (lies(state, 1), can(state, 1)) == (["E2", "F1 F2", ""], "F3 O2")
    assert (lies(state, 2), can(state, 2)) == (["E1", "E2", "E3"], "E2")
    assert (lies(state, 3), can(state, 3)) == (["E1", "E1", "F3"], "E3")
    assert bell(state) == [1, 2, 3]


@pytest.mark.parametrize("kinds", [("octopus", "eel"), ("eel", "octopus")])
def test_scenario_04_octopi_on_their_own_and_two_kinds_sold_at_once(kinds: tuple[str, ...]) -> None:
    """A crate is judged as it was before the sale; octopi spoil as what they lie with; the order does not matter."""
    boards = {0: board("O3 E1"), 1: board("T1 O1"), 2: board("E1 E1", "O3", "C1"), 3: board("O1 E2", "O2")}
    state = rigged(boards=boards, auctioneer=2, step="sale", supply=["canned fish"])
    asked(state, 2, 0, 3, ["crawfish", "eel", "octopus"], *kinds)
    assert state.money[2] == 35
    assert (lies(state, 3), can(state, 3)) == (["O1", "", ""], "E2 O2")
    assert (lies(state, 0), can(state, 0)) == (["E1", "", ""], "O3")
    assert (lies(state, 1), can(state, 1)) == (["T1 O1", "", ""], "")
    ring(state, 1)
    assert (state.auctioneer, offered(state, 3, 0, 1)) == (3, ["octopus"])


def test_scenario_05_who_hears_the_bell_question_and_the_role_goes_on() -> None:
    """10 Euro are enough to ring, 9 are not; the role passes clockwise, whoever bought."""
    state = rigged(lot=cards("T3"), money={1: 9, 2: 10, 3: 45}, boards={1: board("E1")}, supply=["shark 1"])
    assert bell(state) == [2, 3]
    ring(state, 2)
    assert state.money == [31, 9, 0, 45]
    asked(state, 2, 1, 1, ["T3 to crate 1", "T3 to crate 2", "T3 to ice"], "T3 to ice")
    assert state.auctioneer == 1
    assert offered(state, 1, 0, 1) == ["eel"]
    assert pick(state, 1) == [Turned(1, "shark 1")]
    assert (bell(state), lies(state, 1), state.money) == ([0, 3], ["E1", "", ""], [31, 9, 0, 45])


def test_scenario_06_nobody_can_ring_nobody_wants_to() -> None:
    """With poor seats the cards are turned on unasked to the half-price sale; with silent ones all share at 30."""
    boards = {0: board("O1"), 1: board("", "L3 L3 L3 L3"), 2: board("E3", "", "E1 O3")}
    garbage, money = {1: cards("E3 O2"), 3: cards("L3")}, {0: 9, 1: 9, 2: 50, 3: 0}
    supply = cards("T1 E1 closed L2")
    state = rigged(boards=boards, garbage=garbage, money=money, auctioneer=2, step="sale", supply=supply)
    before = state.copy()
    events = pick(state, 2)
    assert not any(isinstance(event, Commission | Bought) for event in events)
    assert discarded(before, state) == ["E1", "E1", "E3", "L3", "L3", "L3", "L3", "O1", "O3", "T1"]
    assert result(state) == Outcome((2, 1, 0, 3), (10, 19, 58, -3))
    for seats in GAME.seats:
        state = deal(seats, bytes(32), GAME.settle({}))
        auctioneer = state.auctioneer
        events = state.apply({})
        while isinstance(pending := state.pending(), Pending):
            events += state.apply({seat: decision.silence for seat, decision in pending.decisions.items()})
        assert {event.seat for event in events if isinstance(event, Turned)} == {auctioneer}
        assert {type(event) for event in events} == {Turned, Final}
        assert result(state) == Outcome((0,) * seats, (30,) * seats)


def test_scenario_07_three_hands_on_one_bell_by_lot() -> None:
    """Each of those who rang buys in about a third of the seeds; only the buyer pays; all hear who rang."""
    buyers: Counter[int] = Counter()
    for seed in range(300):
        state = rigged(5, lot=cards("S2"), auctioneer=4, key=seed.to_bytes(32, "big"))
        events = ring(state, 0, 2, 3)
        assert events[0] == Rang((0, 2, 3))
        buyers[buyer := buyer_of(events)] += 1
        assert state.money == [20 if seat == buyer else 30 for seat in range(4)] + [31]
    assert set(buyers) == {0, 2, 3}
    assert min(buyers.values()) >= 70


@pytest.mark.parametrize(("rang", "buyer"), [((1, 2), 1), ((0, 4), 4), ((0, 1, 2), 0)])
def test_scenario_08_three_hands_on_one_bell_the_nearest(rang: tuple[int, ...], buyer: int) -> None:
    """The first of those who rang, clockwise from the auctioneer, buys under every seed."""
    for seed in range(20):
        state = rigged(5, lot=cards("S2"), auctioneer=3, bell="nearest", key=seed.to_bytes(32, "big"))
        assert buyer_of(ring(state, *rang)) == buyer


def test_scenario_09_three_seats_the_auctioneers_hand_waits_for_the_others() -> None:
    """His ring counts only if nobody else rings, in either variant; alone he pays 10 and earns no commission."""

    def rung(variant: Literal["lot", "nearest"], seed: int, *seats: int) -> tuple[int, list[int]]:
        state = rigged(3, lot=cards("F2 O1"), auctioneer=1, bell=variant, key=seed.to_bytes(32, "big"))
        assert bell(state) == [0, 1, 2]
        events = ring(state, *seats)
        assert events[0] == Rang(seats)
        return buyer_of(events), state.money

    by_lot = [rung("lot", seed, 0, 1, 2) for seed in range(60)]
    assert {buyer for buyer, _ in by_lot} == {0, 2}
    assert {money[1] for _, money in by_lot} == {32}
    assert {rung("nearest", seed, 0, 1, 2)[0] for seed in range(20)} == {2}
    assert rung("nearest", 0, 0, 1) == (0, [20, 32, 30])
    assert rung("lot", 0, 0, 1) == (0, [20, 32, 30])
    assert rung("lot", 0, 1) == rung("nearest", 0, 1) == (1, [30, 20, 30])


def test_scenario_10_three_seats_sell_buy_ones_own_lot_sell_again() -> None:
    """A sale makes the auctioneer rich enough to ring; as buyer in the End phase he sells a second time."""
    boards = {0: board("F1 F1", "", "S1"), 1: board("F1 F2"), 2: board("", "F2")}
    state = rigged(3, boards=boards, money={0: 8}, step="sale", end_phase=True, supply=cards("F3"))
    asked(state, 0, 0, 2, ["shark", "flounder"], "flounder")
    assert state.money == [10, 30, 30]
    assert (lies(state, 1), lies(state, 2)) == (["F1", "", ""], ["", "", ""])
    assert bell(state) == [0, 1, 2]
    assert not any(isinstance(event, Commission) for event in ring(state, 0))
    assert state.money == [0, 30, 30]
    asked(state, 0, 1, 1, ["F3 to crate 1", "F3 to crate 2"], "F3 to crate 2")
    asked(state, 0, 0, 2, ["shark", "flounder"], "flounder")
    assert (state.money, state.auctioneer, lies(state, 0)) == ([3, 30, 30], 1, ["", "", "S1"])
    assert (lies(state, 1), can(state, 1)) == (["", "", ""], "F1 F2")


def test_scenario_11_the_end_phase_card_on_an_empty_and_on_a_started_lot() -> None:
    """It is a beat only with a lot on the table, pays no commission, and lets the buyer of this very auction sell."""
    state = rigged(step="preparation", auctioneer=1, supply=cards("end E2"))
    assert state.apply({}) == [Turned(1, "end phase"), Turned(1, "eel 2")]
    assert (bell(state), state.lot, state.end_phase) == ([0, 2, 3], cards("E2"), True)

    state = rigged(lot=cards("E2"), auctioneer=1, supply=cards("end"))
    assert ring(state) == [Turned(1, "end phase")]
    assert (bell(state), state.lot, state.end_phase) == ([0, 2, 3], cards("E2"), True)
    ring(state, 3)
    assert state.money == [30, 31, 30, 20]
    asked(state, 3, 1, 1, ["E2 to crate 1", "E2 to crate 2", "E2 to ice"], "E2 to crate 1")
    asked(state, 3, 0, 1, ["eel"], "eel")
    assert state.money == [30, 31, 30, 22]

    state = rigged(lot=cards("E2"), auctioneer=1)
    ring(state, 3)
    pick(state, 3, "E2 to crate 1")
    assert (state.auctioneer, bell(state)) == (2, [0, 1, 3])


def test_scenario_12_the_buyers_whole_turn_in_the_end_phase() -> None:
    """Pay, commission, thief, throw away and sort, canned fish, sale; the auctioneer spoils like the others."""
    boards = {0: board("T1 T2"), 1: board("", "T1 O3"), 2: board("T2", "L1", "C3"), 3: board("T3", "", "T1")}
    state = rigged(lot=cards("E1 thief can"), boards=boards, money={0: 20, 2: 12}, end_phase=True)
    ring(state, 2)
    assert state.money == [23, 30, 2, 30]
    thefts = ["seat 3 crate 1 T3", "seat 3 ice T1", "seat 0 crate 1 T2", "seat 1 crate 2 O3"]
    asked(state, 2, 0, 1, thefts, thefts[0])
    asked(state, 2, 1, 1, ["eel", "lobster", "crawfish", "tuna"], "lobster")
    asked(state, 2, 1, 1, ["E1 to crate 2", "T3 to crate 1"], "E1 to crate 2")
    assert lies(state, 2) == ["T2 T3", "E1", "C3"]
    asked(state, 2, 0, 1, ["L1"], "L1")
    assert can(state, 2) == ""
    asked(state, 2, 0, 3, ["eel", "crawfish", "tuna"], "tuna")
    assert (state.money, state.auctioneer) == ([23, 30, 9, 30], 1)
    assert (lies(state, 0), can(state, 0)) == (["T1", "", ""], "T2")
    assert (lies(state, 1), can(state, 1)) == (["", "T1", ""], "O3")
    assert (lies(state, 3), can(state, 3)) == (["", "", "T1"], "")


def test_scenario_13_two_thieves_in_one_lot() -> None:
    """One after the other, the second from the tops as the first left them; stolen cards pay no commission."""
    boards = {0: board("", "S2"), 1: board("L1", "C1"), 2: board("O1 E2", "", "T3 T1")}
    state = rigged(lot=cards("thief E1 thief"), boards=boards, auctioneer=3)
    before = state.copy()
    ring(state, 1)
    assert state.money == [30, 20, 30, 33]
    assert offered(state, 1, 0, 1) == ["seat 2 crate 1 E2", "seat 2 ice T1", "seat 0 crate 2 S2"]
    declined = state.copy()
    pick(declined, 1)
    assert offered(declined, 1, 0, 1) == ["seat 2 crate 1 E2", "seat 2 ice T1", "seat 0 crate 2 S2"]
    pick(state, 1, "seat 2 crate 1 E2")
    asked(state, 1, 0, 1, ["seat 2 crate 1 O1", "seat 2 ice T1", "seat 0 crate 2 S2"], "seat 2 crate 1 O1")
    assert lies(state, 2) == ["", "", "T3 T1"]
    asked(state, 1, 1, 1, ["E1 to ice", "E2 to ice", "O1 to crate 1", "O1 to crate 2", "O1 to ice"], "O1 to crate 1")
    asked(state, 1, 1, 1, ["E1 to ice", "E2 to ice"], "E2 to ice")
    assert lies(state, 1) == ["L1 O1", "C1", "E2 E1"]
    assert (discarded(before, state), state.money) == (["thief", "thief"], [30, 20, 30, 33])
    alone = rigged(lot=cards("thief E1 thief"), boards={1: board("L1", "C1")}, auctioneer=3)
    ring(alone, 1)
    assert lies(alone, 1) == ["L1", "C1", "E1"]


def test_scenario_14_throwing_away_a_kind_that_lies_in_two_places() -> None:
    """All of it goes: both places with their jokers and the cards of the catch; all see what lies in the can."""
    state = rigged(lot=cards("E3 F1"), boards={0: board("E1 O2", "E2", "T3")}, auctioneer=1)
    ring(state, 0)
    asked(state, 0, 1, 1, ["flounder", "tuna", "eel"], "eel")
    assert can(state, 0) == "E1 E2 E3 O2"
    asked(state, 0, 1, 1, ["F1 to crate 1", "F1 to crate 2"], "F1 to crate 2")
    assert lies(state, 0) == ["", "F1", "T3"]
    assert (state.auctioneer, bell(state)) == (2, [0, 1, 3])
    for seat in range(4):
        assert [*map(sorted, state.observe(seat).garbage_cans)] == [sorted(cards("E1 E2 E3 O2")), [], [], []]


def test_scenario_15_an_octopus_only_place_is_room() -> None:
    """It is never offered for throwing away; the last choice of a fish, and its octopi become that fish."""
    state = rigged(lot=cards("F2 O1 S1"), boards={3: board("O3", "L1", "C1")}, supply=cards("can can"))
    ring(state, 3)
    asked(state, 3, 1, 1, ["shark", "lobster", "crawfish", "flounder"], "lobster")
    fish = ["F2 to crate 2", "F2 to crate 1", "S1 to crate 2", "S1 to crate 1"]
    asked(state, 3, 1, 1, [*fish, "O1 to crate 1", "O1 to ice", "O1 to crate 2"], "O1 to crate 2")
    asked(state, 3, 1, 1, ["F2 to crate 1", "F2 to crate 2", "S1 to crate 1", "S1 to crate 2"], "F2 to crate 1")
    assert (lies(state, 3), can(state, 3)) == (["O3 F2", "O1 S1", "C1"], "L1")
    for _ in range(2):  # the lots of seats 1 and 2; then seat 3 may sell
        ring(state, 0)
    assert offered(state, 3, 0, 3) == ["crawfish", "shark", "flounder"]
    sold = [event for event in pick(state, 3, "crawfish", "shark", "flounder") if isinstance(event, Sold)]
    assert [(event.kind, event.fish) for event in sold] == [("crawfish", 1), ("shark", 2), ("flounder", 5)]


def test_scenario_16_splitting_a_kind() -> None:
    """New cards may go to a second place only while every new kind still has room."""
    state = rigged(lot=cards("E1 E1 F2"), boards={2: board("", "O1", "E2")}, auctioneer=1)
    ring(state, 2)
    eel, flounder = ["E1 to ice", "E1 to crate 1", "E1 to crate 2"], ["F2 to crate 1", "F2 to crate 2"]
    assert offered(state, 2, 1, 1) == eel + flounder
    other = state.copy()
    pick(state, 2, "E1 to crate 1")
    asked(state, 2, 1, 1, ["E1 to crate 1", "E1 to ice", "F2 to crate 2"], "F2 to crate 2")
    asked(state, 2, 1, 1, ["E1 to crate 1", "E1 to ice"], "E1 to ice")
    assert lies(state, 2) == ["E1", "O1 F2", "E2 E1"]

    pick(other, 2, "F2 to crate 1")
    asked(other, 2, 1, 1, ["E1 to ice", "E1 to crate 2"], "E1 to crate 2")
    asked(other, 2, 1, 1, ["E1 to crate 2", "E1 to ice"], "E1 to crate 2")
    assert lies(other, 2) == ["F2", "O1 E1 E1", "E2"]
    assert other.auctioneer == 2
    asked(other, 2, 0, 2, ["flounder", "eel"], "eel")
    assert other.money[2] == 20 + 7


def test_scenario_17_who_sees_what() -> None:
    """Money, boards, lot, garbage cans and discards are open to all; no deck order."""

    def views(state: CashACatch) -> list[bytes]:
        return [msgspec.json.encode(state.observe(seat)) for seat in range(4)]

    lot, boards = cards("E2"), {3: board("C3 C1", "", "O2")}
    cans = {1: tuple(cards("E3 L1")), 2: tuple(cards("S2 T2"))}
    state = rigged(lot=lot, boards=boards, garbage=cans, money={2: 7})
    for seat in range(4):
        seen = state.observe(seat)
        assert (seen.money, seen.lot, seen.auctioneer, seen.end_phase) == ((30, 30, 7, 30), ("eel 2",), 0, False)
        assert seen.boards[3] == (("crawfish 3", "crawfish 1"), (), ("octopus 2",))
        assert (seen.deck, seen.garbage_cans) == (len(state.deck), ((), cans[1], cans[2], ()))
        assert seen.discards == state.discards
    other = state.copy()
    ordinary = [card for card in state.deck if card not in {"market closed", "end phase"}][::-1]
    other.deck = [*ordinary[:4], "market closed", *ordinary[4:15], "end phase", *ordinary[15:]]
    assert other.deck != state.deck
    assert views(other) == views(state)
    ends = [rigged(supply=cards(f"closed {under}")) for under in ("S3 L2 T1", "T1 S3 L2")]
    for end in ends:
        ring(end)
        assert result(end).ranks == (0, 0, 0, 0)
    assert views(ends[0]) == views(ends[1])

    state = rigged(boards=boards, auctioneer=3, step="sale", supply=cards("E1"))
    before = state.copy()
    pick(state, 3, "crawfish")
    assert discarded(before, state) == ["C1", "C3"]
    assert all(state.observe(seat).discards == state.discards for seat in range(4))


def test_scenario_18_canned_fish() -> None:
    """Two cards out for each, in one question, dearest first; cards thrown a moment ago count; no can, no question."""
    full = board("F2", "T1", "L1")
    state = rigged(lot=cards("can can F1"), boards={3: full}, garbage={3: cards("E1 L3 O2")}, auctioneer=2)
    before = state.copy()
    ring(state, 3)
    assert state.money == [30, 30, 33, 20]
    assert lies(state, 3) == ["F2 F1", "T1", "L1"]
    asked(state, 3, 0, 3, ["L3", "O2", "E1"], "E1", "L3")
    assert can(state, 3) == "O2"
    assert discarded(before, state) == ["E1", "L3", "can", "can"]

    state = rigged(lot=cards("can"), auctioneer=2, supply=cards("S1"))
    assert ring(state, 3)[-1] == Turned(3, "shark 1")
    assert (state.money, bell(state)) == ([30, 30, 31, 20], [0, 1, 2])

    state = rigged(lot=cards("can S1"), boards={3: full}, auctioneer=2)
    ring(state, 3)
    pick(state, 3, "shark")
    asked(state, 3, 0, 1, ["S1"], "S1")
    assert (can(state, 3), lies(state, 3)) == ("", ["F2", "T1", "L1"])


def test_scenario_19_a_silent_auctioneer_and_a_buyer_who_falls_silent() -> None:
    """Silence sells and steals nothing, throws the first kind offered until the rest fits, and earns commission."""
    boards = {0: board("E1"), 1: board("T3", "L3", "C3")}
    state = rigged(boards=boards, step="sale", end_phase=True, supply=cards("F1 thief S2 can E3"))

    def silence(seat: int) -> None:
        state.apply({seat: question(state, seat).silence})

    assert offered(state, 0, 0, 1) == ["eel"]
    silence(0)
    for _ in range(4):
        ring(state)
    assert state.lot == cards("F1 thief S2 can E3")
    ring(state, 1)
    assert (state.money, lies(state, 0)) == ([35, 20, 30, 30], ["E1", "", ""])
    assert offered(state, 1, 0, 1) == ["seat 0 crate 1 E1"]
    silence(1)
    board_order = ["tuna", "lobster", "crawfish"]
    for thrown in (["flounder", "shark", "eel"], ["shark", "eel"], ["eel"]):
        assert offered(state, 1, 1, 1) == thrown + board_order
        silence(1)
    assert offered(state, 1, 0, 2) == ["E3", "S2", "F1"]
    silence(1)
    assert offered(state, 1, 0, 3) == board_order
    silence(1)
    assert (lies(state, 1), can(state, 1)) == (["T3", "L3", "C3"], "E3 F1 S2")
    assert (state.money, lies(state, 0)) == ([35, 20, 30, 30], ["E1", "", ""])
    assert (state.auctioneer, state.step, offered(state, 1, 0, 3)) == (1, "sale", board_order)


def test_scenario_20_the_last_turn_and_the_count() -> None:
    """The last auctioneer sells at full price; then all at half price, garbage is paid, equal money shares a rank."""
    boards = {0: board("T2 T1"), 1: board("", "", "T3 T3"), 3: board("S3 S3", "S3 S2"), 4: board("T3 T3 O1", "E1 E1")}
    garbage, money = {2: cards("T3 L1")}, {0: 22, 1: 20, 2: 0, 3: 10, 4: 5}
    supply = cards("closed E1")
    state = rigged(5, boards=boards, garbage=garbage, money=money, auctioneer=4, step="sale", supply=supply)
    assert offered(state, 4, 0, 2) == ["eel", "tuna"]
    events = pick(state, 4, "tuna")
    assert events[0] == Sold(4, "tuna", 7, 15)
    assert can(state, 0) == "T2"
    assert can(state, 1) == can(state, 3) == can(state, 4) == ""
    assert not any(isinstance(event, Commission) for event in events)
    halves = {(event.seat, event.kind, event.fish, event.price) for event in events[1:] if isinstance(event, Sold)}
    assert halves == {(0, "tuna", 1, 1), (1, "tuna", 6, 5), (3, "shark", 11, 15), (4, "eel", 2, 1)}
    assert result(state) == Outcome((2, 0, 4, 0, 2), (21, 25, -4, 25, 21))
