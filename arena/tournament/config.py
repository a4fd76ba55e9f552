"""``arena.toml``: the settings file of a folder, and how far it counts. Knows no match and no option of a command.

A settings file may come with a folder of strangers. What lowers the sandbox, starts commands, shows files to bots or
writes elsewhere counts only if this user has made the file, or has trusted it by name. That is remembered in the user's
state folder, where only the user may write: for the real path of the file, and for these settings as they were.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from glob import glob, has_magic
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from arena.errors import BOT_SEPARATOR, BotError, UsageError, nearest
from arena.escape import plain
from arena.formats.registry import CHAIN
from arena.limits import KEYS as LIMITS
from arena.players.botfile import BOT_FILE, is_in_closed_folder, is_regular_file
from arena.players.entrants import entry, is_counted, led_on
from arena.players.toml import as_struct, load_toml
from arena.sandbox import LEVELS
from arena.tournament import cache
from arena.tournament.settings import LeagueSettings, keys, shape, tables

KEYS = keys(LeagueSettings)
"""Field of ``LeagueSettings`` -> the key that sets it."""
_KEYS_BY_TABLE = tables() | {"limits": tuple(key for key, limit in LIMITS.items() if limit.option == "--limit")}
"""Table -> its keys. The keys of ``variants`` are the games' own."""


def read_settings_file(path: Path) -> dict[str, Any]:
    """What a file sets, by field of ``LeagueSettings``: paths from here, stages as a schedule too.

    Patterns of bots are not expanded, because a league looks at each folder. Bounds are checked where the settings are
    used: other values may count in their place.

    Raises:
        UsageError: it cannot be read, is not TOML, has an unknown key or a value of the wrong type.
    """
    try:
        table = load_toml(path)
        reason = _unknown_key(table)
        values = {} if reason else _read_values(as_struct(table, shape()), path.parent)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    if reason or (reason := _nul_in(table) or _no_path_in(table)):
        raise UsageError(f"{path}: {reason}")
    if "stages" in values:
        if "schedule" in values:
            raise UsageError(f"{path}: stages: expected them or schedule, got both")
        values["schedule"] = CHAIN.join(values["stages"])
    return values


