"""``arena.toml``: the settings file of a folder. Knows no match, no rating and no option of a command."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import asdict

from arena.errors import EACH, BotError, UsageError
from arena.formats.registry import CHAIN
from arena.players.botfile import FILE as BOT_FILE
from arena.players.botfile import is_closed, is_file, nearest
from arena.players.entrants import is_counted, led_on
from arena.players.limits import KEYS as LIMITS
from arena.players.toml import as_struct, load
from arena.sandbox.sandbox import LEVELS
from arena.tournament.spec import RunSpec

FILE = "arena.toml"

Count = Annotated[int, Meta(extra_json_schema={"minimum": 1})]
Time = Annotated[str, Meta(extra_json_schema={"examples": ["500ms"]})]


class Clocks(Struct, frozen=True, forbid_unknown_fields=True):
    """How long bots may take; times such as ``400ms``, ``1s`` or ``10m``."""

    move: Time | None = None
    start: Time | None = None
    bank: Annotated[str, Meta(extra_json_schema={"examples": ["30s+100ms"]})] | None = None
    budget: Time | None = None


class Entries(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """Who may enter a league."""

    per_owner: Count | None = None
    """How many bots of one owner take part at most."""
    until: Annotated[str, Meta(extra_json_schema={"examples": ["2027-01-31", "2027-01-31T18:00:00+01:00"]})] | None = (
        None
    )
    """The last day, in UTC, on which a new or changed bot may enter a run that has begun."""
    ranks: Count | None = None
    """A bot that entered after the first season is provisional while it can have more ranks than this."""


class Config(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The contents of a settings file: None and empty for every key that it does not set."""

    games: tuple[str, ...] = ()
    """Names of games, or ``all``."""
    bots: tuple[str, ...] = ()
    """As BOT on the command line, paths from the file's folder; patterns stand for the folders with a ``bot.toml``."""
    seats: Annotated[int | str, Meta(extra_json_schema={"examples": [4, "3-5"]})] | None = None
    schedule: Annotated[str, Meta(extra_json_schema={"examples": ["swiss", "knockout,losses=2"]})] | None = None
    """The format of the tournament and its options."""
    stages: Annotated[tuple[str, ...], Meta(extra_json_schema={"examples": [["groups,through=2", "knockout"]]})] = ()
    """Formats one after the other, each as ``schedule``: bots that advance from one play the next."""
    matches: Count | None = None
    anchors: tuple[str, ...] = ()
    """As ``bots``: those of a league that play in every season, and whose mean rating stands still."""
    lanes: Count | None = None
    seed: str | None = None
    out: str | None = None
    """The results folder, from the file's folder."""
    isolation: Annotated[str, Meta(extra_json_schema={"enum": ["auto", *LEVELS]})] | None = None
    build_network: bool | None = None
    readable: tuple[str, ...] = ()
    """What bots may read besides, from the file's folder."""
    max_faults: Count | None = None
    variants: dict[str, str] = {}
    clocks: Clocks = Clocks()
    limits: dict[str, str | int] = {}
    """The limits that have no option of their own, as ``arena.players.limits`` reads them."""
    entries: Entries = Entries()
    disqualified: dict[str, str] = {}
    """Bots that no longer take part in a league, and whose matches do not count there; for each the reason."""


KEYS = {
    "bots": "bots",
    "games": "games",
    "variants": "variants",
    "seats": "seats",
    "schedule": "schedule",
    "matches": "matches",
    "lanes": "lanes",
    "seed": "seed",
    "out": "out",
    "isolation": "isolation",
    "build_network": "build-network",
    "readable": "readable",
    "max_faults": "max-faults",
    "move_time": "clocks.move",
    "start_time": "clocks.start",
    "bank": "clocks.bank",
    "budget": "clocks.budget",
    "limits": "limits",
}
"""Field of ``RunSpec`` -> the key that sets it."""


def schedule_in(config: Config) -> str | None:
    """The schedule in the file, with one stage or several."""
    return CHAIN.join(config.stages) or config.schedule


_KNOWN: dict[str, tuple[str, ...]] = {
    "": Config.__struct_encode_fields__,
    "clocks": Clocks.__struct_encode_fields__,
    "entries": Entries.__struct_encode_fields__,
    "limits": tuple(key for key, limit in LIMITS.items() if limit.option == "--limit"),
}
"""Table -> its keys. The keys of ``variants`` are the games' own."""


