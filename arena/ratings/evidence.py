"""Whether one bot is better than another, by evidence that may be looked at after every block and stopped at will.

A block's *score* is the mean, over its matches, of one bot's share less the other's: the share of opponents that each
finished ahead of, a tie half. Only blocks in which both sit have a score. Scores lie between -1 and 1.

To test whether the mean score is at most ``m``, one bets against it. With a bet of the fraction f, each block
multiplies the stake, at first 1, by ``1 + f (score - m) / (1 + m)``. If the mean score is at most ``m``, this gains
nothing on average, whatever came before. So the *wealth*, the mean over several fractions, exceeds ``1 / alpha`` at any
time with a probability of at most alpha (J. Ville 1939; I. Waudby-Smith, A. Ramdas: *Estimating means of bounded random
variables by betting*, 2023). Nothing is assumed of the scores except their bounds: blocks need not be many, alike, or
drawn from the model of the ratings.

If a game tells its luck, the factor is ``1 + f ((score - m) / (1 + m) - share * luck)``. The mean of the luck is 0, so
this gains nothing on average either. The share is as much of the luck as f allows, so that no score and no luck can
take the whole stake; it follows from earlier blocks.

Knows names, ranks and blocks; knows no records, games or files.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, exp, log, log1p
from typing import Literal, TypeAlias

from msgspec import Struct, field

from arena.ratings.blocks import BlockOutcomes, Shape
from arena.ratings.luck import NOTHING, ControlVariate, Taken

Finding: TypeAlias = Literal["better", "worse", "same", "undecided"]

FRACTIONS = tuple(0.9 * 2 ** (-step / 2) for step in range(11))
"""Of the stake: 0.9 to 0.028, each best for scores whose mean over their mean square is about that."""
ALPHA = 0.05
_FEWEST_BLOCKS = 20
"""Fewer tell too little about their variance."""
_LEAST_VARIANCE = 0.001
"""Of a block's score: as if of some 50 blocks one had not been even."""
_OFTENER = 0.85
"""The fraction that is bet on faults."""
_RESERVE = 0.1
"""The part of what a bet leaves of the stake at the worst score that no luck may take."""
_HALVINGS = 30
_FORESEEN = 100
"""No forecast goes beyond so many times the blocks that have come in."""


class Wealth(Struct):
    """The wealth of bets on a mean score above ``bound``, from a stake of 1."""

    bound: float = 0.0
    logs: list[float] = field(default_factory=lambda: [0.0] * len(FRACTIONS))
    """Of what each fraction has made."""

    def add(self, score: float, taken: Taken = NOTHING) -> None:
        """Bet on one more block, with the luck that is taken off its score."""
        excess = (score - self.bound) / (1 + self.bound)
        for at, (fraction, share) in enumerate(zip(FRACTIONS, _shares(taken.most), strict=True)):
            self.logs[at] += log1p(fraction * (excess - share * taken.luck))

    @property
    def log(self) -> float:
        """The logarithm of the mean over all fractions."""
        return _log_mean(self.logs)


def _shares(most: float) -> Sequence[float]:
    """For each fraction how much of the luck it bears: at the worst score 1 - fraction of the stake is left."""
    if not most:
        return _NO_SHARES
    return [1.0 if most <= bears else bears / most for bears in _BEARS]


_NO_SHARES = (0.0,) * len(FRACTIONS)
_BEARS = tuple((1 - _RESERVE) * (1 - fraction) / fraction for fraction in FRACTIONS)
"""The most luck that each fraction bears."""


