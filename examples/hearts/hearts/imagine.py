"""Hands of the others by their true odds, from what one seat has learnt.

Every deal that agrees with the passes and the voids is possible. One is the likelier, the fewer other cards a seat
could have played each time: a card that follows suit is one of all those of the suit, a lead before hearts are broken
one of all that are no hearts. All these odds go suit by suit. So first it is drawn how many cards of each suit each
hand has, then which.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import factorial, prod
from typing import NamedTuple

from arena.chance import Chance
from arena.game import Seat, once_per_observation
from hearts.rules import PASSED, SUITS, Card, Hearts, Observation, Suit, box, facts

Counts = tuple[int, ...]
"""By hidden seat a number of cards."""


class Belief(NamedTuple):
    """What is known of the hands of the others."""

    others: list[Seat]
    certain: list[list[Card]]
    """By hidden seat the cards that it holds for certain."""
    unseen: dict[Suit, list[Card]]
    """All other cards that they hold."""
    room: Counts
    """How many of these each holds."""
    ways: Callable[[int, Counts], list[tuple[Counts, float]]]
    """By suit and the room left, each way to share it out, with what it and all ways to go on weigh."""


@once_per_observation
def belief(seen: Observation) -> Belief:
    """What is known of the hands of the others."""
    others = [seat for seat in range(seen.seats) if seat != seen.seat]
    played = {play.card for play in seen.plays}
    step = (seen.number + 1) % seen.seats
    target = (seen.seat + step) % seen.seats
    still = [card for card in seen.passed if card not in played]
    certain = [still if seat == target else [] for seat in others]
    out = {*seen.hand, *played, *still}
    unseen = {suit: [card for card in box(seen.seats) if card.suit == suit and card not in out] for suit in SUITS}
    size = len(box(seen.seats)) // seen.seats
    number = [size - sum(play.seat == seat for play in seen.plays) for seat in others]
    room = tuple([most - len(cards) for most, cards in zip(number, certain, strict=True)])
    likely = [[_likelihood(seen, seat, suit) for suit in SUITS] for seat in others]
    base = [[sum(card.suit == suit for card in cards) for suit in SUITS] for cards in certain]

    @cache
    def ways(place: int, left: Counts) -> list[tuple[Counts, float]]:
        found = []
        for counts in _share(len(unseen[SUITS[place]]), left):
            weight = 1.0
            for other, count in enumerate(counts):
                weight *= likely[other][place](base[other][place] + count) / factorial(count)
            if weight and place + 1 < len(SUITS):
                after = tuple([most - count for most, count in zip(left, counts, strict=True)])
                weight *= sum([further for _, further in ways(place + 1, after)])
            if weight:
                found.append((counts, weight))
        return found

    return Belief(others, certain, unseen, room, ways)


def _share(count: int, room: Sequence[int]) -> Iterator[Counts]:
    """Each way to share so many cards out."""
    if len(room) == 1:
        if count <= room[0]:
            yield (count,)
        return
    for first in range(min(count, room[0]) + 1):
        for others in _share(count - first, room[1:]):
            yield first, *others


def _likelihood(seen: Observation, seat: Seat, suit: Suit) -> Callable[[int], float]:
    """How likely the plays of a seat were, as far as one suit matters, if it has so many cards of it left."""
    own = [fact for fact in facts(seen.plays, seen.seats) if fact.seat == seat]
    size = len(box(seen.seats)) // seen.seats
    among: list[tuple[int, int]] = []
    """Each play was one of ``a + b * left`` cards."""
    void = suit in seen.voids[seat]
    for number, fact in enumerate(own):
        later = sum([other.card.suit == suit for other in own[number:]])
        if fact.led == fact.card.suit == suit:
            among.append((later, 1))
        elif fact.led is None and not fact.broken and suit == "H" != fact.card.suit:
            among.append((size - number - later, -1))

    def likelihood(left: int) -> float:
        if void and left:
            return 0.0
        return prod([1 / (a + b * left) if a + b * left > 0 else 0.0 for a, b in among])

    return likelihood


def imagine(observation: Observation, chance: Chance) -> Hearts:
    """Draw how many cards of each suit the others hold, then which, then what they passed to each other."""
    seen = observation
    known = belief(seen)
    fresh = Chance(chance.word().to_bytes(8, "little"))
    hands = [list(seen.hand) for _ in range(seen.seats)]
    for seat, cards in zip(known.others, known.certain, strict=True):
        hands[seat] = list(cards)
    room = known.room
    for place, suit in enumerate(SUITS):
        counts = _draw(chance, known.ways(place, room))
        cards = known.unseen[suit][:]
        chance.shuffle(cards)
        for seat, count in zip(known.others, counts, strict=True):
            hands[seat] += [cards.pop() for _ in range(count)]
        room = tuple([most - count for most, count in zip(room, counts, strict=True)])
    passed: list[list[Card]] = [[] for _ in hands]
    step = (seen.number + 1) % seen.seats
    if seen.passed:
        for giver in range(seen.seats):
            to = (giver + step) % seen.seats
            if giver == seen.seat:
                passed[giver] = list(seen.passed)
            elif to == seen.seat:
                passed[giver] = list(seen.received)
            else:
                had = sorted(hands[to] + [play.card for play in seen.plays if play.seat == to])
                chance.shuffle(had)
                passed[giver] = sorted(had[:PASSED])
    return Hearts(
        fresh,
        seen.hands,
        seen.number,
        hands=[sorted(hand) for hand in hands],
        passed=passed,
        plays=list(seen.plays),
        costs=list(seen.costs),
        paid=list(seen.paid),
    )


def _draw(chance: Chance, ways: Sequence[tuple[Counts, float]]) -> Counts:
    place = chance.word() / 2**64 * sum([weight for _, weight in ways])
    for counts, weight in ways:
        place -= weight
        if place < 0:
            return counts
    return ways[-1][0]
