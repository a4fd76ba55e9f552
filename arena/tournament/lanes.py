"""The runner's side of its lanes: starts them, sends them jobs, reads their messages, replaces lost ones.

One thread, one ``poll``. Knows jobs and messages, and not what they mean for a tournament.
"""

import os
import select
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock, current_thread, main_thread
from time import monotonic
from types import FrameType
from typing import Any, Self

import msgspec

from arena.errors import HostError, Interrupted
from arena.files import write
from arena.interpreter import isolated
from arena.players import guard
from arena.players.lifetime import adopt_orphans, is_stopped, sweep
from arena.players.process_tree import children, with_descendants
from arena.players.scratch import discard
from arena.sandbox.cgroup import CgroupTree
from arena.sandbox.delegation import delegated
from arena.tournament.lane_messages import Done, Job, Message, PlayUnit, Up, decode_message, encode

BEAT = 0.1
"""Seconds between two calls of ``tick``."""
_PATIENCE = 0.9
_STOPPED_TOO_LONG = 1.0
_WOKEN = 4096
"""Signals, a byte each, that are read at once."""


class LanesFailed(HostError):
    """Lanes end at once: this machine cannot run them."""


_of_runs: dict[int, str] = {}
"""Of each child of this process that a run has started, the name of the run: several may be open, in threads."""
_starting = Lock()
"""Held while one is started, so that no other run finds it before it is known."""


def _start(scratch: Path, words: Sequence[str], **how: Any) -> "subprocess.Popen[bytes]":
    with _starting:
        popen = subprocess.Popen(words, start_new_session=True, **how)
        _of_runs[popen.pid] = scratch.name
    return popen


def _wait(popen: "subprocess.Popen[bytes]", seconds: float | None = None) -> None:
    popen.wait(seconds)
    # its number may be given to another process
    _of_runs.pop(popen.pid, None)


