"""Confidence: the level of every interval, the fewest blocks that tell anything, quantiles, and many claims at once.

Pure arithmetic: knows no bots, matches or blocks.
"""

from collections.abc import Mapping
from math import copysign, erfc, exp, expm1, log, log1p, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias, TypeVar

NORMAL = NormalDist()
CONFIDENCE_LEVEL = 0.95
SIDE = NORMAL.inv_cdf((1 + CONFIDENCE_LEVEL) / 2)
"""The normal quantile of both ends of an interval: 1.96."""
FEWEST_BLOCKS = 10
"""A bot that sat in fewer blocks gets no interval and is told apart from no other."""
_CLOSEST = 60

Key = TypeVar("Key")
Looks: TypeAlias = Literal["one", "every", "paired", "pairs", "answer"]
"""What a table may claim. ``one``: of a run of fixed length whose line-ups do not depend on results, what holds at its
end. ``every``: what holds at any time, as often as one looks. ``paired``: the same, where line-ups depend on results.
``pairs``: at every look too, but only what two bots show in the matches that both sat in, where others never meet or
only beside certain bots. ``answer``: nothing but what the format itself has found."""


def student(normal: float, freedom: int) -> float:
    """The quantile of Student's distribution that belongs to one of the normal, to three digits (Wallace 1959)."""
    scaled = normal * (8 * freedom + 3) / (8 * freedom + 1)
    return sqrt(freedom * expm1(scaled * scaled / freedom))


def quantile_at_every_look(blocks: int) -> float:
    """The normal quantile of an interval that may be looked at after every block, and is wrong in 5 of 100 runs.

    The normal mixture of H. Robbins (1970), for means of any blocks in the limit (I. Waudby-Smith et al.:
    *Time-uniform central limit theory and asymptotic confidence sequences*, 2024, proposition 2.2). It is narrowest,
    next to one look, at ``_CLOSEST`` blocks.
    """
    error = -2 * log(1 - CONFIDENCE_LEVEL)
    scaled = _scaled(blocks, error)
    return sqrt((1 + 1 / scaled) * (error + log(scaled + 1)))


def _scaled(blocks: float, error: float) -> float:
    """The blocks in units of the mixture's variance, for minus twice the logarithm of how often it may be wrong."""
    return blocks * (error + log(error + 1)) / _CLOSEST


def normal_score(value: float, *, freedom: float) -> float:
    """The normal deviate that is as improbable as this one of Student's distribution: undoes ``student``."""
    scaled = sqrt(freedom * log1p(value * value / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return copysign(scaled, value)


def chance(score: float, *, blocks: float, looks: Looks, error: float) -> float:
    """How improbable a normal deviate so far from 0 is if there is nothing to be seen: a p-value of both sides.

    At one look that is the tail of the normal distribution. Else it holds at every look at once, in the limit of many
    blocks: one over the mixture of ``quantile_at_every_look``, whose smallest ``error`` that is asked about sets its
    variance.
    """
    if looks == "one":
        return erfc(abs(score) / sqrt(2))
    scaled = _scaled(blocks, -2 * log(error))
    return exp(min(log1p(scaled) - score * score * scaled / (1 + scaled), 0.0) / 2)


def holm(chances: Mapping[Key, float], *, error: float, claims: int) -> list[Key]:
    """What may be claimed of so many ``claims`` at once, the clearest first: any wrong with a chance of ``error``.

    The clearest is held against ``error / claims``, the next against ``error / (claims - 1)`` (S. Holm, 1979). What is
    not in ``chances`` is not claimed. Where these hold at every look, so do the claims: the first wrong one would be of
    those that are not true, each at its share of the error.
    """
    rejected: list[Key] = []
    for divisor, (key, value) in zip(
        range(claims, 0, -1), sorted(chances.items(), key=lambda entry: entry[1]), strict=False
    ):
        if value > error / divisor:
            break
        rejected.append(key)
    return rejected
