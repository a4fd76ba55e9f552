"""A whole table made up from what one seat of Fish Food knows, for search bots. Is given nothing but the observation.

Face down lie the two decks and the other hands. The seat knows what is in them together, cards that were taken from it
(ruling 45), and since a reshuffle how many of each Action the deck can hold.
"""

from itertools import chain, repeat

from arena.chance import Chance
from arena.games.fish_food.cards import (
    ACTION_PLACE,
    ACTIONS,
    BEGINNER_ACTIONS,
    ENCOUNTER_COPIES,
    EVENTS,
    Action,
    Encounter,
)
from arena.games.fish_food.observation import Observation
from arena.games.fish_food.rules import FishFood, hand_limit

TRIES = 100
"""Hands dealt until they fit the question that is being asked; the first nearly always do."""


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
        encounter_deck=_encounters(seen),
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
    chance.shuffle(state.encounter_deck)
    in_hands, anywhere = _actions(seen)
    for _ in range(TRIES):
        _deal(state, seen, in_hands, anywhere, chance)
        if _asks(state, seen):
            break
    state.chance = Chance(chance.word().to_bytes(8, "little"))
    return state


def _encounters(seen: Observation) -> list[Encounter]:
    """The cards of the Encounters deck, which are all known but for their order."""
    copies = ENCOUNTER_COPIES.copy()
    if seen.event_cards == "off":
        copies.update(dict.fromkeys(EVENTS, 0))
    for card, discarded in zip(ENCOUNTER_COPIES, seen.encounter_discards, strict=True):
        copies[card] -= discarded
    for event, removed in zip(EVENTS, seen.removed, strict=True):
        copies[event] -= removed
    if seen.encounter is not None:
        copies[seen.encounter] -= 1
    return list(chain.from_iterable(map(repeat, copies, copies.values())))


def _actions(seen: Observation) -> tuple[list[Action], list[Action]]:
    """The Actions of which the seat does not know where they lie: those that are in hands for sure, and the rest."""
    if seen.mode == "simple":
        return [], []
    left = dict(ACTIONS) if seen.mode == "standard" else {card: ACTIONS[card] for card in BEGINNER_ACTIONS}
    for cards in (seen.played, seen.hand, *seen.known):
        for card in cards:
            left[card] -= 1
    in_hands: list[Action] = []
    anywhere: list[Action] = []
    for card, copies in left.items():
        place = ACTION_PLACE[card]
        hidden = copies - seen.action_discards[place]
        in_deck = min(hidden, seen.deck_at_most[place]) if seen.deck_at_most else hidden
        in_hands += [card] * (hidden - in_deck)
        anywhere += [card] * in_deck
    return in_hands, anywhere


def _deal(state: FishFood, seen: Observation, in_hands: list[Action], anywhere: list[Action], chance: Chance) -> None:
    """Deal the hidden Actions to the deck and the other hands."""
    pile = anywhere[:]
    chance.shuffle(pile)
    state.action_deck = pile[: seen.action_deck]
    fresh = pile[seen.action_deck :]
    pile = in_hands[:]
    others = [seat for seat in range(seen.seats) if seat != seen.seat]
    hands: list[list[Action]] = [list(cards) for cards in seen.known]
    if seen.fresh:
        # cards of the reshuffled deck go where some were drawn; where there is no such room they were played since
        room = [seat for seat in others for _ in range(min(seen.fresh[seat], seen.hands[seat] - len(hands[seat])))]
        chance.shuffle(room)
        for seat in room[: len(fresh)]:
            hands[seat].append(fresh.pop())
    pile += fresh
    chance.shuffle(pile)
    state.hands = []
    for seat, cards in enumerate(seen.hands):
        if seat == seen.seat:
            state.hands.append(list(seen.hand))
        else:
            hand = hands[seat]
            hand += [pile.pop() for _ in range(cards - len(hand))]
            hand.sort(key=ACTION_PLACE.__getitem__)
            state.hands.append(hand)


def _asks(state: FishFood, seen: Observation) -> bool:
    """Whether somebody has something to decide: who is asked for an Action has one, and not all cuts are forced."""
    if state.step == "play":
        return state.player == seen.seat or state.can_play(state.player)
    return state.step != "end of turn" or bool(state.cuts())
