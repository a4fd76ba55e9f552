"""The table of Fish Food: whatever lies on it, and what each seat has learnt of what lies face down.

Knows the contract, chance and the cards; knows whose turn it is, but no rule of a turn (that is ``rules``).
"""

from bisect import insort
from collections import Counter
from collections.abc import Container, Iterable
from copy import copy
from itertools import chain
from typing import Final, Self

from msgspec import Struct

from arena.chance import Chance
from arena.game import Seat, Whisper
from arena.games.fish_food import cards as box
from arena.games.fish_food.cards import Action, Encounter
from arena.games.fish_food.events import Draw, Drawn, Event, Flip, Reshuffle, Steal, Stolen
from arena.games.fish_food.observation import EventCards, Mode, Observation, Step, Ties
from arena.games.fish_food.odds import DRAW, RESHUFFLE, TAKE
from arena.structs import set_by_python

Events = list[Event | Whisper]
"""Events of a step, in order."""
Cards = tuple[tuple[Action, ...], ...]
"""Cards of hands, by seat."""

PLACE: Final = box.ACTION_PLACE.__getitem__
"""The place of a card in a hand."""
DRAWS: Final = tuple(
    {card: (Draw(seat), Whisper((seat,), Drawn(card))) for card in box.ACTIONS} for seat in range(box.CHARACTERS)
)
"""What is told when a seat draws a card."""
FLIPS: Final = tuple({card: Flip(seat, card) for card in box.ENCOUNTER_PLACE} for seat in range(box.CHARACTERS))
"""What is told when a seat flips a card."""
SEATS: Final = range(box.CHARACTERS)


