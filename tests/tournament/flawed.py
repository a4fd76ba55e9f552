"""A toy game with a flaw: every other deal raises in the middle of a match. For lanes to find by an entry point."""

from collections.abc import Mapping

from msgspec import structs

from arena.game import Chosen
from tests.shelf import toy


class FlawedState(toy.ToyState):
    def apply(self, chosen: Chosen) -> list[object]:
        if self.discards and self.chance.key[0] % 2:
            raise ArithmeticError("this deal cannot be played")
        return super().apply(chosen)


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> FlawedState:
    """The toy's deal, flawed."""
    return FlawedState(**structs.asdict(toy.deal(seats, seed, variants)))


GAME = structs.replace(toy.GAME, name="flawed", deal=deal, state=FlawedState)
