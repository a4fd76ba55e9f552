"""One outcome, seen ``count`` times, as a factor over the skills of its bots: messages, sites and its joint form.

Knows bots as numbers only; knows no names, no other factor and not the prior. All means are told relative to the
present mean of the bot in that seat, so that nothing here changes when the means do.
"""

from collections.abc import Iterable, Sequence
from math import sqrt
from operator import mul

from msgspec import Struct

from arena.ratings.truncated import tied, won

BETA2 = (25 / 6) ** 2
"""Variance of a performance about its skill."""
PASSES = 6
"""Passes at most through the pairs of a match and back in one visit: with fewer, ties
cost more sweeps; without ties two will mostly do."""
LEAST_LEFT = 1e-9
"""At least this share of a difference's variance remains, so that the site of a very rare tie stays finite."""


class Factor(Struct):
    """The evidence of ``count`` equal matches about the skills in them. Seats run from the best rank to the last."""

    bots: tuple[int, ...]
    pairs: tuple[tuple[int, int, bool], ...]
    """Constraints between performances: the better seat, the worse seat, whether they tied."""
    count: int
    given: list[float]
    """The precision held against each seat when its cavity is formed: that of the last ``adopt``."""
    offered: list[float]
    """The precision that the last visit would give each seat."""
    pulls: list[float]
    """How strongly one match pulls each skill from its present mean: precision times distance."""
    messages: list[tuple[float, float, float, float]]
    """By pair, to its better and its worse performance: precision, precision times relative mean."""
    sites: list[tuple[float, float]]
    """By pair, the normal factor on the difference: precision, precision times relative mean."""
    inverse: list[list[float]]
    """Covariance of the performances, were the skills known to be at their means."""
    leanings: list[float]
    """By seat, the sites' precision times mean."""

    def visit(self, means: Sequence[float], precisions: Sequence[float], margin: float, close: float) -> None:
        """Take one match out of the skills' marginals and find its message to the rest (a cavity update).

        ``margin`` is the difference of performances below which two tie. The messages within the match rest when no
        site moves by more than ``close``, in means times ``1 / BETA2``.
        """
        bots = self.bots
        sharp = []
        lean = []
        for bot, given, pull in zip(bots, self.given, self.pulls, strict=True):
            cavity = precisions[bot] - given
            share = 1 / (1 + cavity * BETA2)
            sharp.append(cavity * share)
            lean.append(-pull * share)
        gaps = [means[bots[i]] - means[bots[j]] for i, j, _ in self.pairs]
        self._pass_messages(sharp, lean, gaps, margin, close / BETA2)
        offered = [0.0] * len(bots)
        for (i, j, _), (a, _, c, _) in zip(self.pairs, self.messages, strict=True):
            offered[i] += a
            offered[j] += c
        self.offered = [sharpness / (1 + sharpness * BETA2) for sharpness in offered]

    def _pass_messages(
        self, sharp: list[float], lean: list[float], gaps: list[float], margin: float, close: float
    ) -> None:
        """Bring the pairs' sites to agree with the performances' cavities, there and back up to ``PASSES`` times."""
        pairs = self.pairs
        messages = self.messages
        sites = self.sites
        for (i, j, _), (a, b, c, d) in zip(pairs, messages, strict=True):
            sharp[i] += a
            lean[i] += b
            sharp[j] += c
            lean[j] += d
        last = len(pairs) - 1
        there_and_back = [*range(last), *range(last, 0, -1)] or [0]
        for _ in range(PASSES if last else 1):
            news = 0.0
            for at in there_and_back:
                i, j, tie = pairs[at]
                a, b, c, d = messages[at]
                sharp_i = sharp[i] - a
                lean_i = lean[i] - b
                sharp_j = sharp[j] - c
                lean_j = lean[j] - d
                variance_i = 1 / sharp_i
                variance_j = 1 / sharp_j
                mean_i = lean_i * variance_i
                mean_j = lean_j * variance_j
                variance = variance_i + variance_j
                deviation = sqrt(variance)
                apart = mean_i - mean_j
                t = (apart + gaps[at]) / deviation
                v, w = tied(t, margin / deviation) if tie else won(t - margin / deviation)
                left = variance * (1 - w if w < 1 - LEAST_LEFT else LEAST_LEFT)
                site = w / left
                push = (deviation * v + apart * w) / left
                share = 1 / (1 + site * variance_j)
                a = site * share
                b = (site * mean_j + push) * share
                share = 1 / (1 + site * variance_i)
                c = site * share
                d = (site * mean_i - push) * share
                messages[at] = (a, b, c, d)
                change = abs(push - sites[at][1])
                if change > news:  # noqa: PLR1730 - the innermost loop of all; max() costs a call
                    news = change
                sites[at] = (site, push)
                sharp[i] = sharp_i + a
                lean[i] = lean_i + b
                sharp[j] = sharp_j + c
                lean[j] = lean_j + d
            if news < close:
                break

    def linearise(self) -> None:
        """Put the sites together into the normal distribution of the performances about the skills."""
        size = len(self.bots)
        leanings = [0.0] * size
        rows = [leanings[:] for _ in self.bots]
        for seat, row in enumerate(rows):
            row[seat] = 1 / BETA2
        for (i, j, _), (site, push) in zip(self.pairs, self.sites, strict=True):
            rows[i][i] += site
            rows[j][j] += site
            rows[i][j] -= site
            rows[j][i] -= site
            leanings[i] += push
            leanings[j] -= push
        for pivot in range(size):  # Gauss and Jordan in place; the matrix is diagonally dominant
            row = rows[pivot]
            scale = 1 / row[pivot]
            row[pivot] = 1.0
            row = rows[pivot] = [value * scale for value in row]
            for seat, other in enumerate(rows):
                if seat != pivot and (times := other[pivot]):
                    other[pivot] = 0.0
                    rows[seat] = [value - times * below for value, below in zip(other, row)]  # noqa: B905 - hot; both as wide as the match
        self.inverse = rows
        self.leanings = leanings

    def follow(self, step: Sequence[float]) -> None:
        """Update the pulls by the linearised factor after the means have moved by ``step``, bot by bot."""
        moves = [step[bot] for bot in self.bots]
        leaning = [push + move / BETA2 for push, move in zip(self.leanings, moves, strict=True)]
        self.pulls = [
            (sum(map(mul, row, leaning)) - move) / BETA2 for row, move in zip(self.inverse, moves, strict=True)
        ]

    def take(self, like: "Factor") -> None:
        """Take the values of a factor of the same shape whose bots have the same skills."""
        self.offered = like.offered
        self.messages = like.messages[:]
        self.sites = like.sites[:]
        self.inverse = like.inverse
        self.leanings = like.leanings

    def adopt(self) -> None:
        """Accept the values that were offered last."""
        self.given = self.offered


def pairs_of(shape: Iterable[int]) -> tuple[tuple[int, int, bool], ...]:
    """The constraints of a match with so many bots at each rank, best first: see ``Factor.pairs``.

    A tie constrains all pairs of its group, and neighbouring groups all their cross pairs, so that no seat's place in a
    listing matters.
    """
    pairs: list[tuple[int, int, bool]] = []
    above = range(0)
    size = 0
    for bots in shape:
        seats = range(size, size + bots)
        pairs += [(i, j, False) for i in above for j in seats]
        pairs += [(i, j, True) for i in seats for j in seats if i < j]
        above = seats
        size += bots
    return tuple(pairs)


def factor_of(bots: tuple[int, ...], pairs: tuple[tuple[int, int, bool], ...], count: int) -> Factor:
    """The factor of an outcome: its bots, best first, with its shape by ``pairs_of``."""
    size = len(bots)
    return Factor(
        bots=bots,
        pairs=pairs,
        count=count,
        given=[0.0] * size,
        offered=[0.0] * size,
        pulls=[0.0] * size,
        messages=[(0.0, 0.0, 0.0, 0.0)] * len(pairs),
        sites=[(0.0, 0.0)] * len(pairs),
        inverse=[],
        leanings=[],
    )
