"""A lab: each time the files of a bot have changed and settled, they are checked and compared with the last good ones.

One comparison after the other, each with a run of its own in the lab's folder, so that whatever ends the lab, the same
command goes on. Bots play from copies, never from the folder in which somebody writes. Prints nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import monotonic, sleep

from msgspec import Struct
from msgspec.structs import replace

from arena.conformance.findings import Findings
from arena.errors import BotError, HostError, UsageError, words_of
from arena.game import Game
from arena.players.botfile import BOT_FILE, BotFile, missing
from arena.players.content import LAB, digest_bot
from arena.players.entrants import is_shipped, read_entrant
from arena.ratings.evidence import Evidence
from arena.report.verdict import Comparison, Question
from arena.tournament.calls import findings
from arena.tournament.comparison import comparison
from arena.tournament.folder import RunFolder
from arena.tournament.loop import Watcher
from arena.tournament.open_run import OpenRun
from arena.tournament.parts import SettingsMismatch
from arena.tournament.settings import RunSpec
from arena.tournament.spec import parse_seat_counts
from arena.tournament.versions import Enter, Recall, Settling, Store, Version, decide, stamp

EVERY = 0.5
"""Seconds between two looks at the files, ..."""
_SHARE = 0.01
"""... and more where a look takes more than this part of them."""


class Newer(Exception):
    """The files have changed and settled, so the version that plays is no longer the newest."""


class LabWatcher(Watcher):
    """Hears of what a lab does; by itself it does nothing."""

    def begin_run(self, folder: RunFolder) -> None:
        """The run of a comparison begins in this folder, or goes on there."""

    def show(self, version: Version, doing: str) -> None:
        """What is done with a version now; of a comparison it has the score and the matches so far."""

    def tell(self, version: Version, *, again: bool) -> None:
        """What has become of a version; ``again``: it was so before."""

    def trouble(self, text: str) -> None:
        """The files are no bot that can be tried, or this machine cannot tell."""


class LabSpec(Struct, frozen=True, kw_only=True):
    """What a lab asks."""

    text: str
    """The bot as it was typed."""
    game: Game
    field: tuple[str, ...] = ()
    """Whom both versions play; none: copies of the old one and the best shipped bots."""
    spec: RunSpec
    question: Question

    def store(self, *, new: bool = True) -> Store:
        """The folder of the lab: a ``new`` one, or one that is there.

        Raises:
            UsageError, BotError: the bot is none that somebody works on, the folder is another lab's, or none is there.
        """
        if not self.question.until or self.question.gate is not None:
            raise UsageError("expected decided or equal=M, for a lab asks what is better; got another", option="until")
        bot = read_entrant(self.text)
        if bot.bare or is_shipped(bot):
            raise BotError(f"expected a folder with a {BOT_FILE} in which you work, got {self.text!r}")
        root = self.spec.out or Path("lab", f"{bot.name}-{self.game.name}")
        if root.resolve().is_relative_to(Path("results").resolve()):
            raise UsageError(f"expected a folder that bots may see, so none in results, got {root}", option="out")
        if not new and not (root / LAB).exists():
            raise UsageError(f"expected a lab in {root}, got none; without --log and --take it begins one")
        return Store(root, game=self.game.name, source=bot.folder)


class _Ticks(Watcher):
    """Counts the matches of a comparison, and looks at the files while it is played."""

    def __init__(self, look: Callable[[], None]) -> None:
        self.matches = 0
        self._look = look

    def recalled(self, *, matches: int, **_: object) -> None:
        self.matches = matches

    def played(self, _: object) -> None:
        self.matches += 1

    def tick(self) -> None:
        self._look()


class Lab:
    """One bot, whose folder is followed."""

    def __init__(self, asked: LabSpec, store: Store, watcher: LabWatcher, say: Callable[[str], None]) -> None:
        self._asked = asked
        self._store = store
        self._watcher = watcher
        self._say = say
        self._settling = Settling()
        self._next_look = 0.0
        self._next_score = 0.0
        self._evidence: Evidence | None = None
        self._ticks = _Ticks(lambda: None)

    def follow(self) -> None:
        """Judge each version as it comes, until a signal ends it.

        Raises:
            UsageError, BotError: a setting is not right, or the accepted version or one of the field cannot start.
            Interrupted, KeyboardInterrupt: from signals; nothing that is recorded is lost.
        """
        with self._store.hold():
            newer = False
            while True:
                while not newer and not self._look():
                    sleep(max(0.0, self._next_look - monotonic()))
                newer = self._take_newest()

    def _look(self) -> bool:
        """Whether the files have changed and settled since this was said last."""
        if (now := monotonic()) < self._next_look:
            return False
        changed = self._settling.take(stamp(Path(self._store.history.source)), now=now)
        self._next_look = monotonic() + max(EVERY, (monotonic() - now) / _SHARE)
        return changed

    def _take_newest(self) -> bool:
        """Deal with the files as they are now; whether they have changed again before all was done."""
        try:
            digest = self._store.keep(read_entrant(self._asked.text))
        except (BotError, OSError) as error:
            self._watcher.trouble(words_of(error))
            return False
        if digest is None:
            return False
        action = decide(self._store.history, digest)
        if isinstance(action, Recall):
            self._watcher.tell(action.version, again=True)
            return False
        version = self._store.enter(action.number, digest) if isinstance(action, Enter) else action.version
        try:
            self._settle(self._judge(version))
        except Newer:
            self._settle(replace(self._so_far(version), fate="left"))
            return True
        except HostError as error:
            self._watcher.trouble(f"v{version.number} is not judged: {words_of(error)}")
        return False

    def _settle(self, version: Version) -> None:
        self._store.record(version)
        self._watcher.tell(version, again=False)

    def _judge(self, version: Version) -> Version:
        """The version with its verdict."""
        self._watcher.show(version, "is checked")
        bot, accepted = self._store.bot_of(version.number), self._store.history.accepted
        if why := self._find_fault(bot):
            return replace(version, fate="broken", why=why)
        if not accepted:
            return replace(version, fate="first")
        found = self._compare(version, bot, self._store.bot_of(accepted))
        if not found.matches:
            return replace(version, fate="broken", why=found.why)
        return replace(
            version,
            fate="open" if found.verdict == "undecided" else found.verdict,
            why=found.why,
            against=accepted,
            score=found.score,
            low=found.score_low,
            high=found.score_high,
            matches=found.matches,
        )

    def _find_fault(self, bot: BotFile) -> str:
        """What is wrong with a bot and how to fix it, by a short check; empty if it can play."""
        asked = self._asked
        seats = parse_seat_counts(None if asked.spec.seats is None else str(asked.spec.seats), asked.game, None)
        spec = replace(asked.spec, games=(asked.game.name,), seats=f"{seats[0]}-{seats[-1]}")
        if lack := missing(bot):
            return lack
        try:
            found = findings(bot, spec, exit_first=True, usual=True, say=self._say)
        except BotError as error:
            return str(error)
        return _words_of_failure(found)

    def _compare(self, version: Version, new: BotFile, old: BotFile) -> Comparison:
        asked, accepted = self._asked, self._store.history.accepted
        self._evidence, self._ticks = None, _Ticks(lambda: self._leave_if_newer(version))

        @contextmanager
        def playing(session: OpenRun) -> Iterator[Watcher]:
            self._watcher.begin_run(session.ready[0].folder)
            yield self._ticks

        def look(evidence: Evidence) -> None:
            self._evidence = evidence
            if monotonic() >= self._next_score:
                self._next_score = monotonic() + EVERY
                self._watcher.show(self._so_far(version), f"plays v{accepted}")

        self._watcher.show(version, f"plays v{accepted}")
        for number in count(1):
            name = f"v{version.number}-v{accepted}{f'-{number}' if number > 1 else ''}"
            spec = replace(asked.spec, out=self._store.root / "runs" / name)
            try:
                return comparison(
                    new,
                    old,
                    asked.game,
                    asked.field,
                    spec,
                    question=asked.question,
                    say=self._say,
                    playing=playing,
                    look=look,
                )
            except SettingsMismatch:
                # with other settings than before it begins again
                if not spec.out or not RunFolder(spec.out).begun():
                    raise
        raise AssertionError

    def _leave_if_newer(self, version: Version) -> None:
        """Leave a comparison whose version is no longer what the files are."""
        if not self._look():
            return
        try:
            newer = digest_bot(read_entrant(self._asked.text)) != version.digest
        except (BotError, OSError) as error:
            self._watcher.trouble(words_of(error))
            return
        if newer:
            raise Newer

    def _so_far(self, version: Version) -> Version:
        """The version with what its comparison has found by now."""
        version = replace(version, against=self._store.history.accepted, matches=self._ticks.matches)
        if self._evidence is None or not self._evidence.blocks:
            return version
        low, high = self._evidence.interval()
        return replace(version, score=self._evidence.mean, low=low, high=high)


def _words_of_failure(found: Findings) -> str:
    """The first failure of a check and its cure; empty without one."""
    failed = (result.failure for result in found.results if result.status == "failed")
    return next((f"{failure.rule}; {failure.hint}" for failure in failed if failure), "")
