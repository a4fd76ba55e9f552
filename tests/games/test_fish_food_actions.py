"""What each Action of Fish Food does and whom it may be played on, ruling by ruling."""

import pytest

from arena.game import Decision, Whisper
from arena.games.fish_food.cards import Action
from arena.games.fish_food.events import Compare, Draw, Flip, Grow, Lose, Pass, Play, Played, Steal, Stolen, Target
from tests.games.test_fish_food_turn import asked, copies, opened, play, say, targets


@pytest.mark.parametrize(
    ("card", "by"), [("Fish Food", 1), ("Caught in the Net", -1), ("Sunken Treasure", 2), ("School of Fish", 4)]
)
@pytest.mark.parametrize("target", ["creature", 0, 1])
def test_size_cards(card: Action, by: int, target: Target) -> None:
    """Ruling 9: a size card goes on any living Character or the creature and changes its size for this turn."""
    state = opened([[card, "Stun"], ["Stun"], []], encounters=[3])
    assert targets(state, card) == ["creature", 0, 1, 2]
    assert play(state, 0, card, target) == [Played(0, card, target)]
    if target == "creature":
        assert (state.creature_modifier, state.modifiers) == (by, [0, 0, 0])
    else:
        assert (state.creature_modifier, state.modifiers) == (0, [by * (seat == target) for seat in range(3)])
    assert state.sizes == [3, 3, 3]


def test_modified_sizes_have_no_limits() -> None:
    """Ruling 10: modified sizes may be above 10 and below 0."""
    state = opened([copies("Sunken Treasure", 6), copies("Caught in the Net", 5)], encounters=[9, 1])
    for _ in range(6):
        play(state, 0, "Sunken Treasure", "creature")
    for _ in range(4):
        play(state, 1, "Caught in the Net", 0)
    events = play(state, 1, "Caught in the Net", 0)
    assert events[3:5] == [Compare(0, -2, 21), Lose(0, 1, 2)]


def test_school_of_fish_goes_by_starting_size() -> None:
    """Ruling 11: School of Fish is for a starting size of 3 or less, whatever it is modified to; several stack."""
    state = opened([[*copies("School of Fish", 3), "Sunken Treasure"], [], []], encounters=[4], sizes=[3, 4, 2])
    assert targets(state, "School of Fish") == [0, 2]
    play(state, 0, "School of Fish", 0)
    assert targets(state, "School of Fish") == [0, 2]
    play(state, 0, "School of Fish", 0)
    assert state.modifiers == [8, 0, 0]
    state = opened([["School of Fish"], []], encounters=[3], sizes=[4, 4])
    assert targets(state, "School of Fish") == ["creature"]
    # A modified size of 3 is no starting size of 3.
    state = opened([["School of Fish", "Caught in the Net"], []], encounters=[5], sizes=[4, 4])
    play(state, 0, "Caught in the Net", 0)
    assert asked(state)[0] == 1
    assert state.hands[0] == ["School of Fish"]


def test_stun() -> None:
    """Ruling 12: any other player, also the current one, plays no more this turn; what he has played stays."""
    state = opened([["Fish Food", "Fish Food"], ["Stun", "Fish Food"], ["Stun"]], encounters=[4, 1])
    play(state, 0, "Fish Food", 0)
    say(state, "pass")
    assert targets(state, "Stun") == [2, 0]
    assert play(state, 1, "Stun", 0) == [Played(1, "Stun", 0)]
    assert (state.stunned, state.modifiers[0]) == ([0], 1)
    assert say(state, "pass") == [Pass(1)]
    events = say(state, "pass")
    # Seat 0 counts as having passed: it is neither asked nor heard.
    assert events[:2] == [Pass(2), Compare(0, 4, 4)]


def test_stun_ends_with_the_turn() -> None:
    """Ruling 12: in the next turn the player may play again."""
    state = opened([["Fish Food"], ["Stun"]], encounters=[4, 1], first=1)
    play(state, 1, "Stun", 0)
    assert state.stunned == []
    assert asked(state)[0] == 0


def test_the_encounter_of_a_stunned_current_player_is_compared() -> None:
    """Ruling 38: a current player who is stunned before playing anything still meets his creature."""
    state = opened([["Fish Food"], ["Stun"]], encounters=[4, 1])
    say(state, "pass")
    assert play(state, 1, "Stun", 0)[:4] == [Played(1, "Stun", 0), Pass(1), Compare(0, 3, 4), Lose(0, 1, 2)]


def test_whom_stun_and_lost_at_sea_spare() -> None:
    """Ruling 13: not oneself; no Stun on the stunned, no Lost at Sea on an empty hand."""
    hand: list[Action] = ["Stun", "Stun", "Lost at Sea", "Lost at Sea"]
    state = opened([hand, ["Fish Food"], []], encounters=[1])
    assert (targets(state, "Stun"), targets(state, "Lost at Sea")) == ([1, 2], [1])
    play(state, 0, "Stun", 2)
    assert targets(state, "Stun") == [1]
    # With one card one is taken.
    events = play(state, 0, "Lost at Sea", 1)
    assert events[1:] == [Steal(0, 1, 1), Whisper((0, 1), Stolen(("Fish Food",)))]
    assert targets(state, "Lost at Sea") == []
    assert asked(state)[1].options[-1] == Play("Stun", 1)


