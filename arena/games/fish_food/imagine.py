"""A whole table made up from what one seat of Fish Food knows, for search bots. Is given nothing but the observation.

Face down lie the two decks and the other hands. The seat knows what is in them together, cards that were taken from it
(ruling 45), and since a reshuffle how many of each Action the deck can hold.
"""

from itertools import chain, islice
from operator import getitem, sub
from typing import Final

from arena.chance import Chance
from arena.game import once_per_observation
from arena.games.fish_food.cards import (
    ACTION_PLACE,
    ACTIONS,
    BEGINNER_ACTIONS,
    CREATURES,
    ENCOUNTER_COPIES,
    ENCOUNTER_PLACE,
    EVENTS,
    Action,
    Encounter,
)
from arena.games.fish_food.observation import Observation
from arena.games.fish_food.rules import FishFood, hand_limit

_PLACE: Final = ACTION_PLACE.__getitem__
_BEGINNER: Final = tuple([copies if card in BEGINNER_ACTIONS else 0 for card, copies in ACTIONS.items()])
"""Copies of each Action that beginners play with."""
_ACTIONS: Final = tuple([tuple([(card,) * copies for copies in range(most + 1)]) for card, most in ACTIONS.items()])
_ENCOUNTERS: Final = tuple(
    [tuple([(card,) * copies for copies in range(most + 1)]) for card, most in ENCOUNTER_COPIES.items()]
)
"""For each card the tuples of 0, 1, 2, ... copies of it."""
TRIES = 100
"""How often hands are dealt until they fit the present question; the first deal nearly always does."""


def imagine(observation: Observation, chance: Chance) -> FishFood:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Every deal that agrees with what the seat knows is equally likely; nothing is concluded from what others chose.
    Since a reshuffle the deck holds cards of it alone, and a hand no more of them than it drew. Of which deal a card
    was that somebody has played since is not followed: from then on the odds of hands are close, not exact. Of what the
    others learnt from Lost at Sea the table holds what this seat can tell; of the reshuffled deck they know as much as
    this seat.
    """
    seen = observation
    state = FishFood(
        chance=Chance(b""),
        mode=seen.mode,
        event_cards=seen.event_cards,
        ties=seen.ties,
        hand_limit=hand_limit(seen.seats, seen.mode),
        action_deck=[],
        encounter_deck=_encounters(seen).copy(),
        hands=[],
        current_player=seen.current_player,
        players=tuple([seat for seat, size in enumerate(seen.sizes) if size or not seen.out[seat]]),
        sizes=list(seen.sizes),
        out=list(seen.out),
        modifiers=list(seen.modifiers),
        action_discards=list(seen.action_discards),
        encounter_discards=list(seen.encounter_discards),
        removed=list(seen.removed),
        step=seen.step,
        turn=seen.turn,
        player=seen.player,
        passes=seen.passes,
        encounter=seen.encounter,
        attacked=seen.attacked,
        creature_modifier=seen.creature_modifier,
        stunned=list(seen.stunned),
        played=list(seen.played),
        known=[
            *[(seen.seat, whose, card) for whose, cards in enumerate(seen.known) for card in cards],
            *[(who, seen.seat, card) for who, cards in enumerate(seen.exposed) for card in cards],
        ],
        deck_at_most=[list(seen.deck_at_most) for _ in seen.sizes] if seen.deck_at_most else [],
        fresh=list(seen.fresh),
    )
    chance.permute(state.encounter_deck)
    in_hands, anywhere = _actions(seen)
    for _ in range(TRIES):
        _deal(state, seen, in_hands, anywhere, chance)
        if _asks(state, seen):
            break
    state.chance = Chance(chance.word().to_bytes(8, "little"))
    return state


@once_per_observation
def _encounters(seen: Observation) -> list[Encounter]:
    """The cards of the Encounters deck, which are all known but for their order."""
    left = list(map(sub, ENCOUNTER_COPIES.values(), seen.encounter_discards))
    if seen.event_cards == "off":
        left[len(CREATURES) :] = [0] * len(EVENTS)
    elif any(seen.removed):
        left[len(CREATURES) :] = map(sub, left[len(CREATURES) :], seen.removed)
    if seen.encounter is not None:
        left[ENCOUNTER_PLACE[seen.encounter]] -= 1
    return list(chain.from_iterable(map(getitem, _ENCOUNTERS, left)))


@once_per_observation
def _actions(seen: Observation) -> tuple[list[Action], list[Action]]:
    """The Actions whose place the seat does not know: those that are certainly in hands, and the rest."""
    if seen.mode == "simple":
        return [], []
    hidden = list(map(sub, ACTIONS.values() if seen.mode == "standard" else _BEGINNER, seen.action_discards))
    for cards in (seen.played, seen.hand, *seen.known):
        for card in cards:
            hidden[ACTION_PLACE[card]] -= 1
    if not seen.deck_at_most:
        return [], list(chain.from_iterable(map(getitem, _ACTIONS, hidden)))
    in_deck = list(map(min, hidden, seen.deck_at_most))
    in_hands = map(sub, hidden, in_deck)
    return (
        list(chain.from_iterable(map(getitem, _ACTIONS, in_hands))),
        list(chain.from_iterable(map(getitem, _ACTIONS, in_deck))),
    )


def _deal(state: FishFood, seen: Observation, in_hands: list[Action], anywhere: list[Action], chance: Chance) -> None:
    """Deal the hidden Actions to the deck and the other hands."""
    pile = anywhere[:]
    chance.permute(pile)
    state.action_deck = pile[: seen.action_deck]
    del pile[: seen.action_deck]
    hands: list[list[Action]] = [list(cards) for cards in seen.known]
    hands[seen.seat] = list(seen.hand)
    if seen.fresh:
        # reshuffled cards fill places that were drawn since; cards without such a place have been played since
        others = [seat for seat in range(seen.seats) if seat != seen.seat]
        room = [seat for seat in others for _ in range(min(seen.fresh[seat], seen.hands[seat] - len(hands[seat])))]
        chance.permute(room)
        for seat in room[: len(pile)]:
            hands[seat].append(pile.pop())
    if in_hands:
        pile += in_hands
        chance.permute(pile)
    rest = iter(pile)
    for seat, (hand, cards) in enumerate(zip(hands, seen.hands, strict=True)):
        if seat != seen.seat:
            hand.extend(islice(rest, cards - len(hand)))
            hand.sort(key=_PLACE)
    state.hands = hands


def _asks(state: FishFood, seen: Observation) -> bool:
    """Whether somebody has a decision: a player who is asked for an Action has one, and not all cuts are forced."""
    if state.step == "play":
        return state.player == seen.seat or state.can_play(state.player)
    return state.step != "end of turn" or bool(state.cuts())
