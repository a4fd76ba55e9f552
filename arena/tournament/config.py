"""``arena.toml``: the settings file of a folder. Knows no match, no rating and no option of a command."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from arena.errors import EACH, BotError, UsageError
from arena.formats.registry import CHAIN
from arena.players.botfile import FILE as BOT_FILE
from arena.players.botfile import is_closed, is_file, nearest
from arena.players.entrants import is_counted, led_on
from arena.players.limits import KEYS as LIMITS
from arena.players.toml import as_struct, load
from arena.tournament.settings import LeagueSettings, keys, shape, tables

FILE = "arena.toml"
KEYS = keys(LeagueSettings)
"""Field of ``LeagueSettings`` -> the key that sets it."""
_KNOWN = tables() | {"limits": tuple(key for key, limit in LIMITS.items() if limit.option == "--limit")}
"""Table -> its keys. The keys of ``variants`` are the games' own."""


def read(path: Path) -> dict[str, Any]:
    """What a file sets, by field of ``LeagueSettings``: paths from here, stages as a schedule too.

    Patterns of bots are not expanded, because a league looks at each folder. Bounds are checked where the settings are
    used: other values may count in their place.

    Raises:
        UsageError: it cannot be read, is not TOML, has an unknown key or a value of the wrong type.
    """
    try:
        table = load(path)
        reason = _unknown_key(table)
        values = {} if reason else _said(as_struct(table, shape()), path.parent)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    if reason or (reason := _nul_in(table)):
        raise UsageError(f"{path}: {reason}")
    if "stages" in values:
        if "schedule" in values:
            raise UsageError(f"{path}: stages: expected them or schedule, got both")
        values["schedule"] = CHAIN.join(values["stages"])
    return values


def _said(file: Any, folder: Path) -> dict[str, Any]:
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
    for name, known in _KNOWN.items():
        inside = table.get(name) if name else table
        for key in inside if isinstance(inside, dict) else ():
            if key not in known:
                return f"{name and name + ': '}expected a known key, got {key!r}{_hint(key, known)}"
    return None


def _nul_in(table: dict[str, Any]) -> str | None:
    """A text that no operating system takes. Searched once the shape is right, for a table may be of any depth."""
    wrong = next(((key, text) for key, text in _texts(table) if "\0" in text), None)
    return wrong and f"{wrong[0]}: expected text without NUL, got {wrong[1]!r}"


def _hint(key: str, known: Sequence[str]) -> str:
    """The nearest key, or the table that the key belongs to."""
    home = next((name for name, keys in _KNOWN.items() if key in keys), None)
    if home is None:
        return nearest(key, known)
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


def bots(texts: Sequence[str], folder: Path, *, may_lack: bool = False) -> list[str]:
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
    return is_file(folder / BOT_FILE) or is_closed(folder / BOT_FILE)


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
def at_key(key: str) -> Iterator[None]:
    """Errors about names in a file say where they stand: ``key``, with the file's name before it."""
    try:
        yield
    except (BotError, UsageError) as error:
        name = f"{EACH}{key}: "
        raise UsageError(f"{key}: {str(error).replace(EACH, name)}") from None


@contextmanager
def in_words_of(path: Path) -> Iterator[None]:
    """Errors about a value name its key in the file."""
    try:
        yield
    except UsageError as error:
        if error.option not in KEYS:
            raise
        part = f".{error.part}" if error.part else ""
        raise UsageError(f"{path}: {KEYS[error.option]}{part}: {error.text}") from None
