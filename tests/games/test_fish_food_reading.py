"""The scenarios of `readings/fish_food.md`, Fish Food's rulebook read without its code, each played out by hand."""

import re
from pathlib import Path
from typing import Any

import pytest

from arena.game import Decision, Outcome, Pending, Seat, Whisper
from arena.games.fish_food.cards import ACTION_PLACE, BEGINNER_ACTIONS, ENCOUNTER_PLACE, Action, Encounter
from arena.games.fish_food.events import (
    Begin,
    Compare,
    Discard,
    Drawn,
    Flip,
    Grow,
    Pass,
    Play,
    Reshuffle,
    Steal,
    Stolen,
    Target,
)
from arena.games.fish_food.observation import Ties
from arena.games.fish_food.rules import FishFood
from tests.games.test_fish_food import dealt
from tests.games.test_fish_food_turn import asked, copies, opened, targets
from tests.shelf.games.fish_food import rigged

READING = Path(__file__).parent / "readings" / "fish_food.md"

FF: Action = "Fish Food"
NET: Action = "Caught in the Net"
TREASURE: Action = "Sunken Treasure"
SCHOOL: Action = "School of Fish"
STUN: Action = "Stun"
SWIM: Action = "Swim Away"
SWITCHEROO: Action = "Switcheroo"
LOST: Action = "Lost at Sea"

Move = tuple[Seat, str] | tuple[Seat, Action, Target]
"""A seat that must be the one asked, and the word it says or the card it plays on a target."""


def follow(state: FishFood, *moves: Move) -> list[Any]:
    """Play these moves one after the other, each by the one seat asked and offered to it; all that was told."""
    told: list[Any] = []
    for move in moves:
        seat, decision = asked(state)
        pick = move[1] if len(move) == 2 else Play(move[1], move[2])
        assert seat == move[0], f"expected seat {move[0]} to be asked for {pick}, got seat {seat}"
        assert pick in decision.options
        told += state.apply({seat: (pick,)})
    return told


def silent(state: FishFood, *, turns: int = 1) -> list[Any]:
    """Everyone is silent until so many turns are over, or the game; all that was told."""
    told: list[Any] = []
    last = state.turn + turns
    while state.turn < last and isinstance(pending := state.pending(), Pending):
        told += state.apply({seat: decision.silence for seat, decision in pending.decisions.items()})
    return told


def discards(state: FishFood) -> dict[Action, int]:
    """The Actions on their discard pile."""
    return {card: number for card, place in ACTION_PLACE.items() if (number := state.action_discards[place])}


def encounter_discards(state: FishFood) -> dict[Encounter, int]:
    """The Encounters on their discard pile."""
    return {card: number for card, place in ENCOUNTER_PLACE.items() if (number := state.encounter_discards[place])}


def piled(cards: list[Encounter]) -> list[int]:
    """A discard pile of Encounters as the table counts it."""
    return [cards.count(card) for card in ENCOUNTER_PLACE]


def test_the_reading_and_its_tests_agree() -> None:
    """The reading has twenty numbered scenarios with an expected result each, and every one has its test here."""
    text = READING.read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    tests = [re.match(r"test_scenario_(\d\d)_", name) for name in globals()]
    assert numbers == list(range(1, 21))
    assert text.count("\n**Expected.**") == text.count("\n**Rests on.**") == 20
    assert sorted(int(found[1]) for found in tests if found) == numbers


def test_scenario_01_the_opening_turn_draws_nothing() -> None:
    """Nobody draws in the first turn of the game; the player left of the starter draws in the second."""
    starters, both_creatures = set(), 0
    for number in range(40):
        state = dealt(4, number)
        starters.add(starter := state.current_player)
        assert state.sizes == [3] * 4
        assert [len(hand) for hand in state.hands] == [7] * 4
        assert (len(state.action_deck), len(state.encounter_deck)) == (32, 48)
        if not isinstance(state.encounter_deck[-1], int):
            continue
        state.apply({})
        seen = state.observe(starter)
        assert (seen.turn, seen.hands, seen.action_deck, seen.encounter_deck) == (1, (7,) * 4, 32, 47)
        silent(state)
        if isinstance(state.encounter, int):
            both_creatures += 1
            assert (state.turn, state.current_player) == (2, (starter + 1) % 4)
            assert [len(hand) for hand in state.hands] == [8 if seat == (starter + 1) % 4 else 7 for seat in range(4)]
            assert len(state.action_deck) == 31
    assert starters == {0, 1, 2, 3}
    assert both_creatures > 5


