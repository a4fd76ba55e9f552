"""What players may choose and what the table sees in Fish Food. Knows the cards; knows no rules and no state.

Two events are private: which card was drawn, and which cards were lost at sea.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.fish_food.cards import CREATURE_NAMES, Action, Encounter

Target: TypeAlias = Seat | Literal["creature", "encounter"]
"""What an Action is played on: a player's Character (or the player) by seat, the creature, or the encounter."""


def _target_words(target: Target) -> str:
    return f"seat {target}" if isinstance(target, int) else f"the {target}"


def _listed(cards: Iterable[Action]) -> str:
    return ", ".join(cards) or "nothing"


class Play(Struct, frozen=True, tag="play", tag_field="type", gc=False):
    """The option to play a card of the own hand on this target."""

    card: Action
    target: Target

    def __str__(self) -> str:
        return f"{self.card} on {_target_words(self.target)}"


Option: TypeAlias = Literal["pass", "leave it", "take it"] | Play | Action
"""Any option of the game; an Action alone is a card to discard."""


class Begin(Struct, frozen=True, tag="begin", tag_field="type", gc=False):
    """Who plays first."""

    seat: Seat

    def __str__(self) -> str:
        return f"seat {self.seat} plays first"


class Reshuffle(Struct, frozen=True, tag="reshuffle", tag_field="type", gc=False):
    """A deck had run out, and its discard pile became the new one."""

    deck: Literal["actions", "encounters"]
    cards: int

    def __str__(self) -> str:
        return f"the {self.cards} discarded {self.deck} are shuffled and become the deck"


class Draw(Struct, frozen=True, tag="draw", tag_field="type", gc=False):
    """The current player drew an Action."""

    seat: Seat

    def __str__(self) -> str:
        return f"seat {self.seat} draws an Action"


class Drawn(Struct, frozen=True, tag="drawn", tag_field="type", gc=False):
    """Which Action that was: only the player who drew it hears this."""

    card: Action

    def __str__(self) -> str:
        return f"the Action drawn is {self.card}"


class Flip(Struct, frozen=True, tag="flip", tag_field="type", gc=False):
    """The current player turned over the top card of the Encounters deck."""

    seat: Seat
    card: Encounter

    def __str__(self) -> str:
        if isinstance(self.card, int):
            return f"seat {self.seat} flips a creature of size {self.card}, {CREATURE_NAMES[self.card]}"
        return f"seat {self.seat} flips the Event {self.card}"


class Played(Struct, frozen=True, tag="play", tag_field="type", gc=False):
    """An Action was played; its effect is the one printed on it."""

    seat: Seat
    card: Action
    target: Target

    def __str__(self) -> str:
        return f"seat {self.seat} plays {self.card} on {_target_words(self.target)}"


class Steal(Struct, frozen=True, tag="steal", tag_field="type", gc=False):
    """Lost at Sea moved so many random cards from the hand of ``victim`` to that of ``seat``."""

    seat: Seat
    victim: Seat
    cards: int

    def __str__(self) -> str:
        return (
            f"seat {self.seat} takes {self.cards} random {'cards' if self.cards > 1 else 'card'} of seat {self.victim}"
        )


class Stolen(Struct, frozen=True, tag="stolen", tag_field="type", gc=False):
    """Which cards those were: only the thief and the victim hear this."""

    cards: tuple[Action, ...]

    def __str__(self) -> str:
        return f"the cards taken are {_listed(self.cards)}"


class Pass(Struct, frozen=True, tag="pass", tag_field="type", gc=False):
    """A player passed, by choice or for want of an Action to play."""

    seat: Seat

    def __str__(self) -> str:
        return f"seat {self.seat} passes"


class Compare(Struct, frozen=True, tag="compare", tag_field="type", gc=False):
    """The size of a Character and that of the creature attacking it, both with all modifiers."""

    seat: Seat
    size: int
    creature: int

    def __str__(self) -> str:
        return f"seat {self.seat} has size {self.size} against a creature of size {self.creature}"


class Grow(Struct, frozen=True, tag="grow", tag_field="type", gc=False):
    """A chip moved up by so many sizes, to ``size``."""

    seat: Seat
    by: int
    size: int

    def __str__(self) -> str:
        return f"seat {self.seat} grows {self.by} to size {self.size}"


class Lose(Struct, frozen=True, tag="lose", tag_field="type", gc=False):
    """A chip moved down by so many sizes, to ``size``."""

    seat: Seat
    by: int
    size: int

    def __str__(self) -> str:
        return f"seat {self.seat} loses {self.by} and is size {self.size}"


class Bait(Struct, frozen=True, tag="bait", tag_field="type", gc=False):
    """The current player answered Take the Bait."""

    seat: Seat
    taken: bool

    def __str__(self) -> str:
        return f"seat {self.seat} {'takes' if self.taken else 'leaves'} the bait"


class Out(Struct, frozen=True, tag="out", tag_field="type", gc=False):
    """A player at size 0 left the game and discarded the hand."""

    seat: Seat
    hand: tuple[Action, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} is out and discards {_listed(self.hand)}"


class Discard(Struct, frozen=True, tag="discard", tag_field="type", gc=False):
    """A player discarded down to the hand limit."""

    seat: Seat
    cards: tuple[Action, ...]

    def __str__(self) -> str:
        return f"seat {self.seat} discards {_listed(self.cards)}"


class FinalSizes(Struct, frozen=True, tag="final", tag_field="type", gc=False):
    """The game is over: by a chip at size 10, one or no player left, or the turn limit."""

    reason: Literal["size 10", "last player", "nobody left", "turn limit"]
    sizes: tuple[int, ...]
    ranks: tuple[int, ...]

    def __str__(self) -> str:
        why = {
            "size 10": "a Character has size 10",
            "last player": "one player is left",
            "nobody left": "nobody is left",
            "turn limit": "the turn limit is reached",
        }
        places = "; ".join(
            f"seat {seat} is placed {rank + 1} with size {size}"
            for seat, (size, rank) in enumerate(zip(self.sizes, self.ranks, strict=True))
        )
        return f"the game ends as {why[self.reason]}: {places}"


Event: TypeAlias = (
    Begin
    | Reshuffle
    | Draw
    | Drawn
    | Flip
    | Played
    | Steal
    | Stolen
    | Pass
    | Compare
    | Grow
    | Lose
    | Bait
    | Out
    | Discard
    | FinalSizes
)
