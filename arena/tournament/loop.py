"""Playing a run from its set-up or its last session to its last match: feeds the lanes, writes the journal.

Knows no rating and prints nothing: a ``Watcher`` hears how the run goes.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Self

import msgspec

from arena import record as records
from arena.players.head_and_tail import HeadAndTail
from arena.players.launch import Launch
from arena.players.local import Conversation, LocalBots
from arena.record import MatchResult, Record
from arena.referee import void
from arena.tournament.folder import TOLD_EVERY, VOID_SESSIONS, BrokenRun, Manifest, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lane_messages import VOIDS, BotLine, Errors, Job, MatchOver, Message, PlayUnit, SeatMessage
from arena.tournament.lanes import Lanes
from arena.tournament.plan import forget_schedules, with_audit
from arena.tournament.remaining import Remaining
from arena.tournament.secrets import Secret

if TYPE_CHECKING:
    from arena.tournament.executors import Remote

LOG_LIMIT = 1 << 20
"""Bytes after which a bot's log takes no more."""
_SHORTEST = 1e-6
"""Seconds that matches are taken to last at least."""


class Watcher:
    """Follows a run while it is played; by itself it does nothing."""

    def begin(self, manifest: Manifest, lanes: Lanes) -> None:
        """The run is set up."""

    def further(self, manifest: Manifest) -> None:
        """A round of a format that pairs by results is over, and there is another one to play."""

    def recalled(self, *, matches: int, faults: int, outcomes: Iterator[MatchResult]) -> None:
        """Earlier sessions have played so many matches.

        Their outcomes are read from the journal as they are asked for, in the order in which the matches were finished.
        """

    def played(self, record: Record) -> None:
        """One more match is recorded."""

    def show_line(self, line: BotLine) -> None:
        """A line to or from the bot that is debugged."""

    def tick(self) -> None:
        """About ten times a second."""


