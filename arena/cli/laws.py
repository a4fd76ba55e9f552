"""``arena laws``: whether a game keeps the laws that all games keep."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.failure import UNDECIDED
from arena.cli.options import OneGame, PlainOutputOptions, grouped, option, seconds
from arena.laws import OF_EVERY_MATCH, OF_MANY_MATCHES, dig, setups
from arena.report.laws import digging
from arena.selfplay.players import loaded_from
from arena.tournament.spec import chosen_games


@grouped
def laws(
    game: Annotated[str | None, option("[GAME]: A game, as `arena games` names it.")] = None,
    *,
    book: Annotated[Path, option("--book FILE.py: What the game's tests say of it: census, redeal, LEAKS.")],
    within: Annotated[str, option("--for TIME: Of the processor; more time finds more.", show_default=True)] = "60s",
    output: PlainOutputOptions,
    games: OneGame = None,
) -> None:
    """Test a game by the laws that every game keeps, in random matches.

    Example: arena laws dockfight --book book.py --for 30s
    """
    subject, time = chosen_games(games or [], [game] if game else [], single=True)[0], seconds(within, name="for")
    outcome = dig(setups(subject, loaded_from(book)), OF_EVERY_MATCH, once=OF_MANY_MATCHES, seconds=time)
    typer.echo(digging(outcome, subject.name).written(output.form), nl=False)
    if outcome.breaches or outcome.untried:
        raise typer.Exit(1 if outcome.breaches else UNDECIDED)
