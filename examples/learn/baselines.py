"""The baselines of docs/baselines.md: one player at a table of random or greedy ones, and how it finishes.

Prints a row for each task, as the page has it: the share of opponents finished ahead of, minus the share that finished
ahead, with where it lies with 95 % by whole blocks; and what the arena's verdict says.
"""

import argparse
import importlib.util
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import arena
from arena import games
from arena.bot import Bot, Decision, Hello
from arena.players.entrants import find_bot_shelf
from arena.search import Search, Timing
from arena.wire import Limits

GAMES = ["cash-a-catch", "catch-of-the-day", "dockfight", "fish-food", "lure"]
LEARNERS = {"ppo": "train", "dqn": "dqn"}
"""The module of each, beside this one: it imports what not everybody has."""


class TimedSearch(Bot[Any]):
    """The bot ``search``, which thinks as long as it would in a run, but by the time of the processor."""

    def __init__(self, move: int) -> None:
        """``move``: milliseconds of a question."""
        self._seconds = Timing(Limits(start=1000, move=move)).allot(move) / 1000
        self._game = ""
        self._search: Search

    def begin(self, hello: Hello) -> None:
        """Get the guide to the game from the bot."""
        if hello.game != self._game:
            spec = importlib.util.spec_from_file_location("search_bot", find_bot_shelf() / "search" / "bot.py")
            program: Any = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]  # it is there
            spec.loader.exec_module(program)  # type: ignore[union-attr]  # likewise
            self._game = hello.game
            self._search = Search(games.find(hello.game), program.guide(hello.game), now=time.process_time)

    def decide(self, decision: Decision[Any]) -> Sequence[int]:
        """Think until the time is up."""
        deadline, seen = time.process_time() + self._seconds, decision.observation
        picks: Sequence[int] = self._search.picks(
            decision, seen, seat=decision.seat, deadline=deadline, rng=decision.rng
        )
        return picks


def player(name: str, game: str, *, seconds: float, seed: int) -> Any:
    """The player of this name; a learner is trained against random players first."""
    if name.startswith("search-"):
        return arena.local_bot(TimedSearch(int(name.removeprefix("search-"))), name)
    if name not in LEARNERS:
        return name
    policy, steps = import_module(LEARNERS[name]).trained(game, seconds=seconds, seed=seed)
    print(f"{game}: {name} took {steps} steps of seed {seed} in {seconds:g} s", flush=True)
    return policy


def options() -> argparse.ArgumentParser:
    """What may be chosen."""
    parser = argparse.ArgumentParser(description="Measure a baseline on the tasks of docs/baselines.md.")
    parser.add_argument("player", help="random, greedy, search-MILLISECONDS, ppo or dqn")
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--against", nargs="+", default=["random", "greedy"])
    parser.add_argument("--matches", type=int, default=120)
    parser.add_argument("--seconds", type=float, default=36, help="of one processor, for a learner in a game")
    parser.add_argument("--seed", type=int, default=1, help="of a learner")
    parser.add_argument("--deals", default="cite", help="the seed of the deals")
    return parser


def main() -> None:
    """Read the options, and play."""
    given = options().parse_args()
    for game in given.games:
        one = player(given.player, game, seconds=given.seconds, seed=given.seed)
        processes = 1 if given.player in LEARNERS else None
        for against in given.against:
            began = time.monotonic()
            task = arena.task(game, against)
            deals = -(-given.matches // task.seats)
            found = task.measure(one, deals=deals, seed=given.deals, beside={}, processes=processes)
            share = str(found).partition(": ")[2].partition(",")[0]
            seconds = time.monotonic() - began
            print(f"| {game} | {against} | {share} | {found.verdict} | {found.matches} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
