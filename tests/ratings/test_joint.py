"""The linear algebra of the joint distribution."""

from math import sqrt
from random import Random

import pytest

from arena.ratings.joint import deviations, differences, solve


def laplacian(size: int, prior: float, seed: int) -> list[dict[int, float]]:
    """The prior and random precisions between random pairs, from 1 to 10,000."""
    random = Random(seed)
    rows = [{at: prior} for at in range(size)]
    for _ in range(3 * size):
        i, j = random.sample(range(size), 2)
        weight = 10 ** random.uniform(0, 4)
        rows[i][i] += weight
        rows[j][j] += weight
        rows[i][j] = rows[i].get(j, 0.0) - weight
        rows[j][i] = rows[j].get(i, 0.0) - weight
    return rows


@pytest.mark.parametrize("size", [1, 2, 9, 40])
def test_the_solution_solves_the_equations(size: int) -> None:
    """Multiplied out, the solution gives the right-hand side."""
    rows = laplacian(size, 0.0144, seed=size) if size > 1 else [{0: 0.0144}]
    right = [float(at % 7 - 3) for at in range(size)]
    x = solve(rows, right)
    assert [sum(value * x[at] for at, value in row.items()) for row in rows] == pytest.approx(right, abs=1e-7)


def test_nothing_moves_without_a_pull() -> None:
    """A right-hand side of nothing has the solution nothing."""
    assert solve(laplacian(5, 1, seed=1), [0.0] * 5) == [0.0] * 5


@pytest.mark.parametrize("size", [2, 3, 30])
def test_differences_solve_the_equations_factored_once(size: int) -> None:
    """For right-hand sides that sum to nothing the factored solutions are those of the conjugate gradients."""
    rows = laplacian(size, 0.0144, seed=size)
    rights = [[(at == one) - 1 / size for at in range(size)] for one in (0, size - 1)]
    for right, x in zip(rights, differences(rows, rights), strict=True):
        assert x == pytest.approx(solve(rows, right), rel=1e-6, abs=1e-9)
        assert sum(x) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("size", [2, 3, 30])
def test_deviations_are_those_of_the_differences_from_the_mean(size: int) -> None:
    """Each squared deviation is the centred direction's variance, found here by solving for that direction."""
    rows = laplacian(size, 0.0144, seed=size)
    for at, deviation in enumerate(deviations(rows, 0.0144)):
        direction = [(other == at) - 1 / size for other in range(size)]
        variance = sum(a * b for a, b in zip(direction, solve(rows, direction), strict=True))
        assert deviation == pytest.approx(sqrt(variance), rel=1e-6)


def test_deviations_keep_their_digits_beside_a_weak_prior() -> None:
    """Two bots that met a million times: the variance of half their difference, to ten digits."""
    weight = 1e6
    rows = [{0: 0.0144 + weight, 1: -weight}, {0: -weight, 1: 0.0144 + weight}]
    assert deviations(rows, 0.0144) == pytest.approx([sqrt(0.5 / (0.0144 + 2 * weight))] * 2, rel=1e-10)
