"""What players may choose and what the table sees in Fish Food. Knows the cards; knows no rules and no state.

Two events are private: which card was drawn, and which cards were lost at sea.
"""

from typing import Literal, TypeAlias

from arena.game import Seat
from arena.games.fish_food.cards import CREATURE_NAMES, Action, Encounter
from arena.structs import Phrase

Target: TypeAlias = Seat | Literal["creature", "encounter"]
"""What an Action is played on: a player's Character (or the player) by seat, the creature, or the encounter."""


def _target_words(target: Target) -> str:
    return f"seat {target}" if isinstance(target, int) else f"the {target}"


class Play(Phrase, frozen=True, tag="play"):
    """The option to play a card of the own hand on this target."""

    card: Action
    target: Target

    def __str__(self) -> str:
        return f"{self.card} on {_target_words(self.target)}"


Option: TypeAlias = Literal["pass", "leave it", "take it"] | Play | Action
"""Any option of the game; an Action alone is a card to discard."""


class Event(Phrase, frozen=True):
    """What the table sees."""


class Begin(Event, frozen=True, tag="begin"):
    """Who plays first."""

    seat: Seat
    words = "seat {seat} plays first"


class Reshuffle(Event, frozen=True, tag="reshuffle"):
    """A deck had run out, and its discard pile became the new one."""

    deck: Literal["actions", "encounters"]
    cards: int
    weight = 0
    words = "the discarded {deck}, {cards} in all, are shuffled and become the deck"


class Draw(Event, frozen=True, tag="draw"):
    """The current player drew an Action."""

    seat: Seat
    weight = 0
    words = "seat {seat} draws an Action"


class Drawn(Event, frozen=True, tag="drawn"):
    """Which Action that was: only the player who drew it hears this."""

    card: Action
    words = "the Action drawn is {card}"


class Flip(Event, frozen=True, tag="flip"):
    """The current player turned over the top card of the Encounters deck."""

    seat: Seat
    card: Encounter

    def __str__(self) -> str:
        if isinstance(self.card, int):
            return f"seat {self.seat} flips a creature of size {self.card}, {CREATURE_NAMES[self.card]}"
        return f"seat {self.seat} flips the Event {self.card}"


class Played(Event, frozen=True, tag="play"):
    """An Action was played; its effect is the one printed on it."""

    seat: Seat
    card: Action
    target: Target

    def __str__(self) -> str:
        return f"seat {self.seat} plays {self.card} on {_target_words(self.target)}"


class Steal(Event, frozen=True, tag="steal"):
    """Lost at Sea moved so many random cards from the hand of ``victim`` to that of ``seat``."""

    seat: Seat
    victim: Seat
    cards: int

    def __str__(self) -> str:
        return (
            f"seat {self.seat} takes {self.cards} random {'cards' if self.cards > 1 else 'card'} of seat {self.victim}"
        )


class Stolen(Event, frozen=True, tag="stolen"):
    """Which cards those were: only the thief and the victim hear this."""

    cards: tuple[Action, ...]
    words = "the cards taken are {cards}"


class Pass(Event, frozen=True, tag="pass"):
    """A player passed, by choice or for want of an Action to play."""

    seat: Seat
    weight = 0
    words = "seat {seat} passes"


class Compare(Event, frozen=True, tag="compare"):
    """The size of a Character and that of the creature attacking it, both with all modifiers."""

    seat: Seat
    size: int
    creature: int
    words = "seat {seat} has size {size} against a creature of size {creature}"


class Grow(Event, frozen=True, tag="grow"):
    """A chip moved up by so many sizes, to ``size``."""

    seat: Seat
    by: int
    size: int
    weight = 2
    words = "seat {seat} grows {by} to size {size}"


class Lose(Event, frozen=True, tag="lose"):
    """A chip moved down by so many sizes, to ``size``."""

    seat: Seat
    by: int
    size: int
    weight = 2
    words = "seat {seat} loses {by} and is size {size}"


class Bait(Event, frozen=True, tag="bait"):
    """The current player answered Take the Bait."""

    seat: Seat
    taken: bool

    def __str__(self) -> str:
        return f"seat {self.seat} {'takes' if self.taken else 'leaves'} the bait"


class Out(Event, frozen=True, tag="out"):
    """A player at size 0 left the game and discarded the hand."""

    seat: Seat
    hand: tuple[Action, ...]
    weight = 2
    words = "seat {seat} is out and discards {hand}"


class Discard(Event, frozen=True, tag="discard"):
    """A player discarded down to the hand limit."""

    seat: Seat
    cards: tuple[Action, ...]
    weight = 0
    words = "seat {seat} discards {cards}"


class FinalSizes(Event, frozen=True, tag="final"):
    """The game is over: by a chip at size 10, one or no player left, or the turn limit."""

    reason: Literal["size 10", "last player", "nobody left", "turn limit"]
    sizes: tuple[int, ...]
    ranks: tuple[int, ...]
    weight = 0

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
