"""Outcomes of matches to TrueSkill ratings, the same whatever order the matches came in.

Pure arithmetic: knows who sat in a match and how it ended; knows no game, record, file or clock.
"""

from arena.ratings.ahead import Pair, cycles, pairs
from arena.ratings.intervals import Interval, Intervals, better_in, intervals_of, spread_of
from arena.ratings.outcomes import Outcomes, outcomes_of
from arena.ratings.quantiles import FEWEST_BLOCKS, Looks
from arena.ratings.scores import MeanScores, mean_scores
from arena.ratings.table import MU, Fit, NotConverged, Rating, fit, fit_outcomes
from arena.ratings.uncertainty import design_effect

__all__ = [
    "FEWEST_BLOCKS",
    "MU",
    "Fit",
    "Interval",
    "Intervals",
    "Looks",
    "MeanScores",
    "NotConverged",
    "Outcomes",
    "Pair",
    "Rating",
    "better_in",
    "cycles",
    "design_effect",
    "fit",
    "fit_outcomes",
    "intervals_of",
    "mean_scores",
    "outcomes_of",
    "pairs",
    "spread_of",
]
