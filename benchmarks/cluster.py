"""What dask costs: processor seconds of matches of Python bots by 4 workers of a cluster here, beside 4 lanes.

Lanes and bots are the same in both, so what dask adds is what other processes take: the scheduler, the workers, the
host of each worker's lane, and what the runner takes more than the runner of lanes. It is told as a share of what lanes
and bots take in the same run: other work on the machine makes both dearer. Of each the longer run less the shorter one
is taken, so that starting counts for nothing. Scheduler and workers also take something while there is nothing to do.
That goes by the wall, so it is more a match where the machine has other work. One cluster has the settings that dask
comes with, another those of ``docs/machines.md``. ``python benchmarks/cluster.py [--matches N] [--rounds N]``
"""

import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

from options import Failed, positive

WORKERS = 4
SHORT = 96
IDLE = 8.0
"""Seconds over which it is watched what a cluster takes that has nothing to do."""
SETTINGS = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}
"""Those of ``docs/machines.md``: without them a worker looks 100 times a second at what its threads do."""


class Taken(NamedTuple):
    """Seconds of the processor of one run, and of the wall."""

    plays: float
    """Of lanes and bots."""
    runner: float
    """Of the command itself."""
    hosts: float = 0.0
    """Of the hosts of workers' lanes."""
    cluster: float = 0.0
    """Of the scheduler and the workers themselves."""
    wall: float = 0.0

    def less(self, other: "Taken") -> "Taken":
        """What this one took more."""
        return Taken(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


class Cluster(NamedTuple):
    """A scheduler with its workers."""

    address: str
    processes: list["subprocess.Popen[bytes]"]

    def own(self) -> float:
        """Seconds that its processes have used, without their children."""
        return sum(seconds(each.pid)[0] for each in self.processes)

    def hosts(self) -> tuple[float, float]:
        """Seconds that the hosts of its lanes have used, and what these lanes and their bots have."""
        hosts = [host for each in self.processes for host in children(each.pid)]
        plays, waiting = sum(seconds(host)[1] for host in hosts), [pid for host in hosts for pid in children(host)]
        while waiting:
            pid = waiting.pop()
            plays += sum(seconds(pid))
            waiting += children(pid)
        return sum(seconds(host)[0] for host in hosts), plays


def seconds(pid: int) -> tuple[float, float]:
    """Processor seconds of a process that is not reaped yet, and of those of its children that it has reaped."""
    fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    tick = os.sysconf("SC_CLK_TCK")
    return sum(map(int, fields[11:13])) / tick, sum(map(int, fields[13:15])) / tick


def children(pid: int) -> list[int]:
    """The numbers of a process's children."""
    listings = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for listing in listings for child in listing.read_text().split()]


@contextmanager
def cluster(settings: dict[str, str]) -> Iterator[Cluster]:
    """A scheduler with workers, for as long as the context lasts.

    Raises:
        Failed: there is none, as without dask.
    """
    with TemporaryDirectory() as desk, TemporaryFile("w+") as said, ExitStack() as held:
        told = Path(desk, "scheduler.json")
        dask = [sys.executable, "-m", "dask"]

        def started(*words: str) -> "subprocess.Popen[bytes]":
            words = (*dask, *words, "--no-dashboard", "--scheduler-file", str(told))
            process = subprocess.Popen(words, stderr=said, env=os.environ | settings)
            # a worker that is asked to end may wait for its scheduler for ever
            held.callback(process.wait)
            held.callback(process.kill)
            return process

        processes = [started("scheduler", "--host", "127.0.0.1", "--port", "0")]
        while not told.exists() or not told.read_text().endswith("}"):
            if processes[0].poll() is not None:
                said.seek(0)
                raise Failed(f"expected a scheduler of dask, got its end: {said.read()}")
            time.sleep(0.2)
        worker = ("worker", "--nthreads", "1", "--no-nanny", "--local-directory", desk)
        processes += [started(*worker) for _ in range(WORKERS)]
        yield Cluster(told.read_text().partition('"address": "')[2].partition('"')[0], processes)


def run(matches: int, *more: str) -> tuple[float, float]:
    """Play so many matches of the shipped bots in Python: the seconds of the command, and of all that it has started.

    Raises:
        subprocess.CalledProcessError: it fails.
    """
    with TemporaryDirectory() as desk:
        words = (
            f"run --game cash-a-catch -n {matches} --seats 4 greedy random --isolation none --seed cluster -q".split()
        )
        command = [sys.executable, "-m", "arena", *words, "-o", f"{desk}/run", *more]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            # as long as it is not reaped, the kernel tells what it has used
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            used = seconds(process.pid)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return used


def measured(matches: int, where: Cluster | None) -> Taken:
    """A run by the workers of a cluster, or in lanes."""
    if where is None:
        runner, plays = run(matches, "-j", str(WORKERS))
        return Taken(plays, runner)
    own, (hosts, plays), began = where.own(), where.hosts(), time.perf_counter()
    runner, before = run(matches, "--dask", where.address)
    wall, (hosts_now, plays_now) = time.perf_counter() - began, where.hosts()
    return Taken(plays_now - plays + before, runner, hosts_now - hosts, where.own() - own, wall)


def main() -> None:
    """Print what a match takes, here and there."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("--matches", type=positive, default=480)
    words.add_argument("--rounds", type=positive, default=3)
    matches, rounds = words.parse_args().matches, words.parse_args().rounds
    share = 1000 / (matches - SHORT)
    with cluster({}) as usual, cluster(SETTINGS) as settled:
        ways: dict[str, Cluster | None] = {"4 lanes": None, "dask as it comes": usual, "docs/machines.md": settled}
        idle = {}
        for each in (usual, settled):
            # the first run starts what plays for each worker, and checks the bots there
            run(SHORT, "--dask", each.address)
            before = each.own()
            time.sleep(IDLE)
            idle[each.address] = (each.own() - before) / IDLE
        print(f"{'ms of the processor a match':<28}{'plays':>8}{'runner':>8}{'hosts':>8}{'cluster':>8}  dask adds")
        for _ in range(rounds):
            lanes = 0.0
            for name, where in ways.items():
                found = measured(matches, where).less(measured(SHORT, where))
                line = "".join(f"{figure * share:>8.2f}" for figure in found[:4])
                if where is None:
                    lanes = found.runner
                else:
                    adds = (found.runner - lanes + found.hosts + found.cluster) / found.plays
                    rest = idle[where.address]
                    line += f"{adds * 100:>9.1f} %; idle, the cluster takes {rest:.3f} of a core: "
                    line += f"{rest * found.wall * share:.2f} ms in the {found.wall:.0f} s that it took longer"
                print(f"{name:<28}{line}", flush=True)


if __name__ == "__main__":
    main()
