"""Clocks among bots that burn the core on others' time: the honest have theirs back, and who burns it is told."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import monotonic
from unittest.mock import Mock, patch

import pytest

from arena import wire
from arena.fault import Fault
from arena.players import cpu_accounting, process
from arena.players.bot_player import BotPlayer, leave
from arena.players.cpu_accounting import CpuAccounting
from arena.players.launch import GRACE, Launch
from arena.players.lifetime import sweep
from arena.players.process_tree import StolenTime, children
from arena.record import Record
from arena.referee import play
from arena.sandbox.cgroup import CgroupTree, Group
from tests.hostile.house import (
    BOT,
    Asking,
    House,
    at,
    new_match,
    only_fault,
    sinners_picks,
    survivors,
)

IN_TIME = 20_000
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
"""Tests that run at the same time have a core each."""


class _Noted(CpuAccounting):
    """Keeps what each bot's last slow question went without."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: dict[str, StolenTime] = {}

    def stolen(self, asked: cpu_accounting.Account, away: float) -> StolenTime:
        self.lost[asked.name] = super().stolen(asked, away)
        return self.lost[asked.name]


class Table:
    """Bots that share one core as in a lane."""

    def __init__(self, scratch: Path, sins: tuple[str, ...]) -> None:
        self.accounting = _Noted()
        self.names = tuple(f"{sin.split()[0]}-{seat}" for seat, sin in enumerate(sins))
        self.players: list[_Noting] = []
        for seat, sin in enumerate(sins):
            words = (sys.executable, "-S", "-E", str(BOT), "--sin", *sin.split())
            launch = Launch(argv=words, env={"PATH": os.defpath, "CLOCKS_MARK": str(scratch)}, folder=str(scratch))
            self.players.append(_Noting(self.names[seat], launch, scratch, self.accounting))

    def match(self, *, rounds: int, move: int) -> tuple[Record, list[float]]:
        """Play a match, times in milliseconds; its record, and by seat the share of others' time that was burnt."""
        self.accounting.begin_match(self.names)
        limits = wire.Limits(start=IN_TIME, move=move, faults=1000)
        record = play(new_match(self.names, limits), Asking(len(self.names), rounds, "", []), self.players)
        burnt = self.accounting.end_match()
        waits = list(zip(record.seats_asked, record.micros, strict=True))
        others = [sum(micros for asked, micros in waits if asked != seat) / 1e6 for seat in range(len(self.names))]
        return record, [burnt.get(name, 0.0) / other for name, other in zip(self.names, others, strict=True)]


class _Noting(BotPlayer):
    """Keeps what it was given back at each question, and how much of others' time was over at each fault of excess."""

    def __init__(self, name: str, launch: Launch, scratch: Path, lane: CpuAccounting) -> None:
        super().__init__(name, launch, scratch, lambda *_: None, lane)
        self.given_back: list[float] = []
        self.others: list[float] = []
        self._ready = self._own = 0.0

    def greet(self, hello: wire.Hello) -> Fault | None:
        fault = super().greet(hello)
        if self.process and not self._ready:
            self._ready = self.process.looked
        return fault

    def decide(self, decide: wire.Decide) -> tuple[int, ...] | Fault:
        began = monotonic()
        answer = super().decide(decide)
        self.given_back.append(max(0.0, monotonic() - began - self.waited))
        if isinstance(answer, Fault) and answer.kind == "resource":
            # the host's time between questions is no bot's own either
            self.others.append(began - self._ready - self._own)
        elif self.process:
            self._own += self.process.looked - self.process.began
        return answer


def given_back(late: Fault) -> float:
    """The seconds that a bot was given back before it was late, to a tenth."""
    told = re.search(r"with (.*) s given back for what it went without", late.rule)
    return float(told[1]) if told else 0.0


@contextmanager
def table(scratch: Path, *sins: str) -> Iterator[Table]:
    """Seat bots of these sins at one core; afterwards nothing of them is left."""
    cores, bystanders = os.sched_getaffinity(0), set(children())
    os.sched_setaffinity(0, {sorted(cores)[int(WORKER) % len(cores)]})
    try:
        with patch.object(process, "STALL", 60.0):
            seated = Table(scratch, sins)
            try:
                yield seated
            finally:
                leave(seated.players, 0)
                sweep(bystanders)
    finally:
        os.sched_setaffinity(0, cores)
    assert survivors(str(scratch)) == []


