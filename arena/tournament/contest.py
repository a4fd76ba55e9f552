"""A run of one game that is to be played here: what is asked for, and the same once all its bots are started.

``run``, ``compare`` and seasons go through here. Prints nothing and knows no option of a command.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, field
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
from arena.tournament.decision import (
    Begin,
    Decision,
    Extend,
    Finished,
    Plan,
    PlayPart,
    Refused,
    Request,
    Stored,
    decide,
    list_newcomers,
    map_names,
    name_in_run,
)
from arena.tournament.folder import BrokenRun, Entrant, Manifest, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lanes import Lanes
from arena.tournament.one_round import schedule_of
from arena.tournament.parts import SettingsMismatch, shard_manifest
from arena.tournament.plan import Settings, pad_entrants, with_audit
from arena.tournament.roster import StartFailure
from arena.tournament.secrets import Secret
from arena.words import plural

Say: TypeAlias = Callable[[str], None]
"""Called with a remark of one or more lines."""


class Contest(Struct, kw_only=True, eq=False):
    """What is asked for: a game, how it is played, by whom, and where its run lies. Nothing is read or started yet."""

    folder: RunFolder
    """Of the results."""
    game: Game
    settings: Settings
    bots: list[BotFile]
    padded: list[str]
    """The names of all that take part: the bots, and copies of them where there are too few."""
    plan: RunFolder | None = None
    """Where the run was planned, if that is elsewhere."""
    retry: Sequence[str] = ()
    """Bots that were withdrawn and may take part again."""
    fillers: Sequence[str] = ()
    """Bots whose copies take the seats that too few can fill."""
    local_bots: Mapping[str, Callable[[], Conversation]] = field(default_factory=dict)
    """For each bot that plays in this process, the function that makes it."""
    public: bool = False
    """Whether everybody sees the run: then why a bot cannot start quotes nobody."""
    of_build: float | None = None
    """Seconds of each build step at most; None: as the protocol says."""

    def play_at(self, level: Level) -> None:
        """Set the level of isolation that the bots play at."""
        self.settings = replace(self.settings, isolation=level)

    def enter_bots(
        self, failures: Mapping[str, StartFailure] = MappingProxyType({}), names: Sequence[str] | None = None
    ) -> list[Entrant]:
        """All bots and copies as entrants, or those of these names; those that cannot start are withdrawn."""
        settings, line_up = self.settings, self.padded if names is None else names
        why = {name: failure.public if self.public else failure.why for name, failure in failures.items()}
        return roster.entrants(self.bots, line_up, settings.limits, why, settings.debug)

    def find_resting(self) -> set[str]:
        """The bots that were withdrawn in the run that is there, and are not to be tried again."""
        folder = self.plan or self.folder
        if not folder.begun():
            return set()
        names = [bot.name for bot in self.bots]
        entrants = name_in_run(folder.manifest(), self.enter_bots(names=names))
        return {name for name, entrant in zip(names, entrants, strict=True) if entrant.withdrawn}.difference(self.retry)

    def fill(self, absent: Collection[str]) -> None:
        """Fill the seats for which there are too few bots, without those ``absent``, with copies of the ``fillers``.

        Raises:
            NotReadyError: no bot is left to be copied.
        """
        if not self.fillers:
            return
        names = [bot.name for bot in self.bots]
        present = [name for name in names if name not in absent]
        fillers = [name for name in self.fillers if name in present] or present
        lacking = max(self.settings.seats) - len(present)
        if not fillers:
            raise NotReadyError(f"expected a bot that plays {self.game.name} and starts, got none", {})
        self.padded = [*names, *pad_entrants(fillers, len(fillers) + lacking)[len(fillers) :]]

    def weigh(self, journal: Journal | None = None, entrants: Sequence[Entrant] | None = None) -> Decision | Refused:
        """What to do with the run in the folder, for these entrants, or for all bots as if each of them would start.

        Args:
            journal: of the run in the folder, if it is held: it tells whether a match is lacking.
            entrants: who takes part, under the names of the bots.

        Raises:
            BrokenRun: the run or its plan is damaged.
            SettingsMismatch: the beacon of a plan is lacking, or was not announced.
        """
        entering = self.enter_bots() if entrants is None else entrants
        plan = None if self.plan is None else self._read_plan(self.plan)
        request = Request(
            game=self.game, settings=self.settings, entrants=tuple(entering), retry=tuple(self.retry), plan=plan
        )
        return decide(request, self._read_run(journal))

    def decide(self, journal: Journal | None = None, entrants: Sequence[Entrant] | None = None) -> Decision:
        """As ``weigh``.

        Raises:
            UsageError: the folder holds another run, or the settings and bots go together with none.
        """
        decision = self.weigh(journal, entrants)
        if not isinstance(decision, Refused):
            return decision
        if not isinstance(decision.why, SettingsMismatch):
            raise decision.why
        why = f"{self.folder.path} holds another run: {decision.why}; another -o begins a new one"
        raise SettingsMismatch(why) from None

    def _read_run(self, journal: Journal | None) -> Stored | None:
        if not self.folder.begun():
            return None
        manifest = self.folder.manifest()
        sealed = manifest.sealed if manifest.finished else None
        complete = journal is not None and sealed is not None and journal.count >= sealed.records
        return Stored(manifest=manifest, complete=complete)

    def _read_plan(self, plan: RunFolder) -> Plan:
        settings = self.settings
        manifest = shard_manifest(plan.manifest(), settings.part, settings.beacon)
        last = manifest.epochs[-1]
        texts = ({} if settings.seed is None else {last.number: settings.seed}) | plan.kept_secrets()
        if last.number not in texts and last.seed is None:
            where = f"the secret of epoch {last.number} in secret.json or by --secret-file"
            raise BrokenRun(f"{plan.path}: expected {where}, got none")
        return Plan(manifest=manifest, secrets=plan.secrets_of(manifest, texts))

    def start(
        self, decision: Decision, lanes: Lanes, policy: HostPolicy, say: Say, *, keep_going: bool
    ) -> "StartedRun":
        """Start and greet every bot; with ``keep_going`` a bot that cannot start is withdrawn before its first match.

        In a run that has begun such a bot keeps its seats, and its first options are picked. Where nothing is to be
        played, no bot is started.

        Raises:
            NotReadyError: a bot cannot start, or too few of them can.
        """
        self.play_at(policy.level)
        if isinstance(decision, Finished):
            return StartedRun(contest=self, decision=decision, entrants=self.enter_bots(), launches={}, local_bots={})
        new = isinstance(decision, Begin | Extend)
        resting = self.find_resting()
        trying = [bot for bot in self.bots if bot.name not in resting]
        # a beginning has the digests of all bots under their own names
        at_first = {entrant.name: entrant.digest for entrant in decision.manifest.entrants}
        digests = at_first if isinstance(decision, Begin) else {bot.name: digest_bot(bot) for bot in self.bots}
        launches, failures = roster.start(lanes, self.settings, self.game, trying, policy, say, of_build=self.of_build)
        if not keep_going:
            roster.refuse(failures)
        for failure in failures.values():
            say(f"{'withdrawn' if new else 'its first options are picked'}: {failure}")
        if new:
            launches = {name: launch for name, launch in launches.items() if name not in failures}
            self.fill(resting.union(failures))
        entrants = self.enter_bots(failures)
        self._check_unchanged(digests, entrants, policy)
        quorum = max(self.settings.seats)
        originals = {name: roster.original(name, {bot.name for bot in self.bots}) for name in self.padded}
        able = sum(bot in launches for bot in originals.values())
        if new and able < quorum:
            why = {name: failure.public if self.public else str(failure) for name, failure in failures.items()}
            raise NotReadyError(f"expected at least {quorum} bots that start, got {able}", why)
        if new:
            decision = self.decide(entrants=entrants)
        names, code = map_names(decision, entrants), self.local_bots
        return StartedRun(
            contest=self,
            decision=decision,
            entrants=entrants,
            launches={names[name]: launches[bot] for name, bot in originals.items() if bot in launches},
            local_bots={names[name]: code[bot] for name, bot in originals.items() if bot in code},
        )

    def _check_unchanged(self, before: Mapping[str, str], entrants: Sequence[Entrant], policy: HostPolicy) -> None:
        """Check that bots, which were built, copied and greeted meanwhile, have the files that they had."""
        changed = [
            entrant.name for entrant in entrants if entrant.digest != before.get(bot_of(entrant.name), entrant.digest)
        ]
        if not changed:
            return
        # at none they may write to their own files
        writable = policy.level == "none" and not any(
            bot.build for bot in self.bots if bot.name in map(bot_of, changed)
        )
        cure = "; what a bot writes belongs into its HOME" if writable else ""
        raise UsageError(
            f"expected the files of {', '.join(changed)} to stay as they are while bots start, got others{cure}"
        )


class StartedRun(Struct, kw_only=True, eq=False):
    """A run whose bots are started: what is to be done, who takes part, and how each bot is started for a match."""

    contest: Contest
    decision: Decision
    entrants: Sequence[Entrant]
    """Under the names of the bots."""
    launches: dict[str, Launch]
    """By name in the run; without bots that cannot start."""
    local_bots: Mapping[str, Callable[[], Conversation]]
    voids: int = 0
    """Void matches of the run, once it was played."""
    remainder: int = 0
    """Matches that remain because the time was up."""

    @property
    def folder(self) -> RunFolder:
        """Of its results."""
        return self.contest.folder

    @property
    def names(self) -> dict[str, str]:
        """The name of each bot and copy in the run: ``mine`` may have become ``mine@2``."""
        return map_names(self.decision, self.entrants)

    def find_edited(self) -> list[str]:
        """The bots that are started in their own folder, if the files there are no longer those that entered.

        In a sandbox, and of a build, every process has a copy of what entered.
        """
        if self.contest.settings.isolation != "none" or isinstance(self.decision, Finished):
            return []
        digests = {entrant.name: entrant.digest for entrant in self.entrants}
        bots = [bot for bot in self.contest.bots if not bot.build]
        return [bot.name for bot in bots if digests.get(bot.name) not in (None, _digest(bot))]


def describe_size(decision: Decision, settings: Settings) -> str:
    """How many matches are played, where that is not what was asked for; else empty."""
    manifest = decision.manifest
    epoch = manifest.epochs[-1]
    if isinstance(decision, Extend):
        if not epoch.matches:
            return f"{plural(epoch.asked - manifest.matches, 'match')} more at most"
        new = ", ".join(list_newcomers(manifest))
        return f"{plural(epoch.matches, 'match')} more{'; new: ' if new else ''}{new}"
    if manifest.drawn_whole and epoch.number == 0 and manifest.matches > settings.matches and not settings.per_bot:
        return f"-n {settings.matches} rounded up to {plural(manifest.matches, 'match')}: whole blocks"
    return ""


def _digest(bot: BotFile) -> str:
    try:
        return digest_bot(bot)
    except BotError:
        return ""


def set_up(decision: Decision, folder: RunFolder) -> tuple[Manifest, Mapping[int, Secret]]:
    """Write the manifest of a run, as it was decided, with the audit of its schedule; returns it with its secrets.

    Raises:
        arena.tournament.folder.BrokenRun: its manifest or secrets are damaged.
    """
    manifest = decision.manifest
    if isinstance(decision, Begin | Extend):
        folder.write_secrets({manifest.epochs[-1].number: decision.secret.seed_text})
    new = isinstance(decision, Begin | Extend) or (isinstance(decision, PlayPart) and not decision.stored)
    secrets = decision.secrets if isinstance(decision, PlayPart) else folder.secrets_of(manifest)
    # where rounds follow from results that are there, nothing can be drawn yet
    if new and manifest.epochs[-1].matches:
        manifest = with_audit(manifest, schedule_of(manifest, secrets).blocks)
    # where no match is missing, other bots may take part all the same
    if new or manifest != folder.manifest():
        folder.write_manifest(manifest)
    return manifest, secrets
