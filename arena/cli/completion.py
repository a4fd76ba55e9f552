"""What a shell completes where a game, a page, a bot, a run or a language is expected. Imported only when a shell asks.

A parameter is known by its metavar, so that a new command need not say it again.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_type_hints

import typer

from arena import games
from arena.cli.docs import pages
from arena.players.entrants import read_shipped_bots
from arena.starters import languages


def _bots() -> list[str]:
    return [bot.name for bot in read_shipped_bots()]


def _runs() -> list[str]:
    manifests = (path for depth in ("*", "*/*") for path in sorted(Path("results").glob(f"{depth}/run.json")))
    return [str(path.parent) for path in manifests]


def _completion(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    # typer knows this parameter by its name
    return lambda incomplete: [word for word in words() if word.startswith(incomplete)]


def _bots_first_a_game(context: typer.Context, incomplete: str) -> list[str]:
    """Bots; and games, where a command takes one as its first argument and has no argument yet."""
    takes = any(param.metavar == "GAME" for param in context.command.params)
    first = takes and not any(context.params.get(name) for name in ("games", "bots", "new"))
    return _completion(lambda: [*(games.names() if first else ()), *_bots()])(incomplete)


# the shell completes folders elsewhere
_OF: dict[str, Callable[..., list[str]]] = {
    name: _completion(words)
    for name, words in (("GAME", games.names), ("PAGE", pages), ("RUN", _runs), ("LANG", languages))
} | dict.fromkeys(("BOT", "NEW", "OLD"), _bots_first_a_game)


def complete(app: typer.Typer) -> None:
    """Give the parameters of all commands their completion, before any command runs."""
    for group in app.registered_groups:
        if group.typer_instance is not None:
            complete(group.typer_instance)
    for command in app.registered_commands:
        for hint in get_type_hints(command.callback, include_extras=True).values():
            for setting in getattr(hint, "__metadata__", ()):
                name = re.sub("[^A-Z]", "", getattr(setting, "metavar", None) or "")
                if name in _OF:
                    setting.autocompletion = _OF[name]