class _Lane:
    def __init__(self, scratch: Path, cgroups: CgroupTree | None, lock: int) -> None:
        tree = msgspec.json.encode(cgroups).decode()
        self.popen = _start(
            scratch,
            isolated("arena.tournament.lane", str(os.getpid()), str(scratch), tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            pass_fds=(lock,),
        )
        assert self.popen.stdin  # noqa: S101 - both are pipes, which only the type checker cannot see
        assert self.popen.stdout  # noqa: S101 - likewise
        self.stdin, self.stdout = self.popen.stdin, self.popen.stdout
        os.set_blocking(self.stdin.fileno(), False)
        self.inbox = bytearray()
        self.job: Job | None = None
        self.met: set[bytes] = set()
        """The deals that a bot has seen whose process plays on."""
        self.up = False
        self.core: int | None = None
        self.stopped_since: float | None = None

    def give(self, job: Job) -> None:
        self.job = job
        if isinstance(job, PlayUnit) and any(launch.lasting for launch in job.bots.values()):
            deals = {match.deal for match in job.matches}
            self.met = self.met | deals if deals.isdisjoint(self.met) else deals
        self.write(encode(job))

    def write(self, line: bytes) -> None:
        view = memoryview(line + b"\n")
        while view:
            try:
                view = view[os.write(self.stdin.fileno(), view) :]
            except BlockingIOError:
                # a lane that is given a job is about to read, unless a bot has stopped it
                if not select.select([], [self.stdin], [], _STOPPED_TOO_LONG)[1]:
                    self.rouse()
            except BrokenPipeError:
                # the runner sees the lane's end on its output
                return

    def rouse(self) -> None:
        """Continue a lane that was stopped. Its bots go first: who stopped it may have stopped them, too."""
        for pid in with_descendants([self.popen.pid]) - {self.popen.pid}:
            with suppress(OSError):
                os.kill(pid, signal.SIGCONT)
        self.popen.send_signal(signal.SIGCONT)

    def hear(self) -> list[Message] | None:
        """The messages that have come, or None at the end of its output."""
        data = os.read(self.stdout.fileno(), 1 << 20)
        if not data:
            return None
        self.inbox += data
        *lines, rest = self.inbox.split(b"\n")
        self.inbox = bytearray(rest)
        return [decode_message(bytes(line)) for line in lines]

    def close(self) -> None:
        self.stdin.close()
        self.stdout.close()


class Place(ABC):
    """Where jobs are done: lanes on this machine, or workers on others."""

    def messages(
        self,
        jobs: Iterable[Job | None],
        lost: Callable[[Job], Job | None] | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Job, Message]]:
        """Have all jobs done, as many at once as there is room for, and give each message with its job.

        ``None`` among the jobs says that the next one may begin only when another is over: it is asked for later.
        ``lost`` gets a job whose lane died and says what is to be done instead (by default the same job, once);
        ``tick`` is called about ten times a second.

        Raises:
            Interrupted: a signal came.
            LanesFailed: lanes die at once, or twice over the same job; or workers cannot play.
        """
        lost = lost or once_more()
        source = iter(jobs)
        again: deque[Job] = deque()
        beat = 0.0
        exhausted = False
        while True:
            while (again or not exhausted) and self._has_room():
                try:
                    job = again.popleft() if again else next(source)
                except StopIteration:
                    exhausted = True
                    break
                if job is None:
                    break
                self._give(job)
            if exhausted and not again and not self.doing:
                return
            for job, message in self._receive_messages():
                if message is not None:
                    yield job, message
                elif (replacement := lost(job)) is not None:
                    again.append(replacement)
            if monotonic() >= beat:
                tick()
                self._beat()
                beat = monotonic() + BEAT

    @property
    @abstractmethod
    def doing(self) -> Sequence[Job]:
        """The jobs that are done now."""

    @abstractmethod
    def _has_room(self) -> bool: ...

    @abstractmethod
    def _give(self, job: Job) -> None: ...

    @abstractmethod
    def _receive_messages(self) -> Iterator[tuple[Job, Message | None]]:
        """Wait a moment; the messages that have come, None for a job that is lost."""

    @abstractmethod
    def _beat(self) -> None:
        """Do what is due about ten times a second."""


