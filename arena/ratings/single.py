"""The one door to the `trueskill` package: updates match by match, for a table that is shown while a run goes on.

Such a table depends on the order of the matches, so it is provisional; ``arena.ratings.fit`` makes the one that counts.
Knows names and ranks only.
"""

import warnings
from collections.abc import Sequence
from math import erfc, sqrt
from statistics import NormalDist

from arena.ratings.factor import BETA2
from arena.ratings.table import MU, SIGMA, Rating, outcome_of

with warnings.catch_warnings():
    # version 0.4.5 was written before Python warned of `is` with a literal
    warnings.simplefilter("ignore", SyntaxWarning)
    import trueskill

_NORMAL = NormalDist()


def _below(x: float) -> float:
    return erfc(-x / sqrt(2)) / 2


def rate(
    before: Sequence[tuple[float, float]], ranks: Sequence[int], draw_probability: float, closeness: float = 1e-4
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


class Live:
    """A provisional table, updated by one match at a time; a bot appears with its first match or as an entrant."""

    def __init__(self, entrants: Sequence[str] = ()) -> None:
        self.ratings = {name: Rating() for name in entrants}
        self._neighbours = 0
        self._tied = 0

    @property
    def draw_probability(self) -> float:
        """The share of neighbours in rank that tied so far, ``(tied + 1) / (neighbours + 2)``."""
        return (self._tied + 1) / (self._neighbours + 2)

    def update(self, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Take in one match. An upset beyond the package's numbers leaves the ratings as they were.

        Raises:
            ValueError: the match is malformed, see ``arena.ratings.table.outcome_of``.
        """
        outcome = outcome_of(bots, ranks)
        self._neighbours += len(bots) - 1
        self._tied += len(bots) - len(outcome)
        # in the order of ranks and names: among tied bots the package heeds the order it is given
        seats = [(rank, bot) for rank, group in enumerate(outcome) for bot in group]
        ratings = [self.ratings.get(bot, Rating()) for _, bot in seats]
        try:
            after = rate([(r.mu, r.sigma) for r in ratings], [rank for rank, _ in seats], self.draw_probability)
        except FloatingPointError:
            after = [(r.mu, r.sigma) for r in ratings]
        for (_, bot), (mu, sigma) in zip(seats, after, strict=True):
            self.ratings[bot] = Rating(mu, sigma)
