"""Luck as a control variate: the luck that one bot had more than another is subtracted from its scores.

A *control variate* is a figure with a known mean, here 0, that correlates with the measured figure. Subtracting it
leaves the mean as it is and reduces the variance (R. Y. Rubinstein, R. Marcus 1985; for matches of games M. Zinkevich
and others: *Optimal Unbiased Estimators for Evaluating Agent Performance*, 2006). How much of it is subtracted from a
block follows from earlier blocks alone. So, given these, the mean of the subtracted figure is exactly 0, and a bet on
the difference is as fair as one on the score: see ``arena.ratings.evidence``.

Knows numbers only.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

MOST = 1.0
"""The luck of a match is at most this, either way."""
_PRIOR = 0.2
"""How much is known beforehand of the coefficient, next to the sum of the squares of luck."""
_STEEPEST = 2.0
"""Of the coefficient."""


def of_match(events: Iterable[tuple[float, float]]) -> float:
    """The luck of one bot less that of another in a match, from -MOST to MOST.

    Where an event could lead beyond these, less of it counts. How much less is known before the event, so that the mean
    stays 0.

    Args:
        events: for each chance event, in order, the gain of the one less that of the other, and the most that this
            could have been, either way.

    Raises:
        ValueError: a gain is greater than it could have been, or no number.
    """
    total = 0.0
    for gain, span in events:
        if not abs(gain) <= span * (1 + 1e-9):
            raise ValueError(f"expected luck of at most {span}, got {gain}")
        if span:
            total += gain * min(1.0, (MOST - abs(total)) / span)
    return max(-MOST, min(total, MOST))  # what rounding can add


class Taken(NamedTuple):
    """The luck that is subtracted from the score of a block."""

    luck: float
    most: float
    """The most that this could have been, either way."""


NOTHING = Taken(luck=0.0, most=0.0)


class ControlVariate(Struct):
    """How much luck to take off each block: the coefficient of the regression of score on luck, by the blocks before.

    It begins at 1, a game's own word for what luck is worth.
    """

    products: float = _PRIOR
    squares: float = _PRIOR

    @property
    def coefficient(self) -> float:
        """Of the next block; never below 0, for a gain is no loss."""
        return max(0.0, min(self.products / self.squares, _STEEPEST))

    def take(self, score: float, *, luck: float) -> Taken:
        """The luck to subtract from this block; the coefficient counts this block from the next one on.

        Args:
            score: of the block.
            luck: the mean over its matches, from -MOST to MOST.
        """
        if not luck:
            return NOTHING
        coefficient = self.coefficient
        self.products += score * luck
        self.squares += luck * luck
        return Taken(luck=coefficient * luck, most=coefficient * MOST)
