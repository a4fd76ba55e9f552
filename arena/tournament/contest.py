"""A run that is played here, from what is asked for until all its bots are started: begun, resumed or extended.

``run``, ``compare`` and seasons go through here. Prints nothing and knows no option of a command.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import TypeAlias

from msgspec.structs import replace

from arena.errors import BotError, NotReadyError, UsageError
from arena.game import Game
from arena.identity import bot_of
from arena.players.botfile import BotFile
from arena.players.content import digest_bot
from arena.players.launch import Launch
from arena.players.local import Conversation
from arena.players.sandboxed import HostPolicy
from arena.sandbox import Level
from arena.tournament import roster
from arena.tournament.folder import BrokenRun, Entrant, Manifest, RunFolder
from arena.tournament.isolation import check_unshown
from arena.tournament.journal import Journal, seal
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Loop
from arena.tournament.one_round import schedule_of
from arena.tournament.parts import check_same_shard, shard_manifest
from arena.tournament.plan import Settings, first_manifest, list_playing, pad_entrants, rounded, secret_of, with_audit
from arena.tournament.resume import (
    SettingsMismatch,
    check_cut,
    check_same_bots,
    continued,
    list_newcomers,
    name_in_run,
    without_rest,
)
from arena.tournament.roster import StartFailure
from arena.tournament.rounds import check_playable
from arena.tournament.run import Run
from arena.tournament.secrets import Secret

Say: TypeAlias = Callable[[str], None]
"""Called with a remark of one or more lines."""


class Contest(Run):
    """A run of one game with its settings and bots; once the bots are started, the loop can play it."""

    def __init__(
        self,
        folder: RunFolder,
        *,
        game: Game,
        settings: Settings,
        bots: list[BotFile],
        padded: list[str],
        plan: RunFolder | None = None,
        retry: Sequence[str] = (),
        fillers: Sequence[str] = (),
        finishing: bool = False,
        journal: Journal | None = None,
        local_bots: Mapping[str, Callable[[], Conversation]] | None = None,
    ) -> None:
        """Say what is to be played; the run in the folder is not read yet.

        Args:
            folder: of the results.
            game: what is played.
            settings: how.
            bots: who plays.
            padded: the names of all that take part: the bots, and copies of them where there are too few.
            plan: the folder where the run was planned, if that is elsewhere.
            retry: bots that were withdrawn and may take part again.
            fillers: bots whose copies take the seats that too few can fill.
            finishing: whether only the present epoch is played to its end, and no new one is added.
            journal: of the run, if it is held already.
            local_bots: for each bot that plays in this process, the function that makes it.
        """
        self.folder = folder
        self.game = game
        self.settings = settings
        self.bots = bots
        self.padded = padded
        self.plan = plan
        self.retry = retry
        self._fillers = fillers
        self._finishing = finishing
        self.local_bots = local_bots or {}
        self.journal = journal
        """The journal, held from the start if the run is resumed."""
        self.known: Manifest | None = None
        """The manifest of the run that is resumed, with a further epoch if this extends it, ..."""
        self.secret: Secret | None = None
        """... and the secret of that epoch."""
        self.launches: dict[str, Launch] = {}
        """How each bot is started, once it was."""
        self.entrants: Sequence[Entrant] = ()
        """The entrants, under the names of the bots."""
        self.ended: Loop | None = None
        """What has played it; None before."""

    def play_at(self, level: Level) -> None:
        """Set the level of isolation that the bots play at."""
        self.settings = replace(self.settings, isolation=level)

    def hold(self, stack: ExitStack) -> Journal:
        """The journal, taken for this process unless it was before.

        Raises:
            DamagedError, LockedError: it is damaged, or held by another runner.
        """
        if self.journal is None:
            self.journal = stack.enter_context(self.folder.hold())
        return self.journal

    def resume(self, stack: ExitStack) -> None:
        """Resume the run in the folder, if there is one, and check that it has these settings and bots.

        Raises:
            UsageError, DamagedError, LockedError: it has others, is damaged, or is held by another runner.
        """
        if not self.folder.begun():
            return
        journal = self.hold(stack)
        if self.plan is not None:
            return
        with _another_run(self.folder):
            self.enter()
        sealed = self.folder.sealed()
        if self.begun and sealed is not None and journal.count >= sealed.records:
            # nothing is lacking
            self.bots = []

    def enter(self) -> None:
        """Enter all bots, before they are started; as ``agree``."""
        self.entrants = self.entered()
        self.agree()

    def agree(self) -> None:
        """Hold settings and entrants against the run in the folder, if there is one.

        Raises:
            SettingsMismatch: the run has other settings or bots.
        """
        if self.folder.begun():
            self.known, self.secret = continued(
                self.folder.manifest(), self.settings, self.game, self.entrants, self.retry
            )

    def join(self, manifest: Manifest) -> None:
        """Take part with these bots in a run whose last epoch has begun.

        Raises:
            SettingsMismatch: they are not those that play in it.
        """
        self.entrants = self.entered()
        check_same_bots(manifest, self.entrants)
        self.known = manifest

    @property
    def lacking(self) -> int:
        """The matches of a new run, or those by which the run in the folder is extended."""
        if self.known is None:
            return rounded(self.settings.matches, self.settings.seats)
        return self.known.epochs[-1].matches if self.secret is not None else 0

    @property
    def begun(self) -> bool:
        """Whether the entrants are settled."""
        return self.plan is not None or (self.known is not None and self.secret is None)

    def start(self, lanes: Lanes, policy: HostPolicy, say: Say, *, keep_going: bool) -> None:
        """Start and greet every bot; with ``keep_going`` a bot that cannot start is withdrawn before its first match.

        In a run that has begun such a bot keeps its seats, and silence answers for it.

        Raises:
            NotReadyError: a bot cannot start, or too few of them can.
        """
        self.play_at(policy.level)
        if not self.bots:
            return
        resting = self.resting()
        trying = [bot for bot in self.bots if bot.name not in resting]
        before = {bot.name: digest_bot(bot) for bot in self.bots}
        launches, failures = roster.start(lanes, self.settings, self.game, trying, policy, say)
        if not keep_going:
            roster.refuse(failures)
        for failure in failures.values():
            say(f"{'silence plays for it' if self.begun else 'withdrawn'}: {failure}")
        if not self.begun:
            launches = {name: launch for name, launch in launches.items() if name not in failures}
            self.fill(resting.union(failures))
        self.entrants = self.entered(failures)
        # bots were built, copied and greeted since `before` was taken; at none they may write to their own files
        if changed := [
            entrant.name
            for entrant in self.entrants
            if entrant.digest != before.get(bot_of(entrant.name), entrant.digest)
        ]:
            writable = policy.level == "none" and not any(
                bot.build for bot in self.bots if bot.name in map(bot_of, changed)
            )
            cure = "; what a bot writes belongs into its HOME" if writable else ""
            raise UsageError(
                f"expected the files of {', '.join(changed)} to stay as they are while bots start, got others{cure}"
            )
        bots, names = {bot.name for bot in self.bots}, self.names
        originals = {names[name]: roster.original(name, bots) for name in self.padded}
        self.launches = {name: launches[bot] for name, bot in originals.items() if bot in launches}
        self.local_bots = {name: self.local_bots[bot] for name, bot in originals.items() if bot in self.local_bots}
        quorum = max(self.settings.seats)
        if not self.begun and len(self.launches) < quorum:
            why = {name: str(failure) for name, failure in failures.items()}
            raise NotReadyError(f"expected at least {quorum} bots that start, got {len(self.launches)}", why)

    def named_entrants(self) -> Sequence[Entrant]:
        """The entrants under their names in the run."""
        return self.entrants if self.known is None else name_in_run(self.known, self.entrants)

    @property
    def names(self) -> dict[str, str]:
        """The name of each bot and copy in the run: ``mine`` may have become ``mine@2``."""
        entrants = self.named_entrants()
        return {entrant.name: namesake.name for entrant, namesake in zip(self.entrants, entrants, strict=True)}

    def entered(
        self, failures: Mapping[str, StartFailure] = MappingProxyType({}), names: Sequence[str] | None = None
    ) -> list[Entrant]:
        """All bots and copies as entrants, or those of these names; those that cannot start are withdrawn."""
        settings, line_up = self.settings, self.padded if names is None else names
        return roster.entrants(self.bots, line_up, settings.limits, failures, settings.debug)

    def resting(self) -> set[str]:
        """The bots that were withdrawn in the run in the folder, and are not to be tried again."""
        if self.known is None:
            return set()
        names = [bot.name for bot in self.bots]
        entrants = name_in_run(self.known, self.entered(names=names))
        return {name for name, entrant in zip(names, entrants, strict=True) if entrant.withdrawn}.difference(self.retry)

    def fill(self, absent: Collection[str]) -> None:
        """Fill the seats for which there are too few bots, without those ``absent``, with copies of the ``fillers``.

        Raises:
            NotReadyError: no bot is left to be copied.
        """
        if not self._fillers:
            return
        names = [bot.name for bot in self.bots]
        present = [name for name in names if name not in absent]
        fillers = [name for name in self._fillers if name in present] or present
        lacking = max(self.settings.seats) - len(present)
        if not fillers:
            raise NotReadyError(f"expected a bot that plays {self.game.name} and starts, got none", {})
        self.padded = [*names, *pad_entrants(fillers, len(fillers) + lacking)[len(fillers) :]]

    def loop(self, lanes: Lanes, stack: ExitStack, say: Say, deadline: float | None = None) -> Loop:
        """Write the manifest and return the loop that plays, until about the ``deadline`` if there is one.

        Raises:
            UsageError, DamagedError, LockedError: the folder cannot be made, holds another run, or is in use.
            Interrupted: a signal came while the schedule was drawn.
        """
        check_unshown(self.folder.path)
        self.folder.make()
        journal = self.hold(stack)
        secrets: Mapping[int, Secret] | None = None
        with lanes.interruptible():
            if self._finishing:
                manifest = self.folder.manifest()
            elif self.plan is not None:
                manifest, secrets = self._set_up_shard(self.plan)
            else:
                manifest = self.set_up()
                self._say_size(manifest, say)
        return Loop(
            self.folder,
            manifest,
            journal,
            self.launches,
            secrets=secrets,
            played=() if self.plan is None else self.plan.outcomes(),
            local_bots=self.local_bots,
            deadline=deadline,
        )

    def _say_size(self, manifest: Manifest, say: Say) -> None:
        """Say how many matches are played, where that is not what was asked for."""
        epoch, before = manifest.epochs[-1], self.known
        if manifest.drawn_whole and epoch.number == 0 and manifest.matches > self.settings.matches:
            say(f"-n {self.settings.matches} rounded up to {manifest.matches} matches: whole blocks")
        if before is None or self.secret is None or len(manifest.epochs) < len(before.epochs):
            # nothing is added, or the bots of the new epoch cannot start
            return
        if epoch.matches:
            new = ", ".join(list_newcomers(before))
            say(f"{epoch.matches} matches more{'; new: ' if new else ''}{new}")
        else:
            say(f"{epoch.asked - manifest.matches} matches more at most")

    def edited(self) -> list[str]:
        """The bots that are started in their own folder, if the files there are no longer those that entered.

        In a sandbox, and of a build, every process has a copy of what entered.
        """
        if self.settings.isolation != "none":
            return []
        entered = {entrant.name: entrant.digest for entrant in self.entrants}
        return [bot.name for bot in self.bots if not bot.build and entered.get(bot.name) not in (None, _digest(bot))]

    def set_up(self) -> Manifest:
        """Write the run manifest: the entrants and the schedule."""
        return set_up(self.folder, self.settings, self.game, self.entrants, self.retry)

    def _set_up_shard(self, plan: RunFolder) -> tuple[Manifest, dict[int, Secret]]:
        """Write the manifest of a run that was planned elsewhere; or read the one here. The secrets stay there."""
        settings, folder = self.settings, self.folder
        manifest = shard_manifest(plan.manifest(), settings.part, settings.beacon)
        check_cut(manifest, manifest.shard)
        last = manifest.epochs[-1]
        texts = ({} if settings.seed is None else {last.number: settings.seed}) | plan.kept_secrets()
        if last.number not in texts and last.seed is None:
            where = f"the secret of epoch {last.number} in secret.json or by --secret-file"
            raise BrokenRun(f"{plan.path}: expected {where}, got none")
        secrets = plan.secrets_of(manifest, texts)
        if not folder.begun():
            return _drawn(folder, manifest, secrets), secrets
        current = folder.manifest()
        with _another_run(folder):
            check_same_shard(current, manifest)
        return current, secrets


def _digest(bot: BotFile) -> str:
    try:
        return digest_bot(bot)
    except BotError:
        return ""


@contextmanager
def _another_run(folder: RunFolder) -> Iterator[None]:
    try:
        yield
    except SettingsMismatch as difference:
        raise SettingsMismatch(f"{folder.path} holds another run: {difference}; another -o begins a new one") from None


def set_up(
    folder: RunFolder, settings: Settings, game: Game, entrants: Sequence[Entrant], retry: Collection[str] = ()
) -> Manifest:
    """Write the manifest of a new run; or check that of the run in the folder, and extend it if needed.

    Raises:
        arena.tournament.resume.SettingsMismatch: the folder holds a run with other settings.
        arena.tournament.folder.BrokenRun: its manifest or secrets are damaged.
    """
    if not folder.begun():
        secret = secret_of(settings, 0)
        check_playable(settings, game, list_playing(entrants))
        manifest = first_manifest(settings, game, entrants, secret)
    else:
        with _another_run(folder):
            manifest, further = continued(folder.manifest(), settings, game, entrants, retry)
        if further is None:
            if manifest != folder.manifest():
                # no match is missing, but other bots take part
                folder.write_manifest(manifest)
            return manifest
        secret = further
    folder.write_secrets({manifest.epochs[-1].number: secret.seed_text})
    if not manifest.epochs[-1].matches:
        # its rounds follow from results, so nothing can be drawn yet
        folder.write_manifest(manifest)
        return manifest
    return _drawn(folder, manifest, folder.secrets_of(manifest))


def give_up_run(folder: RunFolder) -> Manifest:
    """End a run that cannot be finished: give up the matches that remain, and reveal the secrets.

    Raises:
        arena.tournament.folder.BrokenRun: its secrets are not there.
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
    manifest = with_audit(manifest, schedule_of(manifest, secrets).blocks)
    folder.write_manifest(manifest)
    return manifest
