"""The shelf as the suites walk it: every game with what its book says of it. Knows no game in particular."""

import importlib
from typing import cast

import pytest
from _pytest.mark import ParameterSet

from arena import games
from arena.game import Game
from arena.laws import Book, GameSetup
from arena.laws import setups as setups_of
from arena.laws.odds import Scenario
from tests.shelf import toy


def shelf() -> list[Game]:
    """All games, the toy first."""
    return [toy.GAME, *map(games.find, games.names())]


def setups() -> list[GameSetup]:
    """Every table the suites sit down at."""
    return [table for game in shelf() for table in setups_of(game, book_of(game))]


def book_of(game: Game) -> Book:
    """The book of a game."""
    snake = game.name.replace("-", "_")
    place = f"tests.shelf.games.{snake}"
    if game.name == toy.GAME.name:
        return cast("Book", toy)
    try:
        module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not place.startswith(error.name):
            raise
        raise AssertionError(f"expected tests/shelf/games/{snake}.py for the game {game.name}, got no file") from None
    lacking = [part for part in ("census", "redeal", "LEAKS") if not hasattr(module, part)]
    assert not lacking, f"expected census, redeal and LEAKS in tests/shelf/games/{snake}.py, got none of {lacking}"
    return cast("Book", module)


def scenarios_of(game: Game) -> dict[str, Scenario]:
    """The scenarios of a game by which its odds are judged; every book of the shelf has some."""
    found: dict[str, Scenario] = getattr(book_of(game), "SCENARIOS", {})
    assert found, f"expected SCENARIOS for the game {game.name}, got none"
    return found


def _case(table: GameSetup) -> ParameterSet:
    game = table.game
    usual = game.name == toy.GAME.name or (table.seats, table.variants) == (game.usual_seats, game.resolve_variants({}))
    return pytest.param(table, id=table.name, marks=() if usual else pytest.mark.long)


every_table = pytest.mark.parametrize("table", [_case(table) for table in setups()])
"""Marks a test that is held at every table: at the usual one of each game every time, at others it is long."""
