"""Laws of bets on a mean score."""

from math import exp, log
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.bets import FRACTIONS, NO_CORRECTION, Aim, EProcess, ScoreBets

SCORES = st.lists(st.integers(-12, 12).map(lambda twelfth: twelfth / 12), min_size=1, max_size=60)


@given(st.floats(-0.9, 0.9), st.sampled_from(FRACTIONS))
def test_a_bet_gains_nothing_if_the_doubt_is_wrong(bound: float, fraction: float) -> None:
    """At the widest scores of that mean a bet is worth its stake, and no score can take all of it."""
    chance = (1 + bound) / 2
    won = 1 + fraction * (1 - bound) / (1 + bound)
    lost = 1 - fraction
    assert lost > 0
    assert chance * won + (1 - chance) * lost == pytest.approx(1)


@given(SCORES, st.floats(-0.5, 0.5))
def test_wealth_is_the_mean_of_the_products(scores: list[float], bound: float) -> None:
    """The running sums of logarithms are what the formula says, and fall where the bound rises."""
    wealth, stricter = EProcess(bound), EProcess(bound + 0.1)
    for score in scores:
        wealth.add(score)
        stricter.add(score)
    products = []
    for fraction in FRACTIONS:
        product = 1.0
        for score in scores:
            product *= 1 + fraction * (score - bound) / (1 + bound)
        products.append(product)
    assert exp(wealth.log) == pytest.approx(fmean(products), rel=1e-6)
    assert stricter.log <= wealth.log + 1e-12


@given(SCORES, st.floats(-0.5, 0.5), st.sampled_from([True, False]))
def test_the_wealth_of_a_side_is_that_of_its_parts(scores: list[float], bound: float, fixed: bool) -> None:
    """Fixed fractions and each aim have equal parts of the stake; each aimed fraction follows from earlier blocks."""
    side = ScoreBets((Aim(), Aim(bound, gap=0.1)), bounds=(bound,), fixed=fixed)
    parts = [[1.0] * len(FRACTIONS), [1.0], [1.0]]
    for at, score in enumerate(scores):
        past = [each - bound - 0.05 for each in scores[:at]]
        middle = (0.4 + sum(each * each for each in past)) / (4 + at)
        by_past = (0.2 + sum(scores[:at])) / (0.25 + sum(each * each for each in scores[:at]))
        aimed = [max(0.0, min(each, 0.9)) for each in (by_past, 0.1 / middle * (1 + bound))]
        for part, fractions in zip(parts, (FRACTIONS, aimed[:1], aimed[1:]), strict=True):
            for number, fraction in enumerate(fractions):
                chosen = fraction if part is parts[0] else float(f"{fraction:.2g}")
                part[number] *= 1 + chosen * (score - bound) / (1 + bound)
        side.add(score, NO_CORRECTION)
    wealth = fmean([fmean(part) for part in parts[not fixed :]])
    assert exp(side.log(bound)) == pytest.approx(wealth, rel=1e-6)


@given(SCORES, st.floats(0.5, 4))
def test_the_end_of_what_is_rejected(scores: list[float], need: float) -> None:
    """All means below the end are rejected and those above are not: the wealth falls as the bound rises."""
    bounds = (-0.8, -0.3, 0.0, 0.4)
    side = ScoreBets((Aim(),), bounds=bounds)
    for score in scores:
        side.add(score, NO_CORRECTION)
    logs = [side.log(bound) for bound in bounds]
    assert logs == sorted(logs, reverse=True)
    end = side.end(need)
    for bound, wealth in zip(bounds, logs, strict=True):
        if abs(wealth - need) > 1e-6:
            assert (bound <= end) == (wealth >= need)


def test_wealth_at_every_look_is_what_ville_bounds() -> None:
    """Over fair coins, the wealth ever exceeds 20 in 5 of 100 runs at most: it is no test that only ends are."""
    above = 0
    for seed in range(150):
        random, wealth = Random(seed), EProcess()
        for _ in range(150):
            wealth.add(random.choice((-1.0, 1.0)))
            if wealth.log >= log(20):
                above += 1
                break
    assert above <= 12
