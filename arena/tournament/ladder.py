"""A ladder: one run of several bots that people work on, extended whenever a new or changed one enters.

New versions first get the matches that they lack, then all play on evenly until every rank is certain.
"""

from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep

from msgspec.structs import replace

from arena.errors import BotError, HostError, words_of
from arena.players.botfile import BOT_FILE, BotFile
from arena.tournament.contest import Say
from arena.tournament.decision import Begin, Extend
from arena.tournament.giving_up import give_up_run
from arena.tournament.lab import EVERY, LabSpec, LabWatcher, Newer, Source, Ticks, find_fault
from arena.tournament.open_run import OpenRun
from arena.tournament.planning import contests_of
from arena.tournament.settings import UNTIL_MATCHES
from arena.tournament.standings import write_standings
from arena.tournament.versions import Settling, Version, stamp

_FIRST = 240
"""Matches of a ladder to begin with; each time that all have their share of them, there are twice as many."""


def list_folders(text: str) -> list[str]:
    """The folders of bots that a text names: itself, or those in it, if it is a folder of such folders."""
    within = sorted(str(file.parent) for file in Path(text).glob(f"*/{BOT_FILE}"))
    return within if within and not Path(text, BOT_FILE).exists() else [text]


class Ladder:
    """Several bots, whose folders are followed."""

    def __init__(self, request: LabSpec, watcher: LabWatcher, say: Say) -> None:
        self._request = request
        self._watcher = watcher
        self._say = say
        self._sources: dict[str, Source] = {}
        self._changed: set[str] = set()
        """Folders that are to be read again."""
        self._playing: dict[str, Version] = {}
        """By folder, the newest version that can play."""
        self._arriving: dict[str, Settling] = {}
        self._found: list[str] = []
        """New folders whose files have settled."""
        self._next_look = 0.0
        self._certain = False
        """Whether every rank is, of those that play."""
        self._run = request.root / "@ladder"
        for text in request.texts:
            if list_folders(text) == [text]:
                # a mistake of who types it
                request.store(text)

    def follow(self) -> None:
        """Play until a signal ends it; raises as ``Lab.follow``."""
        with ExitStack() as stack:
            waiting = False
            while True:
                self._open_sources(stack)
                self._changed |= {text for text, source in self._sources.items() if source.changed()}
                entered = [self._enter(text) for text in sorted(self._changed)]
                self._changed.clear()
                waiting = not self._play() if any(entered) or not waiting else True
                if waiting:
                    sleep(EVERY)

    def _open_sources(self, stack: ExitStack) -> None:
        """Begin to follow folders that are new, once their files have settled."""
        self._find_new()
        for text in self._found:
            try:
                source = Source(text, self._request.store(text))
            except BotError as error:
                self._watcher.trouble(words_of(error))
                continue
            stack.enter_context(source.store.hold())
            self._sources[text] = source
            self._changed.add(text)
        self._found.clear()

    def _find_new(self) -> None:
        for text in (folder for typed in self._request.texts for folder in list_folders(typed)):
            arriving = self._arriving.setdefault(text, Settling())
            if text not in self._sources and arriving.take(stamp(Path(text)), now=monotonic()):
                self._found.append(text)

    def _enter(self, text: str) -> bool:
        """Have the newest version of a bot play; whether it does. If it cannot, the one before it stays."""
        source = self._sources[text]
        try:
            action = source.keep()
            if action is None:
                return False
            version, bot = action.version, source.store.bot_of(action.version.number)
        except (BotError, OSError) as error:
            self._watcher.trouble(words_of(error))
            return False
        if version.fate in {"new", "broken", "left"}:
            self._watcher.show(version, f"of {text} is checked")
            try:
                why = find_fault(self._request, bot, self._say)
            except HostError as error:
                self._watcher.trouble(f"{bot.name} is not checked: {words_of(error)}")
                return False
            version = replace(version, fate="broken" if why else "entered", why=why)
            source.store.record(version)
        if version.fate == "broken":
            self._watcher.trouble(f"{bot.name} is broken: {version.why}")
        elif self._playing.get(text) != version:
            self._watcher.trouble(f"{bot.name} enters")
            self._playing[text], self._certain = version, False
            return True
        return False

    def _play(self) -> bool:
        """Play the matches that are due; whether there were any."""
        bots = [self._sources[text].store.bot_of(version.number) for text, version in self._playing.items()]
        if len(bots) < 2:  # noqa: PLR2004 - one alone has no rank
            return False
        matches, most = _FIRST, self._request.spec.matches or UNTIL_MATCHES
        while True:
            session = self._open_run(bots, min(matches, most))
            (contest,) = session.contests
            decision = contest.decide()
            if isinstance(decision, Begin | Extend) or not contest.folder.manifest().finished:
                break
            contest.folder.write_manifest(decision.manifest)
            if matches >= most or self._certain:
                return False
            matches *= 2
        try:
            self._play_out(session)
        except Newer:
            give_up_run(contest.folder)
        # a signal that came when no match was left to be played
        session.lanes.heed()
        return True

    def _open_run(self, bots: list[BotFile], matches: int) -> OpenRun:
        spec = replace(self._request.spec, games=(self._request.game.name,), seats=self._request.seats, out=self._run)
        spec = replace(spec, matches=matches, keep_going=True)
        _, (contest,) = contests_of(spec, bots, self._say)
        if contest.folder.begun() and not (manifest := contest.folder.manifest()).finished:
            if set(contest.padded) != set(manifest.present):
                give_up_run(contest.folder)
            elif matches != manifest.epochs[-1].asked:
                return self._open_run(bots, manifest.epochs[-1].asked)
        session = OpenRun(spec, [contest], self._run, lambda _: None)
        session.resolve_isolation()
        return session

    def _play_out(self, session: OpenRun) -> None:
        ticks = Ticks(self._leave_if_newer)
        with session:
            session.start(session.resume())
            (run,) = session.ready
            self._watcher.begin_run(run.folder)
            for _ in session.matches_of(run, ticks):
                if ticks.is_due():
                    self._watcher.count(ticks.matches)
            rows = write_standings(run.folder).leaderboard.leaderboard
        self._certain = all(row.settled for row in rows)
        self._watcher.rank(rows, matches=ticks.matches)

    def _leave_if_newer(self) -> None:
        """Leave the matches that remain if a bot is no longer what it was, or there is a new one."""
        for text, source in self._sources.items():
            try:
                if source.changed() and (text not in self._playing or source.differs(self._playing[text])):
                    self._changed.add(text)
            except (BotError, OSError) as error:
                self._watcher.trouble(words_of(error))
        if monotonic() >= self._next_look:
            self._next_look = monotonic() + EVERY
            self._find_new()
            if self._changed or self._found:
                raise Newer
