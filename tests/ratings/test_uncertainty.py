"""How surely bots differ: what blocks cannot tell stays open."""

from math import sqrt
from random import Random

import numpy as np
import pytest

from arena.ratings import fit_outcomes
from arena.ratings.table import covariances_of
from arena.ratings.uncertainty import uncertainty_of
from tests.ratings.matches import Match, Recorder, between, counted, in_blocks, judged

WEAK = [f"w{number}" for number in range(6)]


def never_met(seed: int, wins: float) -> list[tuple[str, Match]]:
    """80 blocks of A and 12 of B, both against the same weak bots, whom both beat with this probability."""
    random = Random(seed)
    games = [("A", WEAK[at % 6], wins) for at in range(80)] + [("B", WEAK[at % 6], wins) for at in range(12)]
    weak = [random.sample(WEAK, 2) for _ in range(60)]
    games += [(one, other, 0.5) for one, other in weak]
    found: list[tuple[str, Match]] = []
    for block, (one, other, chance) in enumerate(games):
        for bots in ((one, other), (other, one)):
            first = (bots[0] == one) == (random.random() < chance)
            found.append((f"e0b{block}", (bots, (0, 1) if first else (1, 0))))
    return found


def parted(wins: float, runs: int) -> tuple[int, int]:
    """In how many of so many tables of equal A and B one is called better: by their difference, by their ranks."""
    by_difference = by_ranks = 0
    for seed in range(runs):
        matches = never_met(seed, wins)
        by_difference += between("A", "B", matches).certain != 0
        found = judged(matches)[1].bots
        a, b = found["A"], found["B"]
        by_ranks += a.rank_high < b.rank_low or b.rank_high < a.rank_low
    return by_difference, by_ranks


@pytest.mark.long
def test_equal_bots_that_never_met_are_not_told_apart() -> None:
    """Who beat the same weak bots as another, in fewer blocks, and was beaten by none, is not certainly better."""
    by_difference, by_ranks = parted(0.97, 15)
    assert by_difference <= 2
    assert by_ranks <= 2


def test_who_beats_a_bot_again_and_again_is_told_apart_from_it() -> None:
    """Where two met often enough, one ahead each time, the prior leaves no doubt who is better."""
    matches: list[tuple[str, Match]] = [(f"e0b{at}", (("a", "b"), (0, 1))) for at in range(12) for _ in range(2)]
    _, found = judged(matches)
    assert (found.bots["a"].rank_high, found.bots["b"].rank_low) == (1, 2)


def test_covariances_are_those_of_sigma() -> None:
    """A bot's own covariance is the square of its sigma, and rows sum to nothing: skills are told from their mean."""
    blocks = counted(in_blocks(dict(zip("abcde", (21.0, 23.5, 25.0, 25.5, 27.0), strict=True)), 40, 3, seed=1))
    table = fit_outcomes(blocks)
    (solution,) = table.solutions
    known = uncertainty_of(table, solution)
    for at, name in enumerate(solution.names):
        assert sqrt(solution.covariances[at][at]) == pytest.approx(table.ratings[name].sigma, rel=1e-6)
        assert sum(solution.covariances[at]) == pytest.approx(0, abs=1e-9)
        assert solution.covariances[:, at].tolist() == pytest.approx(solution.covariances[at].tolist())
        assert known.apart[at, (at + 1) % 5] == known.apart[(at + 1) % 5, at]


def test_the_greatest_move_is_that_of_leaving_a_match_out() -> None:
    """How far one match moves a rating is, to first order, what a fit without it says; none moves it further."""
    matches = in_blocks({"a": 24.0, "b": 25.0, "c": 27.0}, 40, 3, seed=5)
    blocks = counted(matches)
    table = fit_outcomes(blocks)
    (solution,) = table.solutions
    known = uncertainty_of(table, solution)
    moves = []
    for at in range(0, len(matches), 6):
        fewer = fit_outcomes(counted([*matches[:at], *matches[at + 1 :]])).ratings
        moves.append(abs(table.ratings["a"].mu - fewer["a"].mu))
    assert 0.5 * known.greatest[0] < max(moves) < 1.15 * known.greatest[0]


def test_covariances_keep_their_digits_beside_a_weak_prior() -> None:
    """Two bots that met a million times: the variance of half their difference, to ten digits."""
    weight = 1e6
    precision = np.array([[0.0144 + weight, -weight], [-weight, 0.0144 + weight]])
    variance = 0.5 / (0.0144 + 2 * weight)
    assert covariances_of(precision) == pytest.approx(
        np.array([[variance, -variance], [-variance, variance]]), rel=1e-10
    )


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize("wins", [0.9, 0.97, 0.99])
def test_bots_that_never_met_are_told_apart_by_luck_alone(wins: float, record_property: Recorder) -> None:
    """Of 60 tables with two equal strong bots that never met, at most 5 call one certainly better."""
    by_difference, by_ranks = parted(wins, 60)
    record_property("by their difference", f"{by_difference} of 60")
    record_property("by their ranks", f"{by_ranks} of 60")
    assert by_difference <= 5
    assert by_ranks <= 5
