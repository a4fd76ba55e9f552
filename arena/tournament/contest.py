"""One game of a run, from its settings until it is set up: begun, resumed or extended, with all bots started.

``run``, ``compare`` and seasons go through here. Prints nothing and knows no option of a command.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BotError, NotReadyError, UsageError
from arena.game import Game
from arena.identity import bot_of
from arena.players.botfile import BotFile
from arena.players.content import digest
from arena.players.launch import Launch
from arena.players.local import Conversation
from arena.players.sandboxed import HostPolicy
from arena.record import MatchResult
from arena.sandbox.sandbox import Level
from arena.tournament import roster
from arena.tournament.folder import Broken, Entrant, Manifest, RunFolder, Shard
from arena.tournament.isolation import check_unshown
from arena.tournament.journal import Journal, seal
from arena.tournament.lanes import Lanes
from arena.tournament.merge import check_same_shard, shard_manifest
from arena.tournament.plan import Settings, first_manifest, pad, playing, secret_of, with_audit
from arena.tournament.remaining import Remaining
from arena.tournament.resume import Mismatch, Resumption, continued, known_as, newcomers, see_cut, without_rest
from arena.tournament.roster import StartFailure
from arena.tournament.rounds import see_playable
from arena.tournament.run import Runner
from arena.tournament.secrets import Secret

Say: TypeAlias = Callable[[str], None]
"""Called with a remark of one or more lines."""


class Plan(Struct, frozen=True, kw_only=True):
    """A planned run: its folder, the shard that is played here, and the secrets that the plan does not hold."""

    folder: RunFolder
    shard: Shard
    beacon: str | None = None
    seed: str | None = None
    """The text of the last epoch's secret, if the plan does not have it."""


class Contest(Struct, kw_only=True):
    """One game of a run: its settings and bots, and later how each bot is started and which run is resumed."""

    game: Game
    settings: Settings
    bots: list[BotFile]
    padded: list[str]
    """Names of all that take part: the bots, and copies of them where there are too few."""
    folder: RunFolder
    plan: Plan | None = None
    """Set if the run was planned elsewhere."""
    retry: tuple[str, ...] = ()
    """Bots that were withdrawn and may take part again."""
    fillers: tuple[str, ...] = ()
    """Bots whose copies take the seats that too few can fill."""
    finishing: bool = False
    """Whether only the present epoch is played to its end, and no new one is added."""
    journal: Journal | None = None
    """The journal, held from the start if the run is resumed."""
    resumption: Resumption | None = None
    """The run in the folder, if it is resumed."""
    launches: dict[str, Launch] = {}
    entrants: Sequence[Entrant] = ()
    """The entrants, under the names of the bots."""
    local_bots: Mapping[str, Callable[[], Conversation]] = {}
    """For each bot that plays in this process, the function that makes it."""
    ended: Runner | None = None
    """What has played it; None before."""

    def settle(self, level: Level) -> None:
        """Settle the level of isolation that the bots play at."""
        self.settings = replace(self.settings, isolation=level)

    def resume(self, held: ExitStack) -> None:
        """Resume the run in the folder, if there is one, and check that it has these settings and bots.

        Raises:
            UsageError, DamagedError, LockedError: it has others, is damaged, or is held by another runner.
        """
        if not self.folder.begun():
            return
        self.journal = held.enter_context(self.folder.hold())
        if self.plan is not None:
            return
        self.entrants = self.entered({})
        self.resumption = agreed(self.folder, self.settings, self.game, self.entrants, self.retry)
        sealed = self.folder.sealed()
        if self.resumption.manifest.finished and sealed is not None and self.journal.count >= sealed.records:
            self.bots = []

    @property
    def begun(self) -> bool:
        """Whether the entrants are settled."""
        return self.plan is not None or (self.resumption is not None and self.resumption.secret is None)

    def start(self, lanes: Lanes, house: HostPolicy, say: Say, *, keep_going: bool) -> None:
        """Start and greet every bot; with ``keep_going`` a bot that cannot start is withdrawn before its first match.

        In a run that has begun such a bot keeps its seats, and silence answers for it.

        Raises:
            NotReadyError: a bot cannot start, or too few of them can.
        """
        if not self.bots:
            return
        trying = [bot for bot in self.bots if not self._withdrawn(bot.name)]
        # without a sandbox a bot that is not built may write to its own files when it starts
        before = {bot.name: digest(bot) for bot in self.bots if house.level != "none" or bot.build}
        launches, failures = roster.start(lanes, self.settings, self.game, trying, house, say)
        if not keep_going:
            roster.refuse(failures)
        for failure in failures.values():
            say(f"{'silence plays for it' if self.begun else 'withdrawn'}: {failure}")
        if not self.begun:
            launches = {name: launch for name, launch in launches.items() if name not in failures}
            self.fill(failures)
        bots = [bot.name for bot in self.bots]
        originals = {name: roster.original(name, bots) for name in self.padded}
        self.entrants = self.entered(failures)
        # bots were built and copied since `before` was taken
        if changed := [
            each.name for each in self.entrants if each.digest != before.get(bot_of(each.name), each.digest)
        ]:
            raise UsageError(
                f"expected the files of {', '.join(changed)} to stay as they are while bots start, got others"
            )
        named = dict(zip(self.padded, self.named_entrants(), strict=True))
        self.local_bots = {
            named[name].name: self.local_bots[bot] for name, bot in originals.items() if bot in self.local_bots
        }
        self.launches = {named[name].name: launches[bot] for name, bot in originals.items() if bot in launches}
        wanted = max(self.settings.seats)
        if not self.begun and len(self.launches) < wanted:
            names = {name: str(failure) for name, failure in failures.items()}
            raise NotReadyError(f"expected at least {wanted} bots that start, got {len(self.launches)}", names)

    def named_entrants(self) -> Sequence[Entrant]:
        """The entrants under their names in the run."""
        return known_as(self.resumption.manifest, self.entrants) if self.resumption is not None else self.entrants

    def entered(self, failures: Mapping[str, StartFailure]) -> list[Entrant]:
        """All bots and copies as entrants; those that cannot start are withdrawn."""
        settings = self.settings
        return roster.entrants(self.bots, self.padded, settings.limits, failures, settings.debug)

    def fill(self, failures: Collection[str]) -> None:
        """Fill the seats for which there are too few bots with copies of the ``fillers`` that start.

        Raises:
            NotReadyError: no bot is left to be copied.
        """
        if not self.fillers:
            return
        names = [bot.name for bot in self.bots]
        playing = [name for name in names if name not in failures and not self._withdrawn(name)]
        fillers = [name for name in self.fillers if name in playing] or playing
        lacking = max(self.settings.seats) - len(playing)
        if not fillers:
            raise NotReadyError(f"expected a bot that plays {self.game.name} and starts, got none", {})
        self.padded = [*names, *pad(fillers, len(fillers) + lacking)[len(fillers) :]]

    def _withdrawn(self, bot: str) -> bool:
        if self.resumption is None or bot in self.retry:
            return False
        name = self.resumption.names[bot]
        return any(entrant.withdrawn for entrant in self.resumption.manifest.entrants if entrant.name == name)

    def runner(self, held: ExitStack, say: Say, deadline: float | None = None) -> Runner:
        """Write the manifest and return the runner, which plays until about the ``deadline`` if there is one.

        Raises:
            UsageError, DamagedError, LockedError: the folder cannot be made, holds another run, or is in use.
        """
        check_unshown(self.folder.path)
        make(self.folder)
        if self.journal is None:
            self.journal = held.enter_context(self.folder.hold())
        secrets: Mapping[int, Secret] | None = None
        played: Iterator[MatchResult] = iter(())
        if self.finishing:
            manifest = self.folder.manifest()
        elif self.plan is not None:
            manifest, secrets = _set_up_shard(self.folder, self.plan)
            played = self.plan.folder.outcomes()
        else:
            manifest = self.set_up()
            if manifest.drawn_whole and len(manifest.epochs) == 1 and manifest.matches > self.settings.matches:
                say(f"-n {self.settings.matches} rounded up to {manifest.matches} matches: whole blocks")
            if self.resumption is not None and self.resumption.secret is not None:
                _say_further(self.resumption.manifest, manifest, say)
        return Runner(
            self.folder,
            manifest,
            self.journal,
            self.launches,
            secrets=secrets,
            played=played,
            local_bots=self.local_bots,
            deadline=deadline,
        )

    def edited(self) -> list[str]:
        """The bots that are started in their own folder, if the files there are no longer those that entered.

        In a sandbox, and of a build, every process has a copy of what entered.
        """
        if self.settings.isolation != "none":
            return []
        entered = {each.name: each.digest for each in self.entrants}
        return [bot.name for bot in self.bots if not bot.build and entered.get(bot.name) not in (None, _digest(bot))]

    def set_up(self) -> Manifest:
        """Write the run manifest: the entrants and the schedule."""
        return set_up(self.folder, self.settings, self.game, self.entrants, self.retry)


