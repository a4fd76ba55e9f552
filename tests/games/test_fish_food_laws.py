"""Laws of Fish Food that hold in every match, however it is played."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings

from arena.game import Outcome, Seat
from arena.games.fish_food import GAME
from arena.games.fish_food import events as tell
from arena.games.fish_food.cards import ACTION_PLACE, ACTIONS, MODIFIERS
from arena.games.fish_food.rules import FishFood
from arena.laws.table import unwrap_events
from tests.games.walks import Match, matches, questions
from tests.shelf.games.fish_food import census

few = settings(max_examples=40, deadline=None)


TABLES = matches(GAME, "play", [1, 2, 4, 12], mode=["standard", "standard", "standard", "beginner", "simple"])


@few
@given(TABLES)
def test_one_size_a_turn(match: Match) -> None:
    """Outside Events at most one chip moves in a turn, by one size (ruling 24)."""
    state = match.start()
    baited, sizes_left = False, 0
    for chosen in match.play(state):
        for event in unwrap_events(state.copy().apply(chosen)):
            if isinstance(event, tell.Bait):
                baited = event.taken
            elif isinstance(event, tell.Flip) and not baited:
                sizes_left = 1 if isinstance(event.card, int) else 2 * match.seats
            elif isinstance(event, tell.Grow | tell.Lose):
                baited = False
                sizes_left -= event.by
                assert sizes_left >= 0


@few
@given(TABLES)
def test_zones(match: Match) -> None:
    """No card is lost, chips stay between 0 and 10, no hand is above the limit at a flip, who is out has nothing."""
    state = match.start()
    box = census(state)
    for _ in match.play(state):
        assert census(state) == box
        assert all(0 <= size < 10 for size in state.sizes)
        assert state.players == tuple(seat for seat, size in enumerate(state.sizes) if size)
        assert [seat for seat, turn in enumerate(state.out) if turn] == [
            s for s, size in enumerate(state.sizes) if not size
        ]
        for seat, hand in enumerate(state.hands):
            assert hand == sorted(hand, key=ACTION_PLACE.__getitem__)
            assert not hand or seat in state.players
            fresh = state.step == "play" and not state.played
            assert not fresh or len(hand) <= state.hand_limit + (seat == state.current_player)
    assert census(state) == box


@few
@given(TABLES)
def test_who_is_asked(match: Match) -> None:
    """Whoever is asked lives, is not stunned, and has something to decide; options are legal by a second reading."""
    state = match.start()
    for _ in match.play(state):
        decisions = questions(state)
        for seat, decision in decisions.items():
            assert state.sizes[seat]
            assert not decision.forced
            if state.step == "play":
                assert seat not in state.stunned
                assert decision.options[0] == "pass"
                assert all(is_legal(state, seat, option) for option in decision.options[1:])
                clockwise = [(seat + step) % match.seats for step in range(match.seats)]
                order: tuple[tell.Target, ...] = ("creature", "encounter", *clockwise)
                assert list(decision.options[1:]) == [
                    tell.Play(card, target)
                    for card in ACTIONS
                    if card in state.hands[seat]
                    for target in order
                    if is_legal(state, seat, tell.Play(card, target))
                ]


def is_legal(state: FishFood, seat: Seat, play: tell.Play) -> bool:
    """Whether the rules let this seat play that, read off the table of targets once more."""
    card, target = play.card, play.target
    if not isinstance(target, int):
        small = isinstance(state.encounter, int) and state.encounter <= 3
        if target == "encounter":
            return card == "Swim Away"
        return card in MODIFIERS and (small or card != "School of Fish")
    if not state.sizes[target]:
        return False
    match card:
        case "School of Fish":
            return state.sizes[target] <= 3
        case "Stun":
            return target != seat and target not in state.stunned
        case "Lost at Sea":
            return target != seat and bool(state.hands[target])
        case "Switcheroo":
            return target != state.attacked
        case _:
            return card in MODIFIERS


@few
@given(TABLES)
def test_everyone_passes_last(match: Match) -> None:
    """Sizes are compared when all who live and are not stunned have passed since the last Action (ruling 7)."""
    if match.variants["mode"] == "simple":
        return
    state = match.start()
    silent: list[Seat] = []
    stunned: set[Seat] = set()
    for chosen in match.play(state):
        living = [seat for seat, size in enumerate(state.sizes) if size]
        after = state.copy()
        for event in after.apply(chosen):
            match event:
                case tell.Flip():
                    silent, stunned = [], set()
                case tell.Played(_, card, target):
                    silent = []
                    if card == "Stun" and isinstance(target, int):
                        stunned.add(target)
                case tell.Pass(seat):
                    assert seat not in stunned
                    assert seat not in silent
                    silent.append(seat)
                case tell.Compare() if silent:
                    assert sorted(silent) == [seat for seat in living if seat not in stunned]
                    assert is_clockwise(silent, match.seats)
                case tell.Out(seat):
                    living.remove(seat)
                case _:
                    pass


def is_clockwise(seats: Sequence[Seat], of: int) -> bool:
    """Whether these seats follow one another round the table, each once."""
    steps = [(after - before) % of for before, after in pairwise(seats)]
    return all(steps) and sum(steps) < of


@pytest.mark.long
@few
@given(TABLES)
def test_what_is_known_is_true(match: Match) -> None:
    """Cards known from Lost at Sea lie in that hand, and no deck holds more of a card than anyone is told."""
    state = match.start()
    for _ in match.play(state):
        deck = Counter(state.action_deck)
        for seat in range(match.seats):
            seen = state.observe(seat)
            for other, cards in enumerate(seen.known):
                assert not Counter(cards) - Counter(state.hands[other])
            for other, cards in enumerate(seen.exposed):
                assert not Counter(cards) - Counter(state.observe(other).known[seat])
            if "~" in seen.moves:
                assert all(deck[card] <= most for card, most in zip(ACTIONS, seen.piles[-1], strict=True))


@few
@given(TABLES)
def test_ranks(match: Match) -> None:
    """At the end living players rank by size above the eliminated; scores are sizes, and the last event says so."""
    state = match.start()
    last = None
    for chosen in match.play(state):
        last = state.copy().apply(chosen)[-1]
    outcome = state.pending()
    assert isinstance(outcome, Outcome)
    assert outcome == state.standing()
    assert outcome.scores == tuple(state.sizes)
    assert isinstance(last, tell.FinalSizes)
    assert (last.sizes, last.ranks) == (outcome.scores, outcome.ranks)
    for one in range(match.seats):
        for other in range(match.seats):
            if state.sizes[one] > state.sizes[other]:
                assert outcome.ranks[one] < outcome.ranks[other]
            if state.sizes[one] == state.sizes[other] == 0:
                later = state.out[one] > state.out[other]
                assert later == (outcome.ranks[one] < outcome.ranks[other])


@few
@given(TABLES)
def test_turns_go_clockwise(match: Match) -> None:
    """The flip of a turn is that of the next living player to the left, whoever was attacked or went out."""
    state = match.start()
    current, baited = -1, False
    sizes = [3] * match.seats
    for chosen in match.play(state):
        for event in unwrap_events(state.copy().apply(chosen)):
            if isinstance(event, tell.Bait):
                baited = event.taken
            elif isinstance(event, (tell.Grow, tell.Lose)):
                sizes[event.seat], baited = event.size, False
            elif isinstance(event, tell.Flip) and not baited:
                if current >= 0:
                    left = ((current + step) % match.seats for step in range(1, match.seats + 1))
                    assert event.seat == next(seat for seat in left if sizes[seat])
                current = event.seat
