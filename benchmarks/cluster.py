"""What dask costs: processor seconds of matches of Python bots by 4 workers of a cluster here, and in 4 lanes.

Of each the longer run less the shorter one is shown, so that starting a cluster, a runner and bots counts for nothing.
``python benchmarks/cluster.py [--matches N]``
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

WORKERS = 4
SHORT = 96
PR_SET_CHILD_SUBREAPER = 36


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


def lanes(matches: int) -> float:
    """Processor seconds of a run in lanes."""
    before = used()
    run(matches, "-j", str(WORKERS))
    return used() - before


def reap() -> None:
    """Wait for all that was left by what was started here."""
    with suppress(ChildProcessError):
        while True:
            os.wait()


def cluster(matches: int) -> float:
    """Processor seconds of a run by workers, those of the scheduler and of the workers with it."""
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
        run(matches, "--dask", address)
        for each in started[::-1]:
            each.terminate()
        for each in started:
            each.wait()
        reap()
    return used() - before


def main() -> None:
    """Print what a match takes, here and there."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("--matches", type=int, default=480)
    matches = words.parse_args().matches
    CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    found = {}
    for name, measure in (("4 lanes", lanes), ("dask, 4 workers", cluster)):
        found[name] = (measure(matches) - measure(SHORT)) / (matches - SHORT)
        print(f"{name:<20}{found[name] * 1000:>8.1f} ms of the processor a match", flush=True)
    here, away = found.values()
    print(f"{'overhead of dask':<20}{(away / here - 1) * 100:>8.1f} %")


if __name__ == "__main__":
    main()
