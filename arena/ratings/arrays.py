"""Factors as arrays of numpy: all outcomes of one shape are updated at once, as ``arena.ratings.factor`` updates one.

For runs in which nearly every match is a different outcome. It is the same model with the same sums, so the ratings
agree to far more digits than are shown. Knows bots as numbers only.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import erfc, exp, pi, sqrt
from typing import Any, TypeAlias

import numpy as np

from arena.ratings.factor import BETA2, LEAST_LEFT, pairs_of
from arena.ratings.truncated import FAR, NARROW, tied, won

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_TOGETHER = 4096
"""So many outcomes are worked on at once, that they stay in the caches of a processor's core."""
_PASSES = 3
"""Fewer than ``arena.ratings.factor.PASSES``: all do as many as the slowest of those that are worked on together."""
_SQRT2 = sqrt(2)
_DENSITY = 1 / sqrt(2 * pi)


class Alike:
    """All outcomes of one shape: so many bots at each rank. Rows are seats or pairs, columns outcomes.

    The attributes are those of ``arena.ratings.factor.Factor``.
    """

    def __init__(self, shape: Sequence[int], bots: Array, counts: Array) -> None:
        """Take the bots by seat and outcome, and how often each outcome was seen."""
        self.shape = shape
        self.bots = bots
        self.counts = counts
        self.pairs = pairs_of(shape)
        seats, number = bots.shape
        self.given = np.zeros((seats, number))
        self.offered = np.zeros((seats, number))
        self.pulls = np.zeros((seats, number))
        self.messages = np.zeros((len(self.pairs), 4, number))
        self.pushes = np.zeros((len(self.pairs), number))
        self.leanings = np.zeros((seats, number))
        self.inverse = np.zeros((seats, seats, number))

    def open(self, *, precision: float, margin: float, close: float) -> None:
        """The first visit, to one outcome for all."""
        seats = len(self.bots)
        one = Alike(self.shape, np.arange(seats).reshape(seats, 1), np.ones(1))
        one.visit(means=np.zeros(seats), precisions=np.full(seats, precision), margin=margin, close=close)
        self.offered[:] = one.offered
        self.messages[:] = one.messages
        self.pushes[:] = one.pushes
        self.leanings[:] = one.leanings
        self.inverse[:] = one.inverse

    def visit(self, *, means: Array, precisions: Array, margin: float, close: float) -> None:
        """Visit and linearise every outcome."""
        for start in range(0, self.bots.shape[1], _TOGETHER):
            self._visit(slice(start, start + _TOGETHER), means, precisions, margin, close / BETA2)

    def _visit(self, part: slice, means: Array, precisions: Array, margin: float, close: float) -> None:
        bots = self.bots[:, part]
        cavity = precisions[bots] - self.given[:, part]
        share = 1 / (1 + cavity * BETA2)
        sharp = cavity * share
        lean = -self.pulls[:, part] * share
        at = means[bots]
        gaps = [at[i] - at[j] for i, j, _ in self.pairs]
        messages = self.messages[:, :, part]
        pushes = self.pushes[:, part]
        offered = np.zeros_like(sharp)
        for (i, j, _), (a, b, c, d) in zip(self.pairs, messages, strict=True):
            sharp[i] += a
            lean[i] += b
            sharp[j] += c
            lean[j] += d
        sites = np.zeros_like(pushes)
        last = len(self.pairs) - 1
        there_and_back = [*range(last), *range(last, 0, -1)] or [0]
        for _ in range(_PASSES if last else 1):
            news = 0.0
            for pair in there_and_back:
                site, push = self._hold(pair, messages[pair], sharp, lean, gaps[pair], margin)
                news = max(news, float(np.abs(push - pushes[pair]).max()))
                sites[pair] = site
                pushes[pair] = push
            if news < close:
                break
        for (i, j, _), (a, _, c, _) in zip(self.pairs, messages, strict=True):
            offered[i] += a
            offered[j] += c
        self.offered[:, part] = offered / (1 + offered * BETA2)
        self._linearise(part, sites, pushes)

    def _hold(
        self, pair: int, messages: Array, sharp: Array, lean: Array, gap: Array, margin: float
    ) -> tuple[Array, Array]:
        """Bring the sites of one pair to agree with the performances' cavities; their precisions, and times means."""
        i, j, tie = self.pairs[pair]
        a, b, c, d = messages
        sharp_i = sharp[i] - a
        lean_i = lean[i] - b
        sharp_j = sharp[j] - c
        lean_j = lean[j] - d
        variance_i = 1 / sharp_i
        variance_j = 1 / sharp_j
        mean_i = lean_i * variance_i
        mean_j = lean_j * variance_j
        variance = variance_i + variance_j
        deviation = np.sqrt(variance)
        apart = mean_i - mean_j
        t = (apart + gap) / deviation
        v, w = tied_all(t, margin / deviation) if tie else won_all(t - margin / deviation)
        left = variance * np.maximum(1 - w, LEAST_LEFT)
        site = w / left
        push = (deviation * v + apart * w) / left
        share = 1 / (1 + site * variance_j)
        a[:] = site * share
        b[:] = (site * mean_j + push) * share
        share = 1 / (1 + site * variance_i)
        c[:] = site * share
        d[:] = (site * mean_i - push) * share
        sharp[i] = sharp_i + a
        lean[i] = lean_i + b
        sharp[j] = sharp_j + c
        lean[j] = lean_j + d
        return site, push

    def _linearise(self, part: slice, sites: Array, pushes: Array) -> None:
        inverse = self.inverse[:, :, part]
        leanings = self.leanings[:, part]
        seats = range(len(inverse))
        inverse[:] = 0.0
        leanings[:] = 0.0
        for seat in seats:
            inverse[seat, seat] = 1 / BETA2
        for (i, j, _), site, push in zip(self.pairs, sites, pushes, strict=True):
            inverse[i, i] += site
            inverse[j, j] += site
            inverse[i, j] -= site
            inverse[j, i] -= site
            leanings[i] += push
            leanings[j] -= push
        for pivot in seats:  # Gauss and Jordan in place, as in ``Factor.linearise``
            scale = 1 / inverse[pivot, pivot]
            inverse[pivot, pivot] = 1.0
            inverse[pivot] *= scale
            for seat in seats:
                if seat != pivot:
                    times = inverse[seat, pivot].copy()
                    inverse[seat, pivot] = 0.0
                    inverse[seat] -= times * inverse[pivot]

    def follow(self, step: Array) -> None:
        """Update the pulls by the linearised factors after the means have moved by ``step``, bot by bot."""
        for start in range(0, self.bots.shape[1], _TOGETHER):
            part = slice(start, start + _TOGETHER)
            moves = step[self.bots[:, part]]
            leaning = self.leanings[:, part] + moves / BETA2
            for seat, row in enumerate(self.inverse[:, :, part]):
                self.pulls[seat, part] = ((row * leaning).sum(axis=0) - moves[seat]) / BETA2

    def joint(self, *, matrix: Array, right: Array) -> None:
        """Add the precisions to the flat ``matrix`` of all bots by all bots, and the pulls to ``right``."""
        size = len(right)
        weights = self.counts / BETA2
        scale = weights / BETA2
        for bot, row in zip(self.bots, self.inverse, strict=True):
            for other, value in zip(self.bots, row, strict=True):
                matrix -= np.bincount(bot * size + other, scale * value, size * size)
            matrix += np.bincount(bot * (size + 1), weights, size * size)
            right += np.bincount(bot, weights * (row * self.leanings).sum(axis=0), size)


