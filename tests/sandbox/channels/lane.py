"""A walker and a doer in sandboxes of their own on one core, as two bots of a lane: what one reads of the other."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, NamedTuple

from arena.players.lifetime import adopt_orphans
from arena.players.spawn import spawn, started
from arena.sandbox import Level, seccomp
from arena.sandbox.paths import folders
from arena.sandbox.sandbox import Sandbox
from arena.sandbox.seccomp import ALLOWED, NUMBERS
from tests.sandbox.channels.table import noise, told_in_the_table

HERE = Path(__file__).parent
_PARTS = ("answers", "descriptors", "doer", "kernel", "walker")
"""What runs in the sandboxes."""
_TRIES, _MORE_TRIES = 3, 12
"""How often each deed is done at first, and how often, beside as many controls, if something seems to come of it."""
_PLANTED_TRIES, _PLANTED_MORE_TRIES, _PLANTED_STRAYS = 1, 6, 2
"""Likewise of a planted channel: that one is there is told with less doubt than that there is none."""
_TIMES = 1000
_ALL = 130_000
"""More than a user may have of anything that is small enough to be had so often."""
_STRANGER = 3_999_999
"""A process that is none: what calls say of it they say of no process."""
Change = dict[str, float]
"""What is another than before: by how much, or 1 for a text."""


class Deed(NamedTuple):
    """What the doer does; it may keep what it makes until it has been looked for."""

    names: tuple[str, ...]
    hold: bool


class Found(NamedTuple):
    """A channel: which deed moves which number or name, and how, beside what moves it without."""

    what: str
    deed: str
    moves: list[float]
    without: list[float]


class Bot:
    """A program of this folder in a sandbox, which answers each line with a line."""

    def __init__(self, level: Level, program: str, place: Path) -> None:
        folder, home = place / program, Path(mkdtemp(dir=place)) / "home"
        home.parent.chmod(0o755)
        home.mkdir(mode=0o755)
        sandbox = Sandbox(level, readable=folders([sys.executable], os.defpath), private=(str(folder),))
        words = (sys.executable, "-I", "-S", str(folder), str(folder / "told.json"))
        self._how = started(sandbox, words, {"PATH": os.defpath}, folder=str(folder), scratch=str(home))
        self._popen = spawn(self._how, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, what: object) -> Any:
        """The answer to a line."""
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._popen.stdin.write(json.dumps(what).encode() + b"\n")
        line = bytearray()
        while not line.endswith(b"\n"):
            data = self._popen.stdout.read(1 << 20)
            assert data, f"expected an answer, got the end: status {self._popen.wait()}"
            line += data
        return json.loads(line)

    def end(self) -> None:
        """End it by the end of its input."""
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._popen.stdin.close()
        self._popen.wait(300)
        self._popen.stdout.close()
        self._how.leave()

    @property
    def pid(self) -> int:
        """Of the bot itself, within all that holds the sandbox, as the machine numbers it."""
        pid = self._popen.pid
        while inside := Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split():
            pid = int(inside[0])
        return pid


@contextmanager
def bots(level: Level) -> Iterator[Callable[[str], Bot]]:
    """What starts a walker or a doer."""
    adopt_orphans()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        told = {"numbers": _numbers(), "paths": sorted(_kernel_files()), "ioctls": seccomp._IOCTLS}
        for program in ("walker", "doer"):
            folder = Path(place, program)
            inside = folder / "tests/sandbox/channels"
            inside.mkdir(parents=True)
            for part in _PARTS:
                (inside / f"{part}.py").write_bytes((HERE / f"{part}.py").read_bytes())
            (folder / "__main__.py").write_text(f"from {__package__}.{program} import main\n\nmain()\n", "ascii")
            (folder / "told.json").write_text(json.dumps(told), "ascii")
        yield lambda program: Bot(level, program, Path(place))


def _numbers() -> dict[str, int]:
    _, column = seccomp._MACHINES[os.uname().machine]
    return {name: number for name, each in NUMBERS.items() if (number := each[column]) is not None}


def _kernel_files() -> Iterator[str]:
    for top in ("/proc", "/sys"):
        for here, inside, names in os.walk(top):
            if here == "/proc":
                inside[:] = [name for name in inside if not name.isdigit() and "self" not in name]
            yield from (f"{here}/{name}" for name in names)


def deeds(held: Sequence[str]) -> list[Deed]:
    """All that a bot may do: each kind of thing to make and keep, and every allowed call, by its group."""
    known = _numbers()
    groups = [tuple(name for name in names.split() if name in known) for names in ALLOWED.values()]
    by_arguments = tuple(seccomp._by_arguments(network=False, locks=False, queued=True))
    return [
        *(Deed((name,), hold=True) for name in held),
        *(Deed(names, hold=False) for names in (*groups, by_arguments, tuple(held))),
    ]


def _change(answer: dict[str, list[Any]]) -> Change:
    def by(before: Any, after: Any) -> float:
        numbers = all(isinstance(each, int | float) for each in (before, after))
        return float(after - before) if numbers else 1.0

    return {what: by(*both) for what, both in answer.items()}


def moved(moves: Sequence[float], without: Sequence[float], *, strays: int = 0, spare: int = 0) -> bool:
    """Whether the moves are above what happens without the deed, or below, or farther away.

    Of the moves ``strays`` may be otherwise, of what happens without it ``spare`` on each side: others use the machine.
    """
    sizes, others = [abs(each) for each in moves], [abs(each) for each in without]
    return (
        sorted(moves)[strays] > sorted(without)[-1 - spare]
        or sorted(moves)[-1 - strays] < sorted(without)[spare]
        or sorted(sizes)[strays] > sorted(others)[-1 - spare]
    )


class Trial:
    """Deeds and controls in turn, and what changes at each. A control computes for as long as the last deed took."""

    def __init__(self, sample: Callable[[Deed | float], tuple[Change, float]]) -> None:
        self._sample = sample
        self._controls: list[Change] = []
        self._seconds = 0.05

    def _pair(self, deed: Deed) -> tuple[Change, Change]:
        control, _ = self._sample(self._seconds)
        change, self._seconds = self._sample(deed)
        self._controls.append(control)
        return change, control

    def _uneven(self, deed: Deed, tries: int) -> Iterator[tuple[Change, Change]]:
        """So many pairs more, half of them, by lot, after a further control.

        What turns back and forth by itself would else be up at each deed and down at each control.
        """
        for further in random.sample([False, True] * (tries // 2), tries):
            if further:
                self._sample(self._seconds)
            yield self._pair(deed)

    def found(
        self,
        what: Sequence[Deed],
        told: Callable[[str], bool],
        *,
        tries: int = _TRIES,
        more: int = _MORE_TRIES,
        strays: int = 1,
    ) -> Iterator[Found]:
        """What each deed moves and is not ``told`` of, in all of ``more`` tries but ``strays``."""
        done: dict[Deed, list[Change]] = {deed: [] for deed in what}
        for _ in range(tries):
            for deed in random.sample(what, len(what)):
                done[deed].append(self._pair(deed)[0])
        rare = len(self._controls) // 20
        for deed, changes in done.items():
            suspects = {name for name in changes[0] if not told(name)}
            # of one deed alone all can be looked at again: a stray at first hides nothing then
            if len(what) > 1:
                suspects = {name for name in suspects if _moved(name, changes, self._controls, spare=rare)}
            if suspects:
                pairs = list(self._uneven(deed, more))
                again, controls = [change for change, _ in pairs], [control for _, control in pairs]
                for name in sorted(suspects):
                    if _moved(name, again, controls, strays=strays, spare=1):
                        moves, without = ([each.get(name, 0.0) for each in some] for some in (again, controls))
                        yield Found(name, " ".join(deed.names), moves, without)


def _moved(name: str, changes: Sequence[Change], controls: Sequence[Change], *, strays: int = 0, spare: int) -> bool:
    moves, without = ([each.get(name, 0.0) for each in some] for some in (changes, controls))
    return moved(moves, without, strays=strays, spare=spare)


def beside(level: Level, only: str = "") -> list[Found]:
    """What a walker reads of a doer that lives at the same time: a rival's seat at the table."""
    with bots(level) as start:
        walker, doer = start("walker"), start("doer")
        held = doer.ask({"do": []})["held"]
        rival = f"rival {doer.pid}"

        def read() -> Change:
            return _change(walker.ask({"kind": "reading", "others": [rival]}))

        def sample(what: Deed | float) -> tuple[Change, float]:
            seconds, change = _done(doer, what), read()
            if isinstance(what, Deed) and what.hold:
                doer.ask({"do": []})
                read()
            return change, seconds

        for _ in range(3):
            read()
        trial = Trial(sample)
        if only:
            planted = partial(trial.found, tries=_PLANTED_TRIES, more=_PLANTED_MORE_TRIES, strays=_PLANTED_STRAYS)
            found = list(planted([Deed((only,), hold=True)], noise))
        else:
            found = list(trial.found(deeds(_allowed(doer, held)), partial(told_in_the_table, level=level)))
        doer.end()
        walker.end()
    return found