def _digest(bot: BotFile) -> str:
    try:
        return digest(bot)
    except BotError:
        return ""


def make(folder: RunFolder) -> None:
    """Make a results folder if it does not exist.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"expected a folder that can be made, got {folder.path}: {error.strerror}"
        raise UsageError(text, option="out") from error


def _say_further(before: Manifest, manifest: Manifest, say: Say) -> None:
    if len(manifest.epochs) < len(before.epochs):
        # the bots of the new epoch cannot start
        return
    epoch = manifest.epochs[-1]
    if not manifest.drawn_whole:
        say(f"{epoch.asked - manifest.matches} matches more at most")
        return
    new = newcomers(before)
    entered = f"; new: {', '.join(new)}" if new else ""
    say(f"{epoch.matches} matches more{entered}")


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
        see_playable(settings, playing(entrants))
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


def _set_up_shard(folder: RunFolder, planned: Plan) -> tuple[Manifest, dict[int, Secret]]:
    """Write the manifest of a run that was planned elsewhere; or read the one in the folder. The secrets stay there."""
    plan, seed = planned.folder, planned.seed
    manifest = shard_manifest(plan.manifest(), planned.shard, planned.beacon)
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
    manifest = without_rest(manifest, secrets, recorded).revealed(secrets)
    manifest = replace(manifest, finished=True, sealed=seal(folder.journal))
    folder.write_manifest(manifest)
    folder.forget_secrets()
    return manifest


def _drawn(folder: RunFolder, manifest: Manifest, secrets: Mapping[int, Secret]) -> Manifest:
    """The manifest, written to disk with the audit of its schedule."""
    manifest = with_audit(manifest, Remaining(manifest, secrets, {}, ()).blocks)
    folder.write_manifest(manifest)
    return manifest
