"""How many blocks a number of matches makes."""

from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.plan import blocks_of, rounded


@given(st.integers(1, 10_000), st.integers(2, 8), st.integers(0, 6))
def test_whole_blocks(matches: int, first: int, more: int) -> None:
    """Rounding up to whole blocks gives enough matches in even shares, and the same when it is done again."""
    seats = range(first, min(first + more, 8) + 1)
    whole = rounded(matches, seats)
    assert whole >= matches
    assert rounded(whole, seats) == whole
    assert blocks_of(whole, seats) == blocks_of(matches, seats)
    assert len(seats) > 1 or whole < matches + first
    shares = [count * blocks for count, blocks in blocks_of(matches, seats).items()]
    assert max(shares) - min(shares) < max(seats)
