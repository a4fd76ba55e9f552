"""A turn of Fish Food: draw, flip, the round of play, winning an encounter, end of turn; ruling by ruling."""

from typing import Any

import pytest

from arena.game import Decision, Outcome, Pending, Seat, Whisper
from arena.games.fish_food import events as tell
from arena.games.fish_food.cards import ACTIONS, Action
from arena.games.fish_food.rules import FishFood
from tests.games.walks import questions
from tests.shelf.games.fish_food import rigged


def opened(hands: list[list[Action]], **given: Any) -> FishFood:
    """A table set up by hand, at its first question."""
    state = rigged(hands, **given)
    state.apply({})
    return state


def copies(card: Action, number: int) -> list[Action]:
    """So many of a card."""
    return [card] * number


def asked(state: FishFood) -> tuple[Seat, Decision]:
    """The one seat that is asked, and what."""
    decisions = questions(state)
    ((seat, decision),) = decisions.items()
    return seat, decision


def play(state: FishFood, seat: Seat, card: Action, target: tell.Target) -> list[Any]:
    """This seat, whose chance it must be, plays a card that is offered to it."""
    who, decision = asked(state)
    assert who == seat
    assert tell.Play(card, target) in decision.options
    return state.apply({seat: (tell.Play(card, target),)})


def say(state: FishFood, *words: str) -> list[Any]:
    """Whoever is asked picks these words."""
    seat, decision = asked(state)
    assert set(words) <= set(decision.options)
    return state.apply({seat: words})


def targets(state: FishFood, card: Action) -> list[tell.Target]:
    """What the player may play this card on, in the order of the options."""
    _, decision = asked(state)
    return [option.target for option in decision.options if isinstance(option, tell.Play) and option.card == card]


# The example


def test_example_turn() -> None:
    """Example Turn: A at size 3 against a size 7 ends at 7 against 8, stunned, and goes down to size 2."""
    a, b, c = 0, 1, 2
    state = opened([["School of Fish", "Fish Food"], ["Caught in the Net"], ["Fish Food", "Stun"]], encounters=[7, 1])
    play(state, a, "School of Fish", a)
    assert state.modifiers[a] + state.sizes[a] == 7
    say(state, "pass")
    events = play(state, b, "Caught in the Net", a)
    assert state.modifiers[a] + state.sizes[a] == 6
    assert events == [tell.Played(b, "Caught in the Net", a), tell.Pass(b)]
    say(state, "pass")
    play(state, a, "Fish Food", a)
    assert state.modifiers[a] + state.sizes[a] == 7
    assert asked(state)[0] == c
    play(state, c, "Fish Food", "creature")
    assert state.creature_modifier == 1
    events = play(state, c, "Stun", a)
    assert events[:4] == [tell.Played(c, "Stun", a), tell.Pass(c), tell.Pass(b), tell.Compare(a, 7, 8)]
    assert events[4] == tell.Lose(a, 1, 2)
    assert state.sizes == [2, 3, 3]


# Game play


def test_no_draw_on_the_first_turn_of_the_game() -> None:
    """Ruling 1: the current player of the very first turn does not draw; everyone else does, on the first turn too."""
    state = rigged([[], ["Stun"], []], encounters=[1, 2, 3, 4], draws=["Fish Food", "Fish Food"], first=1)
    assert state.apply({}) == [tell.Begin(1), tell.Flip(1, 1)]
    events = say(state, "pass")
    assert events[4:8] == [tell.Grow(1, 1, 4), tell.Draw(2), Whisper((2,), tell.Drawn("Fish Food")), tell.Flip(2, 2)]
    say(state, "pass")
    say(state, "pass")
    assert state.hands == [["Fish Food"], ["Stun"], ["Fish Food"]]


def test_actions_are_reshuffled_when_a_card_must_be_drawn() -> None:
    """Ruling 2: an empty Actions deck is made of the discards, the Actions of the last turn included, when needed."""
    state = opened([["Fish Food"], ["Stun"]], encounters=[1, 2], draws=["Stun"], rest="discards", turn=1)
    assert (state.action_deck, sum(state.action_discards)) == ([], 57)
    play(state, 0, "Fish Food", 0)
    events = say(state, "pass")
    events += say(state, "pass")
    assert events[-4:-2] == [tell.Reshuffle("actions", 58), tell.Draw(1)]
    assert (len(state.action_deck), sum(state.action_discards)) == (57, 0)
    assert state.action_deck != sorted(state.action_deck, key=list(ACTIONS).index)


