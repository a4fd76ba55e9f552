"""A second reading of Lure: twenty scenarios from rulebook and rulings, set up by hand (readings/lure.md)."""

import re
from pathlib import Path
from typing import Any

import pytest

from arena.game import Outcome, Pending, Seat
from arena.games.lure import GAME
from arena.games.lure.cards import Fish, Lure
from arena.games.lure.options import Adjustment
from arena.games.lure.rules import LureState, deal
from tests.shelf.games.lure import adjust, cast, rigged

SCENARIOS = Path(__file__).parent / "readings" / "lure.md"
ALL_DICE = ("d6", "d6", "d6", "d6", "d6", "d12", "d20")


def questions(state: LureState) -> dict[Seat, tuple[tuple[Any, ...], int, int]]:
    """By seat that is asked: options, least and most."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    return {seat: (each.options, each.least, each.most) for seat, each in pending.decisions.items()}


def silent(state: LureState) -> None:
    """Answer the question of the step by silence."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    state.apply({seat: decision.silence for seat, decision in pending.decisions.items()})


def names(fish: list[Fish]) -> list[str]:
    """Fish by their names."""
    return [each.name for each in fish]


def caught(state: LureState) -> list[set[str]]:
    """By seat: the fish in its score pile."""
    return [set(names(player.score_pile)) for player in state.players]


def lures(state: LureState) -> list[list[str]]:
    """By seat: the lures it holds."""
    return [list(player.lures) for player in state.players]


def vp(state: LureState) -> tuple[int, ...]:
    """Scores as they stand."""
    return state.standing().scores


@pytest.mark.parametrize(
    ("seats", "out", "left", "pile"), [(2, 2, 18, 22), (3, 2, 18, 21), (4, 3, 27, 20), (5, 3, 27, 19)]
)
def test_scenario_01_first_splash(seats: int, out: int, left: int, pile: int) -> None:
    """Two or three fish lie out by the number of seats, each seat holds a lure, and ten fish are removed below four."""
    state = deal(seats, bytes(range(32)), GAME.settle({"effects": "off"}))
    state.apply({})
    seen = state.observe(0)
    assert (len(seen.fish), seen.deck, seen.lure_pile) == (out, left, pile)
    assert seen.held == (1,) * seats
    assert not sum(seen.discards.values())
    assert 30 - len(seen.fish) - seen.deck == (10 if seats < 4 else 0)
    assert GAME.settle({}) == {"effects": "on"}


def test_scenario_02_chain_of_effects() -> None:
    """Effects happen at once in order of reveal and may chain; lures are drawn in seat order; off, nothing happens."""
    for effects in ("on", "off"):
        state = rigged(
            2,
            fish=["Trout", "Chub"],
            deck=["Minnow", "Bluegill", "Grayling", "Bleak", "Roach", "Perch"],
            pile=["boost", "adjust", "extra die 5"],
            faces=[6, 13],
            effects="on" if effects == "on" else "off",
        )
        cast(state, {0: ["d6"], 1: ["d20"]})  # each catches one, so that nobody draws before the next Splash
        assert caught(state) == [{"Trout"}, {"Chub"}]
        if effects == "on":
            assert names(state.fish) == ["Minnow", "Bluegill", "Grayling", "Bleak", "Roach"]
            assert names(state.deck) == ["Perch"]
            assert lures(state) == [["boost"], ["adjust"]]
            assert state.lure_pile == ["extra die 5"]
        else:
            assert names(state.fish) == ["Minnow", "Bluegill"]
            assert len(state.deck) == 4
            assert lures(state) == [[], []]


def test_scenario_03_short_last_splash() -> None:
    """The last Splash reveals what is left, its effect finds nothing, and an uncaught fish is worth nothing."""
    state = rigged(4, deck=["Minnow"], faces=[1, 2, 2, 1])
    state.step = "setup"  # a lure each, then Splash
    state.apply({})
    assert names(state.fish) == ["Minnow"]
    assert state.observe(0).deck == 0
    silent(state)
    silent(state)
    assert [len(held) for held in lures(state)] == [2, 2, 2, 2]
    assert state.pending() == Outcome((0, 0, 0, 0), (0, 0, 0, 0))


