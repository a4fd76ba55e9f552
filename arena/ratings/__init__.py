"""Outcomes of matches to TrueSkill ratings, the same whatever order the matches came in.

Pure arithmetic: knows who sat in a match and how it ended; knows no game, record, file or clock.
"""

from arena.ratings.bets import NO_CORRECTION, ScoreBets
from arena.ratings.intervals import Interval, Intervals, intervals_of, spread_of
from arena.ratings.outcomes import Outcomes, outcomes_of
from arena.ratings.quantiles import CONFIDENCE_LEVEL, FEWEST_BLOCKS, SIDE, Looks, student
from arena.ratings.scores import MeanScores, mean_scores
from arena.ratings.table import MU, Fit, NotConverged, Rating, fit, fit_outcomes
from arena.ratings.uncertainty import design_effect

__all__ = [
    "CONFIDENCE_LEVEL",
    "FEWEST_BLOCKS",
    "MU",
    "NO_CORRECTION",
    "SIDE",
    "Fit",
    "Interval",
    "Intervals",
    "Looks",
    "MeanScores",
    "NotConverged",
    "Outcomes",
    "Rating",
    "ScoreBets",
    "design_effect",
    "fit",
    "fit_outcomes",
    "intervals_of",
    "mean_scores",
    "outcomes_of",
    "spread_of",
    "student",
]