def test_lost_at_sea_on_the_stunned() -> None:
    """Ruling 14: a stunned player may be robbed, and stolen cards played at once."""
    state = opened([["Stun", "Lost at Sea"], copies("Sunken Treasure", 3)], encounters=[4, 1])
    play(state, 0, "Stun", 1)
    assert targets(state, "Lost at Sea") == [1]
    events = play(state, 0, "Lost at Sea", 1)
    assert events == [
        Played(0, "Lost at Sea", 1),
        Steal(0, 1, 2),
        Whisper((0, 1), Stolen(("Sunken Treasure", "Sunken Treasure"))),
    ]
    assert state.hands == [["Sunken Treasure"] * 2, ["Sunken Treasure"]]
    play(state, 0, "Sunken Treasure", 0)
    assert state.modifiers == [2, 0]


def test_lost_at_sea_takes_random_cards() -> None:
    """Lost at Sea: which two cards are taken is left to chance, any two being possible."""
    hand: list[Action] = ["Fish Food", "Caught in the Net", "Sunken Treasure", "School of Fish"]
    start = opened([["Lost at Sea"], hand], encounters=[1])
    taken = set()
    for number in range(60):
        state = start.copy()
        state.chance.drawn = number
        play(state, 0, "Lost at Sea", 1)
        assert sorted(state.hands[0] + state.hands[1]) == sorted(hand)
        taken.add(tuple(state.hands[0]))
    assert len(taken) == 6


def test_swim_away() -> None:
    """Ruling 16: any player ends the current encounter: nobody grows or shrinks, and the turn goes to its end."""
    hands: list[list[Action]] = [["Fish Food", *copies("Caught in the Net", 8)], ["Swim Away"], ["Fish Food"]]
    state = opened(hands, encounters=[1, 1])
    play(state, 0, "Fish Food", 0)
    say(state, "pass")
    assert targets(state, "Swim Away") == ["encounter"]
    events = play(state, 1, "Swim Away", "encounter")
    assert state.sizes == [3, 3, 3]
    # The hand limit is looked after, and all Actions and the creature are discarded.
    assert [type(event).__name__ for event in events[:4]] == ["Played", "Discard", "Draw", "Whisper"]
    assert state.action_discards == [1, 1, 0, 0, 0, 1, 0, 0]
    assert state.encounter_discards[0] == 1
    assert (state.current_player, state.modifiers) == (1, [0, 0, 0])


def test_swim_away_after_switcheroo() -> None:
    """Ruling 17: Swim Away ends the encounter whoever is attacked now; the turn stays that of the current player."""
    state = opened([["Switcheroo"], [], ["Swim Away"], []], encounters=[9, 1])
    play(state, 0, "Switcheroo", 2)
    events = play(state, 2, "Swim Away", "encounter")
    assert events[:2] == [Played(2, "Swim Away", "encounter"), Draw(1)]
    assert (state.sizes, state.current_player) == ([3, 3, 3, 3], 1)


def test_switcheroo() -> None:
    """Ruling 18: the creature goes on to any other living Character, the player's own too; modifiers stay."""
    state = opened(
        [["Stun"], ["Switcheroo", "Fish Food", "Caught in the Net"], [], []], encounters=[5], sizes=[3, 4, 0, 3]
    )
    say(state, "pass")
    play(state, 1, "Fish Food", 1)
    play(state, 1, "Caught in the Net", "creature")
    assert targets(state, "Switcheroo") == [1, 3]
    play(state, 1, "Switcheroo", 1)
    assert (state.attacked, state.creature_modifier, state.modifiers) == (1, -1, [0, 1, 0, 0])
    events = say(state, "pass")
    assert events[:3] == [Pass(0), Compare(1, 5, 4), Grow(1, 1, 5)]


def test_switcheroos_in_a_row() -> None:
    """Ruling 19: any number of Switcheroos; the creature attacks whom the last one names, even the first again."""
    state = opened([["Switcheroo"], ["Switcheroo"], ["Switcheroo"]], encounters=[8, 1])
    play(state, 0, "Switcheroo", 1)
    play(state, 1, "Switcheroo", 2)
    assert targets(state, "Switcheroo") == [0, 1]
    events = play(state, 2, "Switcheroo", 0)
    assert events[:6] == [Played(2, "Switcheroo", 0), Pass(2), Pass(0), Pass(1), Compare(0, 3, 8), Lose(0, 1, 2)]


def test_order_of_turns_after_switcheroo() -> None:
    """Ruling 21: the next turn is that of the player to the left of the current one, whoever was attacked."""
    state = opened([["Switcheroo"], [], ["Stun"]], encounters=[1, 1])
    play(state, 0, "Switcheroo", 2)
    events = say(state, "pass")
    assert Flip(1, 1) in events
    assert (state.sizes, state.current_player) == ([3, 3, 4], 1)


def test_a_beginner_has_four_actions() -> None:
    """Beginner: with the four size cards alone everybody is offered nothing else."""
    state = opened([["Fish Food", "Caught in the Net", "Sunken Treasure", "School of Fish"], []], mode="beginner")
    _, decision = asked(state)
    assert decision == Decision(
        (
            "pass",
            *[
                Play(card, target)
                for card in ("Fish Food", "Caught in the Net", "Sunken Treasure", "School of Fish")
                for target in ("creature", 0, 1)
            ],
        )
    )
