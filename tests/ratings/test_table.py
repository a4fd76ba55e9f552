"""The fixed point over all matches: against the `trueskill` package, against linear algebra, and its laws."""

from math import isfinite, sqrt
from random import Random
from statistics import NormalDist, fmean
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import NotConverged, fit, table
from arena.ratings.factors import BETA2, factors_of
from arena.ratings.single import rate
from arena.ratings.table import MU, SIGMA, converge
from tests.ratings.matches import Match, counted, simulated

PRIOR = 1 / SIGMA**2
MARGIN = NormalDist().inv_cdf(0.55) * sqrt(2 * BETA2)
"""For a draw probability of 0.1."""
LETTERS = "abcdefgh"


class Single(NamedTuple):
    """An outcome with what the fit has found of it."""

    bots: list[int]
    times: int
    pairs: list[tuple[int, int, bool]]
    offered: list[float]
    pulls: list[float]
    sites: list[tuple[float, float]]


def converged(matches: list[Match]) -> tuple[list[float], list[float], list[Single]]:
    """Means and sigmas of the bots of these matches, who are all of one component, and their different outcomes.

    Swept until nothing moves but by rounding.
    """
    outcomes = counted([("", match) for match in matches])
    size = len(outcomes.names)
    factors = factors_of(outcomes.different(range(size)))
    means, covariances, step, _ = converge(factors, size, margin=MARGIN, still=1e-12)
    every = slice(None)
    singles = [
        Single(
            bots=factor.bots[:, at].tolist(),
            times=int(factor.counts[at]),
            pairs=factor.pairs,
            offered=factor.offered(every)[:, at].tolist(),
            pulls=factor.pulled(every, step)[:, at].tolist(),
            sites=list(zip(factor.sites[:, at].tolist(), factor.pushes[:, at].tolist(), strict=True)),
        )
        for factor in factors
        for at in range(len(factor.counts))
    ]
    return means.tolist(), [sqrt(variance) for variance in covariances.diagonal().tolist()], singles


def inverse_of(matrix: list[list[float]]) -> list[list[float]]:
    """By elimination with pivots: slow, plain and unlike the code under test."""
    size = len(matrix)
    rows = [[*row, *(float(at == column) for column in range(size))] for at, row in enumerate(matrix)]
    for at in range(size):
        best = max(range(at, size), key=lambda candidate: abs(rows[candidate][at]))
        rows[at], rows[best] = rows[best], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for other in range(size):
            if other != at:
                times = rows[other][at]
                rows[other] = [value - times * below for value, below in zip(rows[other], rows[at], strict=True)]
    return [row[size:] for row in rows]


@pytest.mark.parametrize("seats", range(2, 9))
def test_one_match_without_ties_is_the_packages_update(seats: int) -> None:
    """After a single match the means and marginal deviations are those of the package, at any seat count."""
    means, _, (factor,) = converged([(tuple(LETTERS[:seats]), tuple(range(seats)))])
    expected = rate([(MU, SIGMA)] * seats, range(seats), draw_probability=0.1, closeness=1e-15)
    assert [MU + mean for mean in means] == pytest.approx([mu for mu, _ in expected], abs=1e-9)
    marginal = [1 / sqrt(PRIOR + offered) for offered in factor.offered]
    assert marginal == pytest.approx([sigma for _, sigma in expected], abs=1e-9)


def test_one_tie_of_two_is_the_packages_update() -> None:
    """After a single tie at two seats the marginals are those of the package."""
    means, _, (factor,) = converged([(("a", "b"), (0, 0))])
    assert means == [0, 0]
    (_, sigma), _ = rate([(MU, SIGMA)] * 2, [0, 0], draw_probability=0.1)
    assert 1 / sqrt(PRIOR + factor.offered[0]) == pytest.approx(sigma, abs=1e-9)


