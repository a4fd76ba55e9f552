"""Factors as arrays of numpy: all outcomes of one shape are updated at once, as ``arena.ratings.factor`` updates one.

For runs in which nearly every match is a different outcome. It is the same model with the same sums, so the ratings
agree to far more digits than are shown. Knows bots as numbers only.
"""

from array import array
from collections.abc import Callable, Sequence
from math import erfc, exp, pi, sqrt
from typing import Any, TypeAlias

import numpy as np

from arena.ratings.factor import BETA2, LEAST_LEFT, pairs_of
from arena.ratings.outcomes import Outcomes
from arena.ratings.truncated import FAR, NARROW, tied, won

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_TOGETHER = 4096
"""So many outcomes are worked on at once, that they stay in the caches of a processor's core."""
_PASSES = 3
"""Fewer than ``arena.ratings.factor.PASSES``: all do as many as the slowest of those that are worked on together."""
_SQRT2 = sqrt(2)
_DENSITY = 1 / sqrt(2 * pi)


class Sums:
    """What a visit finds of all skills together, prior apart."""

    def __init__(self, size: int) -> None:
        """Begin with nothing, among so many bots."""
        self.matrix = np.zeros(size * size)
        """Precision of the joint distribution of all skills, row by row."""
        self.right = np.zeros(size)
        """Its pull away from the means."""
        self.offered = np.zeros(size)
        """As ``arena.ratings.factors.Factors``."""

    def add(self, bots: Array, counts: Array, *, inverse: Array, leanings: Array, offered: Array) -> None:
        """Add what outcomes of one shape were found to say; arrays are as those of ``Alike``."""
        size = len(self.right)
        weights = counts / BETA2
        scale = weights / BETA2
        for bot, row in zip(bots, inverse, strict=True):
            np.add.at(self.matrix, bot * (size + 1), weights)
            for other, value in zip(bots, row, strict=True):
                np.subtract.at(self.matrix, bot * size + other, scale * value)
            self.right += np.bincount(bot, weights * (row * leanings).sum(axis=0), size)
        for bot, values in zip(bots, offered, strict=True):
            self.offered += np.bincount(bot, counts * values, size)


