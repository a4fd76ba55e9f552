"""The entries of a league: which version of each bot plays, since when it is there, and why a newer one does not play.

A season decides that once, and writes it down in ``roster.json``; whoever plays a part, a final or tables goes by that.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BotError, UsageError
from arena.escape import plain
from arena.files import decoder, inside, make, read, write
from arena.identity import bot_of
from arena.leagues.owners import FILE as OWNERS
from arena.leagues.owners import Owners
from arena.leagues.repository import find_repository
from arena.players import (
    BOT_FILE,
    BotFile,
    conceal,
    copy,
    digest_bot,
    is_in_closed_folder,
    is_regular_file,
    is_shipped,
    on_one_line,
    read_bot_file,
    read_entrant,
)
from arena.tournament import SETTINGS_FILE, BrokenRun, Contest, Entrant

FILE = "roster.json"
FOLDER = "entries"
"""Where versions lie that play and are no longer, or not for good, what ``bots`` holds."""
ANCHORS = "anchors"
"""Where the shipped bots lie that play, as they were when their run began with them."""
_SHORT = 12
"""So much of a content names a folder."""
_AHEAD = timedelta(days=1)
"""A commit that is dated later than this from now counts as of now: one wrong clock ends no entries."""


class Version(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A state of a bot's folder."""

    entered: datetime
    """UTC."""
    commit: str = ""
    """Empty: of no repository, or not committed."""
    content: str = ""
    """The digest; empty until it is read."""


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A bot's folder, and what the league makes of it."""

    bot: str
    """Its name, or that of its folder where its file gives none."""
    folder: str
    """From the league's folder, if it is in there."""
    owner: str = ""
    plays: Version | None = None
    before: Version | None = None
    """The version that played before this one."""
    newest: Version | None = None
    """If it is not the one that plays."""
    why: str = ""
    """Why the newest version does not play."""
    out: str = ""
    """Why the bot does not play at all, whatever its version."""
    holder: str = ""
    """The folder of the bot that has its name, if that is the reason."""
    broken: dict[str, str] = {}
    """Contents that could not start, and why: they are tried again when they change."""

    @property
    def reason(self) -> str:
        """Why the bot, or its newest version, does not play; empty if it plays as it is."""
        if self.out or not self.why or self.plays is None:
            return self.out or self.why
        return f"{self.why}; its version of {self.plays.entered:%Y-%m-%d %H:%M} UTC plays on"

    @property
    def public(self) -> "Entry":
        """The same with reasons that quote neither the bot nor this machine."""
        return replace(
            self, why=conceal(self.why), broken={content: conceal(why) for content, why in self.broken.items()}
        )


