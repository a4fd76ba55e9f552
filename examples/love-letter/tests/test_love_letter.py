"""Love Letter keeps every law of arena, and its rules."""

from collections.abc import Callable

import book
import pytest
from love_letter import GAME

from arena.laws import LAWS, GameSetup, setups

SETUPS = setups(GAME, book)


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], setup: GameSetup) -> None:
    """Every law of arena holds at every number of seats."""
    law(setup)
