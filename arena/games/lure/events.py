"""What players may choose and what the table sees in Lure, or one seat alone. Knows the cards and no rule of play.

``DrawnLure`` is whispered to the seat that draws; all the others are public.
"""

from typing import Annotated, Literal, TypeAlias

from arena.game import Seat, Whisper
from arena.games.lure.cards import D6S, SIDES, SPECIAL_DICE, Die, Fish, Lure, OnReveal
from arena.structs import Phrase, list_seats, listed, places
from arena.values import LEFT_OUT, Among
from arena.words import plural


class Adjustment(Phrase, frozen=True, tag="adjust"):
    """Use one Adjust on one die: ``by`` is 1 or -1."""

    at: Annotated[int, Among(tuple(range(D6S + len(SPECIAL_DICE))))]
    """Index of the die in the roll."""
    die: Annotated[Die, LEFT_OUT]
    number: Annotated[int, LEFT_OUT]
    """What it shows now."""
    by: Annotated[int, Among((1, -1))]

    def __str__(self) -> str:
        return f"adjust die {self.at} (a {self.die}) from {self.number} to {self.number + self.by}"


DONE: Literal["done"] = "done"

Option: TypeAlias = Die | Lure | Literal["done"] | Adjustment
"""Any option of the game."""

ADJUSTMENTS: dict[tuple[int, Die, int], tuple[Adjustment, ...]] = {
    (index, die, number): tuple(Adjustment(index, die, number, by) for by in (1, -1) if 1 <= number + by <= sides)
    for index in range(D6S + len(SPECIAL_DICE))
    for die, sides in SIDES.items()
    for number in range(1, sides + 1)
}
"""The adjustments of a die still in its range (7), by its index, kind and number: made once."""


class Event(Phrase, frozen=True):
    """What the table sees."""


class Draw(Event, frozen=True, tag="draw"):
    """A seat drew a lure."""

    seat: Seat
    weight = 0
    words = "seat {seat} draws a lure"


class DrawnLure(Event, frozen=True, tag="lure"):
    """Which lure the seat drew: it alone hears this."""

    seat: Seat
    lure: Lure
    words = "the lure of seat {seat} is: {lure}"


class Reshuffle(Event, frozen=True, tag="reshuffle"):
    """The draw pile was empty: these discarded lures were shuffled into a new one."""

    lures: tuple[Lure, ...]
    weight = 0
    words = "the discarded lures are shuffled into a new pile: {lures}"


class NoLure(Event, frozen=True, tag="no lure"):
    """A seat should have drawn a lure, but draw pile and discard pile were empty."""

    seat: Seat
    weight = 0
    words = "seat {seat} finds no lure to draw"


class Round(Event, frozen=True, tag="round"):
    """A round begins."""

    number: int
    weight = 0
    words = "round {number} begins"


class Reveal(Event, frozen=True, tag="reveal"):
    """A fish was revealed; ``effect`` is what happens next because of it, if anything."""

    fish: Fish
    effect: OnReveal | None

    def __str__(self) -> str:
        return f"{self.fish} is revealed" + (f": {self.effect}" if self.effect else "")


class Cast(Event, frozen=True, tag="cast"):
    """What a seat has chosen, now that all have."""

    seat: Seat
    dice: tuple[Die, ...]
    lures: tuple[Lure, ...]
    weight = 0

    def __str__(self) -> str:
        return f"seat {self.seat} casts {listed(self.dice)}" + (f" with {listed(self.lures)}" if self.lures else "")


class Roll(Event, frozen=True, tag="roll"):
    """What the dice of a seat show, in the order of its cast; ``total`` counts the Extra Dice too."""

    seat: Seat
    numbers: tuple[int, ...]
    total: int
    words = "seat {seat} rolls {numbers} (total {total})"


class Adjusted(Event, frozen=True, tag="adjusted"):
    """What the dice of a seat show after its Adjusts, now that the group is done."""

    seat: Seat
    numbers: tuple[int, ...]
    total: int
    words = "seat {seat} adjusts to {numbers} (total {total})"


class Caught(Event, frozen=True, tag="caught"):
    """A fish went from the middle into a score pile."""

    seat: Seat
    fish: str
    vp: int
    weight = 2
    words = "seat {seat} catches {fish} for {vp} VP"


class Tied(Event, frozen=True, tag="tied"):
    """These seats share the lowest total of those that can catch a fish, so it stays in the middle."""

    seats: tuple[Seat, ...]
    fish: str
    weight = 2

    def __str__(self) -> str:
        return f"{list_seats(self.seats)} tie for {self.fish}: nobody gets it"


class Boosted(Event, frozen=True, tag="boosted"):
    """A seat that caught something scored its Boosts."""

    seat: Seat
    boosts: int
    vp: int
    weight = 2

    def __str__(self) -> str:
        return f"seat {self.seat} scores {plural(self.boosts, 'boost')} for {self.vp} VP"


class Discard(Event, frozen=True, tag="discard"):
    """A seat discarded lures it had played."""

    seat: Seat
    lures: tuple[Lure, ...]
    weight = 0
    words = "seat {seat} discards {lures}"


class RunOut(Event, frozen=True, tag="run out"):
    """No fish is left in the middle: these seats do not roll this round."""

    seats: tuple[Seat, ...]

    def __str__(self) -> str:
        return f"no fish is left for {list_seats(self.seats)}"


class Final(Event, frozen=True, tag="final"):
    """The end: by seat victory points, number of fish and rank, 0 being best."""

    vp: tuple[int, ...]
    fish: tuple[int, ...]
    ranks: tuple[int, ...]
    weight = 0

    def __str__(self) -> str:
        return f"the game is over: {places(self.ranks, '{} VP with {} fish', self.vp, self.fish)}"


Notice: TypeAlias = Event | Whisper
"""What ``apply`` returns: an event for all, or one for some."""
