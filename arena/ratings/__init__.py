"""Outcomes of matches to TrueSkill ratings, the same whatever order the matches came in.

Pure arithmetic: knows who sat in a match and how it ended; knows no game, record, file or clock.
"""

from arena.ratings.table import Rating, Table, Unsettled, fit

__all__ = ["Rating", "Table", "Unsettled", "fit"]
