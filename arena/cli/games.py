"""``arena games`` and ``arena rules``: what is on the shelf, and how it is played."""

import sys
from shutil import get_terminal_size
from typing import Annotated

import typer

from arena import games as shelf
from arena.cli.groups import grouped
from arena.cli.options import Format, Printed, all_games
from arena.errors import UsageError
from arena.game import Game
from arena.games import folder_of, rules_of
from arena.report.tables import table
from arena.report.wrap import reflowed
from arena.tournament.spec import find_game


def _row(game: Game) -> dict[str, object]:
    return {
        "game": game.name,
        "title": game.title,
        "version": game.version,
        "seats": f"{game.seats.start}-{game.seats.stop - 1}",
        "usual": game.usual_seats,
        "variants": "; ".join(_variants(game)) or "-",
    }


def _variants(game: Game) -> list[str]:
    return [f"{name}={'|'.join(values)}" for name, values in game.variants.items()]


def _lines(game: Game) -> list[dict[str, object]]:
    """A game in 80 columns, which have no room for all: each variant on a line of its own."""
    first, *others = _variants(game) or ["-"]
    row = {name: value for name, value in _row(game).items() if name not in ("title", "version")}
    empty: dict[str, object] = dict.fromkeys(row, "")
    return [row | {"variants": first}, *(empty | {"variants": other} for other in others)]


@grouped
def games(output: Printed) -> None:
    """List the games.

    Example: arena games
    """
    form = output.form
    known = [shelf.find(name) for name in all_games()]
    if form is Format.table:
        typer.echo(table([line for game in known for line in _lines(game)], form))
    else:
        typer.echo(table([_row(game) for game in known], form))


def rules(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, as `arena games` names it.", show_default=False)],
) -> None:
    """Print how a game is played, for people and for bots.

    Example: arena rules dockfight
    """
    text = text_of_rules(find_game(game))
    # folded for eyes alone: what goes to a file or a pipe is the document itself
    typer.echo("\n".join(reflowed(text, get_terminal_size().columns)) if sys.stdout.isatty() else text)


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
