"""The table of Fish Food: whatever lies on it, and what each seat has learnt of what lies face down.

Knows the contract, chance and the cards; knows whose turn it is, but no rule of a turn (that is ``rules``).
"""

from bisect import insort
from collections.abc import Iterable
from typing import Final, Self

from msgspec import Struct

from arena.chance import Chance
from arena.fields import set_by_python
from arena.game import Seat, Whisper
from arena.games.fish_food.cards import (
    ACTION_PLACE,
    ACTIONS,
    CHARACTERS,
    CREATURES,
    ENCOUNTER_PLACE,
    Action,
    Encounter,
)
from arena.games.fish_food.events import Draw, Drawn, Event, Flip, Reshuffle, Steal, Stolen
from arena.games.fish_food.observation import EventCards, Mode, Observation, Step, Ties

Told = list[Event | Whisper]
"""Events of a step, in order."""
Cards = tuple[tuple[Action, ...], ...]
"""Cards of hands, by seat."""

PLACE: Final = ACTION_PLACE.__getitem__
"""The place of a card in a hand."""
DRAWS: Final = tuple(
    {card: (Draw(seat), Whisper((seat,), Drawn(card))) for card in ACTIONS} for seat in range(CHARACTERS)
)
"""What is told when a seat draws a card."""
FLIPS: Final = tuple({card: Flip(seat, card) for card in ENCOUNTER_PLACE} for seat in range(CHARACTERS))
"""What is told when a seat flips a card."""


