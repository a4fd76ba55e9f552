"""The Planning Phase of Catch of the Day, and who sees what of Requests."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Decision, Pending, Whisper
from arena.games.catch_of_the_day import GAME
from arena.games.catch_of_the_day.cards import REQUESTS, Card
from arena.games.catch_of_the_day.events import Assigned, Dealt, DraftPick, Passed, Shared
from arena.games.catch_of_the_day.imagine import imagine
from arena.games.catch_of_the_day.rules import CatchOfTheDay, deal
from arena.laws.table import answers
from tests.games.walks import questions
from tests.shelf.games.catch_of_the_day import ADVANCED_LEAKS, census, redeal

ORDER = REQUESTS[5].index


def drafting(seats: int = 5, number: int = 0) -> CatchOfTheDay:
    """An Advanced Game after the opening."""
    state = deal(seats, number.to_bytes(32, "little"), {"mode": "advanced"})
    state.apply({})
    return state


def question(state: CatchOfTheDay, seat: int) -> Decision:
    """What this seat is asked; all are asked at once."""
    decisions = questions(state)
    assert list(decisions) == list(range(len(state.fish)))
    return decisions[seat]


def pick(state: CatchOfTheDay, *indexes: int) -> list[object]:
    """All pick the options with these indexes."""
    seats = range(len(state.fish))
    return state.apply({seat: question(state, seat).take(indexes) for seat in seats})


def test_all_draft_at_once_from_their_packs() -> None:
    """Draft 1: each is asked for one of the three Requests of his pack, by id; only he was told what they are."""
    state = drafting()
    packs = [tuple(pack) for pack in state.packs]
    for seat, pack in enumerate(packs):
        assert question(state, seat) == Decision(pack)
        assert sorted(pack, key=ORDER) == list(pack)
        assert state.observe(seat).pack == pack
    fresh = deal(5, bytes(32), {"mode": "advanced"})
    told = [event for event in fresh.apply({}) if isinstance(event, Whisper)]
    assert told == [Whisper((seat,), Dealt(seat, pack)) for seat, pack in enumerate(packs)]


def test_draft_keeps_one_of_three_and_one_of_two_and_the_last() -> None:
    """Ruling 17: what is not kept goes left; the second time the one card left over is the neighbor's third."""
    state = drafting()
    packs = [tuple(pack) for pack in state.packs]
    events = pick(state, 0)
    assert [question(state, (seat + 1) % 5).options for seat in range(5)] == [pack[1:] for pack in packs]
    assert events[:5] == [Whisper((seat,), DraftPick(seat, packs[seat][0])) for seat in range(5)]
    assert events[5] == Whisper((0, 1), Passed(0, 1, packs[0][1:]))
    assert events[9] == Whisper((4, 0), Passed(4, 0, packs[4][1:]))
    events = pick(state, 1)
    assert events[5] == Whisper((0, 1), Passed(0, 1, (packs[4][1],)))
    for seat in range(5):
        assert state.kept[seat] == [packs[seat][0], packs[seat - 1][2], packs[seat - 2][1]]
    assert state.step == "assign"


def test_assign_shares_one_to_each_side_and_puts_the_third_back() -> None:
    """Ruling 18: all at once, the first pick for the left neighbor, the second for the right; the third goes back."""
    state = drafting()
    pick(state, 0)
    pick(state, 0)
    options = [question(state, seat).options for seat in range(5)]
    assert question(state, 0) == Decision(options[0], 2, 2)
    assert options[0] == tuple(sorted(state.kept[0], key=ORDER))
    set_aside = set(state.set_aside)
    events = pick(state, 2, 0)
    assert events[0] == Whisper((0,), Assigned(0, options[0][2], options[0][0], options[0][1]))
    for seat in range(5):
        left = (seat + 1) % 5
        pair = tuple(sorted((options[seat][2], options[left][0]), key=ORDER))
        assert state.private_requests[seat] == pair
        assert Shared((seat, left), pair) in events
    assert set(state.set_aside) == set_aside | {cards[1] for cards in options}
    assert (state.step, state.day) == ("select", 1)


