"""The difference of two bots: which of them is better, how surely, and by how much."""

from random import Random

import pytest

from arena.ratings import FEWEST_BLOCKS, fit_counts
from arena.ratings.difference import Difference, difference_of
from arena.ratings.intervals import influences, told_apart
from tests.ratings.matches import Match, counted, in_blocks

SKILLS = {"old": 25.0, "new": 26.0, "a": 24.0, "b": 27.0}


def between(one: str, other: str, matches: list[tuple[str, Match]]) -> Difference:
    """The difference of two bots in these matches."""
    blocks = counted(matches)
    table, solutions = fit_counts(blocks.counts())
    return difference_of(one, other, blocks, table, solutions)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_certain_where_two_are_told_apart(seed: int) -> None:
    """It is told from zero just where the rule for ranks tells two bots apart, in either direction."""
    matches = in_blocks(SKILLS | {"new": 25 + seed / 4}, 40, 4, seed)
    blocks = counted(matches)
    table, solutions = fit_counts(blocks.counts())
    (solution,) = solutions
    moves, sat = influences(blocks, solution)
    two = [solution.names.index(name) for name in ("old", "new")]
    means = [table.ratings[name].mu for name in ("old", "new")]
    above, below = told_apart(0, means, [moves[at] for at in two], [sat[at] for at in two])
    found = between("new", "old", matches)
    turned = between("old", "new", matches)
    assert found.certain == above - below == -turned.certain
    assert found.mu == means[1] - means[0] == -turned.mu
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.mu < found.high
    assert turned.low == pytest.approx(-found.high)
    assert turned.high == pytest.approx(-found.low)


def test_few_blocks_say_nothing() -> None:
    """Below ten blocks of either there is no interval, and neither is certainly better; nor if they never met."""
    matches = in_blocks({"old": 10, "new": 40}, FEWEST_BLOCKS - 1, 2, seed=1)
    found = between("new", "old", matches)
    assert found.mu > 0
    assert (found.low, found.high, found.certain) == (None, None, 0)
    assert between("new", "old", in_blocks({"old": 10, "new": 40}, FEWEST_BLOCKS, 2, seed=1)).certain == 1
    strangers = [*in_blocks({"old": 10, "x": 40}, 20, 2, 1), *in_blocks({"new": 10, "y": 40}, 20, 2, 2)]
    assert between("new", "old", strangers).certain == 0


def test_who_always_wins_has_no_upper_end_from_blocks() -> None:
    """If one is ahead in every match, the far end of the interval is at least as far as the prior lets it be."""
    matches: list[tuple[str, Match]] = [(f"e0b{at}", (("new", "old"), (0, 1))) for at in range(40)]
    found = between("new", "old", matches)
    assert found.low is not None
    assert found.high is not None
    assert found.certain == 1
    assert found.high - found.mu > 3


@pytest.mark.proof
def test_it_holds_what_it_says(record_property: object) -> None:
    """In 400 simulated runs of bots of equal skill among others, about 5 of 100 differences are called certain."""
    random = Random(7)
    skills = {"old": 25.0, "new": 25.0, "a": 23.0, "b": 28.0}
    wrong = sum(
        between("new", "old", in_blocks(skills, 30, 4, random.randrange(10**9))).certain != 0 for _ in range(400)
    )
    assert callable(record_property)
    record_property("wrong", wrong)
    assert 8 <= wrong <= 34
