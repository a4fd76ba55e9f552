"""``arena rules``: how a game is played."""

import os
import sys
from shutil import get_terminal_size
from typing import Annotated

import typer

from arena.cli.options import option
from arena.errors import UsageError
from arena.game import Game
from arena.games import folder_of, rules_of
from arena.terminal.document import WIDEST, document
from arena.tournament.spec import find_game


def rules(
    game: Annotated[str, option("GAME: A game, as `arena games` names it.")],
) -> None:
    """Print how a game is played, for people and for bots.

    Example: arena rules dockfight
    """
    show(text_of_rules(find_game(game)))


def show(text: str) -> None:
    """Draw a document in Markdown at a terminal, a screen at a time; files and pipes get the document itself."""
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    from pydoc import pager  # noqa: PLC0415 - only then

    # in colours, and only if one screen is too small
    os.environ.setdefault("LESS", "-FRX")
    width = min(WIDEST, get_terminal_size().columns)
    pager("\n".join([*document(text, width, styled=True), ""]))


def text_of_rules(game: Game) -> str:
    """How a game is played.

    Raises:
        UsageError: its package does not say.
    """
    text = rules_of(game)
    if text is None:
        raise UsageError(
            f"expected rules.md in the package of {game.name}, {folder_of(game) or 'no package'}, got none"
        )
    return text
