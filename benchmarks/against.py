"""Hold this checkout against another commit: both in turns on one machine, as ratios with their spread.

``python benchmarks/against.py REV [--rounds N] [--seconds N]``. Each line of figures takes so many rounds, but begins
none after so many seconds: some 15 minutes in all. A ratio above 1: this checkout is that many times cheaper. Its
spread is the least and the greatest of the rounds; of a lane, which has many short turns, the quartiles. Processor time
is steadier than wall time where the machine has other work, so both are shown. The other commit is run by this
environment's packages; figures that one of both cannot give are left out with the error, and the exit code is 1.
"""

import os
import resource
import subprocess
import sys
import tarfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import NamedTuple

from options import Failed, output, positive

from arena import games

HERE = Path(__file__).parent
RUNS = (96, 240, 1000)
"""Matches of the whole runs."""
TURN = 4
"""Matches of a turn of a lane: both checkouts are loaded all the time, and what else the machine does hits both."""
TURNS = 60
WARM = 3
"""Turns of a lane before its figures count."""
ROUNDS = 5
OF_A_LANE = "lane CPU a decision, us"
OF_RULES = ("decision in process, us", "observation, us", "copy, us", "imagine, us")
SECONDS = 60
"""After these no further round is begun for the figures at hand."""


def printed(words: list[str], tree: Path) -> str:
    """What a command prints in a checkout.

    Raises:
        Failed: it ends otherwise than well.
    """
    # as for a user, whose interpreters find compiled modules
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return output(words, env=env, folder=tree)


def checked_out(revision: str, folder: Path) -> Path:
    """The files of a commit, in a folder of their own.

    Raises:
        Failed: this checkout does not have that commit, as one that was cloned without its history.
    """
    words = ["git", "archive", "--format=tar", revision, "--"]
    packed = subprocess.run(words, cwd=HERE.parent, capture_output=True, check=False)
    if packed.returncode:
        raise Failed(f"expected a commit that this checkout has, got {revision}: {packed.stderr.decode().strip()}")
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


def whole_run(tree: Path, matches: int) -> tuple[float, float]:
    """Seconds of the processor, of all processes, and of the wall, that ``arena run`` takes with the shipped bots."""
    with TemporaryDirectory() as desk:
        words = f"run --game cash-a-catch -n {matches} --isolation none --seed against -q -o {desk}/run".split()
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        printed([sys.executable, "-m", "arena", *words], tree)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def lane_cpu(game: str, turns: "Turns") -> None:
    """Print the microseconds of the lane's own process a decision, with bots in C: both lanes on one core, in turns.

    Raises:
        Failed: a lane does not play.
    """
    words = [sys.executable, str(HERE / "lane_cpu.py")]
    with ExitStack() as lanes:
        both = [
            lanes.enter_context(
                subprocess.Popen(
                    [*words, str(tree), game, str(TURN), "turns"],
                    cwd=tree,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    bufsize=1,
                )
            )
            for tree in turns.trees
        ]
        for lane in both:
            _line(lane)
        figures: list[tuple[float, float]] = []
        for number in range(WARM + TURNS):
            found = {at: _figure(both[at]) for at in ((0, 1) if number % 2 == 0 else (1, 0))}
            figures.append((found[0], found[1]))
    show(f"{game}: {OF_A_LANE}", *zip(*figures[WARM:], strict=True), quartiles=True)


def _line(lane: "subprocess.Popen[str]") -> str:
    assert lane.stdout  # noqa: S101 - it is a pipe, which only the type checker cannot see
    if not (line := lane.stdout.readline()):
        # it has said why
        raise Failed(f"expected a line of a lane, got its end with exit code {lane.wait()}")
    return line.strip()


def _figure(lane: "subprocess.Popen[str]") -> float:
    """What a turn of a lane gives."""
    assert lane.stdin  # noqa: S101 - likewise
    with suppress(BrokenPipeError):
        lane.stdin.write("\n")
    return float(_line(lane))


def rules_cpu(tree: Path, game: str) -> tuple[float, ...]:
    """Microseconds of a decision, an observation, a copy and an imagined state, in this process alone."""
    words = [sys.executable, str(HERE / "rules_cpu.py"), str(tree), game]
    return tuple(map(float, printed(words, tree).split()))


class Turns(NamedTuple):
    """The two checkouts, the other one first, and how often each is measured at most."""

    trees: list[Path]
    rounds: int
    seconds: int


def compare(names: Sequence[str], measure: Callable[[Path], tuple[float, ...]], turns: Turns) -> None:
    """Print a line for each figure: what it is there and here, and the ratio of the two with its least and greatest.

    Raises:
        Failed: it cannot be measured in one of both.
    """
    figures: list[list[tuple[float, ...]]] = []
    trees, until = turns.trees, time.monotonic() + turns.seconds
    for number in range(turns.rounds):
        if figures and time.monotonic() > until:
            break
        turn = trees if number % 2 == 0 else trees[::-1]
        found = {tree: measure(tree) for tree in turn}
        figures.append([found[tree] for tree in trees])
    for at, name in enumerate(names):
        show(name, *([pair[tree][at] for pair in figures] for tree in (0, 1)))


def show(name: str, there: Sequence[float], here: Sequence[float], *, quartiles: bool = False) -> None:
    """Print a line: the medians there and here, the median of the ratios and their spread."""
    ratios = [a / b for a, b in zip(there, here, strict=True)]
    low, _, high = quantiles(ratios, n=4) if quartiles else (min(ratios), 0, max(ratios))
    spread = f"{low:.2f}-{high:.2f} of {len(ratios)}"
    print(f"{name:<44}{median(there):>10.2f}{median(here):>10.2f}{median(ratios):>8.2f}  {spread}", flush=True)


def main() -> None:
    """Print the table."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("revision", metavar="REV")
    words.add_argument("--rounds", type=positive, default=ROUNDS)
    words.add_argument("--seconds", type=positive, default=SECONDS)
    given = words.parse_args()
    with TemporaryDirectory() as desk:
        try:
            turns = Turns([checked_out(given.revision, Path(desk)), HERE.parent], given.rounds, given.seconds)
        except Failed as error:
            sys.exit(f"against.py: {error}")
        for tree in turns.trees:
            printed([sys.executable, "-m", "compileall", "-q", "arena", "bots"], tree)
        print(f"{'':<44}{given.revision[:9]:>10}{'here':>10}{'ratio':>8}  its spread", flush=True)
        lines: dict[tuple[str, ...], Callable[[], None]] = {}
        for game in games.names():
            names = tuple(f"{game}: {what}" for what in OF_RULES)
            lines[names] = partial(compare, names, partial(rules_cpu, game=game), turns)
            lines[f"{game}: {OF_A_LANE}",] = partial(lane_cpu, game, turns)
        for matches in RUNS:
            names = tuple(f"run of {matches} matches: {kind}, s" for kind in ("CPU", "wall"))
            lines[names] = partial(compare, names, partial(whole_run, matches=matches), turns)
        left_out = False
        for names, measure in lines.items():
            try:
                measure()
            except Failed as error:
                left_out = True
                print(f"{', '.join(names)}: left out: {error}", flush=True)
    sys.exit(left_out)


if __name__ == "__main__":
    main()
