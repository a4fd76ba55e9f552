"""Whether the events of Fish Food tell the whole match: a listener keeps the table by them, without looking."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given

from arena.game import Seat
from arena.games.fish_food import events as tell
from arena.games.fish_food.cards import (
    ACTION_PLACE,
    ACTIONS,
    BEGINNER_ACTIONS,
    ENCOUNTER_COPIES,
    ENCOUNTER_PLACE,
    MODIFIERS,
)
from arena.games.fish_food.observation import Observation
from arena.laws.table import filter_events
from tests.games.test_fish_food_laws import TABLES, few
from tests.games.walks import Match

INFERRED = {"step", "player", "passes", "known", "exposed", "hand"}
"""Fields that are compared otherwise, or in other tests."""
LETTERS: dict[str, str] = dict(zip(ACTIONS, "abcdefgh", strict=True))


class Listener:
    """Hears what one seat hears and knows the rulebook."""

    def __init__(self, start: Observation) -> None:
        self.seen: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(start))
        self.hand: list[str] = list(start.hand)
        self.baited = False
        self.thief: Seat = 0

    def hear(self, event: Any) -> None:
        """Do on the table what the event says."""
        if isinstance(event, tell.Flip | tell.Draw | tell.Discard | tell.Reshuffle) and not self.baited:
            self.end_turn()
        told = getattr(self, f"hear_{type(event).__name__.lower()}", None)
        if told is not None:
            told(event)

    def end_turn(self) -> None:
        """The next card is drawn, flipped or discarded: what was used in the last turn lies on the discard piles."""
        seen = self.seen
        self.discard(seen["played"])
        if seen["encounter"] is not None:
            self.discard_encounter(seen["encounter"])
        seen.update(played=[], encounter=None, attacked=None, stunned=[], creature_modifier=0, passes=0)
        seen["modifiers"] = [0] * seen["seats"]

    def discard(self, cards: Sequence[Any]) -> None:
        for card in cards:
            self.seen["action_discards"][ACTION_PLACE[card]] += 1

    def discard_encounter(self, card: Any) -> None:
        place = ENCOUNTER_PLACE[card]
        if self.seen["event_cards"] == "remove" and place >= 10:
            self.seen["removed"][place - 10] += 1
        else:
            self.seen["encounter_discards"][place] += 1

    def hear_begin(self, event: tell.Begin) -> None:
        self.seen["current_player"] = event.seat

    def begin(self) -> None:
        """The history of hands begins: what is not seen now is somewhere."""
        seen = self.seen
        if not seen["piles"]:
            there = BEGINNER_ACTIONS if seen["mode"] == "beginner" else ACTIONS
            unseen = {card: copies * (card in there) for card, copies in ACTIONS.items()}
            for card, discarded in zip(ACTIONS, seen["action_discards"], strict=True):
                unseen[card] -= discarded + seen["played"].count(card) + self.hand.count(card)
            seen["piles"].append(list(unseen.values()))

    def note(self, move: str, cards: Sequence[Any] = ("",)) -> None:
        if self.seen["piles"]:
            self.seen["moves"] += [move + LETTERS.get(card, "") for card in cards]

    def hear_reshuffle(self, event: tell.Reshuffle) -> None:
        if event.deck == "actions":
            self.begin()
            self.seen["piles"].append(self.seen["action_discards"])
            self.note("~")
            self.seen.update(action_deck=event.cards, action_discards=[0] * len(ACTIONS))
        else:
            self.seen.update(encounter_deck=event.cards, encounter_discards=[0] * len(ENCOUNTER_COPIES))

    def hear_draw(self, event: tell.Draw) -> None:
        self.seen["action_deck"] -= 1
        self.seen["hands"][event.seat] += 1
        self.note(f"{event.seat}+")

    def hear_drawn(self, event: tell.Drawn) -> None:
        self.hand.append(event.card)
        self.see([event.card])

    def see(self, cards: Sequence[str]) -> None:
        """The last moves were of these cards."""
        moves = self.seen["moves"]
        if moves:
            moves[-len(cards) :] = [moves[-1] + LETTERS[card] for card in cards]

    def hear_flip(self, event: tell.Flip) -> None:
        seen, card = self.seen, event.card
        seen["encounter_deck"] -= 1
        if self.baited:
            self.discard_encounter(card)
        else:
            seen.update(encounter=card, attacked=event.seat if isinstance(card, int) else None)
            seen.update(current_player=event.seat, turn=seen["turn"] + 1)

    def hear_bait(self, event: tell.Bait) -> None:
        self.baited = event.taken

    def hear_grow(self, event: tell.Grow | tell.Lose) -> None:
        self.seen["sizes"][event.seat] = event.size
        self.baited = False

    hear_lose = hear_grow

    def hear_pass(self, _event: tell.Pass) -> None:
        self.seen["passes"] += 1

    def hear_played(self, event: tell.Played) -> None:
        seen, card, target = self.seen, event.card, event.target
        seen["played"].append(card)
        seen["hands"][event.seat] -= 1
        seen["passes"] = 0
        self.note(f"{event.seat}", [card])
        if event.seat == seen["seat"]:
            self.hand.remove(card)
        if target == "creature":
            seen["creature_modifier"] += MODIFIERS[card]
        elif card in MODIFIERS:
            seen["modifiers"][target] += MODIFIERS[card]
        elif card == "Stun":
            seen["stunned"].append(target)
        elif card == "Switcheroo":
            seen["attacked"] = target

    def hear_steal(self, event: tell.Steal) -> None:
        self.thief = event.seat
        if event.victim == self.seen["seat"]:
            self.begin()
        self.note(f"{event.seat}<{event.victim}", [""] * event.cards)
        self.seen["hands"][event.seat] += event.cards
        self.seen["hands"][event.victim] -= event.cards

    def hear_stolen(self, event: tell.Stolen) -> None:
        self.see(event.cards)
        for card in event.cards:
            if self.thief == self.seen["seat"]:
                self.hand.append(card)
            else:
                self.hand.remove(card)

    def hear_out(self, event: tell.Out) -> None:
        self.seen["out"][event.seat] = self.seen["turn"]
        self.lay_down(event.seat, event.hand)

    def hear_discard(self, event: tell.Discard) -> None:
        self.lay_down(event.seat, event.cards)

    def lay_down(self, seat: Seat, cards: Sequence[Any]) -> None:
        self.seen["hands"][seat] -= len(cards)
        self.note(f"{seat}", cards)
        self.discard(cards)
        if seat == self.seen["seat"]:
            for card in cards:
                self.hand.remove(card)


@few
@given(TABLES)
def test_the_events_tell_the_whole_match(match: Match) -> None:
    """Who hears the events of one seat knows all that lies open, its own hand, and the history of the others."""
    state = match.start()
    seat = match.deal % match.seats
    listener = Listener(state.observe(seat))
    for chosen in match.play(state):
        after = state.copy()
        for event in filter_events(after.apply(chosen), seat):
            listener.hear(event)
        seen = msgspec.json.decode(msgspec.json.encode(after.observe(seat)))
        assert Counter(listener.hand) == Counter(seen["hand"])
        assert listener.seen["sizes"] == seen["sizes"]
        assert listener.seen["out"] == seen["out"]
        # At the hand limit and the end the listener has heard nothing of the turn's end yet.
        if after.step in ("play", "take the bait"):
            assert {field: listener.seen[field] for field in seen.keys() - INFERRED} == {
                field: seen[field] for field in seen.keys() - INFERRED
            }
            if not after.stunned:
                assert listener.seen["passes"] == seen["passes"]