def test_scenario_02_the_example_turn() -> None:
    """The rulebook's example gives eleven chances in its order and ends at 7 against 8, at size 2."""
    state = opened([[SCHOOL, FF, NET], [NET, FF], [FF, STUN]], encounters=[7, 1])
    told = follow(
        state,
        (0, SCHOOL, 0),
        (0, "pass"),
        (1, NET, 0),
        (1, "pass"),
        (2, "pass"),
        (0, FF, 0),
        (0, "pass"),
        (1, "pass"),
        (2, FF, "creature"),
        (2, STUN, 0),
        (1, "pass"),
    )
    assert Compare(0, 7, 8) in told
    assert state.sizes == [2, 3, 3]
    assert (state.turn, state.current_player) == (2, 1)


def test_scenario_03_stun_as_a_trap_and_its_end() -> None:
    """A stunned player is not asked and his encounter is compared; in the next turn he plays again."""
    state = opened([[FF, FF], [STUN, FF]], encounters=[3, 1])
    told = follow(state, (0, "pass"), (1, STUN, 0), (1, FF, "creature"))
    assert Compare(0, 3, 4) in told
    assert (state.sizes, state.turn, state.current_player) == ([2, 3], 2, 1)
    follow(state, (1, "pass"), (0, FF, "creature"))
    state = opened([[STUN], [SWIM]], encounters=[1], sizes=[9, 3])
    follow(state, (0, STUN, 1))
    assert state.pending() == Outcome((0, 1), (10, 3))


def test_scenario_04_a_pass_is_not_final() -> None:
    """Who passed may play again after an Action; who has no target passes unasked, and it looks like any pass."""
    state = opened([[NET, NET], [FF], [SCHOOL]], encounters=[4, 1], sizes=[5, 5, 5], first=1)
    told = follow(state, (1, "pass"), (0, NET, 1), (0, "pass"), (1, "pass"))
    passes = [event for event in told if isinstance(event, Pass)]
    assert passes == [Pass(1), Pass(2), Pass(0), Pass(1), Pass(2)]
    assert Compare(1, 4, 4) in told
    assert state.sizes == [5, 6, 5]
    assert state.current_player == 2


def test_scenario_05_the_whole_list_of_options() -> None:
    """Pass stands first, then cards in the order of the table, each on the creature and clockwise from the player."""
    hand: list[Action] = [LOST, STUN, FF, SWITCHEROO, SCHOOL, SWIM, FF, TREASURE, NET]
    state = opened([[NET], hand, [NET]], encounters=[4], sizes=[5, 3, 4])
    follow(state, (0, "pass"))
    seat, decision = asked(state)
    anyone: tuple[Target, ...] = ("creature", 1, 2, 0)
    expected = [Play(card, target) for card in (FF, NET, TREASURE) for target in anyone]
    expected += [Play(SCHOOL, 1), Play(STUN, 2), Play(STUN, 0), Play(SWIM, "encounter")]
    expected += [Play(SWITCHEROO, 1), Play(SWITCHEROO, 2), Play(LOST, 2), Play(LOST, 0)]
    assert (seat, decision.least, decision.most) == (1, 1, 1)
    assert decision.options == ("pass", *expected)
    assert len(decision.options) == 21
    assert decision.silence == ("pass",)
    state = opened([[NET], [*hand, STUN], [NET]], encounters=[4], sizes=[5, 3, 4])
    follow(state, (0, "pass"), (1, STUN, 2))
    assert (targets(state, STUN), targets(state, LOST)) == ([0], [2, 0])


