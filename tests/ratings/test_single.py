"""A single match through the `trueskill` package."""

import pytest

from arena.ratings import fit
from arena.ratings.single import rate
from arena.ratings.table import MU, SIGMA


def test_the_first_match_is_rated_as_the_whole_table_would() -> None:
    """With one match played, the package's means are those of the fixed point."""
    fitted = fit([(("b", "a", "c"), (1, 0, 2))])
    after = rate([(MU, SIGMA)] * 3, (1, 0, 2), draw_probability=fitted.draw_probability)
    for name, (mu, _) in zip("bac", after, strict=True):
        assert mu == pytest.approx(fitted.ratings[name].mu, abs=1e-3)


def test_order_matters_match_by_match() -> None:
    """Rating one match after the other gives another table when they come in another order: hence the fixed point."""
    tables = []
    for matches in ([(0, 1), (1, 0), (1, 0)], [(1, 0), (1, 0), (0, 1)]):
        skills = [(MU, SIGMA)] * 2
        for ranks in matches:
            skills = rate(skills, ranks, draw_probability=0.1)
        tables.append(skills)
    assert tables[0] != tables[1]


def test_a_match_never_widens_a_deviation() -> None:
    """Skills do not drift: tau is 0."""
    skills = [(MU, SIGMA)] * 2
    for _ in range(20):
        before, skills = skills, rate(skills, (0, 1), draw_probability=0.1)
        assert all(after < sigma for (_, after), (_, sigma) in zip(skills, before, strict=True))


def test_an_upset_beyond_the_packages_numbers_is_refused() -> None:
    """An upset too great to be told from an impossible one raises, and is no rating."""
    with pytest.raises(FloatingPointError):
        rate([(-1e4, 0.01), (1e4, 0.01)], [0, 1], draw_probability=0.1)