def test_scenario_04_turn_order() -> None:
    """Extra Dice do not count for turn order, special dice do; each fish of a shared roll is judged alone."""
    state = rigged(
        3,
        fish=["Perch", "Tench"],
        lures={0: ["extra die 6", "extra die 1"]},
        pile=["boost"],
        faces=[8, 1, 1, 4, 12],
    )
    cast(state, {0: ["d6", "d6"], 1: ["d20"], 2: ["d12", "d20"]}, {0: ["extra die 6", "extra die 1"]})
    assert caught(state) == [{"Perch"}, set(), {"Tench"}]
    assert [player.rolled for player in state.players] == [(1, 1), (8,), (4, 12)]
    assert lures(state) == [[], ["boost"], []]


def test_scenario_05_every_fish_the_roll_meets() -> None:
    """One roll catches every fish whose number and requirement it meets, and no other."""
    take = {"Bleak", "Chub", "Gudgeon", "Barbel", "Burbot", "Crappie"}
    stay = {"Tench", "Walleye", "Muskellunge", "Whitefish", "Trout", "Eel"}
    state = rigged(2, fish=sorted(take | stay), faces=[1, 1, 5, 4, 4])
    cast(state, {0: ["d6"] * 4})
    assert caught(state) == [take, set()]
    assert set(names(state.fish)) == stay
    assert vp(state) == (18, 0)
    assert [len(held) for held in lures(state)] == [0, 1]


def test_scenario_06_extra_die_hurts() -> None:
    """A played Extra Die counts for sum and requirement even if it hurts; it is discarded before the draw."""
    state = rigged(2, fish=["Trout", "Dace"], lures={0: ["extra die 3"]}, pile=[], faces=[6, 2, 4])
    state.discards = {}
    cast(state, {0: ["d6"], 1: ["d6", "d6"]}, {0: ["extra die 3"]})
    assert caught(state) == [set(), {"Trout"}]
    assert names(state.fish) == ["Dace"]
    assert lures(state) == [["extra die 3"], []]  # discarded, then the only lure there is to be drawn


def test_scenario_07_rolling_together() -> None:
    """For each fish the lowest total of those who can catch it; what one alone can catch is that seat's."""
    state = rigged(
        2, fish=["Perch", "Bream", "Burbot", "Gudgeon", "Rudd", "Tench"], pile=["boost"], faces=[4, 4, 2, 6, 5, 1]
    )
    cast(state, {0: ["d6"] * 3, 1: ["d6"] * 3})
    assert caught(state) == [{"Perch", "Burbot"}, {"Bream", "Gudgeon", "Rudd"}]
    assert names(state.fish) == ["Tench"]
    assert vp(state) == (7, 6)
    assert lures(state) == [[], []]


def test_scenario_08_tie_for_the_lowest() -> None:
    """A tie for the lowest leaves the fish even from a third, for a later group of the same round."""
    state = rigged(
        4, fish=["Perch", "Bream"], pile=["boost", "adjust", "extra die 1"], faces=[4, 5, 6, 3, 6, 6, 3, 3, 3]
    )
    cast(state, {0: ["d6"] * 2, 1: ["d6"] * 2, 2: ["d6"] * 2, 3: ["d6"] * 3})
    assert caught(state) == [set(), set(), {"Bream"}, {"Perch"}]
    assert lures(state) == [["boost"], ["adjust"], [], []]


def test_scenario_09_lowest_among_the_able() -> None:
    """A lower total that misses the requirement does not count; who lost every fish draws a lure."""
    state = rigged(
        3, fish=["Rudd", "Bluegill"], deck=["Roach", "Perch", "Bream"], pile=["boost"], faces=[4, 4, 6, 5, 6, 6]
    )
    cast(state, {0: ["d6"] * 2, 1: ["d6"] * 2, 2: ["d6"] * 2})
    assert caught(state) == [{"Bluegill"}, {"Rudd"}, set()]
    assert lures(state) == [[], [], ["boost"]]
    assert names(state.fish) == ["Roach", "Perch"]  # Bluegill taken is not Bluegill revealed


