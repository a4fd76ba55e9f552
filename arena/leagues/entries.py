"""The entries of a league: finds the version of each bot that plays, in its folder, in git or where it is kept."""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from arena.errors import BotError, UsageError
from arena.escape import plain
from arena.files import inside, make, write
from arena.identity import bot_of
from arena.leagues.owners import FILE as OWNERS
from arena.leagues.owners import Owners
from arena.leagues.repository import BARE, Repository, find_repository
from arena.leagues.roster import FILE, Entry, Roster, Version, bracket, choose, end_of_entries, read_roster
from arena.players import (
    BOT_FILE,
    BotFile,
    copy,
    digest_bot,
    is_in_closed_folder,
    is_regular_file,
    is_shipped,
    on_one_line,
    read_bot_file,
    read_entrant,
)
from arena.tournament import SETTINGS_FILE, Contest, Entrant

BOTS = "bots"
MIRRORS = "mirrors"
"""Where the newest commits of private repositories lie, a bare repository for each bot."""
UNREAD = "unread"
"""A file that marks a repository that could not be read when it was pulled last."""
_UNREAD = "expected a repository that can be read, got none"
FOLDER = "entries"
"""Where versions lie that play and are no longer, or not for good, what ``bots`` holds."""
ANCHORS = "anchors"
"""Where the shipped bots lie that play, as they were when their run began with them."""
_SHORT = 12
"""So much of a content names a folder."""
_AHEAD = timedelta(days=1)
"""A commit that is dated later than this from now counts as of now: one wrong clock ends no entries."""


def place_of(bot: str, *, content: str, within: str = FOLDER) -> str:
    """Where a version of the bot of a folder is kept, from the league's folder."""
    return f"{within}/{content[:_SHORT]}/{Path(bot).name}"


