"""Tree search over ``imagine``, for bots that think before they answer, in any game.

Knows the contract and what a bot is asked; knows no game in particular, no referee and no process.
"""

from arena.search.guide import Guide, Timing
from arena.search.search import Search

__all__ = ["Guide", "Search", "Timing"]
