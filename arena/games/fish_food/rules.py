"""Fish Food from the deal to the last survivor, in the rulebook's order under its headings.

Knows the contract, chance and the cards; nothing of bots, clocks or other games. Numbers of rulings are those of
RULINGS.md.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, cast

from arena.chance import Chance
from arena.game import Chosen, Decision, Outcome, Pending, Seat, ranks_of
from arena.games.fish_food.cards import (
    ACTION_PLACE,
    ACTIONS,
    BAIT_SIZES,
    BEGINNER_ACTIONS,
    BEGINNER_HAND_LIMIT,
    CHARACTERS,
    CREATURES,
    ENCOUNTER_COPIES,
    ENCOUNTER_PLACE,
    EVENTS,
    EVENTS_LEAVE_FROM,
    FRENZY_AT_MOST,
    FRENZY_GROWS,
    HAND_LIMIT,
    LOST_AT_SEA_TAKES,
    MODIFIERS,
    SCHOOL_AT_MOST,
    SHARK_BITES,
    SHARK_BITES_EACH,
    START_SIZE,
    TURN_LIMIT,
    WINNING_SIZE,
    Action,
)
from arena.games.fish_food.events import (
    Bait,
    Begin,
    Compare,
    Discard,
    FinalSizes,
    Grow,
    Lose,
    Out,
    Pass,
    Play,
    Played,
    Target,
)
from arena.games.fish_food.observation import EventCards, Mode, Ties
from arena.games.fish_food.table import Told, Zones

LEAVE_OR_TAKE: Final = Decision(("leave it", "take it"))
NOBODY: Final = Pending({})

ANY_SIZE: Final = frozenset(MODIFIERS) - {"School of Fish"}
"""Actions for the creature and every Character."""
ALWAYS_PLAYABLE: Final = ANY_SIZE | {"Swim Away", "Switcheroo"}
"""Actions that have a legal target in every encounter."""

PASSES: Final = tuple(Pass(seat) for seat in range(CHARACTERS))


@cache
def clockwise(players: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    """The players from this seat, in the game or not, round the table (49)."""
    return (*(other for other in players if other >= seat), *(other for other in players if other < seat))


@cache
def plays_on(card: Action, targets: tuple[Target, ...]) -> tuple[Play, ...]:
    """The options to play a card."""
    return tuple(Play(card, target) for target in targets)


@cache
def plays_on_any(players: tuple[Seat, ...], seat: Seat) -> dict[Action, tuple[Play, ...]]:
    """The options to play each card that goes on the creature and any Character, clockwise from this seat (9)."""
    return {card: plays_on(card, ("creature", *clockwise(players, seat))) for card in ANY_SIZE}


class FishFood(Zones):
    """A game in play: ``step`` says what is asked, and all that asks nobody happens in between."""

    # The contract

    def pending(self) -> Pending | Outcome:
        """The question of the step, or how the game ended."""
        if self.step == "play":
            return Pending({self.player: Decision(("pass", *self.plays(self.player)))})
        if self.step == "end of turn":
            return Pending(self.cuts())
        if self.step == "take the bait":
            return Pending({self.current_player: LEAVE_OR_TAKE})
        return NOBODY if self.step == "setup" else self.standing()

    def apply(self, chosen: Chosen) -> Told:
        """Go on to the next real question or the end; from a fresh deal to the first."""
        events: Told = []
        if self.step == "play":
            seat = self.player
            (pick,) = chosen[seat]
            if pick == "pass":
                self.say_pass(seat, events)
            else:
                self.play(seat, pick, events)
        elif self.step == "end of turn":
            self.cut(chosen, events)
            self.next_player(events)
        elif self.step == "take the bait":
            self.answer_bait(chosen[self.current_player][0] == "take it", events)
        else:
            events.append(Begin(self.current_player))
            self.take_turn(events)
        self.go_on(events)
        return events

    def go_on(self, events: Told) -> None:
        """Do every step that asks nobody, up to a question with several possible answers."""
        while True:
            if self.step == "play":
                if self.asks_to_play(events):
                    return
                self.compare(events)
            elif self.step == "end of turn":
                if max(map(len, self.hands)) > self.hand_limit:
                    if self.cuts():
                        return
                    self.cut({}, events)
                self.next_player(events)
            else:
                return

    # Winning the game

    def settle(self, events: Told) -> None:
        """Size 10 wins at once (41), also on another's turn (22); size 0 is out; the last one left wins."""
        sizes = self.sizes
        if WINNING_SIZE in sizes:
            self.end("size 10", events)
            return
        for seat in self.players:
            if not sizes[seat]:
                self.knock_out(seat, events)
        if len(self.players) > 1:
            self.end_turn()
        else:
            self.end("last player" if self.players else "nobody left", events)

    def knock_out(self, seat: Seat, events: Told) -> None:
        """The Character leaves, and the hand goes to the discard pile (26)."""
        self.out[seat] = self.turn
        self.players = tuple([player for player in self.players if player != seat])
        hand = self.hands[seat]
        events.append(Out(seat, tuple(hand)))
        self.discard(hand)
        hand.clear()
        self.known = [entry for entry in self.known if entry[1] != seat]
        self.followed = [entry for entry in self.followed if entry[1] != seat]

    def end(self, reason: Literal["size 10", "last player", "nobody left", "turn limit"], events: Told) -> None:
        """The rest of the turn is not played (41)."""
        self.step = "over"
        events.append(FinalSizes(reason, tuple(self.sizes), self.standing().ranks))

    def standing(self) -> Outcome:
        """Living players by size, then the others: who went out later stands first. The score is the size (40)."""
        keys = [(size, 0 if size else out or self.turn + 1) for size, out in zip(self.sizes, self.out, strict=True)]
        return Outcome(ranks_of(keys), tuple(self.sizes))

    # Game play: draw and flip

    def take_turn(self, events: Told) -> None:
        """Draw, except on the first turn of the game (1), and flip."""
        seat = self.player = self.current_player
        self.turn += 1
        if self.turn > 1 and self.mode != "simple":
            self.draw(events)
        card = self.encounter = self.flip(events)
        if isinstance(card, int):
            self.attacked = seat
            self.step = "play"
        elif card == "Take the Bait":
            self.step = "take the bait"
        elif card == "Shark":
            self.shark(events)
        else:
            self.feeding_frenzy(events)

    # Game play: Events. Nobody may play Actions (5)

    def change(self, seat: Seat, *, by: int, events: Told) -> None:
        """Move a chip; it stops at 0 and at 10 (25)."""
        before = self.sizes[seat]
        after = before + by
        if not 0 <= after <= WINNING_SIZE:
            after = 0 if after < 0 else WINNING_SIZE
        self.sizes[seat] = after
        events.append(Grow(seat, after - before, after) if by > 0 else Lose(seat, before - after, after))

    def shark(self, events: Told) -> None:
        """The biggest Character loses 2 sizes; of several each loses 1."""
        most = max(self.sizes)
        biggest = [seat for seat, size in enumerate(self.sizes) if size == most]
        for seat in biggest:
            self.change(seat, by=-SHARK_BITES if len(biggest) == 1 else -SHARK_BITES_EACH, events=events)
        self.settle(events)

    def feeding_frenzy(self, events: Told) -> None:
        """Every Character of size 5 or less grows."""
        for seat, size in enumerate(self.sizes):
            if 0 < size <= FRENZY_AT_MOST:
                self.change(seat, by=FRENZY_GROWS, events=events)
        self.settle(events)

    def answer_bait(self, taken: bool, events: Told) -> None:
        """A player who takes the bait flips cards up to a creature; flipped Events have no effect (42)."""
        seat = self.current_player
        events.append(Bait(seat, taken))
        if not taken:
            self.end_turn()
            return
        card = self.flip(events)
        while not isinstance(card, int):
            self.discard_encounter(card)
            card = self.flip(events)
        self.discard_encounter(card)
        size = self.sizes[seat]
        events.append(Compare(seat, size, card))
        self.change(seat, by=BAIT_SIZES if size >= card else -BAIT_SIZES, events=events)
        self.settle(events)

    # Game play: Actions, from the current player clockwise

    def say_pass(self, seat: Seat, events: Told) -> None:
        """A player passes; the next player clockwise may play."""
        events.append(PASSES[seat])
        self.passes += 1
        self.player = clockwise(self.players, seat + 1)[0]

    def asks_to_play(self, events: Told) -> bool:
        """Let the next player play who can; returns False once all have passed since the last Action (7).

        A player with nothing to play passes unasked (34, 48); a stunned player counts as having passed (12).
        """
        if self.mode == "simple":
            return False
        unheard = len(self.players) - self.passes
        for seat in clockwise(self.players, self.player)[:unheard]:
            if seat not in self.stunned:
                if self.can_play(seat):
                    self.player = seat
                    return True
                events.append(PASSES[seat])
            self.passes += 1
        return False

    def can_play(self, seat: Seat) -> bool:
        """Whether the player has an Action with a legal target."""
        hand = self.hands[seat]
        return bool(hand) and (not ALWAYS_PLAYABLE.isdisjoint(hand) or any(self.targets(seat, card) for card in hand))

    def plays(self, seat: Seat) -> list[Play]:
        """What the player may play, equal cards once (48): cards in the order of the table, then by target."""
        plays: list[Play] = []
        on_any = plays_on_any(self.players, seat)
        for card in dict.fromkeys(self.hands[seat]):
            plays += on_any[card] if card in on_any else plays_on(card, self.targets(seat, card))
        return plays

    def targets(self, seat: Seat, card: Action) -> tuple[Target, ...]:
        """The legal targets of a card that cannot be played on everyone: the creature, then players clockwise.

        School of Fish goes by starting size (11); Stun and Lost at Sea go on other players (12-14), Switcheroo on any
        Character not attacked (18), Swim Away on the encounter.
        """
        characters = clockwise(self.players, seat)
        if card == "School of Fish":
            sizes = self.sizes
            small = tuple([other for other in characters if sizes[other] <= SCHOOL_AT_MOST])
            return ("creature", *small) if cast("int", self.encounter) <= SCHOOL_AT_MOST else small
        if card == "Stun":
            return tuple([other for other in characters[1:] if other not in self.stunned])
        if card == "Swim Away":
            return ("encounter",)
        if card == "Switcheroo":
            return tuple([other for other in characters if other != self.attacked])
        return tuple([other for other in characters[1:] if self.hands[other]])

    def play(self, seat: Seat, play: Play, events: Told) -> None:
        """An Action takes effect at once, without responses (8), and its player may go on (6)."""
        card, target = play.card, play.target
        self.hands[seat].remove(card)
        if self.known or self.followed:
            self.forget(seat, card)
        self.played.append(card)
        self.passes = 0
        events.append(Played(seat, card, target))
        by = MODIFIERS.get(card)
        if by is not None:
            # sizes have no limits during the turn (10)
            if isinstance(target, int):
                self.modifiers[target] += by
            else:
                self.creature_modifier += by
        elif card == "Swim Away":
            # the encounter ends, whoever is attacked; then the turn ends (16, 17)
            self.end_turn()
        elif isinstance(target, int):
            if card == "Stun":
                self.stunned.append(target)
            elif card == "Switcheroo":
                self.attacked = target
            else:
                self.rob(seat, victim=target, most=LOST_AT_SEA_TAKES, events=events)

    # Winning an encounter

    def compare(self, events: Told) -> None:
        """All have passed: the Character attacked now grows or shrinks by one, and nobody else (20, 24)."""
        seat = cast("Seat", self.attacked)
        size = self.sizes[seat] + self.modifiers[seat]
        creature = cast("int", self.encounter) + self.creature_modifier
        events.append(Compare(seat, size, creature))
        if size != creature or self.ties == "win":
            self.change(seat, by=1 if size >= creature else -1, events=events)
        self.settle(events)

    # End of turn

    def end_turn(self) -> None:
        """Modifiers and stuns end; used Actions and the Encounter card are discarded (37)."""
        if self.encounter is not None:
            self.discard_encounter(self.encounter)
            self.encounter = None
        if self.played:
            self.discard(self.played)
            self.played.clear()
            self.modifiers = [0] * len(self.sizes)
            self.creature_modifier = 0
            self.stunned.clear()
        self.attacked = None
        self.passes = 0
        self.player = self.current_player
        self.step = "end of turn"

    def cuts(self) -> dict[Seat, Decision]:
        """The question of everyone who has too many cards (31); not if they are all alike.

        Where a player has one card too many, equal cards are one option (48).
        """
        cuts: dict[Seat, Decision] = {}
        for seat, hand in enumerate(self.hands):
            over = len(hand) - self.hand_limit
            if over > 0 and hand[0] != hand[-1]:
                cuts[seat] = Decision(tuple(hand if over > 1 else dict.fromkeys(hand)), over, over)
        return cuts

    def cut(self, chosen: Mapping[Seat, tuple[Any, ...]], events: Told) -> None:
        """Discard down to the hand limit, all players at once."""
        limit = self.hand_limit
        for seat, hand in enumerate(self.hands):
            if len(hand) > limit:
                cards: list[Action] = sorted(chosen.get(seat, hand[limit:]), key=ACTION_PLACE.__getitem__)
                for card in cards:
                    hand.remove(card)
                    self.forget(seat, card)
                self.discard(cards)
                events.append(Discard(seat, tuple(cards)))

    def next_player(self, events: Told) -> None:
        """The next living player to the left (21); after 500 turns nobody (39)."""
        if self.turn == TURN_LIMIT:
            self.end("turn limit", events)
        else:
            self.current_player = clockwise(self.players, self.current_player + 1)[0]
            self.take_turn(events)


