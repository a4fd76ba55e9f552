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

from msgspec.structs import replace

from arena import LocalBot, games, local_bot, play_many
from arena.bot import Bot, Decision, Hello
from arena.environments import PolicyBot
from arena.players.entrants import find_bot_shelf
from arena.record import Record
from arena.report.render import Leaderboard
from arena.results.columns import Results
from arena.results.measure import measure_of
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


def player(name: str, game: str, *, seconds: float, seed: int) -> LocalBot | str:
    """The player of this name; a learner is trained against random players first."""
    if name.startswith("search-"):
        return local_bot(TimedSearch(int(name.removeprefix("search-"))), name)
    if name not in LEARNERS:
        return f"tried={name}"
    policy, steps = import_module(LEARNERS[name]).trained(game, seconds=seconds, seed=seed)
    print(f"{game}: {name} took {steps} steps of seed {seed} in {seconds:g} s", flush=True)
    return local_bot(PolicyBot(policy), name)


def finish(one: LocalBot | str, game: str, against: str, **settings: Any) -> str:
    """Play the task, and say in a row how ``one`` finishes."""
    others = games.find(game).usual_seats - 1
    records: list[Record] = []
    began = time.monotonic()
    board = play_many(game, [one, f"{against}*{others}"], progress=lambda record, _: records.append(record), **settings)
    name = one.name if isinstance(one, LocalBot) else "tried"
    results = Results(sorted({bot for record in records for bot in record.bots}))
    results.add([replace(record, scores=places(record.ranks)) for record in records])
    scores = results.mean_scores(measure_of("score", least=-others, span=2 * others))
    assert scores is not None  # noqa: S101 - there are matches
    told = f"{scores.uncertainty.means[scores.names.index(name)] / others:+.2f}"
    if (ends := scores.interval(name)) is not None:
        told += f" ({ends[0] / others:+.2f} to {ends[1] / others:+.2f})"
    return f"| {game} | {against} | {told} | {verdict(board, name)} | {len(records)} | {time.monotonic() - began:.0f} |"


def places(ranks: Sequence[int]) -> tuple[int, ...]:
    """By seat how many finish behind it, less how many finish ahead."""
    return tuple([sum(rank > own for rank in ranks) - sum(rank < own for rank in ranks) for own in ranks])


def verdict(board: Leaderboard, name: str) -> str:
    """Whether it is certain that a player is better, or worse, than each opponent."""
    others = {row.bot for row in board.leaderboard} - {name}
    if {(name, other) for other in others} <= {*board.better}:
        return "better"
    return "worse" if {(other, name) for other in others} <= {*board.better} else "open"


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
        for against in given.against:
            processes = 1 if given.player in LEARNERS else None
            settings = {"matches": given.matches, "seed": given.deals, "processes": processes}
            print(finish(one, game, against, **settings), flush=True)


if __name__ == "__main__":
    main()
