"""Measure what starts and sandboxes cost: the start of each shipped bot at each level, and a decision in a sandbox.

``python benchmarks/isolation.py [--rounds N]``; levels and bots that this machine has no program for are left out.
Rounds take the levels in turn, so that a machine that slows down slows them all. Each figure is told by the clock, and
by the processor time of the lane and its bots, which hardly depends on what else the machine does.
"""

import os
import resource
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, mkdtemp
from typing import NamedTuple

from bench import referee
from options import Failed, parser, positive

from arena import games
from arena.errors import ArenaError
from arena.fault import Fault
from arena.files import cache_folder
from arena.players.botfile import argv, environment
from arena.players.building import prepare
from arena.players.entrants import read_entrant, read_shipped_bots
from arena.players.launch import Launch
from arena.players.sandboxed import HostPolicy, around
from arena.sandbox import LEVELS, Level
from arena.sandbox.copies import keep
from arena.sandbox.proving import proven
from arena.tournament.lane_messages import Done, Preflight
from arena.tournament.lanes import Lanes
from arena.wire import PROTOCOL, Hello, Limits

STARTS = 20
SHORT, LONG = 200, 1400
"""Matches that are played: the difference is free of what a start takes."""


class Cost(NamedTuple):
    """What something took: by the clock, and of the processors."""

    wall: float
    cpu: float


def within(name: str, level: Level, rooms: Path) -> Launch:
    """How a shipped bot is started at a level; what a run copies once lies in a folder of its own in ``rooms``."""
    bot = read_entrant(name)
    folder = prepare(bot, cache=cache_folder())
    sandbox = keep(around(bot, folder, HostPolicy(level)), folder, room=mkdtemp(dir=rooms))
    return Launch(argv=argv(bot, folder), env=environment(bot, ""), folder=folder, sandbox=sandbox)


def burnt() -> float:
    """Seconds of processor time of the lanes of this process, and of all bots of theirs that have ended."""
    total = 0
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text("ascii").split():
            fields = Path(f"/proc/{child}/stat").read_bytes().rpartition(b")")[2].split()
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def start_ms(launch: Launch) -> Cost:
    """Milliseconds from nothing to ``ready`` and to the end of the process, in a lane that is up.

    Raises:
        Failed: the bot does not get ready.
    """
    hello = Hello(PROTOCOL, "bench", "cash-a-catch", "1", {}, 0, 4, 0, Limits(start=10_000, move=1000))
    names = [f"bot-{number}" for number in range(STARTS)]

    with Lanes(1) as crew:
        list(crew.messages([Preflight("warm", launch, hello)]))
        began, before = time.perf_counter(), burnt()
        ended = list(crew.messages([Preflight(name, launch, hello) for name in names]))
        wall, cpu = time.perf_counter() - began, burnt() - before
        for _, message in ended:
            fault, errors = message.value(tuple[Fault | None, bytes]) if isinstance(message, Done) else (None, b"")
            if fault is not None:
                raise Failed(f"expected {launch.argv[0]} to get ready, got {fault.kind}: {errors.decode()}")
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


def prepared() -> list[str]:
    """The shipped bots that can be built here."""
    found = []
    for each in read_shipped_bots():
        try:
            prepare(each, cache=cache_folder())
        except ArenaError as error:
            print(f"{each.name}: left out: {error}")
        else:
            found.append(each.name)
    return found


def main() -> None:
    """Print the tables."""
    words = parser(__doc__)
    words.add_argument("--rounds", type=positive, default=5)
    rounds = words.parse_args().rounds
    levels = [level for level in LEVELS if proven(level).holds]
    bots = prepared()
    starts: dict[tuple[str, Level], list[Cost]] = {(bot, level): [] for bot in bots for level in levels}
    plays: dict[Level, list[Cost]] = {level: [] for level in levels}
    with TemporaryDirectory() as rooms:
        launches = {(bot, level): within(bot, level, Path(rooms)) for bot, level in starts}
        for _ in range(rounds):
            for which, found in starts.items():
                found.append(start_ms(launches[which]))
            for level, costs in plays.items():
                costs.append(play(launches["random-c", level]))
    print(f"{'start of':<12}{'level':<10}{'wall, ms':>10}{'over none':>11}{'CPU, ms':>10}{'over none':>11}")
    for (bot, level), found in starts.items():
        over = list(zip(found, starts[bot, "none"], strict=True))
        wall, cpu = median(a.wall - b.wall for a, b in over), median(a.cpu - b.cpu for a, b in over)
        print(f"{bot:<12}{level:<10}{median(each.wall for each in found):>10.1f}{wall:>11.1f}", end="")
        print(f"{median(each.cpu for each in found):>10.1f}{cpu:>11.1f}")
    print(f"{'a decision':<12}{'level':<10}{'a second':>10}{'to none':>11}{'by CPU':>10}{'to none':>11}")
    for level, costs in plays.items():
        to = list(zip(costs, plays["none"], strict=True))
        # the same matches in less processor time are more decisions of it
        rate, share = median(a.wall / b.wall for a, b in to), median(b.cpu / a.cpu for a, b in to)
        print(f"{'':<12}{level:<10}{median(each.wall for each in costs):>10,.0f}{rate:>11.3f}{'':>10}{share:>11.3f}")


if __name__ == "__main__":
    main()
