"""Night Nets keeps every law of arena, its own rulings, and its goldens."""

from collections.abc import Callable
from pathlib import Path

import book
import pytest
from night_nets import GAME
from night_nets.rules import Cast, Hauled, NightNets, Scout, Sighted, deal

from arena.chance import Chance
from arena.game import Whisper
from arena.laws import LAWS, GameSetup, golden, setups

GOLDENS = Path(__file__).parent / "goldens"
SETUPS = setups(GAME, book)


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], setup: GameSetup) -> None:
    """Every law of arena holds at every number of seats, with every value of a variant."""
    law(setup)


@pytest.mark.parametrize("name", golden.goldens(SETUPS))
def test_golden(name: str) -> None:
    """The matches written down are still played in the same way; this file run as a script writes them again."""
    assert golden.golden(golden.goldens(SETUPS)[name]) == (GOLDENS / name).read_text("ascii")


def rigged(*casts: str) -> Hauled:
    """Shoals of 7, 4 and 2, and nets cast at these grounds; what was hauled."""
    seats = range(len(casts))
    state = NightNets(Chance(bytes(32)), 6, [1, 1, 1], [7, 4, 2], [0 for _ in seats])
    state.apply({seat: (Scout("reef"),) for seat in seats})
    (haul,) = state.apply({seat: (Cast(ground),) for seat, ground in enumerate(casts)})
    assert isinstance(haul, Hauled)
    return haul


def test_a_shared_shoal_is_divided() -> None:
    """Two nets at a shoal of seven catch three each, and one of them the fish that is left over."""
    haul = rigged("shallows", "shallows", "reef")
    assert sorted(haul.catches[:2]) == [3, 4]
    assert haul.catches[2] == 4


def test_a_shoal_without_a_net_gets_away() -> None:
    """Fish at a ground without a net are nobody's."""
    assert sum(rigged("reef", "reef").catches) == 4


def test_a_scout_is_told_of_its_own_ground_alone() -> None:
    """Each scout hears of the shoal it looked at; neither then nor afterwards is anyone told where the others were."""
    state = deal(2, bytes(32), GAME.resolve_variants({}))
    events = state.apply({0: (Scout("deep"),), 1: (Scout("reef"),)})
    shoals = state.shoals
    assert events == [Whisper((0,), Sighted("deep", shoals[2])), Whisper((1,), Sighted("reef", shoals[1]))]
    (haul,) = state.apply({0: (Cast("reef"),), 1: (Cast("reef"),)})
    assert haul == Hauled(tuple(shoals), ("reef", "reef"), state.hauls[0].catches)
    assert state.observe(0).sighted is None


if __name__ == "__main__":
    golden.renew(SETUPS, GOLDENS)
