"""The versions of a bot that a lab has seen, by content, and what to do when its files are others: pure, and a store.

A lab's folder holds ``arena-lab.json``, the files of each version, and the run of each comparison. Starts nothing.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena import files
from arena.errors import BotError, DamagedError, LockedError, UsageError, unmade
from arena.escape import some
from arena.players.botfile import BotFile, paths_named, read_bot_file
from arena.players.content import LAB, copy, digest_bot, listing

SETTLED = 1.0
"""Seconds for which files must stay as they are before they count as a version."""
_LOCK = "lab.lock"
_NAME = 56
"""Characters of a bot's name that stay in the name of a version."""

Fate: TypeAlias = Literal["new", "first", "better", "worse", "equal", "open", "broken", "left", "entered"]
"""What became of a version; ``open``: no difference was found in all the matches; ``left``: a newer one came;
``entered``: it plays in a ladder, and was compared with none."""


class Version(Struct, frozen=True, kw_only=True):
    """The bot as it was at some time."""

    number: int
    digest: str
    """See ``arena.players.content.digest_bot``."""
    seen: str
    """When it was seen first: local time, ISO 8601."""
    fate: Fate = "new"
    why: str = ""
    """The verdict in sentences, or what is wrong with a broken one."""
    against: int = 0
    """The version that it was compared with; 0: none."""
    score: float | None = None
    """As in ``arena.report.verdict.Comparison``, with both ends of its interval."""
    low: float | None = None
    high: float | None = None
    matches: int = 0


class History(Struct, frozen=True, kw_only=True):
    """All versions of a bot, in the order in which they were seen."""

    game: str
    source: str
    """The folder of the bot."""
    versions: tuple[Version, ...] = ()
    accepted: int = 0
    """The version that the next one is compared with; 0: none."""


class Enter(Struct, frozen=True):
    """This content is new: it becomes a version of this number, and is to be judged."""

    number: int


class Recall(Struct, frozen=True):
    """This content was judged before: say so, and play nothing."""

    version: Version


class Judge(Struct, frozen=True):
    """This content was seen before, and is to be judged, for the first time or against another version."""

    version: Version


def decide(history: History, digest: str) -> Enter | Recall | Judge:
    """What to do with files of this content.

    One that was better or worse than some accepted version stays so: versions accepted since then are better still. One
    in which no difference was found is held against the version that is accepted now. What was broken, or left before
    it was judged, is tried again.
    """
    version = next((version for version in history.versions if version.digest == digest), None)
    if version is None:
        return Enter(len(history.versions) + 1)
    judged = version.fate in {"first", "better", "worse"}
    even = version.fate in {"equal", "open"} and version.against == history.accepted
    return Recall(version) if judged or even else Judge(version)


def record(history: History, version: Version) -> History:
    """The history with this version as it is now; a better one, or the first, is accepted."""
    versions = (*history.versions[: version.number - 1], version, *history.versions[version.number :])
    accepted = version.number if version.fate in {"first", "better"} else history.accepted
    return replace(history, versions=versions, accepted=accepted)


Stamp: TypeAlias = tuple[tuple[object, ...], ...] | str
"""What tells that files have changed, without reading them."""


def stamp(folder: Path) -> Stamp:
    """By file of a bot its name, size, whether it is executable, and when it was changed; or why nobody can tell."""
    try:
        return tuple([(item, (folder / item.name).lstat().st_mtime_ns) for item in listing(folder).items])
    except (BotError, OSError) as error:
        return str(error)


class Settling:
    """Tells once of each change of files that have then stayed as they are for a second."""

    def __init__(self) -> None:
        self._told: Stamp | None = None
        self._last: Stamp | None = None
        self._since = 0.0

    def take(self, stamp: Stamp, *, now: float) -> bool:
        """Whether these files, looked at now, are others than those that were told of, and have settled."""
        if stamp != self._last:
            self._last, self._since = stamp, now
        if stamp == self._told or now - self._since < SETTLED:
            return False
        self._told = stamp
        return True


