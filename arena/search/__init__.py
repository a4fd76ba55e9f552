"""Tree search over ``imagine``, for bots that think before they answer, in any game."""

from arena.search.guide import Guide, Timing
from arena.search.search import Search

__all__ = ["Guide", "Search", "Timing"]
