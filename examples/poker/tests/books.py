"""What the rules say of both games, for the laws: what is in the box, what a seat may not know, leaks to be found."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from poker.kuhn import Kuhn
from poker.leduc import CARDS, SEATS, Leduc

from arena.chance import Chance
from arena.game import Seat


class OfKuhn:
    """Kuhn's poker."""

    @staticmethod
    def census(state: Any) -> Counter[str]:
        """A deck with one card more than there are seats."""
        left = [card for card in range(state.seats + 1) if card not in state.cards]
        return Counter(f"card {card}" for card in [*state.cards, *left])

    @staticmethod
    def redeal(state: Kuhn, seat: Seat, rng: Random) -> Kuhn:
        """Other cards for all others."""
        world = state.copy()
        own = state.cards[seat : seat + 1]
        others = [card for card in range(state.seats + 1) if card not in own]
        rng.shuffle(others)
        world.cards = [*others[:seat], *own, *others[seat:]][: len(state.cards)]
        world.chance = Chance(rng.randbytes(32))
        return world

    LEAKS: dict[str, Callable[[Any, Seat], object]] = {  # noqa: RUF012 - it is looked at alone
        "the next seat's card": lambda state, seat: state.observe((seat + 1) % state.seats).card,
        "the highest card": lambda state, seat: (seat, max(state.cards, default=-1)),
        "the card that is left": lambda state, seat: (seat, sum(state.cards)),
        "the chance": lambda state, seat: (seat, state.chance),
    }


class OfLeduc:
    """Leduc hold'em."""

    @staticmethod
    def census(state: Any) -> Counter[str]:
        """Six cards."""
        left = [card for card in range(CARDS) if card not in state.cards]
        return Counter(f"card {card}" for card in [*state.cards, *left])

    @staticmethod
    def redeal(state: Leduc, seat: Seat, rng: Random) -> Leduc:
        """Another card for the other seat."""
        world = state.copy()
        if len(state.cards) >= SEATS:
            seen = {state.cards[seat], *state.cards[SEATS:]}
            world.cards[1 - seat] = rng.choice([card for card in range(CARDS) if card not in seen])
        world.chance = Chance(rng.randbytes(32))
        return world

    LEAKS: dict[str, Callable[[Any, Seat], object]] = {  # noqa: RUF012 - likewise
        "the other's card": lambda state, seat: state.observe(1 - seat).card,
        "the higher card": lambda state, seat: (seat, max(state.cards, default=-1)),
        "who wins": lambda state, seat: (seat, state.standing()),
        "the chance": lambda state, seat: (seat, state.chance),
    }
