"""Roll and catch fish, and Rolling Together in Lure, ruling by ruling."""

import pytest

from arena.games.lure.cards import FISH, MEETS, Requirement, can_catch
from arena.games.lure.events import Adjusted, Adjustment, Boosted, Caught, Discard, Draw, Roll, Tied
from arena.laws.table import unwrap_events
from tests.games.walks import questions as asked
from tests.shelf.games.lure import adjust, cast, rigged

NAMED = {fish.name: fish for fish in FISH}


def caught(events: list[object]) -> list[tuple[int, str]]:
    """Who caught what, in order."""
    return [(event.seat, event.fish) for event in unwrap_events(events) if isinstance(event, Caught)]


@pytest.mark.parametrize(
    ("requirement", "met", "missed"),
    [
        ("contains a 1", [(1,), (3, 1, 20)], [(2,), (11, 12)]),
        ("contains a 6", [(6,), (6, 6)], [(5, 1), (16,)]),
        ("contains a 3", [(3,), (1, 3)], [(2, 1), (13,)]),
        ("contains a 1 and a 5", [(1, 5), (5, 2, 1)], [(1, 1), (5,), (6,)]),
        ("contains two 4s", [(4, 4), (4, 4, 4), (4, 1, 4)], [(4,), (8,), (2, 2)]),
        ("contains a 2 and a 6", [(2, 6)], [(2, 2), (6, 6), (12, 16)]),
        ("two dice alike", [(3, 3), (1, 2, 1), (5, 5, 5)], [(3,), (1, 2, 3)]),
        ("three dice alike", [(3, 3, 3), (1, 2, 1, 1), (2, 2, 2, 2)], [(3, 3), (1, 1, 2, 2)]),
        ("two pairs", [(1, 1, 2, 2), (3, 3, 3, 3), (1, 1, 1, 2, 2)], [(1, 1), (1, 1, 1), (1, 1, 1, 2)]),
        ("no two dice alike", [(7,), (1, 2, 3)], [(1, 1), (4, 2, 4)]),
        ("all dice even", [(2,), (4, 12, 20)], [(1,), (2, 4, 5)]),
        ("all dice odd", [(1,), (3, 11, 19)], [(2,), (1, 3, 4)]),
        ("no die shows 1", [(2,), (11, 10)], [(1,), (5, 5, 1)]),
        ("a die shows 10 or more", [(10,), (1, 20)], [(9,), (6, 6, 6)]),
    ],
)
def test_requirements(requirement: Requirement, met: list[tuple[int, ...]], missed: list[tuple[int, ...]]) -> None:
    """Each requirement is met by some rolls and missed by others; two pairs are two different ones or four alike."""
    assert [MEETS[requirement](numbers) for numbers in met] == [True] * len(met)
    assert [MEETS[requirement](numbers) for numbers in missed] == [False] * len(missed)


def test_every_requirement_can_be_judged() -> None:
    """What the fish require is just what can be judged."""
    assert {fish.requirement for fish in FISH} - {None} == set(MEETS)


def test_the_catch_number_is_reached_or_passed() -> None:
    """A roll must add up to at least the catch number, and meet the requirement too."""
    perch, taimen = NAMED["Perch"], NAMED["Taimen"]
    assert [can_catch(perch, total, (total,)) for total in (8, 9, 10)] == [False, True, True]
    assert can_catch(taimen, 18, (18,))
    assert not can_catch(taimen, 19, (19,))
    assert not can_catch(taimen, 16, (16,))


def test_one_roll_catches_several() -> None:
    """Ruling 4 and 12: a roll takes every fish it is good for, without being asked; dice are not used up."""
    state = rigged(2, fish=["Roach", "Chub", "Perch", "Trout"], faces=[1, 4, 6])
    events = cast(state, {0: ("d6",), 1: ("d6", "d6")})
    assert caught(events) == [(1, "Roach"), (1, "Perch"), (1, "Trout")]
    assert [fish.name for fish in state.fish] == ["Chub"]


