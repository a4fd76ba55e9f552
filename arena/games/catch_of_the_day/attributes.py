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


def closest(card: Card, fish: Sequence[Sequence[int]]) -> tuple[Seat, ...]:
    """The players who satisfy a Request that all share, or receive a Complaint.

    Args:
        card: its text.
        fish: the Dorado, Rosefish and Tuna of every player, in the order of the seats.
    """
    kind, of, number = ATTRIBUTES[card]
    values = list(map(MEASURES[of], fish))
    if kind == "busted":
        return tuple([seat for seat, value in enumerate(values) if value > number])
    if kind in {"more", "fewer"}:
        neighbors = zip(values, values[1:] + values[:1], values[-1:] + values[:-1], strict=True)
        if kind == "more":
            return tuple([seat for seat, (own, left, right) in enumerate(neighbors) if own > left and own > right])
        return tuple([seat for seat, (own, left, right) in enumerate(neighbors) if own < left and own < right])
    if kind == "most":
        best = max(values)
    elif kind == "least":
        best = min(values)
    elif kind == "furthest":
        values = [abs(value - number) for value in values]
        best = max(values)
    else:
        # If all have busted nobody has this (ruling 21).
        best = max([value for value in values if value <= number], default=-1)
    return tuple([seat for seat, value in enumerate(values) if value == best])
