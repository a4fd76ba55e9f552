"""Strength that is there is found, and strength that is not there is not."""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from statistics import NormalDist, fmean

import pytest

from arena.ratings import fit
from arena.ratings.factors import BETA2
from arena.ratings.table import MU
from tests.ratings.matches import simulated

EQUALS = "abcdefg"
STRONGER = sqrt(2 * BETA2) * NormalDist().inv_cdf(1 / (1 + 10 ** (-100 / 400)))
"""The skill that wins as many matches of two as a lead of 100 Elo: 64 in 100."""


def leads(skills: Mapping[str, float], seed: int) -> dict[str, float]:
    """By how many sigmas each of eight bots is ahead of the mean after 400 matches of four."""
    ratings = fit(simulated(dict(skills), 400, 4, seed)).ratings
    mean = fmean(rating.mu for rating in ratings.values())
    return {name: (rating.mu - mean) / rating.sigma for name, rating in ratings.items()}


def wrong(seeds: Sequence[int]) -> tuple[int, int]:
    """How often the one stronger bot is not found, and how often one of eight equals seems to be."""
    missed = false = 0
    for seed in seeds:
        found = leads(dict.fromkeys(EQUALS, MU) | {"strong": MU + STRONGER}, seed)
        missed += not (found["strong"] > 3 and found["strong"] == max(found.values()))
        even = leads(dict.fromkeys(EQUALS + "h", MU), seed)
        false += max(map(abs, even.values())) > 3.5
    return missed, false


def test_planted_strength_is_found() -> None:
    """A bot with a lead of 100 Elo comes first, 3 sigmas ahead; of eight equals none is 3.5 sigmas from the mean."""
    assert wrong(range(100, 102)) == (0, 0)


@pytest.mark.proof
def test_planted_strength_is_found_again_and_again(record_property: Callable[[str, object], None]) -> None:
    """A lead of 100 Elo is found in 400 matches 38 times of 40 or more often, and where there is none, once at most."""
    missed, false = wrong(range(100, 140))
    record_property("found", f"{40 - missed} of 40")
    record_property("false finds", f"{false} of 40")
    assert missed <= 2
    assert false <= 1