def test_scenario_06_school_of_fish_and_sizes_without_bounds() -> None:
    """School of Fish looks at the starting size; modified sizes pass 10 and 0, and still move the chip by one."""
    state = opened([[NET, FF], [NET, FF, SCHOOL, SCHOOL]], encounters=[3, 1], sizes=[4, 5])
    follow(state, (0, "pass"), (1, NET, 0), (1, FF, "creature"))
    assert targets(state, SCHOOL) == ["creature"]
    follow(state, (1, SCHOOL, "creature"))
    assert targets(state, SCHOOL) == ["creature"]
    told = follow(state, (1, SCHOOL, "creature"), (0, "pass"))
    assert Compare(0, 3, 12) in told
    assert state.sizes == [3, 5]
    state = opened([copies(NET, 5), []], encounters=[1, 1], sizes=[1, 3])
    told = follow(state, (0, NET, 0), (0, NET, 0), (0, NET, "creature"), (0, NET, "creature"), (0, NET, "creature"))
    assert Compare(0, -1, -2) in told
    assert state.sizes == [2, 3]
    state = opened([[SCHOOL, SCHOOL], []], encounters=[10, 1])
    told = follow(state, (0, SCHOOL, 0), (0, SCHOOL, 0))
    assert Compare(0, 11, 10) in told
    assert (state.sizes, state.turn, state.modifiers) == ([4, 3], 2, [0, 0])


def test_scenario_07_swim_away_after_switcheroo() -> None:
    """Swim Away ends the encounter at once, whoever is attacked; turn and hand limit stay the current player's."""
    hands: list[list[Action]] = [[*copies(FF, 5), *copies(NET, 3)], [FF, SWITCHEROO, NET], [SWIM, NET]]
    state = opened(hands, encounters=[7, 1], sizes=[4, 4, 4])
    follow(state, (0, "pass"), (1, FF, "creature"), (1, SWITCHEROO, 2), (1, "pass"), (2, SWIM, "encounter"))
    pending = state.pending()
    assert isinstance(pending, Pending)
    assert pending.decisions.keys() == {0}
    assert (pending.decisions[0].least, pending.decisions[0].most) == (1, 1)
    assert state.sizes == [4, 4, 4]
    state.apply({0: pending.decisions[0].silence})
    assert discards(state) == {FF: 2, SWIM: 1, SWITCHEROO: 1}
    assert encounter_discards(state) == {7: 1}
    assert (state.turn, state.current_player, state.sizes) == (2, 1, [4, 4, 4])


def test_scenario_08_winning_on_another_players_turn() -> None:
    """A Switcheroo to oneself may win at once: no hand is cut any more; equals share a place, who is out is last."""
    state = opened([copies(NET, 8), [SWITCHEROO], [FF], []], encounters=[1], sizes=[5, 9, 5, 0], out={3: 4})
    follow(state, (0, "pass"), (1, SWITCHEROO, 1), (2, "pass"), (0, "pass"))
    assert state.pending() == Outcome((1, 0, 1, 3), (5, 10, 5, 0))
    assert len(state.hands[0]) == 8


def test_scenario_09_three_switcheroos_in_one_turn() -> None:
    """The last Switcheroo counts; what was played on a Character or the creature stays there."""
    state = opened([[SWITCHEROO], [FF, SWITCHEROO], [FF, NET, SWITCHEROO]], encounters=[4, 1], sizes=[5, 4, 4])
    assert targets(state, SWITCHEROO) == [1, 2]
    follow(state, (0, SWITCHEROO, 1))
    assert targets(state, SWITCHEROO) == [2, 0]
    follow(state, (1, FF, "creature"), (1, SWITCHEROO, 2), (2, FF, 2), (2, NET, 0))
    assert targets(state, SWITCHEROO) == [0, 1]
    told = follow(state, (2, SWITCHEROO, 0))
    assert Compare(0, 4, 5) in told
    assert (state.sizes, state.current_player) == ([4, 4, 4], 1)


def test_scenario_10_the_five_hundredth_turn() -> None:
    """After turn 500 the living rank by size and equals share; after turn 499 the game goes on."""
    table: dict[str, Any] = {"encounters": [10, 1], "sizes": [6, 6, 3, 0], "out": {3: 77}, "first": 1}
    hands: list[list[Action]] = [[NET], [NET], [NET], []]
    state = opened(hands, turn=499, **table)
    silent(state)
    assert state.pending() == Outcome((0, 1, 2, 3), (6, 5, 3, 0))
    state = opened(hands, turn=498, **table)
    silent(state)
    assert isinstance(state.pending(), Pending)
    assert (state.turn, state.current_player, state.sizes) == (500, 2, [6, 5, 3, 0])
    state = opened(hands, turn=499, **{**table, "sizes": [6, 7, 3, 0]})
    silent(state)
    assert state.pending() == Outcome((0, 0, 2, 3), (6, 6, 3, 0))


