"""The moments of a cut normal distribution, against numerical integration."""

from math import exp, fsum, inf, isclose, isfinite
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.factors import tied, tied_all, won, won_all

STEPS = 4000


def moments(t: float, low: float, high: float) -> tuple[float, float]:
    """V and W of a normal of mean ``t`` between ``low`` and ``high``, by Simpson's rule where its weight lies."""
    if t > high:  # outside, the weight falls faster than an exponential from the nearer end
        low = max(low, high - 40 / (t - high), high - 12)
    elif t < low:
        high = min(high, low + 40 / (low - t), low + 12)
    else:
        low, high = max(low, t - 12), min(high, t + 12)
    peak = min(max(t, low), high)
    width = (high - low) / STEPS
    points = [(low + at * width, 1 if at in {0, STEPS} else 4 if at % 2 else 2) for at in range(STEPS + 1)]
    weights = [times * exp((peak - t) ** 2 / 2 - (x - t) ** 2 / 2) for x, times in points]
    mass = fsum(weights)
    mean = fsum(weight * (x - peak) for weight, (x, _) in zip(weights, points, strict=True)) / mass
    spread = fsum(weight * (x - peak - mean) ** 2 for weight, (x, _) in zip(weights, points, strict=True)) / mass
    return peak + mean - t, 1 - spread


@pytest.mark.parametrize("t", [-200, -37, -20.1, -19.9, -5, -1, 0, 1, 4, 10])
def test_a_win_moves_mean_and_variance_as_integration_says(t: float) -> None:
    """The mean of a difference seen above 0 becomes t + V and its variance 1 - W, in both tails."""
    assert won(t) == pytest.approx(moments(t, 0, inf), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("margin", [1e-6, 0.004, 0.0099, 0.0101, 0.1, 1, 3])
@pytest.mark.parametrize("t", [0, 0.5, -0.5, 3, -9, 15, 22, -39, 60])
def test_a_tie_moves_mean_and_variance_as_integration_says(t: float, margin: float) -> None:
    """The mean of a difference seen near 0 becomes t + V and its variance 1 - W, for narrow strips and far away too."""
    assert tied(t, margin) == pytest.approx(moments(t, -margin, margin), rel=1e-7, abs=1e-8)


@settings(max_examples=200)
@given(st.floats(-1e4, 1e4), st.floats(1e-9, 8))
def test_no_argument_breaks_the_moments(t: float, margin: float) -> None:
    """V and W are finite and W lies between 0 and 1, however far out; a win moves up and a tie inwards."""
    v, w = won(t)
    assert isfinite(v)
    assert v >= 0
    assert 0 <= w <= 1
    v, w = tied(t, margin)
    assert isfinite(v)
    assert v * t <= 0
    assert -1e-9 <= w <= 1


def test_truncated_normals_of_many_are_those_of_one() -> None:
    """V and W of an array are those of each of its values, in the middle and far out."""
    random = Random(1)
    ts = [random.uniform(-30, 30) for _ in range(500)] + [random.gauss(0, 2) for _ in range(500)] + [0.0, -20.0, 20.0]
    margins = [10 ** random.uniform(-4, 1.2) for _ in ts]
    of_wins = zip(*won_all(np.array(ts)), map(won, ts), strict=True)
    of_ties = zip(*tied_all(np.array(ts), np.array(margins)), map(tied, ts, margins), strict=True)
    for v, w, (one_v, one_w) in [*of_wins, *of_ties]:
        assert isclose(v, one_v, rel_tol=1e-8, abs_tol=1e-12)
        assert isclose(w, one_w, rel_tol=1e-8, abs_tol=1e-12)
