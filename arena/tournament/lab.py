"""A lab: each time the files of a bot have changed and settled, they are checked and compared with the last good ones.

One comparison after the other, each with a run of its own in the lab's folder, so that whatever ends the lab, the same
command goes on. Bots play from copies, never from the folder in which somebody writes. Prints nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import monotonic, sleep

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BotError, HostError, UsageError, words_of
from arena.game import Game
from arena.players.botfile import BOT_FILE, BotFile, missing
from arena.players.content import LAB, digest_bot
from arena.players.entrants import is_shipped, read_entrant
from arena.ratings.evidence import Evidence
from arena.report.render import LeaderboardRow
from arena.report.verdict import Comparison, Question
from arena.tournament.calls import findings
from arena.tournament.comparison import compare_bots
from arena.tournament.folder import RunFolder
from arena.tournament.loop import Watcher
from arena.tournament.open_run import OpenRun
from arena.tournament.parts import SettingsMismatch
from arena.tournament.settings import RunSpec
from arena.tournament.versions import Enter, Judge, Recall, Settling, Store, Version, decide, stamp

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

    def count(self, matches: int) -> None:
        """A ladder has played so many matches."""

    def rank(self, rows: Sequence[LeaderboardRow], *, matches: int) -> None:
        """A ladder has played so many matches, and these are its rows."""

    def trouble(self, text: str) -> None:
        """What else is to be told, as that the files are no bot that can be tried, or this machine cannot tell."""


class LabSpec(Struct, frozen=True, kw_only=True):
    """What a lab asks."""

    texts: tuple[str, ...]
    """The bots as they were typed."""
    game: Game
    field: tuple[str, ...] = ()
    """Whom both versions play; none: copies of the old one and the best shipped bots."""
    spec: RunSpec
    question: Question

    @property
    def seats(self) -> str:
        """The seats that are asked for, or those of the usual table."""
        return str(self.spec.seats or self.game.usual_seats)

    @property
    def root(self) -> Path:
        """The folder of several bots.

        Raises:
            UsageError: no bot may see what lies there.
        """
        root = self.spec.out or Path("lab", self.game.name)
        if root.resolve().is_relative_to(Path("results").resolve()):
            raise UsageError(f"expected a folder that bots may see, so none in results, got {root}", option="out")
        return root

    def store(self, text: str, *others: str, new: bool = True) -> Store:
        """The folder of a bot: a ``new`` one, or one that is there.

        Raises:
            UsageError, BotError: it is no bot that somebody works on, the folder is another bot's, or none is there.
        """
        if others:
            raise UsageError(f"expected one bot beside --log and --take, got {1 + len(others)}")
        if not self.question.until or self.question.gate is not None:
            raise UsageError("expected decided or equal=M, for a lab asks what is better; got another", option="until")
        bot = read_entrant(text)
        if bot.bare or is_shipped(bot):
            raise BotError(f"expected a folder with a {BOT_FILE} in which you work, got {text!r}")
        alone = self.spec.out is not None and self.texts == (text,)
        root = self.root if alone else self.root / bot.name
        if not new and not (root / LAB).exists():
            raise UsageError(f"expected a lab in {root}, got none; without --log and --take it begins one")
        return Store(root, game=self.game.name, source=bot.folder)


class Source:
    """The folder of a bot, at which a lab looks from time to time."""

    def __init__(self, text: str, store: Store) -> None:
        self.text = text
        self.store = store
        self.next_look = 0.0
        self._settling = Settling()

    def changed(self) -> bool:
        """Whether the files have changed and settled since this was said last."""
        if (now := monotonic()) < self.next_look:
            return False
        changed = self._settling.take(stamp(Path(self.store.history.source)), now=now)
        self.next_look = monotonic() + max(EVERY, (monotonic() - now) / _SHARE)
        return changed

    def differs(self, version: Version) -> bool:
        """Whether the files are another version; a ``BotError`` or an ``OSError`` if they are none."""
        return digest_bot(read_entrant(self.text)) != version.digest

    def keep(self) -> Recall | Judge | None:
        """What to do with the version that the files are, new or not; None if they have changed meanwhile.

        Raises:
            BotError, OSError: they are no bot, or cannot be read.
        """
        digest = self.store.keep(read_entrant(self.text))
        if digest is None:
            return None
        action = decide(self.store.history, digest)
        return Judge(self.store.enter(action.number, digest)) if isinstance(action, Enter) else action


class Ticks(Watcher):
    """Counts matches, and calls a function about ten times a second while they are played."""

    def __init__(self, look: Callable[[], None]) -> None:
        self.matches = 0
        self._look = look
        self._next = 0.0

    def is_due(self) -> bool:
        """Whether it is time to show something, which is so twice a second."""
        due = monotonic() >= self._next
        self._next = monotonic() + EVERY if due else self._next
        return due

    def recalled(self, *, matches: int, **_: object) -> None:
        """Count those of earlier sessions."""
        self.matches = matches

    def played(self, _: object) -> None:
        """Count one."""
        self.matches += 1

    def tick(self) -> None:
        """Call the function."""
        self._look()


class Lab:
    """One bot, whose folder is followed."""

    def __init__(self, request: LabSpec, watcher: LabWatcher, say: Callable[[str], None]) -> None:
        self._request = request
        (text,) = request.texts
        self._store = request.store(text)
        self._source = Source(text, self._store)
        self._watcher = watcher
        self._say = say
        self._heed: Callable[[], None] = lambda: None
        self._evidence: Evidence | None = None
        self._ticks = Ticks(lambda: None)

    def follow(self) -> None:
        """Judge each version as it comes, until a signal ends it.

        Raises:
            UsageError, BotError: a setting is not right, or the accepted version or one of the field cannot start.
            Interrupted, KeyboardInterrupt: from signals; nothing that is recorded is lost.
        """
        with self._store.hold():
            newer = False
            while True:
                while not newer and not self._source.changed():
                    sleep(max(0.0, self._source.next_look - monotonic()))
                newer = self._take_newest()

    def _take_newest(self) -> bool:
        """Deal with the files as they are now; whether they have changed again before all was done."""
        try:
            action = self._source.keep()
        except (BotError, OSError) as error:
            self._watcher.trouble(words_of(error))
            return False
        if isinstance(action, Recall):
            self._watcher.tell(action.version, again=True)
        if not isinstance(action, Judge):
            return False
        version = action.version
        try:
            self._settle(self._judge(version))
        except Newer:
            self._settle(replace(self._so_far(version), fate="left"))
            self._heed()
            return True
        except HostError as error:
            self._watcher.trouble(f"v{version.number} is not judged: {words_of(error)}")
        # a signal that came when no match was left to be played
        self._heed()
        return False

    def _settle(self, version: Version) -> None:
        self._store.record(version)
        self._watcher.tell(version, again=False)

    def _judge(self, version: Version) -> Version:
        """The version with its verdict."""
        self._watcher.show(version, "is checked")
        bot, accepted = self._store.bot_of(version.number), self._store.history.accepted
        if why := find_fault(self._request, bot, self._say):
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

    def _compare(self, version: Version, new: BotFile, old: BotFile) -> Comparison:
        request, accepted = self._request, self._store.history.accepted
        self._evidence, self._ticks = None, Ticks(lambda: self._leave_if_newer(version))

        @contextmanager
        def playing(session: OpenRun) -> Iterator[Watcher]:
            self._watcher.begin_run(session.ready[0].folder)
            self._heed = session.lanes.heed
            yield self._ticks

        def look(evidence: Evidence) -> None:
            self._evidence = evidence
            if self._ticks.is_due():
                self._watcher.show(self._so_far(version), f"plays v{accepted}")

        self._watcher.show(version, f"plays v{accepted}")
        for number in count(1):
            name = f"v{version.number}-v{accepted}{f'-{number}' if number > 1 else ''}"
            spec = replace(request.spec, out=self._store.root / "runs" / name)
            try:
                return compare_bots(
                    new,
                    old,
                    request.game,
                    request.field,
                    spec,
                    question=request.question,
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
        try:
            if self._source.changed() and self._source.differs(version):
                raise Newer
        except (BotError, OSError) as error:
            self._watcher.trouble(words_of(error))

    def _so_far(self, version: Version) -> Version:
        """The version with what its comparison has found by now."""
        version = replace(version, against=self._store.history.accepted, matches=self._ticks.matches)
        if self._evidence is None or not self._evidence.blocks:
            return version
        low, high = self._evidence.interval()
        return replace(version, score=self._evidence.mean, low=low, high=high)


def find_fault(request: LabSpec, bot: BotFile, say: Callable[[str], None]) -> str:
    """What is wrong with a bot and how to fix it, by a short check; empty if it can play."""
    if lack := missing(bot):
        return lack
    spec = replace(request.spec, games=(request.game.name,), seats=request.seats)
    try:
        found = findings(bot, spec, exit_first=True, usual=True, say=say)
    except BotError as error:
        # behind the first line is all that a build wrote
        return str(error).partition("\n")[0]
    failed = (result.failure for result in found.results if result.status == "failed")
    return next((f"{failure.rule}; {failure.hint}" for failure in failed if failure), "")
