"""Measure what a sandbox costs: the start of a bot at each level, and a decision in a sandbox against one without.

``python benchmarks/isolation.py [--rounds N]``; levels that this machine lacks are left out. Rounds take the levels in
turn, so that a machine that slows down slows them all.
"""

import sys
import time
from statistics import median

from bench import referee

from arena import games
from arena.players.botfile import argv, environment
from arena.players.build import prepare
from arena.players.entrants import entrant
from arena.players.launch import Launch
from arena.players.sandboxed import House, around
from arena.sandbox.proving import proven
from arena.sandbox.sandbox import LEVELS, Level
from arena.tournament.lane_messages import Preflight
from arena.tournament.lanes import Lanes
from arena.wire import PROTOCOL, Hello, Limits

STARTS = 40


def within(name: str, level: Level) -> Launch:
    """How a shipped bot is started at a level."""
    bot = entrant(name)
    folder = prepare(bot)
    return Launch(
        argv=argv(bot, folder), env=environment(bot, ""), folder=folder, sandbox=around(bot, folder, House(level))
    )


def start_ms(launch: Launch) -> float:
    """Milliseconds from nothing to ``ready`` and to the end of the process, in a lane that is up."""
    hello = Hello(PROTOCOL, "bench", "cash-a-catch", "1", {}, 0, 4, 0, Limits(start=10_000, move=1000))
    names = [f"bot-{number}" for number in range(STARTS)]

    with Lanes(1) as crew:
        list(crew.messages([Preflight({"warm": launch}, hello)]))
        began = time.perf_counter()
        list(crew.messages([Preflight(dict.fromkeys(names, launch), hello)]))
        return (time.perf_counter() - began) / STARTS * 1000


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 5
    cash = games.find("cash-a-catch")
    levels = [level for level in LEVELS if proven(level).holds]
    starts: dict[str, list[float]] = {level: [] for level in levels}
    plays: dict[str, list[float]] = {level: [] for level in levels}
    for _ in range(rounds):
        for level in levels:
            starts[level].append(start_ms(within("random-c", level)))
            plays[level].append(referee(within("random-c", level), cash, 4, 1, 1000))
    print(f"{'level':<10}{'start, ms':>12}{'over none':>12}{'decisions/s':>14}{'to none':>10}")
    for level in levels:
        over = median(a - b for a, b in zip(starts[level], starts["none"], strict=True))
        share = median(a / b for a, b in zip(plays[level], plays["none"], strict=True))
        print(f"{level:<10}{median(starts[level]):>12.1f}{over:>12.1f}{median(plays[level]):>14,.0f}{share:>10.3f}")


if __name__ == "__main__":
    main()
