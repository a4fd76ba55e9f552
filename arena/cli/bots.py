"""``arena bots``: what ships with arena, and whether this machine can run it."""

import typer

from arena.cli.options import PlainOutputOptions, grouped
from arena.players.botfile import missing
from arena.players.entrants import find_bot_shelf, read_shipped_bots
from arena.report.document import table
from arena.terminal import remark


@grouped
def bots(output: PlainOutputOptions) -> None:
    """List the shipped bots.

    Example: arena bots --json
    """
    rows = [
        {
            "bot": bot.name,
            "version": bot.version,
            "language": bot.language,
            "games": ", ".join(bot.games) or "any",
            "enters": "by default" if bot.default else "if named",
            "runs here": missing(bot) or "yes",
            "path": bot.folder,
        }
        for bot in read_shipped_bots()
    ]
    # paths are too long for a table
    columns = [name for name in rows[0] if name != "path" or output.form != "table"]
    typer.echo(table(rows, output.form, columns))
    hint = f"their source: {find_bot_shelf()}\nto begin from one: arena new bot mine --from greedy"
    remark(hint, quiet=output.quiet or output.form != "table")