def test_no_card_left_is_no_draw() -> None:
    """Ruling 2: with neither deck nor discards there is no draw, and the turn goes on."""
    state = rigged([["Stun"], ["Stun"]], encounters=[1], turn=1)
    state.action_deck = []
    assert state.apply({}) == [tell.Begin(0), tell.Flip(0, 1)]


def test_encounters_are_reshuffled() -> None:
    """Ruling 3: an empty Encounters deck is made of the discards when a card must be flipped."""
    state = opened([["Stun"], ["Stun"]], encounters=[1], draws=["Stun"], rest="discards")
    say(state, "pass")
    events = say(state, "pass")
    assert tell.Reshuffle("encounters", 48) in events
    assert sum(state.encounter_discards) + len(state.encounter_deck) + (state.encounter is not None) == 48


def test_current_player_first_then_clockwise() -> None:
    """Ruling 6: the current player plays any number of Actions, says pass, then the next clockwise."""
    hands: list[list[Action]] = [["Fish Food"], copies("Fish Food", 3), ["Fish Food"]]
    state = opened(hands, encounters=[1, 1], first=1)
    for _ in range(2):
        play(state, 1, "Fish Food", 1)
    say(state, "pass")
    assert asked(state)[0] == 2
    say(state, "pass")
    assert asked(state)[0] == 0


def test_a_pass_is_not_final() -> None:
    """Ruling 7: the round ends when all have passed since the last Action; who passed may play after another."""
    state = opened([["Fish Food"], ["Fish Food"], ["Caught in the Net", "Stun"]], encounters=[3, 1])
    say(state, "pass")
    say(state, "pass")
    play(state, 2, "Caught in the Net", 0)
    assert state.passes == 0
    say(state, "pass")
    play(state, 0, "Fish Food", 0)
    # Seat 0 has no more cards and passes unasked; the others are heard once more.
    assert asked(state)[0] == 1
    say(state, "pass")
    events = say(state, "pass")
    assert events[:3] == [tell.Pass(2), tell.Compare(0, 3, 3), tell.Grow(0, 1, 4)]


def test_an_action_works_at_once() -> None:
    """Ruling 8: nobody is asked for a response: the Action has its effect when its player is asked again."""
    state = opened([["Fish Food", "Stun", "Switcheroo"], ["Swim Away"], ["Swim Away"]], encounters=[5])
    assert play(state, 0, "Fish Food", "creature") == [tell.Played(0, "Fish Food", "creature")]
    assert (state.creature_modifier, asked(state)[0]) == (1, 0)
    assert play(state, 0, "Switcheroo", 1) == [tell.Played(0, "Switcheroo", 1)]
    assert (state.attacked, asked(state)[0]) == (1, 0)


def test_nobody_plays_before_the_flip() -> None:
    """Ruling 33: the first question of a turn comes after the flip."""
    state = opened([["Fish Food"], ["Fish Food"]], encounters=[1, 2], draws=["Stun"])
    say(state, "pass")
    events = say(state, "pass")
    assert events[-1] == tell.Flip(1, 2)
    assert asked(state)[0] == 1


def test_who_has_no_cards_passes() -> None:
    """Ruling 34: a player without cards passes without being asked."""
    state = opened([["Stun"], [], []], encounters=[1, 1])
    events = say(state, "pass")
    assert events[:3] == [tell.Pass(0), tell.Pass(1), tell.Pass(2)]


def test_who_has_nothing_to_offer_passes_untold() -> None:
    """Ruling 48: cards without a legal target are not offered; who has no other passes, and nobody is told why."""
    state = opened(
        [["Fish Food"], ["School of Fish", "Lost at Sea"], ["School of Fish"]],
        encounters=[4, 1],
        sizes=[4, 5, 6],
    )
    play(state, 0, "Fish Food", 0)
    # Seat 1 can take the card of seat 2; seat 2 has but a School of Fish that nobody is small enough for.
    assert asked(state) == (1, Decision(("pass", tell.Play("Lost at Sea", 2))))
    assert say(state, "pass")[:3] == [tell.Pass(1), tell.Pass(2), tell.Compare(0, 5, 4)]


