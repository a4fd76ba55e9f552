"""Information-set Monte Carlo tree search over imagined states, racing the answers of the question itself.

Sources: P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on
Computational Intelligence and AI in Games 4 (2012), for the tree: one searcher, one tree for all imagined states,
answers counted as often as they were available. T. Pepels, T. Cazenave, M. Winands, M. Lanctot, "Minimizing Simple and
Cumulative Regret in Monte-Carlo Tree Search" (2014), for halving at the root and bounds below it. G. Tesauro,
G. Galperin, "On-line Policy Improvement using Monte-Carlo Search" (1996), for playing on by a policy.

The answers that are compared are all if they are few, else those near a given one. All are tried in the same imagined
states, and those that fall behind are left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, permutations
from math import comb, inf, log, perm, sqrt
from random import Random
from time import monotonic
from typing import Any

import msgspec
from msgspec import Struct

from arena.chance import Chance
from arena.game import Decision, Game, Pending, Seat, State
from arena.search.guide import Guide
from arena.wire import encode

Picks = tuple[int, ...]

MOST = 64
"""Answers that are compared."""
_ORDERED = 12
"""If more answers than this differ only in the order of their picks, one order of each is compared."""
_LISTED = 4096
"""If there are more ways to pick than this, they are not listed one by one."""
SURE = 3.0
"""An answer that is this many standard errors behind is left out."""
FEW = 4.0
"""With few states the spread is hardly known, so leads must be ``1 + FEW / states`` times as great."""
SOME = 8
"""Answers are left out only after this many states."""
OFTEN = 8
"""Leads are compared again once there are an eighth more states, because comparing takes longer with more states."""
ALIKE = 16
"""An answer is left out if it gives the same result as the first one in this many states."""


def answers(decision: Decision, first: Picks | None, rng: Random) -> list[Picks]:
    """Legal answers, ``first`` in front if it is given; no two answers consist of equal options.

    Beyond ``MOST`` they are those that differ from ``first``, or from a random one, by one pick added, left out or
    exchanged, and random ones.
    """
    names = _names(decision)
    ordered = _count(decision, perm) <= _ORDERED
    unlike: dict[tuple[int, ...], Picks] = {}

    def add(picks: Picks) -> None:
        what = [names[pick] for pick in picks]
        unlike.setdefault(tuple(what if ordered else sorted(what)), picks)

    if _count(decision, comb) <= _LISTED:
        if first is not None:
            add(first)
        choose = permutations if ordered else combinations
        for size in range(decision.least, decision.most + 1):
            for picks in choose(range(len(names)), size):
                add(picks)
        if len(unlike) <= MOST:
            return list(unlike.values())
        unlike.clear()
    centre = any_answer(decision, rng) if first is None else first
    near = list(_near(decision, centre))
    rng.shuffle(near)
    for picks in (centre, *near, *[any_answer(decision, rng) for _ in range(MOST)]):
        if len(unlike) < MOST:
            add(picks)
    return list(unlike.values())


def any_answer(decision: Decision, rng: Random) -> Picks:
    """A random legal answer: chance says how many picks, and which."""
    if decision.least == decision.most == 1:
        return (rng.randrange(len(decision.options)),)
    return tuple(rng.sample(range(len(decision.options)), rng.randint(decision.least, decision.most)))


def _names(decision: Decision) -> list[int]:
    texts = [encode(option) for option in decision.options]
    return [texts.index(text) for text in texts]


def _count(decision: Decision, of: Callable[[int, int], int]) -> int:
    return sum(of(len(decision.options), size) for size in range(decision.least, decision.most + 1))


def _near(decision: Decision, picks: Sequence[int]) -> Iterator[Picks]:
    others = [place for place in range(len(decision.options)) if place not in picks]
    for place in range(len(picks)):
        rest = (*picks[:place], *picks[place + 1 :])
        if len(rest) >= decision.least:
            yield rest
        for other in others:
            yield (*picks[:place], other, *picks[place + 1 :])
    if len(picks) < decision.most:
        for other in others:
            yield (*picks, other)


class AnswerRace:
    """``left`` are the answers still in the race; in doubt, the first of all answers is given."""

    def __init__(self, compared: Sequence[Picks], *, doubt: float, begun: float, deadline: float) -> None:
        """Times in seconds; each such share of the time, half of the answers left go out.

        Another answer replaces the first one if it is ``doubt`` standard errors ahead, added to the lead that the
        luckiest of equal answers has.
        """
        self._doubt = doubt
        self.left = list(compared)
        self._first = compared[0]
        self._compared = len(compared)
        self._values: dict[Picks, list[float]] = {picks: [] for picks in compared}
        rounds = max((len(compared) - 1).bit_length(), 1)
        self._halvings = [begun + (deadline - begun) * part / rounds for part in range(1, rounds)]
        self._deadline = deadline
        self._next = SOME

    def add(self, values: Sequence[float]) -> None:
        """What each of the answers in ``left`` was worth in one more state."""
        for picks, value in zip(self.left, values, strict=True):
            self._values[picks].append(value)

    def over(self, now: float) -> bool:
        """Leave out answers that are behind; returns whether the time is up, or one answer is left."""
        states = len(self._values[self.left[0]])
        if self._halvings and now >= self._halvings[0] and states:
            self._halvings.pop(0)
            ranked = sorted(self.left, key=self._mean, reverse=True)
            keep = ranked[: (len(ranked) + 1) // 2]
            self.left = [picks for picks in self.left if picks in keep or picks == self._first]
        if states >= self._next:
            self._next = states + max(states // OFTEN, 2)
            leader = max(self.left, key=self._mean)
            self.left = [picks for picks in self.left if self._ahead(leader, picks) < SURE]
            if states >= ALIKE:
                same = self._values[self.left[0]]
                self.left[1:] = [picks for picks in self.left[1:] if self._values[picks] != same]
        return now >= self._deadline or len(self.left) == 1

    def best(self, *, trusting: bool) -> Picks:
        """The answer with the highest mean; if ``trusting``, the first answer unless another is clearly ahead of it."""
        if not self._values[self.left[0]]:
            return self._first
        leader = max(self.left, key=self._mean)
        first = self._first
        if not trusting or leader == first or first not in self.left:
            return leader
        states = len(self._values[leader])
        bar = self._doubt + sqrt(2 * log(self._compared))
        return leader if states >= SOME // 2 and self._ahead(leader, first) > bar else first

    def _mean(self, picks: Picks) -> float:
        values = self._values[picks]
        return sum(values) / len(values)

    def _ahead(self, picks: Picks, other: Picks) -> float:
        """By how many standard errors one is ahead of the other, state by state; less with few states, 0 if even."""
        gains = [mine - its for mine, its in zip(self._values[picks], self._values[other], strict=True)]
        states = len(gains)
        mean = sum(gains) / states
        if mean <= 0:
            return 0.0
        # one more gain, of 0, so that a few equal gains prove nothing
        spread = sum([(gain - mean) ** 2 for gain in gains]) + mean**2
        return mean / sqrt(spread / max(states - 1, 1) / states) / (1 + FEW / states)


EXPLORE = 0.5
"""The constant of the bound by which an answer within the tree is selected, in parts of what lies between values."""
TRUST = 8
"""Visits of an information set before any answer but the policy's is tried in it."""
FLAT = 32
"""If it is known how players answer, so many states are imagined before there is a tree: it learns nothing from few."""
UNHURRIED = 0.02
"""With fewer seconds than this, the guide is not asked for its slower first answer."""
STEPS = 400
"""Steps after which playing on ends, whatever the guide says."""
_KEY_BYTES = 16


