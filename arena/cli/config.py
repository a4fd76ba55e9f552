"""``arena.toml``: the settings of a folder, and how they become defaults of a command's options.

Precedence and the bounds of values are the options' own: ``--config`` fills click's map of defaults, which the command
line and the environment go before. Knows no match and no rating.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import Meta, Struct
from msgspec.structs import asdict

from arena import games as shelf
from arena.cli.failure import NAMES, OPTION, Usage, sourced
from arena.cli.isolation import Asked
from arena.cli.options import REMARKS, find_game
from arena.players.botfile import FILE as BOT_FILE
from arena.players.botfile import BotError, nearest
from arena.players.entrants import entrant
from arena.players.limits import KEYS as LIMITS
from arena.players.toml import as_struct, load

FILE = "arena.toml"
_VARIABLE = "ARENA_"

Count = Annotated[int, Meta(extra_json_schema={"minimum": 1})]
Time = Annotated[str, Meta(extra_json_schema={"examples": ["500ms"]})]


class Clocks(Struct, frozen=True, forbid_unknown_fields=True):
    """How long bots may take; times such as ``400ms``, ``1s`` or ``10m``."""

    move: Time | None = None
    start: Time | None = None
    bank: Annotated[str, Meta(extra_json_schema={"examples": ["30s+100ms"]})] | None = None
    budget: Time | None = None


class Config(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a settings file says, as it says it: None and empty where it says nothing."""

    games: tuple[str, ...] = ()
    """Names of games, or ``all``."""
    bots: tuple[str, ...] = ()
    """As BOT on the command line, paths from the file's folder; patterns stand for the folders with a ``bot.toml``."""
    seats: Annotated[int | str, Meta(extra_json_schema={"examples": [4, "3-5"]})] | None = None
    matches: Count | None = None
    anchors: tuple[str, ...] = ()
    """As ``bots``: those of a league that play in every season, and whose mean rating stands still."""
    lanes: Count | None = None
    seed: str | None = None
    out: str | None = None
    """The results folder, from the file's folder."""
    isolation: Annotated[str, Meta(extra_json_schema={"enum": [level.value for level in Asked]})] | None = None
    build_network: bool | None = None
    readable: tuple[str, ...] = ()
    """What bots may read besides, from the file's folder."""
    max_faults: Count | None = None
    variants: dict[str, str] = {}
    clocks: Clocks = Clocks()
    limits: dict[str, str | int] = {}
    """The limits that have no option of their own, as ``arena.players.limits`` reads them."""


KEYS = {
    "bots": "bots",
    "game": "games",
    "variant": "variants",
    "seats": "seats",
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
    "limit": "limits",
}
"""Parameter of a command -> the key that is its default."""

_KNOWN: dict[str, tuple[str, ...]] = {
    "": Config.__struct_encode_fields__,
    "clocks": Clocks.__struct_encode_fields__,
    "limits": tuple(key for key, limit in LIMITS.items() if limit.option == "--limit"),
}
"""Table -> its keys. The keys of ``variants`` are the games' own."""


def read(path: Path) -> Config:
    """The settings in a file. That they are within bounds is for the options to see that they are defaults of.

    Raises:
        Usage: it cannot be read, is not TOML, has an unknown key or a value of the wrong type.
    """
    try:
        table = load(path)
        reason = _unknown_key(table)
        config = None if reason else as_struct(table, Config)
    except ValueError as error:
        raise Usage(f"{path}: {error}") from None
    if config is None or (reason := _nul_in(table)):
        raise Usage(f"{path}: {reason}")
    return config


def _unknown_key(table: dict[str, Any]) -> str | None:
    for name, known in _KNOWN.items():
        inside = table.get(name) if name else table
        for key in inside if isinstance(inside, dict) else ():
            if key not in known:
                return f"{name and name + ': '}expected a known key, got {key!r}{_hint(key, known)}"
    return None


def _nul_in(table: dict[str, Any]) -> str | None:
    """Text that no operating system would take; asked once the shape is right, for a table may be of any depth."""
    wrong = next(((key, text) for key, text in _texts(table) if "\0" in text), None)
    return wrong and f"{wrong[0]}: expected text without NUL, got {wrong[1]!r}"


def _hint(key: str, known: Sequence[str]) -> str:
    """The nearest key, or the table where the key is at home."""
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
    """BOT texts as a command line takes them, from those of a file in ``folder``: paths led on, patterns expanded.

    Raises:
        Usage: a pattern stands for no bot, and they may not lack.
    """
    found: list[str] = []
    for text in texts:
        name, equals, _ = text.partition("=")
        if equals and "/" not in name:
            found.append(text)
        elif has_magic(text):
            folders = [path for path in sorted(glob(text, root_dir=folder)) if (folder / path / BOT_FILE).is_file()]  # noqa: PTH207 - a Path would glob by other rules
            if not folders and not may_lack:
                raise Usage(f"expected folders with a {BOT_FILE}, got none for {text!r}")
            found += [os.path.join(folder, os.path.normpath(path)) for path in folders]  # noqa: PTH118 - a Path would fold `./`
        elif "/" in text or text == BOT_FILE or text in {".", ".."} or (folder / text / BOT_FILE).is_file():
            found.append(os.path.join(folder, text))  # noqa: PTH118 - likewise
        else:
            found.append(text)
    return list(dict.fromkeys(found))


