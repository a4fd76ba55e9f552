"""The answers to a question that are worth comparing: all if they are few, else those near a given answer."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from math import comb, perm
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


def answers(decision: Decision, first: Picks | None, rng: Random) -> list[Picks]:
    """Legal answers, ``first`` in front if it is given; no two answers consist of equal options.

    Where there are more than ``MOST`` they are those that differ from ``first``, or from a random answer, by one pick
    added, left out or exchanged, and random ones.
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
    """A number for each option, the same for equal ones."""
    texts = [encode(option) for option in decision.options]
    return [texts.index(text) for text in texts]


def _count(decision: Decision, of: Callable[[int, int], int]) -> int:
    """How many answers there are, as ``comb`` or ``perm`` counts them."""
    return sum(of(len(decision.options), size) for size in range(decision.least, decision.most + 1))


def _near(decision: Decision, picks: Sequence[int]) -> Iterator[Picks]:
    others = [at for at in range(len(decision.options)) if at not in picks]
    for at in range(len(picks)):
        rest = (*picks[:at], *picks[at + 1 :])
        if len(rest) >= decision.least:
            yield rest
        for other in others:
            yield (*picks[:at], other, *picks[at + 1 :])
    if len(picks) < decision.most:
        for other in others:
            yield (*picks, other)
