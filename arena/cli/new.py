"""``arena new``: a new bot, league, game or format, written into a folder of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Annotated, Literal

import typer

from arena import games
from arena.cli.command import GroupedHelp
from arena.cli.options import QuietOptions, grouped, option
from arena.errors import UsageError, unmade
from arena.escape import harmless
from arena.leagues import new as leagues
from arena.leagues.owners import write_owner
from arena.players.botfile import missing
from arena.players.entrants import ends_in_count
from arena.starters import derive_names, languages, write_bot, write_copy, write_package
from arena.terminal import remark
from arena.tournament.config import remember
from arena.tournament.settings import SETTINGS_FILE
from arena.tournament.spec import find_game, list_names

Folder = Annotated[Path, option("DIR: A folder that is empty or not there yet.")]


new = typer.Typer(name="new", no_args_is_help=True, rich_markup_mode=None)


@new.callback()
def _new() -> None:
    """Begin a bot, a league, a game or a format.

    Example: arena new bot mine --lang rust
    """


@new.command(short_help="Begin a bot that plays at once.", cls=GroupedHelp)
@grouped
def bot(
    folder: Folder,
    output: QuietOptions,
    lang: Annotated[
        str | None, option(f"--lang LANG: The language: {', '.join(languages())}. Default: python.")
    ] = None,
    source: Annotated[
        str | None, option("--from BOT: Begin as this shipped bot, as greedy, and not at random.")
    ] = None,
    game: Annotated[str | None, option("-g --game GAME: The game that the bot plays. Default: any.")] = None,
    owner: Annotated[
        str | None, option("--owner NAME: Who enters it. Default: in a league, the name that git signs with.")
    ] = None,
) -> None:
    """Begin a bot that plays at once: its program, a bot.toml, a README. It picks at random, or as a shipped bot does.

    Example: arena new bot mine --from greedy -g dockfight
    """
    if lang is not None and source is not None:
        both = f"{source} is in Python; without --from a bot in {lang} picks at random"
        raise UsageError(f"expected --lang or --from, got both: {both}")
    played = None if game is None else find_game(game)
    with _made(folder):
        written = write_bot(folder, lang or "python", played) if source is None else write_copy(folder, source, played)
        if not written.owner:
            write_owner(folder, owner)
    if lack := missing(written):
        remark(f"arena: written, but this machine cannot run it: {lack}", quiet=output.quiet)
    typer.echo(f"{written.name}: a bot in {written.language}" + (f", which plays as {source} does" if source else ""))
    # a path with a slash is never taken for the name of a shipped bot, and with one at its end never for copies
    path = str(folder) if "/" in str(folder) else f"./{folder}"
    path = quote(f"{path}/" if ends_in_count(path) else path)
    typer.echo(f"try it: arena check {path}")
    name = played.name if played else games.names()[0]
    typer.echo(f"let it play: arena run -g {name} {path}")
    if written.language == "python":
        typer.echo(f"measure a change: arena selfplay {name} {path} greedy")


@new.command(short_help="Begin a league: a folder of bots that play in seasons.", cls=GroupedHelp)
@grouped
def league(
    folder: Folder,
    game: Annotated[
        list[str] | None, option("-g --game GAME: A game of the league; may be repeated. Default: all.")
    ] = None,
    ci: Annotated[
        Literal["github"] | None,
        option("--ci: Also write workflows: a season every night, and a check of pull requests."),
    ] = None,
    renew: Annotated[bool, option("--renew: Take over the workflows of this arena; show what changes.")] = False,
    overwrite: Annotated[bool, option("--overwrite: The same, also over those that somebody has edited.")] = False,
    private: Annotated[bool, option("--private: Each bot lies in a private repository of its own.")] = False,
) -> None:
    """Begin a league: an arena.toml and a first bot; `arena season` plays it.

    Example: arena new league harbour --ci github -g dockfight
    """
    if renew or overwrite:
        typer.echo(harmless(leagues.renew(folder, overwrite=overwrite)))
        return
    names = games.names() if not game or "all" in game else dict.fromkeys(game)
    played = [find_game(name) for name in names]
    with _made(folder):
        leagues.write(folder, played, ci=ci, source=(source := leagues.installed_from()), private=private)
    remember(folder / SETTINGS_FILE, leagues.RISKS if private else {}, made=True)
    typer.echo("\n".join(leagues.describe(folder, played, ci=ci, source=source, private=private)))


@new.command(short_help="Begin a game: a package with rules to change.", cls=GroupedHelp)
@grouped
def game(folder: Folder) -> None:
    """Begin a game of your own: a Python package with rules to change, a view of the table, and a test of each law.

    Example: arena new game reef-race
    """
    _write(folder, "game")


@new.command("format", short_help="Begin a format: a package that says who plays whom.", cls=GroupedHelp)
@grouped
def a_format(folder: Folder) -> None:
    """Begin a format of your own: a Python package that says who plays whom next, and a test that it reads results.

    Example: arena new format ladder
    """
    _write(folder, "format")


def _write(folder: Path, kind: str) -> None:
    if (name := derive_names(folder, kind).name) in list_names(kind):
        raise UsageError(f"expected a name that no {kind} has, got {name!r}")
    with _made(folder):
        typer.echo(write_package(folder, kind))


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    if folder.exists() and not (folder.is_dir() and next(folder.iterdir(), None) is None):
        raise UsageError(f"expected an empty folder or a new one, got {str(folder)!r}; name another")
    try:
        yield
    except OSError as error:
        raise unmade(folder, error) from error
