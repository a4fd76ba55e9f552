"""Measure arena's games as environments beside the games that PettingZoo and OpenSpiel come with, in one run.

PettingZoo is measured by its own ``performance_benchmark``, in turns a second of random play. OpenSpiel is measured by
random play as its ``benchmark_games`` does it, in moves a second; games of its own that are written in Python are
beside, in several rounds of which the median counts. Seconds are those of the processor.

``python benchmarks/environments.py``; it needs ``pip install '.[pettingzoo,openspiel]'
'pettingzoo[classic]'``, and what is not installed is left out.
"""

import importlib
import io
import random
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from statistics import median
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from options import parser

from arena import games

CLASSIC = (
    "chess_v6",
    "connect_four_v3",
    "go_v5",
    "hanabi_v5",
    "leduc_holdem_v4",
    "rps_v2",
    "texas_holdem_no_limit_v6",
    "texas_holdem_v4",
    "tictactoe_v3",
)
PYTHON_GAMES = (
    "block_dominoes",
    "iterated_prisoners_dilemma",
    "kuhn_poker",
    "liars_poker",
    "team_dominoes",
    "tic_tac_toe",
)
SECONDS = 0.6
ROUNDS = 5
LONGEST = 100
"""So many moves of a match at most are played, as in ``benchmark_games``."""


def pettingzoo() -> Iterator[tuple[str, str, Callable[[], float]]]:
    """What PettingZoo measures: whose, which game, and turns a second when called."""
    from pettingzoo.test import performance_benchmark  # noqa: PLC0415 - an extra

    from arena.environments.pettingzoo import env  # noqa: PLC0415 - an extra

    clock = SimpleNamespace(time=time.process_time)

    def measured(whole: Any) -> float:
        said = io.StringIO()
        with redirect_stdout(said), patch.dict(performance_benchmark.__globals__, time=clock):
            performance_benchmark(whole)
        found = re.search(r"([\d.]+) turns per second", said.getvalue())
        assert found is not None  # noqa: S101 - it always says so
        return float(found[1])

    for name in CLASSIC:
        try:
            classic = importlib.import_module(f"pettingzoo.classic.{name}").env()
        except Exception as error:  # noqa: BLE001 - each game says in its own way what it lacks
            print(f"left out: {name}, {type(error).__name__}", file=sys.stderr)
            continue
        yield "PettingZoo", name, partial(measured, classic)
    for name in games.names():
        yield "arena", name, partial(measured, env(name))


def openspiel() -> Iterator[tuple[str, str, Callable[[], float]]]:
    """What OpenSpiel plays: whose, which game, and moves a second when called."""
    import pyspiel  # noqa: PLC0415 - an extra
    from open_spiel.python import games as theirs  # noqa: F401, PLC0415 - importing it registers them

    from arena.environments.openspiel import register  # noqa: PLC0415 - an extra

    def measured(game: Any) -> float:
        dice = random.Random(0)  # noqa: S311 - moves of a measurement
        moves, start = 0, time.process_time()
        while time.process_time() - start < SECONDS:
            state = game.new_initial_state()
            while not state.is_terminal() and len(state.history()) <= LONGEST:
                if state.is_simultaneous_node():
                    state.apply_actions([dice.choice(state.legal_actions(seat)) for seat in range(game.num_players())])
                else:
                    state.apply_action(dice.choice(state.legal_actions(state.current_player())))
                moves += 1
        return moves / (time.process_time() - start)

    for name in PYTHON_GAMES:
        yield "OpenSpiel", name, partial(measured, pyspiel.load_game(f"python_{name}"))
    for name in register():
        yield "arena", name.removeprefix("arena_"), partial(measured, pyspiel.load_game(name))


def main() -> None:
    """Print two tables, the fastest first, with the medians of both sides."""
    parser(__doc__).parse_args()
    warnings.simplefilter("ignore")
    for title, entries, rounds in (
        ("PettingZoo, turns a second", pettingzoo, 1),  # each of its own takes 5 s
        ("OpenSpiel, moves a second", openspiel, ROUNDS),
    ):
        rates: dict[tuple[str, str], list[float]] = {}
        try:
            ways = list(entries())
            for _ in range(rounds):
                for whose, name, measure in ways:
                    rates.setdefault((whose, name), []).append(measure())
        except ModuleNotFoundError as error:
            print(f"left out: {title}, got no {error.name}", file=sys.stderr)
            continue
        rows = [(median(found), whose, name) for (whose, name), found in rates.items()]
        print(f"\n{title}")
        for rate, whose, name in sorted(rows, reverse=True):
            print(f"  {rate:9,.0f}  {whose:10}  {name}")
        for side in sorted({whose for _, whose, _ in rows}):
            print(f"  {median(rate for rate, whose, _ in rows if whose == side):9,.0f}  {side:10}  median of its games")


if __name__ == "__main__":
    main()
