"""Build steps of bots, run in a lane: so they leave no process behind even if the runner dies."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.errors import BotError
from arena.players.botfile import BotFile
from arena.players.build import BuildStep, RunStep, steps
from arena.players.spawn import CannotStart
from arena.sandbox.sandbox import Sandbox
from arena.tournament.lane_messages import Command, Done, Job, Message
from arena.tournament.lanes import Lanes


def in_lane(lanes: Lanes, sandbox: Sandbox) -> RunStep:
    """A function that runs a build step in a lane, in ``sandbox``, where the folder it starts in may be written to."""

    def run(argv: Sequence[str], env: Mapping[str, str], folder: Path, seconds: float) -> tuple[int | None, bytes]:
        job = Command(tuple(argv), dict(env), str(folder), seconds, replace(sandbox, writable=(str(folder),)))
        (done,) = [message for _, message in lanes.messages([job]) if isinstance(message, Done)]
        return _ended(done)

    return run


def _ended(done: Done) -> tuple[int | None, bytes]:
    if done.failed:
        raise CannotStart(done.failed)
    return done.value(tuple[int | None, bytes])


def build_all(
    lanes: Lanes,
    bots: Iterable[BotFile],
    sandbox: Callable[[BotFile], Sandbox],
    told: Callable[[int, Iterable[str]], None],
) -> dict[str, str | BotError]:
    """Build bots, one in each lane; returns for each name the folder to start it in, or why there is none.

    ``sandbox`` says what the steps of a bot run in; ``told`` is told about ten times a second how many are built, and
    which now.
    """
    building = _Building(bots, sandbox)
    try:
        for job, message in lanes.messages(building.jobs(), tick=lambda: told(*building.stand(lanes.doing))):
            building.heard(job, message)
    finally:
        building.close()
    return building.built


class _Building:
    def __init__(self, bots: Iterable[BotFile], sandbox: Callable[[BotFile], Sandbox]) -> None:
        self.built: dict[str, str | BotError] = {}
        first: dict[object, BotFile] = {}
        # copies wait for the first: they start what was built for it
        self._alike = [bot for bot in bots if first.setdefault((bot.folder, bot.build, bot.command), bot) is not bot]
        self._waiting = deque(first.values())
        self._ready: deque[Command] = deque()
        self._sandbox = sandbox
        self._going: dict[str, Generator[BuildStep, tuple[int | None, bytes], str]] = {}
        self._running: dict[int, BotFile] = {}
        """By the identity of the job, whose step it is."""

    def jobs(self) -> Iterator[Command | None]:
        """Build steps, those of begun bots first; None while all remaining steps wait for one that is running."""
        while self._ready or self._waiting or self._running or self._alike:
            if self._ready:
                yield self._ready.popleft()
            elif self._waiting:
                bot = self._waiting.popleft()
                self._going[bot.name] = going = steps(bot)
                self._proceed(bot, lambda going=going: next(going))  # type: ignore[misc]  # mypy cannot infer a lambda's default
            elif self._running:
                yield None
            else:
                self._waiting.extend(self._alike)
                self._alike.clear()

    def heard(self, job: Job, message: Message) -> None:
        """Note how a step has ended."""
        if isinstance(message, Done):
            bot = self._running.pop(id(job))
            going = self._going[bot.name]
            try:
                ended = _ended(message)
            except CannotStart as error:
                self._proceed(bot, lambda error=error: going.throw(error))  # type: ignore[misc]  # as above
            else:
                self._proceed(bot, lambda: going.send(ended))

    def _proceed(self, bot: BotFile, on: Callable[[], BuildStep]) -> None:
        try:
            step = on()
            inside = replace(self._sandbox(bot), writable=(str(step.folder),))
        except StopIteration as end:
            self.built[bot.name] = str(end.value)
        except BotError as error:
            self.built[bot.name] = error
        else:
            job = Command(tuple(step.argv), step.env, str(step.folder), step.seconds, inside)
            self._running[id(job)] = bot
            self._ready.append(job)
            return
        self._going.pop(bot.name).close()

    def stand(self, doing: Iterable[Job]) -> tuple[int, list[str]]:
        """How many bots are built, and which now."""
        return len(self.built), [self._running[id(job)].name for job in doing if id(job) in self._running]

    def close(self) -> None:
        """Remove half-built copies."""
        for going in self._going.values():
            going.close()