@pytest.mark.parametrize(
    "matches",
    [
        simulated(dict(zip("abcde", (21.0, 24.0, 25.0, 26.0, 29.0), strict=True)), 60, 4, seed=1),
        simulated(dict(zip("abcd", (5.0, 20.0, 30.0, 45.0), strict=True)), 200, 3, seed=2),
        simulated(dict(zip("abc", (24.0, 25.0, 26.0), strict=True)), 100, 2, seed=3, grain=5),
        [(("a", "b"), (0, 1))] * 30,
        [(("a", "b"), (0, 1))] * 300 + [(("a", "b"), (1, 0)), (("b", "c"), (0, 0))],
    ],
    ids=["four seats", "three unequal seats", "two seats with ties", "one always wins", "one upset"],
)
def test_every_match_given_back_leaves_the_marginals(matches: list[Match]) -> None:
    """At the fixed point, taking a match out of the marginals and rating it with the package gives them back."""
    means, _, factors = converged(matches)
    precisions = [PRIOR] * len(means)
    for factor in factors:
        for bot, offered in zip(factor.bots, factor.offered, strict=True):
            precisions[bot] += factor.times * offered
    for factor in factors:
        cavities = []
        for bot, offered, pull in zip(factor.bots, factor.offered, factor.pulls, strict=True):
            precision = precisions[bot] - offered
            cavities.append((MU + means[bot] - pull / precision, 1 / sqrt(precision)))
        ranks = [0, 0] if factor.pairs[0][2] else range(len(factor.bots))
        for bot, (mu, sigma) in zip(
            factor.bots, rate(cavities, ranks, draw_probability=0.1, closeness=1e-15), strict=True
        ):
            assert mu == pytest.approx(MU + means[bot], abs=1e-7)
            assert sigma == pytest.approx(1 / sqrt(precisions[bot]), rel=1e-6)


def test_means_and_sigmas_are_those_of_the_joint_distribution_of_the_sites() -> None:
    """With every performance of every match written out, means and deviations solve the sites' linear equations."""
    matches = simulated(dict(zip("abcd", (22.0, 25.0, 26.0, 27.0), strict=True)), 12, 3, seed=4, grain=4)
    means, sigmas, factors = converged(matches)
    size = 4 + 3 * len(matches)
    matrix = [[0.0] * size for _ in range(size)]
    right = [0.0] * size
    for bot in range(4):
        matrix[bot][bot] = PRIOR

    def constrain(one: int, other: int, precision: float, mean: float) -> None:
        matrix[one][one] += precision
        matrix[other][other] += precision
        matrix[one][other] -= precision
        matrix[other][one] -= precision
        right[one] += precision * mean
        right[other] -= precision * mean

    at = 4
    for factor in factors:
        for _ in range(factor.times):
            for seat, bot in enumerate(factor.bots):
                constrain(at + seat, bot, 1 / BETA2, 0)
            for (i, j, _), (precision, push) in zip(factor.pairs, factor.sites, strict=True):
                gap = means[factor.bots[i]] - means[factor.bots[j]]
                constrain(at + i, at + j, precision, gap + push / precision)
            at += 3
    covariance = inverse_of(matrix)
    solved = [sum(value * lean for value, lean in zip(row, right, strict=True)) for row in covariance]
    assert means == pytest.approx(solved[:4], abs=1e-8)
    for bot in range(4):
        weights = [(at == bot) - 1 / 4 for at in range(4)]
        variance = sum(weights[i] * weights[j] * covariance[i][j] for i in range(4) for j in range(4))
        assert sigmas[bot] == pytest.approx(sqrt(variance), abs=1e-8)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 3.0, 8.0]), st.integers(2, 5))
def test_no_order_and_no_name_changes_a_shown_digit(seed: int, grain: float, seats: int) -> None:
    """Shuffled matches, seats listed otherwise and renamed bots give the same four decimals."""
    random = Random(seed)
    skills = {name: random.gauss(MU, 5) for name in "abcdef"}
    matches = simulated(skills, random.choice([3, 30]), seats, seed, grain)
    names = dict(zip(skills, random.sample(["x", "B", "a", "é", "10", "9"], 6), strict=True))
    others = []
    for bots, ranks in random.sample(matches, len(matches)):
        seating = random.sample(range(seats), seats)
        others.append((tuple(names[bots[seat]] for seat in seating), tuple(2 * ranks[seat] for seat in seating)))
    one = fit(matches, skills)
    other = fit(others, names.values())
    assert other.draw_probability == one.draw_probability
    for name, rating in one.ratings.items():
        twin = other.ratings[names[name]]
        assert (f"{rating.mu:.4f}", f"{rating.sigma:.4f}") == (f"{twin.mu:.4f}", f"{twin.sigma:.4f}")


