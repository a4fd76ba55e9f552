"""The only module that uses the `trueskill` package: it rates a single match from given skills.

``arena.ratings.fit`` is tested against it. A table made by it match by match would depend on their order. Knows ranks
only.
"""

import warnings
from collections.abc import Sequence
from math import erfc, sqrt
from statistics import NormalDist

from arena.ratings.factors import BETA2
from arena.ratings.table import MU, SIGMA

with warnings.catch_warnings():
    # version 0.4.5 was written before Python warned of `is` with a literal
    warnings.simplefilter("ignore", SyntaxWarning)
    import trueskill

_NORMAL = NormalDist()


def _below(x: float) -> float:
    return erfc(-x / sqrt(2)) / 2


def rate(
    before: Sequence[tuple[float, float]], ranks: Sequence[float], *, draw_probability: float, closeness: float = 1e-4
) -> list[tuple[float, float]]:
    """Mean and deviation of each skill after one match, from those before it; neighbours that tie form a chain.

    The package's own error function is right to seven digits only, so Python's is put in its place.

    Raises:
        FloatingPointError: an upset so great that the package cannot tell it from an impossible one.
    """
    table = trueskill.TrueSkill(MU, SIGMA, sqrt(BETA2), 0.0, draw_probability, (_below, _NORMAL.pdf, _NORMAL.inv_cdf))
    groups = [(table.create_rating(mu, sigma),) for mu, sigma in before]
    after = table.rate(groups, list(ranks), min_delta=closeness)
    return [(float(rating.mu), float(rating.sigma)) for (rating,) in after]


def quality(skills: Sequence[tuple[float, float]], draw_probability: float) -> float:
    """How even a match among these means and deviations would be: 0 to 1, 1 for bots known to be equal."""
    table = trueskill.TrueSkill(MU, SIGMA, sqrt(BETA2), 0.0, draw_probability, (_below, _NORMAL.pdf, _NORMAL.inv_cdf))
    return float(table.quality([(table.create_rating(mu, sigma),) for mu, sigma in skills]))