def _read_values(file: Any, folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, key in KEYS.items():
        value = file
        for part in key.replace("-", "_").split("."):
            value = getattr(value, part)
        if value not in (None, (), {}):
            values[name] = value
    forms: Mapping[str, Callable[[Any], Any]] = {
        "out": lambda path: folder / path,
        "readable": lambda paths: tuple([str(folder / path) for path in paths]),
        "seats": str,
    }
    return {name: forms[name](value) if name in forms else value for name, value in values.items()}


def _unknown_key(table: dict[str, Any]) -> str | None:
    for name, candidates in _KEYS_BY_TABLE.items():
        inside = table.get(name) if name else table
        for key in inside if isinstance(inside, dict) else ():
            if key not in candidates:
                return f"{name and name + ': '}expected a known key, got {key!r}{_hint(key, candidates)}"
    return None


def _nul_in(table: dict[str, Any]) -> str | None:
    """A text that no operating system takes. Searched once the shape is right, for a table may be of any depth."""
    wrong = next(((key, text) for key, text in _texts(table) if "\0" in text), None)
    return wrong and f"{wrong[0]}: expected text without NUL, got {wrong[1]!r}"


def _no_path_in(table: dict[str, Any]) -> str | None:
    """An empty text where a path is expected: it would mean the folder of the file."""
    wrong = next((key for key in ("out", "readable") for _, text in _texts(table.get(key)) if not text), None)
    return wrong and f"{wrong}: expected a path, got ''"


def _hint(key: str, candidates: Sequence[str]) -> str:
    """The nearest key, or the table that the key belongs to."""
    home = next((name for name, keys in _KEYS_BY_TABLE.items() if key in keys), None)
    if home is None:
        return nearest(key, candidates)
    return f"; [{home}] has it" if home else "; it belongs above the first table"


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value, names of keys included, with the key that it stands at."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part, key)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield key, name
            yield from _texts(part, f"{key}.{name}" if key else name)


def resolve_bots(texts: Sequence[str], folder: Path, *, may_lack: bool = False) -> list[str]:
    """BOT texts as on a command line, from those of a file in ``folder``: paths resolved, patterns expanded.

    ``BOT*2`` is two copies where BOT is a bot, and else a pattern.

    Raises:
        UsageError: a pattern stands for no bot, or for what is in a folder that cannot be read.
    """
    lines: list[str] = []
    for text in texts:
        name, equals, _ = text.partition("=")
        if (equals and "/" not in name) or is_counted(text, folder):
            lines.append(led_on(text, folder))
        elif has_magic(text):
            _check_open(text, folder)
            folders = [path for path in sorted(glob(text, root_dir=folder)) if _is_bot(folder / path)]  # noqa: PTH207 - a Path would glob by other rules
            if not folders and not may_lack:
                raise UsageError(f"expected folders with a {BOT_FILE}, got none for {text!r}")
            lines += [os.path.join(folder, os.path.normpath(path)) for path in folders]  # noqa: PTH118 - a Path would fold `./`
        else:
            lines.append(led_on(text, folder))
    return list(dict.fromkeys(lines))


def _is_bot(folder: Path) -> bool:
    """Whether a folder has a bot file, or may have one: that it cannot be read is told by who reads it."""
    return is_regular_file(folder / BOT_FILE) or is_in_closed_folder(folder / BOT_FILE)


def _check_open(pattern: str, folder: Path) -> None:
    """Check that the folder above a pattern can be read: otherwise the pattern silently finds nothing."""
    parts = Path(pattern).parts
    plain = next(index for index, part in enumerate(parts) if has_magic(part))
    above = folder.joinpath(*parts[:plain])
    try:
        os.scandir(above).close()
    except PermissionError as error:
        raise UsageError(f"{above}: expected a folder that can be read, got: {error.strerror}") from None
    except (OSError, ValueError):
        # where nothing is, a pattern stands for nothing
        return


def no_bots(texts: Sequence[str], folder: Path) -> list[str]:
    """Folders that match the patterns of a file in ``folder`` but have no bot file."""
    patterns = [text for text in texts if has_magic(text) and ("/" in text or "=" not in text)]
    matched = {path for text in patterns for path in glob(text, root_dir=folder) if (folder / path).is_dir()}  # noqa: PTH207 - likewise
    return [str(folder / path) for path in sorted(matched) if not _is_bot(folder / path)]


@contextmanager
def errors_at_key(key: str) -> Iterator[None]:
    """Errors about names in a file say where they stand: ``key``, with the file's name before it."""
    try:
        yield
    except BotError as error:
        raise UsageError(BOT_SEPARATOR.join(f"{key}: {text}" for text in error.texts)) from None
    except UsageError as error:
        raise UsageError(f"{key}: {error}") from None


@contextmanager
def errors_in_words_of(path: Path) -> Iterator[None]:
    """Errors about a value name its key in the file."""
    try:
        yield
    except UsageError as error:
        if error.option not in KEYS:
            raise
        part = f".{error.part}" if error.part else ""
        raise UsageError(f"{path}: {KEYS[error.option]}{part}: {error.text}") from None


RISKS = ("isolation", "build_network", "network", "readable", "bots", "anchors", "out", "notify_url", "repositories")
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
        self, values: Mapping[str, Any], file: Path, *, say: Callable[[str], None], trust: Callable[[], bool]
    ) -> None:
        """Nothing is looked up before it is asked for.

        Args:
            values: what it sets, by field.
            file: where they stand.
            say: is told of a value that is not taken, where there is a safe one.
            trust: whether all settings are to count as they are, and this is to be remembered.
        """
        self._values, self._file, self._say, self._trust = values, file, say, trust

    def take(self, name: str, value: Any) -> Any:
        """The value of a setting, or what a function finds for it, if the file may set it.

        Where ``isolation`` is ``none`` and may not be set, it is ``auto``, which is never lower; nobody is notified.

        Raises:
            UsageError: it needs trust that the file does not have; all settings that need it are named.
        """
        if name in RISKS and KEYS[name] in self._refused:
            mild = {"isolation": "auto", "notify_url": None}
            if name not in mild or (name == "isolation" and value != "none"):
                # an address may hold a secret
                refused = {key: setting for key, setting in self._refused.items() if key != KEYS["notify_url"]}
                text = "; ".join(f"{key} = {msgspec.json.encode(setting).decode()}" for key, setting in refused.items())
                raise UsageError(
                    f"{self._file}: expected settings that you trust, got {plain(text, _LONGEST)}: "
                    "read the file; if you trust it, add --trust"
                )
            what = "isolation none is not taken, but auto" if name == "isolation" else f"{KEYS[name]} is not taken"
            self._say(f"{self._file}: {what}: if you trust this file, add --trust")
            return mild[name]
        return value() if callable(value) else value

    @cached_property
    def _refused(self) -> Mapping[str, Any]:
        """The settings that need trust, by key; none if the file has it."""
        risks = _risks(self._values, self._file.parent)
        if risks and self._trust():
            remember(self._file, risks)
            return {}
        return {} if not risks or _remembered(self._file, risks) else risks


def filter_settings(
    values: Mapping[str, Any], file: Path, say: Callable[[str], None], *, trust: bool, but: Collection[str] = ()
) -> dict[str, Any]:
    """The settings of a file that count, as ``Standing.take`` tells, without those in ``but``.

    Raises:
        UsageError: as there.
    """
    standing = Standing(values, file, say=say, trust=lambda: trust)
    return {name: standing.take(name, value) for name, value in values.items() if name not in but}


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
    folder = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (folder if folder.is_absolute() else Path.home() / ".local" / "state") / "arena"


def _risks(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The settings of a file in ``folder`` that count only if it is trusted, by key."""
    out = os.path.realpath(values["out"]) if "out" in values else ""
    leads_out = out and not Path(out).is_relative_to(os.path.realpath(folder))
    risks: dict[str, Any] = {
        # auto is never lower than bwrap where there is bwrap
        "isolation": values.get("isolation") if values.get("isolation") in LEVELS[:-1] else None,
        "build-network": values.get("build_network"),
        "network": list(values.get("network", ())),
        # by their real paths: a link may lead elsewhere tomorrow
        "readable": [os.path.realpath(path) for path in values.get("readable", ())],
        "bots": [*_commands(values.get("bots", ()), folder)],
        "anchors": [*_commands(values.get("anchors", ()), folder)],
        "out": out if leads_out else None,
        "notify.url": values.get("notify_url"),
        "entries.repositories": values.get("repositories"),
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
