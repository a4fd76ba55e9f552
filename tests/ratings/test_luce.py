"""Who finishes ahead of whom given everybody at the table: by hand, by laws, and back from what it leads to."""

from itertools import product
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.collusion import Table, shares, strengths_of

ONE, TWO, THREE = 0.0, log(2), log(3)


def test_three_bots_by_hand() -> None:
    """With weights 1, 2 and 3: whoever wins all is chosen once; whoever loses all is left over; ranks go by pairs."""
    alone = shares([ONE, TWO, THREE], (1, 2))
    assert alone[0][1] == pytest.approx(0.5 + (1 / 6 - 2 / 6) / 2)
    assert alone[2][0] == pytest.approx(0.5 + (3 / 6 - 1 / 6) / 2)
    last = shares([ONE, TWO, THREE], (2, 1))
    # the first two are 0 and 2, or 1 and 2, in either order
    here, there = 1 / 6 * 3 / 5 + 3 / 6 * 1 / 3, 2 / 6 * 3 / 4 + 3 / 6 * 2 / 3
    assert last[0][1] == pytest.approx(0.5 + (here - there) / 2)
    assert shares([ONE, TWO, THREE], (1, 1, 1))[1][2] == pytest.approx(2 / 5)


SHAPES = [shape for size in range(1, 6) for shape in product((1, 2, 3), repeat=size) if 2 <= sum(shape) <= 5]


@given(
    st.sampled_from(SHAPES).flatmap(
        lambda shape: st.tuples(st.lists(st.floats(-4, 4), min_size=sum(shape), max_size=sum(shape)), st.just(shape))
    )
)
def test_shares_are_shares(given_: tuple[list[float], tuple[int, ...]]) -> None:
    """Two shares of a pair add up to 1, and the stronger one has the greater; where all tie it is a half."""
    strengths, shape = given_
    found = shares(strengths, shape)
    for one, here in enumerate(strengths):
        for two, there in enumerate(strengths):
            assert found[one][two] + found[two][one] == pytest.approx(1)
            if here > there + 1e-6:
                assert found[one][two] >= 0.5 - 1e-9
    if len(shape) == 1:
        assert found[0][1] == 0.5


def test_a_weak_neighbour_raises_a_share() -> None:
    """Where the first wins all, the better of two is further ahead of the other beside weak ones."""
    among = [shares([1.0, 0.0, other, other], (1, 3))[0][1] for other in (-2.0, 2.0)]
    assert among[0] > among[1] + 0.05
    by_rank = [shares([1.0, 0.0, other, other], (1, 1, 1, 1))[0][1] for other in (-2.0, 2.0)]
    assert by_rank == pytest.approx([exp(1) / (1 + exp(1))] * 2)


def test_strengths_are_found_again() -> None:
    """Shares that follow from strengths lead back to their differences; shares that follow from none do not settle."""
    planted = [-1.5, 0.0, 0.4, 2.0, -0.3]
    tables: dict[Table, int] = {
        ((0, 1, 2), (1, 2)): 40,
        ((1, 2, 3), (2, 1)): 60,
        ((0, 3, 4), (1, 1, 1)): 50,
        ((1, 2, 3, 4), (1, 3)): 70,
    }
    ahead = [0.0] * 5
    for (seated, shape), matches in tables.items():
        for bot, row in zip(seated, shares([planted[bot] for bot in seated], shape), strict=True):
            ahead[bot] += matches * (sum(row) - 0.5)
    found = strengths_of(5, tables, ahead)
    assert found is not None
    assert [each - found[1] for each in found] == pytest.approx(planted, abs=0.05)
    assert strengths_of(2, {((0, 1), (1, 1)): 10}, [10.0, 10.0]) is None
