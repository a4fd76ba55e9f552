"""Fish Food from the deal to the last survivor, in the rulebook's order under its headings.

Knows the contract, chance and the cards; nothing of bots, clocks or other games. Numbers of rulings are those of
RULINGS.md.
"""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import chain, combinations
from typing import Any, Final, Literal, cast

from arena.chance import Chance
from arena.game import Chosen, Decision, KeptDecisions, Outcome, Pending, Seat, ranks_of
from arena.games.fish_food import cards as box
from arena.games.fish_food import events as tell
from arena.games.fish_food.cards import Action
from arena.games.fish_food.events import Option, Play, Target
from arena.games.fish_food.observation import EventCards, Mode, Ties
from arena.games.fish_food.table import PLACE, Events, Zones
from arena.structs import set_by_python

LEAVE_OR_TAKE: Final = Decision(("leave it", "take it"))
NOBODY: Final = Pending(KeptDecisions())

ANY_SIZE: Final = frozenset(box.MODIFIERS) - {"School of Fish"}
"""Actions for the creature and every Character."""
ALWAYS_PLAYABLE: Final = ANY_SIZE | {"Swim Away", "Switcheroo"}
"""Actions that have a legal target in every encounter."""

PASSES: Final = tuple(tell.Pass(seat) for seat in range(box.CHARACTERS))
TARGETS: Final[tuple[Target, ...]] = ("creature", "encounter", *range(box.CHARACTERS))
PLAYS: Final = {card: {target: Play(card, target) for target in TARGETS} for card in box.ACTIONS}
"""The options to play an Action, by card and target."""