@pytest.mark.parametrize(
    "matches",
    [
        [(("a", "b"), (0, 1))],
        [(("a", "b"), (0, 1))] * 10_000,
        [(("a", "b"), (0, 0))] * 10_000,
        [(("a", "b"), (0, 1))] * 10_000 + [(("a", "b"), (1, 0))],
        [(("a", "b"), (0, 0))] * 10_000 + [(("a", "b"), (1, 0))],
        [(("a", "b"), (0, 1)), (("b", "c"), (0, 1)), (("c", "a"), (0, 1))] * 1000,
        [(tuple("abcd"), (0, 1, 1, 1))] * 10_000,
        [(tuple(LETTERS), tuple(range(8)))] * 10_000,
        [(tuple(LETTERS), (0,) * 8)] * 10_000,
        [(tuple(LETTERS), (0, 0, 0, 0, 1, 1, 1, 1))] * 1000,
        simulated(dict(zip(LETTERS, range(-200, 280, 60), strict=True)), 1000, 4, seed=3, grain=20),
    ],
)
def test_one_sided_results_settle(matches: list[Match]) -> None:
    """Endless wins, endless ties and hopeless gaps come to rest at finite ratings about the prior's mean."""
    ratings = fit(matches).ratings.values()
    assert all(isfinite(rating.mu) and 0 < rating.sigma < SIGMA for rating in ratings)
    assert fmean(rating.mu for rating in ratings) == pytest.approx(MU, abs=1e-6)


def test_who_won_more_is_rated_higher() -> None:
    """One win in 10,001 matches does not help the loser, and each further win does."""
    least = fit([(("a", "b"), (0, 1))] * 30).ratings["b"]
    more = fit([(("a", "b"), (0, 1))] * 29 + [(("a", "b"), (1, 0))]).ratings["b"]
    most = fit([(("a", "b"), (0, 1))] * 20 + [(("a", "b"), (1, 0))] * 10).ratings["b"]
    assert least.mu < more.mu < most.mu < MU


def test_sigma_tells_how_far_off_the_skills_are() -> None:
    """Over many small tournaments of known skills, distances in sigmas have a mean square near 1."""
    squares = []
    for seed in range(40):
        random = Random(seed)
        skills = {name: random.gauss(MU, SIGMA) for name in "abcdef"}
        ratings = fit(simulated(skills, 25, 3, seed)).ratings
        for name, rating in ratings.items():
            error = (rating.mu - MU) - (skills[name] - fmean(skills.values()))
            squares.append((error / rating.sigma) ** 2)
    assert 0.8 < fmean(squares) < 1.25


def test_unmet_bots_are_of_different_components() -> None:
    """Bots connected through others share a component, strangers do not, and who never played has the prior."""
    fitted = fit([(("a", "c"), (0, 1)), (("e", "c"), (0, 1)), (("b", "d"), (0, 1))], ["z", "a"])
    components = {name: rating.component for name, rating in fitted.ratings.items()}
    assert components == {"a": 0, "b": 1, "c": 0, "d": 1, "e": 0, "z": 2}
    assert (fitted.ratings["z"].mu, fitted.ratings["z"].sigma, fitted.ratings["z"].rating) == (MU, SIGMA, 0)
    assert list(fitted.ratings) == sorted(fitted.ratings)


def test_draw_probability_is_the_share_of_tied_neighbours() -> None:
    """Each match has a neighbour pair less than it has seats; one tied and one untied pair are added to the count."""
    fitted = fit([(("a", "b", "c"), (0, 0, 2)), (("a", "b", "c"), (0, 1, 2))])
    assert fitted.draw_probability == 2 / 6
    assert fit([]).draw_probability == 1 / 2


@pytest.mark.parametrize(
    ("bots", "ranks", "message"),
    [
        (("a", "b"), (0,), "expected one rank for each of 2 bots, got 1"),
        (("a",), (0,), "expected at least 2 bots in a match, got 1"),
        (("a", "b", "a"), (0, 1, 2), "expected each bot once in a match, got a, b, a"),
    ],
)
def test_a_malformed_match_is_refused(bots: tuple[str, ...], ranks: tuple[int, ...], message: str) -> None:
    """A match needs a rank for each bot, two bots at least, and no bot twice."""
    with pytest.raises(ValueError, match=message):
        fit([(bots, ranks)])


def test_restless_ratings_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the sweeps run out there is no table."""
    monkeypatch.setattr(table, "SWEEPS", 2)
    with pytest.raises(NotConverged, match="expected ratings that converge within 2 sweeps"):
        fit([(("a", "b", "c"), (0, 1, 1))] * 9)
