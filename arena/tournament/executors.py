"""Units played on other machines: ``Lanes.messages`` over any ``concurrent.futures.Executor``.

An executor is found by its name in the entry-point group ``arena.executors``: a function that gets an address. An
executor may have two more attributes: ``slots()`` is the number of units that its workers can play at the same time
now; ``losses`` are the exceptions that a future raises if a worker was lost with its task. Knows what a unit is, and
nothing of bots.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import replace
from importlib.metadata import entry_points
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Self

import msgspec

from arena import __version__
from arena import record as records
from arena.errors import UsageError, raised
from arena.players.botfile import nearest
from arena.players.launch import Launch
from arena.record import Record
from arena.tournament import cores
from arena.tournament.lane_messages import (
    Done,
    Job,
    MatchOver,
    Message,
    PlayUnit,
    Unfit,
    decode_message,
    encode,
    retired_in_a_row,
)
from arena.tournament.lanes import BEAT, Lanes, LanesFailed, once_more
from arena.tournament.worker import Task, likeness, play_task

GROUP = "arena.executors"
AHEAD = 2
"""Chunks in flight for each that can be played at once: a worker that has done one finds the next waiting."""
_ASK_AGAIN = 5.0
"""Seconds between two looks at how many slots there are."""


class Unreachable(UsageError):
    """There is no executor of this name, or no scheduler at this address."""


def connected(name: str, *, address: str) -> Executor:
    """The executor of this name for this address; raises ``Unreachable`` if it cannot be had."""
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in entries:
        known = ", ".join(sorted(entries)) or "none"
        raise Unreachable(f"expected an executor of {known}, got {name!r}{nearest(name, entries)}")
    try:
        executor = entries[name].load()(address)
    except (ImportError, OSError, ValueError) as error:
        raise Unreachable(f"expected {name} at {address}, got: {error}") from error
    if not isinstance(executor, Executor):
        raise Unreachable(f"expected {name} to be a concurrent.futures.Executor, got {type(executor).__name__}")
    return executor


class Remote:
    """The workers of an executor as the runner sees them. Use as a context: at its end the executor is shut down.

    A unit that a worker still plays then is played to its end, and its matches are dropped.
    """

    def __init__(self, executor: Executor, crew: Lanes, most: int | None = None) -> None:
        """``crew`` is open and tells of signals; at most ``most`` units are in flight, by default two a slot."""
        self._executor = executor
        self._crew = crew
        self._fixed = most
        self._room = 0
        self._asked = float("-inf")
        self._losses: tuple[type[BaseException], ...] = getattr(executor, "losses", ())
        self._digests: dict[int, tuple[Launch, str]] = {}
        self._ended: SimpleQueue[Future[bytes]] = SimpleQueue()
        self._flying: dict[Future[bytes], tuple[PlayUnit, PlayUnit | None]] = {}
        """What each task plays, and what of its unit is to follow match by match."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._executor.shutdown(wait=kind is None, cancel_futures=True)

    def messages(
        self,
        jobs: Iterable[Job | None],
        lost: Callable[[Job], Job | None] | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Job, Message]]:
        """Have all units played, as ``Lanes.messages`` does; the messages of a unit come when it has ended."""
        # lanes would take cores from workers on this machine
        self._crew.dismiss()
        lost = lost or once_more()
        source = (job for job in jobs if job is not None)
        again: deque[tuple[PlayUnit, PlayUnit | None]] = deque()
        beat = 0.0
        try:
            while True:
                while len(self._flying) < self.room():
                    piece = again.popleft() if again else next(((job, None) for job in source), None)
                    if piece is None:
                        break
                    self._send(*piece)
                if not self._flying:
                    return
                for future in self._arrived():
                    again.extend((yield from self._land(future, lost)))
                self._crew.heed()
                if monotonic() >= beat:
                    tick()
                    beat = monotonic() + BEAT
        finally:
            for future in self._flying:
                future.cancel()
            self._flying.clear()

    def room(self) -> int:
        """How many units may be sent out now."""
        if self._fixed is not None:
            return self._fixed
        if monotonic() - self._asked > _ASK_AGAIN:
            slots: Callable[[], int] = getattr(self._executor, "slots", cores.lanes)
            try:
                self._room = AHEAD * max(1, slots())
            except TimeoutError:
                # the executor is busy or out of reach for a while: its workers play what they have
                self._room = self._room or AHEAD
            except OSError as error:
                raise LanesFailed(f"expected the executor to say how many slots it has, got {raised(error)}") from error
            self._asked = monotonic()
        return self._room

    def _send(self, job: Job, rest: PlayUnit | None) -> None:
        assert isinstance(job, PlayUnit)  # noqa: S101 - only units are played elsewhere
        digests = {name: self._likeness(launch) for name, launch in job.bots.items()}
        # only this machine has the copies of bots: a worker uses a bot's own files and checks their digest
        bots = {
            name: msgspec.structs.replace(launch, sandbox=replace(launch.sandbox, kept=()))
            for name, launch in job.bots.items()
        }
        task = Task(arena=__version__, digests=digests, job=msgspec.structs.replace(job, bots=bots))
        try:
            future: Future[bytes] = self._executor.submit(play_task, encode(task))
        except RuntimeError as error:
            raise LanesFailed(f"expected the executor to take a unit, got {raised(error)}") from error
        self._flying[future] = job, rest
        future.add_done_callback(self._ended.put)

    def _likeness(self, launch: Launch) -> str:
        # found by identity: every unit has the same few launches; each is kept, so that no other gets its id
        if id(launch) not in self._digests:
            self._digests[id(launch)] = launch, likeness(launch)
        return self._digests[id(launch)][1]

    def _arrived(self) -> list[Future[bytes]]:
        arrived = []
        try:
            arrived.append(self._ended.get(timeout=BEAT))
            while True:
                arrived.append(self._ended.get_nowait())
        except Empty:
            return arrived

    def _land(
        self, future: Future[bytes], lost: Callable[[Job], Job | None]
    ) -> Generator[tuple[Job, Message], None, list[tuple[PlayUnit, PlayUnit | None]]]:
        """The messages of a worker; returns the part of its unit that is to be sent again, or next."""
        job, rest = self._flying.pop(future)
        try:
            answer = future.result()
        except self._losses:
            if len(job.matches) > 1:
                # it is not known which match ended the worker: now each match is sent by itself
                return [_first(job)]
            return _again(lost(job))
        except CancelledError:
            raise LanesFailed("expected a unit to be played, got it cancelled: the executor has ended") from None
        except Exception as error:
            raise LanesFailed(f"expected a worker to play a unit, got {raised(error)}") from error
        messages = [decode_message(line) for line in answer.split(b"\n") if line]
        for message in messages:
            if isinstance(message, Unfit):
                raise LanesFailed(message.why)
            if isinstance(message, MatchOver) and rest is not None:
                rest = _after(rest, records.decode(bytes(message.record)))
            if not isinstance(message, Done):
                yield job, message
        if not messages or not isinstance(messages[-1], Done):
            return _again(lost(job))
        return [] if rest is None else [_first(rest)]


def _first(job: PlayUnit) -> tuple[PlayUnit, PlayUnit | None]:
    first, *others = job.matches
    rest = msgspec.structs.replace(job, matches=tuple(others)) if others else None
    return msgspec.structs.replace(job, matches=(first,)), rest


def _after(rest: PlayUnit, record: Record) -> PlayUnit:
    retired = [record.bots[seat] for seat in record.retired]
    return msgspec.structs.replace(rest, retirements=retired_in_a_row(rest.retirements, record.bots, retired))


def _again(job: Job | None) -> list[tuple[PlayUnit, PlayUnit | None]]:
    return [_first(job)] if isinstance(job, PlayUnit) else []
