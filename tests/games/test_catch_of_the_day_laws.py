"""Laws of Catch of the Day that hold in every match, checked in random play and on random tables."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.chance import Chance
from arena.game import Chosen, Outcome, Pending
from arena.games.catch_of_the_day import GAME
from arena.games.catch_of_the_day import events as tell
from arena.games.catch_of_the_day.attributes import closest
from arena.games.catch_of_the_day.cards import COMPLAINTS, FISH, FISH_CARDS, REQUESTS
from arena.games.catch_of_the_day.rules import CatchOfTheDay, deal
from arena.laws.table import answers, said
from tests.shelf.games.catch_of_the_day import answer, rigged

seats = st.integers(4, 8)
modes = st.sampled_from(GAME.variants["mode"])
seeds = st.binary(min_size=32, max_size=32)
counts = st.tuples(*[st.integers(0, 25)] * 3)
tables = st.lists(counts, min_size=4, max_size=8)
selections = st.lists(st.sampled_from(FISH_CARDS), min_size=8, max_size=8)
pairs = st.lists(st.permutations(FISH), min_size=8, max_size=8)


class Answered(NamedTuple):
    """A table before a step, what was chosen, and the events that followed."""

    before: CatchOfTheDay
    chosen: Chosen
    events: list[Any]


def play(state: CatchOfTheDay, seed: bytes) -> Iterator[Answered]:
    """Random play in place, step by step."""
    dice = Chance(seed)
    while isinstance(pending := state.pending(), Pending):
        before = state.copy()
        chosen = answers(pending, dice)
        yield Answered(before, chosen, state.apply(chosen))


@settings(max_examples=25, deadline=None)
@given(seats, modes, seeds)
def test_fish_never_exceed_the_supply(n: int, mode: str, seed: bytes) -> None:
    """No fish is given that is not there, and every fish rolled is held by somebody or stored."""
    state = deal(n, seed, {"mode": mode})
    supply, storage, held = [0, 0, 0], [0, 0, 0], [0, 0, 0]
    for _, _, events in play(state, seed):
        for event in said(events):
            match event:
                case tell.Rolled(_, dorado, rosefish, tuna):
                    assert supply == [0, 0, 0]
                    supply = [sum(dorado), sum(rosefish), sum(tuna)]
                case tell.Given(card, fish, players, each):
                    at, given = FISH.index(fish), each * len(players)
                    held[at] += given
                    assert given <= supply[at] + (storage[at] if card == "last call" else 0)
                    from_storage = max(0, given - supply[at])
                    supply[at] -= given - from_storage
                    storage[at] -= from_storage
                case tell.Cleanup(_, leftover):
                    storage = [old + new for old, new in zip(storage, supply, strict=True)]
                    assert leftover == tuple(storage)
                    supply = [0, 0, 0]
        assert held == [sum(tokens) for tokens in zip(*state.fish, strict=True)]
        assert storage == state.leftover_storage


@settings(max_examples=25, deadline=None)
@given(tables, counts, counts, selections, pairs)
def test_a_day_is_served_as_the_rulebook_says(
    fish: list[tuple[int, int, int]],
    supply: tuple[int, int, int],
    storage: tuple[int, int, int],
    cards: list[str],
    picks: list[list[str]],
) -> None:
    """Each type by itself: a fish for each Choice, the rest to its cards, what remains to Last Call, if enough."""
    n = len(fish)
    state = rigged(fish, market_supply=supply, leftover_storage=storage)
    choosers = [seat for seat in range(n) if cards[seat] == "choice"]
    answer(state, *cards[:n])
    if choosers:
        answer(state, *[picks[seat][:2] for seat in choosers])
    for at, kind in enumerate(FISH):
        want = {
            "choice": [seat for seat in choosers if kind in picks[seat][:2]],
            kind: [seat for seat in range(n) if cards[seat] == kind],
            "last call": [seat for seat in range(n) if cards[seat] == "last call"],
        }
        held, left = [tokens[at] for tokens in fish], supply[at]
        for card, players in want.items():
            left += storage[at] if card == "last call" else 0
            if players and len(players) <= left:
                each = 1 if card == "choice" else left // len(players)
                left -= each * len(players)
                for seat in players:
                    held[seat] += each
        assert [tokens[at] for tokens in state.fish] == held
        assert state.leftover_storage[at] == left


@settings(max_examples=25, deadline=None)
@given(seats, seeds)
def test_everybody_shares_with_both_neighbors(n: int, seed: bytes) -> None:
    """After Assign each pair shares one Request of either side, of those that each had drafted."""
    state = deal(n, seed, {"mode": "advanced"})
    for before, chosen, _ in play(state, seed):
        if before.step == "assign":
            for seat in range(n):
                left = (seat + 1) % n
                assert set(state.private_requests[seat]) == {chosen[seat][0], chosen[left][1]}
                assert chosen[seat][0] in before.kept[seat]
                assert chosen[left][1] in before.kept[left]
    assert [len(requests) for requests in state.private_requests] == [2] * n


@settings(max_examples=25, deadline=None)
@given(seats, modes, seeds)
def test_events_tell_all_that_is_open(n: int, mode: str, seed: bytes) -> None:
    """Who hears the public events alone can follow every token, card and count that lies open."""
    state = deal(n, seed, {"mode": mode})
    requests: tuple[str, ...] = ()
    private: dict[int, tuple[str, ...]] = {}
    fish = [[0, 0, 0] for _ in range(n)]
    storage: tuple[int, ...] = (0, 0, 0)
    bag, day = Counter(dict.fromkeys(FISH, 15)), 0
    flipped: str | None = None
    scores: tuple[int, ...] | None = None
    for before, chosen, events in play(state, seed):
        for event in events:
            match event:
                case tell.Setup(requests, complaints):
                    assert complaints == state.complaints
                case tell.Shared((seat, _), cards):
                    private[seat] = cards
                case tell.Rolled(day, dorado, rosefish, tuna):
                    dice = (dorado, rosefish, tuna)
                    bag.subtract({kind: len(pips) for kind, pips in zip(FISH, dice, strict=True)})
                    assert state.market_supply == [sum(pips) for pips in dice]
                case tell.Revealed(cards):
                    selected = before.selected or [chosen[seat][0] for seat in range(n)]
                    assert list(cards) == selected
                case tell.Given(_, kind, players, each):
                    for seat in players:
                        fish[seat][FISH.index(kind)] += each
                case tell.NoFish(_, _, number, supply):
                    assert number > supply
                case tell.Cleanup(_, storage):
                    pass
                case tell.TieBreak(_, flipped, _):
                    pass
                case tell.TotalSatisfaction(scores, _):
                    pass
        seen = state.observe(0)
        assert seen.requests == requests
        assert seen.private_requests == tuple(private.get(seat, ()) for seat in range(n))
        assert seen.fish == tuple(map(tuple, fish))
        assert seen.leftover_storage == storage
        assert seen.bag == tuple(bag[kind] for kind in FISH)
        assert (seen.day, seen.tie_break) == (day, flipped)
    assert state.standing().scores == scores


@settings(max_examples=25, deadline=None)
@given(seats, modes, seeds)
def test_scores_and_ranks(n: int, mode: str, seed: bytes) -> None:
    """Totals count the events; ranks follow totals, and a flipped Request parts only those tied for first."""
    state = deal(n, seed, {"mode": mode})
    for before, _, events in play(state, seed):
        assert len(before.standing().ranks) == n
        last = said(events)
    end = state.pending()
    assert isinstance(end, Outcome)
    totals: Counter[int] = Counter()
    for event in last:
        if isinstance(event, tell.Satisfied):
            totals.update(event.seats)
            assert not event.sharers or set(event.seats) <= set(event.sharers)
        if isinstance(event, tell.Received):
            totals.subtract(event.seats)
    assert end.scores == tuple(totals[seat] for seat in range(n))
    first = [seat for seat in range(n) if end.scores[seat] == max(end.scores)]
    assert (len(first) > 1) == (state.tie_break is not None)
    for one in range(n):
        for other in range(n):
            if end.scores[one] > end.scores[other]:
                assert end.ranks[one] < end.ranks[other]
            elif end.scores[one] == end.scores[other] and one not in first:
                assert end.ranks[one] == end.ranks[other]
    winners = {seat for seat in first if end.ranks[seat] == 0}
    satisfied = winners & set(closest(state.tie_break, state.fish)) if state.tie_break else winners
    assert winners in (satisfied, set(first))


@settings(max_examples=60, deadline=None)
@given(tables, st.data())
def test_a_table_may_be_turned(fish: list[tuple[int, int, int]], data: st.DataObject) -> None:
    """Who satisfies a card depends on what the players have and who sits beside whom, not on seat numbers."""
    card = data.draw(st.sampled_from((*REQUESTS[len(fish)], *COMPLAINTS[len(fish)])))
    turn = data.draw(st.integers(1, len(fish) - 1))
    turned = {(seat - turn) % len(fish) for seat in closest(card, fish)}
    assert set(closest(card, fish[turn:] + fish[:turn])) == turned
    assert set(closest(card, fish[::-1])) == {len(fish) - 1 - seat for seat in closest(card, fish)}
    if card.startswith(("most", "least", "furthest")):
        assert turned
    if card.endswith("neighbors"):
        assert len(turned) <= len(fish) // 2
