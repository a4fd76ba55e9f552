"""The search finds what wins, without a policy and against one, whatever the time, from the observation alone."""

from math import exp
from random import Random
from time import monotonic
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from arena.chance import Chance
from arena.game import Decision, Game, Outcome, Pending, ranks_of
from arena.games import find
from arena.games.dockfight.rules import Dockfight, Player, deal
from arena.search import Guide, Search
from arena.search.search import MOST, AnswerRace, answers

SECONDS = 5.0
"""Far more than any of these searches needs, for it ends as soon as one answer is left."""


def best(search: Search, state: Any, seat: int, seconds: float = SECONDS) -> tuple[Any, ...]:
    """What the search answers for a seat of a state, of which it is shown that seat's observation."""
    decision = state.pending().decisions[seat]
    deadline = monotonic() + seconds
    picks = search.picks(decision, state.observe(seat), seat=seat, deadline=deadline, rng=Random(1))
    assert decision.fault_in(picks) is None
    taken: tuple[Any, ...] = decision.take(picks)
    return taken


def about_to_win(step: str) -> Dockfight:
    """Three sets and three cards that pay for Fisherman Frank: who swipes him now has won."""
    state = deal(3, bytes(32), {})
    state.draw_pile += state.players[state.turn].livewell
    state.players[state.turn] = Player(livewell=[1, 4, 9], unseen=[], stringers=[5, 6, 7])
    for day in [1, 4, 9, *[5, 6, 7] * 3]:
        state.draw_pile.remove(day)
    state.step = step  # type: ignore[assignment]
    return state


@pytest.mark.long
@pytest.mark.parametrize("step", ["hit", "move"])
def test_a_forced_win_is_found(step: str) -> None:
    """Without a policy it swipes Fisherman Frank when that wins at once, and stops when that lets it swipe him."""
    state = about_to_win(step)
    assert best(Search(find("dockfight")), state, state.turn) == (("stop",) if step == "hit" else ("swipe",))


class Coin(Struct):
    """Two seats: who says *keep* has 1 point; who says *double* has 0 or 4, as a hidden card says that is rarely 0."""

    zero: bool
    said: tuple[Any, ...] = ()

    def pending(self) -> Pending | Outcome:
        return self.standing() if self.said else Pending({0: Decision(("keep", "double", "nothing"))})

    def apply(self, chosen: Any) -> list[Any]:
        self.said = chosen[0]
        return []

    def standing(self) -> Outcome:
        points = {"keep": 1, "double": 0 if self.zero else 4, "nothing": 0}[self.said[0]] if self.said else 0
        return Outcome(ranks_of((points, 2)), (points, 2))

    def observe(self, seat: int) -> "Seen":
        return Seen(seat)

    def copy(self) -> "Coin":
        return Coin(self.zero, self.said)


class Seen(Struct):
    """Nothing but the seat."""

    seat: int


def imagined(observation: Any, chance: Chance) -> Coin:  # noqa: ARG001 - there is nothing to go by
    """The hidden card is a zero once in eight times."""
    return Coin(chance.below(8) == 0)


COIN = Game(
    name="coin",
    title="Coin",
    version="1",
    seats=range(2, 3),
    usual_seats=2,
    deal=lambda _seats, _seed, _variants: Coin(zero=True),
    imagine=imagined,
    state=Coin,
    observation=Seen,
    option=str,
    event=str,
)


@pytest.mark.parametrize("policy", [None, lambda _message: [0], lambda _message: [2]])
def test_it_goes_by_what_is_likely_and_cannot_peek(policy: Any) -> None:
    """At a table where the hidden card is the rare bad one it takes the risk all the same, whatever the policy says."""
    assert best(Search(COIN, Guide(policy=policy)), Coin(zero=True), 0) == ("double",)


class Gamble(Coin):
    """Who keeps has 3 points and is first for sure; who doubles has more in the mean, and is last now and then."""

    def standing(self) -> Outcome:
        points = {"keep": 3, "double": 0 if self.zero else 4, "nothing": 0}[self.said[0]] if self.said else 0
        return Outcome(ranks_of((points, 2)), (points, 2))

    def copy(self) -> "Gamble":
        return Gamble(self.zero, self.said)


