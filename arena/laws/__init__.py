"""The laws that every game keeps, as plain functions: for the games of the shelf and for those of other packages.

A test walks all of ``LAWS`` over all of ``setups(GAME, book)``; a law that does not hold raises ``LawBroken``. Knows
the contract and chance; knows no game in particular, no bot, no wire, and no test framework.
"""

from collections.abc import Callable

from arena.laws import contract, imagine, luck, odds, secrets, view
from arena.laws.table import Book, GameSetup, LawBroken, setups

__all__ = ["LAWS", "Book", "GameSetup", "LawBroken", "setups"]

LAWS: tuple[Callable[[GameSetup], None], ...] = (
    *contract.LAWS,
    *secrets.LAWS,
    *imagine.LAWS,
    *odds.LAWS,
    *view.LAWS,
    *luck.LAWS,
)
"""Each is one sentence, its docstring, and is tested on one setup."""
