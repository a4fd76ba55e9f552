"""Confidence: the level of every interval, the fewest blocks that tell anything, and Student's quantiles.

Pure arithmetic: knows no bots, matches or blocks.
"""

from math import expm1, log, sqrt
from statistics import NormalDist

NORMAL = NormalDist()
LEVEL = 0.95
SIDE = NORMAL.inv_cdf((1 + LEVEL) / 2)
"""The normal quantile of both ends of an interval: 1.96."""
FEWEST_BLOCKS = 10
"""A bot that sat in fewer blocks gets no interval and is told apart from no other."""
_CLOSEST = 60


def student(normal: float, freedom: int) -> float:
    """The quantile of Student's distribution that belongs to one of the normal, to three digits (Wallace 1959)."""
    scaled = normal * (8 * freedom + 3) / (8 * freedom + 1)
    return sqrt(freedom * expm1(scaled * scaled / freedom))


def at_every_look(blocks: int) -> float:
    """The normal quantile of an interval that may be looked at after every block, and is wrong in 5 of 100 runs.

    The normal mixture of H. Robbins (1970), for means of any blocks in the limit (I. Waudby-Smith et al.:
    *Time-uniform central limit theory and asymptotic confidence sequences*, 2024, proposition 2.2). It is narrowest,
    next to one look, at ``_CLOSEST`` blocks.
    """
    error = -2 * log(1 - LEVEL)
    scaled = blocks * (error + log(error + 1)) / _CLOSEST
    return sqrt((1 + 1 / scaled) * (error + log(scaled + 1)))
