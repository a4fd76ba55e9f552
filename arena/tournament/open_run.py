"""Runs that are played in one set of lanes, each to its leaderboard.

``run``, ``compare``, ``season`` and the public library go through here. Prints nothing.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from arena.errors import UsageError
from arena.players.launch import Launch
from arena.players.sandboxed import HostPolicy
from arena.record import Record
from arena.report.render import Leaderboard
from arena.tournament import cores
from arena.tournament.contest import Contest, Say, StartedRun, describe_size, set_up
from arena.tournament.decision import Decision, Finished
from arena.tournament.folder import RunFolder
from arena.tournament.isolation import BEST, check_unshown, find_isolation_level, host_policy, no_sandbox
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Loop, Watcher
from arena.tournament.run import Run
from arena.tournament.settings import IsolationChoice, RunSpec, seconds_within
from arena.tournament.spec import claimed
from arena.tournament.standings import write_standings
from arena.words import plural

if TYPE_CHECKING:
    from arena.report.losses import Losses
    from arena.tournament.executors import Remote

LaunchChange: TypeAlias = Callable[[Mapping[str, Launch]], dict[str, Launch]]
"""Changes how bots are started, so that one of them can be watched."""


class OpenRun:
    """A run to be played, or one for each of several games. Use it as a context: it holds lanes and journals.

    At its end no process of a bot is left, however it ends. What is recorded stays: opening it again resumes it.
    """

    def __init__(
        self, spec: RunSpec, contests: Sequence[Contest], root: Path, say: Say, *, ready: bool = False
    ) -> None:
        """Nothing is read or started yet.

        Args:
            spec: what is asked for.
            contests: by game.
            root: the folder of all results, which no bot may see.
            say: is told how it goes.
            ready: whether the context is to begin with ``resume`` and ``start``.
        """
        self.spec = spec
        self.contests = contests
        self.ready: list[StartedRun] = []
        """The runs whose bots ``start`` has started, by game."""
        self.root = root
        self._say = say
        self._ready = ready
        self._resources = ExitStack()
        self._opened = False
        self._stack = ExitStack()
        """Holds journals until all lanes have ended."""
        self._journals: dict[Path, Journal] = {}
        self._house: HostPolicy | None = None
        self._away: Remote | None = None
        self.choice: IsolationChoice = spec.isolation
        self._until: float | None = None
        count = spec.lanes or cores.count_lanes()
        self.lanes = Lanes(1 if spec.debug else cores.count_lanes() if spec.executor is not None else count)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._stack)
            stack.callback(self._journals.clear)
            stack.enter_context(self.lanes)
            self._away = (
                stack.enter_context(_workers(self.spec, self.lanes)) if self.spec.executor is not None else None
            )
            if self._ready:
                self.start(self.resume())
            self._resources = stack.pop_all()
        self._opened = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened = False
        self._resources.__exit__(kind, error, traceback)

    @property
    def path(self) -> Path:
        """The results folder; of several games the folder around theirs."""
        return self.root

    def resolve_isolation(self) -> None:
        """Where no level is named, take that of the run that is resumed or was planned."""
        if self.spec.isolation in BEST:
            folders = [contest.plan or contest.folder for contest in self.contests]
            begun = (folder.manifest().isolation for folder in folders if folder.begun())
            self.choice = next(begun, self.spec.isolation)
        for contest in self.contests:
            contest.play_at(find_isolation_level(self.choice))

    def _claim(self) -> None:
        """Take the results folder that nobody named, under a name of its own; it goes again if nothing is recorded."""
        root, *above = claimed(self.root)
        self._stack.callback(_remove_empty, [root, *above])
        for contest in self.contests:
            contest.folder = RunFolder(root / contest.folder.path.relative_to(self.root), within=root)
        self.root = root

    def hold(self, contest: Contest) -> Journal:
        """The journal of a contest, taken for this process unless it was before.

        Raises:
            DamagedError, LockedError: it is damaged, or held by another runner.
        """
        path = contest.folder.path
        if path not in self._journals:
            self._journals[path] = self._stack.enter_context(contest.folder.hold())
        return self._journals[path]

    def resume(self) -> list[Decision]:
        """Hold the journals of the runs in the folders, and decide by contest what to do with each.

        Raises:
            UsageError, DamagedError, LockedError: one has other settings or bots, is damaged, or is held by another
                runner.
        """
        if self.spec.out is None:
            self._claim()
        self.resolve_isolation()
        with self.lanes.interruptible():
            return [self.decide(contest) for contest in self.contests]

    def decide(self, contest: Contest) -> Decision:
        """Hold the journal of a contest if its run has begun, and decide what to do; as ``resume``."""
        return contest.decide(self.hold(contest) if contest.folder.begun() else None)

    @property
    def policy(self) -> HostPolicy:
        """The host of all bots; its level of isolation is proved at the first use.

        Raises:
            UsageError: this machine does not have the level that is asked for by name.
            HostError: nobody can tell now which levels it has.
        """
        if self._house is None:
            spec = self.spec
            self._house = host_policy(
                self.choice,
                self.lanes,
                self._say,
                limits=self.contests[0].settings.limits,
                bots=[bot for contest in self.contests for bot in contest.bots],
                unsaid=self.choice != spec.isolation,
                secret=[self.root, *(path for path in (spec.plan, spec.secret_file) if path is not None)],
                readable=spec.readable,
                build_network=spec.build_network,
                network=spec.network,
            )
        return self.walled(self._house) if self.spec.isolation == "sandboxed" else self._house

    def walled(self, policy: HostPolicy | None = None) -> HostPolicy:
        """The host of bots of others, who play in a sandbox unless ``none`` was asked for by name.

        Raises:
            UsageError: no sandbox is to be had.
            HostError: nobody can tell now.
        """
        policy = policy or self.policy
        if policy.level == "none" and self.spec.isolation in BEST:
            raise no_sandbox()
        return policy

    def start(self, decisions: Sequence[Decision], change: LaunchChange = dict) -> None:
        """Build, start and greet the bots of all contests, so that errors are found before the first match.

        Args:
            decisions: what to do, by contest.
            change: changes how bots are started.

        Raises:
            UsageError, BotError, HostError: a bot cannot start, or this machine fails.
        """
        due = list(zip(self.contests, decisions, strict=True))
        counts = [len(contest.bots) for contest, decision in due if not isinstance(decision, Finished)]
        # a lane proves the level of isolation while the others, which greet bots after that, are started
        self.lanes.start(max(counts, default=0))
        policy = self.policy if any(counts) else HostPolicy(find_isolation_level(self.choice))
        self.ready = []
        for contest, decision in due:
            run = self.start_run(contest, decision, policy, keep_going=self.spec.keep_going)
            run.launches = change(run.launches)
            self.ready.append(run)

    def start_run(
        self, contest: Contest, decision: Decision, policy: HostPolicy, *, keep_going: bool, say: Say | None = None
    ) -> StartedRun:
        """Build, start and greet the bots of one contest; where that takes long, ``say`` is told how far it is.

        Raises:
            UsageError, BotError, HostError: a bot cannot start, or this machine fails.
        """
        if self._away is not None and any(bot.local for bot in contest.bots):
            raise UsageError("expected bots that workers can start, got code of this process", option="executor")
        return contest.start(decision, self.lanes, policy, say or self._say, keep_going=keep_going)

    def play(self, watcher: Watcher | None = None) -> Iterator[Record]:
        """Play the missing matches, and give each match once it is recorded.

        Whoever leaves the loop stops the run there; it can be resumed.

        Raises:
            UsageError: the run is not open.
            Interrupted, HostError: a signal came, or this machine fails.
        """
        if not self._opened:
            raise UsageError("expected the run to be open: `with arena.open_run(...) as run`")
        for run in self.ready:
            yield from self.matches_of(run, watcher or Watcher())
            write_standings(run.folder)

    def matches_of(self, run: StartedRun, watcher: Watcher) -> Generator[Record, None, None]:
        """Play the matches of a run that are not recorded yet; yield each once it is recorded.

        Where there is a time to play in, no block is begun that would probably not end in it, but at least one is
        played. A contest gets an equal share of the time left, for it and all later contests.

        Raises:
            UsageError, DamagedError, LockedError: the folder cannot be made, is damaged, or is in use.
            Interrupted, HostError, OSError: what is recorded stays recorded.
        """
        loop = self._make_loop(run)
        try:
            yield from loop.matches(self.lanes, watcher, self._away)
        finally:
            if edited := run.find_edited():
                self._say(
                    f"expected the files of {', '.join(edited)} to stay as they are while matches are played at none, "
                    "got others: nobody can tell which of the two played"
                )
        run.voids, run.remainder = loop.voids, loop.remainder
        if loop.again:
            self._say(f"void matches that the same command plays again: {loop.again}")
        if loop.remainder:
            manifest = loop.manifest
            so_far = "" if manifest.drawn_whole else " of the rounds so far"
            are = plural(manifest.matches, "match is", "matches are")
            played = f"{manifest.matches - loop.remainder} of {are} played{so_far}"
            lacks = f"{plural(loop.remainder, 'match')} of shard {manifest.shard} left"
            self._say(f"the time is up: {lacks if manifest.shard else played}, in whole blocks")

    def _make_loop(self, run: StartedRun) -> Loop:
        """Write the manifest of a run, and make the loop that plays it."""
        deadline: float | None = None
        if self.spec.within is not None:
            self._until = self._until or monotonic() + seconds_within(self.spec.within)
            seconds = self._until - monotonic()
            deadline = monotonic() + seconds / (len(self.contests) - self.contests.index(run.contest))
        check_unshown(run.folder.path)
        run.folder.make()
        journal = self.hold(run.contest)
        with self.lanes.interruptible():
            manifest, secrets = set_up(run.decision, run.folder)
        if size := describe_size(run.decision, run.contest.settings):
            self._say(size)
        return Loop(
            run.folder,
            manifest,
            journal,
            run.launches,
            secrets=secrets,
            played=() if run.contest.plan is None else run.contest.plan.outcomes(),
            local_bots=run.local_bots,
            deadline=deadline,
            keeps_notes=not self.spec.no_notes,
        )

    @property
    def voids(self) -> int:
        """The number of void matches of all runs that were played."""
        return sum(run.voids for run in self.ready)

    @property
    def pinned(self) -> list[int | None] | None:
        """The core of each lane, None where one is not pinned; None altogether where workers elsewhere play."""
        return self.lanes.cores if self._away is None else None

    @property
    def runs(self) -> list[Run]:
        """The recorded runs, one for each game."""
        return [Run(contest.folder) for contest in self.contests]

    def leaderboard(self, *, past: bool = False) -> Leaderboard:
        """The ratings of the matches so far.

        Raises:
            UsageError: there are several games, each with a leaderboard of its own in ``runs``.
        """
        return self._only.leaderboard(past=past)

    def losses(self, bot: str) -> "Losses":
        """Where a bot loses, and its faults with its stderr; as ``Run.losses``.

        Raises:
            UsageError: no such bot was entered, or there are several games: see ``runs``.
        """
        return self._only.losses(bot)

    @property
    def _only(self) -> Run:
        if len(self.contests) != 1:
            raise UsageError(f"expected a run of one game, got {len(self.contests)}: see `runs`")
        return self.runs[0]


def _remove_empty(folders: Sequence[Path]) -> None:
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _workers(spec: RunSpec, lanes: Lanes) -> "Remote":
    from arena.tournament.executors import Remote, connected  # noqa: PLC0415 - few runs need it

    return Remote(connected(str(spec.executor)), lanes, spec.lanes)