@pytest.mark.parametrize(
    "sin", ["spin", *(pytest.param(sin, marks=pytest.mark.proof) for sin in ("spin-child", "spin-orphan"))]
)
@pytest.mark.long_cases("spin")
def test_three_spinners_beside_an_honest_bot(tmp_path: Path, sin: str) -> None:
    """What spinners burn is given back: the honest bot has no fault, and each of them has after its first second."""
    limit = 0.2 + GRACE
    # of a core that a busy machine shares with others, a spinner may get much less than a quarter
    restless = 0.01
    with (
        patch.multiple(cpu_accounting, EXCESS=0.02, EXCESS_SECONDS=0.02, RESTLESS=restless),
        table(tmp_path, "work", sin, sin, sin) as seated,
    ):
        seated.match(rounds=1, move=IN_TIME)
        record, shares = seated.match(rounds=8, move=200)
    honest = [micros / 1e6 for seat, micros in zip(record.seats_asked, record.micros, strict=True) if seat == 0]
    assert {(fault.seat, fault.kind) for fault in record.faults} == {(seat, "resource") for seat in (1, 2, 3)}
    # by the clock on the wall it was late
    assert max(honest) > limit
    for wait, given_back in zip(honest, seated.players[0].given_back[1:], strict=True):
        assert 0 <= given_back <= wait
    assert shares[0] < restless < min(shares[1:])
    for player in seated.players[1:]:
        assert min(player.others) >= cpu_accounting.EXCESS_OF
    for fault in record.faults:
        assert fault.rule.startswith("expected at most 25 % of the core on others' time, got ")
        assert "blocking read" in fault.hint


def test_a_bot_that_is_never_ready(tmp_path: Path) -> None:
    """A bot that computes for ever when it starts takes no start time from another that starts beside it."""
    with table(tmp_path, "work-at-start", "spin-at-start") as seated:
        for player in seated.players:
            player.start_ahead()
        limits = wire.Limits(start=250, move=IN_TIME)
        hellos = [wire.Hello(wire.PROTOCOL, "f00d", "asking", "1", {}, seat, 2, seat, limits) for seat in range(2)]
        honest, spinner = (player.greet(hello) for player, hello in zip(seated.players, hellos, strict=True))
        lost, queue = seated.accounting.lost[seated.names[0]], seated.accounting._queue
    assert honest is None
    # by the clock on the wall it was late
    assert lost.bots > 0
    # so that what others on the machine had of the core is given back, too
    assert queue is not None
    assert queue.steady
    assert spinner is not None
    assert spinner.kind == "unready"
    assert spinner.rule.startswith("after hello: expected an answer in time, got none")


@pytest.mark.long
def test_four_limits_at_most(tmp_path: Path) -> None:
    """A bot that thinks for ever keeps the host for four limits at most, however much others burn."""
    move = 150
    with table(tmp_path, "burn --at 1", "spin", "spin", "spin") as seated:
        assert seated.match(rounds=1, move=IN_TIME)[0].faults == ()
        record, _ = seated.match(rounds=1, move=move)
        # what programs outside of the lane had of the core is given back besides
        outside = seated.accounting.lost[seated.names[0]].outside
    # on a busy machine others may be late as well
    (late,) = (fault for fault in record.faults if fault.seat == 0)
    assert late.kind == "late"
    limit = move / 1000 + GRACE
    assert 0.8 * limit < given_back(late) + 0.1 < process.GIVEN_BACK * limit + outside + 0.2
    assert record.micros[0] / 1e6 > limit


@pytest.mark.proof
def test_idle_opponents_give_nothing_back(tmp_path: Path) -> None:
    """Beside bots that wait for their turn the deadline stands, and nobody has burnt anything."""
    move = 250
    with table(tmp_path, "mute", "none", "none") as seated:
        record, shares = seated.match(rounds=2, move=move)
    assert all(fault.rule.startswith("expected an answer in time, got none: it was idle") for fault in record.faults)
    assert len(record.faults) == 2
    for seat, micros in zip(record.seats_asked, record.micros, strict=True):
        assert seat != 0 or micros / 1e6 >= move / 1000 + GRACE
    assert seated.accounting.lost[seated.names[0]].bots == 0
    assert shares[1:] == [0.0, 0.0]


@pytest.mark.long
def test_bots_that_think_on_their_own_time(tmp_path: Path) -> None:
    """Whoever thinks, sleeps or answers at once in its own turn alone has burnt nothing of the others'."""
    with table(tmp_path, "work", "think", "none") as seated:
        for _ in range(3):
            record, shares = seated.match(rounds=4, move=IN_TIME)
            assert record.faults == ()
            assert max(shares) < 0.01


