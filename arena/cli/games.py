"""``arena games``: the games that are installed."""

import typer

from arena import games as shelf
from arena.cli.options import PlainOutputOptions, all_games, grouped
from arena.game import Game
from arena.report.document import table


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
    """A game in 80 columns: each variant on a line of its own, without title and version."""
    first, *others = _variants(game) or ["-"]
    row = {name: value for name, value in _row(game).items() if name not in ("title", "version")}
    empty: dict[str, object] = dict.fromkeys(row, "")
    return [row | {"variants": first}, *(empty | {"variants": other} for other in others)]


@grouped
def games(output: PlainOutputOptions) -> None:
    """List the games.

    Example: arena games
    """
    catalogue = [shelf.find(name) for name in all_games(quiet=output.quiet)]
    if output.form == "table":
        typer.echo(table([line for game in catalogue for line in _lines(game)], output.form))
    else:
        typer.echo(table([_row(game) for game in catalogue], output.form))
