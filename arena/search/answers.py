"""The answers to a question that are compared, all if they are few, else those near a given one; and their race.

All are tried in the same imagined states, and those that fall behind are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from math import comb, log, perm, sqrt
from random import Random

from arena.game import Decision
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

    def _ahead(self, one: Picks, other: Picks) -> float:
        """By how many standard errors one is ahead of the other, state by state; less with few states, 0 if even."""
        gains = [mine - its for mine, its in zip(self._values[one], self._values[other], strict=True)]
        states = len(gains)
        mean = sum(gains) / states
        if mean <= 0:
            return 0.0
        # one more gain, of 0, so that a few equal gains prove nothing
        spread = sum([(gain - mean) ** 2 for gain in gains]) + mean**2
        return mean / sqrt(spread / max(states - 1, 1) / states) / (1 + FEW / states)