def test_scenario_10_boosts_need_a_fish() -> None:
    """One fish really taken scores all Boosts; after a tie they are discarded."""
    state = rigged(
        4,
        fish=["Perch", "Bream"],
        lures={0: ["boost"], 2: ["boost", "boost"]},
        pile=["adjust", "adjust", "adjust"],
        faces=[2, 5, 4, 6, 3, 5, 6],
    )
    before = state.discards.get("boost", 0)
    cast(
        state,
        {0: ["d6"] * 2, 1: ["d6"] * 2, 2: ["d6"] * 2},
        {0: ["boost"], 2: ["boost", "boost"]},
    )
    assert caught(state) == [set(), set(), {"Bream"}, set()]
    assert names(state.fish) == ["Perch"]
    assert vp(state) == (0, 0, 6, 0)
    assert state.observe(0).boosts == (0, 0, 2, 0)
    assert state.observe(0).score_piles == ((), (), ("Bream",), ())
    assert state.discards["boost"] == before + 1
    assert lures(state) == [["adjust"], ["adjust"], [], ["adjust"]]


def test_scenario_11_discards_before_draws() -> None:
    """The group discards first; the reshuffled pile serves the lower seat, and then there is nothing to draw."""
    state = rigged(2, fish=["Sturgeon"], lures={1: ["extra die 1"]}, pile=[], faces=[2, 3])
    state.discards = {}
    cast(state, {}, {1: ["extra die 1"]})
    assert lures(state) == [["extra die 1"], []]
    assert not state.lure_pile
    assert not sum(state.discards.values())


def test_scenario_12_fish_run_out() -> None:
    """Who has not rolled when the last fish goes discards the lures played, draws one, and its special dice rest."""
    state = rigged(
        3,
        fish=["Minnow"],
        deck=["Roach", "Perch", "Bream"],
        lures={1: ["boost", "adjust"]},
        pile=["extra die 1", "extra die 2"],
        faces=[5],
    )
    before = dict(state.discards)
    cast(state, {1: ["d6", "d20"], 2: ["d6"] * 3}, {1: ["boost", "adjust"]})
    assert caught(state) == [{"Minnow"}, set(), set()]
    assert lures(state) == [[], ["extra die 1"], ["extra die 2"]]
    assert state.discards["boost"] == before.get("boost", 0) + 1
    assert state.discards["adjust"] == before["adjust"] + 1
    assert state.observe(2).rolls[1:] == ((), ())
    assert state.observe(2).round == 2
    assert [options for options, _, _ in questions(state).values()] == [ALL_DICE, ALL_DICE[:6], ALL_DICE]


def test_scenario_13_last_fish_in_a_group() -> None:
    """The rest of the group that takes the last fish draws one lure only, before those who have not rolled."""
    state = rigged(
        4,
        fish=["Bleak"],
        lures={0: ["extra die 4"]},
        pile=["extra die 2"],
        deck=["Roach", "Perch", "Bream"],
        faces=[5, 4],
    )
    state.discards = {}
    cast(state, {0: ["d6"] * 2, 1: ["d6"] * 2}, {0: ["extra die 4"]})
    assert caught(state) == [set(), set(), {"Bleak"}, set()]
    assert lures(state) == [["extra die 4"], [], [], ["extra die 2"]]
    assert not state.lure_pile


def test_scenario_14_special_dice_rest() -> None:
    """Each special die rests in the round after it was chosen, by itself, and all can see that it does."""
    deck = ["Catfish", "Pike", "Taimen", "Arapaima", "Muskellunge", "Carp"]
    state = rigged(2, fish=["Sturgeon"], deck=deck, pile=[], faces=[1] * 8)
    state.discards = {}
    for choice, offered, resting in (
        ("d12", ALL_DICE, ()),
        ("d20", (*ALL_DICE[:5], "d20"), ("d12",)),
        ("d6", ALL_DICE[:6], ("d20",)),
        ("d6", ALL_DICE, ()),
    ):
        assert questions(state) == {0: (offered, 1, len(offered)), 1: (ALL_DICE, 1, 7)}
        assert state.observe(1).resting == (resting, ())
        state.apply({0: (choice,), 1: ("d6",)})