@pytest.mark.long
def test_a_restless_bot_is_frozen_between_its_turns(tmp_path: Path) -> None:
    """Where there is a way to freeze a bot, a spinner runs in its own turns only from then on, and has no fault."""
    calls: list[str] = []
    with table(tmp_path, "work", "spin") as seated:
        spinner = seated.players[1]

        def call(name: str, number: int) -> None:
            calls.append(name)
            assert spinner.process is not None
            # before it is known to be restless it runs on, so that it is known however little of the core it gets
            if spinner._account is not None and spinner._account.restless:
                os.kill(spinner.process.pid, number)

        group = Mock(spec=Group)
        group.entering.side_effect = lambda argv: argv
        group.struck.return_value = ""
        group.freeze.side_effect = lambda *_: call("freeze", signal.SIGSTOP)
        group.thaw.side_effect = lambda: call("thaw", signal.SIGCONT)
        spinner._cgroups = Mock(spec=CgroupTree, group=Mock(return_value=group))
        with patch.multiple(cpu_accounting, RESTLESS=0.01, RESTLESS_SECONDS=0.01):
            for _ in range(2):
                record, shares = seated.match(rounds=10, move=IN_TIME)
                assert record.faults == ()
        assert spinner._account is not None
        assert spinner._account.restless
        assert shares[1] < 0.05
        assert calls[0] == "freeze"
        assert all(one != other for one, other in pairwise(calls))
        leave(seated.players, 5)
        assert calls[-1] == "thaw"


@contextmanager
def one_core() -> Iterator[None]:
    """The host and its bots on a core of this test's own, as in a lane."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[int(WORKER) % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@at("none", "bwrap")
# of a busy machine the second would have back what it was late
@pytest.mark.parametrize("sin", ["crowd", pytest.param("overtime", marks=pytest.mark.proof)])
@pytest.mark.long_cases("crowd-bwrap", "crowd-none")
def test_a_crowd_of_children_voids_nothing(house: House, sin: str) -> None:
    """Whose children keep the host from the core is late: no match is void by it, and none is won by it."""
    with one_core(), house.visit("--sin", sin, stall=process.STALL) as guest:
        record = guest.match(move=150)
    fault = only_fault(record)
    assert (fault.kind, fault.decision) == ("late", 0)
    assert sinners_picks(record)[0] == (0,)


@at("none")
@pytest.mark.parametrize("sin", ["buy-by-orphans", "buy-by-children"])
def test_nobody_buys_time(house: House, sin: str) -> None:
    """What a bot's own processes take from it is not given back, also where nobody can tell whose they are."""
    move, given = 150, []
    # the first burns alone: what it gets back, the machine's other users have had
    for tried in ("burn", sin):
        with one_core(), house.visit("--sin", tried, "--at", "1", stall=process.STALL) as guest:
            fault = only_fault(guest.match(move=move))
        assert (fault.kind, fault.decision) == ("late", 2)
        given.append(given_back(fault))
    # it would be three limits more
    assert given[1] < given[0] + move / 1000 + GRACE


SPIN = "import os, signal, time\nos.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass"


@contextmanager
def outsiders(processes: int) -> Iterator[Callable[[int], None]]:
    """Others on this core, who are no bots, each in a session of its own: they burn all there is when sent SIGCONT."""
    words = (sys.executable, "-S", "-E", "-c", SPIN)
    burning = [subprocess.Popen(words, start_new_session=True) for _ in range(processes)]

    def send(number: int) -> None:
        for one in burning:
            one.send_signal(number)

    try:
        yield send
    finally:
        for one in burning:
            one.kill()
            one.wait()


@pytest.mark.long
@at("bwrap")
def test_a_busy_machine_makes_nobody_late(house: House) -> None:
    """An honest bot is not late for time that it did not have, though the machine gives it a twentieth of the core."""
    with one_core(), outsiders(16) as send, house.visit("--sin", "work", stall=process.STALL) as guest:
        assert guest.match(move=IN_TIME, rounds=1).faults == ()
        send(signal.SIGCONT)
        record = guest.match(move=150, rounds=2)
        send(signal.SIGSTOP)
    assert record.faults == ()
    # by the clock on the wall it was late
    assert max(record.micros) / 1e6 > 0.15 + GRACE
