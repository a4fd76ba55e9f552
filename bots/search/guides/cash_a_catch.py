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

SOLD, LEFT = 0.85, 0.6  # of the price, what fish bring that may still grow in number, and those of the last sales
GROWTH = 2  # fish of a kind that it may grow by
CARDS_PER_LOT = 6
KEPT = 4096
"""Boards of which is known what they hold."""


def guide(greedy: ModuleType) -> Guide:
    """Greedy plays on to the end of the auction; what a sale now comes to is seen after the next one."""
    by_board = lru_cache(KEPT)(greedy.stock)
    # a board is asked about at each card of a lot; what is asked changes the copy
    setattr(greedy, "stock", lambda board: dict(by_board(tuple(map(tuple, board)))))  # noqa: B010 - of this page alone
    return Guide(
        policy=greedy.decide,
        quick=quick(greedy),
        phase=attrgetter("auctioneer"),
        phases=lambda seen: seen.seats + 1 if "sale" in seen.step else 1,
        estimate=estimate,
        scale=12.0,
    )


def quick(greedy: ModuleType) -> Quick:
    """What greedy answers."""

    def quick(state: Any, seat: int, decision: Any) -> tuple[int, ...]:
        options, step, board = decision.options, state.step, state.boards[seat]
        if step == "auction":
            # most often the lot is worth too little to look at anyone else
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


def sold(fish: int, later: float) -> float:
    """Euro to be expected for fish of a kind; ``later`` falls from 1 to 0 in the last round of auctions."""
    grown = (price(fish) + price(fish + GROWTH)) / 2
    return later * SOLD * grown + (1 - later) * LEFT * price(fish)


def estimate(state: Any) -> list[float]:
    """Euro, those for the fish on the board, and those for the garbage."""
    seats = range(len(state.money))
    later = min(len(state.deck) / (CARDS_PER_LOT * len(seats)), 1.0)
    return [
        state.money[seat]
        + sum([sold(fish, later) for fish in fish_by_kind(state.boards[seat]).values()])
        - GARBAGE_PRICE * fish_on(state.garbage_cans[seat])
        for seat in seats
    ]
