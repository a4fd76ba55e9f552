"""Bets on a mean score: their wealth is evidence that may be looked at after every block.

With a bet of the fraction f, a block multiplies the stake by ``1 + f ((score - m) / (1 + m) - share * luck)``. If the
mean score is at most ``m``, that gains nothing on average: docs/ratings.md (*Two bots*). The mean of ``luck`` is 0: it
is a control variate (R. Y. Rubinstein, R. Marcus, 1985; M. Zinkevich and others: *Optimal Unbiased Estimators for
Evaluating Agent Performance*, 2006). ``share`` is as much of it as f allows, so that no score and no luck can take the
whole stake. Fractions and shares follow from earlier blocks. Knows numbers only.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, log, log1p
from typing import NamedTuple

from msgspec import Struct, field

FRACTIONS = tuple(0.9 * 2 ** (-step / 2) for step in range(11))
"""Of the stake: 0.9 to 0.028, each best for scores whose mean over their mean square is about that."""
_PARTS = log(len(FRACTIONS))
BOLDEST = 0.9
"""The greatest fraction."""
_TOTAL, _SQUARES = 0.2, 0.25
"""What is supposed of the past before the first block: the sums of its scores and of their squares, ..."""
_BLOCKS = 4
"""... and where the gap is given, its blocks ..."""
_SPREAD = 0.1
"""... and their mean square."""
_RESERVE = 0.1
"""The part of what a bet leaves of the stake at the worst score that no luck may take."""
_HALVINGS = 30
MOST = 1.0
"""The luck of a match is at most this, either way."""
_PRIOR = 0.2
"""How much is known beforehand of the coefficient, next to the sum of the squares of luck."""
_STEEPEST = 2.0
"""Of the coefficient."""


def luck_of_match(events: Iterable[tuple[float, float]]) -> float:
    """The luck of one bot minus that of another in a match, from -MOST to MOST.

    Where an event could lead beyond these, less of it counts. How much less is known before the event, so that the mean
    stays 0.

    Args:
        events: for each chance event, in order, the gain of the one minus that of the other, and the most that this
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


class Correction(NamedTuple):
    """The luck that is subtracted from the score of a block."""

    luck: float
    most: float
    """The most that this could have been, either way."""


NO_CORRECTION = Correction(luck=0.0, most=0.0)


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

    def take(self, score: float, *, luck: float) -> Correction:
        """The luck to subtract from this block; the coefficient counts this block from the next one on.

        Args:
            score: of the block.
            luck: the mean over its matches, from -MOST to MOST.
        """
        if not luck:
            return NO_CORRECTION
        coefficient = self.coefficient
        self.products += score * luck
        self.squares += luck * luck
        return Correction(luck=coefficient * luck, most=coefficient * MOST)


class EProcess(Struct):
    """The wealth of bets on a mean score above ``bound``, from a stake of 1 that is divided among fixed fractions."""

    bound: float = 0.0
    logs: list[float] = field(default_factory=lambda: [0.0] * len(FRACTIONS))
    """Of what each fraction has made of its part."""
    log: float = 0.0
    """The logarithm of the wealth, ..."""
    greatest: float = 0.0
    """... and the greatest that it has been."""

    def add(self, score: float, correction: Correction = NO_CORRECTION) -> None:
        """Bet on one more block, with the luck that is taken off its score."""
        excess = (score - self.bound) / (1 + self.bound)
        for index, factor in enumerate(_factors(excess, correction, FRACTIONS)):
            self.logs[index] += log1p(factor)
        self.log = log_sum(self.logs) - _PARTS
        self.greatest = max(self.greatest, self.log)


