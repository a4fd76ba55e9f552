"""What one seat of Fish Food knows, as it is sent to a bot. Knows the cards; knows no rules and no state."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.fish_food.cards import CREATURE_NAMES, Action, Encounter
from arena.structs import asks

Mode: TypeAlias = Literal["standard", "beginner", "simple"]
EventCards: TypeAlias = Literal["keep", "remove", "off"]
"""What becomes of an Event after use: discarded and reshuffled, or removed from the game; or there are none."""
Ties: TypeAlias = Literal["win", "tie"]

Step: TypeAlias = Literal["setup", "play", "take the bait", "end of turn", "over"]
"""What the table waits for: an Action or a pass, an answer to the Event, discards down to the hand limit.

Nobody is asked in ``setup``, before the first card is flipped, nor when the game is over.
"""

question: Final = asks(
    {
        "play": "Do you play an Action?",
        "take the bait": "Do you take the bait?",
        "end of turn": "You are above the hand limit: which do you discard?",
    }
)


def _with(size: int, modifier: int) -> str:
    return f"{size} {modifier:+} = {size + modifier}" if modifier else f"{size}"


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Tuples *by seat* run over all seats.

    Counts of Actions are in the order of the table of Actions, counts of Encounters creatures 1 to 10 and then Shark,
    Take the Bait, Feeding Frenzy.
    """

    seat: Seat
    seats: int
    mode: Mode
    event_cards: EventCards
    ties: Ties
    step: Step
    turn: int
    """The number of this turn, from 1; 0 in ``setup``."""
    current_player: Seat
    player: Seat
    """Whose turn it is to play an Action; the current player while nobody may."""
    passes: int
    """Players in succession who have passed, or were passed over as stunned, since the last Action of this turn."""
    sizes: tuple[int, ...]
    """By seat: where the chip stands; 0 is out of the game."""
    out: tuple[int, ...]
    """By seat: the turn in which it went out; 0 while it is in the game."""
    encounter: Encounter | None
    """The card flipped in this turn: a creature's printed size or an Event."""
    attacked: Seat | None
    """Whose Character the creature attacks now."""
    modifiers: tuple[int, ...]
    """By seat: what the Actions of this turn add to its size."""
    creature_modifier: int
    """What they add to the creature's."""
    stunned: tuple[Seat, ...]
    """Who may play no more Actions in this turn."""
    played: tuple[Action, ...]
    """The Actions of this turn, in order; they are discarded at its end."""
    hand: tuple[Action, ...]
    """The seat's own hand."""
    hands: tuple[int, ...]
    """By seat: cards in its hand."""
    known: tuple[tuple[Action, ...], ...]
    """By seat: cards this seat lost at sea, which are surely in that hand now."""
    exposed: tuple[tuple[Action, ...], ...]
    """By seat: cards of the own hand that were taken from it, and that it knows to be there."""
    action_deck: int
    """Cards in the Actions deck."""
    action_discards: tuple[int, ...]
    encounter_deck: int
    encounter_discards: tuple[int, ...]
    removed: tuple[int, ...]
    """Copies of each Event that are out of the game."""
    piles: tuple[tuple[int, ...], ...]
    """Copies of each Action in the deck and the other hands as ``moves`` begin, then in each reshuffled deck."""
    moves: tuple[str, ...]
    """What hands drew, laid down and took, as the seat saw it since it first lost cards or a deck was reshuffled.

    ``2+`` seat 2 draws an Action, ``2b`` it plays or discards one, ``2<0`` it takes one of seat 0, ``~`` the Actions
    are reshuffled. Letters, ``a`` to ``h`` in the order of the table of Actions, say which. Where the seat itself
    draws, takes or loses the card, the letter stands at the end: ``2+b``, ``2<0b``.
    """

    def __str__(self) -> str:
        lines = [f"turn {self.turn}, of seat {self.current_player}; {self._encounter()}"]
        for seat, size in enumerate(self.sizes):
            if self.out[seat]:
                lines.append(f"seat {seat}: out since turn {self.out[seat]}")
                continue
            stunned = ", stunned" if seat in self.stunned else ""
            lines.append(f"seat {seat}: size {_with(size, self.modifiers[seat])}, hand {self.hands[seat]}{stunned}")
        lines.append(f"your hand: {', '.join(self.hand) or '-'}")
        return "\n".join([*lines, question(self)]).rstrip()

    def _encounter(self) -> str:
        if not isinstance(self.encounter, int):
            return "no encounter" if self.encounter is None else f"the Event {self.encounter}"
        size = _with(self.encounter, self.creature_modifier)
        return f"{CREATURE_NAMES[self.encounter]}, size {size}, against seat {self.attacked}"