def test_the_whole_roll_counts() -> None:
    """Ruling 5: no die may be left out to make all even, or to make none alike."""
    state = rigged(2, fish=["Trout", "Whitefish"], faces=[1, 4, 4, 3])
    assert caught(cast(state, {1: ("d6", "d6", "d6")})) == []


def test_an_extra_die_adds_its_number() -> None:
    """Ruling 5: an Extra Die adds to the sum and meets requirements like a die."""
    state = rigged(2, fish=["Perch", "Barbel", "Crappie"], lures={0: ["extra die 5"]}, faces=[1, 3, 1])
    events = cast(state, {0: ("d6", "d6")}, {0: ("extra die 5",)})
    assert caught(events) == [(0, "Perch"), (0, "Barbel")]


def test_an_extra_die_counts_even_if_it_hurts() -> None:
    """Ruling 6 and 27: a played Extra Die must be even too where all are, and is compulsory."""
    state = rigged(2, fish=["Trout"], lures={0: ["extra die 3"]}, faces=[1, 6, 2])
    assert caught(cast(state, {0: ("d6", "d6")}, {0: ("extra die 3",)})) == []
    state = rigged(2, fish=["Trout"], lures={0: ["extra die 2"]}, faces=[6, 1])
    assert caught(cast(state, {}, {0: ("extra die 2",)})) == [(0, "Trout")]


def test_an_extra_die_cannot_be_adjusted() -> None:
    """Ruling 6: Adjusts are offered for the dice that were rolled, and for no Extra Die."""
    state = rigged(2, fish=["Chub"], lures={0: ["adjust", "extra die 4"]}, faces=[3, 1])
    cast(state, {}, {0: ("adjust", "extra die 4")})
    assert asked(state)[0].options == ("done", Adjustment(0, "d6", 3, 1), Adjustment(0, "d6", 3, -1))


def test_numbers_are_alike_across_dice() -> None:
    """Ruling 26: a 4 of a d6, a d12, a d20 or an Extra Die is the same 4."""
    state = rigged(2, fish=["Burbot"], faces=[1, 4, 4])
    assert caught(cast(state, {1: ("d12", "d20")})) == [(1, "Burbot")]
    state = rigged(2, fish=["Burbot", "Bluegill"], lures={1: ["extra die 4"]}, faces=[1, 4])
    assert caught(cast(state, {0: ("d6",), 1: ("d20",)}, {1: ("extra die 4",)})) == [(1, "Burbot"), (1, "Bluegill")]


@pytest.mark.parametrize(
    ("die", "face", "fish", "catches"),
    [
        ("d20", 10, "Whitefish", True),
        ("d6", 6, "Trout", True),
        ("d6", 5, "Grayling", True),
        ("d20", 18, "Taimen", True),
        ("d20", 12, "Crappie", False),
        ("d12", 12, "Eel", True),
    ],
)
def test_requirements_with_a_single_die(die: str, face: int, fish: str, catches: bool) -> None:
    """Ruling 37: a single die has no other like it, may be all even or all odd, and is never alike."""
    state = rigged(2, fish=[fish], faces=[face, 1, 1])
    assert caught(cast(state, {0: (die,), 1: ("d6", "d6")})) == ([(0, fish)] if catches else [])  # type: ignore[dict-item]  # names of dice


def test_alike_with_an_extra_die() -> None:
    """Ruling 37: the Extra Die may be the second of two dice alike, and the other of two that are not."""
    state = rigged(2, fish=["Bluegill"], lures={0: ["extra die 3"]}, faces=[3, 1])
    assert caught(cast(state, {}, {0: ("extra die 3",)})) == [(0, "Bluegill")]