@set_by_python
class Zones(Struct, gc=False):
    """All zones. ``step`` says what is asked; of a pile the next card stands last."""

    chance: Chance
    mode: Mode
    event_cards: EventCards
    ties: Ties
    hand_limit: int
    action_deck: list[Action]
    encounter_deck: list[Encounter]
    hands: list[list[Action]]
    """In the order of the table of Actions."""
    current_player: Seat
    players: tuple[Seat, ...]
    """The seats in the game, upwards."""
    sizes: list[int]
    """Where the chips stand; who is at 0 is out."""
    out: list[int]
    """The turn in which each seat went out; 0 while it is in the game."""
    modifiers: list[int]
    """What the Actions of this turn add to each Character's size."""
    action_discards: list[int]
    encounter_discards: list[int]
    removed: list[int]
    """Copies of each Event that are out of the game."""
    step: Step = "setup"
    turn: int = 0
    player: Seat = 0
    """Whose chance it is to play."""
    passes: int = 0
    """Players in succession who passed, or were passed over as stunned, since the last Action."""
    encounter: Encounter | None = None
    attacked: Seat | None = None
    creature_modifier: int = 0
    stunned: list[Seat] = []
    played: list[Action] = []
    known: list[tuple[Seat, Seat, Action]] = []
    """Which seat knows that a hand holds a card, because it lost that card to that hand at sea (ruling 45)."""
    followed: list[tuple[Seat, Seat, Action]] = []
    """The same for hands that another player has robbed whole since: their holders do not know it."""
    deck_at_most: list[list[int]] = []
    """By seat: the Actions of the last reshuffle without those it has drawn since; empty before the first reshuffle."""

    fresh: list[int] = []
    """By seat: cards of its hand that may be of the last reshuffle, at most; empty before the first."""

    # Piles

    def draw(self, events: Told) -> None:
        """An empty deck is made from the discards; if no card is left, nothing is drawn (2)."""
        deck = self.action_deck
        if not deck:
            discards = self.action_discards
            for card, place in ACTION_PLACE.items():
                deck += [card] * discards[place]
            if not deck:
                return
            self.chance.shuffle(deck)
            # Everyone has seen the discards, so everyone knows what the new deck is made of.
            self.deck_at_most = [discards[:] for _ in self.sizes]
            self.fresh = [0] * len(self.sizes)
            self.action_discards = [0] * len(discards)
            events.append(Reshuffle("actions", len(deck)))
        seat = self.current_player
        card = deck.pop()
        insort(self.hands[seat], card, key=PLACE)
        if self.deck_at_most:
            self.deck_at_most[seat][ACTION_PLACE[card]] -= 1
            self.fresh[seat] += 1
        events += DRAWS[seat][card]

    def flip(self, events: Told) -> Encounter:
        """Turn the top card over; an empty deck is made of the discards (3)."""
        deck = self.encounter_deck
        if not deck:
            discards = self.encounter_discards
            for card, place in ENCOUNTER_PLACE.items():
                deck += [card] * discards[place]
            self.chance.shuffle(deck)
            self.encounter_discards = [0] * len(discards)
            events.append(Reshuffle("encounters", len(deck)))
        card = deck.pop()
        events.append(FLIPS[self.current_player][card])
        return card

    def discard(self, cards: Iterable[Action]) -> None:
        """Put Actions on their discard pile."""
        discards = self.action_discards
        for card in cards:
            discards[ACTION_PLACE[card]] += 1

    def discard_encounter(self, card: Encounter) -> None:
        """Put a card on the discard pile of Encounters, or an Event out of the game (4, 42)."""
        place = ENCOUNTER_PLACE[card]
        if self.event_cards == "remove" and not isinstance(card, int):
            self.removed[place - len(CREATURES)] += 1
        else:
            self.encounter_discards[place] += 1

    def forget(self, holder: Seat, card: Action) -> None:
        """Everyone saw this card leave the hand: players who knew of such a card there now know of one less."""
        for who in range(len(self.sizes)):
            entry = (who, holder, card)
            if entry in self.known:
                self.known.remove(entry)
            elif entry in self.followed:
                self.followed.remove(entry)

    def rob(self, thief: Seat, *, victim: Seat, most: int, events: Told) -> None:
        """Move random cards from one hand to another; only these two players see which, and both remember (45)."""
        hand = self.hands[victim]
        taken = [hand.pop(self.chance.below(len(hand))) for _ in range(min(most, len(hand)))]
        taken.sort(key=PLACE)
        if self.fresh:
            self.fresh[thief] += min(len(taken), self.fresh[victim])
        if self.known or self.followed:
            self.lose_sight(thief, victim=victim, whole=not hand)
        for card in taken:
            if self.known or self.followed:
                self.forget(victim, card)
            insort(self.hands[thief], card, key=PLACE)
        self.known += [(victim, thief, card) for card in taken]
        events += (Steal(thief, victim, len(taken)), Whisper(tuple(sorted((thief, victim))), Stolen(tuple(taken))))

    def lose_sight(self, thief: Seat, *, victim: Seat, whole: bool) -> None:
        """The other players lose their knowledge of a robbed hand; if it was robbed whole, they know who has it now.

        The thief has seen the cards that he took, so he knows what is left.
        """
        others = [entry for entry in (*self.known, *self.followed) if entry[1] == victim and entry[0] != thief]
        self.known = [entry for entry in self.known if entry[1] != victim or entry[0] == thief]
        self.followed = [entry for entry in self.followed if entry[1] != victim or entry[0] == thief]
        if whole:
            self.followed += [(who, thief, card) for who, _, card in others]

    # What each seat sees

    def learnt(self, seat: Seat) -> tuple[Cards, Cards]:
        """By seat: cards of its hand that this seat knows of, and cards of this seat's hand that it knows of."""
        known: list[list[Action]] = [[] for _ in self.sizes]
        exposed: list[list[Action]] = [[] for _ in self.sizes]
        for who, whose, card in self.known:
            if who == seat:
                known[whose].append(card)
            elif whose == seat:
                exposed[who].append(card)
        for who, whose, card in self.followed:
            if who == seat:
                known[whose].append(card)
        return tuple(map(tuple, known)), tuple(map(tuple, exposed))

    def observe(self, seat: Seat) -> Observation:
        """All that lies open, the seat's own hand, and what Lost at Sea and a reshuffle have taught it."""
        seats = len(self.sizes)
        nobody: Cards = ((),) * seats
        known, exposed = self.learnt(seat) if self.known or self.followed else (nobody, nobody)
        return Observation(
            seat,
            seats,
            self.mode,
            self.event_cards,
            self.ties,
            self.step,
            self.turn,
            self.current_player,
            self.player,
            self.passes,
            tuple(self.sizes),
            tuple(self.out),
            self.encounter,
            self.attacked,
            tuple(self.modifiers),
            self.creature_modifier,
            tuple(self.stunned),
            tuple(self.played),
            tuple(self.hands[seat]),
            tuple([len(hand) for hand in self.hands]),
            known,
            exposed,
            len(self.action_deck),
            tuple(self.action_discards),
            tuple(self.deck_at_most[seat]) if self.deck_at_most else (),
            tuple([min(cards, len(hand)) for cards, hand in zip(self.fresh, self.hands, strict=False)]),
            len(self.encounter_deck),
            tuple(self.encounter_discards),
            tuple(self.removed),
        )

    def copy(self) -> Self:
        """An independent table that continues in the same way."""
        return type(self)(
            self.chance.copy(),
            self.mode,
            self.event_cards,
            self.ties,
            self.hand_limit,
            self.action_deck[:],
            self.encounter_deck[:],
            [hand[:] for hand in self.hands],
            self.current_player,
            self.players,
            self.sizes[:],
            self.out[:],
            self.modifiers[:],
            self.action_discards[:],
            self.encounter_discards[:],
            self.removed[:],
            self.step,
            self.turn,
            self.player,
            self.passes,
            self.encounter,
            self.attacked,
            self.creature_modifier,
            self.stunned[:],
            self.played[:],
            self.known[:],
            self.followed[:],
            [limits[:] for limits in self.deck_at_most],
            self.fresh[:],
        )