def test_silence_in_the_planning_phase() -> None:
    """Ruling 30: silence keeps the first Request, and shares the first to the left and the second to the right."""
    state = drafting(4)
    first = question(state, 2).options[0]
    for _ in range(3):
        decisions = questions(state)
        chosen = {seat: decision.silence for seat, decision in decisions.items()}
        events = state.apply(chosen)
    told = [event.event for event in events if isinstance(event, Whisper)]
    (assigned,) = [event for event in told if isinstance(event, Assigned) and event.seat == 2]
    assert (assigned.left, assigned.right) == chosen[2]
    assert REQUESTS[4].index(assigned.left) < REQUESTS[4].index(assigned.right)
    assert first in {assigned.left, assigned.right, assigned.back}


def test_private_requests_are_open() -> None:
    """Ruling 16: in both modes all see all private Requests, once they have been assigned, and whose they are."""
    state = drafting()
    for _ in range(2):
        pick(state, 0)
    assert all(state.observe(seat).private_requests == ((),) * 5 for seat in range(5))
    pick(state, 0, 1)
    basic = deal(5, bytes(32), {"mode": "basic"})
    for table in (state, basic):
        assert all(table.observe(seat).private_requests == table.private_requests for seat in range(5))
        assert all(len(requests) == 2 for requests in table.private_requests)


@pytest.mark.parametrize("mode", GAME.variants["mode"])
def test_what_is_set_aside_stays_face_down(mode: str) -> None:
    """Ruling 35: of the set-aside pile all see the size, and no card of it reaches anyone before a tie."""
    state = deal(6, bytes(32), {"mode": mode})
    aside = [f'"{card}"' for card in state.set_aside if card not in state.complaints]
    assert len(aside) >= 8
    dice = Chance(b"players")
    events: list[object] = []
    while isinstance(pending := state.pending(), Pending):
        sights = [state.observe(seat) for seat in range(6)]
        assert all(sight.set_aside == len(state.set_aside) for sight in sights)
        told = msgspec.json.encode((sights, events)).decode()
        assert not [card for card in aside if card in told]
        events = state.apply(answers(pending, dice))


def test_the_pile_for_a_tie_in_the_basic_game() -> None:
    """Ruling 31: it is what is left of the shuffled deck; another deal has another card on top."""
    deals = [deal(4, number.to_bytes(32, "little"), {"mode": "basic"}) for number in range(300)]
    for state in deals:
        lying = {*state.requests, *(card for pair in state.private_requests for card in pair)}
        assert set(state.set_aside) == set(REQUESTS[4]) - lying
    assert {state.set_aside[-1] for state in deals} == set(REQUESTS[4])


def test_the_pile_for_a_tie_in_the_advanced_game() -> None:
    """Ruling 31: the cards put back are shuffled into it, so that any card of it may come to lie on top."""
    ready = drafting(4)
    pick(ready, 0)
    pick(ready, 0)
    tops: set[Card] = set()
    for number in range(100):
        state = ready.copy()
        state.chance = Chance(b"another shuffle", 100 * number)
        pick(state, 0, 1)
        lying = {*state.requests, *(card for pair in state.private_requests for card in pair)}
        assert set(state.set_aside) == set(REQUESTS[4]) - lying
        tops.add(state.set_aside[-1])
    assert tops == set(state.set_aside)


def test_what_a_seat_remembers_of_the_draft() -> None:
    """Who sees what: of the draft a seat knows its pack, what it kept, and where the cards went that it passed on."""
    state = drafting()
    packs = [tuple(pack) for pack in state.packs]
    assert (state.observe(3).pack, state.observe(3).kept, state.observe(3).passed) == (packs[3], (), ())
    pick(state, 1)
    seen = state.observe(3)
    assert seen.pack == (packs[2][0], packs[2][2])
    assert seen.kept == (packs[3][1],)
    assert seen.passed == (packs[3][0], packs[3][2]) == tuple(state.packs[4])
    pick(state, 1)
    seen = state.observe(3)
    assert seen.pack == ()
    assert seen.kept == (packs[3][1], packs[2][2], packs[1][0])
    assert seen.passed == (packs[3][0], packs[3][2], packs[2][0])
    pick(state, 0, 1)
    seen = state.observe(3)
    kept, passed = (packs[3][1], packs[2][2], packs[1][0]), (packs[3][0], packs[3][2], packs[2][0])
    assert (seen.pack, seen.kept, seen.passed) == ((), kept, passed)
    assert seen.assigned == tuple(sorted(kept, key=ORDER)[:2])
    assert set(seen.assigned) <= {*seen.private_requests[3], *seen.private_requests[2]}
    while isinstance(pending := state.pending(), Pending):
        state.apply(answers(pending, Chance(b"days", state.day * 100)))
        after = state.observe(3)
        assert (after.kept, after.passed, after.assigned) == (kept, passed, seen.assigned)