class Loop:
    """Plays the missing matches of a run in its folder, in lanes or elsewhere, and records each."""

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
        keeps_notes: bool = True,
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
        self._schedule = self._jobs.schedule
        for record in played:
            self._recall(record)
        self._local = LocalBots(local_bots or {})
        self._fresh: deque[Record] = deque()
        self._losses: dict[str, int] = {}
        self._logs: dict[str, HeadAndTail] = {}
        self.voids = 0
        """Matches of the whole journal that are void."""
        self.again = 0
        """Those of them that the next session plays again."""
        self._earlier_seconds = self._start = self._last_write = 0.0
        self._deadline = deadline
        self._keeps_notes = keeps_notes and not manifest.shard
        self._durations: list[float] = []
        """Seconds of the matches of this session, where there is a deadline."""
        self._longest = 0.0

    def play(self, lanes: Lanes, watcher: Watcher, away: "Remote | None" = None) -> Self:
        """Play the missing matches to the end; as ``matches``."""
        for _ in self.matches(lanes, watcher, away):
            pass
        return self

    @property
    def remainder(self) -> int:
        """Matches that remain because the time was up; for a format that pairs by results, those of its round."""
        return 0 if self._complete else sum(match not in self._recorded for match in self._jobs.ids())

    def matches(self, lanes: Lanes, watcher: Watcher, away: "Remote | None" = None) -> Iterator[Record]:
        """Play the missing matches, here or ``away``, and give each once it is recorded.

        At the end the secrets are revealed. If the caller stops asking for matches, playing stops.

        Raises:
            Interrupted, HostError: from the lanes, or from those away. What is recorded stays so.
            OSError: the journal cannot be written.
        """
        watcher.begin(self.manifest, lanes)
        self._recall_past(watcher)
        earlier = len(self._recorded)
        if earlier < self.manifest.matches:
            # matches that a finished run lacks get new records, so its seal no longer holds
            self.manifest = msgspec.structs.replace(self.manifest, finished=False)
            self._earlier_seconds = self.manifest.seconds + self.folder.untold_seconds()
            self._start = monotonic()
            self._tell_seconds()
            with lanes.interruptible():
                # of a long schedule that takes seconds
                _ = self._schedule.chunks
            try:
                while True:
                    for job, message in self._messages(lanes, watcher, away):
                        self._take_message(job, message, lanes, watcher)
                        yield from self._news(watcher)
                    yield from self._news(watcher)
                    # a round with void matches that the next session plays again is not over
                    if (self.voids and self._again()) or not self._advance():
                        break
                    watcher.further(self.manifest)
            finally:
                self._write_logs()
                self._tell_seconds()
        self.again = len(self._again())
        if not self.again and self._complete:
            self._reveal(played=len(self._recorded) > earlier)

    def _messages(self, lanes: Lanes, watcher: Watcher, away: "Remote | None") -> Iterator[tuple[Job, Message]]:
        room = None if self._deadline is None else partial(self._room, lanes.count)
        if away is not None:
            # workers are taken to be on machines of their own, where tables share nothing
            return away.messages(self._jobs.jobs(room=room), self._lost, watcher.tick)
        # without a sandbox a bot can tell its other processes anything, at whatever time they live
        apart = any(launch.sandbox.level != "none" for launch in self._bots.values())
        playing = (lambda: {job.unit for job in lanes.doing if isinstance(job, PlayUnit)}) if apart else None
        # else parts of a unit could be on two tables, and who is withdrawn would depend on which ends first
        longest = (lambda: self._longest) if room is None and (apart or lanes.count == 1) else None
        met = (lambda: lanes.met) if any(launch.lasting for launch in self._bots.values()) else None
        jobs = self._jobs.jobs(lanes=lanes.count, room=room, playing=playing, longest=longest, met=met)
        return lanes.messages(jobs, self._lost, watcher.tick)

    @property
    def _complete(self) -> bool:
        """Whether no job is left; only a deadline leaves some."""
        return self._deadline is None or next(iter(self._jobs), None) is None

    def _room(self, lanes: int, waiting: int) -> float:
        """How many matches are likely to end before the deadline, besides those in lanes."""
        assert self._deadline is not None  # noqa: S101 - only asked where there is one
        if not self._durations:
            # as long as no match has been timed, each lane may begin a block
            return float(max(self.manifest.seats))
        seconds = self._deadline - monotonic()
        return seconds * lanes * len(self._durations) / max(sum(self._durations), _SHORTEST) - waiting

    def _recall_past(self, watcher: Watcher) -> None:
        """Take over the matches of earlier sessions, except void ones that are played again.

        Raises:
            BrokenRun: one is not of this run.
        """
        again, past = self._again(), self._journal.index
        self._schedule.recall(self._outcomes(again))
        further = self._advance()
        if foreign := self._schedule.find_foreign():
            raise BrokenRun(
                f"{self.folder.journal}: match {foreign[0]}: expected a match of this run, with its bots, got another; "
                "see `arena verify`"
            )
        if not past.known:
            for record in self._outcomes(again):
                self._recall(record)
        else:
            self._recorded.update(f"e{epoch}b{block}r{rotation}" for epoch, block, rotation in past.matches())
            self._recorded -= again
            self._jobs.retired.update(past.retired)
        self.voids += len(past.standing - again)
        watcher.recalled(matches=len(self._recorded), faults=past.faults, outcomes=self._outcomes(again))
        if further:
            watcher.further(self.manifest)

    def _outcomes(self, again: Container[str]) -> Iterator[MatchResult]:
        return (record for record in self.folder.outcomes() if record.id not in again)

    def _again(self) -> frozenset[str]:
        return frozenset() if self.manifest.finished else self._journal.index.unsettled(VOID_SESSIONS)

    def _advance(self) -> bool:
        """Move to the first round that is not over; returns whether there is one that is new."""
        further = self._jobs.advance()
        self.manifest = self._schedule.count(self.manifest)
        return further

    def _news(self, watcher: Watcher) -> Iterator[Record]:
        while self._fresh:
            record = self._fresh.popleft()
            watcher.played(record)
            yield record

    def _tell_seconds(self) -> None:
        """Write down how long the session has played so far: a killed session cannot do that at its end."""
        self._last_write = monotonic()
        self.manifest = msgspec.structs.replace(
            self.manifest, seconds=round(self._earlier_seconds + self._last_write - self._start, 3)
        )
        self.folder.write_manifest(self.manifest)

    def _recall(self, record: MatchResult) -> None:
        self._recorded.add(record.id)
        if record.retired:
            self._jobs.retired[record.id] = frozenset(record.bots[seat] for seat in record.retired)

    def _take_message(self, job: Job, message: Message, lanes: Lanes, watcher: Watcher) -> None:
        if isinstance(message, MatchOver):
            self._write(bytes(message.record))
            if message.notes and self._keeps_notes:
                from arena.tournament.notes import keep_notes  # noqa: PLC0415 - few bots write notes

                keep_notes(self.folder, self._fresh[-1], message.notes)
        elif isinstance(message, Errors):
            self._logs.setdefault(message.bot, self._bots[message.bot].make_buffer()).add(message.text)
        elif isinstance(message, BotLine):
            watcher.show_line(message)
        elif isinstance(message, SeatMessage):
            line = bytes(message.message)
            lanes.answer(job, self._local.answer(job, message.bot, line, lanes.doing))

    def _write(self, body: bytes) -> None:
        self._journal.append(body)
        # one sync for each match: with several records in a sync, power loss could keep a later and lose an earlier one
        self._journal.sync()
        record = records.decode(body)
        self._recall(record)
        self._schedule.take(record)
        self.voids += record.reason == "void"
        self._longest = max(self._longest, record.seconds)
        if self._deadline is not None:
            self._durations.append(record.seconds)
        self._fresh.append(record)
        if monotonic() - self._last_write > TOLD_EVERY:
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
        for name, log in sorted(self._logs.items()):
            self.folder.log(name, log.text(), LOG_LIMIT)
        self._logs.clear()

    def _reveal(self, *, played: bool) -> None:
        """Reveal the secrets when all matches are played; of a shard, only those that are public."""
        complete = not self.manifest.shard
        if not complete and not self.manifest.seed_given:
            return
        revealed = self.manifest.revealed(self._secrets)
        if self.manifest.finished is complete and revealed == self.manifest and not played:
            return
        sealed = self._journal.seal() if complete else None
        if complete and not revealed.audits:
            # an older version audited a run of more than a million matches at its end
            revealed = with_audit(revealed, self._schedule.blocks)
        self.manifest = msgspec.structs.replace(revealed, finished=complete, sealed=sealed)
        self.folder.write_manifest(self.manifest)
        self.folder.forget_secrets()
        forget_schedules(self.manifest, self._secrets)
