"""A game whose scores have decimals: the toy, in which each fish is worth a dime, and a seat pays half a dollar."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from arena.chance import Chance
from arena.game import Game, Outcome
from tests.shelf.toy import FISH, LEAKS, SCENARIOS, Sight, ToyState, census, redeal
from tests.shelf.toy import GAME as TOY

__all__ = ["GAME", "LEAKS", "SCENARIOS", "census", "redeal"]


FEE = 5


class Coins(ToyState):
    """The table; what has been won is told in dollars."""

    def standing(self) -> Outcome:
        """Most fish first."""
        end = super().standing()
        return Outcome(end.ranks, tuple([(fish - FEE) / 10 for fish in end.scores]))


def as_coins(state: Any) -> Coins:
    """The same table."""
    return Coins(**{name: getattr(state, name) for name in ToyState.__struct_fields__})


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> Coins:
    """As the toy."""
    return as_coins(TOY.deal(seats, seed, variants))


def imagine(observation: Sight, chance: Chance) -> Coins:
    """As the toy."""
    return as_coins(TOY.imagine(observation, chance))


GAME: Game = replace(
    TOY,
    name="coins",
    title="Coins",
    deal=deal,
    imagine=imagine,
    state=Coins,
    objective="score",
    decimals=1,
    bounds=lambda _seats, _variants: (-FEE / 10, (FISH - FEE) / 10),
)
