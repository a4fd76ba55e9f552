"""A tournament from its settings to its last match: begins or resumes it, feeds the lanes, writes the journal.

Knows no rating and prints nothing: a ``Watcher`` hears how the run goes.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from arena import record as records
from arena.errors import UsageError
from arena.formats.schedule import Block
from arena.formats.until import TooManyPlaces
from arena.game import Game
from arena.players.launch import Launch
from arena.players.local import Conversation, LocalBots
from arena.players.spawn import HeadAndTail
from arena.record import MatchResult, Record
from arena.referee import void
from arena.tournament.folder import BALANCED, TOLD_EVERY, VOID_SESSIONS, Broken, Entrant, Manifest, RunFolder, Shard
from arena.tournament.journal import Journal, seal
from arena.tournament.lane_messages import VOIDS, Errors, Job, MatchOver, Message, PlayUnit, Shown, Told
from arena.tournament.lanes import Lanes
from arena.tournament.plan import Settings, audits, first_manifest, forget_schedules, playing, secret_of
from arena.tournament.remaining import Remaining
from arena.tournament.resume import Mismatch, Resumption, continued, see_cut, without_rest
from arena.tournament.rounds import see_playable
from arena.tournament.secrets import Secret
from arena.tournament.shard import check_same_shard, shard_manifest

if TYPE_CHECKING:
    from arena.tournament.executors import Remote

LOG_LIMIT = 1 << 20
"""Bytes after which a bot's log takes no more."""
_SHORTEST = 1e-6
"""Seconds that matches are taken to last at least."""


class Recalled(Struct, frozen=True, kw_only=True):
    """The matches of earlier sessions."""

    matches: int
    faults: int
    outcomes: Iterator[MatchResult]
    """How they ended, in the order in which they were finished; read from the journal as it is asked for, once."""


class Watcher:
    """Follows a run while it is played; by itself it does nothing."""

    def begin(self, manifest: Manifest, lanes: Lanes) -> None:
        """The run is set up."""

    def further(self, manifest: Manifest) -> None:
        """A round of a format that pairs by results is over, and there is another one to play."""

    def recalled(self, recalled: Recalled) -> None:
        """Earlier sessions have played these matches."""

    def played(self, record: Record) -> None:
        """One more match is recorded."""

    def shown(self, shown: Shown) -> None:
        """A line to or from the bot that is debugged."""

    def tick(self) -> None:
        """About ten times a second."""


class Ended(Struct, frozen=True):
    """How a session of the runner ended."""

    manifest: Manifest
    voids: int
    """Matches of the whole journal that are void."""
    again: int = 0
    """Those of them that the next session plays again."""
    left: int = 0
    """Matches that remain because the time was up; for a format that pairs by results, those of its round."""


