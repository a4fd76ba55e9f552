"""What the table knows of a LIVEWELL in Dockfight: ruling 36, held against all that the events leave possible."""

from collections import Counter
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from arena.chance import Chance
from arena.game import Outcome
from arena.games.dockfight import GAME
from arena.games.dockfight.cards import DAYS
from arena.games.dockfight.events import Build, Burn, Bust, Hit, Rebuild, Stop, StringerCut
from arena.games.dockfight.imagine import deal_within, limits_of
from arena.games.dockfight.rules import Player, deal
from tests.games.test_dockfight_laws import play, seats, seeds
from tests.shelf.games.dockfight import rigged

TURNS = 40
"""Turns of a match that are followed, at most."""


def built_from(livewell: Counter[int], hauls: Counter[int]) -> tuple[Counter[str], Counter[int]]:
    """What a player with these cards must build, and the LIVEWELL afterwards."""
    triples = {day: copies // 3 for day, copies in livewell.items()}
    rebuilt = {day: min(copies % 3, hauls[day]) for day, copies in livewell.items()}
    rest = Counter({day: copies - 3 * triples[day] - rebuilt[day] for day, copies in livewell.items()})
    built = Counter({f"build {day}": n for day, n in triples.items()})
    return +(built + Counter({f"rebuild {day}": n for day, n in rebuilt.items()})), +rest


def hands_told(player: Player) -> set[tuple[int, ...]]:
    """What a LIVEWELL may hold by what an observation says of it."""
    most = player.at_most or [3] * len(DAYS)
    return {
        tuple(sorted([*player.list_public_cards(), *hand]))
        for hand in combinations_with_replacement(DAYS, len(player.unseen))
        if all(hand.count(day) <= n for day, n in zip(DAYS, most, strict=True))
    }


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(seats, seeds, st.integers(0, 3))
def test_what_is_known_of_a_livewell(n: int, seed: bytes, haste: int) -> None:
    """Ruling 36: shown, unseen and at_most leave just the hands that some opening hand makes of the events."""
    state = deal(n, seed, {})
    possible = [[Counter(hand) for hand in combinations_with_replacement(DAYS, 3)] for _ in range(n)]
    hauls: list[Counter[int]] = [Counter() for _ in range(n)]
    turns = 0
    for _, before, _, events in play(state, seed, haste):
        owner = before.turn
        hands = possible[owner]
        for event in events:
            match event:
                case Stop(_, days):
                    hands = [hand + Counter(days) for hand in hands]
                case Burn(_, days):
                    hands = [hand - Counter(days) for hand in hands if Counter(days) <= hand]
                case StringerCut(_, opponent, day):
                    hands = [hand + Counter([day]) for hand in hands]
                    hauls[opponent][day] += 1
        over = state.turn != owner or state.step == "over"
        if over and not any(isinstance(event, Bust) for event in events):
            built = Counter(
                f"{event.__struct_config__.tag} {event.day}" for event in events if type(event) in {Build, Rebuild}
            )
            outcomes = [built_from(hand, hauls[owner]) for hand in hands]
            hands = [rest for would_build, rest in outcomes if would_build == built]
            hauls[owner].subtract(event.day for event in events if isinstance(event, Rebuild))
        possible[owner] = hands
        assert {tuple(sorted(hand.elements())) for hand in hands} == hands_told(state.players[owner])
        turns += over
        if turns == TURNS:
            break


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_unseen_cards_are_of_the_opening_hand(seed: bytes) -> None:
    """Ruling 36: only what is left of the opening hand is hidden; the number of hidden cards never grows."""
    state = deal(4, seed, {})
    openings = [Counter(player.livewell) for player in state.players]
    counts = [3, 3, 3, 3]
    for _ in play(state, seed):
        for seat, player in enumerate(state.players):
            assert Counter(player.unseen) <= openings[seat]
            assert len(player.unseen) <= counts[seat]
            counts[seat] = len(player.unseen)
    assert isinstance(state.pending(), Outcome)


def test_a_leaving_card_is_taken_off_the_shown() -> None:
    """Ruling 36: a card that leaves is a shown one if one of that Day is among them, else an unseen one."""
    state = rigged([[5, 5, 6, 7], []], unseen={0: [5, 6]})
    state.apply({0: ("stop",)})
    state.apply({0: ("swipe",)})
    state.apply({0: (5, 6, 7)})
    assert (state.players[0].livewell, state.players[0].unseen) == ([5], [5])


def test_what_was_not_built_is_known() -> None:
    """Ruling 36: after BUILD no unseen card is a third of its Day, nor of the Day of a haul."""
    state = rigged([[5, 5, 6, 9], []], unseen={0: [9]}, broken_hauls={0: [2]}, frank=0)
    state.apply({0: ("stop",)})
    assert state.observe(1).at_most[0] == (2, 0, 2, 2, 0, 1, 2, 2, 2, 2, 2, 2)
    assert state.observe(1).shown[0] == (5, 5, 6)
    assert state.observe(1).unseen == (1, 0)


def test_a_rebuilt_day_has_one_card_less() -> None:
    """Ruling 36: where a haul was rebuilt after the triples, at most one card of its Day is left beside it."""
    state = rigged([[2, 2, 9], []], unseen={0: [2, 9]}, broken_hauls={0: [2]}, frank=0)
    assert Rebuild(0, 2) in state.apply({0: ("stop",)})
    assert state.players[0].livewell == [2, 9]
    assert state.observe(1).at_most[0][1] == 1


def test_who_sees_what() -> None:
    """Who sees what: a drawn card is public at once; an opening card is its owner's alone, others know the number."""
    state = deal(3, bytes(32), {})
    owner = state.turn
    for seat in range(3):
        observation = state.observe(seat)
        assert observation.livewell == tuple(state.players[seat].livewell)
        assert (observation.shown, observation.unseen) == (((), (), ()), (3, 3, 3))
    (hit,) = state.apply({owner: ("hit",)})
    assert isinstance(hit, Hit)
    assert all(state.observe(seat).cast == (hit.day,) for seat in range(3))
    state.apply({owner: ("stop",)})
    assert all(state.observe(seat).shown[owner] == (hit.day,) for seat in range(3))


def test_all_deals_within_the_limits_are_equally_likely() -> None:
    """Who may hold one Day only gets it, and of all deals that the limits allow each comes as often as the others."""
    only_one = (1, *[0] * 11)
    one_or_two = (1, 1, *[0] * 10)
    deals: Counter[tuple[tuple[int, ...], ...]] = Counter()
    chance = Chance(b"deals")
    for _ in range(3000):
        copies = [2, 1, 1, *[0] * 9]
        hands = deal_within(
            [2, 1, 0], limits_of([one_or_two, (), ()], copies), laid=[()] * 3, copies=copies, chance=chance
        )
        deals[tuple(map(tuple, map(sorted, hands)))] += 1
        dealt = [day for hand in hands for day in hand]
        assert [left + dealt.count(day) for day, left in enumerate(copies, 1)] == [2, 1, 1, *[0] * 9]
    # 1 and 2 may come in either order, and the other gets the second 1 or the 3.
    assert set(deals) == {((1, 2), (1,), ()), ((1, 2), (3,), ())}
    assert 1350 < deals[(1, 2), (1,), ()] < 1650
    copies = [1, 1, 1, *[0] * 9]
    assert deal_within(
        [1, 1], limits_of([one_or_two, only_one], copies), laid=[()] * 2, copies=copies, chance=chance
    ) == [[2], [1]]
    with pytest.raises(ValueError, match=r"^expected unseen cards that fit .*, got copies \[0, 0, 1, .*\]$"):
        deal_within([1], limits_of([only_one], copies), laid=[()], copies=copies, chance=chance)


def test_impossible_observations_are_refused() -> None:
    """From cards that do not add up no table is imagined."""
    observation = deal(3, bytes(32), {}).observe(0)
    with pytest.raises(ValueError, match="expected an observation of a table"):
        GAME.imagine(structs.replace(observation, draw_pile=80), Chance(bytes(32)))
