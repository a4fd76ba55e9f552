"""Hearts keeps every law of arena, and its rules."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import sqrt

import book
import pytest
from hearts import GAME
from hearts.greedy import decide
from hearts.imagine import imagine
from hearts.rules import BOX, SUITS, Card, Hearts, Play, Suit, deal, legal, shown_voids

from arena.chance import Chance
from arena.game import Outcome, Pending
from arena.laws import LAWS, GameSetup, setups
from arena.laws.table import play as play_on

SETUPS = setups(GAME, book)
CARDS = {str(card): card for card in BOX}


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], setup: GameSetup) -> None:
    """Every law of arena holds at every number of seats."""
    law(setup)


def cards(names: str) -> list[Card]:
    """Cards by their names."""
    return sorted(CARDS[name] for name in names.split())


def table(*hands: str, number: int = 3, rounds: int = 4, plays: Sequence[Play] = ()) -> Hearts:
    """These hands; by default hand 4 of 4, in which four players pass nothing and seat 3 leads."""
    nothing = [0] * len(hands)
    held = [cards(hand) for hand in hands]
    return Hearts(Chance(bytes(32)), rounds, number, held, [[] for _ in hands], list(plays), nothing, nothing.copy())


def options(state: Hearts) -> tuple[int, str]:
    """Who is asked, and what may be played."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    ((seat, decision),) = pending.decisions.items()
    return seat, " ".join(map(str, decision.options))


def play(state: Hearts, names: str) -> None:
    """The seats in turn play these."""
    for name in names.split():
        seat, allowed = options(state)
        assert name in allowed.split()
        state.apply({seat: (CARDS[name],)})


def test_a_trick() -> None:
    """One follows suit if one can; the highest card of the suit led takes the trick, and leads."""
    state = table("7C 8H", "AS 9H", "KC 7D", "9C JH")
    assert options(state) == (3, "9C")
    play(state, "9C 7C")
    assert options(state) == (1, "9H AS")
    play(state, "9H")
    assert options(state) == (2, "KC")
    play(state, "KC")
    assert (state.costs, options(state)) == ([0, 0, 1, 0], (2, "7D"))


@pytest.mark.parametrize(
    ("hand", "led", "broken", "allowed"),
    [
        ("7C 8H", None, False, "7C"),
        ("7C 8H", None, True, "7C 8H"),
        ("9H 8H", None, False, "8H 9H"),
        ("7C 8H", "C", False, "7C"),
        ("7C 8H", "S", False, "7C 8H"),
    ],
)
def test_what_may_be_played(hand: str, led: Suit | None, allowed: str, *, broken: bool) -> None:
    """No heart is led before one was played, unless there is nothing else; any card where one cannot follow."""
    assert legal(cards(hand), led, broken=broken) == cards(allowed)


@pytest.mark.parametrize(
    ("hands", "plays", "paid"),
    [
        (("7C", "8C", "QS", "9C"), "9C 7C 8C QS", [0, 0, 0, 13]),
        (("AC", "8C", "QS", "9C"), "9C AC 8C QS", [13, 0, 0, 0]),
        (("AC", "8H", "QS", "9C"), "9C AC 8H QS", [14, 0, 0, 0]),
    ],
)
def test_what_a_trick_costs(hands: tuple[str, ...], plays: str, paid: list[int]) -> None:
    """A heart costs 1, the queen of spades 13."""
    state = table(*hands)
    seats = (3, 0, 1, 2)
    for seat, name in zip(seats, plays.split(), strict=True):
        state.apply({seat: (CARDS[name],)})
    assert state.paid == paid
    end = state.pending()
    assert isinstance(end, Outcome)
    assert end.scores == tuple(-cost for cost in paid)
    assert end.ranks[paid.index(max(paid))] == 3


def test_all_points() -> None:
    """Who takes all 21 pays nothing, and the others pay 21 each."""
    state = table("7D", "8D", "9D", "AH")
    state.costs = [0, 0, 0, 20]
    for seat, name in zip((3, 0, 1, 2), ["AH", "7D", "8D", "9D"], strict=True):
        state.apply({seat: (CARDS[name],)})
    assert state.paid == [21, 21, 21, 0]


