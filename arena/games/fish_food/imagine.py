"""A whole table made up from what one seat of Fish Food knows, for search bots. Is given nothing but the observation.

Face down lie the two decks and the other hands. The seat knows what is in them together, and by the history of hands
what is how likely to be in which hand (ruling 45).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, repeat
from operator import sub
from typing import Final, NamedTuple

from arena.chance import Chance
from arena.game import once_per_observation
from arena.games.fish_food import cards as box
from arena.games.fish_food.cards import Action, Encounter
from arena.games.fish_food.observation import Observation
from arena.games.fish_food.odds import Hypothesis, odds
from arena.games.fish_food.rules import FishFood, hand_limit
from arena.games.fish_food.table import PLACE

_BEGINNER: Final = tuple([copies if card in box.BEGINNER_ACTIONS else 0 for card, copies in box.ACTIONS.items()])
"""Copies of each Action that beginners play with."""
_WHOLE: Final = 1 << 53
TRIES = 100
"""How often hands are dealt until they fit the present question; the first deal nearly always does."""


def imagine(observation: Observation, chance: Chance) -> FishFood:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Every deal that agrees with what the seat knows is equally likely, and so is each card of a hand to be laid down;
    nothing is concluded from what others wanted. Of what the others have learnt of hands the table holds only which
    cards this seat took from them: their histories begin again.
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
    )
    if seen.piles:
        state.piles, state.moves = [()] * seen.seats, [[] for _ in seen.sizes]
        state.piles[seen.seat], state.moves[seen.seat] = seen.piles, list(seen.moves)
    chance.permute(state.encounter_deck)
    places = _places(seen)
    for _ in range(TRIES):
        _deal(state, seen, places, chance)
        if _asks(state, seen):
            break
    state.chance = Chance(chance.word().to_bytes(8, "little"))
    return state


@once_per_observation
def _encounters(seen: Observation) -> list[Encounter]:
    """The cards of the Encounters deck, which are all known but for their order."""
    left = list(map(sub, box.ENCOUNTER_COPIES.values(), seen.encounter_discards))
    if seen.event_cards == "off":
        left[len(box.CREATURES) :] = [0] * len(box.EVENTS)
    elif any(seen.removed):
        left[len(box.CREATURES) :] = map(sub, left[len(box.CREATURES) :], seen.removed)
    if seen.encounter is not None:
        left[box.ENCOUNTER_PLACE[seen.encounter]] -= 1
    return list(chain.from_iterable(map(repeat, box.ENCOUNTER_COPIES, left)))


class _Places(NamedTuple):
    """Where the hidden Actions can be."""

    hypotheses: list[Hypothesis]
    sums: list[float]
    """Of the weights of the hypotheses up to each."""
    cards: list[tuple[list[list[Action]], list[list[Action]]] | None]
    """By hypothesis, once it was drawn: the hands as far as they are certain, and the unseen cards of each pile."""


@once_per_observation
def _places(seen: Observation) -> _Places:
    if seen.piles:
        weights = odds(seen.seat, hands=seen.hands, piles=seen.piles, moves=seen.moves)
    else:
        weights = _one_hypothesis(seen)
    return _Places(list(weights), list(accumulate(weights.values())), [None] * len(weights))


def _one_hypothesis(seen: Observation) -> dict[Hypothesis, float]:
    """Where the hidden Actions can be before the history of the seat begins: anywhere."""
    hidden = [0] * len(box.ACTIONS)
    if seen.mode != "simple":
        hidden = list(map(sub, box.ACTIONS.values() if seen.mode == "standard" else _BEGINNER, seen.action_discards))
        for card in chain(seen.played, seen.hand):
            hidden[box.ACTION_PLACE[card]] -= 1
    none = (0,) * len(box.ACTIONS)
    hands = tuple([(*none, 0 if seat == seen.seat else cards) for seat, cards in enumerate(seen.hands)])
    return {Hypothesis(hands, (tuple(hidden),)): 1.0}


def _listed(counts: Sequence[int]) -> list[Action]:
    return list(chain.from_iterable(map(repeat, box.ACTIONS, counts)))


def _deal(state: FishFood, seen: Observation, places: _Places, chance: Chance) -> None:
    """Deal the hidden Actions to the deck and the other hands, by a hypothesis drawn by its weight."""
    sums = places.sums
    index = 0
    if len(sums) > 1:
        index = min(bisect_right(sums, chance.below(_WHOLE) / _WHOLE * sums[-1]), len(sums) - 1)
    hypothesis = places.hypotheses[index]
    cards = places.cards[index]
    if cards is None:
        certain = list(map(_listed, hypothesis.hands))
        certain[seen.seat] = list(seen.hand)
        cards = places.cards[index] = certain, list(map(_listed, hypothesis.unseen))
    hands = [hand[:] for hand in cards[0]]
    pile: list[Action] = []
    for number, unseen in enumerate(cards[1], len(box.ACTIONS)):
        pile = unseen[:]
        chance.permute(pile)
        for hand, counts in zip(hands, hypothesis.hands, strict=True):
            if counts[number]:
                hand.extend(pile[-counts[number] :])
                del pile[-counts[number] :]
    for hand in hands:
        hand.sort(key=PLACE)
    state.hands, state.action_deck = hands, pile


def _asks(state: FishFood, seen: Observation) -> bool:
    """Whether somebody has a decision: a player who is asked for an Action has one, and not all cuts are forced."""
    if state.step == "play":
        return state.player == seen.seat or state.can_play(state.player)
    return state.step != "end of turn" or bool(state.cuts())
