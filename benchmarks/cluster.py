"""What dask costs: processor seconds of matches of Python bots by 4 workers of a cluster here, and in 4 lanes.

Of each the longer run less the shorter one is shown, so that starting a cluster, a runner and bots counts for nothing.
Of the cluster it is told what its own processes take, and what they would take while there is nothing to do: that goes
by the wall, so it is more a match where the machine has other work. ``python benchmarks/cluster.py [--matches N]``
"""

import os
import resource
import subprocess
import sys
import time
from argparse import ArgumentParser
from contextlib import suppress
from ctypes import CDLL
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

WORKERS = 4
SHORT = 96
IDLE = 10.0
"""Seconds over which it is watched what a cluster takes that has nothing to do."""
PR_SET_CHILD_SUBREAPER = 36


class Taken(NamedTuple):
    """Seconds of one run."""

    all: float
    """Of the processor, by all processes."""
    scheduler: float = 0.0
    """Of the processor, by the scheduler itself."""
    workers: float = 0.0
    """Of the processor, by the workers themselves, without what plays for them."""
    wall: float = 0.0
    idle: float = 0.0
    """What scheduler and workers took of the processor in a second without a run."""

    def less(self, other: "Taken") -> "Taken":
        """What this one took more, but for the last."""
        return Taken(
            self.all - other.all,
            self.scheduler - other.scheduler,
            self.workers - other.workers,
            self.wall - other.wall,
            (self.idle + other.idle) / 2,
        )


def used() -> float:
    """Processor seconds of all processes that were started from here and have ended."""
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime


def run(matches: int, *more: str) -> None:
    """Play so many matches of the shipped bots in Python."""
    with TemporaryDirectory() as desk:
        words = (
            f"run --game cash-a-catch -n {matches} --seats 4 greedy random --isolation none --seed cluster -q".split()
        )
        command = [sys.executable, "-m", "arena", *words, "-o", f"{desk}/run", *more]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def lanes(matches: int) -> Taken:
    """A run in lanes."""
    before = used()
    run(matches, "-j", str(WORKERS))
    return Taken(used() - before)


def own(pid: int) -> float:
    """Processor seconds of a process that is still there, without its children."""
    fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def reap() -> None:
    """Wait for all that was left by what was started here."""
    with suppress(ChildProcessError):
        while True:
            os.wait()


def cluster(matches: int) -> Taken:
    """A run by workers."""
    before = used()
    with TemporaryDirectory() as desk:
        told = Path(desk, "scheduler.json")
        dask = [sys.executable, "-m", "dask"]
        started = [
            subprocess.Popen(
                [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", told],
                stderr=subprocess.DEVNULL,
            )
        ]
        while not told.exists() or not told.read_text().endswith("}"):
            time.sleep(0.2)
        worker = [*dask, "worker", "--scheduler-file", str(told), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        started += [
            subprocess.Popen([*worker, "--local-directory", desk], stderr=subprocess.DEVNULL) for _ in range(WORKERS)
        ]
        address = told.read_text().partition('"address": "')[2].partition('"')[0]
        run(WORKERS, "--dask", address)
        ready = [own(each.pid) for each in started]
        time.sleep(IDLE)
        rested = [own(each.pid) for each in started]
        began = time.perf_counter()
        run(matches, "--dask", address)
        wall = time.perf_counter() - began
        scheduler, *workers = [own(each.pid) - then for each, then in zip(started, rested, strict=True)]
        for each in started[::-1]:
            each.terminate()
        for each in started:
            each.wait()
        reap()
    return Taken(used() - before, scheduler, sum(workers), wall, (sum(rested) - sum(ready)) / IDLE)


def main() -> None:
    """Print what a match takes, here and there."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("--matches", type=int, default=480)
    matches = words.parse_args().matches
    CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    found = {}
    for name, measure in (("4 lanes", lanes), ("dask, 4 workers", cluster)):
        found[name] = measure(matches).less(measure(SHORT))
        print(f"{name:<36}{shown(found[name].all, matches)}", flush=True)
    here, away = found.values()
    print(f"{'overhead of dask':<36}{(away.all / here.all - 1) * 100:>8.1f} %")
    print(f"{'  the scheduler itself':<36}{shown(away.scheduler, matches)}")
    print(f"{'  the workers themselves':<36}{shown(away.workers, matches)}")
    print(f"{'  both, were there nothing to do':<36}{shown(away.idle * away.wall, matches)}", end="")
    print(f": {away.idle:.3f} of a core for {away.wall:.0f} s")
    print(f"{'  lanes, bots and the runner':<36}{shown(away.all - away.scheduler - away.workers, matches)}")


def shown(seconds: float, matches: int) -> str:
    """The share of a match."""
    return f"{seconds / (matches - SHORT) * 1000:>8.1f} ms of the processor a match"


if __name__ == "__main__":
    main()