class Evidence(Struct):
    """The evidence of blocks for one bot against another, as blocks come in. A verdict, once found, stays.

    ``better`` or ``worse`` is ever claimed wrongly with a probability of at most ``alpha``, and so is ``same``.
    """

    alpha: float = ALPHA
    margin: float | None = None
    """``same`` is a mean score between -margin and margin; None: that is not asked."""
    found: Finding = "undecided"
    found_after: int | None = None
    """Blocks until then."""
    scores: Counter[tuple[float, Taken]] = field(default_factory=Counter)
    """How often each score came with what was taken off it."""
    _luck: ControlVariate = field(default_factory=ControlVariate)
    _wealths: list[Wealth] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the stakes.

        Raises:
            ValueError: ``alpha`` or ``margin`` is not between 0 and 1.
        """
        for name, value in (("alpha", self.alpha), ("margin", self.margin)):
            if value is not None and not 0 < value < 1:
                raise ValueError(f"expected {name} between 0 and 1, got {value}")
        self._wealths = [Wealth(), Wealth()]
        if self.margin is not None:
            self._wealths += [Wealth(-self.margin), Wealth(-self.margin)]

    @property
    def blocks(self) -> int:
        """How many blocks have come in."""
        return self.scores.total()

    def add(self, score: float, *, luck: float = 0.0) -> None:
        """Take in the score of the next block, and the luck in it: see ``arena.ratings.luck``.

        Raises:
            ValueError: the score is not between -1 and 1.
        """
        if not -1 <= score <= 1:
            raise ValueError(f"expected a score from -1 to 1, got {score}")
        taken = self._luck.take(score, luck=luck)
        self.scores[score, taken] += 1
        for wealth, sign in zip(self._wealths, (1, -1, 1, -1), strict=False):
            wealth.add(sign * score, _turned(taken) if sign < 0 else taken)
        if self.found == "undecided":
            self.found = self._finding()
            if self.found != "undecided":
                self.found_after = self.blocks

    def _finding(self, times: float = 1.0) -> Finding:
        """What the wealths say, each as if all blocks had come in so many times."""
        above, below, *within = [_log_mean([times * each for each in wealth.logs]) for wealth in self._wealths]
        if max(above, below) >= log(2 / self.alpha):
            return "better" if above > below else "worse"
        if within and min(within) >= log(1 / self.alpha):
            return "same"
        return "undecided"

    def likely_after(self) -> int | None:
        """The blocks, these among them, after which it is found if all others go as these did.

        A guess: the logarithm of each fraction's wealth then grows with the number of blocks. None if it is found
        already, before 20 blocks, and where a hundred times as many blocks would not be enough.
        """
        if self.found != "undecided" or self.blocks < _FEWEST_BLOCKS:
            return None
        low, high = 1.0, float(_FORESEEN)
        if self._finding(high) == "undecided":
            return None
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._finding(middle) == "undecided" else (low, middle)
        return ceil(self.blocks * high)

    @property
    def mean(self) -> float | None:
        """The mean score so far, luck taken off; None before the first block."""
        return None if not self.scores else self.as_played - self.luck

    @property
    def as_played(self) -> float:
        """The mean score with all its luck."""
        return sum(score * times for (score, _), times in sorted(self.scores.items())) / self.blocks

    @property
    def luck(self) -> float:
        """The mean of the luck that was subtracted."""
        return sum(taken.luck * times for (_, taken), times in sorted(self.scores.items())) / self.blocks

    @property
    def saving(self) -> float | None:
        """The variance of the scores as played over that without luck: so much fewer blocks are needed.

        None where no luck is known, or where the scores do not vary.
        """
        played = [(score, times) for (score, _), times in self.scores.items()]
        left = [(score - taken.luck, times) for (score, taken), times in self.scores.items()]
        spread = _variance(left)
        return _variance(played) / spread if spread and any(taken.most for _, taken in self.scores) else None

    def interval(self) -> tuple[float, float]:
        """The mean scores against which neither side has a wealth of ``2 / alpha``, nor had at the verdict."""
        need = log(2 / self.alpha)
        low = _rejected(self.scores, need)
        turned = {(-score, _turned(taken)): times for (score, taken), times in self.scores.items()}
        high = -_rejected(turned, need)
        return (max(low, 0.0) if self.found == "better" else low, min(high, 0.0) if self.found == "worse" else high)


class Sprt(Struct, kw_only=True):
    """A sequential probability ratio test (A. Wald 1945) of two mean scores, as gates of chess engines are.

    The likelihood ratio is that of a normal mean whose variance is the blocks' own (the generalised test, M. Van den
    Bergh 2019): its errors are ``alpha`` and ``beta`` in the limit of many blocks.
    """

    low: float
    """The mean score that is not worth having, ..."""
    high: float
    """... and the one that is."""
    alpha: float = ALPHA
    """How often ``low`` passes."""
    beta: float = ALPHA
    """How often ``high`` does not."""
    blocks: int = 0
    total: float = 0.0
    squares: float = 0.0
    luck: ControlVariate = field(default_factory=ControlVariate)
    passed: bool | None = None
    """None while neither is found."""

    def __post_init__(self) -> None:
        """Check the question.

        Raises:
            ValueError: it does not ask for a greater mean score than it starts from, within -1 to 1.
        """
        if not -1 <= self.low < self.high <= 1:
            raise ValueError(f"expected two mean scores from -1 to 1, the greater last, got {self.low} and {self.high}")

    def add(self, score: float, *, luck: float = 0.0) -> None:
        """Take in the score of the next block; the luck in it is taken off."""
        score -= self.luck.take(score, luck=luck).luck
        self.blocks += 1
        self.total += score
        self.squares += score * score
        if self.passed is None and self.blocks >= _FEWEST_BLOCKS:
            ratio = self.log_ratio
            if ratio >= log((1 - self.beta) / self.alpha):
                self.passed = True
            elif ratio <= log(self.beta / (1 - self.alpha)):
                self.passed = False

    @property
    def log_ratio(self) -> float:
        """The logarithm of the likelihood of ``high`` over that of ``low``."""
        if self.blocks <= 1:
            return 0.0
        mean = self.total / self.blocks
        variance = max((self.squares - self.total * mean) / (self.blocks - 1), _LEAST_VARIANCE)
        return self.blocks * (self.high - self.low) * (mean - (self.low + self.high) / 2) / variance


def scores_of(blocks: BlockOutcomes, one: str, *, other: str) -> dict[int, float]:
    """The score of each block in which both sat, in canonical order."""
    points: dict[int, tuple[int, int]] = {}
    sought = {blocks.bots.get(one), blocks.bots.get(other)}
    for shape, matches in blocks.shapes.items():
        shares = _shares_of(shape)
        for block, row in matches.rows():
            if sought <= {*row}:
                before, so_far = points.get(block, (0, 0))
                gain = shares[row.index(blocks.bots[one])] - shares[row.index(blocks.bots[other])]
                points[block] = before + gain, so_far + 2 * (len(row) - 1)
    return {block: of_one / most for block, (of_one, most) in sorted(points.items())}


def finished(planned: Iterable[tuple[int, int]], recorded: Mapping[int, int]) -> Iterator[int]:
    """The blocks up to the first of which a match is not recorded.

    Only these may be looked at while others are played: long matches end late, so a count of the
    finished matches favours short ones.

    Args:
        planned: each block and its number of matches, in canonical order.
        recorded: how many matches of each block are recorded, void ones too.
    """
    for block, matches in planned:
        if recorded.get(block, 0) < matches:
            return
        yield block


def _shares_of(shape: Shape) -> list[int]:
    """The share of each place from the best: in half opponents, so that sums are exact."""
    found: list[int] = []
    for group in shape:
        found += [2 * (sum(shape) - len(found) - group) + group - 1] * group
    return found


def _rejected(scores: Mapping[tuple[float, Taken], int], need: float) -> float:
    """The greatest mean against which bets on more have the wealth ``need``, a logarithm; -1 if there is none.

    The wealth falls as the bound rises.
    """
    ordered = [(score, taken.luck, _shares(taken.most), times) for (score, taken), times in sorted(scores.items())]

    def wealth(bound: float) -> float:
        logs = [0.0] * len(FRACTIONS)
        for score, luck, shares, times in ordered:
            excess = (score - bound) / (1 + bound)
            for at, fraction in enumerate(FRACTIONS):
                logs[at] += times * log1p(fraction * (excess - shares[at] * luck))
        return _log_mean(logs)

    low, high = -1.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if wealth(middle) >= need:
            low = middle
        else:
            high = middle
    return low


def _turned(taken: Taken) -> Taken:
    """Seen from the other bot."""
    return Taken(luck=-taken.luck, most=taken.most)


def _variance(values: Sequence[tuple[float, int]]) -> float:
    """Of values that came so often each."""
    number = sum(times for _, times in values)
    mean = sum(value * times for value, times in values) / number
    return sum(times * (value - mean) ** 2 for value, times in values) / number


def _log_mean(logs: Sequence[float]) -> float:
    """The logarithm of the mean of values whose logarithms are given."""
    top = max(logs)
    return top + log(sum([exp(each - top) for each in logs]) / len(logs))


def more_often(*, more: int, less: int) -> bool:
    """Whether something certainly happens to one bot more often than to another.

    ``more`` and ``less`` are the blocks in which it happened more often to the one, and to the other.

    A bet of one fraction, for things that should never happen: 5 against 0 are enough, 8 against 1, 12 against 2.
    """
    return more * log1p(_OFTENER) + less * log1p(-_OFTENER) >= log(1 / ALPHA)