def test_scenario_11_lost_at_sea_on_the_stunned() -> None:
    """Lost at Sea takes the last card of a stunned player, to be played at once; an empty hand is no target."""
    state = opened([[STUN, LOST, LOST], [SWIM], []], encounters=[3, 1], draws=[NET])
    assert asked(state)[1].options == ("pass", Play(STUN, 1), Play(STUN, 2), Play(LOST, 1))
    follow(state, (0, STUN, 1))
    assert asked(state)[1].options == ("pass", Play(LOST, 1))
    follow(state, (0, LOST, 1))
    assert asked(state)[1].options == ("pass", Play(SWIM, "encounter"))
    follow(state, (0, SWIM, "encounter"))
    assert state.sizes == [3, 3, 3]
    assert (state.turn, state.current_player, state.hands) == (2, 1, [[LOST], [NET], []])
    follow(state, (1, NET, "creature"))


def test_scenario_12_who_knows_the_stolen_cards() -> None:
    """Thief and victim know the names, the victim until the cards are played or another robs that hand."""
    kept = set()
    for key in range(8):
        state = opened([[LOST, FF, FF], [STUN, SWIM], [LOST], [NET]], encounters=[5, 1])
        state.chance.key = bytes([key]) * 32
        told = follow(state, (0, LOST, 1))
        assert told[1:3] == [Steal(0, 1, 2), Whisper((0, 1), Stolen((STUN, SWIM)))]
        assert state.hands[0] == [FF, FF, STUN, SWIM]
        assert state.observe(1).known[0] == (STUN, SWIM)
        follow(state, (0, STUN, 3))
        assert state.observe(1).known[0] == (SWIM,)
        for stranger in (2, 3):
            seen = state.observe(stranger)
            assert seen.hands == (3, 0, 1, 1)
            assert not any(seen.known + seen.exposed)
        follow(state, (0, "pass"))
        told = follow(state, (2, LOST, 0))
        (whisper,) = [event for event in told if isinstance(event, Whisper) and isinstance(event.event, Stolen)]
        assert whisper == Whisper((0, 2), Stolen(tuple(state.hands[2])))
        assert len(state.hands[2]) == 2
        assert not any(state.observe(1).known)
        assert state.observe(0).known[2] == tuple(state.hands[2])
        for stranger in (1, 3):
            assert not any(state.observe(stranger).known)
        kept.add(SWIM in state.hands[0])
    assert kept == {True, False}


def test_scenario_13_cutting_hands_at_once_and_in_secret() -> None:
    """All above the limit choose at once; what one discards shows only when all have chosen."""
    hands: list[list[Action]] = [[SWIM, NET, *copies(FF, 6)], [LOST, LOST, *copies(NET, 5)], copies(FF, 4)]
    state = opened(hands, encounters=[3, 1])
    follow(state, (0, "pass"), (1, LOST, 2), (1, LOST, 2), (1, "pass"), (0, "pass"))
    assert state.sizes == [4, 3, 3]
    pending = state.pending()
    assert isinstance(pending, Pending)
    assert pending.decisions.keys() == {0, 1}
    first, second = pending.decisions[0], pending.decisions[1]
    assert (first.options, first.least, first.most) == ((FF, NET, SWIM), 1, 1)
    assert (second.options, second.least, second.most) == ((FF,) * 4 + (NET,) * 5, 2, 2)
    assert second.silence == (FF, FF)
    for seat in range(3):
        assert state.observe(seat).action_discards[ACTION_PLACE[SWIM]] == 0
    told = state.apply({0: (SWIM,), 1: second.silence})
    assert told[:2] == [Discard(0, (SWIM,)), Discard(1, (FF, FF))]
    assert discards(state) == {FF: 2, SWIM: 1, LOST: 2}
    assert [len(hand) for hand in state.hands] == [7, 7 + 1, 0]
    assert state.current_player == 1