def moments(seats: int, number: int) -> Iterator[CatchOfTheDay]:
    """An Advanced Game at every question of its Planning Phase."""
    state = drafting(seats, number)
    dice = Chance(b"planning", number)
    while isinstance(pending := state.pending(), Pending) and state.step != "select":
        yield state
        state.apply(answers(pending, dice))


@pytest.mark.parametrize("seats", GAME.seats)
def test_secrets_of_the_draft(seats: int) -> None:
    """Who sees what: a seat sees the same whatever others hold that it has not seen; every planted leak is found."""
    rng = Random(seats)
    found: set[str] = set()
    for number in range(6):
        for state in moments(seats, number):
            for seat in range(seats):
                world = redeal(state, seat, rng)
                assert census(world) == census(state)
                assert world.observe(seat) == state.observe(seat)
                assert question(world, seat) == question(state, seat)
                found |= {name for name, leak in ADVANCED_LEAKS.items() if leak(state, seat) != leak(world, seat)}
    assert found == ADVANCED_LEAKS.keys()


def test_a_search_bot_imagines_both_ways_of_a_passed_pair() -> None:
    """In Assign nobody but the neighbor knows which of the two passed cards was kept: imagined worlds have both."""
    state = drafting()
    pick(state, 0)
    pick(state, 0)
    seen = state.observe(0)
    worlds = [imagine(seen, Chance(b"", number * 100)) for number in range(30)]
    assert {world.kept[1][1] for world in worlds} == set(seen.passed[:2])
    assert all({world.kept[1][1], world.kept[2][2]} == set(seen.passed[:2]) for world in worlds)
    assert {world.kept[1][2] for world in worlds} == {seen.passed[2]}


def test_impossible_observations_are_refused() -> None:
    """From Requests that do not add up no table is imagined."""
    seen = msgspec.structs.replace(drafting().observe(0), set_aside=29)
    with pytest.raises(ValueError, match="expected an observation of a table"):
        imagine(seen, Chance(bytes(32)))


def test_a_search_bot_imagines_each_way_of_the_draft() -> None:
    """Once all have assigned: of the pairs of others all ways that agree with what was passed on, equally often."""
    ready = drafting(5)
    pick(ready, 1)
    pick(ready, 0)
    pick(ready, 0, 2)
    seen = ready.observe(0)
    ways: Counter[tuple[tuple[Card, ...], ...]] = Counter()
    runs = 2000
    for number in range(runs):
        world = GAME.imagine(seen, Chance(b"ways", number * 1000))
        assert isinstance(world, CatchOfTheDay)
        assert world.observe(0) == seen
        ways[tuple(world.assigned)] += 1
        for kept, (left, right) in zip(world.kept, world.assigned, strict=True):
            assert len({*kept}) == 3
            assert {left, right} < {*kept}
    assert tuple(ready.assigned) in ways
    # Two pairs lie between three others who know each other's cards: of those none is preferred.
    kinds = set()
    for number in range(runs):
        choice = [pair[:: 1 if number >> at & 1 else -1] for at, pair in enumerate(ready.private_requests)]
        kinds.add(tuple((choice[seat][0], choice[seat - 1][1]) for seat in range(5)))
    possible = [way for way in kinds if way[0] == ready.assigned[0] and agrees(way, seen.passed)]
    assert set(ways) == set(possible)
    weights = {way: sum(agrees(way, seen.passed, one) for one in (0, 1)) for way in possible}
    for way, weight in weights.items():
        share = weight / sum(weights.values())
        assert abs(ways[way] / runs - share) < 5 * (share * (1 - share) / runs) ** 0.5


def agrees(way: tuple[tuple[Card, ...], ...], passed: tuple[Card, ...], one: int | None = None) -> bool:
    """Whether seats 1 and 2 can have assigned so, seat 1 having kept this one of the two first passed cards."""
    if one is None:
        return agrees(way, passed, 0) or agrees(way, passed, 1)
    lying = {card for cards in way for card in cards}
    for seat, must in ((1, {passed[one], passed[2]}), (2, {passed[1 - one]})):
        put_back = must - set(way[seat])
        if len(put_back) > 1 or put_back & lying:
            return False
    return True