class Store:
    """The folder of a lab; its history is written at each change of it, so that a kill loses nothing."""

    def __init__(self, root: Path, *, game: str, source: str) -> None:
        """The lab of a bot in its folder, new or one that goes on.

        Raises:
            UsageError: the folder is a lab of another bot or game.
            DamagedError: its file cannot be read.
        """
        self.root = root
        self.history = read_history(root) or History(game=game, source=source)
        was = self.history
        if (was.game, was.source) != (game, source):
            got = f"{source} at {game}"
            raise UsageError(f"{root}: expected a lab of {was.source} at {was.game}, got {got}; another -o begins one")

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Make the folder and keep other labs out of it.

        Raises:
            LockedError: another lab is at work in it.
            UsageError: it cannot be made.
        """
        try:
            (self.root / "versions").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unmade(self.root, error, option="out") from error
        descriptor = files.opened(self.root, _LOCK, os.O_RDWR | os.O_CREAT)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                text = f"{self.root}: expected no other lab at work in it, got one; --log reads it meanwhile"
                raise LockedError(text) from None
            # the mark by which nothing in here is part of a bot
            self._write()
            yield
        finally:
            os.close(descriptor)

    def keep(self, bot: BotFile) -> str | None:
        """Copy the bot as it is now; its digest, or None if its files have changed meanwhile.

        Raises:
            BotError: its bot file is not right, or its files cannot be read.
        """
        new, before = self.root / "versions" / ".new", stamp(Path(bot.folder))
        shutil.rmtree(new, ignore_errors=True)
        copy(Path(bot.folder), to=new, paths=paths_named(bot))
        if stamp(Path(bot.folder)) != before:
            return None
        return digest_bot(read_bot_file(new))

    def enter(self, number: int, digest: str) -> Version:
        """The content that was copied last as a version."""
        shutil.rmtree(self.folder_of(number), ignore_errors=True)
        (self.root / "versions" / ".new").rename(self.folder_of(number))
        version = Version(number=number, digest=digest, seen=f"{datetime.now():%Y-%m-%dT%H:%M:%S}")  # noqa: DTZ005 - local time, for people
        self.record(version)
        return version

    def record(self, version: Version) -> None:
        """Write what has become of a version."""
        self.history = record(self.history, version)
        self._write()

    def folder_of(self, number: int) -> Path:
        """The files of a version."""
        return self.root / "versions" / f"v{number}"

    def bot_of(self, number: int) -> BotFile:
        """A version as a bot of its own name.

        Raises:
            BotError: its files are no longer there.
        """
        bot = read_bot_file(self.folder_of(number))
        return replace(bot, name=f"{bot.name[:_NAME]}-v{number}", alias=True)

    def take(self, name: str) -> Path:
        """Put the files of a version, as ``v6``, beside the bot's folder, in a new one; returns it.

        Raises:
            UsageError: there is no such version, or something is in its place.
        """
        names = [f"v{version.number}" for version in self.history.versions]
        if name not in names:
            raise UsageError(f"expected a version ({some(names, 40, 'see --log')}), got {name!r}", option="take")
        number, to = names.index(name) + 1, Path(f"{self.history.source}-{name}")
        if to.exists():
            raise UsageError(f"expected no {to}, got one; move it away first", option="take")
        copy(self.folder_of(number), to=to)
        return to

    def _write(self) -> None:
        files.write(self.root, LAB, msgspec.json.format(msgspec.json.encode(self.history)) + b"\n")


def rows_of(history: History) -> list[dict[str, object]]:
    """A row for each version, the accepted one with a star."""
    return [
        {
            "version": f"v{version.number}{' *' * (version.number == history.accepted)}",
            "seen": version.seen.replace("T", " "),
            "became": version.fate,
            "against": f"v{version.against}" if version.against else "-",
            **{name: "-" if (end := getattr(version, name)) is None else f"{end:+.3f}" for name in _NUMBERS},
            "matches": version.matches,
        }
        for version in history.versions
    ]


_NUMBERS = ("score", "low", "high")
_decode = files.decoder(History)


def read_history(root: Path) -> History | None:
    """The history of the lab in a folder; None if there is no lab.

    Raises:
        DamagedError: its file is not one of a lab.
    """
    with suppress(FileNotFoundError):
        try:
            return _decode(files.read(root, LAB))
        except msgspec.DecodeError as error:
            raise DamagedError(f"{root / LAB}: expected the history of a lab, got: {error}") from error
    return None
