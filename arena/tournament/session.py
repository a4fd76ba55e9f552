"""Contests that are prepared and played in one set of lanes, each to its leaderboard.

``run``, ``compare``, ``season`` and the public library go through here. Prints nothing.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from arena.errors import UsageError
from arena.players.sandboxed import HostPolicy
from arena.record import Record
from arena.tournament import cores
from arena.tournament.contest import Contest, Say
from arena.tournament.isolation import host_policy, level_of
from arena.tournament.lanes import Lanes
from arena.tournament.run import Watcher
from arena.tournament.settings import IsolationChoice, RunSpec, seconds_within

if TYPE_CHECKING:
    from arena.tournament.executors import Remote


class Session:
    """Use as a context: it holds lanes, journals and workers while open; at its end no process of a bot is left."""

    def __init__(self, spec: RunSpec, contests: Sequence[Contest], root: Path, say: Say) -> None:
        """``root`` is the folder of all results, which no bot may see."""
        self.spec = spec
        self.contests = contests
        self.root = root
        self._say = say
        self._held = ExitStack()
        self.journals = ExitStack()
        """Where journals are held, until all lanes have ended."""
        self._house: HostPolicy | None = None
        self._away: Remote | None = None
        self.choice: IsolationChoice = spec.isolation
        self._until: float | None = None
        count = spec.lanes or cores.lanes()
        self.lanes = Lanes(1 if spec.debug else cores.lanes() if spec.executor is not None else count)

    def __enter__(self) -> Self:
        with ExitStack() as held:
            held.enter_context(self.journals)
            held.enter_context(self.lanes)
            self._away = held.enter_context(_workers(self.spec, self.lanes)) if self.spec.executor is not None else None
            self._held = held.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._held.__exit__(kind, error, traceback)

    def settle(self) -> None:
        """For ``auto``, take the level of the run that is resumed or was planned."""
        if self.spec.isolation == "auto":
            folders = [contest.plan.folder if contest.plan else contest.folder for contest in self.contests]
            self.choice = next((folder.manifest().isolation for folder in folders if folder.begun()), "auto")
        for contest in self.contests:
            contest.settle(level_of(self.choice))

    def resume(self) -> None:
        """Resume the runs in the folders, and check that they have these settings and bots.

        Raises:
            UsageError, DamagedError, LockedError: one differs, is damaged, or is held by another runner.
        """
        self.settle()
        for contest in self.contests:
            contest.resume(self.journals)

    @property
    def house(self) -> HostPolicy:
        """The house of all bots; its level of isolation is proved at the first use.

        Raises:
            UsageError: this machine does not have the level that is asked for by name.
        """
        if self._house is None:
            spec = self.spec
            self._house = host_policy(
                self.choice,
                self.lanes,
                self._say,
                unsaid=self.choice != spec.isolation,
                secret=[self.root, *(path for path in (spec.plan, spec.secret_file) if path is not None)],
                readable=spec.readable,
                build_network=spec.build_network,
            )
        return self._house

    def start(self) -> None:
        """Build, start and greet the bots of all contests, so that errors are found before the first match.

        Raises:
            UsageError, BotError, HostError: a bot cannot start, or this machine fails.
        """
        # a lane proves the level of isolation while the others, which greet bots after that, are started
        self.lanes.start(max((len(contest.bots) for contest in self.contests), default=0))
        house = self.house if any(contest.bots for contest in self.contests) else HostPolicy(level_of(self.choice))
        for contest in self.contests:
            self.start_one(contest, house, keep_going=self.spec.keep_going)

    def start_one(self, contest: Contest, house: HostPolicy, *, keep_going: bool, say: Say | None = None) -> None:
        """Build, start and greet the bots of one contest; where that takes long, ``say`` is told how far it is.

        Raises:
            UsageError, BotError, HostError: a bot cannot start, or this machine fails.
        """
        contest.settle(house.level)
        if contest.local_bots and self._away is not None:
            raise UsageError("expected bots that workers can start, got code of this process", option="executor")
        contest.start(self.lanes, house, say or self._say, keep_going=keep_going)

    def matches_of(self, contest: Contest, watcher: Watcher) -> Generator[Record, None, None]:
        """Play the matches of a contest that are not recorded yet; yield each once it is recorded.

        Where there is a time to play in, no block is begun that would probably not end in it, but at least one is
        played. A contest gets an equal share of the time left, for it and all later contests.

        Raises:
            Interrupted, HostError, OSError: what is recorded stays recorded.
        """
        deadline: float | None = None
        if self.spec.within is not None:
            self._until = self._until or monotonic() + seconds_within(self.spec.within)
            left = self._until - monotonic()
            deadline = monotonic() + left / (len(self.contests) - self.contests.index(contest))
        runner = contest.runner(self.journals, self._say, deadline)
        try:
            yield from runner.matches(self.lanes, watcher, self._away)
        finally:
            if edited := contest.edited():
                self._say(
                    f"expected the files of {', '.join(edited)} to stay as they are while matches are played at none, "
                    "got others: nobody can tell which of the two played"
                )
        contest.ended = runner
        if runner.again:
            self._say(f"void matches that the same command plays again: {runner.again}")
        if runner.left:
            played = f"{runner.manifest.matches - runner.left} of {runner.manifest.known}"
            self._say(f"the time is up: {played} are played, in whole blocks")

    @property
    def voids(self) -> int:
        """The number of void matches of all contests that were played."""
        return sum(contest.ended.voids for contest in self.contests if contest.ended is not None)

    @property
    def pinned(self) -> list[int | None] | None:
        """The core of each lane, None where one is not pinned; None altogether where workers elsewhere play."""
        return self.lanes.cores if self._away is None else None


def _workers(spec: RunSpec, lanes: Lanes) -> "Remote":
    from arena.tournament.executors import Remote, Unreachable, connected  # noqa: PLC0415 - few runs need it

    name, _, address = str(spec.executor).partition("=")
    if not name or not address:
        raise UsageError(f"expected NAME=ADDRESS, got {spec.executor!r}", option="executor")
    try:
        return Remote(connected(name, address=address), lanes, spec.lanes)
    except Unreachable as error:
        raise UsageError(error.text, option="executor") from error
