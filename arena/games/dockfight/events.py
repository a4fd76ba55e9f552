"""What players may choose and what the table sees in Dockfight. Knows the cards, no rules and no state.

All events are public: a card that enters or leaves a LIVEWELL after the deal is seen by everyone (ruling 36).
"""

from typing import Literal, TypeAlias

from arena.game import Seat
from arena.games.dockfight.cards import Day
from arena.structs import Phrase


def _days(days: tuple[int, ...]) -> str:
    return f"Day{'s' * (len(days) > 1)} {', '.join(map(str, days))}" if days else "nothing"


class Cut(Phrase, frozen=True, tag="cut"):
    """The option Cut a Stringer: one card of ``opponent``'s set of this Day."""

    opponent: Seat
    day: Day
    words = "cut seat {opponent}'s set of Day {day}"


Move: TypeAlias = Literal["swipe"] | Cut
"""A Burn-3 move."""

Option: TypeAlias = Literal["stop", "hit", "none", "swipe"] | Cut | Day
"""Any option of the game; an integer is a Day card to burn."""


class Event(Phrase, frozen=True):
    """What the table sees."""


class Hit(Event, frozen=True, tag="hit"):
    """A card was drawn into the CAST."""

    seat: Seat
    day: int
    words = "seat {seat} HITs and draws Day {day}"


class Bust(Event, frozen=True, tag="bust"):
    """The CAST held one Day twice and went to the DISCARD PILE, whole."""

    seat: Seat
    cast: tuple[int, ...]
    weight = 2

    def __str__(self) -> str:
        return f"seat {self.seat} BUSTs and discards {_days(self.cast)}"


class Dock(Event, frozen=True, tag="dock"):
    """Fisherman Frank went back to the DOCK from the player who bust."""

    seat: Seat
    words = "Fisherman Frank leaves seat {seat} for the DOCK"


class Stop(Event, frozen=True, tag="stop"):
    """A player stopped and moved the CAST into the LIVEWELL (AUTO-BANK)."""

    seat: Seat
    cast: tuple[int, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} STOPs and banks {_days(self.cast)}"


class Burn(Event, frozen=True, tag="burn"):
    """Three cards went from a LIVEWELL to the DISCARD PILE."""

    seat: Seat
    days: tuple[int, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} burns {_days(self.days)}"


class Swipe(Event, frozen=True, tag="swipe"):
    """Fisherman Frank was taken from ``holder``, or from the DOCK if that is None."""

    seat: Seat
    holder: Seat | None
    weight = 2

    def __str__(self) -> str:
        place = "the DOCK" if self.holder is None else f"seat {self.holder}"
        return f"seat {self.seat} swipes Fisherman Frank from {place}"


class StringerCut(Event, frozen=True, tag="cut"):
    """A card of an opponent's set went into the LIVEWELL of ``seat``; the other two are a BROKEN HAUL."""

    seat: Seat
    opponent: Seat
    day: int
    weight = 2
    words = "seat {seat} cuts seat {opponent}'s set of Day {day} and takes one card of it"


class Build(Event, frozen=True, tag="build"):
    """Three of a kind were laid from the LIVEWELL into STRINGERS."""

    seat: Seat
    day: int
    weight = 2
    words = "seat {seat} builds a set of Day {day}"


class Rebuild(Event, frozen=True, tag="rebuild"):
    """A BROKEN HAUL got its third card from the LIVEWELL and went into STRINGERS."""

    seat: Seat
    day: int
    weight = 2
    words = "seat {seat} rebuilds its broken haul of Day {day}"


class Win(Event, frozen=True, tag="win"):
    """A player ended a turn with Fisherman Frank and three sets or more."""

    seat: Seat
    weight = 2
    words = "seat {seat} wins with Fisherman Frank"


class FinalScore(Event, frozen=True, tag="final"):
    """Nobody won, and the STRINGERS of all seats were compared."""

    reason: Literal["empty", "stalled"]
    stringers: tuple[tuple[int, ...], ...]
    ranks: tuple[int, ...]
    weight = 0

    def __str__(self) -> str:
        why = "the draw pile is empty" if self.reason == "empty" else "all turns have stalled"
        sets = "; ".join(
            f"seat {seat} is placed {rank + 1} with sets of {_days(days)}"
            for seat, (days, rank) in enumerate(zip(self.stringers, self.ranks, strict=True))
        )
        return f"Final Score as {why}: {sets}"
