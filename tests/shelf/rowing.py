"""A game in which all seats share one score: at each stroke the boat moves once for each rower who pulls with the wind.

Who pulls with the wind is better, and no rower is ever ahead of another.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Annotated, Literal, TypeAlias

from msgspec import Struct, structs

from arena.chance import Chance
from arena.game import Chosen, Decision, Game, Outcome, Pending, Seat
from arena.values import Among, BySeat, InOrder, Upto

STROKES = 4
Side: TypeAlias = Literal["port", "starboard"]
SIDES: tuple[Side, ...] = ("port", "starboard")


class Pulled(Struct, frozen=True, tag="pulled", tag_field="type"):
    """What all see after a stroke."""

    sides: tuple[Side, ...]
    wind: Side

    def __str__(self) -> str:
        return f"The wind is to {self.wind}, and the boat moves {self.sides.count(self.wind)} lengths."


class Sight(Struct, frozen=True):
    """What a rower knows: the wind that is felt now, and the winds that were."""

    seat: Seat
    lengths: Annotated[int, Upto(STROKES * 4)]
    wind: Side
    winds: Annotated[tuple[Side, ...], InOrder(STROKES)]
    rowers: BySeat[Annotated[int, Among((0, 1))]]


class Boat(Struct):
    """The boat under way."""

    seats: int
    chance: Chance
    wind: Side
    winds: list[Side]
    lengths: int = 0

    def pending(self) -> Pending | Outcome:
        """All rowers pull at once."""
        if len(self.winds) == STROKES:
            return self.standing()
        return Pending({seat: Decision(SIDES) for seat in range(self.seats)})

    def apply(self, chosen: Chosen) -> list[Pulled]:
        """Take a stroke, and let the wind turn."""
        sides = tuple(chosen[seat][0] for seat in range(self.seats))
        pulled = Pulled(sides, self.wind)
        self.lengths += sides.count(self.wind)
        self.winds.append(self.wind)
        self.wind = SIDES[self.chance.below(2)]
        return [pulled]

    def observe(self, seat: Seat) -> Sight:
        """All feel the same wind."""
        return Sight(seat, self.lengths, self.wind, tuple(self.winds), (1,) * self.seats)

    def standing(self) -> Outcome:
        """One score for all."""
        return Outcome((0,) * self.seats, (self.lengths,) * self.seats)

    def copy(self) -> "Boat":
        """An independent boat."""
        return structs.replace(self, chance=self.chance.copy(), winds=self.winds[:])


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> Boat:  # noqa: ARG001 - as every deal is called
    """The first wind."""
    chance = Chance(seed)
    return Boat(seats, chance, SIDES[chance.below(2)], [])


def imagine(observation: Sight, chance: Chance) -> Boat:
    """The winds to come are unknown."""
    fresh = Chance(chance.word().to_bytes(8, "little"))
    return Boat(len(observation.rowers), fresh, observation.wind, list(observation.winds), observation.lengths)


def census(state: Boat) -> Counter[str]:
    """The rowers."""
    return Counter(rower=state.seats)


def redeal(state: Boat, _seat: Seat, rng: Random) -> Boat:
    """Other winds to come."""
    world = state.copy()
    world.chance.key = rng.randbytes(32)
    return world


def _winds(state: Boat, number: int) -> list[int]:
    chance = state.chance.copy()
    return [chance.below(2) for _ in range(number)]


LEAKS: dict[str, Callable[[Boat, Seat], object]] = {
    "the next wind": lambda state, seat: (seat, _winds(state, 1)),
    "the two next winds": lambda state, seat: (seat, _winds(state, 2)),
    "the key": lambda state, _: state.chance.key,
    "the chance": lambda state, seat: (state.observe(seat), state.chance),
}

UNHEARD = ("wind",)

GAME = Game(
    name="rowing",
    title="Rowing",
    version="1",
    seats=range(2, 5),
    usual_seats=2,
    deal=deal,
    imagine=imagine,
    state=Boat,
    observation=Sight,
    option=Literal["port", "starboard"],
    event=Pulled,
    objective="shared",
    bounds=lambda seats, _variants: (0, STROKES * seats),
)
