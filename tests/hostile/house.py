"""A small house for one hostile bot: a game of questions, a neighbour, and what must hold whatever the bot does."""

import gc
import json
import os
import secrets
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from unittest.mock import patch

import pytest
from msgspec import Struct

from arena import record as records
from arena import wire
from arena.errors import HostError
from arena.fault import FAULTS, Fault
from arena.game import Chosen, Decision, Outcome, Pending, Seat
from arena.players import process
from arena.players.bot_player import BotPlayer, leave
from arena.players.launch import GRACE, Launch
from arena.players.lifetime import PATIENCE, sweep
from arena.players.process_tree import children
from arena.players.serving import run_command
from arena.players.spawn import CannotStart
from arena.record import Record
from arena.referee import Match, play
from arena.retelling import verify
from arena.sandbox import LEVELS, Level
from arena.sandbox.paths import folders
from arena.sandbox.sandbox import OPEN, Sandbox
from arena.wire import DEFAULT_LIMITS
from tests.sandbox.probes import needs

BOT = Path(__file__).with_name("bot.py")
_PROGRAM = (BOT, *(BOT.with_name(f"{name}.py") for name in ("processor", "trespass")), Path(needs.__file__))
IN_TIME = 20_000
"""Milliseconds: a limit that no honest answer misses, however busy the machine is."""
ALLOWANCE = 60.0
"""Seconds for which no machine keeps the host from looking: whoever waits for a bot without a limit waits longer."""
MARK = "HOSTILE_MARK"
_LONGEST = 1 << 20
"""Bytes: no environment of a marked process is longer."""
OPTIONS = ("nothing", "something", "all")


class Sight(Struct, frozen=True):
    seat: Seat
    said: tuple[str, ...]
    padding: str


class Asking(Struct):
    """Each seat in turn is asked for one or two of three options, ``rounds`` times."""

    seats: int
    rounds: int
    padding: str = ""
    said: list[str] = []

    def pending(self) -> Pending | Outcome:
        if len(self.said) == self.seats * self.rounds:
            return self.standing()
        return Pending({len(self.said) % self.seats: Decision(OPTIONS, 1, 2)})

    def apply(self, chosen: Chosen) -> list[object]:
        self.said += ["+".join(picks) for picks in chosen.values()]
        return []

    def observe(self, seat: Seat) -> Sight:
        return Sight(seat, tuple(self.said), self.padding)

    def standing(self) -> Outcome:
        return Outcome((0,) * self.seats, (0,) * self.seats)

    def copy(self) -> "Asking":
        return Asking(self.seats, self.rounds, self.padding, self.said[:])


class Neighbour:
    """Answers at once and hears everything; the sinner's faults must be none of its business."""

    waited = 0.0

    def __init__(self) -> None:
        self.over: wire.Over | None = None

    def greet(self, _hello: wire.Hello) -> None:
        """Be ready."""

    def decide(self, _decide: wire.Decide) -> tuple[int, ...]:
        return (2,)

    def close(self, over: wire.Over) -> None:
        self.over = over

    def leave(self) -> None:
        raise AssertionError("expected the neighbour to stay")


def new_match(bots: tuple[str, ...], limits: wire.Limits) -> Match:
    """A match of these, with keys of its own."""
    return Match(
        id="e0b0r0",
        label=secrets.token_hex(8),
        game="asking",
        version="1",
        bots=bots,
        variants={},
        ids=secrets.token_bytes(32),
        order=secrets.token_bytes(32),
        seeds=tuple(range(len(bots))),
        limits=(limits,) * len(bots),
    )


