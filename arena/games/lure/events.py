"""What the table sees in Lure, and what one seat alone sees. Knows the cards and no rule of play.

``DrawnLure`` is whispered to the seat that draws; all the others are public.
"""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from arena.game import Seat, Whisper
from arena.games.lure.cards import Die, Fish, Lure, OnReveal


def _listed(words: Sequence[object]) -> str:
    return ", ".join(map(str, words))


def _seats(seats: Sequence[Seat]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats)


class Draw(Struct, frozen=True, tag="draw", tag_field="type", gc=False):
    """A seat drew a lure."""

    seat: Seat

    def __str__(self) -> str:
        return f"seat {self.seat} draws a lure"


class DrawnLure(Struct, frozen=True, tag="lure", tag_field="type", gc=False):
    """Which lure the seat drew: it alone hears this."""

    seat: Seat
    lure: Lure

    def __str__(self) -> str:
        return f"the lure of seat {self.seat} is: {self.lure}"


class Reshuffle(Struct, frozen=True, tag="reshuffle", tag_field="type", gc=False):
    """The draw pile was empty: these discarded lures were shuffled into a new one."""

    lures: tuple[Lure, ...]

    def __str__(self) -> str:
        return f"the discarded lures are shuffled into a new pile: {_listed(self.lures)}"


class NoLure(Struct, frozen=True, tag="no lure", tag_field="type", gc=False):
    """A seat should have drawn a lure, but draw pile and discard pile were empty."""

    seat: Seat

    def __str__(self) -> str:
        return f"seat {self.seat} finds no lure to draw"


class Round(Struct, frozen=True, tag="round", tag_field="type", gc=False):
    """A round begins."""

    number: int

    def __str__(self) -> str:
        return f"round {self.number} begins"


class Reveal(Struct, frozen=True, tag="reveal", tag_field="type", gc=False):
    """A fish was revealed; ``effect`` is what happens next because of it, if anything."""

    fish: Fish
    effect: OnReveal | None

    def __str__(self) -> str:
        return f"{self.fish} is revealed" + (f": {self.effect}" if self.effect else "")


class Cast(Struct, frozen=True, tag="cast", tag_field="type", gc=False):
    """What a seat has chosen, now that all have."""

    seat: Seat
    dice: tuple[Die, ...]
    lures: tuple[Lure, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} casts {_listed(self.dice)}" + (f" with {_listed(self.lures)}" if self.lures else "")


class Roll(Struct, frozen=True, tag="roll", tag_field="type", gc=False):
    """What the dice of a seat show, in the order of its cast; ``total`` counts the Extra Dice too."""

    seat: Seat
    numbers: tuple[int, ...]
    total: int

    def __str__(self) -> str:
        return f"seat {self.seat} rolls {_listed(self.numbers)} (total {self.total})"


class Adjusted(Struct, frozen=True, tag="adjusted", tag_field="type", gc=False):
    """What the dice of a seat show after its Adjusts, now that the group is done."""

    seat: Seat
    numbers: tuple[int, ...]
    total: int

    def __str__(self) -> str:
        return f"seat {self.seat} adjusts to {_listed(self.numbers)} (total {self.total})"


class Caught(Struct, frozen=True, tag="caught", tag_field="type", gc=False):
    """A fish went from the middle into a score pile."""

    seat: Seat
    fish: str
    vp: int

    def __str__(self) -> str:
        return f"seat {self.seat} catches {self.fish} for {self.vp} VP"


class Tied(Struct, frozen=True, tag="tied", tag_field="type", gc=False):
    """These seats share the lowest total of those that can catch a fish, so it stays in the middle."""

    seats: tuple[Seat, ...]
    fish: str

    def __str__(self) -> str:
        return f"{_seats(self.seats)} tie for {self.fish}: nobody gets it"


class Boosted(Struct, frozen=True, tag="boosted", tag_field="type", gc=False):
    """A seat that caught something scored its Boosts."""

    seat: Seat
    boosts: int
    vp: int

    def __str__(self) -> str:
        return f"seat {self.seat} scores {self.boosts} boost{'s' * (self.boosts > 1)} for {self.vp} VP"


class Discard(Struct, frozen=True, tag="discard", tag_field="type", gc=False):
    """A seat discarded lures it had played."""

    seat: Seat
    lures: tuple[Lure, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} discards {_listed(self.lures)}"


class RunOut(Struct, frozen=True, tag="run out", tag_field="type", gc=False):
    """No fish is left in the middle: these seats do not roll this round."""

    seats: tuple[Seat, ...]

    def __str__(self) -> str:
        return f"no fish is left for {_seats(self.seats)}"


class Final(Struct, frozen=True, tag="final", tag_field="type", gc=False):
    """The end: by seat victory points, number of fish and rank, 0 being best."""

    vp: tuple[int, ...]
    fish: tuple[int, ...]
    ranks: tuple[int, ...]

    def __str__(self) -> str:
        places = (
            f"seat {seat} has {vp} VP with {fish} fish (place {rank + 1})"
            for seat, (vp, fish, rank) in enumerate(zip(self.vp, self.fish, self.ranks, strict=True))
        )
        return f"the game is over: {_listed(list(places))}"


Event: TypeAlias = (
    Draw
    | DrawnLure
    | Reshuffle
    | NoLure
    | Round
    | Reveal
    | Cast
    | Roll
    | Adjusted
    | Caught
    | Tied
    | Boosted
    | Discard
    | RunOut
    | Final
)
"""Any event of the game."""

Told: TypeAlias = Event | Whisper
"""What ``apply`` returns: an event for all, or one for some."""
