"""Measure what rows of numbers cost: random play with them by each interface, as a share of random play without.

``bare`` is play by actions alone, as ``SinglePicks`` has it: the steps of all seats in a second, and all other columns
are shares of it. ``rows`` makes a row for who acts at each step, ``PettingZoo`` has masks and infos as well;
``OpenSpiel`` is its states without tensors, ``tensors`` with one at each step. ``Gymnasium`` counts the steps of one
seat alone; its opponents, which are random, play as many again for each of them. Seconds are those of the processor;
the ways take turns, and the median of the rounds counts.

``python benchmarks/rows.py``; it needs ``pip install '.[pettingzoo,openspiel]'``.
With ``--vector`` it measures ``vector`` with 64 matches in one process, and in two as a share of twice that, in seconds
of the clock: two cores must be idle.
With ``--selves`` it measures ``vector`` against one past self that takes a millisecond of the processor for a call, as
a small network of PyTorch does: the learner's steps a second if it is asked for one row at a time, and how many times
as many if 64 or 256 matches ask it together.
"""

import random
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
from options import parser

from arena import games
from arena.environments import Environment, PolicyBot
from arena.environments.encoding import encoding_of
from arena.environments.gymnasium import GymEnv
from arena.environments.single_picks import SinglePicks
from arena.environments.vectorized import VectorGym

SECONDS = 0.25
ROUNDS = 9
"""The first of them only warms up."""
MANY = 64
"""So many matches at once are measured."""
CALL = 60_000
"""So many numbers are added in a call of a past self, which takes about a millisecond."""
ALONE, TOGETHER = 8, (64, 256)
"""So many matches have a past self that is asked for one row at a time, or for those of all."""
APART = 12
"""So many steps are taken before such a measurement."""


def bare(name: str, *, rows: bool = False) -> Iterator[None]:
    """Play by actions alone, or with a row at each step; yield at each."""
    table, dice = Environment(name), random.Random(0)  # noqa: S311 - moves of a measurement
    match = SinglePicks(table, encoding_of(name, table.seats))
    while True:
        match.reset(dice.getrandbits(64))
        while table.seat is not None:
            if rows:
                match.row(table.seat)
            match.act(dice.choice(match.legal()))
            yield


def pettingzoo(name: str) -> Iterator[None]:
    """All seats of PettingZoo's interface, with all that ``last`` gives."""
    from arena.environments.pettingzoo import env  # noqa: PLC0415 - an extra

    whole, dice = env(name, seed=0), random.Random(0)  # noqa: S311 - moves of a measurement
    while True:
        whole.reset()
        while whole.agents:
            seen, _, ended, capped, _ = whole.last()
            if ended or capped:
                whole.step(None)
            else:
                whole.step(dice.choice(np.flatnonzero(seen["action_mask"]).tolist()))
                yield


def openspiel(name: str, *, tensors: bool = False) -> Iterator[None]:
    """States of OpenSpiel; with ``tensors`` one of who acts at each step."""
    import pyspiel  # noqa: PLC0415 - an extra

    from arena.environments.openspiel import register  # noqa: PLC0415 - an extra

    register()
    dice = random.Random(0)  # noqa: S311 - moves of a measurement
    game = pyspiel.load_game(f"arena_{name.replace('-', '_')}")
    observer = game.make_py_observer()
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(dice.randrange(256))
                continue
            if tensors:
                observer.set_from(state, state.current_player())
            state.apply_action(dice.choice(state.legal_actions()))
            yield


def gymnasium(name: str) -> Iterator[None]:
    """One seat of Gymnasium's interface."""
    whole, dice = GymEnv(name), random.Random(0)  # noqa: S311 - moves of a measurement
    while True:
        _, info = whole.reset(seed=dice.getrandbits(31))
        over = False
        while not over:
            taken = dice.choice(np.flatnonzero(info["action_mask"]).tolist())
            _, _, ended, capped, info = whole.step(taken)
            over = ended or capped
            yield


