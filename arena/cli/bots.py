"""``arena bots``: what ships with arena, and whether this machine can run it."""

import typer

from arena.cli.options import Format, Formatted, Json
from arena.players.botfile import missing
from arena.players.entrants import shipped
from arena.report.tables import table


def bots(format_: Formatted = Format.table, json: Json = False) -> None:
    """List the shipped bots.

    Example: arena bots --json
    """
    rows = [
        {
            "bot": bot.name,
            "version": bot.version,
            "language": bot.language,
            "games": ", ".join(bot.games) or "any",
            "runs here": missing(bot) or "yes",
        }
        for bot in shipped()
    ]
    typer.echo(table(rows, Format.json if json else format_))
