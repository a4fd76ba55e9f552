"""Outcomes of matches to TrueSkill ratings, the same whatever order the matches came in.

Pure arithmetic: knows who sat in a match and how it ended; knows no game, record, file or clock.
"""

from arena.ratings.ahead import Pair, cycles, pairs
from arena.ratings.blocks import BlockOutcomes
from arena.ratings.certain import better_in
from arena.ratings.influences import design_effect
from arena.ratings.intervals import Interval, Intervals, intervals_of
from arena.ratings.quantiles import FEWEST_BLOCKS, Looks
from arena.ratings.table import MU, Rating, Ratings, Unsettled, fit, fit_blocks

__all__ = [
    "FEWEST_BLOCKS",
    "MU",
    "BlockOutcomes",
    "Interval",
    "Intervals",
    "Looks",
    "Pair",
    "Rating",
    "Ratings",
    "Unsettled",
    "better_in",
    "cycles",
    "design_effect",
    "fit",
    "fit_blocks",
    "intervals_of",
    "pairs",
]