def test_order_of_options() -> None:
    """Flow: pass; then cards in the order of the table, alike cards once; the creature, then clockwise from oneself."""
    hand: list[Action] = ["Lost at Sea", "Stun", "Fish Food", "Swim Away", "Fish Food", "Switcheroo", "School of Fish"]
    state = opened([["Stun"], ["Stun"], hand], encounters=[2], first=2, sizes=[3, 4, 2])
    plays: list[tuple[Action, tuple[tell.Target, ...]]] = [
        ("Fish Food", ("creature", 2, 0, 1)),
        ("School of Fish", ("creature", 2, 0)),
        ("Stun", (0, 1)),
        ("Swim Away", ("encounter",)),
        ("Switcheroo", (0, 1)),
        ("Lost at Sea", (0, 1)),
    ]
    options = ("pass", *(tell.Play(card, target) for card, on in plays for target in on))
    assert asked(state) == (2, Decision(options))
    assert asked(state)[1].silence == ("pass",)


def test_the_next_is_clockwise_and_alive() -> None:
    """Ruling 49: left is the next higher seat number, after the last seat 0; who is out is skipped."""
    out = {1: 1}
    state = opened([["Fish Food"], [], ["Fish Food"], ["Fish Food"]], encounters=[1], sizes=[3, 0, 3, 3], out=out)
    assert targets(state, "Fish Food") == ["creature", 0, 2, 3]
    say(state, "pass")
    assert asked(state)[0] == 2
    say(state, "pass")
    events = say(state, "pass")
    assert events[0] == tell.Pass(3)
    assert (state.turn, state.current_player) == (2, 2)
    state = opened([["Fish Food"], [], [], []], encounters=[1], sizes=[3, 0, 3, 3], out=out, first=3)
    say(state, "pass")
    assert (state.turn, state.current_player) == (2, 0)


# Winning an encounter


@pytest.mark.parametrize(("creature", "size"), [(2, 4), (3, 4), (4, 2)])
def test_equal_or_greater_grows(creature: int, size: int) -> None:
    """Ruling 23: the Character grows if its modified size is equal to or greater than the creature's; else it loses."""
    state = opened([["Stun"], []], encounters=[creature, 1])
    say(state, "pass")
    assert state.sizes[0] == size


def test_a_tied_size_may_be_a_tie() -> None:
    """Ruling 23: with ``ties=tie``, which goes with Simple, equal sizes change nothing."""
    state = rigged([[], []], mode="simple", ties="tie", encounters=[3, "Take the Bait"])
    events = state.apply({})
    assert state.sizes == [3, 3]
    assert isinstance(events[events.index(tell.Compare(0, 3, 3)) + 1], tell.Flip)


def test_only_who_is_attacked_grows_or_shrinks() -> None:
    """Ruling 20 and 9: modifiers of other Characters come to nothing, unless a Switcheroo leads the encounter there."""
    state = opened([["Fish Food"], [], []], encounters=[3, 1])
    play(state, 0, "Fish Food", 2)
    assert state.sizes == [4, 3, 3]
    state = opened([["Fish Food", "Switcheroo"], [], []], encounters=[4, 1])
    play(state, 0, "Fish Food", 2)
    play(state, 0, "Switcheroo", 2)
    assert state.sizes == [3, 3, 4]


def test_modifiers_last_until_the_end_of_the_turn() -> None:
    """Winning an Encounter: modified sizes are temporary: neither 10 for a turn wins, nor do they last."""
    state = opened([["School of Fish", "School of Fish"], ["Stun"]], encounters=[1, 1], draws=["Stun"])
    play(state, 0, "School of Fish", 0)
    events = play(state, 0, "School of Fish", 0)
    events += say(state, "pass")
    assert tell.Compare(0, 11, 1) in events
    assert (state.sizes, state.modifiers, state.creature_modifier) == ([4, 3], [0, 0], 0)
    assert isinstance(state.pending(), Pending)


# End of turn


def test_used_cards_are_discarded_at_the_end_of_the_turn() -> None:
    """Ruling 37: the creature and all Actions of the turn lie on the table until its end."""
    state = opened([["Fish Food"], ["Stun"]], encounters=[3, 1], draws=["Fish Food"])
    play(state, 0, "Fish Food", 0)
    assert (state.played, state.encounter) == (["Fish Food"], 3)
    assert (sum(state.action_discards), sum(state.encounter_discards)) == (0, 0)
    say(state, "pass")
    assert state.played == []
    assert state.action_discards[0] == sum(state.action_discards) == 1
    assert state.encounter_discards[2] == sum(state.encounter_discards) == 1


