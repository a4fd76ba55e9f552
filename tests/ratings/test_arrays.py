"""Outcomes as arrays of numpy: the same ratings as outcome by outcome."""

from math import isclose
from random import Random

import numpy as np
import pytest

from arena.ratings import fit, outcomes, pairs, sums, table
from arena.ratings.outcomes import laid_out
from arena.ratings.truncated import tied, won
from arena.ratings.truncated_arrays import tied_all, won_all
from tests.ratings.matches import Match, counted, simulated

SKILLS = dict(zip("abcdefgh", (12.0, 19.0, 22.0, 24.0, 25.0, 27.0, 30.0, 45.0), strict=True))
ENDLESS: Match = (("a", "b"), (0, 1))
SETS: dict[str, list[Match]] = {
    **{f"{seats} seats": simulated(SKILLS, 60, seats, seed=seats, grain=6.0) for seats in (2, 3, 4)},
    "no ties": simulated(SKILLS, 60, 4, seed=1),
    "endless wins": [ENDLESS] * 10_000 + [(("a", "b"), (1, 0))],
    "endless ties": [(tuple("abcde"), (0,) * 5)] * 10_000,
    "two groups that never met": [(tuple("abc"), (0, 1, 1)), (tuple("def"), (1, 0, 2))] * 30,
}


@pytest.fixture
def as_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few outcomes there are."""
    monkeypatch.setattr(outcomes, "MANY", 0)
    monkeypatch.setattr(outcomes, "MANY_ALIKE", 0)


@pytest.mark.parametrize("name", SETS)
def test_arrays_find_the_ratings_of_single_factors(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings are the same to eight decimals, however the outcomes are held, once nothing moves any more."""
    monkeypatch.setattr(table, "STILL", 1e-11)
    one_by_one = fit(SETS[name]).ratings
    monkeypatch.setattr(outcomes, "MANY", 0)
    monkeypatch.setattr(outcomes, "MANY_ALIKE", 0)
    together = fit(SETS[name]).ratings
    assert list(together) == list(one_by_one)
    for bot, rating in one_by_one.items():
        assert together[bot].mu == pytest.approx(rating.mu, abs=1e-8)
        assert together[bot].sigma == pytest.approx(rating.sigma, abs=1e-8)
        assert together[bot].component == rating.component


@pytest.mark.usefixtures("as_arrays")
def test_no_order_of_many_matches_changes_a_shown_digit() -> None:
    """Shuffled matches give the same four decimals."""
    matches = SETS["3 seats"]
    other = fit(Random(1).sample(matches, len(matches))).ratings
    for bot, rating in fit(matches).ratings.items():
        assert f"{other[bot].mu:.4f} {other[bot].sigma:.4f}" == f"{rating.mu:.4f} {rating.sigma:.4f}"


@pytest.mark.usefixtures("as_arrays")
def test_without_numpy_outcomes_are_taken_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numpy is not installed, many outcomes are rated all the same."""
    monkeypatch.setattr(outcomes, "find_spec", lambda _: None)
    monkeypatch.delattr("arena.ratings.arrays.Arrays")
    assert fit(SETS["2 seats"]).sweeps > 1


def test_outcomes_and_pairs_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays find the same different outcomes, in the same order, and the same sums of pairs over blocks."""
    drawn = [match for name in SETS if not name.startswith("endless") for match in SETS[name]]
    blocks = counted([(f"e0b{at // 4}", match) for at, match in enumerate(drawn)])
    strangers = counted([("e0b0", match) for match in SETS["two groups that never met"]])
    ratings = fit(drawn)

    def found() -> list[object]:
        names = sorted(blocks.bots)
        return [
            laid_out(blocks, names),
            *(laid_out(strangers, group) for group in ("abc", "def")),
            pairs(blocks, ratings),
        ]

    one_by_one = found()
    monkeypatch.setattr(outcomes, "MANY", 0)
    assert found() == one_by_one
    monkeypatch.setattr(sums, "_MATCHES", 8)
    assert found() == one_by_one


def test_outcomes_of_very_many_bots_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight bots of many thousands make a number that no machine word holds: still each outcome is one."""
    monkeypatch.setattr(outcomes, "MANY", 0)
    names = [f"{at:05}" for at in range(20_000)]
    drawn = Random(1)
    line_ups = [tuple(drawn.sample(names, 8)) for _ in range(50)]
    blocks = counted([(str(at), (line_up, tuple(range(8)))) for at, line_up in enumerate([*line_ups, *line_ups])])
    (found,) = laid_out(blocks, sorted(blocks.bots))
    assert list(found.counts) == [2] * 50
    assert list(found.places[:50]) == list(found.places[50:])
    assert [sorted(blocks.bots)[bot] for bot in found.bots] == [
        name for line_up in sorted(line_ups) for name in line_up
    ]


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