class Arrays:
    """All outcomes of a component, by their shapes."""

    def __init__(self, alike: Sequence[Alike], size: int) -> None:
        """Take the outcomes among so many bots."""
        self._alike = alike
        self._size = size

    def open(self, *, precision: float, margin: float, close: float) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.open(precision=precision, margin=margin, close=close)

    def visit(self, *, means: Sequence[float], precisions: Sequence[float], margin: float, close: float) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.visit(means=np.array(means), precisions=np.array(precisions), margin=margin, close=close)

    def joint(self, prior: float, means: Sequence[float]) -> tuple[list[dict[int, float]], list[float]]:
        """As ``arena.ratings.factors.Factors``."""
        matrix = np.zeros(self._size**2)
        right = -prior * np.array(means)
        matrix[:: self._size + 1] = prior
        for each in self._alike:
            each.joint(matrix=matrix, right=right)
        rows = matrix.reshape(self._size, self._size)
        return [{at: value for at, value in enumerate(row.tolist()) if value} for row in rows], right.tolist()

    def follow(self, step: Sequence[float]) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.follow(np.array(step))

    def offered(self) -> list[float]:
        """As ``arena.ratings.factors.Factors``."""
        found = np.zeros(self._size)
        for each in self._alike:
            for bot, offered in zip(each.bots, each.offered, strict=True):
                found += np.bincount(bot, each.counts * offered, self._size)
        return [float(value) for value in found]

    def adopt(self) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.given[:] = each.offered

    def pulls(self) -> Iterable[float]:
        """As ``arena.ratings.factors.Factors``."""
        return chain.from_iterable(each.pulls.T.ravel().tolist() for each in self._alike)


