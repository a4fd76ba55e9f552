"""A standard normal difference, truncated to the observed order: how far its mean moves and its variance shrinks.

The functions V and W of TrueSkill (Herbrich, Minka and Graepel 2007, section 3 and figure 1), accurate far out in the
tails. Pure arithmetic: knows no bots, matches or messages.
"""

from math import erfc, exp, pi, sqrt

_SQRT2 = sqrt(2)
_DENSITY = 1 / sqrt(2 * pi)
FAR = 20.0
"""Beyond this many deviations tails are continued fractions: ``erfc`` ends at 37, and ``V + t`` loses digits before."""
NARROW = 0.01
"""Strips narrower than this are power series: the difference of two ``erfc`` would lose digits."""
_DEPTH = 30


def won(t: float) -> tuple[float, float]:
    """V and W of a difference of mean ``t`` and variance 1 seen above 0.

    The mean becomes ``t + V`` and the variance ``1 - W``.
    """
    if t < -FAR:
        excess = _excess(-t)
        v = excess - t
        return v, v * excess
    v = 2 * _DENSITY * exp(-0.5 * t * t) / erfc(-t / _SQRT2)
    return v, v * (v + t)


def tied(t: float, margin: float) -> tuple[float, float]:
    """V and W of a difference of mean ``t`` and variance 1 seen within ``margin`` of 0."""
    a = abs(t)
    if margin * (1 + a) < NARROW:
        square = margin * margin
        v = a * (square / 3 - square * square * (a * a + 2) / 45) - a
        w = 1 - square / 3 + square * square * (3 * a * a + 2) / 45
    else:
        near, far = a - margin, a + margin
        drop = exp(-2 * a * margin)
        if near > FAR:
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