def agreed(
    folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> Resumption:
    """The run in the folder, ready to be resumed; with a new epoch if these settings or entrants extend it.

    Raises:
        arena.tournament.resume.Mismatch: the folder holds a run with other settings.
        arena.tournament.folder.Broken: its manifest is damaged.
    """
    try:
        return continued(folder.manifest(), settings, game, entrants, retry)
    except Mismatch as difference:
        raise Mismatch(f"{folder.path} holds another run: {difference}; another -o begins a new one") from None


def set_up(
    folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> Manifest:
    """Write the manifest of a new run; or check that of the run in the folder, and extend it if needed.

    Raises:
        arena.tournament.resume.Mismatch: the folder holds a run with other settings.
        arena.tournament.folder.Broken: its manifest or secrets are damaged.
    """
    if not folder.begun():
        secret = secret_of(settings, 0)
        see_schedule(settings, playing(entrants))
        manifest = first_manifest(settings, game, entrants, secret)
    else:
        further = agreed(folder, settings, game, entrants, retry)
        manifest = further.manifest
        if further.secret is None:
            if manifest != folder.manifest():
                # no match is missing, but other bots take part
                folder.write_manifest(manifest)
            return manifest
        secret = further.secret
    folder.write_secrets({manifest.epochs[-1].number: secret.seed_text})
    if folder.begun() and not manifest.drawn_whole:
        # the next rounds follow from results, so nothing more can be drawn yet
        folder.write_manifest(manifest)
        return manifest
    return _drawn(folder, manifest, folder.secrets_of(manifest))


def set_up_shard(
    folder: RunFolder, *, plan: RunFolder, shard: Shard, beacon: str | None, seed: str | None
) -> tuple[Manifest, dict[int, Secret]]:
    """Write the manifest of a run that was planned elsewhere, or of a shard of it; or read the one in the folder.

    The secrets stay with the plan, or with the caller, who gives the text of the last epoch's as ``seed``.

    Raises:
        arena.tournament.resume.Mismatch: the folder holds another run, or the beacon is not as announced.
        arena.tournament.folder.Broken: the plan is damaged or its secret is not there.
    """
    manifest = shard_manifest(plan.manifest(), shard, beacon)
    see_cut(manifest, manifest.shard)
    last = manifest.epochs[-1].number
    texts = {**({last: seed} if seed is not None else {}), **plan.kept_secrets()}
    if last not in texts and manifest.epochs[-1].seed is None:
        raise Broken(f"{plan.path}: expected the secret of epoch {last} in secret.json or by --secret-file, got none")
    secrets = plan.secrets_of(manifest, texts)
    if folder.begun():
        there = folder.manifest()
        try:
            check_same_shard(there, manifest)
        except Mismatch as difference:
            raise Mismatch(f"{folder.path} holds another run: {difference}; another -o begins a new one") from None
        return there, secrets
    return _drawn(folder, manifest, secrets), secrets


def give_up(folder: RunFolder) -> Manifest:
    """End a run that cannot be finished: give up the matches that remain, and reveal the secrets.

    Raises:
        arena.tournament.folder.Broken: its secrets are not there.
    """
    manifest = folder.manifest()
    secrets = folder.secrets_of(manifest)
    recorded = {record.id for record in folder.outcomes()}
    manifest = without_rest(manifest, secrets, recorded).revealed(_texts(secrets))
    manifest = msgspec.structs.replace(manifest, finished=True, sealed=seal(folder.journal))
    folder.write_manifest(manifest)
    folder.forget_secrets()
    return manifest


def _texts(secrets: Mapping[int, Secret]) -> dict[int, str]:
    return {number: secret.seed_text for number, secret in secrets.items()}


def _drawn(folder: RunFolder, manifest: Manifest, secrets: Mapping[int, Secret]) -> Manifest:
    """The manifest, written to disk with the audit of its schedule."""
    manifest = _with_audit(manifest, Remaining(manifest, secrets, {}, ()).blocks)
    folder.write_manifest(manifest)
    return manifest


def _with_audit(manifest: Manifest, blocks: Sequence[Block]) -> Manifest:
    """The manifest with the audit of these blocks and, for a format that pairs by results, the number of matches."""
    if not manifest.drawn_whole:
        counts = Counter(block.epoch for block in blocks for _ in block.seating)
        epochs = [msgspec.structs.replace(epoch, matches=counts[epoch.number]) for epoch in manifest.epochs]
        manifest = msgspec.structs.replace(manifest, epochs=tuple(epochs))
    return msgspec.structs.replace(manifest, audits=audits(manifest, blocks))


def see_schedule(settings: Settings, names: Sequence[str]) -> None:
    """Check that entrants of these names can play the schedule.

    Raises:
        UsageError: it cannot.
    """
    if settings.schedule != BALANCED:
        try:
            see_playable(settings.schedule, names, seats=settings.seats[0], matches=settings.matches)
        except TooManyPlaces as error:
            raise UsageError(str(error), option="until") from None
        except (LookupError, ValueError) as error:
            raise UsageError(str(error), option="schedule") from None


class Runner:
    """One session of playing in one run folder; it holds the journal until ``close``."""

    def __init__(
        self,
        folder: RunFolder,
        manifest: Manifest,
        journal: Journal,
        bots: Mapping[str, Launch],
        *,
        secrets: Mapping[int, Secret] | None = None,
        played: Iterable[MatchResult] = (),
        local_bots: Mapping[str, Callable[[], Conversation]] | None = None,
        deadline: float | None = None,
    ) -> None:
        """``secrets``: those of a shard, whose folder holds none; ``played``: matches that are recorded elsewhere.

        ``local_bots`` make the bots that play in this process, by name. No block is begun that would hardly end before
        the ``deadline``, a time of ``monotonic``, but at least one is played.
        """
        self.folder = folder
        self.manifest = manifest
        self._journal = journal
        self._bots = bots
        self._recorded: set[str] = set()
        self._secrets = folder.secrets_of(manifest) if secrets is None else secrets
        self._jobs = Remaining(manifest, self._secrets, bots, self._recorded, manifest.part)
        for record in played:
            self._recall(record)
        self._local = LocalBots(local_bots or {})
        self._fresh: deque[Record] = deque()
        self._losses: dict[str, int] = {}
        self._logs: dict[str, HeadAndTail] = {}
        self._voids = 0
        self._unsettled = 0
        self._before = self._began = self._told = 0.0
        self._deadline = deadline
        self._sat: list[float] = []
        """Seconds of the matches of this session, where there is a deadline."""

    def play(self, lanes: Lanes, watcher: Watcher, away: "Remote | None" = None) -> Ended:
        """Play the missing matches to the end; as ``matches``."""
        for _ in self.matches(lanes, watcher, away):
            pass
        return self.ended

    @property
    def ended(self) -> Ended:
        """The progress of the run."""
        left = 0 if self._complete else self.manifest.matches - len(self._recorded)
        return Ended(self.manifest, voids=self._voids, again=self._unsettled, left=left)

    def matches(self, lanes: Lanes, watcher: Watcher, away: "Remote | None" = None) -> Iterator[Record]:
        """Play the missing matches, here or ``away``, and give each once it is recorded.

        At the end the secrets are revealed. If the caller stops asking for matches, playing stops.

        Raises:
            Interrupted, HostError: from the lanes, or from those away. What is recorded stays so.
            OSError: the journal cannot be written.
        """
        watcher.begin(self.manifest, lanes)
        self._recall_past(watcher)
        self._recall_rounds(watcher)
        earlier = len(self._recorded)
        if earlier < self.manifest.matches:
            # matches that a finished run lacks get new records, so its seal no longer holds
            self.manifest = msgspec.structs.replace(self.manifest, finished=False)
            self._before = self.manifest.seconds + self.folder.untold_seconds()
            self._began = monotonic()
            self._tell_seconds()
            try:
                further = True
                while further:
                    for job, message in self._messages(lanes, watcher, away):
                        self._heard(job, message, lanes, watcher)
                        yield from self._news(watcher)
                    yield from self._news(watcher)
                    further = self._next_round(watcher)
            finally:
                self._write_logs()
                self._tell_seconds()
        self._unsettled = len(self._again())
        if not self._unsettled and self._complete:
            self._reveal(played=len(self._recorded) > earlier)

    def _messages(self, lanes: Lanes, watcher: Watcher, away: "Remote | None") -> Iterator[tuple[Job, Message]]:
        room = None if self._deadline is None else partial(self._room, lanes.count)
        if away is not None:
            # workers are taken to be on machines of their own, where tables share nothing
            return away.messages(self._jobs.jobs(room=room), self._lost, watcher.tick)

        def under_way() -> set[int]:
            return {job.unit for job in lanes.doing if isinstance(job, PlayUnit)}

        # without a sandbox a bot can tell its other processes anything, at whatever time they live
        apart = any(launch.sandbox.level != "none" for launch in self._bots.values())
        jobs = self._jobs.jobs(lanes=lanes.count, room=room, playing=under_way if apart else None)
        return lanes.messages(jobs, self._lost, watcher.tick)

    @property
    def _complete(self) -> bool:
        """Whether no job is left; only a deadline leaves some."""
        return self._deadline is None or next(iter(self._jobs), None) is None

    def _room(self, lanes: int, waiting: int) -> float:
        """How many matches are likely to end before the deadline, besides those in lanes."""
        assert self._deadline is not None  # noqa: S101 - only asked where there is one
        if not self._sat:
            # as long as no match has been timed, each lane may begin a block
            return float(max(self.manifest.seats))
        left = self._deadline - monotonic()
        return left * lanes * len(self._sat) / max(sum(self._sat), _SHORTEST) - waiting

    def _recall_past(self, watcher: Watcher) -> None:
        """Take over the matches of earlier sessions, except void ones that are played again."""
        again, past = self._again(), self._journal.index
        if self._jobs.rounds is not None or not past.known:
            for record in self.folder.outcomes():
                if record.id not in again:
                    self._recall(record)
        else:
            if not self.manifest.finished:
                # of a finished run the seal of its journal was held against it
                self._see_first()
            self._recorded.update(f"e{epoch}b{block}r{rotation}" for epoch, block, rotation in past.matches())
            self._recorded -= again
            self._jobs.retired.update(past.retired)
        self._voids += len(past.standing - again)
        played = (record for record in self.folder.outcomes() if record.id not in again)
        watcher.recalled(Recalled(matches=len(self._recorded), faults=past.faults, outcomes=played))

    def _see_first(self) -> None:
        """Check that the first record is of this run: the journal of another run may have taken the place of its own.

        Raises:
            Broken: it is not.
        """
        first = next(self.folder.outcomes(), None)
        if first is not None and not self._jobs.knows(first):
            raise Broken(
                f"{self.folder.journal}: match {first.id}: expected a match of this run, with its bots, got another; "
                "see `arena verify`"
            )

    def _again(self) -> frozenset[str]:
        """The ids of void matches that the next session plays again."""
        return frozenset() if self.manifest.finished else self._journal.index.unsettled(VOID_SESSIONS)

    def _recall_rounds(self, watcher: Watcher) -> None:
        """Move to the round in which the last session ended."""
        if self._jobs.rounds is None:
            return
        if self._jobs.advance():
            self._count(watcher)
        elif self._jobs.rounds.round is None:
            self.manifest = _with_audit(self.manifest, self._jobs.blocks)
        if strange := self._jobs.rounds.strange():
            raise Broken(
                f"match {strange[0]}: expected a match of the rounds so far, with its bots, got another; "
                "see `arena verify`"
            )

    def _next_round(self, watcher: Watcher) -> bool:
        """Move to the next round; returns whether there is one.

        A round with void matches that the next session plays again is not over.
        """
        if self._jobs.rounds is None or (self._voids and self._again()):
            return False
        if self._jobs.advance():
            self._count(watcher)
            return True
        self.manifest = _with_audit(self.manifest, self._jobs.blocks)
        return False

    def _count(self, watcher: Watcher) -> None:
        self.manifest = _with_audit(self.manifest, self._jobs.blocks)
        watcher.further(self.manifest)

    def _news(self, watcher: Watcher) -> Iterator[Record]:
        """The matches that were recorded since the last call."""
        while self._fresh:
            record = self._fresh.popleft()
            watcher.played(record)
            yield record

    def _tell_seconds(self) -> None:
        """Write down how long the session has played so far: a killed session cannot do that at its end."""
        self._told = monotonic()
        self.manifest = msgspec.structs.replace(
            self.manifest, seconds=round(self._before + self._told - self._began, 3)
        )
        self.folder.write_manifest(self.manifest)

    def _note(self, record: MatchResult) -> None:
        self._recall(record)
        self._voids += record.reason == "void"

    def _recall(self, record: MatchResult) -> None:
        self._recorded.add(record.id)
        if self._jobs.rounds is not None:
            self._jobs.rounds.take(record)
        if record.retired:
            self._jobs.retired[record.id] = frozenset(record.bots[seat] for seat in record.retired)

    def _heard(self, job: Job, message: Message, lanes: Lanes, watcher: Watcher) -> None:
        if isinstance(message, MatchOver):
            self._write(bytes(message.record))
        elif isinstance(message, Errors):
            self._logs.setdefault(message.bot, self._bots[message.bot].kept()).add(message.text)
        elif isinstance(message, Shown):
            watcher.shown(message)
        elif isinstance(message, Told):
            line = bytes(message.message)
            lanes.answer(job, self._local.answer(job, message.bot, line, lanes.doing))

    def _write(self, body: bytes) -> None:
        self._journal.append(body)
        # one sync for each match: with several records in a sync, power loss could keep a later and lose an earlier one
        self._journal.sync()
        record = records.decode(body)
        self._note(record)
        if self._deadline is not None:
            self._sat.append(record.seconds)
        self._fresh.append(record)
        if monotonic() - self._told > TOLD_EVERY:
            self._tell_seconds()

    def _lost(self, job: Job) -> Job | None:
        """A lane died in this unit: its next match counts as void once; at ``VOIDS`` it is recorded so."""
        assert isinstance(job, PlayUnit)  # noqa: S101 - only units are played here
        rest = self._jobs.rest(job)
        if rest is None:
            return None
        match = rest.matches[0]
        self._losses[match.id] = self._losses.get(match.id, 0) + 1
        if self._losses[match.id] < VOIDS:
            return rest
        self._write(records.encode(void(match, "the lane's process was ended")))
        return self._jobs.rest(job)

    def _write_logs(self) -> None:
        """Add the stderr of this session to each bot's log."""
        for name, kept in sorted(self._logs.items()):
            self.folder.log(name, kept.text(), LOG_LIMIT)
        self._logs.clear()

    def _reveal(self, *, played: bool) -> None:
        """Reveal the secrets when all matches are played; of a shard, only those that are public."""
        whole = not self.manifest.shard
        if not whole and not self.manifest.seed_given:
            return
        revealed = self.manifest.revealed(_texts(self._secrets))
        if self.manifest.finished is whole and revealed == self.manifest and not played:
            return
        sealed = seal(self.folder.journal) if whole else None
        if whole and not revealed.audits:
            # an older version audited a run of more than a million matches at its end
            revealed = _with_audit(revealed, self._jobs.blocks)
        self.manifest = msgspec.structs.replace(revealed, finished=whole, sealed=sealed)
        self.folder.write_manifest(self.manifest)
        self.folder.forget_secrets()
        forget_schedules(self.manifest, self._secrets)
