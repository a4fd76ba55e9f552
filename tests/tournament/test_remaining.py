"""What is recorded of a schedule, by match ids."""

from itertools import product

from arena.tournament.remaining import Recorded


def test_more_rotations_than_eight_are_counted_rightly() -> None:
    """A block of a game for many seats has a rotation for each: none is taken for a match of the next block."""
    recorded = Recorded()
    recorded.add("e0b0r9")
    recorded.add("e0b0r9")
    assert "e0b0r9" in recorded
    assert len(recorded) == 1
    assert not any(match in recorded for match in ("e0b1r1", "e0b9r0", "e0b0r1", "e1b0r9"))
    for block, rotation in product(range(20), range(12)):
        recorded.add(f"e1b{block}r{rotation}")
    assert len(recorded) == 1 + 20 * 12
    assert "e1b20r0" not in recorded
