"""What a shell completes where a game, a page, a bot, a run or a language is expected. Imported only when a shell asks.

A parameter is known by its flag or its metavar, so that a new command need not say it again.
"""

import re
from collections.abc import Callable, Iterable
from typing import get_type_hints

import typer

from arena import games
from arena.cli.docs import pages
from arena.starters import languages
from arena.tournament.newest import list_bots, list_formats, list_matches, list_runs, list_shipped_bots, list_variants


def _completion(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    # typer knows this parameter by its name
    return lambda incomplete: [word for word in words() if word.startswith(incomplete)]


def _bots_first_a_game(context: typer.Context, incomplete: str) -> list[str]:
    """Bots; and games, where a command takes one as its first argument and has no argument yet."""
    takes = any(param.metavar == "GAME" for param in context.command.params)
    first = takes and not any(context.params.get(name) for name in ("games", "bots", "new"))
    return _completion(lambda: [*(games.names() if first else ()), *list_shipped_bots()])(incomplete)


def _variants(context: typer.Context, incomplete: str) -> list[str]:
    return _completion(lambda: list_variants(context.params.get("games") or ()))(incomplete)


_WORDS: dict[str, Callable[[], Iterable[str]]] = {"GAME": games.names, "PAGE": pages, "LANG": languages}
_WORDS |= {"RUN": list_runs, "MATCH": list_matches, "--schedule": list_formats}
_WORDS |= dict.fromkeys(("--bot", "--without", "--review"), list_bots)
# the shell completes folders elsewhere
_OF: dict[str, Callable[..., list[str]]] = {name: _completion(words) for name, words in _WORDS.items()}
_OF["--variant"] = _variants
_OF |= dict.fromkeys(("BOT", "NEW", "OLD"), _bots_first_a_game)


def complete(app: typer.Typer) -> None:
    """Give the parameters of all commands their completion, before any command runs."""
    for group in app.registered_groups:
        if group.typer_instance is not None:
            complete(group.typer_instance)
    for command in app.registered_commands:
        for hint in get_type_hints(command.callback, include_extras=True).values():
            for setting in getattr(hint, "__metadata__", ()):
                metavar = re.sub("[^A-Z]", "", getattr(setting, "metavar", None) or "")
                # typer keeps the first flag as the default
                flags = map(str, (getattr(setting, "default", ""), *(getattr(setting, "param_decls", None) or ())))
                for name in {metavar, *flags} & _OF.keys():
                    setting.autocompletion = _OF[name]
