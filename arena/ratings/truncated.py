"""A standard normal difference, truncated to the observed order: how far its mean moves and its variance shrinks.

The functions V and W of TrueSkill (Herbrich, Minka and Graepel 2007, section 3 and figure 1), accurate far out in the
tails: of one value, and of many values at once. Pure arithmetic: knows no bots, matches or messages.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import erfc, exp, pi, sqrt

from arena.numeric import Array, np

_SQRT2 = sqrt(2)
_DENSITY = 1 / sqrt(2 * pi)
_FAR = 20.0
"""Beyond this many deviations tails are continued fractions: ``erfc`` ends at 37, and ``V + t`` loses digits before."""
_NARROW = 0.01
"""Strips narrower than this are power series: the difference of two ``erfc`` would lose digits."""
_DEPTH = 30
_STEPS = 512
"""Points of the tables in 1."""


def won(t: float) -> tuple[float, float]:
    """V and W of a difference of mean ``t`` and variance 1 seen above 0.

    The mean becomes ``t + V`` and the variance ``1 - W``.
    """
    if t < -_FAR:
        excess = _excess(-t)
        v = excess - t
        return v, v * excess
    v = 2 * _DENSITY * exp(-0.5 * t * t) / erfc(-t / _SQRT2)
    return v, v * (v + t)


def tied(t: float, margin: float) -> tuple[float, float]:
    """V and W of a difference of mean ``t`` and variance 1 seen within ``margin`` of 0."""
    a = abs(t)
    if margin * (1 + a) < _NARROW:
        square = margin * margin
        v = a * (square / 3 - square * square * (a * a + 2) / 45) - a
        w = 1 - square / 3 + square * square * (3 * a * a + 2) / 45
    else:
        near, far = a - margin, a + margin
        drop = exp(-2 * a * margin)
        if near > _FAR:
            # both ends measured in units of the density at the nearer one, which itself is too small a number
            mass = 1 / (near + _excess(near)) - drop / (far + _excess(far))
        else:
            mass = (erfc(near / _SQRT2) - erfc(far / _SQRT2)) / (2 * _DENSITY * exp(-0.5 * near * near))
        v = (drop - 1) / mass
        w = v * v + (far * drop - near) / mass
    # rounding, where the strip is thousands of deviations away, must not take more than all of the variance
    return (v if t >= 0 else -v), min(w, 1.0)


def _excess(z: float) -> float:
    """How far beyond ``z`` the mean of a standard normal cut to above ``z`` lies (continued fraction of Laplace)."""
    value = 0.0
    for n in range(_DEPTH, 0, -1):
        value = n / (z + value)
    return value


def won_all(t: Array) -> tuple[Array, Array]:
    """``won`` of each."""
    v = _at(_v(), np.minimum(np.maximum(t, -_FAR), _FAR) + _FAR)
    w = v + t
    w *= v
    _one_by_one(won, t < -_FAR, (t,), v, w)
    return v, w


def tied_all(t: Array, margin: Array) -> tuple[Array, Array]:
    """``tied`` of each."""
    a = np.abs(t)
    near, far = a - margin, a + margin
    drop = np.exp(-2 * a * margin)
    ratio = _at(_mills(), np.minimum(np.abs(near), _FAR))
    with np.errstate(all="ignore"):
        # the mass within the strip, in units of the density at its nearer end
        above = np.where(near < 0, np.exp(0.5 * near * near) / _DENSITY - ratio, ratio)
        mass = above - drop * _at(_mills(), np.minimum(far, _FAR))
        v = np.copysign((drop - 1) / mass, -t)
        w = np.minimum(v * v + (far * drop - near) / mass, 1.0)
    _one_by_one(tied, (margin * (1 + a) < _NARROW) | (far > _FAR), (t, margin), v, w)
    return v, w


def _at(series: Array, places: Array) -> Array:
    """The function of a table at these places, to 12 digits: its power series about the nearest point."""
    steps = places * _STEPS
    nearest = (steps + 0.5).astype(np.intp)
    steps -= nearest
    a, b, c, d = series.take(nearest, axis=0).T
    value: Array = d * steps
    value += c
    value *= steps
    value += b
    value *= steps
    value += a
    return value


@cache
def _v() -> Array:
    """V of ``won`` from -FAR on: V' = -V (V + t), and so on. numpy has no ``erfc``."""
    t = np.arange(-int(_FAR * _STEPS), int(_FAR * _STEPS) + 1) / _STEPS
    v = 2 * _DENSITY * np.exp(-0.5 * t * t) / np.array([erfc(value) for value in (-t / _SQRT2).tolist()])
    slope = -v * (v + t)
    bend = -slope * (2 * v + t) - v
    twist = -bend * (2 * v + t) - 2 * slope * (slope + 1)
    return _series(v, slope, bend, twist)


@cache
def _mills() -> Array:
    """The mass of a standard normal above each over its density there (Mills' ratio): m' = z m - 1, and so on."""
    z = np.arange(int(_FAR * _STEPS) + 1) / _STEPS
    m = np.array([erfc(value) for value in (z / _SQRT2).tolist()]) / (2 * _DENSITY * np.exp(-0.5 * z * z))
    slope = z * m - 1
    bend = m + z * slope
    twist = 2 * slope + z * bend
    return _series(m, slope, bend, twist)


def _series(value: Array, slope: Array, bend: Array, twist: Array) -> Array:
    return np.ascontiguousarray((np.array([value, slope, bend / 2, twist / 6]).T) / _STEPS ** np.arange(4))


def _one_by_one(of_one: Callable[..., tuple[float, float]], where: Array, given: Sequence[Array], *into: Array) -> None:
    """Replace each value that is far out by the result of the function of a single value."""
    for index in np.flatnonzero(where).tolist():
        for values, value in zip(into, of_one(*(float(array[index]) for array in given)), strict=True):
            values[index] = value
