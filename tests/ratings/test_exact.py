"""How far mu and sigma are from the exact posterior of the model, integrated numerically for three bots."""

from collections import Counter
from math import erfc, exp, log, pi, sqrt
from random import Random

import pytest

from arena.ratings import MU, fit
from arena.ratings.factors import BETA2
from arena.ratings.table import SIGMA, Fit, margin_of
from tests.ratings.matches import Match, Recorder, simulated

BOTS = "abc"
ALONG = ((1 / sqrt(2), -1 / sqrt(2), 0.0), (1 / sqrt(6), 1 / sqrt(6), -2 / sqrt(6)))
"""Two directions in which three skills differ, at right angles to their mean and to each other."""
REACH = 5.0
"""How many prior deviations the integral goes out."""


def below(x: float) -> float:
    """The share of a standard normal below ``x``."""
    return erfc(-x / sqrt(2)) / 2


def chance_of_order(best: float, middle: float, last: float, margin: float) -> float:
    """That three of these skills perform in this order, each ahead of the next by the margin at least."""
    beta, steps = sqrt(BETA2), 48
    total = 0.0
    for step in range(steps + 1):
        x = -5 + 10 * step / steps
        seen = middle + beta * x
        total += exp(-x * x / 2) * below((best - seen - margin) / beta) * below((seen - last - margin) / beta)
    return total * 10 / steps / sqrt(2 * pi)


def exact(matches: list[Match], table: Fit, steps: int = 120) -> dict[str, tuple[float, float]]:
    """For each bot mu and sigma by the model itself, from matches of two or three seats without ties."""
    margin = margin_of(table.draw_probability)
    orders = Counter(tuple(bot for _, bot in sorted(zip(ranks, bots, strict=True))) for bots, ranks in matches)
    weights, points = [], []
    width = 2 * REACH * SIGMA / steps
    for one in range(steps + 1):
        for two in range(steps + 1):
            z = (-REACH * SIGMA + width * one, -REACH * SIGMA + width * two)
            skill = {bot: z[0] * ALONG[0][at] + z[1] * ALONG[1][at] for at, bot in enumerate(BOTS)}
            weight = -(z[0] ** 2 + z[1] ** 2) / (2 * SIGMA**2)
            for order, times in orders.items():
                skills = [skill[bot] for bot in order]
                if len(skills) == 2:
                    chance = below((skills[0] - skills[1] - margin) / sqrt(2 * BETA2))
                else:
                    chance = chance_of_order(skills[0], skills[1], skills[2], margin)
                weight += times * log(max(chance, 1e-300))
            weights.append(weight)
            points.append(skill)
    most = max(weights)
    weights = [exp(weight - most) for weight in weights]
    total = sum(weights)
    found = {}
    for bot in BOTS:
        mean = sum(weight * skill[bot] for weight, skill in zip(weights, points, strict=True)) / total
        square = sum(weight * (skill[bot] - mean) ** 2 for weight, skill in zip(weights, points, strict=True)) / total
        found[bot] = (MU + mean, sqrt(square))
    return found


def off(matches: list[Match]) -> tuple[float, float]:
    """How far mu is off at most, in exact sigmas, and by what share sigma is."""
    table = fit(matches, BOTS)
    truth = exact(matches, table)
    of_mu = max(abs(table.ratings[bot].mu - mu) / sigma for bot, (mu, sigma) in truth.items())
    return of_mu, max(abs(table.ratings[bot].sigma / sigma - 1) for bot, (_, sigma) in truth.items())


def test_ratings_are_near_the_exact_posterior() -> None:
    """Of 30 matches of two seats, mu is off by less than a fiftieth of sigma, and sigma by less than 3 in 100."""
    of_mu, of_sigma = off(simulated({"a": 23.0, "b": 25.0, "c": 28.0}, 30, 2, seed=1))
    assert of_mu < 0.02
    assert of_sigma < 0.03


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("seats", "matches"), [(2, 6), (2, 60), (3, 4), (3, 40)])
def test_how_far_ratings_are_from_the_exact_posterior(seats: int, matches: int, record_property: Recorder) -> None:
    """Whether matches are few or many, mu is off by a tenth of sigma at most, sigma by a tenth of itself."""
    found = []
    for seed in range(3):
        random = Random(seed)
        skills = {bot: random.gauss(25, 4) for bot in BOTS}
        found.append(off(simulated(skills, matches, seats, seed)))
    record_property(f"{seats} seats, {matches} matches: mu off in sigmas", round(max(of_mu for of_mu, _ in found), 3))
    record_property("sigma off by", round(max(of_sigma for _, of_sigma in found), 3))
    assert max(of_mu for of_mu, _ in found) < 0.1
    assert max(of_sigma for _, of_sigma in found) < 0.1
