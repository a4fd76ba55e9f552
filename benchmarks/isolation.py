"""Measure what starts and sandboxes cost: the start of each shipped bot at each level, and a decision in a sandbox.

``python benchmarks/isolation.py [--rounds N]``; levels and bots that this machine has no program for are left out.
Rounds take the levels in turn, so that a machine that slows down slows them all. Of a start both are told: the time on
the wall, and that of the processor, which is steadier where the machine has other work.
"""

import resource
import sys
import time
from statistics import median

from bench import referee

from arena import games
from arena.errors import ArenaError
from arena.players.botfile import argv, environment
from arena.players.build import prepare
from arena.players.entrants import entrant, shipped
from arena.players.launch import Launch
from arena.players.sandboxed import House, around
from arena.sandbox.proving import proven
from arena.sandbox.sandbox import LEVELS, Level
from arena.tournament.lane_messages import Job, Message, Preflight
from arena.tournament.lanes import Lanes
from arena.wire import PROTOCOL, Hello, Limits

STARTS = 20


def within(name: str, level: Level) -> Launch:
    """How a shipped bot is started at a level."""
    bot = entrant(name)
    folder = prepare(bot)
    return Launch(
        argv=argv(bot, folder), env=environment(bot, ""), folder=folder, sandbox=around(bot, folder, House(level))
    )


def hear(_job: Job, _message: Message) -> None:
    """Only the time matters."""


def started(launch: Launch, starts: int) -> tuple[float, float]:
    """Milliseconds of the wall and of the processor for one start to warm up, and so many more.

    Each is from nothing to ``ready`` and to the end of the process, in one lane; the wall does not count the first.
    """
    hello = Hello(PROTOCOL, "bench", "cash-a-catch", "1", {}, 0, 4, 0, Limits(start=10_000, move=1000))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Lanes(1) as crew:
        crew.run([Preflight({"warm": launch}, hello)], hear)
        began = time.perf_counter()
        if starts:
            crew.run([Preflight({f"bot-{number}": launch for number in range(starts)}, hello)], hear)
        wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def start_ms(launch: Launch) -> tuple[float, float]:
    """Milliseconds of the wall and of the processor for one start."""
    wall, cpu = started(launch, STARTS)
    return wall / STARTS, (cpu - started(launch, 0)[1]) / STARTS


def main() -> None:
    """Print the tables."""
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 5
    cash = games.find("cash-a-catch")
    levels = [level for level in LEVELS if proven(level).holds]
    bots = []
    for each in shipped():
        try:
            prepare(each)
        except ArenaError as error:
            print(f"{each.name}: left out: {error}")
        else:
            bots.append(each.name)
    starts: dict[tuple[str, Level], list[tuple[float, float]]] = {}
    plays: dict[Level, list[float]] = {level: [] for level in levels}
    for _ in range(rounds):
        for bot in bots:
            for level in levels:
                starts.setdefault((bot, level), []).append(start_ms(within(bot, level)))
        for level in levels:
            plays[level].append(referee(within("random-c", level), cash, 4, 1, 1000))
    print(f"{'start of':<12}{'level':<10}{'wall, ms':>10}{'over none':>11}{'CPU, ms':>10}{'over none':>11}")
    for (bot, level), found in starts.items():
        none = starts[bot, "none"]
        line = f"{bot:<12}{level:<10}"
        for at in (0, 1):
            over = median(here[at] - there[at] for here, there in zip(found, none, strict=True))
            line += f"{median(times[at] for times in found):>10.1f}{over:>11.1f}"
        print(line)
    print(f"{'a decision':<12}{'level':<10}{'a second':>10}{'to none':>11}")
    for level in levels:
        share = median(a / b for a, b in zip(plays[level], plays["none"], strict=True))
        print(f"{'':<12}{level:<10}{median(plays[level]):>10,.0f}{share:>11.3f}")


if __name__ == "__main__":
    main()
