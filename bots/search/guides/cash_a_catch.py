"""What the search is told of Cash-a-Catch: how greedy answers, straight from the state, and what a seat has in Euro."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from arena.games.cash_a_catch.board import fish_by_kind, fish_on
from arena.games.cash_a_catch.cards import GARBAGE_PRICE, price
from arena.search import Guide

if TYPE_CHECKING:
    from types import ModuleType

    from arena.search.guide import Quick

EARLY, LATE = (0.97, 0.12), (1.2, -0.74)
"""Before the last round of auctions, and at its end: the worth of a Euro that fish would bring now, and of a Euro that
two more of their kind would add."""
SOON = {0: 1.9, 1: 0.7}
"""Euro for the seat that sells next, and for the one after it."""
ODDS, MORE = 6.9, 21
"""A Euro counts for ``ODDS / (left + MORE)`` with so many cards left in the supply."""
GROWTH = 2
CARDS_PER_LOT = 6
KEPT = 4096
"""How many boards are cached with what they hold."""


def guide(greedy: ModuleType) -> Guide:
    """Greedy plays on to the end of the auction; a sale now shows its result after the next auction."""
    by_board = lru_cache(KEPT)(greedy.stock)
    # a copy, because asking about each card of a lot changes the board
    setattr(greedy, "stock", lambda board: dict(by_board(tuple(map(tuple, board)))))  # noqa: B010 - of this page alone
    return Guide(
        policy=greedy.decide,
        quick=quick(greedy),
        phase=attrgetter("auctioneer"),
        phases=lambda seen: seen.seats + 1 if "sale" in seen.step else 1,
        estimate=estimate,
    )


def quick(greedy: ModuleType) -> Quick:
    """What greedy answers."""

    def quick(state: Any, seat: int, decision: Any) -> tuple[int, ...]:
        options, step, board = decision.options, state.step, state.boards[seat]
        if step == "auction":
            # most often the lot is worth too little to look at other boards
            worth = greedy.gain(board, state.lot) >= greedy.LEAST and greedy.worth_ringing(seen(state, seat))
            return (0,) if worth else ()
        if step in {"sale", "end phase sale"}:
            see = seen(state, seat)
            return tuple([at for at, kind in enumerate(options) if greedy.worth_selling(see, kind)])
        if step == "fish thief":
            see = seen(state, seat)
            scores = [
                greedy.theft_score(see, {"seat": theft.seat, "place": theft.place, "card": theft.card})
                for theft in options
            ]
            return (scores.index(max(scores)),) if max(scores) > 0 else ()
        if step == "sorting":
            see = {"seat": seat, "boards": state.boards}
            placings = [greedy.placing_score(see, {"card": each.card, "place": each.place}) for each in options]
            return (placings.index(max(placings)),)
        return tuple(range(decision.most))

    return quick


def seen(state: Any, seat: int) -> dict[str, Any]:
    """What greedy looks at."""
    return {
        "seat": seat,
        "seats": len(state.money),
        "auctioneer": state.auctioneer,
        "deck": len(state.deck),
        "money": state.money,
        "lot": state.lot,
        "boards": state.boards,
        "catch": state.catch,
    }


def estimate(state: Any) -> list[float]:
    """The odds to finish before others, as logarithms, fitted to matches of greedy: money, fish and garbage."""
    money, boards, cans = state.money, state.boards, state.garbage_cans
    seats, left = len(money), len(state.deck)
    later = min(left / (CARDS_PER_LOT * seats), 1.0)
    worth, growth = [late + later * (early - late) for early, late in zip(EARLY, LATE, strict=True)]
    values = []
    for seat in range(seats):
        euros = money[seat] - GARBAGE_PRICE * fish_on(cans[seat])
        for fish in fish_by_kind(boards[seat]).values():
            now = price(fish)
            euros += worth * now + growth * (price(fish + GROWTH) - now)
        euros += SOON.get((seat - state.auctioneer) % seats, 0.0)
        values.append(ODDS / (left + MORE) * euros)
    return values
