"""Whether one bot is better than another, by evidence that may be looked at after every block and stopped at will.

A block's *score* is the mean, over its matches, of one bot's share of opponents that it finished ahead of, a tie half,
minus the other's: from -1 to 1. Only blocks in which both sit have one. Bets on either side give one interval of the
mean score, and all that is found follows from where it lies: docs/ratings.md (*Two bots*).

How many more blocks will answer is a range: for each of several means in that interval it is computed when the bets
will have won enough, if blocks go on as they did but with this mean. Knows names, ranks and blocks; no record, no game.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from math import fsum, log, log1p, sqrt
from typing import Literal, TypeAlias

from msgspec import Struct, field

from arena.numeric import np
from arena.ratings.bets import BOLDEST, Aim, ControlVariate, Correction, ScoreBets, log_sum
from arena.ratings.outcomes import Outcomes
from arena.ratings.quantiles import student

Finding: TypeAlias = Literal["better", "worse", "same", "undecided"]

ALPHA = 0.05
_FOR_FAULTS = 0.1
"""The part of the error that is for faults."""
_ON_FAULTS = 0.95
"""The fraction that is bet on faults."""


class Evidence(Struct, kw_only=True):
    """The evidence of blocks for one bot against another, as blocks come in. What is found stays.

    Anything is ever found wrongly, or the interval ever without the true mean, with a probability of at most ``alpha``.
    A gate asks about two means, one end of the interval for each: then each end alone is wrong as rarely.
    """

    alpha: float = ALPHA
    margin: float | None = None
    """``same`` is a mean score between -margin and margin; None: that is not asked."""
    gate: tuple[float, float] | None = None
    """The mean score that is not worth having, and the one that is; None: that is not asked."""
    finding: Finding = "undecided"
    """By the score."""
    passed: bool | None = None
    """Of the gate: True once the mean is certainly above its first score, False once it is below its second."""
    found_after: int | None = None
    """Blocks until one of both was found."""
    faulted_more: int = 0
    """Blocks in which the one faulted more often than the other."""
    faulted_less: int = 0
    faulty: bool = False
    """Whether the one certainly faults more often."""
    above: ScoreBets = field(default_factory=lambda: ScoreBets(()))
    """Bets that the mean score is above a bound, ..."""
    below: ScoreBets = field(default_factory=lambda: ScoreBets(()))
    """... and the same of the opposite scores."""
    _luck: ControlVariate = field(default_factory=ControlVariate)

    def __post_init__(self) -> None:
        """Begin with the stakes.

        Raises:
            ValueError: ``alpha`` or ``margin`` is not between 0 and 1, or the gate's scores do not rise within -1 to 1.
        """
        for name, value in (("alpha", self.alpha), ("margin", self.margin)):
            if value is not None and not 0 < value < 1:
                raise ValueError(f"expected {name} between 0 and 1, got {value}")
        if self.gate is not None:
            low, high = self.gate
            if not -1 < low < high < 1:
                raise ValueError(f"expected two mean scores between -1 and 1, the greater last, got {low} and {high}")
            self.above, self.below = (
                ScoreBets((Aim(bound, gap=high - low),), bounds=(bound,), fixed=False) for bound in (low, -high)
            )
        elif self.margin is not None:
            self.above, self.below = (
                ScoreBets((Aim(), Aim(-self.margin, gap=self.margin)), bounds=(0.0, -self.margin)) for _ in range(2)
            )
        else:
            self.above, self.below = ScoreBets((Aim(),)), ScoreBets((Aim(),))

    @property
    def blocks(self) -> int:
        """How many blocks have come in."""
        return self.above.blocks.total()

    @property
    def answered(self) -> bool:
        """Whether what was asked is found, or the one is certainly faulty."""
        return self.faulty or (self.finding != "undecided" if self.gate is None else self.passed is not None)

    @property
    def need(self) -> float:
        """The logarithm of the wealth that an end of the interval needs."""
        ends = 2 if self.gate is None else 1
        return log(ends / (self.alpha * (1 - _FOR_FAULTS)))

    def add(self, score: float, *, luck: float = 0.0, faults: int = 0) -> None:
        """Take in the next block.

        Args:
            score: of the block.
            luck: the luck in it, see ``arena.ratings.bets``.
            faults: of the one, minus those of the other.

        Raises:
            ValueError: the score is not between -1 and 1.
        """
        if not -1 <= score <= 1:
            raise ValueError(f"expected a score from -1 to 1, got {score}")
        correction = self._luck.take(score, luck=luck)
        self.above.add(score, correction)
        self.below.add(-score, Correction(luck=-correction.luck, most=correction.most))
        self.faulted_more += faults > 0
        self.faulted_less += faults < 0
        self.faulty = self.faulty or more_often(more=self.faulted_more, less=self.faulted_less, alpha=self.alpha)
        if self.found_after is None:
            self._find()

    def _find(self) -> None:
        need = self.need
        if self.gate is not None:
            low, high = self.gate
            if self.above.log(low) >= need:
                self.passed, self.finding = True, "better" if low >= 0 else "undecided"
            elif self.below.log(-high) >= need:
                self.passed, self.finding = False, "worse" if high <= 0 else "undecided"
        elif self.above.log(0.0) >= need:
            self.finding = "better"
        elif self.below.log(0.0) >= need:
            self.finding = "worse"
        elif self.margin is not None and min(side.log(-self.margin) for side in (self.above, self.below)) >= need:
            self.finding = "same"
        if self.passed is not None or self.finding != "undecided":
            self.found_after = self.blocks

    def interval(self) -> tuple[float, float]:
        """The mean scores against which no side has the wealth that it needs.

        It agrees with what is found: it lies on one side of 0, within the margin, or on one side of the gate's score.
        While nothing is found it does not, and holds the mean score so far.
        """
        low, high = self.above.end(self.need), -self.below.end(self.need)
        if self.found_after is None:
            low, high = min(low, self.mean), max(high, self.mean)
            if self.gate is None:
                return min(low, 0.0), max(high, 0.0)
            return min(low, self.gate[0]), max(high, self.gate[1])
        least, most = self._limits()
        low = max(least, min(low, most))
        return low, max(low, min(high, most))

    def _limits(self) -> tuple[float, float]:
        """Between these the mean lies, by what is found."""
        if self.gate is not None:
            return (self.gate[0], 1.0) if self.passed else (-1.0, self.gate[1])
        if self.margin is not None and self.finding == "same":
            return -self.margin, self.margin
        return (0.0, 1.0) if self.finding == "better" else (-1.0, 0.0)

    @property
    def _counted(self) -> list[tuple[float, Correction, int]]:
        return [(score, correction, times) for (score, correction, _), times in sorted(self.above.blocks.items())]

    @property
    def mean(self) -> float:
        """The mean score so far, luck taken off; 0 before the first block."""
        return self.as_played - self.luck

    @property
    def as_played(self) -> float:
        """The mean score with all its luck."""
        return sum(score * times for score, _, times in self._counted) / max(self.blocks, 1)

    @property
    def luck(self) -> float:
        """The mean of the luck that was subtracted."""
        return sum(correction.luck * times for _, correction, times in self._counted) / max(self.blocks, 1)

    @property
    def saving(self) -> float | None:
        """The variance of the scores as played over that without luck: so much fewer blocks are needed.

        None where no luck is known, or where the scores do not vary.
        """
        counted = self._counted
        spread = _variance([(score - correction.luck, times) for score, correction, times in counted])
        if not spread or not any(correction.most for _, correction, _ in counted):
            return None
        return _variance([(score, times) for score, _, times in counted]) / spread


def scores_of(outcomes: Outcomes, first: str, *, other: str) -> dict[int, float]:
    """The score of each block in which both sat, in canonical order."""
    if not {first, other} <= {*outcomes.names}:
        return {}
    gains, mosts, blocks = [], [], []
    for alike in outcomes.shapes:
        of_both = [alike.bots == outcomes.names.index(bot) for bot in (first, other)]
        met = of_both[0].any(axis=1) & of_both[1].any(axis=1)
        # by place from the best the share of opponents that finished behind: in half opponents, so that sums are exact
        behind = [
            (sum(alike.shape) - end) * 2 + group - 1
            for group, end in zip(alike.shape, accumulate(alike.shape), strict=True)
        ]
        shares = np.repeat(behind, alike.shape)
        gains.append((of_both[0][met] * shares).sum(axis=1) - (of_both[1][met] * shares).sum(axis=1))
        mosts.append(np.full(int(met.sum()), 2 * (sum(alike.shape) - 1)))
        blocks.append(alike.blocks[met])
    numbers, inverse = np.unique(np.concatenate(blocks), return_inverse=True)
    means = np.bincount(inverse, np.concatenate(gains)) / np.bincount(inverse, np.concatenate(mosts))
    return dict(zip(numbers.tolist(), means.tolist(), strict=True))


def _variance(values: Sequence[tuple[float, int]]) -> float:
    """Of values that came so often each."""
    number = sum(times for _, times in values)
    mean = sum(value * times for value, times in values) / number
    return sum(times * (value - mean) ** 2 for value, times in values) / number


def more_often(*, more: int, less: int, alpha: float = ALPHA) -> bool:
    """Whether something certainly happens to one bot more often than to another, by the part of alpha for faults.

    ``more`` and ``less`` are the blocks in which it happened more often to the one, and to the other.

    A bet of one fraction, for things that should never happen: 8 against 0 are enough, 13 against 1, 17 against 2.
    """
    return more * log1p(_ON_FAULTS) + less * log1p(-_ON_FAULTS) >= -log(alpha * _FOR_FAULTS)


FEWEST_BLOCKS = 20
"""Fewer tell too little about their spread."""
_FORESEEN = 100
"""No forecast goes beyond so many times the blocks that have come in."""
_LIKELY = 1.28
"""Normal quantiles, for few blocks Student's: four of five answers come within the range, ..."""
_SURE = 1.96
"""... and there is one only if 95 in 100 of the means that may be true lead to an answer."""
_SIDES = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""Of these quantiles, so much."""
_STEPS = 100
"""Scores are grouped by hundredths."""


class _Law(Struct, frozen=True):
    """How the scores of blocks fall, luck taken off."""

    scores: tuple[tuple[float, float], ...]
    """Each and its share."""
    deviation: float

    def moved(self, shift: float, *, sign: int) -> "list[tuple[float, float]]":
        """The scores as seen from either side, each with so much more, and their shares."""
        return [(sign * max(-1.0, min(score + shift, 1.0)), share) for score, share in self.scores]


def more_blocks(evidence: Evidence) -> tuple[int, int] | None:
    """The fewest and the most further blocks that will likely answer the question.

    None if it is answered already, before 20 blocks, and where it may take more than a hundred times as many.
    """
    blocks = evidence.blocks
    if evidence.answered or blocks < FEWEST_BLOCKS:
        return None
    law = _law(evidence)
    sure, likely = (student(quantile, blocks - 1) for quantile in (_SURE, _LIKELY))
    error = law.deviation / sqrt(blocks)
    if evidence.gate is None and evidence.margin is None and abs(evidence.mean) < sure * error:
        return None
    most = _FORESEEN * blocks
    if not all(_answered(evidence, law, side * sure * error, most) for side in _SIDES):
        return None
    firsts = [_first(evidence, law, side * likely, most) for side in _SIDES]
    return min(firsts), max(firsts)


def _law(evidence: Evidence) -> _Law:
    counted: Counter[float] = Counter()
    for (score, correction, _), times in evidence.above.blocks.items():
        counted[round(max(-1.0, min(score - correction.luck, 1.0)) * _STEPS) / _STEPS] += times
    shares = tuple((score, times / evidence.blocks) for score, times in sorted(counted.items()))
    mean = fsum(score * share for score, share in shares)
    return _Law(scores=shares, deviation=sqrt(fsum(share * (score - mean) ** 2 for score, share in shares)))


def _first(evidence: Evidence, law: _Law, quantile: float, most: int) -> int:
    """The further blocks after which the question is answered, with the mean and the luck of this quantile."""
    low, high = 0, most
    while high - low > 1 + low // _STEPS:
        more = (low + high) // 2
        shift = quantile * law.deviation * sqrt(1 / evidence.blocks + 1 / more)
        low, high = (low, more) if _answered(evidence, law, shift, more) else (more, high)
    return high


def _answered(evidence: Evidence, law: _Law, shift: float, more: int) -> bool:
    """Whether so many more blocks answer it, if they go as the law says but for a mean that is greater by ``shift``."""
    ups, downs = (
        [_log_after(side, bound, law.moved(shift, sign=sign), more) >= evidence.need for bound in side.bounds]
        for side, sign in ((evidence.above, 1), (evidence.below, -1))
    )
    # the first bound on either side is one that answers alone; the margin needs both
    return ups[0] or downs[0] or (evidence.margin is not None and ups[-1] and downs[-1])


def _log_after(side: ScoreBets, bound: float, scores: list[tuple[float, float]], more: int) -> float:
    """The logarithm of the wealth of a side after so many more blocks with these scores and shares."""
    fractions = side.fractions(tuple([_settled(aim, scores) for aim in side.aims]))
    logs = []
    for before, fraction in zip(side.logs(bound), fractions, strict=True):
        growth = fsum(share * log1p(fraction * (score - bound) / (1 + bound)) for score, share in scores)
        logs.append(before + more * growth)
    return log_sum(logs)


def _settled(aim: Aim, scores: list[tuple[float, float]]) -> float:
    """The fraction of an aim after many blocks with these scores and shares."""
    about = aim.bound + (aim.gap or 0.0) / 2
    squares = fsum(share * (score - about) ** 2 for score, share in scores)
    expected = fsum(share * score for score, share in scores) - aim.bound if aim.gap is None else aim.gap
    stake = expected / squares * (1 + aim.bound) if squares else BOLDEST
    return max(0.0, min(stake, BOLDEST))
