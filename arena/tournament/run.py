"""A tournament from its settings to its last recorded match: set up or go on, feed the lanes, write the journal.

Knows no rating and prints nothing: whoever watches is told through ``Watch``.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import Struct

from arena import record as records
from arena.game import Game
from arena.players.launch import Launch
from arena.players.stderr import Kept
from arena.record import Outcome, Record
from arena.referee import void
from arena.tournament.continuing import Continued, Mismatch, continued, without_rest
from arena.tournament.folder import Broken, Entrant, Manifest, RunFolder
from arena.tournament.jobs import Errors, Greeted, Job, Message, Play, Played, Preflight, Shown
from arena.tournament.journal import Journal, seal
from arena.tournament.lane import VOIDS
from arena.tournament.lanes import Lanes
from arena.tournament.outstanding import Jobs, Recorded, Shard, shard_of
from arena.tournament.part import part_of, same_part
from arena.tournament.plan import Settings, audits, first_manifest, secret_of
from arena.tournament.secrets import Secret
from arena.wire import PROTOCOL, Hello

if TYPE_CHECKING:
    from arena.tournament.executors import Remote

LOG_LIMIT = 1 << 20
"""Bytes after which a bot's log takes no more."""


class Watch(Protocol):
    """Whoever follows a run while it goes on."""

    def begin(self, manifest: Manifest, lanes: Lanes) -> None:
        """The run is set up."""

    def recalled(self, record: Outcome) -> None:
        """A match that an earlier sitting has played."""

    def played(self, record: Record) -> None:
        """One more match is recorded."""

    def shown(self, shown: Shown) -> None:
        """What a bot that is debugged was sent or says, as it comes."""

    def tick(self) -> None:
        """About ten times a second."""


class Ended(Struct, frozen=True):
    """How a sitting of the runner ended."""

    manifest: Manifest
    voids: int
    """Void matches in the whole journal."""


class NotReady(Struct, frozen=True):
    """A bot that could not be started or did not say it was ready."""

    bot: str
    command: tuple[str, ...]
    why: str
    hint: str
    errors: bytes


def preflight(lanes: Lanes, settings: Settings, game: Game, bots: Mapping[str, Launch]) -> list[NotReady]:
    """Start every bot once and greet it; those that are not ready."""
    hello = Hello(
        protocol=PROTOCOL,
        match="preflight",
        game=game.name,
        version=game.version,
        variants=settings.variants,
        seat=0,
        seats=settings.seats[0],
        seed=0,
        limits=settings.limits,
    )
    failed: list[NotReady] = []

    def heard(_job: Job, message: Message) -> None:
        if isinstance(message, Greeted) and message.trouble:
            command = bots[message.bot].argv
            failed.append(NotReady(message.bot, command, message.trouble, message.hint, message.errors))

    if bots:
        hellos = {name: msgspec.structs.replace(hello, limits=launch.limits) for name, launch in bots.items()}
        lanes.run([Preflight({name: launch}, hellos[name]) for name, launch in bots.items()], heard)
    return sorted(failed, key=lambda bot: list(bots).index(bot.bot))