def _allowed(doer: Bot, held: Sequence[str]) -> list[str]:
    """What can be made at all."""
    made = doer.ask({"do": held, "times": 1, "hold": True})["done"]
    doer.ask({"do": []})
    return [name for name in held if made[name]]


def _done(doer: Bot, what: Deed | float) -> float:
    order = {"do": what.names, "times": _TIMES, "hold": what.hold} if isinstance(what, Deed) else {"spin": what}
    return float(doer.ask(order)["seconds"])


def strangers(level: Level) -> list[str]:
    """What calls tell of a rival's process that they do not tell of a process that is none."""
    with bots(level) as start:
        walker, doer = start("walker"), start("doer")
        doer.ask({"spin": 0})
        answer = walker.ask({"kind": "reading", "others": [f"rival {doer.pid}", f"nobody {_STRANGER}"]})
        told = {what: value for what, (_, value) in answer.items()}
        walker.end()
        doer.end()
    # a file of no process has one number less to tell, and one error more
    asked = {what.replace(" of rival", "@") for what in told if " of rival" in what}
    other = [
        what for what in asked if told[what.replace("@", " of rival")] != told.get(what.replace("@", " of nobody"))
    ]
    return sorted(what for what in other if not told_in_the_table(what.replace("@", " of rival"), level))


def starved(level: Level) -> list[tuple[str, int, int, int]]:
    """What a walker can have less of while a doer keeps all that it can get of one thing.

    Of each by its name: how much it has alone, how much beside the doer, and how much the doer keeps.
    """
    found = []
    with bots(level) as start:
        walker, doer = start("walker"), start("doer")
        order = {"kind": "room"}
        walker.ask(order)
        for name in doer.ask({"do": []})["held"]:
            again = walker.ask(order)
            assert again == {}, again
            kept = doer.ask({"do": [name], "times": _ALL, "hold": True})["done"][name]
            less = {what: numbers for what, numbers in walker.ask(order).items() if numbers[1] < numbers[0]}
            found += [(f"{what} beside {name}", had, has, kept) for what, (had, has) in less.items()]
            doer.ask({"do": []})
            walker.ask(order)
        walker.end()
        doer.end()
    return found


SETTINGS: dict[str, Callable[..., Any]] = {"beside": beside, "strangers": strangers, "starved": starved}

if __name__ == "__main__":
    seed, level_, setting, *more = sys.argv[1:]
    random.seed(int(seed))
    sys.stdout.write(json.dumps(SETTINGS[setting](level_, *more)))
