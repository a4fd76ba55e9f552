"""The box, the deal and the papers of Lure."""

import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

import arena.games.lure
from arena.games.lure import cards
from arena.games.lure.cards import FISH, LURES, ON_REVEAL, can_catch
from arena.games.lure.events import ADJUSTMENTS, Final, Roll, RunOut, Tied
from arena.games.lure.rules import deal

FOLDER = Path(arena.games.lure.__file__).parent
ON = {"effects": "on"}
D6, D12, D20 = range(1, 7), range(1, 13), range(1, 21)

ODDS = {
    "Minnow": (67, 97, 100, 100, 100, 90),
    "Bleak": (33, 83, 98, 100, 100, 80),
    "Roach": (0, 58, 91, 99, 100, 70),
    "Perch": (0, 28, 74, 95, 99, 60),
    "Bream": (0, 8, 50, 84, 97, 50),
    "Chub": (0, 0, 26, 66, 90, 40),
    "Tench": (0, 0, 5, 34, 69, 25),
    "Carp": (0, 0, 0, 10, 40, 10),
    "Pike": (0, 0, 0, 1, 15, 0),
    "Catfish": (0, 0, 0, 0, 2, 0),
    "Gudgeon": (0, 22, 42, 52, 60, 0),
    "Rudd": (0, 25, 42, 52, 60, 0),
    "Dace": (0, 0, 25, 47, 59, 0),
    "Barbel": (0, 0, 10, 23, 33, 0),
    "Burbot": (0, 3, 7, 13, 20, 0),
    "Ide": (0, 0, 7, 21, 33, 0),
    "Bluegill": (0, 11, 40, 72, 91, 0),
    "Crappie": (0, 6, 26, 62, 89, 0),
    "Walleye": (0, 0, 2, 8, 21, 0),
    "Muskellunge": (0, 0, 0, 4, 23, 0),
    "Whitefish": (0, 11, 36, 28, 9, 55),
    "Zander": (0, 0, 3, 11, 9, 30),
    "Trout": (17, 22, 12, 6, 3, 40),
    "Grayling": (17, 17, 12, 6, 3, 40),
    "Char": (0, 3, 8, 6, 3, 25),
    "Salmon": (0, 0, 5, 4, 3, 25),
    "Taimen": (0, 0, 0, 2, 2, 10),
    "Eel": (0, 3, 33, 46, 40, 45),
}
"""Percent of rolls of 1, 2, 3, 4, 5 d6 and of a d20 alone that catch a fish."""


def odds(name: str, *dice: range) -> float:
    """The share of all rolls of these dice that catch a fish."""
    (fish,) = [fish for fish in FISH if fish.name == name]
    rolls = list(product(*dice))
    return sum(can_catch(fish, sum(roll), roll) for roll in rolls) / len(rolls)


def test_the_box() -> None:
    """30 fish of 110 VP in all, one of each; 24 lures: 8 Adjusts, 2 Extra Dice of each number, 4 Boosts of 2 VP."""
    assert len({fish.name for fish in FISH}) == len(FISH) == 30
    assert sum(fish.vp for fish in FISH) == 110
    assert list(LURES.items()) == [("adjust", 8), *[(f"extra die {n}", 2) for n in range(1, 7)], ("boost", 4)]
    assert sum(LURES.values()) == 24
    assert list(cards.EXTRA_DIE.values()) == [1, 2, 3, 4, 5, 6]
    assert (cards.BOOST_VP, cards.START_LURES, cards.D6S, cards.SPECIAL_DICE) == (2, 1, 5, ("d12", "d20"))
    assert cards.SIDES == {"d6": 6, "d12": 12, "d20": 20}
    assert list(LURES) == list(get_args(cards.Lure))


def test_fish_that_do_something() -> None:
    """Three fish bring one more fish, three bring everyone a lure."""
    assert [name for name, effect in ON_REVEAL.items() if effect == "reveal 1 more fish"] == [
        "Minnow",
        "Bluegill",
        "Grayling",
    ]
    assert [name for name, effect in ON_REVEAL.items() if effect == "each player draws 1 lure"] == [
        "Bleak",
        "Dace",
        "Eel",
    ]