class Roster(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who plays in a league, as it was decided at a moment."""

    moment: datetime
    """When it was decided, UTC; a later decision that is the same does not count."""
    until: datetime | None = None
    """The end of entries, as the settings had it."""
    ends: datetime | None = None
    """The end that counted: one that was set when it was over is the moment of the decision before."""
    over: bool = False
    bots: tuple[Entry, ...] = ()


_decode = decoder(Roster)


def read_roster(folder: Path) -> Roster | None:
    """The roster of a league; None before its first season.

    Raises:
        BrokenRun: it is no roster.
        arena.files.Linked, OSError: it cannot be read.
    """
    try:
        return _decode(read(folder, FILE))
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise BrokenRun(f"{folder / FILE}: expected a roster, got something else ({error})") from None


def choose(
    versions: Iterable[Version],
    *,
    until: datetime | None,
    ends: datetime | None,
    broken: Mapping[str, str],
    read: Callable[[Version], str],
) -> tuple[Version | None, str]:
    """The version that plays, and why no newer one does: the newest in time that can be read and is not broken.

    Args:
        versions: from the newest on.
        until: the end of entries, as it is told.
        ends: the end that counts.
        broken: contents that cannot start, and why.
        read: gives the content of a version, or raises ``BotError``.
    """
    reasons: list[str | None] = []
    chosen = None
    for version in versions:
        if ends is not None and version.entered > ends:
            reasons.append(None)
            continue
        try:
            content = read(version)
        except BotError as error:
            reasons.append(str(error))
            continue
        if content not in broken:
            chosen = replace(version, content=content)
            break
        reasons.append(broken[content])
    why = reasons[0] if reasons else ""
    if why is None:
        got = "no new bot, got one" if chosen is None else "the bot as it was entered, got another"
        why = f"entries ended at {until or ends:%Y-%m-%d %H:%M} UTC: expected {got}"
    return chosen, why


def end_of_entries(until: datetime | None, old: Roster | None, *, begun: datetime) -> datetime | None:
    """The end of entries that counts: one that was set when it was over does not take out who played already."""
    if until is None or old is None:
        return until and max(until, begun)
    return old.ends if old.until == until else max(until, old.moment)


def bracket(entered: datetime, *, seen: bool, decided: datetime | None, now: datetime) -> datetime:
    """When a commit of this date has entered: not before a decision that did not know it, nor after one that did."""
    if decided is None:
        return min(entered, now)
    return min(entered, decided) if seen else min(max(entered, decided), now)


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
        self.by_text: dict[str, Entry] = {}
        self.bots: dict[str, BotFile] = {}
        """By text: the version that plays of each bot that has one."""

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

    def exclude(self, text: str, *, why: str, bot: str = "", holder: str = "") -> None:
        """Leave a bot out, whatever its version; ``bot`` is what it is called then."""
        entry = self.by_text[text]
        self.by_text[text] = replace(entry, bot=bot or entry.bot, out=why, holder=holder)

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
        needed = {version.content[:_SHORT] for entry in entries for version in (entry.plays, entry.before) if version}
        with suppress(FileNotFoundError):
            for path in inside(self._folder, FOLDER).iterdir():
                if path.name not in needed:
                    shutil.rmtree(path, ignore_errors=True)

    def _locate(self, text: str) -> str | None:
        """The folder of a bot from the league's folder, if it is in there and no link leads to it."""
        path = Path(text)
        if path.is_symlink() or not path.is_dir():
            return None
        there = os.path.relpath(Path(os.path.realpath(path.parent), path.name), os.path.realpath(self._folder))
        return None if there == os.curdir or there.startswith(os.pardir) else there

    def _key(self, text: str) -> str:
        return on_one_line(self._locate(text) or text)

    def _choose(self, text: str, broken: Mapping[str, str]) -> None:
        """Decide which version of a bot plays; ``broken`` are further contents that cannot start."""
        key, place = self._key(text), self._locate(text)
        old = self._entries.get(key)
        if old is not None and old.bot not in self._retry:
            broken = {**old.broken, **broken}
        commits = self._repository.list_versions(place) if self._repository and place else []
        # what is ignored or was never committed is told apart by its content alone
        if any(f"{name}/".startswith(f"{place}/") for name in self._changed):
            commits = ["", *commits]
        found: dict[str, BotFile] = {}
        bot, content, fault = self._read_here(text)
        here = self._enter(key, commits[0] if commits else "", content)
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

        earlier = [self._enter(key, commit) for commit in commits[1:]]
        earlier += [] if old is None else [version for version in (old.plays, old.before) if version is not None]
        chosen, said = choose([here, *earlier], until=self._until, ends=self.ends, broken=broken, read=read_content)
        # where the league lies on this machine is nobody's matter
        why = said.replace(f"{os.path.realpath(self._folder)}/", "").replace(f"{self._folder.absolute()}/", "")
        self.bots.pop(text, None)
        if chosen is not None:
            self.bots[text] = found[chosen.content]
        playing = self.bots.get(text)
        before = None if old is None else old.plays
        if old is not None and before is not None and chosen is not None and chosen.content == before.content:
            before = old.before
        name = playing.name if playing else old.bot if old else plain(on_one_line(Path(text).name), 64)
        claim = playing.owner if playing else ""
        self.by_text[text] = Entry(
            bot=name,
            folder=key,
            owner=claim if self._owners is None else ", ".join(self._owners.of(name)),
            plays=chosen,
            before=before,
            newest=here if why else None,
            why=why,
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

    def _enter(self, key: str, commit: str, content: str = "") -> Version:
        """A version of a bot, with when it entered; the one that played, or did not, at the last decision keeps that.

        One that was there still earlier enters again: who goes back to it has changed the bot.
        """
        entry = self._entries.get(key)
        versions = [version for version in (entry.plays, entry.newest) if version is not None] if entry else []
        for version in versions:
            if version.content == content if content or not commit else version.commit == commit:
                return replace(version, commit=commit or version.commit)
        entered = self.now
        if commit and self._repository is not None:
            seen = any(self._repository.precedes(commit, other=version.commit) for version in versions)
            dated, decided = self._repository.times[commit], self._written.moment if self._written else None
            entered = bracket(dated, seen=seen, decided=decided, now=self.now)
        return Version(entered=entered, commit=commit, content=content)

    def _find_played(self, text: str, version: Version) -> BotFile:
        """The version that a roster names, wherever it lies."""
        with suppress(BotError):
            bot = self._read(text, text)
            if digest_bot(bot) == version.content:
                return bot
        return self._read_kept(text, version.content)

    def _keep_copy(self, text: str, bot: BotFile, content: str, within: str = FOLDER) -> None:
        try:
            self._read_kept(text, content, within=within)
        except BotError:
            self._store(text, lambda to: copy(Path(bot.folder), to=to), within=within)

    def _take(self, text: str, version: Version) -> BotFile:
        """A version that does not lie in the bot's folder: from where it is kept, or from git."""
        try:
            return self._read_kept(text, version.content)
        except BotError:
            if self._repository is None or not version.commit:
                raise
        take = partial(self._repository.take, version.commit, name=self._locate(text) or text)
        return self._store(text, lambda to: take(to=to))

    def _read_kept(self, text: str, content: str, within: str = FOLDER) -> BotFile:
        """A version from the folder of versions, if its files are those that it had."""
        place = f"{within}/{content[:_SHORT]}/{Path(text).name}"
        if not content:
            raise BotError(f"{text}: expected a version that was kept, got none")
        try:
            bot = self._read(text, str(inside(self._folder, place)))
        except OSError as error:
            raise BotError(f"{place}: {error.strerror}") from None
        if digest_bot(bot) != content:
            raise BotError(f"{place}: expected the files of the version that played, got others")
        return bot

    def _store(self, text: str, fill: Callable[[Path], object], within: str = FOLDER) -> BotFile:
        """Put a version whose files ``fill`` writes to a folder into the folder of versions."""
        try:
            with TemporaryDirectory(dir=make(self._folder, within)) as desk:
                there = Path(desk) / Path(text).name
                fill(there)
                content = digest_bot(self._read(text, str(there)))
                place = make(self._folder, f"{within}/{content[:_SHORT]}") / there.name
                shutil.rmtree(place, ignore_errors=True)
                there.rename(place)
        except OSError as error:
            raise BotError(f"{text}: expected room for its files in {within}, got: {error.strerror}") from None
        return self._read_kept(text, content, within=within)