# Setup

ACTION_DECKS: Final[dict[Mode, tuple[Action, ...]]] = {
    "standard": tuple([card for card, copies in ACTIONS.items() for _ in range(copies)]),
    "beginner": tuple([card for card in BEGINNER_ACTIONS for _ in range(ACTIONS[card])]),
    "simple": (),
}
CREATURE_CARDS: Final = tuple([card for card, copies in CREATURES.items() for _ in range(copies)])
ENCOUNTER_CARDS: Final = tuple([card for card, copies in ENCOUNTER_COPIES.items() for _ in range(copies)])


def hand_limit(seats: int, mode: Mode) -> int:
    """The cards dealt to each player and kept at the end of a turn (30, 32, 43)."""
    return {"standard": HAND_LIMIT[seats], "beginner": BEGINNER_HAND_LIMIT, "simple": 0}[mode]


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> FishFood:
    """Shuffle both decks, deal the hands and draw who plays first.

    Raises:
        ValueError: ``seats`` is not from 2 to 6.
    """
    if seats not in HAND_LIMIT:
        raise ValueError(f"expected 2 to 6 seats, got {seats}")
    mode = cast("Mode", variants["mode"])
    events = variants["events"]
    if events == "auto":
        # the rulebook's word for large tables (4)
        events = "remove" if seats >= EVENTS_LEAVE_FROM else "keep"
    event_cards = cast("EventCards", events)
    chance = Chance(seed)
    actions = list(ACTION_DECKS[mode])
    chance.shuffle(actions)
    encounters = list(CREATURE_CARDS if event_cards == "off" else ENCOUNTER_CARDS)
    chance.shuffle(encounters)
    state = FishFood(
        chance=chance,
        mode=mode,
        event_cards=event_cards,
        ties=cast("Ties", variants["ties"]),
        hand_limit=hand_limit(seats, mode),
        action_deck=actions,
        encounter_deck=encounters,
        hands=[[] for _ in range(seats)],
        current_player=chance.below(seats),
        players=tuple(range(seats)),
        sizes=[START_SIZE] * seats,
        out=[0] * seats,
        modifiers=[0] * seats,
        action_discards=[0] * len(ACTIONS),
        encounter_discards=[0] * len(ENCOUNTER_PLACE),
        removed=[0] * len(EVENTS),
    )
    for hand in state.hands:
        hand.extend(sorted([actions.pop() for _ in range(state.hand_limit)], key=ACTION_PLACE.__getitem__))
    return state
