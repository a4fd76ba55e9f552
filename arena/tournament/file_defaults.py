"""What a settings file sets, as defaults of a command's parameters: looked up, and trusted, when one is read."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from arena import games as shelf
from arena.tournament.config import KEYS, Standing, errors_at_key, read_settings_file, resolve_bots
from arena.tournament.roster import parse_bots
from arena.tournament.spec import find_game


def read_defaults(
    path: Path, names: Collection[str], params: Mapping[str, Any], *, say: Callable[[str], None]
) -> tuple[dict[str, Any], Callable[[], Any], dict[str, str]]:
    """The defaults that a file sets, how to find its anchors, and what errors call each setting.

    Args:
        path: of the file.
        names: the parameters that may have a default.
        params: those that are read already, once a value is taken: ``trust``, of the variants the ``games``, and of the
            bots the ``plan``.
        say: hears of values that are not taken.

    Raises:
        UsageError: the file cannot be read, or has an unknown key or a value of the wrong type.
    """
    settings = read_settings_file(path)
    keys = {name: f"{path}: {key}" for name, key in KEYS.items()}
    if "stages" in settings:
        keys["schedule"] = keys["stages"]
    standing = Standing(settings, path, say=say, trust=lambda: params["trust"])
    resolve_anchors = partial(resolve_bots, settings.get("anchors", ()), path.parent)
    defaults = {
        name: partial(standing.take, name, partial(_read_at, keys[name], default) if callable(default) else default)
        for name, default in _find_defaults(settings, path.parent, params).items()
        if name in names
    }
    return defaults, partial(standing.take, "anchors", partial(_read_at, keys["anchors"], resolve_anchors)), keys


def _find_defaults(settings: Mapping[str, Any], folder: Path, params: Mapping[str, Any]) -> dict[str, Any]:
    """What a file in ``folder`` sets, by parameter; where names are looked up, a function that does so when called."""
    texts: dict[str, Callable[[Any], Any]] = {
        "bots": lambda value: partial(_check_bots, value, folder, params),
        "games": lambda value: partial(_check_games, value),
        "variants": lambda value: partial(_list_variants, value, params),
        "limits": lambda value: [f"{key}={limit}" for key, limit in value.items()],
        "out": str,
    }
    return {name: texts[name](value) if name in texts else value for name, value in settings.items()}


def _check_bots(texts: Sequence[str], folder: Path, params: Mapping[str, Any]) -> list[str]:
    if params.get("plan") is not None:
        # only the bots of the plan have to be right, some of them in an earlier version that a league has kept
        return resolve_bots(["anchors/*/*", "entries/*/*", *texts], folder, may_lack=True)
    entrants = resolve_bots(texts, folder)
    parse_bots(entrants)
    return entrants


def _check_games(names: Sequence[str]) -> list[str]:
    for name in names:
        if name != "all":
            find_game(name)
    return list(names)


def _list_variants(table: Mapping[str, str], params: Mapping[str, Any]) -> list[str]:
    """The variants as options, without those that belong only to games that are not played."""
    # the option of the game stands before that of the variant, so click has read it already
    played = params.get("games") or ()
    theirs, ours = set[str](), set[str]()
    for name in shelf.names():
        (ours if name in played or "all" in played else theirs).update(shelf.find(name).variants)
    return [f"{name}={value}" for name, value in table.items() if name in ours or name not in theirs]


def _read_at(key: str, find: Callable[[], list[str]]) -> list[str]:
    with errors_at_key(key):
        return find()
