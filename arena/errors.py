"""What goes wrong, by whose fault it is: the root of every error that arena raises on purpose."""

import errno
import os
import signal
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

BOT_SEPARATOR = "\narena: "
"""Between what is wrong with one bot and with the next, in a text that tells of several."""
_LONGEST = 10_000
"""Characters of the text of an error of others: a record that holds it has a limit."""


class ArenaError(Exception):
    """An error that arena raises on purpose; its text says *expected ... got ...* and is fit to be shown."""


class UsageError(ArenaError):
    """What cannot be done. ``option`` names the wrong parameter, as ``move_time``; ``part`` a key within its value."""

    def __init__(self, text: str, *, option: str = "", part: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.option = option
        self.part = part

    def __str__(self) -> str:
        where = f"{self.option} {self.part}".strip()
        return f"{where}: {self.text}" if where else self.text


class BotError(ArenaError):
    """Bots cannot be entered: for each, a text names its folder, file or command and says what is not right."""

    def __init__(self, *texts: str) -> None:
        super().__init__(BOT_SEPARATOR.join(texts))
        self.texts = texts


class NotReadyError(BotError):
    """Bots that cannot start: the text has their command and stderr, ``bots`` their names, each with why."""

    def __init__(self, text: str, bots: Mapping[str, str]) -> None:
        super().__init__(text)
        self.bots = bots


class HostError(ArenaError):
    """This machine fails, and no bot is to blame."""


class DamagedError(ArenaError):
    """A file of a run or a league is missing or not what it should be; file and place are named."""


class LockedError(ArenaError):
    """Another runner is at work in this folder."""


class Interrupted(ArenaError):
    """A signal asked for the end; ``number`` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


_CURES = {
    errno.ENOSPC: "free some room, or set TMPDIR to a folder with room",
    errno.EDQUOT: "free some room, or set TMPDIR to a folder with room",
    errno.EROFS: "set TMPDIR to a folder that can be written",
    errno.EACCES: "set TMPDIR to a folder that can be written",
    errno.ENOENT: "set TMPDIR to a folder that is there",
    errno.EAGAIN: "end other processes, or raise `ulimit -u`",
    errno.EMFILE: "raise `ulimit -n`",
    errno.ENFILE: "end other processes: all of this machine have too many files open",
    errno.ENOMEM: "end other processes, or raise `ulimit -v`",
    errno.EFBIG: "raise `ulimit -f`",
}
_SHORTAGES = {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EFBIG, errno.EROFS}
_AGAIN = "see that this machine has memory, processes and room on its disk to spare, and try again"


def cure_of(number: int) -> str:
    """What to do about trouble of this machine, by the number of the system's error; 0: not known."""
    return _CURES.get(number, _AGAIN)


def words_of(error: BaseException) -> str:
    """What to tell of an error: that of the system by the file that it is about."""
    match error:
        case MemoryError():
            return f"{os.strerror(errno.ENOMEM)}; {cure_of(errno.ENOMEM)}"
        case OSError() if error.errno == errno.ENOSPC:
            return f"the disk is full: {error}"
        case OSError() if error.errno in _SHORTAGES:
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror}; {cure_of(error.errno or 0)}"
        case OSError() if error.filename and error.strerror == os.strerror(errno.ELOOP):
            return f"{error.filename}: expected a path that ends somewhere, got a link that leads back to itself"
        case FileNotFoundError() if error.filename is None:
            # only of the current folder is the name not known
            return "expected a current folder, got one that was removed"
        case OSError() if error.filename and error.strerror:
            return f"{error.filename}: {error.strerror}"
    return str(error)


def unmade(folder: Path, error: OSError, *, option: str = "") -> UsageError:
    """What to raise where a folder cannot be made.

    Raises:
        FileNotFoundError: the current folder is gone, in which it was to be.
    """
    if not folder.is_absolute():
        Path.cwd()
    return UsageError(f"expected a folder that can be made, got {folder}: {error.strerror}", option=option)


def raised(error: BaseException) -> str:
    """Type and text of an error of others' code, in one line; its text may be code, too, and fail."""
    try:
        text = str(error)
    except Exception as another:  # noqa: BLE001 - it may raise anything
        text = f"(no text, for that raised {type(another).__name__})"
    line = " ".join(f"{type(error).__name__}: {text[:_LONGEST]}".split())
    return line.encode(errors="backslashreplace").decode()


def nearest(word: str, candidates: Iterable[str]) -> str:
    """``; did you mean ...?`` if one known word is similar, or is the only one that begins so; else an empty text."""
    words = list(candidates)
    begun = [candidate for candidate in words if word and candidate.startswith(word)]
    near = get_close_matches(word, words, n=1) or (begun if len(begun) == 1 else [])
    return f"; did you mean {near[0]!r}?" if near else ""
