"""How much of a whole ``arena run`` is play: what warm bots and their lane take of all processor time.

The rest is the start of the command and its lane, starting, greeting and ending bots, the journal and the leaderboard.
*At most* is that share if nothing but play and the bare starts of the bots were there: each program started and ended
once for every unit that it sits in, with no arena around it. No runner that starts bots so often can do better.
``python benchmarks/whole.py [--rounds N]``: the median of the rounds for runs in one lane, bots in C and in Python.
"""

import resource
import subprocess
import sys
from argparse import ArgumentParser
from statistics import median
from tempfile import TemporaryDirectory

from bench import launched, referee
from options import output, positive

from arena import games
from arena.formats.schedule import blocks_for, cut_units, draw_blocks
from arena.tournament.plan import pad_entrants

GAME = "cash-a-catch"
SEATS = 4
RUNS = (240, 1000)
"""Matches of the whole runs."""
WARM = (50, 250)
"""Matches of a lane whose bots are started once: what the longer of two takes more is play alone."""
STARTS = 40


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


def start(bot: str) -> float:
    """Processor seconds of a start of the bot's program alone, which reads the end of its input at once."""
    launch = launched(bot)
    before = used()
    for _ in range(STARTS):
        subprocess.run(launch.argv, cwd=launch.folder, env=launch.env, stdin=subprocess.DEVNULL, check=True)
    return (used() - before) / STARTS


def starts(matches: int) -> int:
    """How often a run of so many matches starts a bot: once for each unit that it sits in."""
    blocks = draw_blocks(
        pad_entrants(["bot"], SEATS), seats=SEATS, blocks=blocks_for(matches, seats=SEATS), key=b"whole"
    )
    return sum(len({bot for block in unit.blocks for bot in block.seating}) for unit in cut_units(blocks))


def whole(bot: str, matches: int) -> float:
    """Processor seconds of a match in a whole run.

    Raises:
        Failed: it does not end well.
    """
    before = used()
    with TemporaryDirectory() as desk:
        words = f"run --game {GAME} -n {matches} {bot}*{SEATS} --isolation none -j 1 --seed whole -q -o {desk}/run"
        output([sys.executable, "-m", "arena", *words.split()])
    return (used() - before) / matches


def main() -> None:
    """Print the table."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("--rounds", type=positive, default=3)
    rounds = words.parse_args().rounds
    print(f"{'bots and matches':<32}{'play, ms':>10}{'all, ms':>10}{'play / all':>12}   its spread   at most")
    for bot in ("random-c", "random"):
        pairs = [(warm(bot), [whole(bot, matches) for matches in RUNS], start(bot)) for _ in range(rounds)]
        for at, matches in enumerate(RUNS):
            shares = [play / taken[at] for play, taken, _ in pairs]
            often = starts(matches) / matches
            most = median(play / (play + often * alone) for play, _, alone in pairs)
            line = f"{bot + f' * {SEATS}, {matches} matches':<32}{median(play for play, *_ in pairs) * 1000:>10.2f}"
            line += f"{median(taken[at] for _, taken, _ in pairs) * 1000:>10.2f}{median(shares):>12.2f}"
            print(f"{line}   {min(shares):.2f}-{max(shares):.2f}{most:>13.2f}", flush=True)


if __name__ == "__main__":
    main()