class Aim(Struct):
    """A fraction by the blocks before: the expected excess over the bound, over its expected square (J. Kelly 1956).

    The expected excess is that of the past; or ``gap``, and then the square is that about half of it.
    """

    bound: float = 0.0
    gap: float | None = None
    blocks: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, score: float) -> None:
        """Take in a block, luck taken off."""
        excess = score - self.bound
        self.blocks += 1
        self.total += excess
        self.squares += (excess - (self.gap or 0.0) / 2) ** 2

    @property
    def fraction(self) -> float:
        """Of the next bet, to two digits, so that blocks can be counted."""
        if self.gap is None:
            share = (_TOTAL + self.total) / (_SQUARES + self.squares)
        else:
            share = self.gap * (_BLOCKS + self.blocks) / (_BLOCKS * _SPREAD + self.squares)
        return float(f"{max(0.0, min(share * (1 + self.bound), BOLDEST)):.2g}")


class ScoreBets(Struct):
    """Bets that the mean score is above a bound, for any bound: on the fixed fractions, and on aimed ones.

    Each aim has an equal part of the stake, and so have the fixed fractions together. No fraction depends on the bound
    that is asked for. So the wealth falls as the bound rises, and the bounds that are rejected have an end.
    """

    aims: tuple[Aim, ...]
    bounds: tuple[float, ...] = (0.0,)
    """Those against which the wealth is known after each block."""
    fixed: bool = True
    """Whether anything is bet on the fixed fractions."""
    blocks: Counter[tuple[float, Correction, tuple[float, ...]]] = field(default_factory=Counter)
    """How often each score came with what was taken off it and the fractions that were aimed."""
    _logs: dict[float, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with the stakes."""
        self._logs = {bound: self._stakes() for bound in self.bounds}

    def _stakes(self) -> list[float]:
        part = -log(self.fixed + len(self.aims))
        return [part - _PARTS] * len(FRACTIONS) * self.fixed + [part] * len(self.aims)

    def fractions(self, aimed: tuple[float, ...]) -> tuple[float, ...]:
        """All fractions, in the order of ``logs``."""
        return FRACTIONS + aimed if self.fixed else aimed

    def add(self, score: float, correction: Correction) -> None:
        """Bet on one more block, with the luck that is taken off its score."""
        aimed = tuple([aim.fraction for aim in self.aims])
        fractions = self.fractions(aimed)
        self.blocks[score, correction, aimed] += 1
        for bound, logs in self._logs.items():
            for index, factor in enumerate(_factors((score - bound) / (1 + bound), correction, fractions)):
                logs[index] += log1p(factor)
        for aim in self.aims:
            aim.add(score - correction.luck)

    def logs(self, bound: float) -> Sequence[float]:
        """Of what each fraction has made of its part, against one of ``bounds``."""
        return self._logs[bound]

    def log(self, bound: float) -> float:
        """The logarithm of the wealth against one of ``bounds``."""
        return log_sum(self._logs[bound])

    def end(self, need: float) -> float:
        """The greatest mean against which the wealth is ``need``, a logarithm; -1 if there is none."""
        ordered = sorted(self.blocks.items())

        def wealth(bound: float) -> float:
            logs = self._stakes()
            for (score, correction, aimed), times in ordered:
                for index, factor in enumerate(
                    _factors((score - bound) / (1 + bound), correction, self.fractions(aimed))
                ):
                    logs[index] += times * log1p(factor)
            return log_sum(logs)

        low, high = -1.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if wealth(middle) >= need:
                low = middle
            else:
                high = middle
        return low


def _factors(excess: float, correction: Correction, fractions: Sequence[float]) -> list[float]:
    """What each fraction gains of its stake by a block."""
    if not correction.most:
        return [fraction * excess for fraction in fractions]
    return [fraction * (excess - borne(fraction, most=correction.most) * correction.luck) for fraction in fractions]


def borne(fraction: float, *, most: float) -> float:
    """How much of luck that may be ``most`` a fraction bears: at the worst score 1 - fraction of the stake is left."""
    bears = (1 - _RESERVE) * (1 - fraction)
    return 1.0 if fraction * most <= bears else bears / (fraction * most)


def log_sum(logs: Sequence[float]) -> float:
    """The logarithm of the sum of values whose logarithms are given."""
    top = max(logs)
    return top + log(sum([exp(value - top) for value in logs]))
