"""``arena rules``: how a game is played."""

from typing import Annotated

from arena.cli.options import OneGame, grouped, option
from arena.errors import UsageError
from arena.game import Game
from arena.games import folder_of, rules_of
from arena.terminal.document import show
from arena.tournament.spec import chosen_games


@grouped
def rules(
    _: Annotated[str | None, option("[GAME]: A game, as `arena games` names it.")] = None,
    games: OneGame = None,
) -> None:
    """Print how a game is played, for people and for bots.

    Example: arena rules dockfight
    """
    show(text_of_rules(chosen_games(games or [], single=True)[0]))


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
