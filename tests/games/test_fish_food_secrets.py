"""Who knows what in Fish Food: hands, what Lost at Sea shows, and decks made of open discards; ruling by ruling."""

from arena.chance import Chance
from arena.game import Whisper
from arena.games.fish_food import GAME
from arena.games.fish_food.cards import ACTIONS, ENCOUNTER_COPIES, Action
from arena.games.fish_food.events import Discard, Draw, Drawn, Out, Reshuffle, Steal, Stolen
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
    assert seen.deck_at_most == ()
    open_cards = sum(seen.encounter_discards) + sum(seen.removed) + (seen.encounter is not None)
    assert seen.encounter_deck == sum(ENCOUNTER_COPIES.values()) - open_cards


def test_a_reshuffled_deck_is_known() -> None:
    """Ruling 2: everyone has seen the discards a new deck is made of, and the cards of it that it draws itself."""
    state = rigged([["Stun"], ["Swim Away"]], encounters=[1, 1], rest="discards", turn=5)
    before = state.observe(0).action_discards
    events = state.apply({})
    assert events[1:3] == [Reshuffle("actions", 58), Draw(0)]
    drawn = next(card for card in state.hands[0] if card != "Stun" or state.hands[0].count("Stun") > 1)
    at = list(ACTIONS).index(drawn)
    assert state.observe(1).deck_at_most == before == (16, 14, 8, 8, 3, 3, 3, 3)
    assert state.observe(0).deck_at_most == tuple(copies - (place == at) for place, copies in enumerate(before))
    assert state.observe(0).action_discards == (0,) * 8
