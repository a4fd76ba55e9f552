"""Matches for the tests: simulated from TrueSkill's own model."""

import re
from collections.abc import Callable, Sequence
from random import Random

from arena.ratings import Fit, Intervals, Looks, MeanScores, Outcomes, fit_outcomes, intervals_of, outcomes_of
from arena.ratings.ahead import Pair
from arena.ratings.intervals import Interval, better_among, gaps_in
from arena.ratings.outcomes import block_number
from arena.ratings.pairwise import Better
from arena.ratings.uncertainty import Difference, difference_of

Match = tuple[tuple[str, ...], tuple[int, ...]]
Recorder = Callable[[str, object], None]
"""Of pytest's ``record_property``."""


def ranks_of(performances: list[float]) -> tuple[int, ...]:
    """Rank 0 for the greatest, equal ones sharing."""
    return tuple(sum(other > one for other in performances) for one in performances)


def simulated(
    skills: dict[str, float], matches: int, seats: int, seed: int, grain: float = 0.0, beta: float = 25 / 6
) -> list[Match]:
    """Matches among bots of these skills; performances are rounded to ``grain``, so that some tie."""
    random = Random(seed)
    found = []
    for _ in range(matches):
        bots = tuple(random.sample(sorted(skills), seats))
        performances = [random.gauss(skills[bot], beta) for bot in bots]
        if grain:
            performances = [round(performance / grain) for performance in performances]
        found.append((bots, ranks_of(performances)))
    return found


def in_blocks(
    skills: dict[str, float], blocks: int, seats: int, seed: int, *, deal: float = 0.0, seat: float = 0.0
) -> list[tuple[str, Match]]:
    """Matches by block: all rotations of a drawn seating.

    ``deal`` is the deviation of the luck that a seat has in a deal, ``seat`` the advantage of seat 0.
    """
    random = Random(seed)
    found = []
    for block in range(blocks):
        seating = random.sample(sorted(skills), seats)
        dealt = [random.gauss(seat * (not at), deal) for at in range(seats)]
        for turn in range(seats):
            bots = (*seating[turn:], *seating[:turn])
            performances = [random.gauss(skills[bot] + luck, 25 / 6) for bot, luck in zip(bots, dealt, strict=True)]
            found.append((f"e0b{block}", (bots, ranks_of(performances))))
    return found


def counted(matches: Sequence[tuple[str, Match]]) -> Outcomes:
    """The matches by block as they are counted; blocks have names such as e0b3, or any others."""
    others: dict[str, int] = {}

    def number(block: str) -> int:
        if named := re.fullmatch(r"e(\d+)b(\d+)", block):
            return block_number(epoch=int(named[1]), block=int(named[2]))
        return others.setdefault(block, block_number(epoch=9, block=len(others)))

    return outcomes_of((number(block), *match) for block, match in matches)


def judged(
    matches: Sequence[tuple[str, Match]], anchors: Sequence[str] = (), looks: Looks = "one"
) -> tuple[Fit, Intervals]:
    """The table of these matches and its intervals."""
    table = fit_outcomes(counted(matches))
    return table, intervals_of(table, anchors=anchors, looks=looks)


def between(one: str, other: str, matches: Sequence[tuple[str, Match]]) -> Difference:
    """The difference of two bots in these matches."""
    return difference_of(fit_outcomes(counted(matches)), one, other=other)


def ends_of(interval: Interval | Pair | Difference, *, every_look: bool = False) -> tuple[float, float]:
    """The low and the high end of an interval that there is."""
    if isinstance(interval, Difference):
        ends = interval.interval(every_look=every_look)
        assert ends is not None
        return ends
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def width(interval: Interval | Pair | Difference) -> float:
    """From its low to its high end."""
    low, high = ends_of(interval)
    return high - low


def better_in(
    fit: Fit, *, looks: Looks = "one", scores: MeanScores | None = None, best: str = "", share: float = 1.0
) -> Better:
    """The same as ``Intervals.better``, without the intervals: by the two functions that make it."""
    gaps = gaps_in(fit, past=(), looks=looks, scores=scores)
    return better_among(gaps, fit.ratings, looks=looks, best=best, share=share)
