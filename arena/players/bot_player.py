"""A bot as a player: messages through one subprocess, and a new subprocess if that has ended."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import ceil
from pathlib import Path
from time import monotonic
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from arena import wire
from arena.errors import HostError
from arena.fault import CAUSES, Fault
from arena.players.cpu_accounting import EXCESS, FRESH, Account, CpuAccounting
from arena.players.ending import end
from arena.players.launch import Launch
from arena.players.lifetime import kill
from arena.players.note import NoteTaker, noted_picks
from arena.players.process import IDLE, Process
from arena.players.serving import Serving
from arena.players.spawn import CannotStart
from arena.sandbox.cgroup import CgroupTree

_STARTING = 0.25
"""The share of its time to get ready that a bot must have computed for to need more of it rather than a flush: every
interpreter takes some to start."""
_IDLE = 0.1
"""The share below which it waited for something; between the two other programs may have had the processor."""
_UNNOTED = b"]}"
"""How an answer in the plainest spelling ends that has no note."""
Show: TypeAlias = Callable[[str, bytes], object]
"""Is handed ``->`` with a line to a bot, ``<-`` with one from it, ``--`` with a remark, nothing with its stderr."""


def after_hello(late: Fault, *, used: float, waited: float, passed: float) -> Fault:
    """A fault ``late`` of a bot that is not ready; the cure is more time if it was computing.

    It had the processor, or slept, for ``waited`` of the seconds that ``passed``: others had it for the rest.
    """
    if late.cause not in {"computing", "never-heard", "no-answer"}:
        return late
    if used < _STARTING * waited:
        idle = Fault.of("idle-start", rule=late.rule)
        never = late.cause == "never-heard" and used < _IDLE * waited
        return replace(idle, kind=late.kind, line=late.line) if never else late
    slow = Fault.of("slow-start", rule=late.rule.replace(IDLE, ""), used=used, waited=waited, longer=ceil(3 * passed))
    return replace(slow, kind=late.kind, line=late.line)


class BotPlayer:
    """One entrant in one lane. Its process starts with the first match that wants it and serves until ``leave``."""

    def __init__(
        self,
        name: str,
        launch: Launch,
        scratch: Path,
        on_stderr: Callable[[str, bytes], None],
        accounting: CpuAccounting | None = None,
        cgroups: CgroupTree | None = None,
        *,
        show: Show | None = None,
    ) -> None:
        """Start nothing yet. Each process gets a new folder of its own under ``scratch``, gone with it.

        ``on_stderr`` is handed the name and what was kept of each ended process's stderr. ``accounting`` is that of all
        bots of the lane; in ``cgroups`` each process gets a group. ``show`` is handed all that goes to and fro,
        and stderr, as it comes.
        """
        self.name = name
        self.launch = launch
        self._scratch = scratch
        self._on_stderr = on_stderr
        self._stderr = launch.make_buffer()
        self._serving: Serving | None = None
        self._greeted = False
        self.notes = NoteTaker()
        self._grace = launch.grace
        self.waited = 0.0
        """Seconds of the last question that count against the bot: those that others burnt do not."""
        self._cgroups = cgroups
        self._show = show
        self._accounting = accounting or CpuAccounting()
        self._account: Account | None = None
        self._decision_ids: set[str] = set()
        self.deals: set[bytes] = set()
        """Of the matches that it was entered in."""
        self._struck: Fault | None = None
        """Of a process that ended between two matches, by a limit: what the next greeting tells."""

    def greet(self, hello: wire.Hello) -> Fault | None:
        """Open a match; the fault if no ``ready`` came within the start limit."""
        self.wake()
        self._end_the_spent()
        if self._struck is not None:
            struck, self._struck = self._struck, None
            return struck
        process = self.process
        warm = process is not None and self._greeted
        if process is None:
            try:
                process = self.start()
            except CannotStart as error:
                return Fault.of("cannot-start", rule=f"expected the bot to start, got: {error}")
        self._greeted = True
        self._decision_ids.clear()
        self.notes.begin()
        self._accounting.glance(monotonic())
        if not warm and self._account is not None:
            self._account.find_processes()
        seconds = hello.limits.start / 1000 + self._grace
        line = process.ask(wire.encode_lines([hello]), seconds)
        while True:
            if isinstance(line, Fault):
                judged = self._judged(line)
                if judged.kind == "gone" and warm:
                    # the process ended after its last match, which shows only now: a new process plays this match
                    self.leave()
                    return self.greet(hello)
                return self._not_ready(judged, process, warm=warm)
            try:
                message = wire.decode(line)
            except wire.Garbled as error:
                return _garbled(line, f"after hello: {error}")
            if isinstance(message, wire.Ready):
                if message.protocol != wire.PROTOCOL:
                    rule = f"expected protocol {wire.PROTOCOL}, got {message.protocol}"
                    return Fault.of("other-protocol", rule=rule, line=line)
                if self._account is not None:
                    self._account.ready(process.looked)
                    if self._account.restless:
                        self._account.freeze()
                return None
            # a `choose` here is a late answer to a question of the match before
            if fault := process.stray(line):
                return fault
            line = process.receive(process.began + seconds)

    def _not_ready(self, fault: Fault, process: Process, *, warm: bool) -> Fault:
        if fault.kind in {"garbled", "resource"}:
            return fault
        if fault.kind == "late" and self._account is not None:
            passed = monotonic() - process.began
            fault = after_hello(fault, used=self._account.used, waited=process.waited, passed=passed)
        if warm and fault.cause == "no-answer":
            fault = replace(fault, hint=CAUSES["ready-once"].hint, cause="ready-once")
        return replace(fault, kind="unready", rule=f"after hello: {fault.rule}")

    def _end_the_spent(self) -> None:
        """End a process that has heard all the greetings it will hear; note whether a limit had struck it."""
        process = self.process
        if process is None or not self._greeted or not (self.launch.fresh or process.exited()):
            return
        ended = Fault.of("exited", rule=f"expected it to wait for a match, got: {process.status()}")
        judged = self._judged(ended)
        if judged is not ended and process.exited():
            self._struck = judged
        self.leave()

    def _judged(self, fault: Fault) -> Fault:
        return fault if self._serving is None else self._serving.judged(fault)

    @property
    def process(self) -> Process | None:
        """The process that serves, if there is one."""
        return None if self._serving is None else self._serving.process

    @property
    def token(self) -> str:
        """The mark in the environment of every process that it starts."""
        return self._serving.token if self._serving else ""

    def start(self) -> Process:
        """Start its process; ``greet`` does this if there is none."""
        self._greeted = False
        self._stderr = self.launch.make_buffer()
        self._serving = Serving(self.launch, self._scratch, self._keep, self._cgroups)
        process = self._serving.process
        process.tap = self._show
        if self._show is not None:
            self._show("--", b"process %d" % process.pid)
        process.watch = self._account = self._accounting.enter(self.name, process.pid, token=self._serving.token)
        self._account.group = self._serving.group
        return process

    def start_ahead(self) -> None:
        """Start the process of the next match, if it needs a new one; whatever is wrong ``greet`` tells."""
        self._end_the_spent()
        if self.process is None and self._struck is None:
            with suppress(CannotStart, HostError):
                self.start()

    def _keep(self, data: bytes) -> None:
        if not data:
            return
        self._stderr.add(data)
        self.notes.add_stderr(data)
        if self._show is not None:
            self._show("", data)

    def ended(self) -> None:
        """Forget a process that was ended, and its scratch folder."""
        if self._account is not None:
            self._accounting.leave(self._account)
            self._account = None
        if self._serving is not None:
            self._serving.discard()
            self._serving = None
        self.end_unit()

    def end_unit(self) -> None:
        """Hand over what was kept of stderr: its process may play on in another unit."""
        if self._stderr.total:
            self._on_stderr(self.name, self._stderr.text())
            self._stderr = self.launch.make_buffer()

    def decide(self, decide: wire.Decide) -> tuple[int, ...] | Fault:
        """Ask one question: the picks as sent, not yet checked; or the fault, also of a bot that burns others' time."""
        self.waited = 0.0
        serving, account = self._serving, self._account
        if serving is None or account is None:
            self._decision_ids.add(decide.id)
            return Fault.of("no-process", rule="expected an answer, got no process")
        if account.excess:
            self._decision_ids.add(decide.id)
            return _excess(account)
        if (now := monotonic()) - self._accounting.glanced >= FRESH:
            self._accounting.glance(now)
        process, question = serving.process, wire.encode_lines([decide])
        if self._stderr.total or len(self._decision_ids) == 1:
            # what it has written since its last answer; of a bot that writes nothing this is asked once
            process.hear_errors()
        self.notes.number = len(self._decision_ids) + 1
        if account.frozen:
            account.thaw()
        line = process.ask(question, decide.time / 1000 + self._grace)
        answer: tuple[int, ...] | Fault | None = None
        if type(line) is bytes:
            if line[-2:] == _UNNOTED:
                answer = wire.plain_picks(line, decide.id)
            elif (answer := noted_picks(line, decide.id)) is not None:
                self.notes.add_line(line)
        if answer is None:
            answer = self._answer(process, decide, line)
        else:
            self._decision_ids.add(decide.id)
        if account.restless:
            # frozen before the bots are measured, because measuring takes a while
            account.freeze()
        took = process.looked - process.began
        if process.slow:
            self.waited = took - account.over(began=process.began, ended=process.looked, away=process.away)
        else:
            account.quick += took
            self.waited = took
        return answer

    def _answer(self, process: Process, decide: wire.Decide, line: bytes | Fault) -> tuple[int, ...] | Fault:
        deadline = process.began + decide.time / 1000 + self._grace
        while True:
            if isinstance(line, Fault):
                self._decision_ids.add(decide.id)
                return self._judged(line)
            try:
                message = wire.decode(line)
            except wire.Garbled as error:
                self._decision_ids.add(decide.id)
                return _garbled(line, str(error))
            if type(message) is wire.Choose:
                if message.id == decide.id:
                    self._decision_ids.add(message.id)
                    if message.note is not msgspec.UNSET:
                        self.notes.add_note(bytes(message.note))
                    return message.picks
                if message.id not in self._decision_ids:
                    self._decision_ids.add(decide.id)
                    rule = f"expected the id of a question asked, got {message.id[:40]!a}"
                    return Fault.of("strange-id", rule=rule, line=line)
            if fault := process.stray(line):
                self._decision_ids.add(decide.id)
                return fault
            line = process.receive(deadline)

    def close(self, over: wire.Over) -> None:
        """Tell the bot how the match ended; it stays for the next one."""
        if self._serving is not None:
            began = self._serving.process.send(wire.encode_lines([over]))
            if self._account is not None:
                self._account.note_end(began)

    def wake(self) -> None:
        """Let a frozen bot run again."""
        if self._account is not None:
            self._account.thaw()

    def abandon(self) -> None:
        """Kill all its processes at once, without waiting."""
        if self._serving is not None:
            self.wake()
            kill(self._serving.process.pid, group=True)

    def leave(self, patience: float = 0.0) -> None:
        """End the bot's process, if it has one, and its group. The lane ends its orphans."""
        leave([self], patience)


def leave(players: Sequence[BotPlayer], patience: float) -> None:
    """End these players' processes together."""
    serving = [(player, player.process) for player in players if player.process is not None]
    for player, _ in serving:
        player.wake()
    end([process for _, process in serving], patience)
    for player, _ in serving:
        player.ended()


def _excess(account: Account) -> Fault:
    rule = f"expected at most {EXCESS:.0%} of the core on others' time, got {account.excess:.0%}".replace("%", " %")
    account.excess = 0.0
    return Fault.of("busy-between", rule=rule)


def _garbled(line: bytes, rule: str) -> Fault:
    return Fault.of("wrong-message" if line[:1] == b"{" else "no-message", rule=rule, line=line)