@pytest.mark.parametrize(
    ("seats", "given", "stays"),
    [(5, {"event_cards": "remove"}, False), (5, {}, True), (3, {"event_cards": "remove"}, False)],
)
def test_scenario_14_five_seats(seats: int, given: dict[str, Any], *, stays: bool) -> None:
    """Five are dealt 5 cards and keep that limit when one is out; Events leave the game after use if told to."""
    state = dealt(5)
    assert [len(hand) for hand in state.hands] == [5] * 5
    assert (len(state.action_deck), len(state.encounter_deck)) == (35, 48)
    hands: list[list[Action]] = [[*copies(FF, 5), NET], *[[STUN] for _ in range(seats - 1)]]
    state = opened(hands, encounters=["Shark", 1], sizes=[1] * (seats - 1) + [2], **given)
    assert state.sizes == [1] * (seats - 1) + [0]
    assert discards(state)[STUN] == 1
    if seats == 5:
        pending = state.pending()
        assert isinstance(pending, Pending)
        assert list(pending.decisions) == [0]
        assert pending.decisions[0].most == 1
        state.apply({0: pending.decisions[0].silence})
        assert [len(hand) for hand in state.hands] == [5, 2, 1, 1, 0]
    assert encounter_discards(state) == ({"Shark": 1} if stays else {})
    assert state.encounter_deck.count("Shark") == 2


def test_scenario_15_eaten_up() -> None:
    """Who is at 0 discards the hand, is no target and is skipped; of two players the other wins at once."""
    state = opened([copies(NET, 3), [FF], [FF], [FF]], encounters=[10, 1, 1, 1], sizes=[1, 3, 3, 3])
    silent(state)
    assert (state.sizes[0], state.hands[0], discards(state)) == (0, [], {NET: 3})
    turns = []
    for _ in range(4):
        turns.append(state.current_player)
        if state.current_player == 1 and len(turns) == 1:
            assert targets(state, FF) == ["creature", 1, 2, 3]
        silent(state)
    assert turns == [1, 2, 3, 1]
    state = opened([copies(NET, 8), copies(FF, 8)], encounters=[10, 1], sizes=[1, 3])
    told = silent(state)
    assert state.pending() == Outcome((1, 0), (0, 3))
    assert not any(isinstance(event, Discard | Flip) for event in told)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((6, 4, 6), [5, 4, 5]),
        ((6, 4, 5), [4, 4, 5]),
        ((2, 1, 1), [0, 1, 1]),
        ((1, 1, 0), [0] * 3),
        ((9, 2, 0), [7, 2, 0]),
    ],
)
def test_scenario_16_the_shark(before: tuple[int, ...], after: list[int]) -> None:
    """The Shark takes 2 from the biggest alone or 1 from each of several, and asks nobody."""
    hands: list[list[Action]] = [[NET] if size else [] for size in before]
    if not after[0]:
        hands[0] = [*copies(NET, 7), FF]
    out = {seat: 3 for seat, size in enumerate(before) if not size}
    state = opened(hands, encounters=["Shark", 1], sizes=before, out=out, turn=5)
    assert state.sizes == after
    if any(after):
        assert (state.turn, state.current_player) == (7, 1)
    else:
        assert state.pending() == Outcome((0, 0, 2), (0, 0, 0))
    if not after[0]:
        assert state.hands[0] == []


def test_scenario_17_feeding_frenzy_is_the_whole_turn() -> None:
    """In a Feeding Frenzy the current player draws, sizes up to 5 grow, nobody plays, and the hand is cut."""
    state = rigged(
        [copies(FF, 7), [STUN], [STUN], []],
        encounters=["Feeding Frenzy", 1],
        draws=[SWIM],
        sizes=[5, 6, 9, 0],
        out={3: 2},
        turn=3,
    )
    told = state.apply({})
    assert Whisper((0,), Drawn(SWIM)) in told
    assert state.sizes == [6, 6, 9, 0]
    seat, decision = asked(state)
    assert (seat, decision.options, decision.least, decision.most) == (0, (FF, SWIM), 1, 1)
    told = state.apply({0: decision.silence})
    assert told[0] == Discard(0, (FF,))
    assert state.current_player == 1


def baited(size: int, *encounters: Encounter) -> FishFood:
    """Seat 0 has just flipped Take the Bait; its hand is above the limit, so that the end of its turn is a question."""
    sizes = [size, 3, 3]
    state = opened([[*copies(FF, 7), NET], [NET], [NET]], encounters=["Take the Bait", *encounters], sizes=sizes)
    assert asked(state) == (0, Decision(("leave it", "take it")))
    return state