class _Node(Struct):
    """An information set: for each answer, how often it was available and taken, and the sum of its values."""

    first: Picks | None
    visits: int = 0
    tried: dict[Picks, list[float]] = {}
    """By answer: available, taken, sum."""
    listed: list[Picks] = []


class _Late(Exception):
    """The time is up."""


class Search:
    """Searches the questions of one game, one after the other."""

    def __init__(self, game: Game, guide: Guide | None = None, *, now: Callable[[], float] = monotonic) -> None:
        """``now`` tells the time in seconds; a ``TypeError`` without a game, as ``arena.games.find`` gives it."""
        if not isinstance(game, Game):
            raise TypeError(f"expected a game, as arena.games.find gives it, got {game!r}")
        if not isinstance(guide, Guide | None):
            raise TypeError(f"expected an arena.search.Guide, got {guide!r}")
        self.game = game
        self.guide = guide or Guide()
        self._clock = now
        self._seat: Seat = 0
        self._deadline = inf
        self._deepest = 0
        self._rng = Random()  # noqa: S311 - dice of a game
        self._luck = Random()  # noqa: S311 - likewise
        """For random answers: set to the same for all answers that are compared in an imagined state."""
        self._knows = bool(self.guide.policy or self.guide.quick)
        self._nodes: dict[bytes, _Node] = {}
        self._least, self._most = (0.0, 1.0) if game.objective == "place" else (inf, -inf)
        """Between them are all values so far; of scores, those of this question."""
        self._answers: dict[bytes, Picks] = {}
        """By observation, what the policy answers."""
        self._phases = 1
        self.worlds = 0
        self.pause = 0.0
        """The longest time between two looks at the clock during the last question, in seconds: a long step of the
        search, or other work of the machine."""
        self._looked = 0.0

    def first(self, decision: Decision, observation: Any, *, seat: Seat, rng: Random, hurried: bool = True) -> Picks:
        """The answer without a search: that of the seat's own policy, or a random one; ``hurried``: the quickest."""
        guide = self.guide
        quicker = guide.rollout or guide.quick
        for quick in (quicker,) if hurried else (guide.first, quicker):
            if quick is not None:
                state = self.game.imagine(observation, Chance(rng.randbytes(_KEY_BYTES)))
                picks = quick(state, seat, decision)
                if picks is not None:
                    return picks
        return any_answer(decision, rng) if guide.policy is None else self._by_policy(decision, _encode(observation))

    def picks(self, decision: Decision, observation: Any, *, seat: Seat, deadline: float, rng: Random) -> Picks:
        """The best answer found before ``deadline``, a time of ``now``.

        Each imagined state is played on once for every answer still in the race, so that all of them meet the same
        luck. A state that is not played on for all answers in time does not count. ``ValueError``: the guide's own
        answer is not legal.
        """
        self._open(observation, seat=seat, deadline=deadline, rng=rng)
        sure = self.guide.sure(observation, decision) if self.guide.sure else None
        if sure is not None:
            return _legal(sure, decision)
        hurried = deadline - self._looked < UNHURRIED
        first = _legal(self.first(decision, observation, seat=seat, rng=rng, hurried=hurried), decision)
        race = AnswerRace(answers(decision, first, rng), doubt=self.guide.doubt, begun=self._look(), deadline=deadline)
        try:
            while not race.over(self._look()):
                race.add(self._values(race.left, decision, observation))
                self.worlds += 1
        except _Late:
            pass
        return race.best(trusting=self._knows)

    def gains(
        self, decision: Decision, observation: Any, pair: tuple[Picks, Picks], *,
        seat: Seat, deadline: float, rng: Random, most: int,
    ) -> list[float]:  # fmt: skip
        """How much more the first answer is worth than the second, by state: shares of the others, or scores.

        In at most so many states, until ``deadline``. There is no tree, so nothing is learnt from one state for the
        next, and the values are independent draws.
        """
        self._open(observation, seat=seat, deadline=deadline, rng=rng)
        gains: list[float] = []
        with suppress(_Late):
            while len(gains) < most and self._look() < deadline:
                value, other = self._values(pair, decision, observation, tree=False)
                gains.append(value - other)
        return gains

    def _open(self, observation: Any, *, seat: Seat, deadline: float, rng: Random) -> None:
        """Take up another question."""
        self._seat, self._deadline, self._rng = seat, deadline, rng
        self._phases = self.guide.phases(observation)
        self._nodes.clear()
        self._answers.clear()
        if self.game.objective != "place":
            self._least, self._most = inf, -inf
        self.worlds = 0
        self.pause, self._looked = 0.0, self._clock()

    def _look(self) -> float:
        """The time; notes how long ago the last look was."""
        now = self._clock()
        self.pause = max(self.pause, now - self._looked)
        self._looked = now
        return now

    def _values(
        self, compared: Sequence[Picks], decision: Decision, observation: Any, *, tree: bool = True
    ) -> list[float]:
        if not self._knows:
            self._deepest = self.guide.deepest * self.game.usual_seats * tree
        else:
            self._deepest = self.guide.deepest if tree and self.worlds >= FLAT else 0
        world = self.game.imagine(observation, Chance(self._rng.randbytes(_KEY_BYTES)))
        luck = self._rng.getrandbits(64)
        pending = world.pending()
        assert isinstance(pending, Pending)  # noqa: S101 - callers pass a state with a question
        others = {seat: question for seat, question in pending.decisions.items() if seat != self._seat}
        path: list[tuple[Seat, _Node, Picks]] = []
        choices = self._answer_seats(world, others, path)
        values = []
        for picks in compared:
            self._luck.seed(luck)
            values.append(self._play(world.copy(), {**choices, self._seat: decision.take(picks)}, path.copy()))
        return values

    def _play(self, state: State, choices: dict[Seat, tuple[Any, ...]], path: list[tuple[Seat, _Node, Picks]]) -> float:
        """Answer, and play on as far as the guide says; returns the searching seat's ``Guide.value``."""
        guide, phase = self.guide, self.guide.phase
        last = phase(state) if phase else None
        phases, judged = self._phases, False
        state.apply(choices)
        for _ in range(STEPS):
            pending = state.pending()
            if not isinstance(pending, Pending):
                break
            if phase and not judged and (now := phase(state)) != last:
                last, phases = now, phases - 1
                if phases <= 0:
                    if not guide.random_after:
                        break
                    judged = True
            if self._look() > self._deadline:
                raise _Late
            if judged:
                state.apply(
                    {
                        seat: decision.silence if decision.forced else decision.take(any_answer(decision, self._luck))
                        for seat, decision in pending.decisions.items()
                    }
                )
            else:
                state.apply(self._answer_seats(state, pending.decisions, path))
        objective = self.game.objective
        values = {seat: guide.value(state, seat, objective) for seat in {self._seat, *[seat for seat, _, _ in path]}}
        self._least, self._most = min(self._least, *values.values()), max(self._most, *values.values())
        for seat, node, picks in path:
            node.visits += 1
            counts = node.tried.setdefault(picks, [0.0, 0.0, 0.0])
            counts[1] += 1
            counts[2] += values[seat]
        return values[self._seat]

    def _answer_seats(
        self, state: State, decisions: Mapping[Seat, Decision], path: list[tuple[Seat, _Node, Picks]]
    ) -> dict[Seat, tuple[Any, ...]]:
        """The answers of the seats: within the tree by its bounds, beyond it by the policy or at random."""
        choices: dict[Seat, tuple[Any, ...]] = {}
        for seat, decision in decisions.items():
            if decision.forced:
                choices[seat] = decision.silence
            elif len(path) < self._deepest and (seat == self._seat or not self._knows):
                key = _encode(state.observe(seat))
                node = self._nodes.get(key)
                if node is None:
                    node = self._nodes[key] = _Node(self._ask_guide(state, seat, decision) if self._knows else None)
                picks = self._select(node, decision)
                path.append((seat, node, picks))
                choices[seat] = decision.take(picks)
            else:
                picks = self._ask_guide(state, seat, decision) if self._knows else any_answer(decision, self._luck)
                choices[seat] = decision.take(picks)
        return choices

    def _ask_guide(self, state: State, seat: Seat, decision: Decision) -> Picks:
        if self._look() > self._deadline:
            raise _Late
        guide = self.guide
        quick = guide.rollout if seat == self._seat and guide.rollout is not None else guide.quick
        picks = None if quick is None else quick(state, seat, decision)
        if picks is None and guide.policy is None:
            return any_answer(decision, self._luck)
        if picks is None:
            key = _encode(state.observe(seat))
            picks = self._answers.get(key)
            if picks is None:
                picks = self._answers[key] = self._by_policy(decision, key)
        return picks

    def _select(self, node: _Node, decision: Decision) -> Picks:
        """The answer with the highest upper bound by its availability; one not tried yet before all others."""
        if node.first is not None and node.visits < TRUST:
            return node.first
        if node.visits == 0:
            return any_answer(decision, self._luck)
        if not node.listed:
            node.listed = answers(decision, node.first, self._rng)
        best, highest, explore = node.listed[0], -inf, EXPLORE * (self._most - self._least)
        for picks in node.listed:
            counts = node.tried.setdefault(picks, [0.0, 0.0, 0.0])
            counts[0] += 1
            bound = inf if not counts[1] else counts[2] / counts[1] + explore * sqrt(log(counts[0] + 1) / counts[1])
            if bound > highest:
                best, highest = picks, bound
        return best

    def _by_policy(self, decision: Decision, observation: bytes) -> Picks:
        policy = self.guide.policy
        assert policy is not None  # noqa: S101 - only a guide with one comes here
        options = _decode(_encode(decision.options))
        message = {
            "type": "decide",
            "least": decision.least,
            "most": decision.most,
            "count": len(options),
            "options": options,
            "observation": _decode(observation),
            "events": [],
        }
        return tuple(policy(message))


def _legal(picks: Picks, decision: Decision) -> Picks:
    wrong = decision.fault_in(picks) if isinstance(picks, tuple) else f"expected a tuple of picks, got {picks!r}"
    if wrong:
        raise ValueError(f"the guide's answer: {wrong}")
    return picks


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
