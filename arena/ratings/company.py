"""Whether a bot does better against third parties in the company of another: the sign of collusion, but not a proof.

For bots ``i``, ``j`` and a third ``k``, compare how often ``i`` finishes ahead of ``k`` (a tie half) in blocks in which
``j`` sits, too, with how often it does in blocks without ``j``. The *favour* of ``j`` to ``i`` is the mean of these
differences over all thirds, each weighted by what its blocks can tell (N. Mantel, W. Haenszel, 1959). If it depends
only on two bots which of them finishes ahead, the mean favour is 0, whatever the skills, the ratings and the draw of
line-ups: so no model is needed. A bot that helps or harms all others alike gives no favour.

Where places are shared, as where the first wins all and the others tie, it depends on the whole table: beside a weak
bot everybody wins more. So from each share is taken what the strengths of all at the table lead to
(``arena.ratings.luce``). Should that be off, the favours of all pairs spread wider than by chance: then the deviation
of each is widened alike. If the strengths do not settle, nothing is told.

Those ordered pairs are named that are certain together (S. Holm, 1979), and stay certain whichever third is left out:
otherwise a feud of ``j`` with one bot would look like a favour to all others. Bots may help each other without an
agreement, for instance by chasing the same rival. So this finds that company matters, and never why.

Knows names and blocks; knows no records, games or files.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from math import erfc, sqrt
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from arena.ratings.luce import Table, shares, strengths_of
from arena.ratings.outcomes import Outcomes
from arena.ratings.quantiles import normal_score

ALPHA = 0.01
"""The greatest probability that any bot is named in a league in which no bot helps another."""
_FEWEST = 4
"""Blocks with the helper, and without it, below which a third tells nothing."""

_FEWEST_PAIRS = 12
"""Fewer do not tell how wide the favours of pairs spread."""
_OF_NORMAL = 0.6745
"""The median distance of a normal value from its mean, in deviations."""

Shares = Mapping[tuple[str, str], Mapping[int, float]]
"""For each two bots by block the share of their matches in which the first was ahead, less what the table leads to."""


class Favour(Struct, frozen=True, kw_only=True):
    """The effect of one bot's company on another."""

    helper: str
    helped: str
    favour: float
    """By how much the share of matches that the helped one finishes ahead of a third is greater in this company."""
    deviation: float
    blocks: int
    """Those in which both sat with a third that tells something."""
    freedom: int
    """Of the deviation: blocks that count, less 1."""
    chance: float
    """Of a favour as great or greater where there is none, for this pair alone."""
    certain: bool = False
    """Whether it is certain among all pairs, whichever third is left out."""


def favours(outcomes: Outcomes, *, alpha: float = ALPHA) -> list[Favour]:
    """Every ordered pair of which something is known, the most telling first; none if strengths do not settle."""
    above, sat = _read(outcomes)
    bots = sorted(sat)
    found = [
        favour
        for helper, helped in permutations(bots, 2)
        if (favour := _favour(above, sat, helper=helper, helped=helped, thirds=bots))
    ]
    wide = _spread(found)
    found = [_widened(favour, wide) for favour in found]
    found.sort(key=lambda favour: (favour.chance, favour.helper, favour.helped))
    for at, favour in enumerate(found):
        if favour.chance > alpha / (len(found) - at):
            break
        rest = (
            _favour(above, sat, helper=favour.helper, helped=favour.helped, thirds=[bot for bot in bots if bot != left])
            for left in bots
            if left not in {favour.helper, favour.helped}
        )
        sure = all(other is not None and _widened(other, wide).chance < alpha for other in rest)
        found[at] = replace(favour, certain=sure)
    return found


def _spread(found: Sequence[Favour]) -> float:
    """How much wider the favours of all pairs spread than by chance, 1 or more. A few that are far off do not count."""
    scores = [favour.favour / favour.deviation for favour in found if favour.deviation]
    if len(scores) < _FEWEST_PAIRS:
        return 1.0
    middle = median(scores)
    return max(1.0, median([abs(score - middle) for score in scores]) / _OF_NORMAL)


def _widened(favour: Favour, wide: float) -> Favour:
    deviation = favour.deviation * wide
    chance = _above(favour.favour / deviation, favour.freedom) if deviation else 1.0
    return replace(favour, deviation=deviation, chance=chance)


def _read(outcomes: Outcomes) -> tuple[Shares, dict[str, set[int]]]:
    """By block the shares of every two bots, less the expected, and the blocks of each bot; none if that is open."""
    names = outcomes.names
    number = {name: at for at, name in enumerate(names)}
    points: dict[tuple[str, str], dict[int, tuple[float, int]]] = {}
    sat: dict[str, set[int]] = {}
    tables: Counter[Table] = Counter()
    played: dict[int, Counter[Table]] = {}
    ahead = [0.0] * len(names)
    for block, outcome in outcomes.matches():
        rank = {bot: at for at, group in enumerate(outcome) for bot in group}
        table: Table = (tuple(sorted([number[bot] for bot in rank])), tuple(map(len, outcome)))
        tables[table] += 1
        played.setdefault(block, Counter())[table] += 1
        for bot in rank:
            sat.setdefault(bot, set()).add(block)
        for one, other in permutations(rank, 2):
            of_pair = points.setdefault((one, other), {})
            share, matches = of_pair.get(block, (0.0, 0))
            won = (1 + (rank[one] < rank[other]) - (rank[one] > rank[other])) / 2
            of_pair[block] = (share + won, matches + 1)
            ahead[number[one]] += won
    if any(max(shape) > 1 for _, shape in tables):
        strengths = strengths_of(len(names), tables, ahead)
        if strengths is None:
            return {}, {}
        expected = {table: shares([strengths[bot] for bot in table[0]], table[1]) for table in tables}
        for block, of_block in played.items():
            for (seated, shape), times in of_block.items():
                led = expected[seated, shape]
                for here, there in permutations(range(len(seated)), 2):
                    of_pair = points[names[seated[here]], names[seated[there]]]
                    share, matches = of_pair[block]
                    of_pair[block] = (share - times * led[here][there], matches)
    above = {
        pair: {block: share / matches for block, (share, matches) in of_pair.items()}
        for pair, of_pair in points.items()
    }
    return above, sat


def _favour(
    above: Shares, sat: Mapping[str, set[int]], *, helper: str, helped: str, thirds: Sequence[str]
) -> Favour | None:
    """The effect for one pair; None if no third was met often enough with the helper and without."""
    parts: list[tuple[dict[int, float], dict[int, float], float]] = []
    for third in thirds:
        if third in {helper, helped}:
            continue
        of_third = above.get((helped, third), {})
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
        freedom=freedom,
        chance=_above(favour / deviation, freedom) if deviation else 1.0,
    )


def _above(score: float, freedom: int) -> float:
    """The share of Student's distribution above a score."""
    return erfc(normal_score(score, freedom=freedom) / sqrt(2)) / 2
