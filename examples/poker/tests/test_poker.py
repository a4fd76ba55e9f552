"""Both games of poker keep every law of arena, and their rules."""

from collections.abc import Callable

import pytest
from books import OfKuhn, OfLeduc
from poker import kuhn, leduc

from arena.chance import Chance
from arena.game import CHANCE, ChanceNode
from arena.laws import LAWS, GameSetup, setups

SETUPS = setups(kuhn.GAME, OfKuhn()) + setups(leduc.GAME, OfLeduc())


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], setup: GameSetup) -> None:
    """Every law of arena holds at every number of seats."""
    law(setup)


@pytest.mark.parametrize(
    ("acts", "won"),
    [
        ("pass pass", (-1, 1)),
        ("bet pass", (1, -1)),
        ("bet bet", (-2, 2)),
        ("pass bet pass", (-1, 1)),
        ("pass bet bet", (-2, 2)),
    ],
)
def test_kuhn(acts: str, won: tuple[int, int]) -> None:
    """Seat 0 holds the lower card: a pass after a bet folds, and a bet is called by a bet."""
    state = kuhn.Kuhn(Chance(bytes(32)), 2, [0, 2])
    for number, act in enumerate(acts.split()):
        state.apply({number % 2: (act,)})
    assert state.pending() == state.standing()
    assert state.standing().scores == won


@pytest.mark.parametrize(
    ("acts", "won"),
    [
        ("call call call call", (1, -1)),
        ("raise fold", (1, -1)),
        ("raise call raise fold", (3, -3)),
        ("raise raise call raise raise call", (13, -13)),
        ("raise raise call raise raise fold", (-9, 9)),
    ],
)
def test_leduc(acts: str, won: tuple[int, int]) -> None:
    """Seat 0 has a pair with the table: a raise is 2 chips in the first round, and 4 in the second."""
    state = leduc.Leduc(Chance(bytes(32)), [0, 4])
    for act in acts.split():
        turn = state.turn()
        if isinstance(turn, ChanceNode):
            state.move({CHANCE: (1,)})
            turn = state.turn()
        assert not isinstance(turn, ChanceNode)
        (seat,) = turn.decisions  # type: ignore[union-attr]  # the match goes on
        state.move({seat: (act,)})
    assert state.turn() == state.standing()
    assert state.standing().scores == won