@pytest.mark.parametrize("guide", [Guide(), Guide(policy=lambda _message: [0]), Guide(policy=lambda _message: [2])])
def test_it_plays_for_what_counts(guide: Guide) -> None:
    """It keeps what makes it first where places count, and takes what scores more in the mean where the score does."""
    place = replace(COIN, imagine=lambda _observation, chance: Gamble(chance.below(8) == 0))
    assert best(Search(place, guide), Gamble(zero=False), 0) == ("keep",)
    assert best(Search(replace(place, objective="score"), guide), Gamble(zero=True), 0) == ("double",)


def test_a_guide_tells_scores() -> None:
    """Where the score counts a state is worth its score, and before the end what the guide expects of it."""
    ended, open_ = Gamble(zero=False, said=("double",)), Gamble(zero=False)
    guide = Guide(estimate=lambda _state: (2.5, 1.0))
    assert [guide.value(state, 0, "score") for state in (ended, open_)] == [4, 2.5]
    guide = Guide(odds=lambda _state, _seat: 7.5)
    assert [guide.value(state, 0, "score") for state in (ended, open_)] == [4, 7.5]


def test_without_time_it_answers_as_the_policy() -> None:
    """When the time is up before one state was imagined, the answer is the policy's, and legal without one."""
    search = Search(COIN, Guide(policy=lambda _message: [2]))
    assert best(search, Coin(zero=False), 0, seconds=-1.0) == ("nothing",)
    assert search.worlds == 0
    best(Search(COIN), Coin(zero=False), 0, seconds=-1.0)


def test_the_searching_seat_may_know_better() -> None:
    """Without time it gives its own answer, computed from an imagined state, and not that of the others."""
    guide = Guide(policy=lambda _message: [0], quick=lambda _state, _seat, _decision: (2,))
    assert best(Search(COIN, guide), Coin(zero=False), 0, seconds=-1.0) == ("nothing",)
    own = replace(guide, rollout=lambda state, _seat, _decision: (1,) if isinstance(state, Coin) else (0,))
    assert best(Search(COIN, own), Coin(zero=False), 0, seconds=-1.0) == ("double",)
    unsure = replace(guide, quick=lambda _state, _seat, _decision: None)
    assert best(Search(COIN, unsure), Coin(zero=False), 0, seconds=-1.0) == ("keep",)


def test_a_sure_answer_needs_no_search() -> None:
    """What the guide is sure of is answered at once; where it is not sure, the search goes on."""
    search = Search(COIN, Guide(sure=lambda _seen, _decision: (2,)))
    assert best(search, Coin(zero=False), 0) == ("nothing",)
    assert search.worlds == 0
    assert best(Search(COIN, Guide(sure=lambda _seen, _decision: None)), Coin(zero=False), 0) == ("double",)


def test_a_guide_that_cannot_be_followed() -> None:
    """Numbers, games and answers that a search cannot use are said in one line."""
    with pytest.raises(ValueError, match="expected a scale above 0, got 0"):
        Guide(scale=0)
    with pytest.raises(ValueError, match="expected deepest of 0 or more, got -1"):
        Guide(deepest=-1)
    with pytest.raises(TypeError, match=r"expected a game, as arena.games.find gives it, got 'lure'"):
        Search("lure")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"expected an arena.search.Guide, got \{\}"):
        Search(COIN, {})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the guide's answer: expected picks from 0 to 2, got 7"):
        best(Search(COIN, Guide(policy=lambda _message: [7])), Coin(zero=False), 0)
    with pytest.raises(ValueError, match=r"the guide's answer: expected a tuple of picks, got \[0\]"):
        best(Search(COIN, Guide(sure=lambda _seen, _decision: [0])), Coin(zero=False), 0)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(("doubt", "answer"), [(-0.7, (1,)), (0.5, (0,))])