class Visit:
    """A hostile bot at the table, for as many matches as wanted; ``errors`` is what it wrote to stderr."""

    def __init__(self, launches: Sequence[Launch], scratch: Path) -> None:
        self.scratch = scratch
        self.errors: list[bytes] = []
        self.heard: list[bytes] = []
        self.player = BotPlayer("sinner", launches[0], scratch, lambda _, text: self.errors.append(text))
        self.bots = [self.player]
        if launches[1:]:
            self.bots.append(BotPlayer("neighbour", launches[1], scratch, lambda _, text: self.heard.append(text)))

    @property
    def pids(self) -> list[int]:
        """The processes of the bots, as the host numbers them."""
        return [bot.process.pid for bot in self.bots if bot.process]

    def leave(self, bystanders: set[int]) -> None:
        """End the bots and all that they started, but for the host's other children."""
        leave(self.bots, PATIENCE)
        sweep(bystanders)

    def match(
        self,
        *,
        rounds: int = 3,
        faults: int = 1,
        move: int = 150,
        start: int = 20_000,
        padding: str = "",
        **clock: int,
    ) -> Record:
        """Play one match, times in milliseconds, and hold the host to its promises."""
        limits = wire.Limits(start=start, move=move, faults=faults, **clock)
        match = new_match(("sinner", "neighbour"), limits)
        neighbour = Neighbour()
        began = monotonic()
        beside = self.bots[1] if self.bots[1:] else neighbour
        record = play(match, Asking(2, rounds, padding, []), [self.player, beside])
        seconds = monotonic() - began
        assert beside is not neighbour or neighbour.over is not None
        assert {fault.seat for fault in record.faults} <= {0}
        wanted = (2,) if beside is neighbour else (1,)
        assert all(pick == wanted for seat, pick in zip(record.seats_asked, record.picks, strict=True) if seat == 1)
        for micros in record.micros:
            assert micros / 1e6 <= move / 1000 + GRACE + ALLOWANCE
        late = sum(fault.kind == "late" for fault in record.faults)
        # a bot that is gone or garbled costs no limit; one that is unready may cost the limit of the start
        unready = sum(fault.kind in ("unready", "garbled") and fault.decision < 0 for fault in record.faults)
        if start < 1000:
            assert seconds <= late * (move / 1000 + GRACE) + unready * (start / 1000 + GRACE) + ALLOWANCE
        line = records.encode(record)
        assert min(line) >= ord(" ")
        assert json.loads(line)["id"] == record.id
        assert verify(record, Asking(2, rounds, padding, [])) is None
        for fault in record.faults:
            assert fault.kind in FAULTS
            assert fault.rule.isascii()
            assert fault.rule.isprintable()
            assert "expected" in fault.rule
            assert "got" in fault.rule
            assert fault.line.isascii()
            assert fault.line.isprintable()
        return record


@dataclass(frozen=True)
class House:
    """Where a hostile bot is received: at which level of isolation, and in which folder of the host's."""

    level: Level
    place: Path

    @contextmanager
    def visit(
        self,
        *words: str,
        beside: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        fresh: bool = False,
        sandbox: Sandbox = OPEN,
        limits: wire.Limits = DEFAULT_LIMITS,
        stall: float = 60.0,
    ) -> Iterator[Visit]:
        """A hostile bot with these words on its command line; afterwards the host must be as it was before."""
        mark = secrets.token_hex(8)
        # what earlier tests left to the collector would be closed in the middle of this one
        gc.collect()
        descriptors, bystanders = open_descriptors(), set(children())
        scratch = self.place / "scratch"
        scratch.mkdir(exist_ok=True)
        launches = [self._launch("sinner", words, {MARK: mark, **(env or {})}, sandbox, fresh=fresh, limits=limits)]
        if beside:
            launches.append(self._launch("neighbour", beside, {MARK: mark}, sandbox))
        guest = Visit(launches, scratch)
        with patch.object(process, "STALL", stall):
            try:
                yield guest
            finally:
                try:
                    guest.leave(bystanders)
                    # with its first process a namespace goes, but the kernel may take a moment for the rest of it
                    assert eventually_none(mark)
                finally:
                    put_down(mark)
        assert set(children()) == bystanders
        assert open_descriptors() == descriptors
        assert list(scratch.iterdir()) == []

    def folder(self, name: str) -> Path:
        """The folder of a bot of this name, with the program in it."""
        folder = self.place / "bots" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            folder.chmod(0o755)
            for file in _PROGRAM:
                shutil.copy(file, folder)
        return folder

    def _launch(
        self,
        name: str,
        words: Sequence[str],
        env: Mapping[str, str],
        sandbox: Sandbox,
        *,
        fresh: bool = False,
        limits: wire.Limits = DEFAULT_LIMITS,
    ) -> Launch:
        folder = self.folder(name)
        within = replace(
            sandbox, level=self.level, readable=(*_interpreter(), *sandbox.readable), private=(str(folder),)
        )
        argv = (sys.executable, "-S", "-E", str(folder / BOT.name), *words)
        return Launch(
            argv=argv,
            env={"PATH": os.defpath, **env},
            folder=str(folder),
            fresh=fresh,
            limits=limits,
            sandbox=within,
        )


