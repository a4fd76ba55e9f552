"""The moments of ``arena.ratings.truncated`` of many values at once, by numpy. Knows nothing else of arena."""

from collections.abc import Callable, Sequence
from math import erfc, exp, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from arena.ratings.truncated import FAR, NARROW, tied, won

if TYPE_CHECKING:
    from arena.ratings.arrays import Array

_SQRT2 = sqrt(2)
_DENSITY = 1 / sqrt(2 * pi)


def won_all(t: "Array") -> tuple["Array", "Array"]:
    """``arena.ratings.truncated.won`` of each."""
    v = _V.at(np.minimum(np.maximum(t, -FAR), FAR))
    w = v + t
    w *= v
    _one_by_one(won, t < -FAR, (t,), v, w)
    return v, w


def tied_all(t: "Array", margin: "Array") -> tuple["Array", "Array"]:
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

    def __init__(self, start: float, series: "Array") -> None:
        """``series``: by point from ``start`` on, ``_STEPS`` in 1, the coefficients of four powers."""
        self._start = start
        self._series = series / _STEPS ** np.arange(4)

    def at(self, places: "Array") -> "Array":
        """The function at these places, none of them beyond the points."""
        steps = places - self._start
        steps *= _STEPS
        nearest = (steps + 0.5).astype(np.intp)
        steps -= nearest
        a, b, c, d = self._series.take(nearest, axis=0).T
        found: Array = d * steps
        found += c
        found *= steps
        found += b
        found *= steps
        found += a
        return found


_STEPS = 512


def _points(start: float) -> "Array":
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


def _one_by_one(
    of_one: Callable[..., tuple[float, float]], where: "Array", given: Sequence["Array"], *into: "Array"
) -> None:
    """Replace each value that is far out by the result of the function of a single value."""
    for at in np.flatnonzero(where).tolist():
        for found, value in zip(into, of_one(*(float(each[at]) for each in given)), strict=True):
            found[at] = value