def test_scenario_15_what_an_adjust_may_do() -> None:
    """Done stands first, then each die's +1 and -1 in range; Extra Dice are not offered, dice may be moved twice."""
    played: list[Lure] = ["adjust", "adjust", "extra die 4"]
    state = rigged(2, fish=["Sturgeon", "Dace"], lures={0: played}, faces=[1, 1, 6, 12, 7])
    before = state.discards.get("adjust", 0)
    cast(state, {0: ["d6", "d6", "d12", "d20"], 1: ["d6"]}, {0: played})
    d6 = Adjustment(0, "d6", 1, 1)
    rest = (
        Adjustment(1, "d6", 6, -1),
        Adjustment(2, "d12", 12, -1),
        Adjustment(3, "d20", 7, 1),
        Adjustment(3, "d20", 7, -1),
    )
    assert questions(state) == {0: (("done", d6, *rest), 1, 1)}
    adjust(state, {0: (0, 1)})
    assert questions(state) == {0: (("done", Adjustment(0, "d6", 2, 1), Adjustment(0, "d6", 2, -1), *rest), 1, 1)}
    adjust(state, {0: (0, 1)})
    assert state.players[0].rolled == (3, 6, 12, 7)
    assert caught(state)[0] == {"Sturgeon", "Dace"}
    assert state.discards["adjust"] == before + 2
    assert state.step == "over"


def test_scenario_16_adjusting_together() -> None:
    """Those of a group with Adjusts are asked at once; nobody else sees the changes before all are done."""
    state = rigged(
        3,
        fish=["Perch"],
        lures={0: ["adjust"], 1: ["adjust", "adjust"]},
        pile=["boost", "extra die 1", "extra die 2"],
        faces=[4, 4, 4, 4, 5, 5],
    )
    before = state.discards.get("adjust", 0)
    cast(state, {seat: ["d6", "d6"] for seat in range(3)}, {0: ["adjust"], 1: ["adjust", "adjust"]})
    assert questions(state).keys() == {0, 1}
    adjust(state, {0: (0, 1), 1: (0, 1)})
    assert questions(state).keys() == {1}
    assert [state.observe(seat).numbers for seat in range(3)] == [(5, 4), (5, 4), (5, 5)]
    assert state.observe(0).rolls == ((4, 4), (4, 4), (5, 5))
    assert state.observe(2).rolls == ((4, 4), (4, 4), (5, 5))
    adjust(state, {1: None})
    assert state.observe(2).rolls == ((5, 4), (5, 4), (5, 5))
    assert names(state.fish) == ["Perch"]
    assert state.discards["adjust"] == before + 3
    assert lures(state) == [["boost"], ["extra die 1"], ["extra die 2"]]


def test_scenario_17_silence() -> None:
    """Silence is one d6, no lure and no adjusting: all roll together."""
    pile: list[Lure] = ["boost", "boost", "extra die 1", "extra die 2"]
    state = rigged(
        5,
        fish=["Grayling", "Bleak", "Minnow"],
        lures={seat: ["adjust"] for seat in range(5)},
        pile=pile,
        faces=[5, 5, 3, 6, 2],
    )
    silent(state)
    assert questions(state) == dict.fromkeys(range(5), (("adjust",), 0, 1))
    silent(state)
    assert state.step == "over"
    assert caught(state) == [set(), set(), {"Minnow"}, set(), set()]
    assert names(state.fish) == ["Grayling", "Bleak"]
    held = lures(state)
    assert held.pop(2) == ["adjust"]
    assert [set(hand) - {"adjust"} for hand in held] == [{lure} for lure in pile]
    state = rigged(2, fish=["Perch"], lures={0: ["adjust"]}, faces=[4, 3])
    cast(state, {}, {0: ["adjust"]})
    silent(state)
    assert state.observe(1).rolls == ((4,), (3,))
    assert state.step == "over"