def at(*everyday: Level, of: Sequence[Level] = LEVELS) -> pytest.MarkDecorator:
    """At which levels a test is done: ``everyday`` in the ordinary suite, at the others it is a proof."""
    return pytest.mark.parametrize(
        "level", [pytest.param(level, marks=() if level in everyday else pytest.mark.proof) for level in of]
    )


@cache
def lacking(level: Level) -> str:
    """Why this machine has no such level: what came of a program that is started in such a sandbox. Empty if it has."""
    bystanders = children()
    with TemporaryDirectory() as scratch:
        try:
            status, said = run_command(
                ["true"], {"PATH": os.defpath, "TMPDIR": scratch}, Path("/"), 300, Sandbox(level)
            )
        except (CannotStart, HostError) as error:
            status, said = None, str(error).encode()
    # what is left of the sandbox is the caller's to reap
    sweep(bystanders)
    return "" if status == 0 else f"expected to start a program at level {level}, got: {said.decode()}"


@cache
def _interpreter() -> tuple[str, ...]:
    return folders([sys.executable], os.defpath)


def only_fault(record: Record) -> Fault:
    """The one fault of a match that had one."""
    assert len(record.faults) == 1
    return record.faults[0]


def sinners_picks(record: Record) -> Sequence[tuple[int, ...]]:
    """What the sinner chose, or silence for it."""
    return [picks for seat, picks in zip(record.seats_asked, record.picks, strict=True) if seat == 0]


def survivors(mark: str) -> list[int]:
    """Processes that carry this mark in their environment or on their command line, wherever they belong."""
    numbers = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    return [number for number in numbers if _carries(number, mark.encode())]


def _carries(number: int, mark: bytes) -> bool:
    for name in ("environ", "cmdline"):
        # not by pathlib: every visit looks at every process of the machine
        try:
            file = os.open(f"/proc/{number}/{name}", os.O_RDONLY)
        except OSError:
            return False
        try:
            found = mark in os.read(file, _LONGEST)
        except OSError:
            return False
        finally:
            os.close(file)
        if found:
            return True
    return False


def eventually_none(mark: str) -> bool:
    """Whether no process carries this mark any more, in a while: of themselves they would stay for many minutes."""
    until = monotonic() + ALLOWANCE
    while survivors(mark):
        if monotonic() > until:
            return False
        sleep(0.005)
    return True


def put_down(mark: str) -> None:
    """End what should have been ended: no failed test leaves a bomb going off on the machine."""
    stopped: set[int] = set()
    until = monotonic() + 300
    while (left := set(survivors(mark)) - stopped) and monotonic() < until:
        for number in left:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGSTOP)
        stopped |= left
    for number in stopped:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def open_descriptors() -> list[str]:
    """The descriptors of this process, and what they stand for."""
    links = {}
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            links[path.name] = str(path.readlink())
    return sorted(f"{number} {target}" for number, target in links.items() if not target.startswith("user:["))


def peak_memory() -> int:
    """The most bytes this process has occupied since ``forget_peak``."""
    status = Path("/proc/self/status").read_text("ascii")
    return 1024 * int(next(line for line in status.split("\n") if line.startswith("VmHWM")).split()[1])


def forget_peak() -> None:
    """Begin to measure again."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")