def test_doubt_sets_the_bar(doubt: float, answer: tuple[int, ...]) -> None:
    """An answer one standard error ahead replaces the first one if half of one is asked for, and not if it is 1.7."""
    race = AnswerRace([(0,), (1,)], doubt=doubt, begun=0.0, deadline=1.0)
    for gain in [0.6, -0.3] * 8:
        race.add([0.0, gain])
    assert race.best(trusting=True) == answer


@pytest.mark.parametrize(("seconds", "answer"), [(1.0, "double"), (0.01, "nothing")])
def test_a_long_first_answer_needs_time(seconds: float, answer: str) -> None:
    """Where nothing else is found in time, the guide's long first answer is given, if there was time for it."""
    guide = Guide(quick=lambda _state, _seat, _decision: (2,), first=lambda _state, _seat, _decision: (1,))
    ticks = iter([0.0, *[2.0] * 20])
    search = Search(COIN, guide, now=lambda: next(ticks))
    decision = Coin(zero=False).pending().decisions[0]  # type: ignore[union-attr]
    assert decision.take(search.picks(decision, Seen(0), seat=0, deadline=seconds, rng=Random(1))) == (answer,)


def test_what_a_state_is_worth() -> None:
    """At its end the share of the others behind a seat, a tie a half; before it what the estimate expects."""
    guide = Guide(estimate=lambda _state: [1.0, 0.0], scale=0.5)
    assert guide.value(Coin(zero=False, said=("double",)), 0) == 1
    assert guide.value(Coin(zero=False, said=("keep",)), 0) == 0
    assert guide.value(Coin(zero=False), 0) == pytest.approx(1 / (1 + exp(-2)))
    assert Guide().value(Coin(zero=False), 0) + Guide().value(Coin(zero=False), 1) == pytest.approx(1)


def test_it_stops_when_the_time_is_up() -> None:
    """By the clock it was given: no step of an imagined match begins after the deadline."""
    ticks = iter(range(10**9))
    search = Search(find("dockfight"), now=lambda: float(next(ticks)))
    state = deal(3, bytes(32), {})
    decision = state.pending().decisions[state.turn]  # type: ignore[union-attr]
    search.picks(decision, state.observe(state.turn), seat=state.turn, deadline=3000.0, rng=Random(1))
    assert next(ticks) < 3010


def test_it_notes_the_longest_pause() -> None:
    """Between two looks at the clock, of which one took long; an answer later it is forgotten."""
    ticks = iter([*range(20), *range(100, 10**6)])
    search = Search(find("dockfight"), now=lambda: float(next(ticks)))
    state = deal(3, bytes(32), {})
    decision = state.pending().decisions[state.turn]  # type: ignore[union-attr]
    seen, rng = state.observe(state.turn), Random(1)
    search.picks(decision, seen, seat=state.turn, deadline=300.0, rng=rng)
    assert search.pause == 81.0
    search.picks(decision, seen, seat=state.turn, deadline=1000.0, rng=rng)
    assert search.pause == 1.0


def test_the_same_luck_for_all_answers() -> None:
    """Two answers that come to the same are never told apart: the one of the policy is given."""
    search = Search(COIN, Guide(policy=lambda _message: [1]))
    assert best(search, Coin(zero=False), 0) == ("double",)


@pytest.mark.parametrize(
    ("decision", "count"),
    [
        (Decision(("a", "b", "c")), 3),
        (Decision(("a", "b", "a")), 2),
        (Decision(("a", "b"), 0, 1), 3),
        (Decision(("a", "b", "c"), 2, 2), 6),
        (Decision(("d6", "d6", "d6", "d6", "d6", "d20"), 1, 6), 11),
        (Decision(tuple(range(12)), 3, 3), MOST),
        (Decision(tuple(range(55)), 0, 55), MOST),
    ],
)
def test_answers(decision: Decision, count: int) -> None:
    """Few are all looked at, in every order; equal options count once; of very many, those near the first one."""
    rng = Random(3)
    first = tuple(range(decision.least))
    found = answers(decision, first, rng)
    assert len(found) == len(set(found)) == count
    assert found[0] == first
    assert all(decision.fault_in(picks) is None for picks in found)
    alone = answers(decision, None, rng)
    assert len(alone) <= MOST
    assert all(decision.fault_in(picks) is None for picks in alone)
