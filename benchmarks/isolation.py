"""Measure what a sandbox costs: the start of a bot at each level, and a decision in a sandbox against one without.

``python benchmarks/isolation.py [--rounds N]``; levels that this machine lacks are left out. Rounds take the levels in
turn, so that a machine that slows down slows them all. Each figure is told by the clock, and by the processor time of
the lane and its bots, which hardly depends on what else the machine does.
"""

import os
import resource
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import referee

from arena import games
from arena.players.botfile import argv, environment
from arena.players.build import prepare
from arena.players.entrants import entrant
from arena.players.launch import Launch
from arena.players.sandboxed import House, around
from arena.sandbox.proving import proven
from arena.sandbox.sandbox import LEVELS, Level
from arena.tournament.lane_messages import Job, Message, Preflight
from arena.tournament.lanes import Lanes
from arena.wire import PROTOCOL, Hello, Limits

STARTS = 40
SHORT, LONG = 200, 1400
"""Matches that are played: the difference is free of what a start takes."""


def within(name: str, level: Level) -> Launch:
    """How a shipped bot is started at a level."""
    bot = entrant(name)
    folder = prepare(bot)
    return Launch(
        argv=argv(bot, folder), env=environment(bot, ""), folder=folder, sandbox=around(bot, folder, House(level))
    )


class Cost(NamedTuple):
    """What something took: by the clock, and of the processors."""

    wall: float
    cpu: float


def burnt() -> float:
    """Seconds of processor time of the lanes of this process, and of all bots of theirs that have ended."""
    total = 0
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text("ascii").split():
            fields = Path(f"/proc/{child}/stat").read_bytes().rpartition(b")")[2].split()
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def start_ms(launch: Launch) -> Cost:
    """Milliseconds from nothing to ``ready`` and to the end of the process, in a lane that is up."""
    hello = Hello(PROTOCOL, "bench", "cash-a-catch", "1", {}, 0, 4, 0, Limits(start=10_000, move=1000))
    names = [f"bot-{number}" for number in range(STARTS)]

    def hear(_job: Job, _message: Message) -> None:
        """Only the time matters."""

    with Lanes(1) as crew:
        crew.run([Preflight({"warm": launch}, hello)], hear)
        began, before = time.perf_counter(), burnt()
        crew.run([Preflight(dict.fromkeys(names, launch), hello)], hear)
        wall, cpu = time.perf_counter() - began, burnt() - before
        return Cost(wall / STARTS * 1000, cpu / STARTS * 1000)


def play(launch: Launch) -> Cost:
    """Decisions a second, and seconds of processor time of a lane and its bots from match ``SHORT`` to ``LONG``."""
    cash, rate, cpu = games.find("cash-a-catch"), 0.0, {}
    for matches in (SHORT, LONG):
        before = children()
        rate = referee(launch, cash, 4, 1, matches)
        cpu[matches] = children() - before
    return Cost(rate, cpu[LONG] - cpu[SHORT])


def children() -> float:
    """Seconds of processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 5
    levels = [level for level in LEVELS if proven(level).holds]
    starts: dict[str, list[Cost]] = {level: [] for level in levels}
    plays: dict[str, list[Cost]] = {level: [] for level in levels}
    for _ in range(rounds):
        for level in levels:
            launch = within("random-c", level)
            starts[level].append(start_ms(launch))
            plays[level].append(play(launch))
    print(f"{'':<10}{'start over none, ms':>24}{'decisions to none':>24}")
    print(f"{'level':<10}{'wall':>12}{'processor':>12}{'wall':>12}{'processor':>12}")
    for level in levels:
        over = list(zip(starts[level], starts["none"], strict=True))
        to = list(zip(plays[level], plays["none"], strict=True))
        wall, cpu = median(a.wall - b.wall for a, b in over), median(a.cpu - b.cpu for a, b in over)
        # the same matches in less processor time are more decisions of it
        rate, share = median(a.wall / b.wall for a, b in to), median(b.cpu / a.cpu for a, b in to)
        print(f"{level:<10}{wall:>12.1f}{cpu:>12.1f}{rate:>12.3f}{share:>12.3f}")
    print(f"\nstart at none: {median(each.wall for each in starts['none']):.1f} ms wall, ", end="")
    print(f"{median(each.cpu for each in starts['none']):.1f} ms of processor time; ", end="")
    print(f"{median(each.wall for each in plays['none']):,.0f} decisions/s")


if __name__ == "__main__":
    main()
