"""How much of a whole ``arena run`` is play: what warm bots and their lane take of all processor time.

The rest is the start of the command and its lane, starting, greeting and ending bots, the journal and the leaderboard.
``python benchmarks/whole.py [--rounds N]``: the median of the rounds for runs in one lane, bots in C and in Python.
"""

import resource
import subprocess
import sys
from argparse import ArgumentParser
from statistics import median
from tempfile import TemporaryDirectory

from bench import launched, referee
from options import positive

from arena import games

GAME = "cash-a-catch"
SEATS = 4
RUNS = (240, 1000)
"""Matches of the whole runs."""
WARM = (50, 250)
"""Matches of a lane whose bots are started once: what the longer of two takes more is play alone."""


def used() -> float:
    """Processor seconds of all processes that were started from here and have ended."""
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime


def warm(bot: str) -> float:
    """Processor seconds of a match of copies of a bot that is started already."""
    taken = []
    for matches in WARM:
        before = used()
        referee(launched(bot), games.find(GAME), SEATS, 1, matches)
        taken.append(used() - before)
    return (taken[1] - taken[0]) / (WARM[1] - WARM[0])


def whole(bot: str, matches: int) -> float:
    """Processor seconds of a match in a whole run."""
    before = used()
    with TemporaryDirectory() as desk:
        words = f"run --game {GAME} -n {matches} {bot}*{SEATS} --isolation none -j 1 --seed whole -q -o {desk}/run"
        subprocess.run([sys.executable, "-m", "arena", *words.split()], check=True, stdout=subprocess.DEVNULL)
    return (used() - before) / matches


def main() -> None:
    """Print the table."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("--rounds", type=positive, default=3)
    rounds = words.parse_args().rounds
    print(f"{'bots and matches':<32}{'play, ms':>10}{'all, ms':>10}{'play / all':>12}   its spread")
    for bot in ("random-c", "random"):
        pairs = [(warm(bot), [whole(bot, matches) for matches in RUNS]) for _ in range(rounds)]
        for at, matches in enumerate(RUNS):
            shares = [play / taken[at] for play, taken in pairs]
            line = f"{bot + f' * {SEATS}, {matches} matches':<32}{median(play for play, _ in pairs) * 1000:>10.2f}"
            line += f"{median(taken[at] for _, taken in pairs) * 1000:>10.2f}{median(shares):>12.2f}"
            print(f"{line}   {min(shares):.2f}-{max(shares):.2f}", flush=True)


if __name__ == "__main__":
    main()
