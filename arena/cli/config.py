"""``--config``: the settings of ``arena.toml`` as defaults of a command's options.

Precedence and the bounds of values are the options' own: the file fills click's map of defaults; the command line
and the environment override it.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from arena import games as shelf
from arena.cli.failure import NAMES, named_in
from arena.cli.options import PENDING, OptionGroup, PlainOutputOptions, option
from arena.errors import UsageError
from arena.tournament.config import FILE, KEYS, at_key, bots, read
from arena.tournament.roster import entered
from arena.tournament.spec import find_game
from arena.tournament.trust import Standing

ANCHORS = "arena.anchors"
"""Under this a context holds how to find the anchors of a settings file."""
_VARIABLE = "ARENA_"


def _defaults(said: Mapping[str, Any], folder: Path, context: typer.Context) -> dict[str, Any]:
    """What a file in ``folder`` sets, by parameter; where names are looked up, a function that does so when called."""
    texts: dict[str, Callable[[Any], Any]] = {
        "bots": lambda value: partial(_entered, value, folder),
        "games": lambda value: partial(_games, value),
        "variants": lambda value: partial(_variants, value, context),
        "limits": lambda value: [f"{key}={limit}" for key, limit in value.items()],
        "out": str,
    }
    return {name: texts[name](value) if name in texts else value for name, value in said.items()}


def _entered(texts: Sequence[str], folder: Path) -> list[str]:
    entrants = bots(texts, folder)
    entered(entrants)
    return entrants


def _games(names: Sequence[str]) -> list[str]:
    for name in names:
        if name != "all":
            find_game(name)
    return list(names)


def _variants(table: Mapping[str, str], context: typer.Context) -> list[str]:
    """The variants as options, without those that belong only to games that are not played."""
    # the option of the game stands before that of the variant, so click has read it already
    played = context.params.get("games") or ()
    theirs, ours = set[str](), set[str]()
    for name in shelf.names():
        (ours if name in played or "all" in played else theirs).update(shelf.find(name).variants)
    return [f"{name}={value}" for name, value in table.items() if name in ours or name not in theirs]


def _in_file(key: str, find: Callable[[], list[str]]) -> list[str]:
    with at_key(key):
        return find()


def _apply(context: typer.Context, value: str | None) -> str | None:
    """Make the file's settings the defaults of the options that can be set from outside, those with a variable."""
    if context.resilient_parsing:
        return value
    # click takes an empty variable for a missing one; here it means that no file is wanted
    asked = os.environ.get("ARENA_CONFIG") if value is None else value
    context.with_resource(_named_by_source(context))
    context.meta[PENDING] = [*_unknown_variables(context, os.environ)]
    if asked == "" or (asked is None and not os.path.lexists(FILE)):
        return value
    path = Path(asked or FILE)
    said = read(path)
    names = {name: f"{path}: {key}" for name, key in KEYS.items()}
    if "stages" in said:
        names["schedule"] = names["stages"]
    pending = context.meta[PENDING] = [f"arena: settings: {path}", *context.meta[PENDING]]
    # --trust has been read when a value is taken
    standing = Standing(
        said, path, say=lambda text: pending.append(f"arena: {text}"), trust=lambda: context.params["trust"]
    )
    anchors = partial(_in_file, names["anchors"], partial(bots, said.get("anchors", ()), path.parent))
    context.meta[ANCHORS] = partial(standing.take, "anchors", anchors)
    open_ = {param.name for param in context.command.params if param.envvar}
    context.default_map = {
        name: partial(standing.take, name, partial(_in_file, names[name], default) if callable(default) else default)
        for name, default in _defaults(said, path.parent, context).items()
        if name in open_
    }
    context.meta[NAMES] = names
    return value


@contextmanager
def _named_by_source(context: typer.Context) -> Iterator[None]:
    """Errors about an option name the key or the variable that the value is from."""
    try:
        yield
    except UsageError as error:
        raise UsageError(named_in(error, context)) from error.__cause__


def _unknown_variables(context: typer.Context, environment: Mapping[str, str]) -> Iterator[str]:
    """A remark on each variable that sets nothing and is close to the name of one that does."""
    commands = getattr(context.find_root().command, "commands", {}).values()
    known = {
        str(param.envvar).removeprefix(_VARIABLE) for command in commands for param in command.params if param.envvar
    }
    for name in sorted(environment):
        rest = name.removeprefix(_VARIABLE)
        if rest != name and rest not in known and (near := get_close_matches(rest, sorted(known), n=1)):
            yield f"arena: settings: expected a known variable, got {name!r}; did you mean {_VARIABLE + near[0]!r}?"


ConfigFile = Annotated[
    str | None,
    option(
        f"--config FILE: File with settings; '' means none. Default: {FILE} if there is one.",
        envvar="ARENA_CONFIG",
        is_eager=True,
        callback=_apply,
    ),
]
Trust = Annotated[
    bool,
    option(
        "--trust: Take all settings of the file, and remember that; see docs/config.md.",
        envvar="ARENA_TRUST",
        is_eager=True,
    ),
]


@dataclass(frozen=True, kw_only=True)
class SettingsOptions(OptionGroup):
    """The file that settings come from."""

    config: ConfigFile = None
    trust: Trust = False


@dataclass(frozen=True, kw_only=True)
class OutputOptions(PlainOutputOptions, SettingsOptions):
    """The same, for a command that reads settings."""
