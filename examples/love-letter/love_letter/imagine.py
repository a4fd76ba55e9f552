"""Imagined tables, by the true odds: from all that a seat knows, which cards the others hold and have held.

Others are taken to play either of their two cards with the same chance where the Countess leaves them both. What they
do with it tells nothing, but all that the rules say is kept: looks, swaps, a Guard that missed, a Baron that compared,
a King or Prince that was played beside no Countess. It is a forward filter over hands, turn by turn, and a walk back
that draws one history (Frühwirth-Schnatter, Data augmentation and dynamic linear models, 1994).
"""

from collections import defaultdict
from functools import lru_cache
from typing import Any, TypeAlias

from arena.chance import Chance
from arena.game import Seat
from love_letter.rules import (
    BOX,
    CARDS,
    COUNTESS,
    KING,
    PRINCE,
    LoveLetter,
    Observation,
    Turn,
    fallen,
)

Hands: TypeAlias = tuple[int, ...]
"""By seat the card in the hand between two turns; 0 when it is out."""
Source: TypeAlias = tuple[int, Hands, Turn | None]
"""A weight, the hands before a turn, and all of the turn."""
Belief: TypeAlias = dict[Hands, list[Source]]


@lru_cache(maxsize=256)
def belief(seat: Seat, seats: int, face_up: tuple[int, ...], first: int, turns: tuple[Turn, ...]) -> Belief:
    """Which hands there may be after these turns, and from which hands each can have come."""
    if not turns:
        return _dealt(seat, seats, face_up, first)
    past = turns[:-1]
    last, gone = turns[-1], [*face_up, *(card for turn in past for card in turn.discarded)]
    unseen = list(BOX)
    for card in gone:
        unseen[card] -= 1
    reached: defaultdict[Hands, list[Source]] = defaultdict(list)
    for hands, sources in belief(seat, seats, face_up, first, past).items():
        left = unseen.copy()
        for card in hands:
            left[card] -= 1
        weight = sum([source[0] for source in sources])
        _go_on(reached, (weight, hands, last), left, own=seat)
    return reached


def _dealt(seat: Seat, seats: int, face_up: tuple[int, ...], first: int) -> Belief:
    rows: list[tuple[int, Hands, list[int]]] = []
    left = list(BOX)
    for card in (*face_up, first):
        left[card] -= 1
    rows = [(1, (), left)]
    for number in range(seats):
        if number == seat:
            rows = [(weight, (*hands, first), left) for weight, hands, left in rows]
        else:
            rows = [
                (weight * left[card], (*hands, card), [count - (card == other) for other, count in enumerate(left)])
                for weight, hands, left in rows
                for card in CARDS
                if left[card]
            ]
    return {hands: [(weight, (), None)] for weight, hands, _ in rows}


def _go_on(
    reached: defaultdict[Hands, list[Source]], before: tuple[int, Hands, Turn], left: list[int], own: Seat
) -> None:
    """Add all hands to which these may have come by a turn, of which its blanks are not known."""
    weight, hands, turn = before
    who, card, target = turn.seat, turn.card, turn.target
    old = hands[who]
    # who plays the card that it held has drawn the one it keeps; else it has drawn the one it played
    for drew in [turn.drew] if turn.drew else CARDS if old == card else [card]:
        kept = drew if old == card else old
        if not left[drew] or (turn.kept and kept != turn.kept) or {old, drew} != {card, kept}:
            continue
        if kept == COUNTESS and card in {KING, PRINCE}:
            continue
        forced = kept == card or (card == COUNTESS and kept in {KING, PRINCE})
        after = [*hands]
        after[who] = kept
        met = 0 if target is None else after[target]
        if turn.met and turn.met != met:
            continue
        out = fallen(turn, kept, met) if target is not None or turn.out is not None else None
        if turn.out != (None if out is None else who if out == "kept" else target):
            continue
        if card == KING and target is not None:
            after[who], after[target] = met, kept
        if turn.out is not None:
            after[turn.out] = 0
        likely = weight * left[drew] * (1 + forced)
        if card != PRINCE or turn.out is not None:
            _add(reached, after, (likely, hands, _whole(turn, drew, kept, met)))
            continue
        assert target is not None  # noqa: S101 - a Prince always has one
        left[drew] -= 1
        for redrew in [turn.redrew] if target == own else CARDS:
            after[target] = redrew
            odds = left[redrew] if redrew else 1
            if odds:
                _add(reached, after, (likely * odds, hands, _whole(turn, drew, kept, met, redrew)))
        left[drew] += 1


def _add(reached: defaultdict[Hands, list[Source]], after: list[int], source: Source) -> None:
    reached[tuple(after)].append(source)


def _whole(turn: Turn, drew: int, kept: int, met: int, redrew: int = 0) -> Turn:
    return Turn(turn.seat, turn.card, turn.target, turn.guess, drew, kept, met, redrew, turn.out)


def imagine(observation: Observation, chance: Chance) -> LoveLetter:
    """Draw hands, go back from there to the deal, and draw for the seat in turn."""
    seen = observation
    fresh = Chance(chance.word().to_bytes(8, "little"))
    if not seen.first:
        left = [count - seen.face_up.count(card) for card, count in enumerate(BOX)]
        return LoveLetter(fresh, seen.seats, left, list(seen.face_up))
    now = belief(seen.seat, seen.seats, seen.face_up, seen.first, seen.turns)
    own = _held(seen, now)
    drew = list(seen.hand)
    if own:
        drew.remove(own)
    weights = {}
    for hands, sources in now.items():
        odds = sum([source[0] for source in sources])
        # what the seat has drawn itself is as likely as there are such cards
        weights[hands] = odds * _left(seen, hands)[drew[0]] if drew else odds
    hands = last = _one_of(chance, list(weights), list(weights.values()))
    turns: list[Turn] = []
    for number in range(len(seen.turns), 0, -1):
        sources = belief(seen.seat, seen.seats, seen.face_up, seen.first, seen.turns[:number])[hands]
        _, hands, turn = _one_of(chance, sources, [source[0] for source in sources])
        assert turn is not None  # noqa: S101 - only the deal has none
        turns.insert(0, turn)
    held = [[card] if card else [] for card in last]
    world = LoveLetter(fresh, seen.seats, _left(seen, last), list(seen.face_up), list(hands), held, turns)
    drawing = world.drawing()
    if drawing is not None and held[drawing] and (drew or drawing != seen.seat):
        there = [card for card in CARDS if world.left[card]]
        card = drew[0] if drew else _one_of(chance, there, [world.left[card] for card in there])
        held[drawing].append(card)
        world.left[card] -= 1
    return world


def _held(seen: Observation, now: Belief) -> int:
    """The card that the seat held before it drew: the same in all hands there may be."""
    return next(iter(now))[seen.seat]


def _left(seen: Observation, hands: Hands) -> list[int]:
    left = list(BOX)
    for card in (*seen.face_up, *hands, *(card for turn in seen.turns for card in turn.discarded)):
        left[card] -= bool(card)
    return left


def _one_of(chance: Chance, things: list[Any], weights: list[int]) -> Any:
    place = chance.below(sum(weights))
    for thing, weight in zip(things, weights, strict=True):
        if place < weight:
            return thing
        place -= weight
    raise AssertionError(place)
