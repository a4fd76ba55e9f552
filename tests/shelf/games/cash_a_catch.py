"""Cash-a-Catch for the suites of the shelf: what is in the box, what a seat may not know, and leaks to be found."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Literal, cast

from arena.chance import Chance
from arena.game import Decision, Pending, Seat
from arena.games.cash_a_catch.cards import (
    CANNED_FISH,
    END_PHASE,
    FISH_THIEF,
    MARKET_CLOSED,
    START_MONEY,
    SUPPLY,
    Card,
)
from arena.games.cash_a_catch.events import Event
from arena.games.cash_a_catch.observation import Step
from arena.games.cash_a_catch.rules import CashACatch
from arena.laws.odds import Scenario
from arena.laws.table import silence
from tests.games.walks import questions


def census(state: CashACatch) -> Counter[str]:
    """Every card of the box: the end phase lies aside once out, market closed on the table. The bank is endless."""
    cards = Counter(state.discards)
    cards.update(state.deck)
    cards.update(state.lot)
    cards.update(state.catch)
    cards.update({FISH_THIEF: state.fish_thieves, CANNED_FISH: state.canned_fish})
    cards.update({END_PHASE: int(state.end_phase), MARKET_CLOSED: int(state.step == "market closed")})
    for can, board in zip(state.garbage_cans, state.boards, strict=True):
        cards.update(can)
        for place in board:
            cards.update(place)
    return cards


def redeal(state: CashACatch, seat: Seat, rng: Random) -> CashACatch:  # noqa: ARG001 - nothing is hidden from one seat only
    """A copy with a new order of the supply and new chance.

    Ruling 56: the end phase stays the 88th card, market closed one of the last six. Ruling 55: every garbage can stays
    as it is, for no card gets there unseen.
    """
    world = state.copy()
    ordinary = [card for card in world.deck if card in SUPPLY]
    rng.shuffle(ordinary)
    if MARKET_CLOSED in world.deck:
        ordinary.insert(rng.randrange(min(6, len(ordinary) + 1)), MARKET_CLOSED)
    if END_PHASE in world.deck:
        ordinary.insert(16, END_PHASE)
    world.deck = ordinary
    world.chance = Chance(rng.randbytes(32), rng.randrange(1000))
    return world


LEAKS: dict[str, Callable[[CashACatch, Seat], object]] = {
    "the next card": lambda state, seat: (state.observe(seat), state.deck[-1:]),
    "the cards that never come": lambda state, seat: (state.observe(seat), sorted(state.deck[:6])),
    "when the market closes": lambda state, seat: (
        state.observe(seat),
        state.deck.index(MARKET_CLOSED) if MARKET_CLOSED in state.deck else -1,
    ),
    "the supply in an order of its own": lambda state, seat: (state.observe(seat), Counter(reversed(state.deck))),
    "whether the next card is a fish thief": lambda state, _: state.deck[-1:] == [FISH_THIEF],
    "the chance": lambda state, seat: (state.observe(seat), state.chance),
    "how often chance was asked": lambda state, seat: (state.observe(seat), state.chance.drawn),
    "who would win the next lot": lambda state, _: state.chance.copy().below(2),
}


def rigged(
    seats: int = 4,
    *,
    lot: Sequence[Card] = ("eel 1",),
    supply: Sequence[Card] = (),
    boards: Mapping[Seat, Sequence[Sequence[Card]]] | None = None,
    garbage: Mapping[Seat, Sequence[Card]] | None = None,
    money: Mapping[Seat, int] | None = None,
    auctioneer: Seat = 0,
    step: Step = "auction",
    end_phase: bool = False,
    bell: Literal["lot", "nearest"] = "lot",
    key: bytes = bytes(32),
) -> CashACatch:
    """A table set up by hand, the auctioneer about to sell or all about to ring; cards are named first card first."""
    boards, garbage, money = boards or {}, garbage or {}, money or {}
    places = [[list(place) for place in boards.get(seat, ())] for seat in range(seats)]
    state = CashACatch(
        chance=Chance(key),
        bell=bell,
        deck=list(reversed(supply)),
        money=[money.get(seat, START_MONEY) for seat in range(seats)],
        boards=[board + [[] for _ in range(3 - len(board))] for board in places],
        garbage_cans=[list(garbage.get(seat, ())) for seat in range(seats)],
        discards={},
        auctioneer=auctioneer,
        step=step,
        lot=list(lot) if step == "auction" else [],
        end_phase=end_phase,
    )
    laid = census(state)
    if any(laid[card] > copies for card, copies in SUPPLY.items()):
        raise ValueError(f"expected at most {SUPPLY}, got {laid}")
    rest = [card for card, copies in SUPPLY.items() for _ in range(copies - laid[card])]
    if MARKET_CLOSED in supply:
        state.end_phase, beneath = END_PHASE not in supply, []
    elif end_phase:
        beneath = [MARKET_CLOSED, *rest[: 15 - len(supply)]]
    elif END_PHASE in supply:
        beneath = [MARKET_CLOSED, *rest[: 16 - len(supply) + list(supply).index(END_PHASE)]]
    else:
        beneath = [MARKET_CLOSED, *rest[:15], END_PHASE, *rest[15:]]
    state.deck = beneath + state.deck
    state.discards = dict(Counter(rest) - Counter(beneath))
    return state


def ring(state: CashACatch, *seats: Seat) -> list[Event]:
    """These seats ring, all others who are asked wait."""
    decisions = questions(state)
    assert state.step == "auction"
    assert set(seats) <= decisions.keys()
    return state.apply({seat: ("ring",) if seat in seats else () for seat in decisions})


def question(state: CashACatch, seat: Seat) -> Decision:
    """What the one seat that is asked may pick; it must be this one."""
    decisions = questions(state)
    assert list(decisions) == [seat]
    return decisions[seat]


def answer(state: CashACatch, seat: Seat, *picks: str) -> list[Event]:
    """The one seat that is asked picks the options that read so."""
    decision = question(state, seat)
    read = [str(option) for option in decision.options]
    indexes = [read.index(pick) for pick in picks]
    assert decision.fault_in(indexes) is None
    return state.apply({seat: decision.take(indexes)})


def sort_catch(state: CashACatch, seat: Seat, *placings: str) -> list[Event]:
    """Place cards as written, ``"eel 2 in crate 1"``, one after the other."""
    return [event for placing in placings for event in answer(state, seat, f"place {placing}")]


RIGGED: dict[str, Callable[..., CashACatch]] = {
    "by hand": rigged,
    "the end phase comes next": lambda: rigged(supply=[END_PHASE]),
    "market closed comes next": lambda: rigged(supply=[MARKET_CLOSED], end_phase=True),
    "everyone is poor": lambda: rigged(money=dict.fromkeys(range(1, 4), 10), boards={1: [["eel 2"]]}),
}


def _nearly_over(chance: Chance) -> CashACatch:
    """Eight cards are left, market closed among the last six, and seat 2 has thrown away a kind."""
    state = rigged(end_phase=True, garbage={2: ["eel 1", "octopus 1"]})
    ordinary = ["eel 2"] * 4 + ["tuna 2"] * 3
    left = Counter(SUPPLY) - Counter(ordinary)
    left.subtract(census(state) - Counter(state.deck) - Counter(state.discards))
    chance.shuffle(ordinary)
    ordinary.insert(chance.below(6), MARKET_CLOSED)
    state.chance, state.deck, state.discards = (
        chance,
        ordinary,
        {card: copies for card, copies in left.items() if copies > 0},
    )
    return state


SCENARIOS = {
    "nobody rings": Scenario(
        start=_nearly_over,
        answer=lambda state, _: silence(cast("Pending", state.pending())),
        steps=3,
        hidden=lambda state: (state.deck, state.garbage_cans),
    ),
}