def test_scenario_18_take_the_bait() -> None:
    """The bait may be left; taken it moves 2 sizes between 0 and 10, skips Events, and survives an empty deck."""
    state = baited(3, "Shark")
    told = state.apply({0: asked(state)[1].silence})
    assert not any(isinstance(event, Flip) for event in told)
    assert (state.sizes, encounter_discards(state)) == ([3, 3, 3], {"Take the Bait": 1})
    state = baited(3, "Shark", "Feeding Frenzy", 3, 1)
    follow(state, (0, "take it"))
    assert state.sizes == [5, 3, 3]
    assert encounter_discards(state) == {3: 1, "Shark": 1, "Take the Bait": 1, "Feeding Frenzy": 1}
    state = baited(1, 2, 1)
    follow(state, (0, "take it"))
    assert (state.sizes, state.players, state.current_player) == ([0, 3, 3], (1, 2), 1)
    state = baited(9, 1)
    follow(state, (0, "take it"))
    assert state.pending() == Outcome((0, 1, 1), (10, 3, 3))
    sharks = set()
    for key in range(20):
        state = baited(5)
        state.chance.key = bytes([key]) * 32
        state.encounter_deck, state.encounter_discards = [], piled(["Shark", 10])
        told = follow(state, (0, "take it"))
        assert Reshuffle("encounters", 2) in told
        assert state.sizes == [3, 3, 3]
        shark_first = Flip(0, "Shark") in told
        sharks.add(shark_first)
        assert state.encounter_deck == ([] if shark_first else ["Shark"])
        flipped: list[Encounter] = ["Shark", 10, "Take the Bait"] if shark_first else [10, "Take the Bait"]
        assert state.encounter_discards == piled(flipped)
    assert sharks == {True, False}


def ending(hands: list[list[Action]], action_discards: list[Action]) -> FishFood:
    """The first turn of two players with no Actions deck, the second to be flipped a Shrimp too."""
    state = rigged(hands, encounters=[1, 1])
    state.action_deck = []
    state.action_discards = [action_discards.count(card) for card in ACTION_PLACE]
    state.apply({})
    return state


def test_scenario_19_empty_decks() -> None:
    """Empty decks are made of the discards, those of the turn just ended included; without any there is no draw."""
    state = ending([[NET], [STUN]], [SWIM, SWIM, SWIM])
    silent(state)
    assert (state.hands[1], state.action_deck, discards(state)) == ([STUN, SWIM], [SWIM, SWIM], {})
    state = ending([[NET], [STUN]], [])
    silent(state)
    assert (state.hands, state.turn, state.encounter) == ([[NET], [STUN]], 2, 1)
    assert isinstance(state.pending(), Pending)
    state = ending([[FF], [STUN]], [])
    follow(state, (0, FF, 0), (1, "pass"))
    assert (state.hands, state.action_deck, discards(state)) == ([[], [FF, STUN]], [], {})
    state = rigged([[NET], [STUN]])
    state.encounter_deck, state.encounter_discards = [4], piled([])
    state.apply({})
    silent(state)
    assert (state.encounter, state.attacked, state.current_player, state.encounter_deck) == (4, 1, 1, [])


def test_scenario_20_beginner_and_simple() -> None:
    """Beginner deals 5 of the four size cards and cuts to 5; Simple has no cards and asks about the bait at most."""
    for number in range(10):
        state = dealt(3, number, mode="beginner")
        assert [len(hand) for hand in state.hands] == [5] * 3
        assert len(state.action_deck) == 31
        assert {*state.action_deck, *state.hands[0], *state.hands[1], *state.hands[2]} == set(BEGINNER_ACTIONS)
        second = (state.current_player + 1) % 3
        told = state.apply({}) + silent(state) + silent(state)
        cuts = [event for event in told if isinstance(event, Discard)]
        assert [(cut.seat, len(cut.cards)) for cut in cuts[:1]] == [(second, 1)]
    results: dict[Ties, list[Any]] = {"tie": [], "win": [Grow(0, 1, 4)]}
    for ties, change in results.items():
        state = rigged([[], [], []], mode="simple", event_cards="off", ties=ties, encounters=[3, 1])
        told = state.apply({})
        assert told[: 4 + len(change)] == [Begin(0), Flip(0, 3), Compare(0, 3, 3), *change, Flip(1, 1)]
        assert isinstance(state.pending(), Outcome)
        assert state.hands == [[], [], []]
    for number in range(10):
        state = dealt(3, number, mode="simple")
        state.apply({})
        while isinstance(pending := state.pending(), Pending):
            (decision,) = pending.decisions.values()
            assert decision.options == ("leave it", "take it")
            state.apply(dict.fromkeys(pending.decisions, ("take it",)))