def no_bots(texts: Sequence[str], folder: Path) -> list[str]:
    """The folders for which patterns of a file in ``folder`` stand, though there is no bot file in them."""
    patterns = [text for text in texts if has_magic(text) and ("/" in text or "=" not in text)]
    matched = {path for text in patterns for path in glob(text, root_dir=folder) if (folder / path).is_dir()}  # noqa: PTH207 - likewise
    return [str(folder / path) for path in sorted(matched) if not (folder / path / BOT_FILE).is_file()]


def _defaults(config: Config, folder: Path, context: typer.Context) -> dict[str, Any]:
    """What a file in ``folder`` sets, by parameter; where names are looked up, a function that does so when called."""
    set_by_key: dict[str, Any] = {**asdict(config), **{f"clocks.{key}": v for key, v in asdict(config.clocks).items()}}
    found = {name: set_by_key[key.replace("-", "_")] for name, key in KEYS.items()}
    found["bots"] = config.bots and partial(_entered, config.bots, folder)
    found["game"] = config.games and partial(_games, config.games)
    found["seats"] = None if config.seats is None else str(config.seats)
    found["out"] = None if config.out is None else str(folder / config.out)
    found["readable"] = [str(folder / path) for path in config.readable]
    found["variant"] = config.variants and partial(_variants, config.variants, context)
    found["limit"] = [f"{key}={value}" for key, value in config.limits.items()]
    return {name: value for name, value in found.items() if value not in (None, [], (), {})}


def _entered(texts: Sequence[str], folder: Path) -> list[str]:
    found = bots(texts, folder)
    for text in found:
        entrant(text)
    return found


def _games(names: Sequence[str]) -> list[str]:
    for name in names:
        if name != "all":
            find_game(name)
    return list(names)


def _variants(table: Mapping[str, str], context: typer.Context) -> list[str]:
    """The variants as a command line takes them, without those that only games have which are not played."""
    # a command's game stands before its variant, so that click has settled it by now
    played = context.params.get("game") or ()
    theirs, ours = set[str](), set[str]()
    for name in shelf.names():
        (ours if name in played or "all" in played else theirs).update(shelf.find(name).variants)
    return [f"{name}={value}" for name, value in table.items() if name in ours or name not in theirs]


def _in_file(key: str, find: Callable[[], list[str]]) -> list[str]:
    with at_key(key):
        return find()


@contextmanager
def at_key(key: str) -> Iterator[None]:
    """Have what is wrong with names in a file say where they stand: ``key`` with the file's name before it."""
    try:
        yield
    except (BotError, Usage) as error:
        raise Usage(f"{key}: {error}") from None


@contextmanager
def in_words_of(path: Path) -> Iterator[None]:
    """Have complaints about options name the keys of a file instead, where all that they say is from there."""
    try:
        yield
    except Usage as error:
        found = OPTION.match(str(error))
        key = found and KEYS.get(found[1].removeprefix("--").replace("-", "_"))
        if not found or not key:
            raise
        inside = f".{found[2]}" if found[2] else ""
        raise Usage(f"{path}: {key}{inside}: {str(error)[found.end() :]}") from None


def _apply(context: typer.Context, value: str | None) -> str | None:
    """Make the file's settings the defaults of the options that can be set from outside, those with a variable."""
    if context.resilient_parsing:
        return value
    # click takes an empty variable for none, but here it says that no file is wanted
    asked = os.environ.get("ARENA_CONFIG") if value is None else value
    context.with_resource(_named_by_source(context))
    context.meta[REMARKS] = [*_unknown_variables(context, os.environ)]
    if asked == "" or (asked is None and not os.path.lexists(FILE)):
        return value
    path = Path(asked or FILE)
    names = {name: f"{path}: {key}" for name, key in KEYS.items()}
    open_ = {param.name for param in context.command.params if param.envvar}
    found = {name: value for name, value in _defaults(read(path), path.parent, context).items() if name in open_}
    context.default_map = {
        name: partial(_in_file, names[name], value) if callable(value) else value for name, value in found.items()
    }
    context.meta[NAMES] = names
    context.meta[REMARKS] = [f"arena: settings: {path}", *context.meta[REMARKS]]
    return value


@contextmanager
def _named_by_source(context: typer.Context) -> Iterator[None]:
    """Have complaints about an option name the key or variable instead that the value is from."""
    try:
        yield
    except Usage as error:
        raise Usage(sourced(str(error), context)) from None


def _unknown_variables(context: typer.Context, environment: Mapping[str, str]) -> Iterator[str]:
    """A remark on each variable that sets nothing, but nearly has the name of one that does."""
    commands = getattr(context.find_root().command, "commands", {}).values()
    known = {str(param.envvar).removeprefix(_VARIABLE) for each in commands for param in each.params if param.envvar}
    for name in sorted(environment):
        rest = name.removeprefix(_VARIABLE)
        if rest != name and rest not in known and (near := get_close_matches(rest, sorted(known), n=1)):
            yield f"arena: settings: expected a known variable, got {name!r}; did you mean {_VARIABLE + near[0]!r}?"


ConfigFile = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        envvar="ARENA_CONFIG",
        help=f"Settings; an empty text: none. Default: {FILE} if there is one.",
        is_eager=True,
        callback=_apply,
        show_default=False,
    ),
]
