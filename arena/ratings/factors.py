"""All outcomes of one component together, and the sweeps over them. Knows bots as numbers only."""

from array import array
from collections.abc import Sequence
from itertools import chain
from operator import mul
from typing import Protocol

from msgspec import Struct

from arena.ratings.factor import BETA2, Factor
from arena.spill import Reals


class Factors(Protocol):
    """What the fit asks of all outcomes."""

    def open(self, *, precision: float, margin: float, close: float) -> None:
        """The first visit, while all skills are alike: one outcome of each shape is visited for all of that shape."""

    def visit(self, *, means: Sequence[float], precisions: Sequence[float], margin: float, close: float) -> None:
        """Visit and linearise each, see ``arena.ratings.factor.Factor``."""

    def joint(self, prior: float, means: Sequence[float]) -> tuple[list[dict[int, float]], list[float]]:
        """Precision of the joint distribution of all skills, by row and column, and its pull away from ``means``."""

    def follow(self, step: Sequence[float]) -> None:
        """Update the pulls after the means have moved by ``step``, bot by bot."""

    def offered(self) -> list[float]:
        """The precision that the last visit would give each bot, prior apart."""

    def adopt(self) -> None:
        """Accept the values that were offered last."""

    def pulls(self) -> Reals:
        """How strongly one match of each outcome pulls each of its bots, outcome by outcome."""


class Listed(Struct):
    """One factor after the other."""

    factors: Sequence[Factor]
    size: int
    """The number of bots."""

    def open(self, *, precision: float, margin: float, close: float) -> None:
        """As ``Factors``."""
        first: dict[tuple[tuple[int, int, bool], ...], Factor] = {}
        for factor in self.factors:
            like = first.setdefault(factor.pairs, factor)
            if like is factor:
                factor.visit([0.0] * self.size, [precision] * self.size, margin, close)
                factor.linearise()
            else:
                factor.take(like)

    def visit(self, *, means: Sequence[float], precisions: Sequence[float], margin: float, close: float) -> None:
        """As ``Factors``."""
        for factor in self.factors:
            factor.visit(means, precisions, margin, close)
            factor.linearise()

    def joint(self, prior: float, means: Sequence[float]) -> tuple[list[dict[int, float]], list[float]]:
        """As ``Factors``."""
        rows = [{at: prior} for at in range(self.size)]
        right = [-prior * mean for mean in means]
        for factor in self.factors:
            weight = factor.count / BETA2
            scale = weight / BETA2
            for bot, line in zip(factor.bots, factor.inverse, strict=True):
                row = rows[bot]
                for other, value in zip(factor.bots, line, strict=True):
                    row[other] = row.get(other, 0.0) - scale * value
                row[bot] += weight
                right[bot] += weight * sum(map(mul, line, factor.leanings))
        return rows, right

    def follow(self, step: Sequence[float]) -> None:
        """As ``Factors``."""
        for factor in self.factors:
            factor.follow(step)

    def offered(self) -> list[float]:
        """As ``Factors``."""
        found = [0.0] * self.size
        for factor in self.factors:
            for bot, offered in zip(factor.bots, factor.offered, strict=True):
                found[bot] += factor.count * offered
        return found

    def adopt(self) -> None:
        """As ``Factors``."""
        for factor in self.factors:
            factor.adopt()

    def pulls(self) -> Reals:
        """As ``Factors``."""
        return array("d", chain.from_iterable(factor.pulls for factor in self.factors))