@pytest.mark.parametrize(("number", "to"), [(0, 1), (1, 2), (2, 3)])
def test_passing(number: int, to: int) -> None:
    """In hand 1 cards go one seat on, in hand 2 two seats on; each seat hears of what it gets."""
    state = table("7C 8C 9C", "7D 8D 9D", "7S 8S 9S", "7H 8H 9H", number=number)
    pending = state.pending()
    assert isinstance(pending, Pending)
    told = state.apply({seat: decision.options for seat, decision in pending.decisions.items()})
    assert state.hands[to] == cards("7C 8C 9C")
    assert (to,) in {whisper.seats for whisper in told if whisper.event.seat == 0}
    assert state.observe(to).received == tuple(cards("7C 8C 9C")) == state.observe(0).passed


def test_voids_that_are_shown() -> None:
    """Who does not follow has none of the suit; who leads a heart before one was played has nothing else."""
    plays = [Play(3, CARDS["9C"]), Play(0, CARDS["7S"]), Play(1, CARDS["8C"]), Play(2, CARDS["7C"])]
    assert shown_voids(plays, 4) == (("C",), (), (), ())
    assert shown_voids([Play(0, CARDS["9H"])], 4) == (("C", "D", "S"), (), (), ())


def likelihood(state: Hearts, hands: list[list[Card]]) -> float:
    """How likely all plays were with these hands left, if each was any of the cards that might be played."""
    likely, hands = 1.0, [hand[:] for hand in hands]
    for number in range(len(state.plays) - 1, -1, -1):
        one = state.plays[number]
        hands[one.seat].append(one.card)
        trick = state.plays[number - number % state.seats : number]
        broken = any(before.card.suit == "H" for before in state.plays[:number])
        playable = legal(hands[one.seat], trick[0].card.suit if trick else None, broken=broken)
        likely *= (one.card in playable) / len(playable)
    return likely


@pytest.mark.parametrize("number", range(8))
def test_imagined_hands_have_the_exact_odds(number: int) -> None:
    """Near the end all hands that there may be are imagined as often as the plays say, with what was passed on."""
    state = deal(3, bytes([number] * 32), {"hands": "1"})
    for _ in play_on(state, Chance(b"players", 1000 * number)):
        if len(state.plays) == 20 + number % 3:
            break
    seen, known = state.observe(0), {*state.passed[0]} - {one.card for one in state.plays}
    unseen = sorted(state.hands[1] + state.hands[2])
    weights = {}
    for chosen in combinations(unseen, len(state.hands[1])):
        if known <= {*chosen}:
            others = [card for card in unseen if card not in chosen]
            weights[chosen] = likelihood(state, [state.hands[0], list(chosen), others])
    worlds = 600
    found = Counter(tuple(imagine(seen, Chance(b"odds", 1000 * world)).hands[1]) for world in range(worlds))
    assert set(found) <= {hand for hand, weight in weights.items() if weight}
    for hand, weight in weights.items():
        likely = weight / sum(weights.values())
        assert abs(found[hand] - worlds * likely) <= 4.5 * sqrt(worlds * likely * (1 - likely)) + 1


def test_imagined_worlds_keep_what_is_known() -> None:
    """Cards that were passed on stay where they are until they are played, and nobody has a suit that it lacks."""
    state = deal(4, bytes(32), {"hands": "1"})
    for _ in play_on(state, Chance(b"players")):
        for seat in range(4):
            seen = state.observe(seat)
            world = imagine(seen, Chance(b"world", len(state.plays) * 1000))
            played = {one.card for one in seen.plays}
            assert {*seen.passed} - played <= {*world.hands[(seat + 1) % 4]}
            for hand, lacks in zip(world.hands, seen.voids, strict=True):
                assert not {card.suit for card in hand} & {*lacks}


def test_greedy() -> None:
    """It passes the queen of spades on, stays below a trick, and gets rid of a dear card where it cannot follow."""
    state = table("7C AC QS KH", "9C 8H", "8C 9H", "10C JH", number=0)
    hand = [{"type": "card", "suit": card.suit, "rank": card.rank} for card in state.hands[0]]
    passing = {"observation": {}, "options": hand, "least": 3}
    assert str(state.hands[0][decide(passing)[0]]) == "QS"
    trick = {"plays": [{"seat": 3, "card": {"suit": "C", "rank": 10}}], "seats": 4}
    clubs = [card for card in hand if card["suit"] == "C"]
    assert clubs[decide({"observation": trick, "options": clubs, "least": 1})[0]]["rank"] == 7
    others = [card for card in hand if card["suit"] != "C"]
    assert others[decide({"observation": trick, "options": others, "least": 1})[0]]["rank"] == 12
    assert set(SUITS) == {"C", "D", "S", "H"}
