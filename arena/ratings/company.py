"""Whether a bot does better against third parties in the company of another: the sign of collusion, but not a proof.

For bots ``i``, ``j`` and a third ``k``, compare how often ``i`` finishes ahead of ``k`` (a tie half) in blocks in which
``j`` sits, too, with how often it does in blocks without ``j``. The *favour* of ``j`` to ``i`` is the mean of these
differences over all thirds, each weighted by what its blocks can tell (N. Mantel, W. Haenszel, 1959). If it depends
only on two bots which of them finishes ahead, the mean favour is 0, whatever the skills, the ratings and the draw of
line-ups: so no model is needed. A bot that helps or harms all others alike gives no favour.

Those ordered pairs are named that are certain together (S. Holm, 1979), and stay certain whichever third is left out:
otherwise a feud of ``j`` with one bot would look like a favour to all others. Bots may help each other without an
agreement, for instance by chasing the same rival. So this finds that company matters, and never why.

Knows names and blocks; knows no records, games or files.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import copysign, erfc, log1p, sqrt

from msgspec import Struct
from msgspec.structs import replace

from arena.ratings.blocks import BlockOutcomes

ALPHA = 0.01
"""The greatest probability that any bot is named in a league in which no bot helps another."""
_FEWEST = 4
"""Blocks with the helper, and without it, below which a third tells nothing."""

Shares = Mapping[tuple[str, str], Mapping[int, float]]
"""For each two bots by block the share of their matches in which the first was ahead of the second."""


class Favour(Struct, frozen=True, kw_only=True):
    """The effect of one bot's company on another."""

    helper: str
    helped: str
    favour: float
    """By how much the share of matches that the helped one finishes ahead of a third is greater in this company."""
    deviation: float
    blocks: int
    """Those in which both sat with a third that tells something."""
    chance: float
    """Of a favour as great or greater where there is none, for this pair alone."""
    certain: bool = False
    """Whether it is certain among all pairs, whichever third is left out."""


def favours(blocks: BlockOutcomes, *, alpha: float = ALPHA) -> list[Favour]:
    """Every ordered pair of which something is known, the most telling first."""
    shares, sat = _read(blocks)
    bots = sorted(sat)
    found = [
        favour
        for helper, helped in permutations(bots, 2)
        if (favour := _favour(shares, sat, helper=helper, helped=helped, thirds=bots))
    ]
    found.sort(key=lambda favour: (favour.chance, favour.helper, favour.helped))
    for at, favour in enumerate(found):
        if favour.chance > alpha / (len(found) - at):
            break
        rest = (
            _favour(
                shares, sat, helper=favour.helper, helped=favour.helped, thirds=[bot for bot in bots if bot != left]
            )
            for left in bots
            if left not in {favour.helper, favour.helped}
        )
        sure = all(other is not None and other.chance < alpha for other in rest)
        found[at] = replace(favour, certain=sure)
    return found


def _read(blocks: BlockOutcomes) -> tuple[Shares, dict[str, set[int]]]:
    """The shares of every two bots by block, and the blocks in which each bot sat."""
    points: dict[tuple[str, str], dict[int, tuple[int, int]]] = {}
    sat: dict[str, set[int]] = {}
    for block, outcome in blocks.matches():
        rank = {bot: at for at, group in enumerate(outcome) for bot in group}
        for bot in rank:
            sat.setdefault(bot, set()).add(block)
        for one, other in permutations(rank, 2):
            of_pair = points.setdefault((one, other), {})
            twice, matches = of_pair.get(block, (0, 0))
            ahead = 1 + (rank[one] < rank[other]) - (rank[one] > rank[other])
            of_pair[block] = (twice + ahead, matches + 1)
    shares = {
        pair: {block: twice / 2 / matches for block, (twice, matches) in of_pair.items()}
        for pair, of_pair in points.items()
    }
    return shares, sat


def _favour(
    shares: Shares, sat: Mapping[str, set[int]], *, helper: str, helped: str, thirds: Sequence[str]
) -> Favour | None:
    """The effect for one pair; None if no third was met often enough with the helper and without."""
    parts: list[tuple[dict[int, float], dict[int, float], float]] = []
    for third in thirds:
        if third in {helper, helped}:
            continue
        of_third = shares.get((helped, third), {})
        with_it = {block: share for block, share in of_third.items() if block in sat[helper]}
        without = {block: share for block, share in of_third.items() if block not in sat[helper]}
        if min(len(with_it), len(without)) >= _FEWEST:
            parts.append((with_it, without, len(with_it) * len(without) / len(of_third)))
    if not parts:
        return None
    whole = sum(weight for *_, weight in parts)
    favour = 0.0
    influences: dict[int, float] = {}
    for with_it, without, weight in parts:
        for sign, part in ((1, with_it), (-1, without)):
            mean = sum(part.values()) / len(part)
            favour += sign * weight / whole * mean
            for block, share in part.items():
                pull = sign * weight / whole * (share - mean) / (len(part) - 1)
                influences[block] = influences.get(block, 0.0) + pull
    deviation = sqrt(sum(pull * pull for _, pull in sorted(influences.items())))
    freedom = max(sum(pull != 0 for pull in influences.values()), 2) - 1
    return Favour(
        helper=helper,
        helped=helped,
        favour=favour,
        deviation=deviation,
        blocks=len({block for with_it, *_ in parts for block in with_it}),
        chance=_above(favour / deviation, freedom) if deviation else 1.0,
    )


def _above(score: float, freedom: int) -> float:
    """The share of Student's distribution above a score (Wallace 1959)."""
    normal = (8 * freedom + 1) / (8 * freedom + 3) * sqrt(freedom * log1p(score * score / freedom))
    return erfc(copysign(normal, score) / sqrt(2)) / 2