def agreed(
    folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> Continued:
    """The run that is there as it is to go on, with a new epoch if it is to be extended.

    Raises:
        arena.tournament.continuing.Mismatch: the folder holds a run with other settings.
        arena.tournament.folder.Broken: its manifest is damaged.
    """
    try:
        return continued(folder.manifest(), settings, game, entrants, retry)
    except Mismatch as difference:
        raise Mismatch(f"{folder.path} holds another run: {difference}; another -o begins a new one") from None


def set_up(
    folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> Manifest:
    """Write the manifest of a new run, or read, check and perhaps extend the one that is there.

    Raises:
        arena.tournament.continuing.Mismatch: the folder holds a run with other settings.
        arena.tournament.folder.Broken: its manifest or secrets are damaged.
    """
    if not folder.begun():
        secret = secret_of(settings, 0)
        manifest = first_manifest(settings, game, entrants, secret)
    else:
        further = agreed(folder, settings, game, entrants, retry)
        manifest = further.manifest
        if further.secret is None:
            if manifest != folder.manifest():
                # nothing is owed to anybody, but others take part
                folder.write_manifest(manifest)
            return manifest
        secret = further.secret
    folder.write_secrets({manifest.epochs[-1].number: secret.seed_text})
    return _drawn(folder, manifest, folder.secrets_of(manifest))


def set_up_part(
    folder: RunFolder, plan: RunFolder, shard: Shard, beacon: str | None, seed: str | None
) -> tuple[Manifest, dict[int, Secret]]:
    """Write the manifest of a run that was planned elsewhere, or of a part of it; or read the one that is there.

    The secrets stay where they are: with the plan, or with whoever gives ``seed``, the text of its last epoch.

    Raises:
        arena.tournament.continuing.Mismatch: the folder holds another run, or the beacon is not as announced.
        arena.tournament.folder.Broken: the plan is damaged or its secret is not there.
    """
    manifest = part_of(plan.manifest(), shard, beacon)
    last = manifest.epochs[-1].number
    texts = {**({last: seed} if seed is not None else {}), **plan.kept_secrets()}
    if last not in texts and manifest.epochs[-1].seed is None:
        raise Broken(f"{plan.path}: expected the secret of epoch {last} in secret.json or by --secret-file, got none")
    secrets = plan.secrets_of(manifest, texts)
    if folder.begun():
        there = folder.manifest()
        try:
            same_part(there, manifest)
        except Mismatch as difference:
            raise Mismatch(f"{folder.path} holds another run: {difference}; another -o begins a new one") from None
        return there, secrets
    return _drawn(folder, manifest, secrets), secrets


def give_up(folder: RunFolder) -> Manifest:
    """End a run that cannot be finished: what is not recorded is never to be played, and the secrets are told.

    Raises:
        arena.tournament.folder.Broken: its secrets are not there.
    """
    manifest = folder.manifest()
    secrets = folder.secrets_of(manifest)
    recorded = {record.id for record in folder.outcomes()}
    manifest = without_rest(manifest, secrets, recorded)
    epochs = tuple(msgspec.structs.replace(epoch, seed=secrets[epoch.number].seed_text) for epoch in manifest.epochs)
    manifest = msgspec.structs.replace(manifest, epochs=epochs, finished=True, sealed=seal(folder.journal))
    folder.write_manifest(manifest)
    folder.forget_secrets()
    return manifest


def _drawn(folder: RunFolder, manifest: Manifest, secrets: Mapping[int, Secret]) -> Manifest:
    """The manifest with what its schedule gives to whom, written down."""
    blocks = Jobs(manifest, secrets, {}, ()).blocks
    manifest = msgspec.structs.replace(manifest, audits=audits(manifest, blocks))
    folder.write_manifest(manifest)
    return manifest


class Runner:
    """One sitting over one run folder: whoever makes it holds its journal until ``close``."""

    def __init__(
        self,
        folder: RunFolder,
        manifest: Manifest,
        journal: Journal,
        bots: Mapping[str, Launch],
        secrets: Mapping[int, Secret] | None = None,
        played: Iterable[Outcome] = (),
    ) -> None:
        """``secrets`` are those of a part of a run, whose folder holds none; ``played`` is recorded elsewhere."""
        self.folder = folder
        self.manifest = manifest
        self._journal = journal
        self._bots = bots
        self._recorded = Recorded()
        self._secrets = folder.secrets_of(manifest) if secrets is None else secrets
        self._jobs = Jobs(manifest, self._secrets, bots, self._recorded, shard_of(manifest))
        for record in played:
            self._recall(record)
        self._losses: dict[str, int] = {}
        self._logs: dict[str, Kept] = {}
        self._voids = 0

    def play(self, lanes: Lanes, watch: Watch, away: "Remote | None" = None) -> Ended:
        """Play what is not recorded yet, here or ``away``; at the end the secrets are revealed.

        Raises:
            Interrupted, LanesFailed: from the lanes, or from those away. What is recorded stays so.
            OSError: the journal cannot be written.
        """
        watch.begin(self.manifest, lanes)
        for record in self.folder.outcomes():
            self._note(record)
            watch.recalled(record)
        earlier = len(self._recorded)
        self._watch = watch
        began = monotonic()
        try:
            if earlier < self.manifest.matches:
                (away or lanes).run(self._jobs, self._heard, self._lost, watch.tick)
        finally:
            self._write_logs()
            seconds = round(self.manifest.seconds + monotonic() - began, 3)
            if len(self._recorded) > earlier:
                self.manifest = msgspec.structs.replace(self.manifest, seconds=seconds)
                self.folder.write_manifest(self.manifest)
        self._reveal(played=len(self._recorded) > earlier)
        return Ended(self.manifest, self._voids)

    def _note(self, record: Outcome) -> None:
        self._recall(record)
        self._voids += record.reason == "void"

    def _recall(self, record: Outcome) -> None:
        self._recorded.add(record.id)
        if record.retired:
            self._jobs.retired[record.id] = frozenset(record.bots[seat] for seat in record.retired)

    def _heard(self, _job: Job, message: Message) -> None:
        if isinstance(message, Played):
            self._write(bytes(message.record))
        elif isinstance(message, Errors):
            self._logs.setdefault(message.bot, self._bots[message.bot].kept()).add(message.text)
        elif isinstance(message, Shown):
            self._watch.shown(message)

    def _write(self, body: bytes) -> None:
        self._journal.append(body)
        # one sync a match: of several records in one sync, power loss could keep a later and lose an earlier one
        self._journal.sync()
        record = records.decode(body)
        self._note(record)
        self._watch.played(record)

    def _lost(self, job: Job) -> Job | None:
        """A lane died in this chunk: its next match counts as void once; at ``VOIDS`` it is recorded so."""
        assert isinstance(job, Play)  # noqa: S101 - only chunks are played here
        rest = self._jobs.rest(job.chunk)
        if rest is None:
            return None
        match = rest.sittings[0].match
        self._losses[match.id] = self._losses.get(match.id, 0) + 1
        if self._losses[match.id] < VOIDS:
            return rest
        self._write(records.encode(void(match, "the lane's process was ended")))
        return self._jobs.rest(job.chunk)

    def _write_logs(self) -> None:
        """Add what this sitting heard on stderr to each bot's log."""
        for name, kept in sorted(self._logs.items()):
            self.folder.log(name, kept.text(), LOG_LIMIT)
        self._logs.clear()

    def _reveal(self, *, played: bool) -> None:
        """Tell the secrets once all is played; of a part only what was given for all to know."""
        whole = not self.manifest.shard
        if not whole and not self.manifest.seed_given:
            return
        epochs = tuple(
            msgspec.structs.replace(epoch, seed=self._secrets[epoch.number].seed_text) for epoch in self.manifest.epochs
        )
        if self.manifest.finished is whole and epochs == self.manifest.epochs and not played:
            return
        sealed = seal(self.folder.journal) if whole else None
        self.manifest = msgspec.structs.replace(self.manifest, epochs=epochs, finished=whole, sealed=sealed)
        self.folder.write_manifest(self.manifest)
        self.folder.forget_secrets()
