"""Thinks before it answers: information-set Monte Carlo tree search over imagined matches, in any game.

It imagines tables that agree with all it has learnt, plays each of them on for every answer, and gives the answer that
does best. In the games that ``greedy`` has a page for, it takes everyone to play by that page after its own answer; in
others everyone learns within the tree and answers at random beyond it. ``arena.search`` is the search; the second half
of this file is what the search is told of each game: how far to play on, and who is ahead there.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
from operator import attrgetter
from time import monotonic
from typing import TYPE_CHECKING, Any

from arena import games
from arena.bot import Bot, Decision, Hello
from arena.games.cash_a_catch.board import fish_by_kind, fish_on
from arena.games.cash_a_catch.cards import GARBAGE_PRICE, price
from arena.players.entrants import shelf
from arena.search import Guide, Search, Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    Quick = Callable[[Any, int, Any], "tuple[int, ...] | None"]


class Searcher(Bot[Any]):
    """A search for the game that is played, and a clock for the match."""

    name = "search"

    def __init__(self) -> None:
        self._game = ""
        self._search: Search | None = None

    def begin(self, hello: Hello, /) -> None:
        """Get ready while nobody waits for an answer: a guide to the game, and memory swept up."""
        self._timing = Timing(hello.limits)
        if hello.game != self._game:
            self._game, self._search = hello.game, search(hello.game)
        if not gc.isenabled():
            gc.collect()

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """Search for as long as the clock allows; where the game is not installed, the first options."""
        if self._search is None:
            return range(decision.least)
        begun = monotonic()
        deadline = begun + self._timing.allot(decision.time) / 1000
        picks = self._search.picks(
            decision, decision.observation, seat=decision.seat, deadline=deadline, rng=decision.rng
        )
        ended = monotonic()
        self._timing.charge(used=1000 * (ended - begun), overrun=1000 * (ended - deadline))
        return picks


def search(game: str) -> Search | None:
    """The search for a game, or None with a line on stderr."""
    try:
        return Search(games.find(game), guide(game))
    except LookupError:
        print(f"search: no game {game!r} is installed here, so it takes the first options", file=sys.stderr)
        return None


def greedy(game: str) -> ModuleType | None:
    """The page of ``greedy`` for a game, if there is one."""
    path = shelf() / "greedy" / f"{game.replace('-', '_')}.py"
    spec = importlib.util.spec_from_file_location(f"greedy_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        return None
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


# What the search is told of each game


def guide(game: str) -> Guide:
    """How far to play on, and who is ahead there. A phase is what ``Guide.phase`` says."""
    page = greedy(game)
    if page is None:
        return Guide()
    match game:
        case "cash-a-catch":
            # to the end of the auction; what a sale now comes to is seen after the next one
            return Guide(
                policy=page.decide,
                quick=rings(page),
                phase=attrgetter("auctioneer"),
                phases=lambda seen: seen.seats + 1 if "sale" in seen.step else 1,
                estimate=cash_a_catch,
                scale=12.0,
            )
        case "catch-of-the-day":
            # to the end, for Requests count only there; after today anything may happen
            return Guide(policy=page.decide, phase=attrgetter("day"), random_after=True)
        case "dockfight":
            # to the end, for what cards are worth is hard to say
            return Guide(policy=page.decide, quick=hits)
        case "fish-food":
            return Guide(
                policy=page.decide,
                quick=plays(page),
                phase=attrgetter("turn"),
                phases=lambda _seen: 2,
                estimate=fish_food,
                scale=1.5,
            )
        case "lure":
            return Guide(policy=page.decide, phase=attrgetter("round"), estimate=lure, scale=6.0)
    return Guide(policy=page.decide)


SOLD, LEFT = 0.85, 0.6  # of the price, what fish bring that may still grow in number, and those of the last sales
GROWTH = 2  # fish of a kind that it may grow by
CARDS_PER_LOT = 6


def sold(fish: int, later: float) -> float:
    """Euro to be expected for fish of a kind; ``later`` falls from 1 to 0 in the last round of auctions."""
    grown = (price(fish) + price(fish + GROWTH)) / 2
    return later * SOLD * grown + (1 - later) * LEFT * price(fish)


def cash_a_catch(state: Any) -> list[float]:
    """Euro, those for the fish on the board, and those for the garbage."""
    seats = range(len(state.money))
    later = min(len(state.deck) / (CARDS_PER_LOT * len(seats)), 1.0)
    return [
        state.money[seat]
        + sum([sold(fish, later) for fish in fish_by_kind(state.boards[seat]).values()])
        - GARBAGE_PRICE * fish_on(state.garbage_cans[seat])
        for seat in seats
    ]


def rings(page: Any) -> Quick:
    """Whether greedy rings, from the state itself: most often the lot is worth too little to look at anyone else."""

    def quick(state: Any, seat: int, _decision: Any) -> tuple[int, ...] | None:
        if state.step != "auction":
            return None
        if page.gain(state.boards[seat], state.lot) < page.LEAST:
            return ()
        see = {
            "seat": seat,
            "seats": len(state.money),
            "auctioneer": state.auctioneer,
            "deck": len(state.deck),
            "money": state.money,
            "lot": state.lot,
            "boards": state.boards,
        }
        return (0,) if page.worth_ringing(see) else ()

    return quick


DAYS = range(1, 13)
POINTS = (0.0, 1.0, 3.0)  # of one card of a Day, and of two
SET = 9.0  # of three
ENOUGH, CARDS = 3, 3  # sets that win with Fisherman Frank; cards of one Day that make a set


def cards(livewell: list[int]) -> float:
    """Points for cards."""
    points = 0.0
    for day in set(livewell):
        sets, left = divmod(livewell.count(day), 3)
        points += SET * sets + POINTS[left]
    return points


def hits(state: Any, seat: int, decision: Any) -> tuple[int, ...] | None:
    """Whether greedy hits, while nobody is near a win; it takes the pile as imagined for all that is out of sight."""
    me = state.players[seat]
    sets = len(me.stringers) + len(me.broken_hauls)
    if state.step == "move" and sets < ENOUGH - 1 and len(decision.options) == 2:  # noqa: PLR2004 - none and swipe
        return (0,) if max(map(me.livewell.count, me.livewell)) < CARDS else None
    if state.step != "hit" or sets >= ENOUGH - 1:
        return None
    if not state.cast:
        return (1,)  # nothing to lose
    cast, pile, banked = state.cast, state.draw_pile, me.livewell + state.cast
    expected = 0.0
    for day in DAYS:
        if day not in cast:
            sets, left = divmod(banked.count(day), 3)
            gain = SET - POINTS[2] if left == 2 else POINTS[left + 1] - POINTS[left]  # noqa: PLR2004 - a pair
            expected += gain * pile.count(day)
    lost = cards(banked) - cards(me.livewell)
    return (1,) if expected > lost * sum([pile.count(day) for day in cast]) else (0,)


HELD = 0.3  # of a size, for an Action in the hand
OUT = -3.0


def fish_food(state: Any) -> list[float]:
    """Sizes, with something for Actions in the hand."""
    return [size + HELD * len(hand) if size else OUT for size, hand in zip(state.sizes, state.hands, strict=True)]


def plays(page: Any) -> Quick:
    """What greedy plays, from the state itself."""

    def quick(state: Any, seat: int, decision: Any) -> tuple[int, ...] | None:
        if state.step != "play":
            return None
        see = {
            "seat": seat,
            "seats": len(state.sizes),
            "sizes": state.sizes,
            "modifiers": state.modifiers,
            "attacked": state.attacked,
            "encounter": state.encounter,
            "creature_modifier": state.creature_modifier,
            "hand": state.hands[seat],
            "hands": list(map(len, state.hands)),
        }
        values = [page.value(see, {"card": play.card, "target": play.target}) for play in decision.options[1:]]
        best = max(values)
        return (1 + values.index(best),) if best > 0 else (0,)

    return quick


LURE = 0.7  # points of a lure in the hand
RESTING = {"d12": 0.6, "d20": 1.0}  # points that a die would bring in the next round


def lure(state: Any) -> list[float]:
    """Victory points, lures, and the dice that rest in the next round."""
    return [
        player.vp() + LURE * len(player.lures) - sum([RESTING[die] for die in player.resting])
        for player in state.players
    ]


if __name__ == "__main__":
    gc.disable()  # it would take its time while the house waits
    Searcher().run()