def test_scenario_18_same_number_on_any_die() -> None:
    """A number is the same on d6, d12, d20 and Extra Die; an Adjust may bring a d20 to 10; a third alike is no pair."""
    for answer, got in (((2, 1), {"Walleye", "Arapaima"}), (None, {"Walleye"})):
        state = rigged(
            2,
            fish=["Burbot", "Walleye", "Muskellunge", "Arapaima"],
            lures={0: ["extra die 4"], 1: ["extra die 6", "adjust"]},
            faces=[4, 6, 6, 9],
        )
        cast(state, {0: ["d12"], 1: ["d6", "d6", "d20"]}, {0: ["extra die 4"], 1: ["extra die 6", "adjust"]})
        assert caught(state) == [{"Burbot"}, set()]
        adjust(state, {1: answer})
        assert caught(state) == [{"Burbot"}, got]
        assert "Muskellunge" in names(state.fish)
        assert vp(state) == (5, 10 if answer else 5)


def test_scenario_19_equal_points() -> None:
    """Equal points go by fewest fish, Boosts not being fish, then are shared; so all the way down."""
    state = rigged(
        5,
        fish=["Sturgeon"],
        score_piles={0: ["Pike"], 1: ["Taimen"], 2: ["Carp", "Chub"], 3: ["Roach", "Perch", "Minnow"], 4: ["Catfish"]},
        boosts={0: 1, 3: 1},
        faces=[1] * 5,
    )
    silent(state)
    assert state.pending() == Outcome((0, 0, 2, 3, 4), (7, 7, 7, 7, 6))


def hidden_table(*, other: bool) -> LureState:
    """Seats 0 and 1 are about to choose lures; the other table differs in what scenario 20 calls hidden."""
    hand: list[Lure] = ["boost", "extra die 3", "adjust", "extra die 1", "extra die 3"]
    swapped: list[Lure] = ["boost", "boost", "adjust", "extra die 6", "extra die 5"]
    state = rigged(
        3,
        fish=["Perch"],
        deck=["Roach", "Chub", "Eel"],
        lures={0: swapped if other else hand, 1: ["adjust"]},
        score_piles={0: ["Pike"], 2: ["Carp"]},
        faces=[4, 5],
    )
    if other:
        state.deck, state.removed[:3] = state.removed[:3], state.deck
        state.lure_pile.reverse()
    state.apply({0: ("d6", "d20") if other else ("d12",), 1: ("d6",), 2: ("d6", "d6")})
    return state


def test_scenario_20_hidden_during_cast() -> None:
    """While lures are chosen nobody sees the dice or lures of others, the fish to come or those removed."""
    one, two = hidden_table(other=False), hidden_table(other=True)
    ordered = ("adjust", "extra die 1", "extra die 3", "extra die 3", "boost")
    assert questions(one) == {0: (ordered, 0, 5), 1: (("adjust",), 0, 1)}
    assert one.observe(0).chosen == ("d12",)
    for seat in (1, 2):
        assert one.observe(seat).held == (5, 1, 0)
        assert one.observe(seat).score_piles == (("Pike",), (), ("Carp",))
        assert one.observe(seat) == two.observe(seat)
    one.apply({0: ("extra die 3", "boost"), 1: ("adjust",)})
    assert one.step == "adjust"  # seat 1, together with seat 0; seat 2 has not rolled
    for seat in range(3):
        assert one.observe(seat).dice == (("d12",), ("d6",), ("d6", "d6"))
        assert sorted(one.observe(seat).played[0]) == ["boost", "extra die 3"]
        assert one.observe(seat).played[1:] == (("adjust",), ())
        assert one.observe(seat).rolls[2] == ()


def test_twenty_scenarios_each_with_its_test() -> None:
    """The written reading has twenty scenarios, and each has its test here."""
    written = [int(number) for number in re.findall(r"(?m)^## (\d+)\. ", SCENARIOS.read_text(encoding="utf-8"))]
    tested = sorted(int(name[14:16]) for name in globals() if name.startswith("test_scenario_"))
    assert written == tested == list(range(1, 21))
