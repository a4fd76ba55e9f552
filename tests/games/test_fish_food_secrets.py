"""Who knows what in Fish Food: hands, what Lost at Sea shows, and decks made of open discards; ruling by ruling."""

from collections import Counter
from itertools import chain

import pytest

from arena.chance import Chance
from arena.game import Whisper
from arena.games.fish_food import GAME
from arena.games.fish_food.cards import ACTIONS, ENCOUNTER_COPIES, Action
from arena.games.fish_food.events import Discard, Draw, Drawn, Out, Reshuffle, Steal, Stolen
from arena.games.fish_food.odds import HYPOTHESES, odds
from tests.games.test_fish_food_turn import copies, opened, play, say
from tests.shelf.games.fish_food import rigged


def test_hands_are_secret() -> None:
    """Ruling 36: a seat sees its own hand and the number of cards in the others; a card drawn is told to its owner."""
    state = rigged([["Fish Food"], ["Stun", "Swim Away"]], turn=3, draws=["Switcheroo"], encounters=[1])
    events = state.apply({})
    assert events[1:3] == [Draw(0), Whisper((0,), Drawn("Switcheroo"))]
    mine, other = state.observe(0), state.observe(1)
    assert (mine.hand, mine.hands, other.hands) == (("Fish Food", "Switcheroo"), (2, 2), (2, 2))
    assert other.hand == ("Stun", "Swim Away")
    assert not {"Fish Food", "Switcheroo"} & {*other.hand, *other.known[0], *other.played}


