"""What a seat may pick in Lure: dice by name, lures by name, and how to use an Adjust. Knows no rule of play."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from arena.games.lure.cards import D6S, SIDES, SPECIAL_DICE, Die, Lure


class Adjustment(Struct, frozen=True, tag="adjust", tag_field="type", gc=False):
    """Use one Adjust on one die: ``by`` is 1 or -1."""

    at: int
    """Index of the die in the roll."""
    die: Die
    number: int
    """What it shows now."""
    by: int

    def __str__(self) -> str:
        return f"adjust die {self.at} (a {self.die}) from {self.number} to {self.number + self.by}"


DONE: Final = "done"

Option: TypeAlias = Die | Lure | Literal["done"] | Adjustment
"""Any option of the game."""

ADJUSTMENTS: Final[dict[tuple[int, Die, int], tuple[Adjustment, ...]]] = {
    (at, die, number): tuple(Adjustment(at, die, number, by) for by in (1, -1) if 1 <= number + by <= sides)
    for at in range(D6S + len(SPECIAL_DICE))
    for die, sides in SIDES.items()
    for number in range(1, sides + 1)
}
"""The adjustments of a die still in its range (7), by its index, kind and number: made once."""
