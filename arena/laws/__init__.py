"""The laws that every game keeps, as plain functions: for the games of the shelf and for those of other packages.

A test walks all of ``LAWS`` over all of ``tables(GAME, book)``; a law that does not hold raises ``LawBroken``. Knows
the contract and chance; knows no game in particular, no bot, no wire, and no test framework.
"""

from collections.abc import Callable

from arena.laws import contract, imagine, luck, secrets, view
from arena.laws.table import Book, LawBroken, Table, tables

__all__ = ["LAWS", "Book", "LawBroken", "Table", "tables"]

LAWS: tuple[Callable[[Table], None], ...] = (*contract.LAWS, *secrets.LAWS, *imagine.LAWS, *view.LAWS, *luck.LAWS)
"""Each is one sentence, its docstring, and is held at one table."""
