"""The joint normal distribution of all skills that a set of factors defines: its mean and its deviations.

Knows symmetric positive definite matrices and nothing else of arena.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from operator import mul

_CLOSE = 1e-24
"""The residual's squared norm falls to this share of what it was: twelve digits of the step."""


def solve(rows: Sequence[dict[int, float]], right: Sequence[float]) -> list[float]:
    """Solve ``rows @ x = right`` by conjugate gradients, scaled by the diagonal (Hestenes and Stiefel 1952).

    ``rows`` holds the entries of a symmetric positive definite matrix by column. A step that is not quite exact is
    mended by the sweep that follows it.
    """
    size = len(rows)
    columns = [list(row) for row in rows]
    values = [list(row.values()) for row in rows]
    scales = [1 / row[at] for at, row in enumerate(rows)]
    x = [0.0] * size
    residual = list(right)
    direction = list(map(mul, residual, scales))
    norm = _dot(residual, direction)
    enough = norm * _CLOSE
    for _ in range(10 * size):
        if norm <= enough:
            break
        image = [_dot(value, map(direction.__getitem__, column)) for value, column in zip(values, columns, strict=True)]
        length = norm / _dot(direction, image)
        x = [old + length * along for old, along in zip(x, direction, strict=True)]
        residual = [old - length * along for old, along in zip(residual, image, strict=True)]
        scaled = list(map(mul, residual, scales))
        norm, before = _dot(residual, scaled), norm
        bend = norm / before
        direction = [new + bend * old for new, old in zip(scaled, direction, strict=True)]
    return x


def deviations(rows: Sequence[dict[int, float]], prior: float) -> list[float]:
    """The standard deviation of each skill less the mean of all, under the joint precision ``rows``.

    ``rows`` is ``prior`` times the identity plus a matrix whose rows sum to nothing. A dense Cholesky factor and its
    inverse: ``size ** 3 / 3`` multiplications.
    """
    size = len(rows)
    lower, added = _steadied(rows)
    of_mean = 1 / (size * (prior + size * added))
    found = []
    for at in range(size):
        column_of_inverse: list[float] = []
        for line in lower[at:]:
            here = 1.0 if not column_of_inverse else 0.0
            column_of_inverse.append((here - _dot(column_of_inverse, line[at:])) / line[-1])
        found.append(sqrt(max(_dot(column_of_inverse, column_of_inverse) - of_mean, 0.0)))
    return found


def differences(rows: Sequence[dict[int, float]], rights: Iterable[Sequence[float]]) -> Iterator[list[float]]:
    """Solve ``rows @ x = right`` for each right-hand side that sums to nothing; so does its solution.

    ``rows`` is as for ``deviations``; it is factored once, and each solution takes ``size ** 2`` multiplications.
    """
    lower, _ = _steadied(rows)
    size = len(rows)
    columns = [[lower[below][at] for below in range(at + 1, size)] for at in range(size)]
    for right in rights:
        x: list[float] = []
        for line, value in zip(lower, right, strict=True):
            x.append((value - _dot(x, line)) / line[-1])
        for at in range(size - 1, -1, -1):
            x[at] = (x[at] - _dot(columns[at], x[at + 1 :])) / lower[at][at]
        yield x


def _steadied(rows: Sequence[dict[int, float]]) -> tuple[list[list[float]], float]:
    """The Cholesky factor of ``rows`` with something added to every entry, and what was added.

    The mean of all skills is independent of every difference, so its precision may be changed at will: it is raised to
    the size of the others, which keeps the digits that a subtraction of the prior's large variance would lose.
    """
    added = sum(row[at] for at, row in enumerate(rows)) / len(rows) ** 2
    lower: list[list[float]] = []
    for at, row in enumerate(rows):
        line: list[float] = []
        for column, above in enumerate(lower):
            line.append((row.get(column, 0.0) + added - _dot(line, above)) / above[column])
        line.append(sqrt(row[at] + added - _dot(line, line)))
        lower.append(line)
    return lower, added


def _dot(left: Sequence[float], right: "Sequence[float] | map[float]") -> float:
    """The sum of products over the shorter of the two."""
    return float(sum(map(mul, left, right)))
