"""What a shell completes where a game, a bot, a run or a language is expected. Imported only when a shell asks.

A parameter is known by its metavar, so that a new command need not say it again.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_type_hints

import typer

from arena import games
from arena.players.entrants import shipped
from arena.starters import languages


def _games(begun: str) -> list[str]:
    return _beginning(games.names(), begun)


def _bots(begun: str) -> list[str]:
    """The shipped bots; a folder is left to the shell."""
    return _beginning((bot.name for bot in shipped()), begun)


def _runs(begun: str) -> list[str]:
    """The runs in ``results``; a folder elsewhere is left to the shell."""
    root = Path("results")
    manifests = [path for depth in ("*", "*/*") for path in sorted(root.glob(f"{depth}/run.json"))]
    return _beginning((str(path.parent) for path in manifests), begun)


def _languages(begun: str) -> list[str]:
    return _beginning(languages(), begun)


def _beginning(words: Iterable[str], begun: str) -> list[str]:
    return [word for word in words if word.startswith(begun)]


_OF: dict[str, Callable[[str], list[str]]] = {"GAME": _games, "BOT": _bots, "RUN": _runs, "LANG": _languages}


def complete(app: typer.Typer) -> None:
    """Give the parameters of all commands their completion, before any command runs."""
    for group in app.registered_groups:
        if group.typer_instance is not None:
            complete(group.typer_instance)
    for command in app.registered_commands:
        for hint in get_type_hints(command.callback, include_extras=True).values():
            for said in getattr(hint, "__metadata__", ()):
                name = re.sub("[^A-Z]", "", getattr(said, "metavar", None) or "")
                if name in _OF:
                    said.autocompletion = _OF[name]