def test_what_lies_open() -> None:
    """Ruling 44: numbers of cards and both discard piles are open, as are end-of-turn discards and hands of the out."""
    state = opened([copies("Fish Food", 7), ["Stun"], ["Swim Away"]], encounters=[5, 1], sizes=[1, 3, 3])
    for _ in range(2):
        say(state, "pass")
    events = say(state, "pass")
    assert Out(0, ("Fish Food",) * 7) in events
    for seat in range(3):
        seen = state.observe(seat)
        assert seen.action_discards == (7, 0, 0, 0, 0, 0, 0, 0)
        assert seen.encounter_discards == (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
        assert (seen.action_deck, seen.encounter_deck, seen.hands) == (50, 46, (0, 2, 1))
    state = opened([copies("Fish Food", 9), ["Stun"]], encounters=[1])
    say(state, "pass")
    assert Discard(0, ("Fish Food", "Fish Food")) in say(state, "pass")
    assert state.observe(1).action_discards[0] == 2


def test_the_lost_are_known_to_thief_and_victim() -> None:
    """Ruling 45: thief and victim see which cards are taken, the others how many."""
    state = opened([["Lost at Sea"], ["Stun", "Swim Away"], []], encounters=[1])
    events = play(state, 0, "Lost at Sea", 1)
    assert events[1:3] == [Steal(0, 1, 2), Whisper((0, 1), Stolen(("Stun", "Swim Away")))]
    assert state.observe(1).known == (("Stun", "Swim Away"), (), ())
    assert state.observe(0).exposed == ((), ("Stun", "Swim Away"), ())
    assert state.observe(2).known == state.observe(2).exposed == state.observe(0).known == ((), (), ())


def test_known_until_played_or_discarded() -> None:
    """Ruling 45: the victim knows of a card until one like it is played or discarded from that hand."""
    hand: list[Action] = ["Lost at Sea", *copies("Caught in the Net", 7)]
    state = opened([hand, ["Stun", "Swim Away"]], encounters=[1, 1])
    play(state, 0, "Lost at Sea", 1)
    play(state, 0, "Stun", 1)
    assert state.observe(1).known == (("Swim Away",), ())
    say(state, "pass")
    say(state, "Swim Away")
    assert state.observe(1).known == state.observe(0).exposed == ((), ())


def test_a_card_like_a_known_one_counts_as_it() -> None:
    """Ruling 45: of like cards nobody can tell which was played: the victim is sure of one less."""
    state = opened([["Lost at Sea", "Fish Food"], ["Fish Food", "Stun"]], encounters=[1])
    play(state, 0, "Lost at Sea", 1)
    play(state, 0, "Fish Food", 0)
    assert state.observe(1).known == (("Stun",), ())


def test_known_until_robbed_again() -> None:
    """Ruling 45: who robs the hand again sees what is left; for the others it is uncertain what was taken."""
    state = opened(
        [["Lost at Sea", "Lost at Sea"], ["Fish Food", "Stun"], ["Lost at Sea", "Swim Away", "Swim Away"]],
        encounters=[1],
    )
    play(state, 0, "Lost at Sea", 1)
    assert state.observe(1).known[0] == ("Fish Food", "Stun")
    thief = state.copy()
    say(state, "pass")
    play(state, 2, "Lost at Sea", 0)
    assert state.observe(1).known == ((), (), ())
    assert len(state.observe(0).known[2]) == 2
    # The victim himself robs the thief: he sees what he takes back, and knows the rest as before.
    say(thief, "pass")
    thief.hands[1] = ["Lost at Sea"]
    thief.player = 1
    play(thief, 1, "Lost at Sea", 0)
    left = set(thief.observe(1).known[0])
    assert left == {"Fish Food", "Stun"} - set(thief.hands[1])
    assert left <= set(thief.hands[0])


def test_a_hand_robbed_whole_is_known_to_be_with_the_robber() -> None:
    """Ruling 45: who lost a card to a hand that another robs whole knows that he has it, unknown to him."""
    state = opened([["Lost at Sea"], ["Stun", "Swim Away"], ["Lost at Sea", "Fish Food"]], encounters=[1])
    play(state, 0, "Lost at Sea", 1)
    say(state, "pass")
    play(state, 2, "Lost at Sea", 0)
    assert state.observe(1).known == ((), (), ("Stun", "Swim Away"))
    assert state.observe(0).known == ((), (), ("Stun", "Swim Away"))
    assert state.observe(2).exposed == (("Stun", "Swim Away"), (), ())
    play(state, 2, "Stun", 1)
    assert state.observe(1).known == state.observe(0).known == ((), (), ("Swim Away",))
    for seat in range(3):
        seen = state.observe(seat)
        worlds = [GAME.imagine(seen, Chance(b"whole", number * 100)) for number in range(20)]
        assert all(world.observe(seat) == seen for world in worlds)


def test_nothing_is_known_of_who_is_out() -> None:
    """Ruling 26: with the hand discarded, nothing of it is left to be known."""
    state = opened([["Lost at Sea"], ["Stun", "Swim Away"], ["Fish Food"]], encounters=[9, 1], sizes=[1, 3, 3])
    play(state, 0, "Lost at Sea", 1)
    say(state, "pass")
    say(state, "pass")
    assert state.out == [1, 0, 0]
    assert state.observe(1).known == ((), (), ())


def test_decks_are_what_has_not_been_seen() -> None:
    """Who sees what: what is not open and not in the own hand is in the decks and the other hands."""
    state = opened([["Fish Food", "Stun"], ["Stun"]], encounters=[4])
    seen = state.observe(0)
    hidden = sum(ACTIONS.values()) - len(seen.hand) - sum(seen.action_discards) - len(seen.played)
    assert hidden == seen.action_deck + seen.hands[1]
    assert (seen.piles, seen.moves) == ((), ())
    open_cards = sum(seen.encounter_discards) + sum(seen.removed) + (seen.encounter is not None)
    assert seen.encounter_deck == sum(ENCOUNTER_COPIES.values()) - open_cards


def test_a_reshuffled_deck_is_known() -> None:
    """Ruling 2: everyone has seen the discards a new deck is made of, and the cards of it that it draws itself."""
    state = rigged([["Stun"], ["Swim Away"]], encounters=[1, 1], rest="discards", turn=5)
    before = state.observe(0).action_discards
    events = state.apply({})
    assert events[1:3] == [Reshuffle("actions", 58), Draw(0)]
    drawn = next(card for card in state.hands[0] if card != "Stun" or state.hands[0].count("Stun") > 1)
    others = Counter(chain(*state.hands)) - Counter([drawn])
    hands: tuple[Action, ...] = ("Stun", "Swim Away")
    for seat, own in enumerate(hands):
        left = others - Counter([own])
        assert state.observe(seat).piles == (tuple(left[card] for card in ACTIONS), before)
    assert state.observe(1).moves == ("~", "0+")
    assert state.observe(0).moves == ("~", "0+" + LETTERS[drawn])
    assert state.observe(0).action_discards == (0,) * 8


LETTERS = dict(zip(ACTIONS, "abcdefgh", strict=True))


def test_moves_begin_when_cards_are_lost() -> None:
    """Ruling 45: whoever lost cards is told from then on what all hands draw, lay down and take; nobody else is."""
    state = opened([["Lost at Sea", "Fish Food"], ["Stun", "Swim Away"], ["Caught in the Net"]], encounters=[1])
    play(state, 0, "Lost at Sea", 1)
    seen = state.observe(1)
    assert seen.piles == ((16, 14, 8, 8, 3, 3, 3, 2),)
    assert seen.moves == ("0<1e", "0<1f")
    play(state, 0, "Fish Food", 0)
    assert state.observe(1).moves == ("0<1e", "0<1f", "0a")
    for seat in (0, 2):
        assert (state.observe(seat).piles, state.observe(seat).moves) == ((), ())


def test_what_others_take_of_each_other_is_told_without_the_card() -> None:
    """Ruling 45: that a hand was robbed is open, and that a card was drawn; which one only those two know."""
    state = opened(
        [["Lost at Sea"], ["Stun", "Swim Away"], ["Lost at Sea", "Fish Food"]],
        encounters=[1, 1],
        draws=["Switcheroo", "Stun"],
    )
    play(state, 0, "Lost at Sea", 1)
    say(state, "pass")
    play(state, 2, "Lost at Sea", 0)
    assert state.observe(1).moves == ("0<1e", "0<1f", "2h", "2<0", "2<0")
    assert state.observe(0).moves == ("2<0e", "2<0f")
    while state.turn == 1:
        say(state, "pass")
    assert state.observe(0).moves[-1] == "1+"
    assert state.observe(1).moves[-1] == "1+g"


def test_what_is_laid_down_is_weighed() -> None:
    """Ruling 45: a robber with a known and an unknown card who plays one like the known one may hold either still."""
    fish: Action = "Fish Food"
    state = rigged([["Lost at Sea", fish], [fish], [fish]], encounters=[1], draws=[fish] * 9 + ["Stun"] * 3)
    state.action_deck, rest = state.action_deck[-12:], state.action_deck[:-12]
    state.discard(rest)
    state.apply({})
    play(state, 0, "Lost at Sea", 1)
    play(state, 0, fish, 0)
    # 14 cards could have been with the robber beside the known one, 11 of them fish
    seen = state.observe(1)
    assert seen.known == ((), (), ())
    found = odds(1, hands=seen.hands, piles=seen.piles, moves=seen.moves)
    sure = {hypothesis.hands[0][0]: weight for hypothesis, weight in found.items()}
    assert sure == pytest.approx({1: 11 / 25, 0: 14 / 25})


def test_impossible_moves_are_refused() -> None:
    """Moves that no table can have made are an error that names them."""
    with pytest.raises(ValueError, match=r"^expected moves that can be made with the piles .* got \('0h',\)$"):
        odds(1, hands=(0, 2), piles=((1, 1, 0, 0, 0, 0, 0, 0),), moves=("0h",))


def test_many_hypotheses_are_thinned_out_and_stay_right() -> None:
    """However many hypotheses there are, at most a hundred are kept, whose odds are still right on the whole."""
    old = (3,) * 8
    moves = ("~", *[f"{seat}+" for _ in range(8) for seat in (1, 2, 3)])
    moves += tuple([f"{seat}{letter}" for letter in "abcd" for seat in (1, 2, 3)])
    found = odds(0, hands=(0, 12, 12, 12), piles=(old, old), moves=moves)
    assert len(found) <= HYPOTHESES
    assert sum(found.values()) == pytest.approx(1)
    left = sum(weight * sum(known.unseen[0]) for known, weight in found.items())
    # of each hand as many cards are of either pile, and both piles are alike
    assert left == pytest.approx(18, abs=0.3)
