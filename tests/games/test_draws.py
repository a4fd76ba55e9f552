"""Every kind of draw in every game is even: chi-squared tests on fixed seeds, which can fail by a flaw alone."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.chance import Chance
from arena.game import Pending
from arena.games import find
from arena.games.cash_a_catch.events import Bought
from arena.games.catch_of_the_day.events import Rolled
from arena.games.fish_food.rules import FishFood
from arena.games.lure.events import Cast, Roll
from tests.test_chance import is_fair, uniformity

DEALS = 900


def dealt(name: str, seats: int, number: int) -> Any:
    """One of many deals."""
    game = find(name)
    return game.deal(seats, number.to_bytes(32, "big"), game.resolve_variants({}))


def opened(name: str, seats: int) -> Iterator[Any]:
    """Many deals, each after its opening."""
    for number in range(DEALS):
        state = dealt(name, seats, number)
        pending = state.pending()
        if isinstance(pending, Pending) and not pending.decisions:
            state.apply({})
        yield state


FIRST: dict[str, Callable[[Any], int]] = {
    "cash-a-catch": lambda state: state.auctioneer,
    "dockfight": lambda state: state.turn,
    "fish-food": lambda state: state.current_player,
}


@pytest.mark.parametrize("name", FIRST)
def test_who_begins(name: str) -> None:
    """Each seat begins equally often."""
    for seats in find(name).seats:
        assert is_fair(uniformity((FIRST[name](dealt(name, seats, number)) for number in range(DEALS)), seats))


def test_who_is_fastest_at_the_bell() -> None:
    """Of all who ring on one beat each buys equally often, wherever the auctioneer sits."""
    buyers = []
    for state in opened("cash-a-catch", 5):
        events = state.apply(dict.fromkeys(state.pending().decisions, ("ring",)))
        bought = next(event for event in events if isinstance(event, Bought))
        buyers.append((bought.seat - state.auctioneer) % 5 if state.buyer is not None else None)
    assert is_fair(uniformity([buyer for buyer in buyers if buyer is not None], 4))


def test_when_the_market_closes() -> None:
    """Market closed lies at each of the last six places equally often."""
    places = (dealt("cash-a-catch", 4, number).deck[:6].index("market closed") for number in range(DEALS))
    assert is_fair(uniformity(places, 6))


def test_dice_from_the_bag() -> None:
    """On the market, each color comes out of a full bag equally often and each face falls equally often."""
    colors, faces = [], []
    for number in range(DEALS):
        (rolled,) = [event for event in dealt("catch-of-the-day", 4, number).apply({}) if isinstance(event, Rolled)]
        for color in ("dorado", "rosefish", "tuna"):
            pips = getattr(rolled, color)
            faces += pips
            colors += [color] * len(pips)
    assert len(faces) == 8 * DEALS
    assert is_fair(uniformity(faces, 6))
    assert is_fair(uniformity(colors, 3))


def test_dice_of_anglers() -> None:
    """Each die, six, twelve or twenty sides, shows each of its numbers equally often."""
    shown: dict[str, list[int]] = defaultdict(list)
    for number in range(160):
        state = dealt("lure", 4, number)
        dice = Chance(b"anglers", number)
        cast: dict[int, tuple[str, ...]] = {}
        while isinstance(pending := state.pending(), Pending):
            chosen = {}
            for seat, decision in pending.decisions.items():
                left = list(decision.options)
                wanted = decision.least + dice.below(decision.most - decision.least + 1)
                chosen[seat] = tuple([left.pop(dice.below(len(left))) for _ in range(wanted)])
            for event in state.apply(chosen):
                if isinstance(event, Cast):
                    cast[event.seat] = event.dice
                elif isinstance(event, Roll):
                    for die, value in zip(cast[event.seat], event.numbers, strict=False):
                        shown[die].append(value)
    assert set(shown) == {"d6", "d12", "d20"}
    for die, values in shown.items():
        assert is_fair(uniformity(values, int(die[1:])))


def test_what_is_lost_at_sea() -> None:
    """A robbed hand loses each of its cards equally often."""
    lost = []
    for number in range(DEALS):
        state = dealt("fish-food", 2, number)
        assert isinstance(state, FishFood)
        state.hands = [["Stun"], ["Fish Food", "Caught in the Net", "Sunken Treasure", "Swim Away", "Switcheroo"]]
        state.rob(0, victim=1, most=1, events=[])
        lost.append(next(card for card in state.hands[0] if card != "Stun"))
    assert is_fair(uniformity(lost, 5))