def read(path: Path) -> Config:
    """The settings in a file. Bounds are checked by the options whose defaults they are.

    Raises:
        UsageError: it cannot be read, is not TOML, has an unknown key or a value of the wrong type.
    """
    try:
        table = load(path)
        reason = _unknown_key(table)
        config = None if reason else as_struct(table, Config)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    if config is None or (reason := _nul_in(table) or _twice(config)):
        raise UsageError(f"{path}: {reason}")
    return config


def _unknown_key(table: dict[str, Any]) -> str | None:
    for name, known in _KNOWN.items():
        inside = table.get(name) if name else table
        for key in inside if isinstance(inside, dict) else ():
            if key not in known:
                return f"{name and name + ': '}expected a known key, got {key!r}{_hint(key, known)}"
    return None


def _twice(config: Config) -> str | None:
    return "stages: expected them or schedule, got both" if config.stages and config.schedule is not None else None


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
        for each in value:
            yield from _texts(each, key)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield key, name
            yield from _texts(each, f"{key}.{name}" if key else name)


def bots(texts: Sequence[str], folder: Path, *, may_lack: bool = False) -> list[str]:
    """BOT texts as on a command line, from those of a file in ``folder``: paths resolved, patterns expanded.

    ``BOT*2`` is two copies where BOT is a bot, and else a pattern.

    Raises:
        UsageError: a pattern stands for no bot, or for what is in a folder that cannot be read.
    """
    found: list[str] = []
    for text in texts:
        name, equals, _ = text.partition("=")
        if (equals and "/" not in name) or is_counted(text, folder):
            found.append(led_on(text, folder))
        elif has_magic(text):
            _see_open(text, folder)
            folders = [path for path in sorted(glob(text, root_dir=folder)) if _is_bot(folder / path)]  # noqa: PTH207 - a Path would glob by other rules
            if not folders and not may_lack:
                raise UsageError(f"expected folders with a {BOT_FILE}, got none for {text!r}")
            found += [os.path.join(folder, os.path.normpath(path)) for path in folders]  # noqa: PTH118 - a Path would fold `./`
        else:
            found.append(led_on(text, folder))
    return list(dict.fromkeys(found))


def _is_bot(folder: Path) -> bool:
    """Whether a folder has a bot file, or may have one: that it cannot be read is told by who reads it."""
    return is_file(folder / BOT_FILE) or is_closed(folder / BOT_FILE)


def _see_open(pattern: str, folder: Path) -> None:
    """Check that the folder before the first sign of a pattern can be read: of a closed one a pattern finds nothing."""
    parts = Path(pattern).parts
    plain = next(at for at, part in enumerate(parts) if has_magic(part))
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


def said(config: Config, folder: Path) -> dict[str, Any]:
    """The settings of a file in ``folder``, by field of ``RunSpec``; patterns of bots are not expanded."""
    by_key = {**asdict(config), **{f"clocks.{key}": value for key, value in asdict(config.clocks).items()}}
    found = {name: by_key[key.replace("-", "_")] for name, key in KEYS.items()}
    found["schedule"] = schedule_in(config)
    found["seats"] = None if config.seats is None else str(config.seats)
    found["out"] = None if config.out is None else folder / config.out
    found["readable"] = tuple([str(folder / path) for path in config.readable])
    return {name: value for name, value in found.items() if value not in (None, (), {})}


def spec_of(config: Config, folder: Path) -> RunSpec:
    """The spec from a file in ``folder``; patterns of bots are not expanded, because a league looks at each folder.

    Raises:
        UsageError: the level of isolation is unknown.
    """
    if config.isolation not in (None, "auto", *LEVELS):
        raise UsageError(f"expected one of auto, {', '.join(LEVELS)}, got {config.isolation!r}", option="isolation")
    return RunSpec(**said(config, folder))


@contextmanager
def at_key(key: str) -> Iterator[None]:
    """Errors about names in a file say where they stand: ``key``, with the file's name before it."""
    try:
        yield
    except (BotError, UsageError) as error:
        each = f"{EACH}{key}: "
        raise UsageError(f"{key}: {str(error).replace(EACH, each)}") from None


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
