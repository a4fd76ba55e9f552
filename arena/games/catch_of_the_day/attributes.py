"""Compares players by what a Request or Complaint describes: one small vocabulary for all forty cards.

Knows the cards and numbers of fish; knows no table, no phase and no score. Source: rulebook, Glossary.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter

from arena.game import Seat
from arena.games.catch_of_the_day.cards import COMPLAINT_CARDS, DICE_PER_PLAYER, REQUEST_CARDS, Card, Kind, Measure

MEASURES: dict[Measure, Callable[[Sequence[int]], int]] = {
    "dorado": itemgetter(0),
    "rosefish": itemgetter(1),
    "tuna": itemgetter(2),
    "pairs of dorado and rosefish": lambda fish: min(fish[0], fish[1]),
    "pairs of rosefish and tuna": lambda fish: min(fish[1], fish[2]),
    "pairs of dorado and tuna": lambda fish: min(fish[0], fish[2]),
    "sets": min,
    "fish": sum,
}
"""How much of a measure a player has with this many Dorado, Rosefish and Tuna (rulings 23 and 24)."""

ATTRIBUTES: dict[Card, tuple[Kind, Measure, int]] = {
    card.text(seats): (card.kind, card.of, card.at(seats))
    for card in (*REQUEST_CARDS.values(), *COMPLAINT_CARDS.values())
    for seats in DICE_PER_PLAYER
}
"""The attribute that each text describes: the same text is always the same card."""


def all_with(value: object, values: Sequence[object]) -> tuple[Seat, ...]:
    """The seats of this value, by the values of all seats."""
    if values.count(value) == 1:
        return (values.index(value),)
    return tuple([seat for seat, other in enumerate(values) if other == value])


def most(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have the most."""
    return all_with(max(values), values)


def least(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have the least."""
    return all_with(min(values), values)


def closest_without_busting(values: list[int], number: int) -> tuple[Seat, ...]:
    """All who have the most of those who have at most the number; if all have busted nobody (ruling 21)."""
    best = -1
    for value in values:
        if best < value <= number:
            best = value
    return all_with(best, values)


def busted(values: list[int], number: int) -> tuple[Seat, ...]:
    """All who have more than the number."""
    return tuple([seat for seat, value in enumerate(values) if value > number])


def furthest(values: list[int], number: int) -> tuple[Seat, ...]:
    """All who are furthest away from the number."""
    away = [abs(value - number) for value in values]
    return all_with(max(away), away)


def more(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have more than both neighbors; counted from the end, the seat after the last is the first."""
    after = 1 - len(values)
    return tuple([seat for seat, own in enumerate(values) if values[seat - 1] < own > values[seat + after]])


def fewer(values: list[int], _: int) -> tuple[Seat, ...]:
    """All who have fewer than both neighbors."""
    after = 1 - len(values)
    return tuple([seat for seat, own in enumerate(values) if values[seat - 1] > own < values[seat + after]])


KINDS: dict[Kind, Callable[[list[int], int], tuple[Seat, ...]]] = {
    "most": most,
    "least": least,
    "closest": closest_without_busting,
    "busted": busted,
    "furthest": furthest,
    "more": more,
    "fewer": fewer,
}
"""Whom a card of each kind describes, by how much each player has and the number on the card."""


def closest(card: Card, fish: Sequence[Sequence[int]]) -> tuple[Seat, ...]:
    """The players who satisfy a Request that all share, or receive a Complaint.

    Args:
        card: its text.
        fish: the Dorado, Rosefish and Tuna of every player, in the order of the seats.
    """
    kind, of, number = ATTRIBUTES[card]
    return KINDS[kind](list(map(MEASURES[of], fish)), number)
