"""The luck of the decks in Fish Food: the Encounters flipped and the Actions drawn, compared with the decks' mean.

Knows the contract, the cards and the table; nothing of bots. What sizes and cards are worth was measured among greedy
bots and variants of them (docs/ratings.md).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from arena.game import Chosen, Luck, Seat, Whisper
from arena.games.fish_food import cards as box
from arena.games.fish_food import events as tell
from arena.games.fish_food.cards import Action, Encounter
from arena.games.fish_food.rules import FishFood

SIZE: Final = 1 / 12
"""The worth of a size: the share of all opponents that a player finishes ahead of."""
FIGHT: Final = 3.5
"""A Character this many sizes above a creature certainly grows, as many below it shrinks; in between Actions decide."""
WORTH: Final[dict[Action, float]] = {
    "Fish Food": 0.0,
    "Caught in the Net": 0.0,
    "Sunken Treasure": 0.0,
    "School of Fish": 0.5,
    "Stun": 0.0,
    "Swim Away": 0.5,
    "Switcheroo": 0.75,
    "Lost at Sea": 0.5,
}
"""How many sizes an Action is worth more than a common one."""


def luck(before: FishFood, chosen: Chosen, events: Sequence[Any]) -> list[Luck]:  # noqa: ARG001 - events tell all
    """The luck of each card flipped or drawn: each card left in its deck is equally likely.

    Left out are the cards of a deck that was reshuffled in the same step, and cards that are lost at sea.
    """
    decks = _Decks(before)
    lucks = [decks.follow(event.event if isinstance(event, Whisper) else event) for event in events]
    return [entry for entry in lucks if entry is not None]


class _Decks:
    """What the decks can give, and to whom, while the events of a step go by."""

    def __init__(self, state: FishFood) -> None:
        self._encounters: Counter[Encounter] = Counter(state.encounter_deck)
        self._actions: Counter[Action] = Counter(state.action_deck)
        self._sizes = state.sizes.copy()
        self._drawing = 0
        self._bait = False

    def follow(self, event: object) -> Luck | None:
        """Take in an event; returns its luck if it is a chance event."""
        match event:
            case tell.Flip(seat=seat, card=card) if self._encounters:
                gains = {encounter: self._gains(seat, encounter) for encounter in self._encounters}
                luck = _luck(self._encounters, gains, card)
                _take(self._encounters, card)
                return luck
            case tell.Drawn(card=action) if self._actions:
                here = range(len(self._sizes))
                worth = {
                    action: [SIZE * WORTH[action] * (index == self._drawing) for index in here]
                    for action in self._actions
                }
                luck = _luck(self._actions, worth, action)
                _take(self._actions, action)
                return luck
            case tell.Draw(seat=seat):
                self._drawing = seat
            case tell.Reshuffle(deck="actions"):
                self._actions.clear()
            case tell.Reshuffle():
                self._encounters.clear()
            case tell.Grow(seat=seat, size=size) | tell.Lose(seat=seat, size=size):
                self._sizes[seat] = size
            case tell.Bait(taken=taken):
                self._bait = taken
            case tell.Compare():
                self._bait = False
        return None

    def _gains(self, seat: Seat, card: Encounter) -> list[float]:
        """What this card gives each seat in the mean, if an offered bait is left.

        What a Feeding Frenzy gives tells nothing about who wins.
        """
        sizes, gains = self._sizes, [0.0] * len(self._sizes)
        if isinstance(card, int):
            above = sizes[seat] - card
            # nobody plays Actions about a bait
            sure = box.BAIT_SIZES if above >= 0 else -box.BAIT_SIZES
            gains[seat] = SIZE * (sure if self._bait else max(-1.0, min((above + 0.5) / FIGHT, 1.0)))
        elif card == "Shark" and not self._bait:
            biggest = [other for other, size in enumerate(sizes) if size == max(sizes)]
            for other in biggest:
                gains[other] = -SIZE * (box.SHARK_BITES if len(biggest) == 1 else box.SHARK_BITES_EACH)
        return gains


def _take(deck: Counter[Any], card: Any) -> None:
    deck[card] -= 1
    if not deck[card]:
        del deck[card]


def _luck(deck: Counter[Any], gains: dict[Any, list[float]], card: Any) -> Luck:
    """What the card gives, minus the mean of the deck."""
    times, cards = deck.items(), deck.total()
    means = [
        sum([gains[other][index] * copies for other, copies in times]) / cards for index in range(len(gains[card]))
    ]
    deviations = {
        other: [gain - mean for gain, mean in zip(by_seat, means, strict=True)] for other, by_seat in gains.items()
    }
    return Luck(tuple(deviations[card]), max([max(by_seat) - min(by_seat) for by_seat in deviations.values()]))
