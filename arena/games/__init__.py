"""The shelf: one folder a game, found by its name. Knows no game in particular.

A game is a folder here whose package has a ``GAME``; other packages add theirs through the entry-point group
``arena.games`` (name -> ``Game``).
"""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

from arena.game import Game


@cache
def _built_in() -> dict[str, str]:
    """Names of the games in this folder, with their modules."""
    found = (module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {name.replace("_", "-"): f"{__name__}.{name}" for name in sorted(found)}


def names() -> list[str]:
    """The names of all games, those of this package first."""
    elsewhere = {entry.name for entry in entry_points(group="arena.games")}
    return [*_built_in(), *sorted(elsewhere - _built_in().keys())]


@cache
def find(name: str) -> Game:
    """The game of this name.

    Raises:
        LookupError: there is no such game; the message names those there are.
    """
    if name in _built_in():
        game = importlib.import_module(_built_in()[name]).GAME
    else:
        entries = tuple(entry_points(group="arena.games", name=name))
        if not entries:
            raise LookupError(f"expected a game of {', '.join(names())}, got {name!r}")
        game = entries[0].load()
    if not isinstance(game, Game):
        raise LookupError(f"expected game {name!r} to be an arena.game.Game, got {type(game).__name__}")  # noqa: TRY004 - for the caller there is no such game
    return game


def folder_of(game: Game) -> str:
    """The package a game lives in, which also holds its ``rules.md``."""
    return game.state.__module__.rpartition(".")[0]
