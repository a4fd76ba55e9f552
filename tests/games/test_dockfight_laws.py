"""Laws of Dockfight that hold in every match, checked in random play."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.chance import Chance
from arena.game import Decision, Outcome, Pending
from arena.games.dockfight.cards import COPIES, DAYS
from arena.games.dockfight.events import Build, Burn, Bust, Dock, Rebuild, Stop, StringerCut, Swipe, Win
from arena.games.dockfight.rules import Dockfight, deal
from tests.shelf.games.dockfight import census

seats = st.integers(2, 6)
seeds = st.binary(min_size=32, max_size=32)


class Answered(NamedTuple):
    """A question, the table before it, the answer and the events that followed."""

    decision: Decision
    before: Dockfight
    picks: tuple[Any, ...]
    events: list[Any]


def pick(decision: Decision, dice: Chance, haste: int) -> tuple[Any, ...]:
    """A random answer; HIT is picked at least ``haste`` times as often as STOP."""
    if decision.options[0] == "stop" and dice.below(haste + 1):
        return ("hit",)
    indexes = list(range(len(decision.options)))
    dice.shuffle(indexes)
    return decision.take(indexes[: decision.least])


def play(state: Dockfight, seed: bytes, haste: int = 1) -> Iterator[Answered]:
    """Random play in place, question by question."""
    dice = Chance(seed)
    while isinstance(pending := state.pending(), Pending):
        decision = pending.decisions[state.turn]
        before = state.copy()
        picks = pick(decision, dice, haste)
        yield Answered(decision, before, picks, state.apply({state.turn: picks}))


@settings(max_examples=25, deadline=None)
@given(seats, seeds, st.integers(0, 3))
def test_zones(n: int, seed: bytes, haste: int) -> None:
    """At every question all cards are in the box's number, CAST holds no Day twice, and nobody has won yet."""
    state = deal(n, seed, {})
    box = census(state)
    assert box == Counter({f"Day {day}": COPIES[n] for day in DAYS}) + Counter({"Fisherman Frank": 1})
    for decision, before, _, _ in play(state, seed, haste):
        assert census(before) == box
        assert len(set(before.cast)) == len(before.cast)
        assert before.step == "hit" or not before.cast
        assert before.frank is None or before.step == "hit" or len(before.players[before.frank].stringers) < 3
        assert not decision.forced
        assert before.draw_pile or before.step != "hit"
        for player in before.players:
            assert player.livewell == sorted(player.livewell)
    assert census(state) == box


@settings(max_examples=25, deadline=None)
@given(seats, seeds)
def test_nothing_to_build_is_left(n: int, seed: bytes) -> None:
    """After BUILD nobody holds three alike, nor a Day of a BROKEN HAUL that he had then (ruling 14 and 15)."""
    state = deal(n, seed, {})
    for _, before, _, events in play(state, seed):
        if state.turn == before.turn and state.step != "over":
            continue
        if any(isinstance(event, Bust) for event in events):
            continue
        player = state.players[before.turn]
        assert all(player.livewell.count(day) < 3 for day in DAYS)
        assert not set(player.livewell) & set(player.broken_hauls)


@settings(max_examples=25, deadline=None)
@given(seats, seeds, st.integers(0, 3))
def test_events_tell_all(n: int, seed: bytes, haste: int) -> None:
    """Who knows the deal and hears the events can follow every zone of the table."""
    state = deal(n, seed, {})
    livewells = [Counter(player.livewell) for player in state.players]
    stringers: list[list[int]] = [[] for _ in range(n)]
    hauls: list[list[int]] = [[] for _ in range(n)]
    discard: Counter[int] = Counter()
    frank: int | None = None
    for _, _, _, events in play(state, seed, haste):
        for event in events:
            match event:
                case Stop(seat, cast):
                    livewells[seat].update(cast)
                case Bust(_, cast):
                    discard.update(cast)
                case Dock(seat):
                    assert frank == seat
                    frank = None
                case Burn(seat, days):
                    livewells[seat].subtract(days)
                    discard.update(days)
                case Swipe(seat, holder):
                    assert frank == holder
                    frank = seat
                case StringerCut(seat, opponent, day):
                    stringers[opponent].remove(day)
                    hauls[opponent].append(day)
                    livewells[seat][day] += 1
                case Build(seat, day):
                    livewells[seat][day] -= 3
                    stringers[seat].append(day)
                case Rebuild(seat, day):
                    livewells[seat][day] -= 1
                    hauls[seat].remove(day)
                    stringers[seat].append(day)
        assert [sorted(livewell.elements()) for livewell in livewells] == [p.livewell for p in state.players]
        assert stringers == [player.stringers for player in state.players]
        assert hauls == [player.broken_hauls for player in state.players]
        assert [discard[day] for day in DAYS] == state.discard_pile
        assert frank == state.frank


@settings(max_examples=25, deadline=None)
@given(seats, seeds)
def test_protection(n: int, seed: bytes) -> None:
    """Ruling 11: nobody is cut twice between two ends of his own turns, nor with fewer than two sets."""
    state = deal(n, seed, {})
    cut: set[int] = set()
    for _, before, _, events in play(state, seed):
        for event in events:
            if isinstance(event, StringerCut):
                assert event.opponent not in cut
                assert len(before.players[event.opponent].stringers) >= 2
                cut.add(event.opponent)
        if state.turn != before.turn:
            cut.discard(before.turn)
        if state.step != "over":
            assert cut == {seat for seat, player in enumerate(state.players) if player.protected}


@settings(max_examples=25, deadline=None)
@given(seats, seeds, st.integers(0, 3))
def test_ranks(n: int, seed: bytes, haste: int) -> None:
    """Who wins has Frank and three sets in his own turn; otherwise pile or patience is at its end and sets decide."""
    state = deal(n, seed, {})
    last: list[Any] = []
    for _, before, _, events in play(state, seed, haste):
        last = events
        assert before.standing().scores == tuple(len(player.stringers) for player in before.players)
    end = state.pending()
    assert isinstance(end, Outcome)
    assert min(end.ranks) == 0
    if isinstance(last[-1], Win):
        winner = last[-1].seat
        assert end.ranks[winner] == 0
        assert end.ranks.count(0) == 1
        assert (state.frank, state.turn) == (winner, winner)
        assert end.scores[winner] >= 3
    else:
        assert not state.draw_pile or state.stalled == 2 * n
        assert all(end.scores[seat] == max(end.scores) for seat in range(n) if end.ranks[seat] == 0)