def test_adjust_options() -> None:
    """Ruling 7: done stands first, then for each die one more and one less where it still shows that."""
    state = rigged(2, fish=["Chub"], lures={0: ["adjust"]}, faces=[1, 1, 6, 3, 12, 20])
    cast(state, {0: ("d6", "d6", "d6", "d12", "d20"), 1: ("d6",)}, {0: ("adjust",)})
    decision = asked(state)[0]
    assert [str(option) for option in decision.options] == [
        "done",
        "adjust die 0 (a d6) from 1 to 2",
        "adjust die 1 (a d6) from 6 to 5",
        "adjust die 2 (a d6) from 3 to 4",
        "adjust die 2 (a d6) from 3 to 2",
        "adjust die 3 (a d12) from 12 to 11",
        "adjust die 4 (a d20) from 20 to 19",
    ]
    assert (decision.least, decision.most, decision.silence) == (1, 1, ("done",))


def test_several_adjusts_on_one_die() -> None:
    """Ruling 7 and 34: one after the other, also on one die; what was not used is discarded with the rest."""
    state = rigged(2, fish=["Perch"], lures={0: ["adjust"] * 4}, faces=[1, 3, 3])
    cast(state, {0: ("d6", "d6")}, {0: ("adjust",) * 4})
    for _ in range(3):
        assert adjust(state, {0: (1, 1)}) == []
    assert [option for option in asked(state)[0].options if option != "done"] == [
        Adjustment(0, "d6", 3, 1),
        Adjustment(0, "d6", 3, -1),
        Adjustment(1, "d6", 6, -1),
    ]
    events = adjust(state, {0: None})
    assert events[:3] == [Adjusted(0, (3, 6), 9), Caught(0, "Perch", 2), Discard(0, ("adjust",) * 4)]
    assert state.discards == {"adjust": 4}


def test_adjusting_is_voluntary() -> None:
    """Ruling 7: who says done keeps the roll, and is not told of as adjusting."""
    state = rigged(2, fish=["Roach"], lures={0: ["adjust"]}, faces=[6, 1])
    cast(state, {}, {0: ("adjust",)})
    events = adjust(state, {0: None})
    assert not [event for event in events if isinstance(event, Adjusted | Caught)]


def test_a_spent_adjust_is_not_taken_back() -> None:
    """Ruling 34: to undo an Adjust costs another."""
    state = rigged(2, fish=["Roach"], lures={0: ["adjust"] * 2}, faces=[5, 1])
    cast(state, {}, {0: ("adjust",) * 2})
    adjust(state, {0: (0, 1)})
    events = adjust(state, {0: (0, -1)})
    assert Adjusted(0, (5,), 5) not in events
    assert state.step == "over"


def test_a_group_adjusts_at_once_with_all_dice_open() -> None:
    """Ruling 8 and 34: after all have rolled, all with Adjusts are asked at once, and again while they go on."""
    state = rigged(
        3, fish=["Roach"], lures={0: ["adjust"] * 2, 1: ["adjust"], 2: ["boost"]}, faces=[4, 3, 2], deck=["Pike"]
    )
    events = cast(state, {}, {0: ("adjust",) * 2, 1: ("adjust",), 2: ("boost",)})
    assert [event for event in events if isinstance(event, Roll)] == [
        Roll(0, (4,), 4),
        Roll(1, (3,), 3),
        Roll(2, (2,), 2),
    ]
    assert set(asked(state)) == {0, 1}
    assert adjust(state, {0: (0, 1), 1: (0, -1)}) == []
    assert set(asked(state)) == {0}
    events = adjust(state, {0: (0, 1)})
    assert events[:2] == [Adjusted(0, (6,), 6), Adjusted(1, (2,), 2)]


