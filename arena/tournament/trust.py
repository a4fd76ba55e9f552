"""Which settings files count whole: those that this user has made, or has trusted by name. Starts nothing.

A settings file may come with a folder of strangers. What lowers the sandbox, starts commands, shows files to bots or
writes elsewhere counts only if the file is trusted. That is remembered in the user's state folder, where only the user
may write: for the real path of the file, and for these settings as they were.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from arena.errors import BotError, UsageError
from arena.escape import plain
from arena.players.entrants import entry, led_on
from arena.sandbox.sandbox import LEVELS
from arena.tournament import cache
from arena.tournament.config import KEYS

RISKS = ("isolation", "build_network", "readable", "bots", "anchors", "out")
"""The settings whose values may need trust."""
_LONGEST = 400
_LARGEST = 64 << 10
"""Bytes of what is remembered of a file."""
_REPOSITORIES = (".git", ".hg", ".jj", ".svn")


class _Memory(Struct, frozen=True, kw_only=True):
    """What is remembered of a settings file."""

    file: str
    """Its real path, for whoever looks."""
    risks: str
    """The SHA-256 of the settings that were trusted."""
    made: int = 0
    """The inode of the folder, if arena has made the league in it for this user; else 0."""


class Standing:
    """How far a settings file counts."""

    def __init__(
        self, said: Mapping[str, Any], file: Path, *, say: Callable[[str], None], trust: Callable[[], bool]
    ) -> None:
        """Nothing is looked up before it is asked for.

        Args:
            said: what it sets, by field.
            file: where they stand.
            say: is told of a value that is not taken, where there is a safe one.
            trust: whether all settings are to count as they are, and this is to be remembered.
        """
        self._said, self._file, self._say, self._trust = said, file, say, trust

    def take(self, name: str, value: Any) -> Any:
        """The value of a setting, or what a function finds for it, if the file may set it.

        Where ``isolation`` is ``none`` and may not be set, it is ``auto``, which is never lower.

        Raises:
            UsageError: it needs trust that the file does not have; all settings that need it are named.
        """
        if name in RISKS and KEYS[name] in self._refused:
            if (name, value) != ("isolation", "none"):
                shown = "; ".join(f"{key} = {msgspec.json.encode(own).decode()}" for key, own in self._refused.items())
                raise UsageError(
                    f"{self._file}: expected settings that you trust, got {plain(shown, _LONGEST)}: "
                    "read the file; if you trust it, add --trust"
                )
            self._say(f"{self._file}: isolation none is not taken, but auto: if you trust this file, add --trust")
            return "auto"
        return value() if callable(value) else value

    @cached_property
    def _refused(self) -> Mapping[str, Any]:
        """The settings that need trust, by key; none if the file has it."""
        risks = _risks(self._said, self._file.parent)
        if risks and self._trust():
            remember(self._file, risks)
            return {}
        return {} if not risks or _remembered(self._file, risks) else risks


def counted(
    said: Mapping[str, Any], file: Path, say: Callable[[str], None], *, trust: bool, but: Collection[str] = ()
) -> dict[str, Any]:
    """The settings of a file that count, as ``Standing.take`` tells, without those in ``but``.

    Raises:
        UsageError: as there.
    """
    standing = Standing(said, file, say=say, trust=lambda: trust)
    return {name: standing.take(name, value) for name, value in said.items() if name not in but}


def remember(file: Path, risks: Mapping[str, Any], *, made: bool = False) -> bool:
    """Remember that these settings of a file are trusted; ``made``: the league was made for this user just now.

    Returns False if the state folder cannot be written.
    """
    old = _memory(file)
    inode = file.parent.stat().st_ino if made else old.made if old is not None else 0
    memory = _Memory(file=os.path.realpath(file), risks=_digest(risks), made=inode)
    return cache.store(_name(file), msgspec.json.encode(memory), folder=state_folder)


def state_folder() -> Path:
    """The folder of what arena remembers of this user: ``$XDG_STATE_HOME/arena`` or ``~/.local/state/arena``.

    Raises:
        RuntimeError: the user has no home.
    """
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".local" / "state") / "arena"


def _risks(said: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The settings of a file in ``folder`` that count only if it is trusted, by key."""
    out = os.path.realpath(said["out"]) if "out" in said else ""
    leads_out = out and not Path(out).is_relative_to(os.path.realpath(folder))
    risks: dict[str, Any] = {
        # auto is never lower than bwrap where there is bwrap
        "isolation": said.get("isolation") if said.get("isolation") in LEVELS[:-1] else None,
        "build-network": said.get("build_network"),
        # by their real paths: a link may lead elsewhere tomorrow
        "readable": [os.path.realpath(path) for path in said.get("readable", ())],
        "bots": [*_commands(said.get("bots", ()), folder)],
        "anchors": [*_commands(said.get("anchors", ()), folder)],
        "out": out if leads_out else None,
    }
    return {name: value for name, value in risks.items() if value}


def _commands(texts: Sequence[str], folder: Path) -> Iterator[str]:
    for text in texts:
        name, equals, _ = text.partition("=")
        # what is wrong with a text is told by who reads the bots
        with suppress(BotError):
            if equals and "/" not in name and entry(led_on(text, folder)).bot.bare:
                yield text


def _remembered(file: Path, risks: Mapping[str, Any]) -> bool:
    memory = _memory(file)
    if memory is None:
        return False
    with suppress(OSError):
        if memory.made and memory.made == file.parent.stat().st_ino and not _in_repository(file):
            # nobody else's changes come into it
            return True
    return memory.risks == _digest(risks)


def _memory(file: Path) -> _Memory | None:
    data = cache.load(_name(file), most=_LARGEST, folder=state_folder)
    with suppress(msgspec.MsgspecError):
        return None if data is None else msgspec.json.decode(data, type=_Memory)
    return None


def _in_repository(file: Path) -> bool:
    folder = Path(os.path.realpath(file)).parent
    return any(os.path.lexists(above / name) for above in (folder, *folder.parents) for name in _REPOSITORIES)


def _name(file: Path) -> str:
    return f"trust/{sha256(os.fsencode(os.path.realpath(file))).hexdigest()}"


def _digest(risks: Mapping[str, Any]) -> str:
    return sha256(msgspec.json.encode(dict(risks), order="sorted")).hexdigest()
