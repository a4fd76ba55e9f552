"""How many more blocks will answer a question about two bots: a range, or none where the blocks so far cannot tell.

Nobody knows the mean score; the blocks give a range of it. For each of several means in that range it is computed when
the bets will have won enough, if blocks go on as they did but with this mean. Knows evidence only.
"""

from collections import Counter
from math import fsum, log1p, sqrt

from msgspec import Struct

from arena.ratings.bets import BOLDEST, Aim, Side, log_sum
from arena.ratings.evidence import Evidence
from arena.ratings.quantiles import student

FEWEST_BLOCKS = 20
"""Fewer tell too little about their spread."""
_FORESEEN = 100
"""No forecast goes beyond so many times the blocks that have come in."""
_LIKELY = 1.28
"""Normal quantiles, for few blocks Student's: four of five answers come within the range, ..."""
_TOLD = 1.96
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
    told, likely = (student(quantile, blocks - 1) for quantile in (_TOLD, _LIKELY))
    error = law.deviation / sqrt(blocks)
    if evidence.gate is None and evidence.margin is None and abs(evidence.mean) < told * error:
        return None
    most = _FORESEEN * blocks
    if not all(_answered(evidence, law, side * told * error, most) for side in _SIDES):
        return None
    firsts = [_first(evidence, law, side * likely, most) for side in _SIDES]
    return min(firsts), max(firsts)


def _law(evidence: Evidence) -> _Law:
    counted: Counter[float] = Counter()
    for (score, taken, _), times in evidence.above.blocks.items():
        counted[round(max(-1.0, min(score - taken.luck, 1.0)) * _STEPS) / _STEPS] += times
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


def _log_after(side: Side, bound: float, scores: list[tuple[float, float]], more: int) -> float:
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