class Entries:
    """The entries of a league: decided now, or as the last season has decided."""

    def __init__(
        self,
        folder: Path,
        *,
        until: datetime | None,
        owners: Owners | None,
        begun: bool,
        clock: datetime,
        decides: bool,
        private: bool,
        retry: Sequence[str],
        say: Callable[[str], None],
    ) -> None:
        """Read the roster and, if anything is to be decided, what git knows.

        Args:
            folder: of the league.
            until: when entries end.
            owners: whose bots they are; None: their files tell.
            begun: whether a run has: the roster of runs that lie elsewhere does not count.
            clock: what this machine takes for the time.
            decides: whether to decide; else the roster counts, if there is one.
            private: whether bots lie in repositories of their own, too.
            retry: bots that may be tried again.
            say: is told if git does not answer, and where an earlier version plays on.
        """
        until = until and until.astimezone(UTC)
        self._folder, self._owners, self._retry, self._until, self._say = folder, owners, retry, until, say
        old = self._written = read_roster(folder) if begun else None
        self._entries = {entry.folder: entry for entry in (old.bots if old else ())}
        self.decides = decides or old is None
        self._repository = find_repository(folder, say) if self.decides else None
        self._changed = self._repository.list_changed() if self._repository else []
        times = self._repository.times if self._repository else {}
        newest = next(reversed(times.values()), clock)
        # a clock that was set back opens no entries again
        self.now = max(clock, old.moment if old else clock, newest if newest <= clock + _AHEAD else clock)
        settings = self._repository.list_versions(SETTINGS_FILE)[-1:] if self._repository else []
        self.ends = end_of_entries(until, old, begun=min([*map(times.__getitem__, settings), self.now]))
        self._shipped: dict[str, BotFile] = {}
        # nobody but its owner knows when a private bot was pushed: what the first season after the end sees, counts
        self._waits = self.ends is not None and not (old is not None and old.over and old.until == until)
        self._private = self._find_private() if private else {}
        self._mirrors: dict[str, Repository | None] = {}
        self.by_text: dict[str, Entry] = {}
        self.bots: dict[str, BotFile] = {}
        """By text: the version that plays of each bot that has one."""

    def _find_private(self) -> dict[str, str]:
        """By what stands for it, the folder that each bot of a private repository would have in the league.

        Once it is decided who plays, any bot that does not lie here is one.
        """
        places = [f"{BOTS}/{path.stem}" for path in sorted(Path(self._folder, MIRRORS).glob(f"*{BARE}"))]
        if not self.decides:
            places += [place for place in self._entries if "/" in place and not Path(self._folder, place).is_dir()]
        return {str(Path(self._folder, place)): place for place in places}

    def list_texts(self, texts: Iterable[str]) -> list[str]:
        """What stands for the bots of the settings and, first, for those of private repositories."""
        return [*self._private, *[text for text in texts if self._locate(text) not in self._private.values()]]

    def enter(self, text: str) -> None:
        """Find the version of a bot that plays, by what stands for it in the settings.

        Raises:
            UsageError: it names no bot, and never did.
        """
        if self.decides:
            self._choose(text, {})
        elif entry := self._entries.get(self._key(text)):
            self.by_text[text] = entry
            with suppress(BotError):
                if entry.plays is not None:
                    self.bots[text] = self._find_played(text, entry.plays)

    def knows(self, path: str) -> bool:
        """Whether a folder without a bot had one that played."""
        entry = self._entries.get(self._key(path))
        return entry is not None and entry.plays is not None

    def exclude(self, text: str, *, why: str, holder: str | None = None) -> None:
        """Leave a bot out, whatever its version; with a ``holder`` of its name it is called as its folder is."""
        bot = self.by_text[text].bot if holder is None else _name_of_folder(text)
        self.by_text[text] = replace(self.by_text[text], bot=bot, out=why, holder=holder or "")

    def fall_back(self, contest: Contest, failures: Mapping[str, str]) -> bool:
        """Put an earlier version in the place of each bot of a contest that could not start; whether there is any.

        Args:
            contest: its bots are replaced.
            failures: by bot, why.
        """
        before = contest.bots
        for text, entry in [*self.by_text.items()]:
            bot = self.bots.get(text)
            if bot is None or bot.name not in failures or entry.plays is None:
                continue
            if bot in contest.bots:
                self._choose(text, {**entry.broken, entry.plays.content: failures[bot.name]})
            spare = self.bots.get(text)
            if spare is None or spare.name != bot.name:
                # none is left: it is on probation as it is
                self.by_text[text], self.bots[text] = entry, bot
            else:
                contest.bots = [spare if other.name == spare.name else other for other in contest.bots]
                self._say(f"{spare.name}: {self.by_text[text].reason}")
        return contest.bots != before

    def hold(self, bot: BotFile, entrants: Sequence[Entrant]) -> BotFile:
        """A shipped bot as a run with these entrants has it, though arena now ships another; the others as they are."""
        if not is_shipped(bot):
            return bot
        content, files = digest_bot(bot), Path(bot.folder).name
        played = {bot_of(entrant.name): entrant.digest for entrant in entrants}.get(bot.name, content)
        if played != content:
            # a league of before they were kept goes on with what arena ships
            with suppress(BotError):
                first = self._read_kept(files, played, within=ANCHORS)
                bot, content = replace(first, name=bot.name, alias=bot.alias), played
        self._shipped[content] = bot
        return bot

    def keep(self) -> None:
        """Write the roster if it says anything new, and keep the files of versions that lie nowhere else.

        Raises:
            arena.files.Linked, OSError: they cannot be written.
        """
        entries = sorted(self.by_text.values(), key=lambda entry: entry.folder)
        roster = Roster(
            moment=self.now,
            until=self._until,
            ends=self.ends,
            over=self.ends is not None and self.now > self.ends,
            bots=tuple([entry.public for entry in entries]),
        )
        for text, bot in self.bots.items():
            version = self.by_text[text].plays
            if version is not None and not version.commit and self._locate(text):
                with suppress(BotError):
                    self._keep_copy(text, bot, version.content)
        for content, bot in self._shipped.items():
            with suppress(BotError):
                self._keep_copy(bot.folder, bot, content, within=ANCHORS)
        if self._written is None or roster != replace(self._written, moment=roster.moment):
            write(self._folder, FILE, msgspec.json.format(msgspec.json.encode(roster), indent=1) + b"\n")
            self._written = roster
        needed = {version.content[:_SHORT] for entry in entries for version in entry.versions}
        with suppress(FileNotFoundError):
            for path in inside(self._folder, FOLDER).iterdir():
                if path.name not in needed:
                    shutil.rmtree(path, ignore_errors=True)

    def _locate(self, text: str) -> str | None:
        """The folder of a bot from the league's folder, if it is in there and no link leads to it."""
        path = Path(text)
        if text in self._private:
            return self._private[text]
        if path.is_symlink() or not path.is_dir():
            return None
        there = os.path.relpath(Path(os.path.realpath(path.parent), path.name), os.path.realpath(self._folder))
        return None if there == os.curdir or there.startswith(os.pardir) else there

    def _key(self, text: str) -> str:
        return on_one_line(self._locate(text) or text)

    def _find_source(self, text: str) -> tuple[Repository | None, str | None]:
        """The repository that has the versions of a bot, and its folder in there."""
        place = self._locate(text)
        if text not in self._private:
            return self._repository, place
        if text not in self._mirrors:
            mirror = self._mirror(text)
            self._mirrors[text] = find_repository(mirror, lambda _: None) if mirror.is_dir() else None
        return self._mirrors[text], ""

    def _mirror(self, text: str) -> Path:
        return Path(self._folder, MIRRORS, Path(text).name + BARE)

    def _choose(self, text: str, broken: Mapping[str, str]) -> None:
        """Decide which version of a bot plays; ``broken`` are further contents that cannot start."""
        key, (repository, place) = self._key(text), self._find_source(text)
        old = self._entries.get(key)
        if old is not None and old.bot not in self._retry:
            broken = {**old.broken, **broken}
        commits = repository.list_versions(place) if repository and place is not None else []
        found: dict[str, BotFile] = {}
        here, fault = None, ""
        if text not in self._private:
            # what is ignored or was never committed is told apart by its content alone
            if any(f"{name}/".startswith(f"{place}/") for name in self._changed):
                commits = ["", *commits]
            bot, content, fault = self._read_here(text)
            here = self._enter(text, commits[0] if commits else "", content)
            if bot is not None:
                found[content] = bot

        def read_content(version: Version) -> str:
            if version is here and fault:
                raise BotError(fault)
            if version.content in found:
                return version.content
            taken = self._take(text, version)
            content = digest_bot(taken)
            found[content] = taken
            return content

        versions = [] if here is None else [here]
        versions += [self._enter(text, commit) for commit in commits[len(versions) :]]
        newest = versions[0] if versions else None
        versions += [] if old is None else old.versions
        chosen, why = choose(versions, until=self._until, ends=self.ends, broken=broken, read=read_content)
        # where the league lies on this machine is nobody's matter
        why = why.replace(f"{os.path.realpath(self._folder)}/", "").replace(f"{self._folder.absolute()}/", "")
        out = "" if versions else _UNREAD
        if text in self._private and (self._mirror(text) / UNREAD).exists():
            why = why if chosen is not None and why else _UNREAD
            if chosen is None and old is not None and old.plays is not None:
                # where nothing of it was kept, it plays again once it can be read, though entries are over
                chosen, out = old.plays, _UNREAD
        self.bots.pop(text, None)
        if chosen is not None and chosen.content in found:
            self.bots[text] = found[chosen.content]
        playing = self.bots.get(text)
        before = None if old is None else old.plays
        if old is not None and before is not None and chosen is not None and chosen.content == before.content:
            before = old.before
        name = playing.name if playing else old.bot if old else _name_of_folder(text)
        claim = playing.owner if playing else ""
        self.by_text[text] = Entry(
            bot=name,
            folder=key,
            owner=claim if self._owners is None else ", ".join(self._owners.of(name)),
            plays=chosen,
            before=before,
            newest=newest if why and newest != chosen else None,
            why=why,
            out=out,
            broken=dict(broken) if why else {},
        )

    def _read_here(self, text: str) -> tuple[BotFile | None, str, str]:
        """The bot as it lies in its folder now, and its content; or why it cannot be read.

        Raises:
            UsageError: there is no bot, and never was.
        """
        try:
            bot = self._read(text, text)
            return bot, digest_bot(bot), ""
        except BotError as error:
            file = Path(text) / BOT_FILE
            if is_regular_file(file) or is_in_closed_folder(file) or self.knows(text):
                return None, "", str(error)
            raise UsageError(str(error)) from None

    def _read(self, text: str, where: str) -> BotFile:
        """A version of a bot, in its folder or wherever else it lies."""
        bot = read_entrant(where) if where == text else read_bot_file(Path(where))
        name = Path(text).name
        if self._owners is not None and Path(where).is_dir() and bot.name != name:
            # what is bound to an account is the name, and what a pull request changes is the folder
            raise BotError(f"expected the name of its folder, because the league has an {OWNERS}, got {bot.name!r}")
        return bot

    def _enter(self, text: str, commit: str, content: str = "") -> Version:
        """A version of a bot, with when it entered; the one that played, or did not, at the last decision keeps that.

        One that was there still earlier enters again: who goes back to it has changed the bot.
        """
        entry, (repository, _) = self._entries.get(self._key(text)), self._find_source(text)
        versions = [version for version in (entry.plays, entry.newest) if version is not None] if entry else []
        for version in versions:
            if version.content == content if content or not commit else version.commit == commit:
                return replace(version, commit=commit or version.commit)
        entered = self.now
        if text in self._private:
            entered = min(entered, self.ends) if self._waits and self.ends is not None else entered
        elif commit and repository is not None:
            seen = any(repository.precedes(commit, other=version.commit) for version in versions)
            dated, decided = repository.times[commit], self._written.moment if self._written else None
            entered = bracket(dated, seen=seen, decided=decided, now=self.now)
        return Version(entered=entered, commit=commit, content=content)

    def _find_played(self, text: str, version: Version) -> BotFile:
        """The version that a roster names, wherever it lies."""
        with suppress(BotError):
            bot = self._read(text, text)
            if digest_bot(bot) == version.content:
                return bot
        return self._take(text, version)

    def _keep_copy(self, text: str, bot: BotFile, content: str, within: str = FOLDER) -> None:
        try:
            self._read_kept(text, content, within=within)
        except BotError:
            self._store(text, partial(copy, Path(bot.folder)), within=within)

    def _take(self, text: str, version: Version) -> BotFile:
        """A version that does not lie in the bot's folder: from where it is kept, or from git."""
        try:
            return self._read_kept(text, version.content)
        except BotError:
            repository, place = self._find_source(text)
            if repository is None or place is None or not version.commit:
                raise
        return self._store(text, partial(repository.take, version.commit, name=place))

    def _read_kept(self, text: str, content: str, within: str = FOLDER) -> BotFile:
        """A version from the folder of versions, if its files are those that it had."""
        if not content:
            raise BotError(f"{text}: expected a version that was kept, got none")
        place = place_of(text, content=content, within=within)
        try:
            bot = self._read(text, str(inside(self._folder, place)))
        except OSError as error:
            raise BotError(f"{place}: {error.strerror}") from None
        if digest_bot(bot) != content:
            raise BotError(f"{place}: expected the files of the version that played, got others")
        return bot

    def _store(self, text: str, fill: Callable[..., object], within: str = FOLDER) -> BotFile:
        """Put a version whose files ``fill`` writes into the folder of versions."""
        try:
            with TemporaryDirectory(dir=make(self._folder, within)) as desk:
                there = Path(desk) / Path(text).name
                fill(to=there)
                content = digest_bot(self._read(text, str(there)))
                place = Path(place_of(text, content=content, within=within))
                into = make(self._folder, str(place.parent)) / place.name
                shutil.rmtree(into, ignore_errors=True)
                there.rename(into)
        except OSError as error:
            raise BotError(f"{text}: expected room for its files in {within}, got: {error.strerror}") from None
        return self._read_kept(text, content, within=within)


def _name_of_folder(text: str) -> str:
    return plain(on_one_line(Path(text).name), 64)