def many(name: str, opponents: Any = "random", *, n: int = MANY, processes: int = 1) -> Iterator[None]:
    """All steps of ``vector``, yielding at each of them for all matches."""
    whole, dice = VectorGym(name, opponents, n=n, processes=processes), np.random.default_rng(0)
    whole.reset(seed=0)
    while True:
        masks = whole.action_masks()
        whole.step(np.argmax(dice.random(masks.shape, np.float32) * masks, axis=1))
        yield


def network(name: str) -> Callable[[Any, Any], Any]:
    """A policy of three layers for one row or many, which takes a while for a call."""
    encoding, dice = GymEnv(name).encoding, np.random.default_rng(0)
    sizes = pairwise((len(encoding.names), 64, 64, len(encoding.actions)))
    first, second, last = (dice.normal(size=size).astype(np.float32) / 8 for size in sizes)

    def choose(rows: Any, masks: Any) -> Any:
        sum(range(CALL))
        return np.where(masks, np.tanh(np.tanh(rows @ first) @ second) @ last, -np.inf).argmax(-1)

    return choose


WAYS: dict[str, Callable[[str], Iterator[None]]] = {
    "bare": bare,
    "rows": lambda name: bare(name, rows=True),
    "PettingZoo": pettingzoo,
    "OpenSpiel": openspiel,
    "tensors": lambda name: openspiel(name, tensors=True),
    "Gymnasium": gymnasium,
}


def rate(
    play: Iterator[None], clock: Callable[[], float] = time.process_time, *, each: int = 1, together: int = 20
) -> float:
    """Steps a second; ``each``: so many are made at once; ``together``: so often between two looks at the clock."""
    steps, start = 0, clock()
    while (spent := clock() - start) < SECONDS:
        for _ in range(together):
            next(play)
        steps += together * each
    return steps / spent


def medians(ways: dict[str, Callable[[], float]], first: str) -> dict[str, float]:
    """Measure in turns: the median rate of ``first``, of the others the median share of it in one round."""
    rates = [{way: measure() for way, measure in ways.items()} for _ in range(ROUNDS)][1:]
    return {way: median(one[way] / (1 if way == first else one[first]) for one in rates) for way in ways}


def measured(play: Iterator[None], **how: Any) -> Callable[[], float]:
    """How many steps a second, when called."""
    return lambda: rate(play, **how)


def main() -> None:
    """Print a row for each game."""
    options = parser(__doc__)
    options.add_argument("--vector", action="store_true")
    options.add_argument("--selves", action="store_true")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    if given.selves:
        for name in games.names():
            plays = {"alone": many(name, PolicyBot(network(name)), n=ALONE)}
            plays |= {f"{n}": many(name, PolicyBot(network(name), batches=True), n=n) for n in TOGETHER}
            for play in plays.values():  # all matches are dealt at once: soon they are apart
                for _ in range(APART):
                    next(play)
            numbers = (ALONE, *TOGETHER)
            ways = {
                way: measured(play, each=n, together=1) for (way, play), n in zip(plays.items(), numbers, strict=True)
            }
            found = medians(ways, "alone")
            print(f"  {name:18}{found.pop('alone'):8,.0f}" + "".join(f"{times:9.1f}" for times in found.values()))
        return
    if given.vector:
        for name in games.names():
            plays = {f"in {count}": many(name, processes=count) for count in (1, 2)}
            ways = {way: measured(play, clock=time.perf_counter, each=MANY, together=1) for way, play in plays.items()}
            found = medians(ways, "in 1")
            print(
                f"  {name:18}{found['in 1']:10,.0f} a second in 1 process, in 2 {found['in 2'] / 2:.2f} of twice that"
            )
        return
    print(f"  {'game':18}" + "".join(f"{way:>12}" for way in WAYS))
    for name in games.names():
        found = medians({way: measured(play(name)) for way, play in WAYS.items()}, "bare")
        said = [f"{found.pop('bare'):12,.0f}", *(f"{share:12.2f}" for share in found.values())]
        print(f"  {name:18}" + "".join(said))


if __name__ == "__main__":
    main()