def test_hand_above_the_limit_during_the_turn() -> None:
    """Ruling 15: a hand may be above the limit during the turn and is cut at its end."""
    seven: list[Action] = [*copies("Fish Food", 6), "Lost at Sea"]
    state = opened([seven, copies("Caught in the Net", 7)], encounters=[1, 1], draws=["Stun"], turn=1)
    assert len(state.hands[0]) == 8
    play(state, 0, "Lost at Sea", 1)
    assert len(state.hands[0]) == 9
    say(state, "pass")
    events = say(state, "pass")
    assert events[-1] == tell.Grow(0, 1, 4)
    assert asked(state)[0] == 0
    assert asked(state)[1].least == asked(state)[1].most == 2
    assert "You are above the hand limit: which do you discard?" in str(state.observe(0))


def test_all_players_cut_at_once() -> None:
    """Ruling 31: all above the limit are asked at once for cards of their own choice; silence discards the first."""
    hands: list[list[Action]] = [
        ["Fish Food", "Fish Food", *copies("Stun", 4), "Swim Away", "Switcheroo"],
        [*copies("Caught in the Net", 8), "Lost at Sea"],
    ]
    state = opened(hands, encounters=[1, 1])
    say(state, "pass")
    assert say(state, "pass")[-1] == tell.Grow(0, 1, 4)
    assert state.step == "end of turn"
    # Where one card is too many, alike cards are one option (48).
    pending = state.pending()
    assert pending == Pending(
        {
            0: Decision(("Fish Food", "Stun", "Swim Away", "Switcheroo"), 1, 1),
            1: Decision((*copies("Caught in the Net", 8), "Lost at Sea"), 2, 2),
        }
    )
    silent = state.copy()
    events = state.apply({0: ("Swim Away",), 1: ("Lost at Sea", "Caught in the Net")})
    assert events[:2] == [tell.Discard(0, ("Swim Away",)), tell.Discard(1, ("Caught in the Net", "Lost at Sea"))]
    assert "Swim Away" not in state.hands[0]
    assert state.action_discards == [0, 1, 0, 0, 0, 1, 0, 1]
    events = silent.apply({seat: decision.silence for seat, decision in pending.decisions.items()})
    assert events[:2] == [tell.Discard(0, ("Fish Food",)), tell.Discard(1, ("Caught in the Net",) * 2)]


def test_alike_cards_are_cut_unasked() -> None:
    """Who has cards of one kind only is not asked which to discard; others are."""
    state = opened([copies("Fish Food", 9), [*copies("Stun", 4), *copies("Caught in the Net", 4)]], encounters=[1, 1])
    say(state, "pass")
    say(state, "pass")
    assert asked(state) == (1, Decision(("Caught in the Net", "Stun"), 1, 1))
    assert say(state, "Stun")[:2] == [tell.Discard(0, ("Fish Food",) * 2), tell.Discard(1, ("Stun",))]
    state = opened([copies("Fish Food", 8), ["Stun"]], encounters=[1, 1])
    say(state, "pass")
    assert tell.Discard(0, ("Fish Food",)) in say(state, "pass")


def test_hand_limit_is_fixed_at_the_start() -> None:
    """Ruling 30: with 5 players the limit is 5 cards, also when fewer are left."""
    hands: list[list[Action]] = [[*copies("Fish Food", 5), "Stun"], ["Stun"], [], [], []]
    state = opened(hands, encounters=[1, 1], sizes=[3, 3, 0, 0, 0], out={2: 1, 3: 1, 4: 1}, turn=8, draws=["Fish Food"])
    assert state.hand_limit == 5
    say(state, "pass")
    say(state, "pass")
    assert asked(state)[1].least == 2


def test_silence_passes() -> None:
    """A table at which nobody says anything compares printed sizes alone, and ends."""
    state = rigged([copies("Fish Food", 2), copies("Stun", 2)], encounters=[1, 1, 9])
    state.apply({})
    while isinstance(pending := state.pending(), Pending):
        state.apply({seat: decision.silence for seat, decision in pending.decisions.items()})
    assert isinstance(pending, Outcome)
    assert "Stun" not in state.played