@pytest.mark.parametrize("name", ODDS)
def test_odds(name: str) -> None:
    """Each fish is caught by 1 to 5 d6 and by the d20 alone as often as the list of fish says."""
    rolls = [*[[D6] * dice for dice in range(1, 6)], [D20]]
    assert tuple(round(100 * odds(name, *dice)) for dice in rolls) == ODDS[name]


def test_odds_of_the_rarest() -> None:
    """Five d6 reach 30 once in 7776 rolls; 20 with a die of 10 or more needs special dice."""
    assert odds("Sturgeon", *[D6] * 5) == 1 / 7776
    assert odds("Arapaima", *[D6] * 5) == 0
    assert [round(100 * odds("Arapaima", *dice)) for dice in ([D20, D6, D6], [D20, D12, D6])] == [39, 53]
    assert ODDS.keys() | {"Sturgeon", "Arapaima"} == {fish.name for fish in FISH}


@pytest.mark.parametrize(("seats", "removed"), [(2, 10), (3, 10), (4, 0), (5, 0)])
def test_fish_are_removed_unseen(seats: int, removed: int) -> None:
    """Ruling 28: with 2 or 3 players ten random fish are removed, and no observation tells which."""
    state = deal(seats, bytes(32), ON)
    assert (len(state.removed), len(state.deck), len(state.lure_pile)) == (removed, 30 - removed, 24)
    assert {fish.name for fish in state.removed + state.deck} == {fish.name for fish in FISH}
    other = state.copy()
    other.removed, other.deck[:removed] = other.deck[:removed], other.removed
    assert [state.observe(seat) for seat in range(seats)] == [other.observe(seat) for seat in range(seats)]


def test_every_fish_may_be_removed_and_every_lure_dealt() -> None:
    """Over many deals each fish is removed about as often, and each lure is drawn first."""
    deals = [deal(2, number.to_bytes(32, "little"), ON) for number in range(300)]
    removed = Counter(fish.name for state in deals for fish in state.removed)
    assert len(removed) == 30
    assert 60 < min(removed.values()) <= max(removed.values()) < 140
    assert {state.lure_pile[-1] for state in deals} == set(LURES)


def test_adjustments_stay_in_range() -> None:
    """Every adjustment there is changes a number by one, from 1 to the sides of its die."""
    for (_, die, number), ways in ADJUSTMENTS.items():
        assert {number + way.by for way in ways} == {number - 1, number + 1} & {*range(1, int(die[1:]) + 1)}


def test_sentences() -> None:
    """An event is a sentence with seats written as ``seat 0``."""
    told = {
        Roll(0, (3, 4), 9): "seat 0 rolls 3, 4 (total 9)",
        Tied((0, 2), "Chub"): "seat 0 and seat 2 tie for Chub: nobody gets it",
        RunOut((1,)): "no fish is left for seat 1",
        Final((5, 3), (2, 1), (0, 1)): "the game is over: seat 0 has 5 VP with 2 fish (place 1), "
        "seat 1 has 3 VP with 1 fish (place 2)",
    }
    assert {event: str(event) for event in told} == told
    assert str(FISH[14]) == "Barbel (catch 9, contains a 1 and a 5; 4 VP)"


def described(name: str) -> str:
    """The text of a paper in the game's folder."""
    return (FOLDER / name).read_text(encoding="ascii")


def test_cards_in_the_rules() -> None:
    """rules.md lists every fish with its numbers, and every lure with its copies."""
    text = described("rules.md")
    for fish in FISH:
        cells = [fish.name, fish.catch, fish.requirement or "", fish.vp, ON_REVEAL.get(fish.name, "")]
        assert re.sub(r" +", " ", f"| {' | '.join(map(str, cells))} |") in text
    for lure, copies in LURES.items():
        assert re.search(rf"`\"{lure[:-1]}.\"`.* \| {copies}\b", text) or f'| `"{lure}"` | {copies} |' in text