def test_the_lowest_total_of_those_who_can_takes_the_fish() -> None:
    """Ruling 9 and 11: for each fish look only at those who can catch it; the lowest total takes it."""
    state = rigged(3, fish=["Perch", "Chub", "Rudd"], faces=[1, 3, 4, 6, 6, 5])
    events = cast(state, dict.fromkeys(range(3), ("d6", "d6")))
    # totals 4, 10 and 11: seat 0 is lowest but too low for Perch, Rudd wants a 6 and nobody reaches Chub
    assert caught(events) == [(1, "Perch"), (1, "Rudd")]
    state = rigged(3, fish=["Gudgeon", "Perch", "Rudd"], faces=[1, 3, 4, 6, 6, 6])
    events = cast(state, dict.fromkeys(range(3), ("d6", "d6")))
    assert caught(events) == [(0, "Gudgeon"), (1, "Perch"), (1, "Rudd")]


def test_the_comparison_is_of_what_counts() -> None:
    """Ruling 9: totals are compared after Adjusts and with Extra Dice."""
    state = rigged(2, fish=["Bleak"], lures={0: ["extra die 3"], 1: ["adjust"]}, faces=[4, 6])
    cast(state, {}, {0: ("extra die 3",), 1: ("adjust",)})
    assert caught(adjust(state, {1: (0, -1)})) == [(1, "Bleak")]


def test_a_tie_for_lowest_gets_nothing() -> None:
    """Ruling 10 and 13: not even a higher third gets it; it stays for later groups of the round, and later rounds."""
    state = rigged(4, fish=["Bleak", "Roach"], faces=[5, 5, 6, 1, 1], deck=["Pike"])
    events = unwrap_events(cast(state, {3: ("d6", "d6")}))
    assert Tied((0, 1), "Bleak") in events
    assert caught(events) == []
    assert [fish.name for fish in state.fish] == ["Bleak", "Roach", "Pike"]
    state = rigged(4, fish=["Bleak", "Roach"], faces=[5, 5, 6, 1, 4], deck=["Pike"])
    assert caught(cast(state, {3: ("d6", "d6")})) == [(3, "Bleak")]


def test_uncontested_fish_in_a_group() -> None:
    """Ruling 11: the only one who can catch a fish gets it, whatever the totals and ties elsewhere."""
    state = rigged(2, fish=["Roach", "Barbel", "Trout"], faces=[1, 5, 4, 3, 3, 4])
    events = cast(state, {0: ("d6",) * 3, 1: ("d6",) * 3})
    assert Tied((0, 1), "Roach") in events
    assert caught(events) == [(0, "Barbel")]


def test_boosts_score_with_any_fish() -> None:
    """Ruling 14: one fish scores all Boosts played, 2 VP each; the other lures are discarded."""
    state = rigged(2, fish=["Bleak"], lures={0: ["boost", "boost", "extra die 6"]}, faces=[1, 1])
    events = cast(state, {1: ("d6", "d6")}, {0: ("boost", "boost", "extra die 6")})
    assert events[3:6] == [Caught(0, "Bleak", 1), Boosted(0, 2, 4), Discard(0, ("extra die 6",))]
    assert state.players[0].boosts == 2
    assert state.standing().scores == (5, 0)


def test_boosts_without_a_fish_are_discarded() -> None:
    """Ruling 14: a fish one could catch but did not get scores nothing."""
    state = rigged(2, fish=["Bleak"], lures={0: ["boost"]}, faces=[6, 5])
    events = cast(state, {}, {0: ("boost",)})
    assert caught(events) == [(1, "Bleak")]
    assert Discard(0, ("boost",)) in events
    assert state.players[0].boosts == 0


def test_without_a_fish_a_lure_is_drawn() -> None:
    """Ruling 15: whoever got no fish draws one lure, also when it was lost by comparison or tie; the others do not."""
    state = rigged(4, fish=["Bleak", "Perch"], faces=[5, 6, 4, 5, 5, 4], deck=["Pike"], effects="off")
    events = unwrap_events(cast(state, {2: ("d6", "d6"), 3: ("d6", "d6")}))
    assert caught(events) == [(0, "Bleak")]
    assert [event.seat for event in events if isinstance(event, Draw)] == [1, 2, 3]
    assert Tied((2, 3), "Perch") in events
    assert [len(player.lures) for player in state.players] == [0, 1, 1, 1]
