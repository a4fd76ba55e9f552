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
_RESOLUTION: Final = 1 << 53
TRIES = 100
"""How often hands are dealt until they fit the present question; the first deal nearly always does."""


def imagine(observation: Observation, chance: Chance) -> FishFood:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Every deal that agrees with what the seat knows is equally likely, and so is each card of a hand to be laid down;
    nothing is concluded from what others wanted. Of what the others have learnt of hands the table holds only which
    cards this seat took from them: their histories begin again.
    """
    obs = observation
    state = FishFood(
        chance=Chance(b""),
        mode=obs.mode,
        event_cards=obs.event_cards,
        ties=obs.ties,
        hand_limit=hand_limit(obs.seats, obs.mode),
        action_deck=[],
        encounter_deck=_encounters(obs).copy(),
        hands=[],
        current_player=obs.current_player,
        players=tuple([seat for seat, size in enumerate(obs.sizes) if size or not obs.out[seat]]),
        sizes=list(obs.sizes),
        out=list(obs.out),
        modifiers=list(obs.modifiers),
        action_discards=list(obs.action_discards),
        encounter_discards=list(obs.encounter_discards),
        removed=list(obs.removed),
        step=obs.step,
        turn=obs.turn,
        player=obs.player,
        passes=obs.passes,
        encounter=obs.encounter,
        attacked=obs.attacked,
        creature_modifier=obs.creature_modifier,
        stunned=list(obs.stunned),
        played=list(obs.played),
        known=[
            *[(obs.seat, whose, card) for whose, cards in enumerate(obs.known) for card in cards],
            *[(who, obs.seat, card) for who, cards in enumerate(obs.exposed) for card in cards],
        ],
    )
    if obs.piles:
        state.piles, state.moves = [()] * obs.seats, [[] for _ in obs.sizes]
        state.piles[obs.seat], state.moves[obs.seat] = obs.piles, list(obs.moves)
    chance.permute(state.encounter_deck)
    places = _places(obs)
    for _ in range(TRIES):
        _deal(state, obs, places, chance)
        if _asks(state, obs):
            break
    state.chance = Chance(chance.word().to_bytes(8, "little"))
    return state


@once_per_observation
def _encounters(observation: Observation) -> list[Encounter]:
    """The cards of the Encounters deck, which are all known but for their order."""
    copies = list(map(sub, box.ENCOUNTER_COPIES.values(), observation.encounter_discards))
    if observation.event_cards == "off":
        copies[len(box.CREATURES) :] = [0] * len(box.EVENTS)
    elif any(observation.removed):
        copies[len(box.CREATURES) :] = map(sub, copies[len(box.CREATURES) :], observation.removed)
    if observation.encounter is not None:
        copies[box.ENCOUNTER_PLACE[observation.encounter]] -= 1
    return list(chain.from_iterable(map(repeat, box.ENCOUNTER_COPIES, copies)))


class _Places(NamedTuple):
    """Where the hidden Actions can be."""

    hypotheses: list[Hypothesis]
    sums: list[float]
    """Of the weights of the hypotheses up to each."""
    cards: list[tuple[list[list[Action]], list[list[Action]]] | None]
    """By hypothesis, once it was drawn: the hands as far as they are certain, and the unseen cards of each pile."""


@once_per_observation
def _places(observation: Observation) -> _Places:
    if observation.piles:
        weights = odds(observation.seat, hands=observation.hands, piles=observation.piles, moves=observation.moves)
    else:
        weights = _one_hypothesis(observation)
    return _Places(list(weights), list(accumulate(weights.values())), [None] * len(weights))


def _one_hypothesis(observation: Observation) -> dict[Hypothesis, float]:
    """Where the hidden Actions can be before the history of the seat begins: anywhere."""
    hidden = [0] * len(box.ACTIONS)
    if observation.mode != "simple":
        hidden = list(
            map(sub, box.ACTIONS.values() if observation.mode == "standard" else _BEGINNER, observation.action_discards)
        )
        for card in chain(observation.played, observation.hand):
            hidden[box.ACTION_PLACE[card]] -= 1
    none = (0,) * len(box.ACTIONS)
    hands = tuple([(*none, 0 if seat == observation.seat else cards) for seat, cards in enumerate(observation.hands)])
    return {Hypothesis(hands, (tuple(hidden),)): 1.0}


def _listed(counts: Sequence[int]) -> list[Action]:
    return list(chain.from_iterable(map(repeat, box.ACTIONS, counts)))


def _deal(state: FishFood, observation: Observation, places: _Places, chance: Chance) -> None:
    """Deal the hidden Actions to the deck and the other hands, by a hypothesis drawn by its weight."""
    sums = places.sums
    index = 0
    if len(sums) > 1:
        index = min(bisect_right(sums, chance.below(_RESOLUTION) / _RESOLUTION * sums[-1]), len(sums) - 1)
    hypothesis = places.hypotheses[index]
    cards = places.cards[index]
    if cards is None:
        certain = list(map(_listed, hypothesis.hands))
        certain[observation.seat] = list(observation.hand)
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


def _asks(state: FishFood, observation: Observation) -> bool:
    """Whether somebody has a decision: a player who is asked for an Action has one, and not all cuts are forced."""
    if state.step == "play":
        return state.player == observation.seat or state.can_play(state.player)
    return state.step != "end of turn" or bool(state.cuts())
