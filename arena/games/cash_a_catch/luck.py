"""The luck of the bell in Cash-a-Catch: which of the seats that rang together got the lot.

Knows the contract, the board and the cards; nothing of bots. Measured among greedy bots and variants of them
(docs/ratings.md), 40 Euro are worth as much as finishing ahead of all opponents.
"""

from collections.abc import Sequence
from typing import Any, Final

from arena.game import Chosen, Luck, Seat
from arena.games.cash_a_catch.board import Board, fish_by_kind
from arena.games.cash_a_catch.cards import GARBAGE_PRICE, KIND, LOT_PRICE, OCTOPUS, PLACES, VALUE, Card, price
from arena.games.cash_a_catch.events import Bought
from arena.games.cash_a_catch.rules import CashACatch

EURO: Final = 1 / 40
"""The worth of a Euro: the share of all opponents that a seat finishes ahead of."""


def luck(before: CashACatch, chosen: Chosen, events: Sequence[Any]) -> list[Luck]:
    """The luck of each seat that rang, if the lot was drawn among several: each of them is equally likely to get it.

    Cards that are turned up lie open to all. They are left out, because they tell little about who wins.
    """
    if before.step != "auction" or before.bell != "lot":
        return []
    rang = [seat for seat, picks in chosen.items() if picks]
    ahead = [seat for seat in rang if seat != before.auctioneer] or rang
    if len(ahead) < 2:  # noqa: PLR2004 - there is no lot to draw
        return []
    (buyer,) = [event.seat for event in events if isinstance(event, Bought)]
    gains = [0.0] * len(before.money)
    worth: dict[Seat, float] = {seat: EURO * _worth(before.boards[seat], before.lot) for seat in ahead}
    for seat in ahead:
        gains[seat] = worth[seat] * (seat == buyer) - worth[seat] / len(ahead)
    # a seat gains at most the whole worth of the lot, while another seat loses its share
    return [Luck(tuple(gains), 2 * max(map(abs, worth.values())))]


def _worth(board: Board, lot: Sequence[Card]) -> float:
    """How many Euro a lot adds to a board, minus its price: the best three kinds have room, the others are garbage."""
    before = fish_by_kind(board)
    after, jokers = dict(before), 0
    for card in lot:
        kind = KIND.get(card)
        if kind == OCTOPUS:
            jokers += VALUE[card]
        elif kind is not None:
            after[kind] = after.get(kind, 0) + VALUE[card]
    jokers += after.pop(OCTOPUS, 0)
    most_first = sorted(after.values(), reverse=True)
    best, garbage = most_first[: len(PLACES)], sum(most_first[len(PLACES) :])
    if jokers:
        best = [*best[1:], best[0] + jokers] if best else [jokers]
    return sum(map(price, best)) - sum(map(price, before.values())) - GARBAGE_PRICE * garbage - LOT_PRICE
