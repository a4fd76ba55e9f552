"""From what is asked for to the settings of a game."""

import pytest
from msgspec.structs import replace

from arena.errors import UsageError
from arena.games import find
from arena.tournament.spec import seat_counts


def test_more_than_eight_seats_are_refused() -> None:
    """A game for more seats is played at up to eight; more seats, and a game that needs more, are refused by name."""
    large = replace(find("catch-of-the-day"), seats=range(4, 13), usual_seats=12)
    assert seat_counts(None, large, None) == (8,)
    assert seat_counts(None, large, 12) == (8,)
    assert seat_counts("7-8", large, 12) == (7, 8)
    with pytest.raises(UsageError, match="expected N or A-B within 4-8 for catch-of-the-day, got '9'"):
        seat_counts("9", large, 12)
    with pytest.raises(UsageError, match="expected a game for 8 seats or fewer, got catch-of-the-day, for 9 or more"):
        seat_counts(None, replace(large, seats=range(9, 13)), None)