class Alike:
    """All outcomes of one shape: so many bots at each rank. Rows are seats or pairs, columns outcomes.

    The attributes are those of ``arena.ratings.factor.Factor``. What follows from them is not kept but found again,
    for most of the memory of a long fit is here.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        """Take the bots by seat and outcome, and how often each outcome was seen."""
        self.counts = np.frombuffer(outcomes.counts, f"u{outcomes.counts.itemsize}")
        self.bots = np.frombuffer(outcomes.bots, f"u{outcomes.bots.itemsize}").reshape(len(self.counts), -1).T
        self.shape = outcomes.shape
        self.pairs = pairs_of(outcomes.shape)
        seats, number = self.bots.shape
        self.given = np.zeros((seats, number))
        self.messages = np.zeros((len(self.pairs), 4, number))
        self.sites = np.zeros((len(self.pairs), number))
        self.pushes = np.zeros((len(self.pairs), number))

    def parts(self) -> list[slice]:
        """Outcomes that are worked on together."""
        return [slice(start, start + _TOGETHER) for start in range(0, len(self.counts), _TOGETHER)]

    def open(self, *, precision: float, margin: float, close: float, sums: Sums) -> None:
        """The first visit, to one outcome for all."""
        seats = len(self.bots)
        numbers = array("I", range(seats))
        one = Alike(Outcomes(shape=self.shape, bots=numbers, counts=array("L", [1]), places=array("i")))
        still = np.zeros(seats)
        one.visit(still, np.full(seats, precision), still, margin=margin, close=close, sums=Sums(seats))
        self.messages[:] = one.messages
        self.sites[:] = one.sites
        self.pushes[:] = one.pushes
        for part in self.parts():
            self._sum(part, sums)

    def visit(self, means: Array, precisions: Array, step: Array, *, margin: float, close: float, sums: Sums) -> None:
        """Visit every outcome after the means have moved by ``step``, and sum up what is found."""
        for part in self.parts():
            bots = self.bots[:, part].astype(np.intp)
            cavity = precisions[bots] - self.given[:, part]
            share = 1 / (1 + cavity * BETA2)
            lean = -self.pulled(part, step) * share
            at = means[bots]
            gaps = [at[i] - at[j] for i, j, _ in self.pairs]
            self._pass_messages(part, cavity * share, lean, gaps, margin, close / BETA2)
            self._sum(part, sums)

    def _pass_messages(
        self, part: slice, sharp: Array, lean: Array, gaps: Sequence[Array], margin: float, close: float
    ) -> None:
        messages = self.messages[:, :, part]
        sites, pushes = self.sites[:, part], self.pushes[:, part]
        for (i, j, _), (a, b, c, d) in zip(self.pairs, messages, strict=True):
            sharp[i] += a
            lean[i] += b
            sharp[j] += c
            lean[j] += d
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

    def _sum(self, part: slice, sums: Sums) -> None:
        """Sum up what the last visit found."""
        inverse, leanings = self._linearised(part)
        bots = self.bots[:, part].astype(np.intp)
        sums.add(bots, self.counts[part], inverse=inverse, leanings=leanings, offered=self._offered(part))

    def _offered(self, part: slice) -> Array:
        found = np.zeros_like(self.given[:, part])
        for (i, j, _), (a, _, c, _) in zip(self.pairs, self.messages[:, :, part], strict=True):
            found[i] += a
            found[j] += c
        return found / (1 + found * BETA2)

    def adopt(self) -> None:
        """Accept the values that were offered last."""
        for part in self.parts():
            self.given[:, part] = self._offered(part)

    def _linearised(self, part: slice) -> tuple[Array, Array]:
        """``inverse`` and ``leanings`` of ``arena.ratings.factor.Factor``."""
        sites, pushes = self.sites[:, part], self.pushes[:, part]
        seats = range(len(self.bots))
        inverse = np.zeros((len(seats), len(seats), sites.shape[1]))
        leanings = np.zeros((len(seats), sites.shape[1]))
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
        return inverse, leanings

    def pulled(self, part: slice, step: Array) -> Array:
        """The pulls after the means have moved by ``step``, bot by bot, since the last visit."""
        inverse, leanings = self._linearised(part)
        moves = step[self.bots[:, part]]
        leanings += moves / BETA2
        pulls: Array = ((inverse * leanings).sum(axis=1) - moves) / BETA2
        return pulls


class Arrays:
    """All outcomes of a component, by their shapes."""

    def __init__(self, alike: Sequence[Alike], size: int) -> None:
        """Take the outcomes among so many bots."""
        self._alike = alike
        self._sums = Sums(size)
        self._step = np.zeros(size)

    def open(self, *, precision: float, margin: float, close: float) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.open(precision=precision, margin=margin, close=close, sums=self._sums)

    def visit(self, *, means: Sequence[float], precisions: Sequence[float], margin: float, close: float) -> None:
        """As ``arena.ratings.factors.Factors``."""
        self._sums = Sums(len(means))
        of_bots = np.array(means), np.array(precisions), self._step
        for each in self._alike:
            each.visit(*of_bots, margin=margin, close=close, sums=self._sums)

    def joint(self, prior: float, means: Sequence[float]) -> tuple[list[dict[int, float]], list[float]]:
        """As ``arena.ratings.factors.Factors``."""
        rows = self._sums.matrix.reshape(len(means), -1) + prior * np.eye(len(means))
        right = self._sums.right - prior * np.array(means)
        return [{at: value for at, value in enumerate(row.tolist()) if value} for row in rows], right.tolist()

    def follow(self, step: Sequence[float]) -> None:
        """As ``arena.ratings.factors.Factors``."""
        self._step = np.array(step)

    def offered(self) -> list[float]:
        """As ``arena.ratings.factors.Factors``."""
        return [float(value) for value in self._sums.offered]

    def adopt(self) -> None:
        """As ``arena.ratings.factors.Factors``."""
        for each in self._alike:
            each.adopt()

    def pulls(self) -> "array[float]":
        """As ``arena.ratings.factors.Factors``."""
        found = array("d")
        for each in self._alike:
            for part in each.parts():
                found.frombytes(each.pulled(part, self._step).T.tobytes())
        return found


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
