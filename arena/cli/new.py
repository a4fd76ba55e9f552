"""``arena new``: the beginning of something, written into a folder of its own."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from arena import games
from arena.cli.failure import Usage
from arena.cli.options import find_game, remark
from arena.players.botfile import missing
from arena.starters import languages, write

new = typer.Typer(
    name="new",
    help="Begin a bot.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@new.callback()
def _new() -> None:
    """Begin a bot."""


@new.command(short_help="Begin a bot that plays at once.")
def bot(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that is empty or not there yet.", show_default=False)
    ],
    lang: Annotated[str, typer.Option("--lang", metavar="LANG", help=f"One of {', '.join(languages())}.")] = "python",
    game: Annotated[
        str | None,
        typer.Option("-g", "--game", metavar="GAME", help="The game it is for. Default: any.", show_default=False),
    ] = None,
) -> None:
    """Begin a bot that plays at once, picking at random: its program, a bot.toml, a README.

    Example: arena new bot mine --lang rust -g dockfight
    """
    played = None if game is None else find_game(game)
    if folder.exists() and not (folder.is_dir() and next(folder.iterdir(), None) is None):
        raise Usage(f"expected an empty folder or a new one, got {str(folder)!r}")
    written = write(folder, lang, played)
    if lack := missing(written):
        remark(f"arena: written, but this machine cannot run it: {lack}")
    typer.echo(f"{written.name}: a bot in {written.language}")
    # a path with a slash is never taken for the name of a shipped bot
    path = quote(str(folder) if "/" in str(folder) else f"./{folder}")
    typer.echo(f"try it: arena check {path}")
    typer.echo(f"let it play: arena run -g {played.name if played else games.names()[0]} {path}")