def won_all(t: Array) -> tuple[Array, Array]:
    """``arena.ratings.truncated.won`` of each."""
    v = _V.at(np.minimum(np.maximum(t, -FAR), FAR))
    w = v * (v + t)
    _one_by_one(won, t < -FAR, (t,), v, w)
    return v, w


def tied_all(t: Array, margin: Array) -> tuple[Array, Array]:
    """``arena.ratings.truncated.tied`` of each."""
    a = np.abs(t)
    near, far = a - margin, a + margin
    drop = np.exp(-2 * a * margin)
    ratio = _MILLS.at(np.minimum(np.abs(near), FAR))
    with np.errstate(all="ignore"):
        # the mass within the strip, in units of the density at its nearer end
        above = np.where(near < 0, np.exp(0.5 * near * near) / _DENSITY - ratio, ratio)
        mass = above - drop * _MILLS.at(np.minimum(far, FAR))
        v = np.copysign((drop - 1) / mass, -t)
        w = np.minimum(v * v + (far * drop - near) / mass, 1.0)
    _one_by_one(tied, (margin * (1 + a) < NARROW) | (far > FAR), (t, margin), v, w)
    return v, w


class _Table:
    """A function by its power series about the nearest of many points, to 12 digits. numpy has no ``erfc``."""

    def __init__(self, start: float, series: Array) -> None:
        """``series``: by point from ``start`` on, ``_STEPS`` in 1, the coefficients of four powers."""
        self._start = start
        self._series = series

    def at(self, places: Array) -> Array:
        """The function at these places, none of them beyond the points."""
        steps = (places - self._start) * _STEPS
        nearest = (steps + 0.5).astype(np.intp)
        off = (steps - nearest) / _STEPS
        a, b, c, d = self._series.take(nearest, axis=0).T
        found: Array = d * off
        found += c
        found *= off
        found += b
        found *= off
        found += a
        return found


_STEPS = 512


def _points(start: float) -> Array:
    return start + np.arange(int((FAR - start) * _STEPS) + 1) / _STEPS


def _v() -> _Table:
    """V of ``arena.ratings.truncated.won``: V' = -V (V + t), and so on."""
    t = _points(-FAR)
    v = np.array([won(each)[0] for each in t.tolist()])
    slope = -v * (v + t)
    bend = -slope * (2 * v + t) - v
    twist = -bend * (2 * v + t) - 2 * slope * (slope + 1)
    return _Table(-FAR, np.ascontiguousarray(np.array([v, slope, bend / 2, twist / 6]).T))


def _mills() -> _Table:
    """The mass of a standard normal above each over its density there (Mills' ratio): m' = z m - 1, and so on."""
    z = _points(0.0)
    m = np.array([erfc(each / _SQRT2) / (2 * _DENSITY * exp(-0.5 * each * each)) for each in z.tolist()])
    slope = z * m - 1
    bend = m + z * slope
    twist = 2 * slope + z * bend
    return _Table(0.0, np.ascontiguousarray(np.array([m, slope, bend / 2, twist / 6]).T))


_V = _v()
_MILLS = _mills()


def _one_by_one(of_one: Callable[..., tuple[float, float]], where: Array, given: Sequence[Array], *into: Array) -> None:
    """Replace each value that is far out by the result of the function of a single value."""
    for at in np.flatnonzero(where).tolist():
        for found, value in zip(into, of_one(*(float(each[at]) for each in given)), strict=True):
            found[at] = value


def arrays_of(shapes: Mapping[tuple[int, ...], int], bots: "array[int]", counts: Sequence[int], size: int) -> Arrays:
    """So many outcomes of each shape, with all their bots, and how often each was seen; among so many bots."""
    alike = []
    seat = outcome = 0
    for shape, number in shapes.items():
        seats = number * sum(shape)
        of_seats = np.array(bots[seat : seat + seats], np.intp).reshape(number, -1).T
        times = np.array(counts[outcome : outcome + number], float)
        alike.append(Alike(shape, np.ascontiguousarray(of_seats), times))
        seat += seats
        outcome += number
    return Arrays(alike, size)