class Lanes(Place):
    """Up to ``count`` lanes, started as jobs ask for them. Use as a context: at its end no process of any lane is left.

    While it is open, SIGINT, SIGTERM, SIGHUP and SIGQUIT raise ``Interrupted`` out of ``messages``, between two;
    those that were ignored before, as nohup(1) has it, still are. In another thread than the main one, which alone may
    hear signals, they do what they do elsewhere in the program.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._lanes: list[_Lane] = []
        self._failures = 0
        """Lanes in a row that ended before they were up."""
        self._poll = select.poll()
        self._signal = 0
        self._at_once = False
        self._wake_in = self._wake_out = -1
        self._woken_before: int | None = None
        self._previous_handlers: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        self._scratch = Path()
        self._lock = -1
        self._guard: subprocess.Popen[bytes] | None = None
        self._children_before: set[int] = set()
        self.cgroups: CgroupTree | None = None
        """The control groups that bots get, where this machine has handed some to us."""

    def __enter__(self) -> Self:
        hears = current_thread() is main_thread()
        if hears and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
            # if the process that started arena ignores SIGCHLD, arena gets no exit status
            self._previous_handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._wake_out, self._wake_in = os.pipe()
        os.set_blocking(self._wake_in, False)
        self._poll.register(self._wake_out, select.POLLIN)
        self._children_before = set(children())
        if hears:
            # first of all: a signal before this would end arena, and leave processes and folders that were made
            self._handle_signals()
        try:
            self._start_guard()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start_guard(self) -> None:
        adopt_orphans()
        self.cgroups = delegated()
        guard.clear_leftovers()
        self._scratch, self._lock = guard.begin()
        encode(str(self._scratch))
        bounded = self.cgroups is not None and "memory" in self.cgroups.offers
        self._guard = _guard(self._scratch, looks=not bounded)
        self._children_before.add(self._guard.pid)

    def room(self) -> str:
        """A new folder that lasts as long as this crew, and is removed with it."""
        return mkdtemp(prefix="kept-", dir=self._scratch)

    def keep(self, name: str, data: bytes) -> None:
        """Write a file that lasts as long as this crew, for other runs of this user."""
        write(self._scratch, name, data, 0o600)

    def _handle_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._previous_handlers[number] = signal.signal(number, self._note)
        # Python handles a signal that comes just before a wait only after that wait: so the signal has to end the wait
        self._woken_before = signal.set_wakeup_fd(self._wake_in, warn_on_full_buffer=False)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._signal = self._signal or number
        if self._at_once:
            self.heed()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Have a signal raise ``Interrupted`` where it strikes, for work that takes long and asks no lane."""
        self.heed()
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    def heed(self) -> None:
        """Raise ``Interrupted`` if a signal came, for callers that wait for something else."""
        if self._signal:
            raise Interrupted(self._signal)

    @property
    def cores(self) -> list[int | None]:
        """The core of each lane that is up; None where one is not pinned."""
        return [lane.core for lane in self._lanes if lane.up]

    def _receive_messages(self) -> Iterator[tuple[Job, Message | None]]:
        ready = {descriptor for descriptor, _ in self._poll.poll(BEAT * 1000)}
        if self._wake_out in ready:
            os.read(self._wake_out, _WOKEN)
        self.heed()
        for lane in [lane for lane in self._lanes if lane.stdout.fileno() in ready]:
            messages = lane.hear()
            if messages is not None:
                yield from self._take(lane, messages)
                continue
            self._failures = 0 if lane.up else self._failures + 1
            if self._failures > self.count:
                raise LanesFailed(f"expected lanes to start, got {self._failures} that ended at once")
            job = self._bury(lane)
            if job is not None:
                yield job, None

    def start(self, count: int) -> None:
        """Start lanes until there are ``count``, or as many as may be: they load while the caller goes on."""
        while len(self._lanes) < min(count, self.count):
            self._new()

    @property
    def doing(self) -> Sequence[Job]:
        """The jobs that lanes do now."""
        return [lane.job for lane in self._lanes if lane.job is not None]

    def answer(self, job: Job, line: bytes) -> None:
        """Send a line to the lane that does this job and waits for one; ``line`` is without its newline."""
        for lane in self._lanes:
            if lane.job is job:
                lane.write(line)

    def wait_for(self, descriptor: int) -> None:
        """Wait, between two messages, until something outside can be read; raises what ``heed`` does."""
        ready: list[int] = [self._wake_out]
        while self._wake_out in ready:
            self.heed()
            # select, because not every system can poll terminals
            ready, _, _ = select.select([descriptor, self._wake_out], [], [])
            if self._wake_out in ready:
                os.read(self._wake_out, _WOKEN)

    def _beat(self) -> None:
        """Continue a lane that has been stopped for a second: without isolation a bot can stop it."""
        for lane in self._lanes:
            if not is_stopped(lane.popen.pid):
                lane.stopped_since = None
            elif lane.stopped_since is None:
                lane.stopped_since = monotonic()
            elif monotonic() - lane.stopped_since > _STOPPED_TOO_LONG:
                lane.rouse()

    def _has_room(self) -> bool:
        return len(self._lanes) < self.count or any(lane.job is None for lane in self._lanes)

    def _give(self, job: Job) -> None:
        (self._free or self._new()).give(job)

    @property
    def _free(self) -> _Lane | None:
        return next((lane for lane in self._lanes if lane.job is None), None)

    @property
    def met(self) -> Collection[bytes]:
        """The deals that bots have seen, whose processes play on, in the lane that gets the next job."""
        return self._free.met if self._free else frozenset()

    def _new(self) -> _Lane:
        lane = _Lane(self._scratch, self.cgroups, self._lock)
        self._lanes.append(lane)
        self._poll.register(lane.stdout, select.POLLIN)
        return lane

    @staticmethod
    def _take(lane: _Lane, messages: list[Message]) -> Iterator[tuple[Job, Message]]:
        for message in messages:
            if isinstance(message, Up):
                lane.up, lane.core = True, message.core
                continue
            job = lane.job
            if isinstance(message, Done):
                lane.job = None
            if job is not None:
                yield job, message

    def _bury(self, lane: _Lane) -> Job | None:
        """End all that a dead lane left behind; returns its job."""
        self._poll.unregister(lane.stdout)
        self._lanes.remove(lane)
        lane.popen.kill()
        _wait(lane.popen)
        lane.close()
        if self.cgroups is not None:
            # before the sweep: in a frozen group no process dies
            self.cgroups.clear(lane.popen.pid)
        keep = {other.popen.pid for other in self._lanes}
        try:
            sweep(self._children_before | keep, spares=self._is_of_others)
        except HostError:
            # nothing can end them, so there is no use in waiting again
            self._children_before |= set(children()) - keep
        return lane.job

    def _is_of_others(self, pid: int) -> bool:
        """Whether a child is the program's own, or of another run that is open in it: a lane, a guard, an orphan.

        What the program starts is in its session. A process may begin a session, but never join one: no bot is there.
        """
        with _starting:
            of, runs = _of_runs.get(pid, ""), set(_of_runs.values()) - {self._scratch.name}
        with suppress(OSError):
            return of in runs or os.getsid(pid) == os.getsid(0) or any(guard.has_mark(pid, run) for run in runs)
        return False

    def dismiss(self) -> None:
        """End all lanes and free their cores; the next job starts a new lane."""
        for lane in self._lanes:
            # closed as well: a signal just before the lane waits for its next job would not end that wait
            lane.stdin.close()
            lane.popen.terminate()
        until = monotonic() + _PATIENCE
        for lane in self._lanes:
            try:
                _wait(lane.popen, max(0.0, until - monotonic()))
            except subprocess.TimeoutExpired:
                lane.popen.kill()
                _wait(lane.popen)
            self._poll.unregister(lane.stdout)
            lane.close()
        self._lanes.clear()

    def __exit__(self, *_: object) -> None:
        self.dismiss()
        try:
            if self.cgroups is not None:
                self.cgroups.remove()
            sweep(self._children_before, spares=self._is_of_others)
        finally:
            if self._lock >= 0:
                discard(self._scratch)
                # when the lock is released, the guard ends and finds nothing to do
                os.close(self._lock)
            if self._guard is not None:
                _wait(self._guard)
            for number, before in self._previous_handlers.items():
                signal.signal(number, before)
            if self._woken_before is not None:
                signal.set_wakeup_fd(self._woken_before)
            os.close(self._wake_in)
            os.close(self._wake_out)


def _guard(scratch: Path, *, looks: bool) -> "subprocess.Popen[bytes]":
    """The process that clears up if this one and its lanes cannot, and ``looks`` at the memory of bots meanwhile."""
    none = subprocess.DEVNULL
    words = [sys.executable, "-I", "-S", guard.__file__, str(scratch), *([guard.LOOKS] if looks else [])]
    return _start(scratch, words, stdin=none, stdout=none, stderr=none)


def once_more() -> Callable[[Job], Job]:
    """For lost jobs: the same again, once; at the second loss it raises ``LanesFailed``."""
    tried: list[Job] = []

    def lost(job: Job) -> Job:
        if any(job is before for before in tried):
            raise LanesFailed("expected lanes that finish their job, got two that ended during the same job")
        tried.append(job)
        return job

    return lost
