"""Live tables through the `trueskill` package."""

import pytest

from arena.ratings import fit
from arena.ratings.single import Live, rate
from arena.ratings.table import MU, SIGMA


def test_the_first_match_is_rated_as_the_whole_table_would() -> None:
    """With one match played, the live means are those of the fixed point."""
    live = Live()
    live.update(("b", "a", "c"), (1, 0, 2))
    fitted = fit([(("b", "a", "c"), (1, 0, 2))])
    assert live.draw_probability == fitted.draw_probability
    for name, rating in live.ratings.items():
        assert rating.mu == pytest.approx(fitted.ratings[name].mu, abs=1e-3)


def test_seats_do_not_matter_but_order_does() -> None:
    """The listing of seats changes nothing, even in ties; the order of matches does: such a table is provisional."""
    ties = [(("a", "b", "c", "d"), (0, 0, 0, 3)), (("a", "d", "b", "c"), (0, 1, 1, 3))]
    tables = []
    for matches in (ties, [(bots[::-1], ranks[::-1]) for bots, ranks in ties], ties[::-1]):
        live = Live()
        for bots, ranks in matches:
            live.update(bots, ranks)
        tables.append(live.ratings)
    assert tables[0] == tables[1]
    assert tables[0] != tables[2]


def test_entrants_start_at_the_prior_and_skills_do_not_drift() -> None:
    """An entrant has the prior before its first match, and a match never widens a deviation (tau is 0)."""
    live = Live(["a", "b", "idle"])
    before = SIGMA
    for _ in range(20):
        live.update(("a", "b"), (0, 1))
        assert live.ratings["a"].sigma < before
        before = live.ratings["a"].sigma
    assert (live.ratings["idle"].mu, live.ratings["idle"].sigma) == (MU, SIGMA)


def test_an_upset_beyond_the_packages_numbers_changes_nothing() -> None:
    """Where the package gives up, the live table goes on."""
    live = Live(["a", "b"])
    live.ratings |= {name: type(live.ratings[name])(mu, 0.01) for name, mu in (("a", 1e4), ("b", -1e4))}
    before = dict(live.ratings)
    with pytest.raises(FloatingPointError):
        rate([(-1e4, 0.01), (1e4, 0.01)], [0, 1], 0.1)
    live.update(("a", "b"), (1, 0))
    assert live.ratings == before


def test_a_malformed_match_is_refused() -> None:
    """A bot cannot sit twice."""
    with pytest.raises(ValueError, match="expected each bot once"):
        Live().update(("a", "a"), (0, 1))