def clockwise(players: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    """The players from this seat, in the game or not, round the table (49)."""
    place = bisect_left(players, seat)
    return players[place:] + players[:place]


CLOCKWISE: Final = {
    players: tuple([clockwise(players, seat) for seat in range(box.CHARACTERS + 1)])
    for number in range(1, box.CHARACTERS + 1)
    for players in combinations(range(box.CHARACTERS), number)
}
"""For each set of players in the game: the order clockwise from each seat; the last entry is that of seat 0 again."""

FREE_PLAYS: Final[dict[tuple[Seat, ...], dict[Action, tuple[Play, ...]]]] = {
    characters: {
        "Swim Away": (PLAYS["Swim Away"]["encounter"],),
        **{card: (PLAYS[card]["creature"], *[PLAYS[card][other] for other in characters]) for card in ANY_SIZE},
    }
    for characters in {*chain.from_iterable(CLOCKWISE.values())}
}
"""By the players clockwise: the options to play each card that has the same targets in every encounter.

These are the encounter itself, or the creature and any Character (9).
"""


@set_by_python
class FishFood(Zones, gc=False):
    """A game in play: ``step`` says what is asked, and all that asks nobody happens in between."""

    # The contract

    def pending(self) -> Pending | Outcome:
        """The question of the step, or how the game ended."""
        if self.step == "play":
            return Pending({self.player: Decision(self.options(self.player))})
        if self.step == "end of turn":
            return Pending(self.cuts())
        if self.step == "take the bait":
            return Pending({self.current_player: LEAVE_OR_TAKE})
        return NOBODY if self.step == "setup" else self.standing()

    def apply(self, chosen: Chosen) -> Events:
        """Go on to the next real question or the end; from a fresh deal to the first."""
        events: Events = []
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
            events.append(tell.Begin(self.current_player))
            self.take_turn(events)
        self.go_on(events)
        return events

    def go_on(self, events: Events) -> None:
        """Do every step that asks nobody, up to a question with several possible answers."""
        while True:
            if self.step == "play":
                if self.asks_to_play(events):
                    return
                self.compare(events)
            if self.step != "end of turn":
                return
            limit = self.hand_limit
            for hand in self.hands:
                if len(hand) > limit:
                    if self.cuts():
                        return
                    self.cut({}, events)
            self.next_player(events)

    # Winning the game

    def resolve(self, events: Events) -> None:
        """Size 10 wins at once (41), also on another's turn (22); size 0 is out; the last one left wins."""
        sizes = self.sizes
        if box.WINNING_SIZE in sizes:
            self.end("size 10", events)
            return
        if 0 in sizes:
            for seat in self.players:
                if not sizes[seat]:
                    self.knock_out(seat, events)
        if len(self.players) > 1:
            self.end_turn()
        else:
            self.end("last player" if self.players else "nobody left", events)

    def knock_out(self, seat: Seat, events: Events) -> None:
        """The Character leaves, and the hand goes to the discard pile (26)."""
        self.out[seat] = self.turn
        self.players = tuple([player for player in self.players if player != seat])
        hand = self.hands[seat]
        events.append(tell.Out(seat, tuple(hand)))
        self.discard(hand)
        for card in hand:
            self.lay_down(seat, card)
        hand.clear()

    def end(self, reason: Literal["size 10", "last player", "nobody left", "turn limit"], events: Events) -> None:
        """The rest of the turn is not played (41)."""
        self.step = "over"
        events.append(tell.FinalSizes(reason, tuple(self.sizes), self.standing().ranks))

    def standing(self) -> Outcome:
        """Living players by size, then the others: who went out later stands first. The score is the size (40)."""
        keys = [(size, 0 if size else out or self.turn + 1) for size, out in zip(self.sizes, self.out, strict=True)]
        return Outcome(ranks_of(keys), tuple(self.sizes))

    # Game play: draw and flip

    def take_turn(self, events: Events) -> None:
        """Draw, except on the first turn of the game (1), and flip; in the Simple Game there are no Actions."""
        seat = self.player = self.current_player
        turn = self.turn = self.turn + 1
        simple = self.mode == "simple"
        if turn > 1 and not simple:
            self.draw(events)
        card = self.encounter = self.flip(events)
        if isinstance(card, int):
            self.attacked = seat
            self.step = "play"
            if simple:
                self.compare(events)
        elif card == "Take the Bait":
            self.step = "take the bait"
        elif card == "Shark":
            self.shark(events)
        else:
            self.feeding_frenzy(events)

    # Game play: Events. Nobody may play Actions (5)

    def change(self, seat: Seat, *, by: int, events: Events) -> None:
        """Move a chip; it stops at 0 and at 10 (25)."""
        before = self.sizes[seat]
        after = before + by
        if not 0 <= after <= box.WINNING_SIZE:
            after = 0 if after < 0 else box.WINNING_SIZE
        self.sizes[seat] = after
        events.append(tell.Grow(seat, after - before, after) if by > 0 else tell.Lose(seat, before - after, after))

    def shark(self, events: Events) -> None:
        """The biggest Character loses 2 sizes; of several each loses 1."""
        most = max(self.sizes)
        biggest = [seat for seat, size in enumerate(self.sizes) if size == most]
        for seat in biggest:
            self.change(seat, by=-box.SHARK_BITES if len(biggest) == 1 else -box.SHARK_BITES_EACH, events=events)
        self.resolve(events)

    def feeding_frenzy(self, events: Events) -> None:
        """Every Character of size 5 or less grows."""
        for seat, size in enumerate(self.sizes):
            if 0 < size <= box.FRENZY_AT_MOST:
                self.change(seat, by=box.FRENZY_GROWS, events=events)
        self.resolve(events)

    def answer_bait(self, accepts: bool, events: Events) -> None:
        """A player who takes the bait flips cards up to a creature; flipped Events have no effect (42)."""
        seat = self.current_player
        events.append(tell.Bait(seat, accepts))
        if not accepts:
            self.end_turn()
            return
        card = self.flip(events)
        while not isinstance(card, int):
            self.discard_encounter(card)
            card = self.flip(events)
        self.discard_encounter(card)
        size = self.sizes[seat]
        events.append(tell.Compare(seat, size, card))
        self.change(seat, by=box.BAIT_SIZES if size >= card else -box.BAIT_SIZES, events=events)
        self.resolve(events)

    # Game play: Actions, from the current player clockwise

    def say_pass(self, seat: Seat, events: Events) -> None:
        """A player passes; the next player clockwise may play."""
        events.append(PASSES[seat])
        self.passes += 1
        self.player = CLOCKWISE[self.players][seat + 1][0]

    def asks_to_play(self, events: Events) -> bool:
        """Let the next player play who can; returns False once all have passed since the last Action (7).

        A player with nothing to play passes unasked (34, 48); a stunned player counts as having passed (12).
        """
        passes, hands, stunned = self.passes, self.hands, self.stunned
        unheard = CLOCKWISE[self.players][self.player]
        if passes:
            unheard = unheard[:-passes]
        for seat in unheard:
            if seat not in stunned:
                if hands[seat] and self.can_play(seat):
                    if seat != self.player:
                        self.player, self.passes = seat, passes
                    return True
                events.append(PASSES[seat])
            passes += 1
        self.passes = passes
        return False

    def can_play(self, seat: Seat) -> bool:
        """Whether the player has an Action with a legal target."""
        for card in self.hands[seat]:
            if card in ALWAYS_PLAYABLE or self.plays_of(card, CLOCKWISE[self.players][seat]):
                return True
        return False

    def options(self, seat: Seat) -> tuple[Option, ...]:
        """Pass, or play what the player may, equal cards once (48): cards in the order of the table, then by target."""
        characters = CLOCKWISE[self.players][seat]
        free = FREE_PLAYS[characters]
        options: list[Option] = ["pass"]
        last = None
        for card in self.hands[seat]:
            # equal cards lie side by side
            if card != last:
                options += free[card] if card in free else self.plays_of(card, characters)
                last = card
        return tuple(options)

    def plays_of(self, card: Action, characters: tuple[Seat, ...]) -> list[Play]:
        """The plays of a card whose targets the encounter decides: on the creature, then on players clockwise.

        School of Fish goes by starting size (11); Stun and Lost at Sea go on other players (12-14), Switcheroo on any
        Character not attacked (18).
        """
        plays = PLAYS[card]
        if card == "School of Fish":
            small = [plays[other] for other in characters if self.sizes[other] <= box.SCHOOL_AT_MOST]
            return [plays["creature"], *small] if cast("int", self.encounter) <= box.SCHOOL_AT_MOST else small
        if card == "Stun":
            return [plays[other] for other in characters[1:] if other not in self.stunned]
        if card == "Switcheroo":
            return [plays[other] for other in characters if other != self.attacked]
        return [plays[other] for other in characters[1:] if self.hands[other]]

    def play(self, seat: Seat, play: Play, events: Events) -> None:
        """An Action takes effect at once, without responses (8), and its player may go on (6)."""
        card, target = play.card, play.target
        self.hands[seat].remove(card)
        self.lay_down(seat, card)
        self.played.append(card)
        self.passes = 0
        events.append(tell.Played(seat, card, target))
        by = box.MODIFIERS.get(card)
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
                self.rob(seat, victim=target, most=box.LOST_AT_SEA_TAKES, events=events)

    # Winning an encounter

    def compare(self, events: Events) -> None:
        """All have passed: the Character attacked now grows or shrinks by one, and nobody else (20, 24)."""
        seat, creature = self.attacked, self.encounter
        assert seat is not None  # noqa: S101 - a creature attacks
        assert isinstance(creature, int)  # noqa: S101 - likewise
        size = self.sizes[seat] + self.modifiers[seat]
        creature += self.creature_modifier
        events.append(tell.Compare(seat, size, creature))
        if size != creature or self.ties == "win":
            self.change(seat, by=1 if size >= creature else -1, events=events)
        self.resolve(events)

    # End of turn

    def end_turn(self) -> None:
        """Modifiers and stuns end; used Actions and the Encounter card are discarded (37)."""
        encounter = self.encounter
        if encounter is not None:
            self.discard_encounter(encounter)
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

    def cut(self, choices: Mapping[Seat, tuple[Any, ...]], events: Events) -> None:
        """Discard down to the hand limit, all players at once."""
        limit = self.hand_limit
        for seat, hand in enumerate(self.hands):
            if len(hand) > limit:
                cards: list[Action] = sorted(choices.get(seat, hand[limit:]), key=PLACE)
                for card in cards:
                    hand.remove(card)
                    self.lay_down(seat, card)
                self.discard(cards)
                events.append(tell.Discard(seat, tuple(cards)))

    def next_player(self, events: Events) -> None:
        """The next living player to the left (21); after 500 turns nobody (39)."""
        if self.turn == box.TURN_LIMIT:
            self.end("turn limit", events)
        else:
            self.current_player = CLOCKWISE[self.players][self.current_player + 1][0]
            self.take_turn(events)


# Setup

ACTION_DECKS: Final[dict[Mode, tuple[Action, ...]]] = {
    "standard": tuple([card for card, copies in box.ACTIONS.items() for _ in range(copies)]),
    "beginner": tuple([card for card in box.BEGINNER_ACTIONS for _ in range(box.ACTIONS[card])]),
    "simple": (),
}
CREATURE_CARDS: Final = tuple([card for card, copies in box.CREATURES.items() for _ in range(copies)])
ENCOUNTER_CARDS: Final = tuple([card for card, copies in box.ENCOUNTER_COPIES.items() for _ in range(copies)])


def hand_limit(seats: int, mode: Mode) -> int:
    """The cards dealt to each player and kept at the end of a turn (30, 32, 43)."""
    return {"standard": box.HAND_LIMIT[seats], "beginner": box.BEGINNER_HAND_LIMIT, "simple": 0}[mode]


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> FishFood:
    """Shuffle both decks, deal the hands and draw who plays first.

    Raises:
        ValueError: ``seats`` is not from 2 to 6.
    """
    if seats not in box.HAND_LIMIT:
        raise ValueError(f"expected 2 to 6 seats, got {seats}")
    mode = cast("Mode", variants["mode"])
    events = variants["events"]
    if events == "auto":
        # the rulebook's word for large tables (4)
        events = "remove" if seats >= box.EVENTS_LEAVE_FROM else "keep"
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
        sizes=[box.START_SIZE] * seats,
        out=[0] * seats,
        modifiers=[0] * seats,
        action_discards=[0] * len(box.ACTIONS),
        encounter_discards=[0] * len(box.ENCOUNTER_PLACE),
        removed=[0] * len(box.EVENTS),
    )
    for hand in state.hands:
        hand.extend(sorted([actions.pop() for _ in range(state.hand_limit)], key=PLACE))
    return state
