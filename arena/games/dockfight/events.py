"""What players may choose and what the table sees in Dockfight. Knows no rules and no state.

All events are public: a card that enters or leaves a LIVEWELL after the deal is seen by everyone (ruling 36).
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat


def _days(days: tuple[int, ...]) -> str:
    return f"Day{'s' * (len(days) > 1)} {', '.join(map(str, days))}" if days else "nothing"


class Cut(Struct, frozen=True, tag="cut", tag_field="type", gc=False):
    """The option Cut a Stringer: one card of ``opponent``'s set of this Day."""

    opponent: Seat
    day: int

    def __str__(self) -> str:
        return f"cut seat {self.opponent}'s set of Day {self.day}"


Move: TypeAlias = Literal["swipe"] | Cut
"""A Burn-3 move."""

Option: TypeAlias = Literal["stop", "hit", "none", "swipe"] | Cut | int
"""Any option of the game; an integer is a Day card to burn."""


class Hit(Struct, frozen=True, tag="hit", tag_field="type", gc=False):
    """A card was drawn into the CAST."""

    seat: Seat
    day: int

    def __str__(self) -> str:
        return f"seat {self.seat} HITs and draws Day {self.day}"


class Bust(Struct, frozen=True, tag="bust", tag_field="type", gc=False):
    """The CAST held one Day twice and went to the DISCARD PILE, whole."""

    seat: Seat
    cast: tuple[int, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} BUSTs and discards {_days(self.cast)}"


class Dock(Struct, frozen=True, tag="dock", tag_field="type", gc=False):
    """Fisherman Frank went back to the DOCK from the player who bust."""

    seat: Seat

    def __str__(self) -> str:
        return f"Fisherman Frank leaves seat {self.seat} for the DOCK"


class Stop(Struct, frozen=True, tag="stop", tag_field="type", gc=False):
    """A player stopped and moved the CAST into the LIVEWELL (AUTO-BANK)."""

    seat: Seat
    cast: tuple[int, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} STOPs and banks {_days(self.cast)}"


class Burn(Struct, frozen=True, tag="burn", tag_field="type", gc=False):
    """Three cards went from a LIVEWELL to the DISCARD PILE."""

    seat: Seat
    days: tuple[int, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} burns {_days(self.days)}"


class Swipe(Struct, frozen=True, tag="swipe", tag_field="type", gc=False):
    """Fisherman Frank was taken from ``holder``, or from the DOCK if that is None."""

    seat: Seat
    holder: Seat | None

    def __str__(self) -> str:
        place = "the DOCK" if self.holder is None else f"seat {self.holder}"
        return f"seat {self.seat} swipes Fisherman Frank from {place}"


class StringerCut(Struct, frozen=True, tag="cut", tag_field="type", gc=False):
    """A card of an opponent's set went into the LIVEWELL of ``seat``; the other two are a BROKEN HAUL."""

    seat: Seat
    opponent: Seat
    day: int

    def __str__(self) -> str:
        return f"seat {self.seat} cuts seat {self.opponent}'s set of Day {self.day} and takes one card of it"


class Build(Struct, frozen=True, tag="build", tag_field="type", gc=False):
    """Three of a kind were laid from the LIVEWELL into STRINGERS."""

    seat: Seat
    day: int

    def __str__(self) -> str:
        return f"seat {self.seat} builds a set of Day {self.day}"


class Rebuild(Struct, frozen=True, tag="rebuild", tag_field="type", gc=False):
    """A BROKEN HAUL got its third card from the LIVEWELL and went into STRINGERS."""

    seat: Seat
    day: int

    def __str__(self) -> str:
        return f"seat {self.seat} rebuilds its broken haul of Day {self.day}"


class Win(Struct, frozen=True, tag="win", tag_field="type", gc=False):
    """A player ended a turn with Fisherman Frank and three sets or more."""

    seat: Seat

    def __str__(self) -> str:
        return f"seat {self.seat} wins with Fisherman Frank"


class FinalScore(Struct, frozen=True, tag="final", tag_field="type", gc=False):
    """Nobody won, and the STRINGERS of all seats were compared."""

    reason: Literal["empty", "stalled"]
    stringers: tuple[tuple[int, ...], ...]
    ranks: tuple[int, ...]

    def __str__(self) -> str:
        why = "the draw pile is empty" if self.reason == "empty" else "all turns have stalled"
        sets = "; ".join(
            f"seat {seat} is placed {rank + 1} with sets of {_days(days)}"
            for seat, (days, rank) in enumerate(zip(self.stringers, self.ranks, strict=True))
        )
        return f"Final Score as {why}: {sets}"


Event: TypeAlias = Hit | Bust | Dock | Stop | Burn | Swipe | StringerCut | Build | Rebuild | Win | FinalScore