@set_by_python
class Zones(Struct, gc=False):
    """All zones. ``step`` says what is asked; of a pile the next card stands last.

    What an ``Observation`` has too is explained there.
    """

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
    out: list[int]
    modifiers: list[int]
    action_discards: list[int]
    encounter_discards: list[int]
    removed: list[int]
    step: Step = "setup"
    turn: int = 0
    player: Seat = 0
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
    piles: list[tuple[tuple[int, ...], ...]] = []
    """By seat: the Actions that it could not see as its history began, then each reshuffled deck; empty before any."""
    moves: list[list[str]] = []
    """By seat: the history of hands as it saw it, from when it first lost cards or a deck was reshuffled."""

    # Piles

    def draw(self, events: Events) -> None:
        """An empty deck is made from the discards; if no card is left, nothing is drawn (2)."""
        deck = self.action_deck
        if not deck:
            discards = self.action_discards
            for card, place in box.ACTION_PLACE.items():
                deck += [card] * discards[place]
            if not deck:
                return
            for seat in range(len(self.hands)):
                self.remember(seat, deck=())
            self.piles = [(*piles, tuple(discards)) for piles in self.piles]
            self.note(RESHUFFLE)
            self.chance.shuffle(deck)
            self.action_discards = [0] * len(discards)
            events.append(Reshuffle("actions", len(deck)))
        seat = self.current_player
        card = deck.pop()
        insort(self.hands[seat], card, key=PLACE)
        if self.piles:
            self.note(f"{seat}{DRAW}", card, (seat,))
        events += DRAWS[seat][card]

    def flip(self, events: Events) -> Encounter:
        """Turn the top card over; an empty deck is made of the discards (3)."""
        deck = self.encounter_deck
        if not deck:
            discards = self.encounter_discards
            for card, place in box.ENCOUNTER_PLACE.items():
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
            discards[box.ACTION_PLACE[card]] += 1

    def discard_encounter(self, card: Encounter) -> None:
        """Put a card on the discard pile of Encounters, or an Event out of the game (4, 42)."""
        place = box.ENCOUNTER_PLACE[card]
        if self.event_cards == "remove" and not isinstance(card, int):
            self.removed[place - len(box.CREATURES)] += 1
        else:
            self.encounter_discards[place] += 1

    # What each seat has learnt

    def remember(self, seat: Seat, deck: Iterable[Action]) -> None:
        """Let the history of a seat begin, unless it has: from now on it matters who draws and plays which card.

        Up to now all cards that it cannot see, of this deck and of the other hands, are as likely to be anywhere.
        """
        if not self.piles:
            self.piles, self.moves = [()] * len(self.hands), [[] for _ in self.hands]
        if not self.piles[seat]:
            hidden = Counter(chain(deck, *self.hands))
            hidden.subtract(self.hands[seat])
            self.piles[seat] = (tuple([hidden[card] for card in box.ACTIONS]),)

    def note(self, move: str, card: Action | None = None, seen_by: Container[Seat] = SEATS) -> None:
        """Add a move to each history that has begun; which card it was only for those who see it."""
        full_move = move + box.ACTION_LETTER[card] if card else move
        for seat, piles in enumerate(self.piles):
            if piles:
                self.moves[seat].append(full_move if seat in seen_by else move)

    def lay_down(self, seat: Seat, card: Action) -> None:
        """Everyone sees this card leave the hand."""
        if self.known or self.followed:
            self.forget(seat, card)
        if self.piles:
            self.note(str(seat), card)

    def forget(self, holder: Seat, card: Action) -> None:
        """This card left the hand openly: players who knew of such a card there now know of one less."""
        for who in range(len(self.sizes)):
            entry = (who, holder, card)
            if entry in self.known:
                self.known.remove(entry)
            elif entry in self.followed:
                self.followed.remove(entry)

    def rob(self, thief: Seat, *, victim: Seat, most: int, events: Events) -> None:
        """Move random cards from one hand to another; only these two players see which, and both remember (45)."""
        self.remember(victim, self.action_deck)
        hand = self.hands[victim]
        loot = [hand.pop(self.chance.below(len(hand))) for _ in range(min(most, len(hand)))]
        loot.sort(key=PLACE)
        if self.known or self.followed:
            self.lose_sight(thief, victim=victim, empty=not hand)
        for card in loot:
            if self.known or self.followed:
                self.forget(victim, card)
            insort(self.hands[thief], card, key=PLACE)
            self.note(f"{thief}{TAKE}{victim}", card, (thief, victim))
        self.known += [(victim, thief, card) for card in loot]
        events += (Steal(thief, victim, len(loot)), Whisper(tuple(sorted((thief, victim))), Stolen(tuple(loot))))

    def lose_sight(self, thief: Seat, *, victim: Seat, empty: bool) -> None:
        """The other players lose their knowledge of a robbed hand; if it was robbed whole, they know who has it now.

        The thief has seen the cards that he took, so he knows what is left.
        """
        others = [entry for entry in (*self.known, *self.followed) if entry[1] == victim and entry[0] != thief]
        self.known = [entry for entry in self.known if entry[1] != victim or entry[0] == thief]
        self.followed = [entry for entry in self.followed if entry[1] != victim or entry[0] == thief]
        if empty:
            self.followed += [(who, thief, card) for who, _, card in others]

    # What each seat sees

    def learnt(self, seat: Seat) -> tuple[Cards, Cards]:
        """By seat: cards of its hand that this seat knows of, and cards of this seat's hand that it knows of."""
        knowledge: list[list[Action]] = [[] for _ in self.sizes]
        exposed: list[list[Action]] = [[] for _ in self.sizes]
        for who, whose, card in self.known:
            if who == seat:
                knowledge[whose].append(card)
            elif whose == seat:
                exposed[who].append(card)
        for who, whose, card in self.followed:
            if who == seat:
                knowledge[whose].append(card)
        return tuple(map(tuple, knowledge)), tuple(map(tuple, exposed))

    def observe(self, seat: Seat) -> Observation:
        """All that lies open, the seat's own hand, and what it has learnt of the others."""
        seats = len(self.sizes)
        nobody: Cards = ((),) * seats
        knowledge, exposed = self.learnt(seat) if self.known or self.followed else (nobody, nobody)
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
            knowledge,
            exposed,
            len(self.action_deck),
            tuple(self.action_discards),
            len(self.encounter_deck),
            tuple(self.encounter_discards),
            tuple(self.removed),
            self.piles[seat] if self.piles else (),
            tuple(self.moves[seat]) if self.moves else (),
        )

    def copy(self) -> Self:
        """An independent table that continues in the same way."""
        other = copy(self)
        other.chance = self.chance.copy()
        other.action_deck = self.action_deck[:]
        other.encounter_deck = self.encounter_deck[:]
        other.hands = [hand[:] for hand in self.hands]
        other.sizes = self.sizes[:]
        other.out = self.out[:]
        other.modifiers = self.modifiers[:]
        other.action_discards = self.action_discards[:]
        other.encounter_discards = self.encounter_discards[:]
        other.removed = self.removed[:]
        other.stunned = self.stunned[:]
        other.played = self.played[:]
        other.known = self.known[:]
        other.followed = self.followed[:]
        other.piles = self.piles[:]
        other.moves = [moves[:] for moves in self.moves]
        return other
