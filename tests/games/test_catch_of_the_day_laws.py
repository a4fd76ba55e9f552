"""Laws of Catch of the Day that hold in every match, checked in random play and on random tables."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.chance import Chance
from arena.game import Chosen, Pending
from arena.games.catch_of_the_day import GAME
from arena.games.catch_of_the_day import events as tell
from arena.games.catch_of_the_day.cards import FISH
from arena.games.catch_of_the_day.rules import CatchOfTheDay, deal
from arena.laws.table import answers

seats = st.integers(4, 8)
modes = st.sampled_from(GAME.variants["mode"])
seeds = st.binary(min_size=32, max_size=32)
counts = st.tuples(*[st.integers(0, 25)] * 3)
tables = st.lists(counts, min_size=4, max_size=8)


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
                case tell.FishShare(_, kind, players, each):
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
