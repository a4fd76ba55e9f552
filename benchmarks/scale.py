"""How arena's costs grow with the matches of a run: processor seconds and memory of each command, and of what it does.

``python benchmarks/scale.py [--matches 10000 100000] [--bots 100] [--game catch-of-the-day] [--rows ...]``

Each figure is of a process of its own over a synthetic run (``benchmarks/synthetic.py``), so its memory is its own.
Processor seconds are shown, for they are steadier than those of the wall where a machine has other work; those of
reading from the disk are not among them. ``--rows`` names those that are wanted, by their ends.
"""

import os
import select
import sys
import time
import traceback
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).parent))

from options import Failed, positive
from synthetic import SEED, small_run, synthetic

from arena.__main__ import main as arena
from arena.formats.schedule import audit, draw_blocks
from arena.players.launch import Launch
from arena.ratings import fit_outcomes, intervals_of, outcomes_of
from arena.results.columns import block_number_of
from arena.tournament.folder import RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lane_messages import Job
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Loop, Watcher
from arena.tournament.secrets import Secret

SEATS = 4
SAMPLE = 0.02
"""Seconds between two looks at the memory of a process."""
LAST = 240
"""Matches that are left to play in the run that is resumed."""


def seconds() -> float:
    """Processor seconds of this process so far."""
    return time.process_time()


def anonymous(process: int) -> int:
    """The anonymous memory of a process in KiB: all but pages of files, which the kernel can take back."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    return 0


def in_child(work: Callable[[], float]) -> tuple[float, float, float]:
    """What ``work`` returns, and the most memory in MiB that its process had: all, and what was anonymous.

    Raises:
        Failed: it raises, or a command that it runs does not end well.
    """
    out, into = os.pipe()
    with TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            os.close(out)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(said.fileno(), 2)
            try:
                os.write(into, f"{work()}".encode())
            except BaseException:  # noqa: BLE001 - the process must not go on as the one that it is a copy of
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(0)
        os.close(into)
        most = 0
        while not select.select([out], [], [], SAMPLE)[0]:
            most = max(most, anonymous(child))
        told = os.read(out, 100)
        os.close(out)
        _, _, used = os.wait4(child, 0)
        if not told:
            said.seek(0)
            raise Failed(f"expected a figure of a process, got none: {said.read()}")
    return float(told), used.ru_maxrss / 1024, most / 1024


def timed(work: Callable[[], object]) -> float:
    """Processor seconds of a call."""
    began = seconds()
    work()
    return seconds() - began


def command(*words: str) -> float:
    """Processor seconds of a command of arena."""
    began = seconds()
    sys.argv = ["arena", *words]
    try:
        arena()
    except SystemExit as end:
        if end.code:
            raise
    return seconds() - began


def schedule(names: list[str], matches: int) -> None:
    """Draw a schedule and count what it gives to whom."""
    audit(draw_blocks(names, seats=SEATS, blocks=matches // SEATS, key=Secret.of(SEED).schedule(0)), names)


class _Begun(Exception):
    """The first job is there."""


class _FirstJob(Lanes):
    """Lanes, none of which starts: the first job ends the run."""

    def _give(self, job: Job) -> NoReturn:  # noqa: ARG002 - as in lanes
        raise _Begun


def gone_on(folder: RunFolder) -> None:
    """All that the runner does before the first match of a run that is resumed, but for starting bots."""
    manifest = folder.manifest()
    launch = Launch(argv=("true",), env={}, folder="/")
    with Journal.open(folder.journal) as journal, suppress(_Begun):
        runner = Loop(folder, manifest, journal, {entrant.name: launch for entrant in manifest.entrants})
        next(runner.matches(_FirstJob(1), Watcher()))


def ratings(folder: RunFolder, *, intervals: bool) -> float:
    """Processor seconds of the fit, or of the intervals after it."""
    outcomes = outcomes_of((block_number_of(each.id), each.bots, each.ranks) for each in folder.records())
    began = seconds()
    fit = fit_outcomes(outcomes, [entrant.name for entrant in folder.manifest().entrants])
    if not intervals:
        return seconds() - began
    began = seconds()
    intervals_of(fit)
    return seconds() - began


def main() -> None:
    """Print a line for each figure and number of matches."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("--matches", type=positive, nargs="+", default=[10_000, 100_000])
    words.add_argument("--bots", type=positive, default=100)
    words.add_argument("--game", default="catch-of-the-day")
    words.add_argument("--small", type=Path, help="a small run to take records from; by default one is played")
    words.add_argument("--rows", nargs="+", default=[])
    asked = words.parse_args()
    names = [f"bot-{number:03}" for number in range(asked.bots)]
    print(f"{asked.game}, {asked.bots} bots, {SEATS} seats")
    print(f"{'':<52}{'matches':>10}{'CPU, s':>9}{'us each':>9}{'MiB':>7}{'anonymous':>11}")
    with TemporaryDirectory() as desk:
        os.environ["XDG_CACHE_HOME"] = f"{desk}/cache"
        small = RunFolder(asked.small) if asked.small else small_run(asked.game, Path(desk, "small"))
        for matches in asked.matches:
            whole = synthetic(Path(desk, "whole"), small, matches=matches, bots=asked.bots)
            left = synthetic(Path(desk, "left"), small, matches=matches, bots=asked.bots, recorded=matches - LAST)
            run = str(whole.path)
            rows: dict[str, Callable[[], float]] = {
                "schedule and its audit": partial(timed, partial(schedule, names, matches)),
                "going on, its journal read whole": partial(timed, partial(gone_on, left)),
                "going on, its journal read before": partial(timed, partial(gone_on, left)),
                "ratings": partial(ratings, whole, intervals=False),
                "intervals": partial(ratings, whole, intervals=True),
                "arena leaderboard": partial(command, "leaderboard", run),
                "arena stats": partial(command, "stats", run),
                "arena matches": partial(command, "matches", run),
                "arena report": partial(command, "report", run, "--replays", "0", "-o", "-"),
            }
            for name, work in rows.items():
                if asked.rows and not any(name.endswith(row) for row in asked.rows):
                    continue
                found, memory, own = in_child(work)
                each = f"{found:>9.2f}{found / matches * 1e6:>9.1f}{memory:>7.0f}{own:>11.0f}"
                print(f"{name:<52}{matches:>10,}{each}", flush=True)
            for folder in (whole, left):
                for file in folder.path.iterdir():
                    file.unlink()
                folder.path.rmdir()


if __name__ == "__main__":
    main()
