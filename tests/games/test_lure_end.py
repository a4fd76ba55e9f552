"""How Lure ends: the last round, the count, the ties, ruling by ruling."""

import pytest

from arena.game import Outcome
from arena.games.lure.events import Caught, Final, Reveal
from tests.shelf.games.lure import cast, rigged


def test_the_last_round_is_played_to_its_end() -> None:
    """Ruling 23: the round in which the deck becomes empty is the last; fish left over are worth nothing."""
    state = rigged(2, fish=["Sturgeon"], deck=["Bleak", "Pike"], faces=[1, 1, 5, 1], effects="off")
    events = cast(state, {})
    assert [event.fish.name for event in events if isinstance(event, Reveal)] == ["Bleak", "Pike"]
    assert (state.deck, state.step) == ([], "dice")
    events = cast(state, {})
    assert Caught(0, "Bleak", 1) in events
    assert events[-1] == Final((1, 0), (1, 0), (0, 1))
    assert state.pending() == Outcome((0, 1), (1, 0))
    assert [fish.name for fish in state.fish] == ["Sturgeon", "Pike"]


@pytest.mark.parametrize(
    ("piles", "boosts", "ranks", "scores"),
    [
        ([["Pike"], ["Carp", "Minnow"]], {}, (0, 1), (5, 5)),
        ([["Minnow"], []], {1: 1}, (1, 0), (1, 2)),
        ([["Chub", "Roach"], ["Tench", "Perch"]], {}, (0, 0), (5, 5)),
        ([["Chub"], ["Minnow"]], {1: 1}, (0, 0), (3, 3)),
        ([[], [], ["Minnow"]], {0: 1, 1: 1}, (0, 0, 2), (2, 2, 1)),
        ([["Pike"], ["Sturgeon"], ["Carp", "Bleak"], ["Char"]], {}, (1, 0, 3, 1), (5, 7, 5, 5)),
    ],
)
def test_places(
    piles: list[list[str]], boosts: dict[int, int], ranks: tuple[int, ...], scores: tuple[int, ...]
) -> None:
    """Ruling 25 and 35: most VP, then fewest fish (Boosts are none), then shared, on every place; the score is VP."""
    seats = len(piles)
    state = rigged(seats, fish=["Catfish"], score_piles=dict(enumerate(piles)), boosts=boosts, faces=[1] * seats)
    before = state.standing()
    cast(state, {})
    assert state.pending() == before == Outcome(ranks, scores)
