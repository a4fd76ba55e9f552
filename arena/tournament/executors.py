"""Units played on other machines, by the workers of any ``concurrent.futures.Executor``.

An executor is found by its name in the entry-point group ``arena.executors``: a function that gets an address. An
executor may have two more attributes: ``slots()`` is the number of units that its workers can play at the same time
now; ``losses`` are the exceptions that a future raises if a worker was lost with its task. Knows what a unit is, and
nothing of bots.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from importlib.metadata import entry_points
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Self

from msgspec.structs import replace

from arena.errors import UsageError, nearest, raised
from arena.interpreter import __version__
from arena.players.launch import Launch
from arena.tournament import cores
from arena.tournament.lane_messages import (
    Done,
    Job,
    Message,
    PlayUnit,
    decode_message,
    encode,
)
from arena.tournament.lanes import BEAT, Lanes, LanesFailed, Place
from arena.tournament.worker import Task, likeness, play_task

GROUP = "arena.executors"
AHEAD = 2
"""Chunks in flight for each that can be played at once: a worker that has done one finds the next waiting."""
_ASK_AGAIN = 5.0
"""Seconds between two looks at how many slots there are."""


class Unreachable(UsageError):
    """There is no executor of this name, or no scheduler at this address."""

    def __init__(self, text: str) -> None:
        super().__init__(text, option="executor")


def connected(text: str) -> Executor:
    """The executor of ``NAME=ADDRESS``; raises ``Unreachable`` if it cannot be had."""
    name, _, address = text.partition("=")
    if not name or not address:
        raise Unreachable(f"expected NAME=ADDRESS, got {text!r}")
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in entries:
        names = ", ".join(sorted(entries)) or "none"
        raise Unreachable(f"expected an executor of {names}, got {name!r}{nearest(name, entries)}")
    try:
        executor = entries[name].load()(address)
    except (ImportError, OSError, ValueError) as error:
        raise Unreachable(f"expected {name} at {address}, got: {error}") from error
    if not isinstance(executor, Executor):
        raise Unreachable(f"expected {name} to be a concurrent.futures.Executor, got {type(executor).__name__}")
    return executor


class Remote(Place):
    """The workers of an executor as the runner sees them. Use as a context: at its end the executor is shut down.

    The messages of a unit come when it has ended. A unit that a worker still plays when nobody asks for more is played
    to its end, and its matches are dropped.
    """

    def __init__(self, executor: Executor, crew: Lanes, most: int | None = None) -> None:
        """``crew`` is open and tells of signals; at most ``most`` units are in flight, by default two a slot."""
        self._executor = executor
        self._crew = crew
        self._fixed = most
        self._room = 0
        self._counted_at = float("-inf")
        self._losses: tuple[type[BaseException], ...] = getattr(executor, "losses", ())
        self._digests: dict[int, tuple[Launch, str]] = {}
        self._arrivals: SimpleQueue[Future[bytes]] = SimpleQueue()
        self._flying: dict[Future[bytes], tuple[PlayUnit, PlayUnit]] = {}
        """Each unit in flight, and what of it was sent."""
        self._one_by_one: set[int] = set()
        """Units that were lost with a worker: it is not known which match ended it, so each is sent by itself."""

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
        """Have all units played, as ``Place.messages``."""
        # lanes would take cores from workers on this machine
        self._crew.dismiss()
        try:
            yield from super().messages(jobs, lost, tick)
        finally:
            for future in self._flying:
                future.cancel()
            self._flying.clear()

    @property
    def doing(self) -> Sequence[Job]:
        """The units in flight."""
        return [unit for unit, _ in self._flying.values()]

    def _has_room(self) -> bool:
        return len(self._flying) < self.room()

    def _beat(self) -> None:
        self._crew.heed()

    def room(self) -> int:
        """How many units may be sent out now."""
        if self._fixed is not None:
            return self._fixed
        if monotonic() - self._counted_at > _ASK_AGAIN:
            slots: Callable[[], int] = getattr(self._executor, "slots", cores.count_lanes)
            try:
                self._room = AHEAD * max(1, slots())
            except TimeoutError:
                # the executor is busy or out of reach for a while: its workers play what they have
                self._room = self._room or AHEAD
            except OSError as error:
                raise LanesFailed(f"expected the executor to say how many slots it has, got {raised(error)}") from error
            self._counted_at = monotonic()
        return self._room

    def _give(self, job: Job) -> None:
        assert isinstance(job, PlayUnit)  # noqa: S101 - only units are played elsewhere
        sent = replace(job, matches=job.matches[:1]) if job.unit in self._one_by_one else job
        digests = {name: self._likeness(launch) for name, launch in job.bots.items()}
        # only this machine has the copies of bots: a worker uses a bot's own files and checks their digest
        bots = {
            name: replace(launch, sandbox=dataclasses.replace(launch.sandbox, kept=""))
            for name, launch in job.bots.items()
        }
        task = Task(arena=__version__, digests=digests, job=replace(sent, bots=bots))
        try:
            future: Future[bytes] = self._executor.submit(play_task, encode(task))
        except RuntimeError as error:
            raise LanesFailed(f"expected the executor to take a unit, got {raised(error)}") from error
        self._flying[future] = job, sent
        future.add_done_callback(self._arrivals.put)

    def _likeness(self, launch: Launch) -> str:
        # found by identity: every unit has the same few launches; each is kept, so that no other gets its id
        if id(launch) not in self._digests:
            self._digests[id(launch)] = launch, likeness(launch)
        return self._digests[id(launch)][1]

    def _arrived(self) -> list[Future[bytes]]:
        arrived = []
        try:
            arrived.append(self._arrivals.get(timeout=BEAT))
            while True:
                arrived.append(self._arrivals.get_nowait())
        except Empty:
            return arrived

    def _receive_messages(self) -> Iterator[tuple[Job, Message | None]]:
        for future in self._arrived():
            unit, sent = self._flying.pop(future)
            try:
                answer = future.result()
            except self._losses:
                if len(sent.matches) > 1:
                    self._one_by_one.add(unit.unit)
                    self._give(unit)
                else:
                    yield unit, None
                continue
            except CancelledError:
                raise LanesFailed("expected a unit to be played, got it cancelled: the executor has ended") from None
            except Exception as error:
                raise LanesFailed(f"expected a worker to play a unit, got {raised(error)}") from error
            done: Done | None = None
            for line in answer.splitlines():
                message = decode_message(line)
                if not isinstance(message, Done):
                    yield unit, message
                elif message.failed:
                    raise LanesFailed(message.failed)
                else:
                    done = message
            rest = unit.matches[len(sent.matches) :]
            if done is None or not rest:
                yield unit, done
            else:
                self._give(replace(unit, matches=rest, retirements=done.value(dict[str, int])))
