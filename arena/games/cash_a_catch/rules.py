"""The rules of Cash-a-Catch, in the rulebook's order under its headings. Knows no bots, clocks, records or tables.

Numbers in brackets are rulings, listed in RULINGS.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cache
from typing import Any, Literal, cast

from msgspec import Struct

from arena.chance import Chance
from arena.game import Chosen, Decision, KeptDecisions, Outcome, Pending, Seat, ranks_of
from arena.games.cash_a_catch import cards as box
from arena.games.cash_a_catch import events as tell
from arena.games.cash_a_catch.board import (
    extra_kinds,
    fish_by_kind,
    fish_on,
    is_joker,
    kind_of,
    kinds_of,
    left_over,
    placings,
    spoils_first,
)
from arena.games.cash_a_catch.cards import KIND, RING, Card, Kind, Place, Placing, Removal, Theft
from arena.games.cash_a_catch.events import Event
from arena.games.cash_a_catch.observation import Observation, Step
from arena.structs import set_by_python

_BEAT = Decision((RING,), 0, 1)
_SUPPLY = tuple([card for card, copies in box.SUPPLY.items() for _ in range(copies)])
_AUCTIONEER_BUYS_WITH = 3
"""The number of seats with which the auctioneer may buy."""
_MOST_SEATS = 5
_TURNED = tuple(
    [
        {card: tell.Turned(seat, card) for card in (*box.SUPPLY, box.END_PHASE, box.MARKET_CLOSED)}
        for seat in range(_MOST_SEATS)
    ]
)
"""By seat and card: the event that comes most often, made once."""


@cache
def _beat(bidders: tuple[Seat, ...]) -> Pending:
    """The question of a beat to those who may ring."""
    return Pending(KeptDecisions(dict.fromkeys(bidders, _BEAT)))


@set_by_python
class CashACatch(Struct, gc=False):
    """A game in play. Piles stand from the bottom to the top; ``deck[-1]`` is turned up next.

    What an ``Observation`` has too is explained there.
    """

    chance: Chance
    bell: Literal["lot", "nearest"]
    deck: list[Card]
    money: list[int]
    boards: list[list[list[Card]]]
    garbage_cans: list[list[Card]]
    discards: dict[Card, int]
    """Copies of each card: the order of the pile means nothing, for it is never reshuffled (42)."""
    auctioneer: Seat
    step: Step = "preparation"
    lot: list[Card] = []
    buyer: Seat | None = None
    catch: list[Card] = []
    fish_thieves: int = 0
    canned_fish: int = 0
    end_phase: bool = False

    # The contract

    def pending(self) -> Pending | Outcome:
        """The question of the step, or how the game ended."""
        if self.step == "auction":
            return _beat(tuple(self._bidders()))
        if self.step == "market closed":
            return self.standing()
        if self.step == "preparation":
            return Pending({})
        seat = self.auctioneer if self.buyer is None else self.buyer
        return Pending({seat: self._question(seat)})

    def _question(self, seat: Seat) -> Decision:
        match self.step:
            case "sorting":
                return Decision(placings(self.boards[seat], self.catch))
            case "fish thief":
                return Decision(self._thefts(seat), 0, 1)
            case "throw away":
                return Decision(tuple(extra_kinds(self.boards[seat], self.catch)))
            case "canned fish":
                return self._removals(seat)
            case _:
                fish = fish_by_kind(self.boards[seat])
                return Decision(tuple(sorted(fish, key=fish.__getitem__)), 0, len(fish))

    def apply(self, chosen: Chosen) -> list[Event]:
        """Go on to the next real question or the end; from a fresh deal to the first card turned up."""
        events: list[Event] = []
        if self.step == "auction":
            self._beat(chosen, events)
            if self.buyer is None:
                return events  # nobody rang: the same seats are asked again, unless the market has closed
        elif self.step == "preparation":
            self.step = "sale"
        else:
            ((seat, picks),) = chosen.items()
            self._answer(seat, picks, events)
        self._go_on(events)
        return events

    def _answer(self, seat: Seat, picks: tuple[Any, ...], events: list[Event]) -> None:
        match self.step:
            case "sorting":
                self._place(seat, picks[0], events)
            case "fish thief":
                self._use_thief(seat, picks, events)
            case "throw away":
                self._throw_away(seat, picks[0], events)
            case "canned fish":
                self._remove(seat, picks, events)
            case "sale":
                self._sell(seat, picks, events)
                self.step = "auction"
            case _:
                self._sell(seat, picks, events)
                self._next_auctioneer()

    def observe(self, seat: Seat) -> Observation:
        """All cards are open but for those of the supply (47, 55, 56)."""
        return Observation(
            seat,
            len(self.money),
            self.bell,
            self.step,
            self.auctioneer,
            self.buyer,
            self.end_phase,
            len(self.deck),
            tuple(self.lot),
            tuple(self.catch),
            self.fish_thieves,
            self.canned_fish,
            tuple(self.money),
            tuple([(tuple(first), tuple(second), tuple(ice)) for first, second, ice in self.boards]),
            tuple([tuple(can) for can in self.garbage_cans]),
            self.discards.copy(),
        )

    def standing(self) -> Outcome:
        """Ranks by money after a sale of all places at half price and the garbage bill."""
        money = self.money
        if self.step != "market closed":
            money = [
                euros
                + sum([box.price(fish, box.HALF_PRICES) for fish in fish_by_kind(self.boards[seat]).values()])
                - box.GARBAGE_PRICE * fish_on(self.garbage_cans[seat])
                for seat, euros in enumerate(money)
            ]
        return Outcome(ranks_of(money), tuple(money))

    def copy(self) -> "CashACatch":
        """An independent state that continues in the same way."""
        other = copy(self)
        other.chance = self.chance.copy()
        other.deck = self.deck[:]
        other.money = self.money[:]
        other.boards = [[first[:], second[:], ice[:]] for first, second, ice in self.boards]
        other.garbage_cans = [can[:] for can in self.garbage_cans]
        other.discards = self.discards.copy()
        other.lot = self.lot[:]
        other.catch = self.catch[:]
        return other

    # Playing the game

    def _go_on(self, events: list[Event]) -> None:
        """Do every step that asks nobody, in the order of a turn, up to a question with several possible answers."""
        if self.buyer is not None:
            if self._is_asked(self.buyer, events):
                return
            self._next_auctioneer()
        if self.step == "sale":
            if any(self.boards[self.auctioneer]):
                return
            self.step = "auction"
        # (7, 48, 50) while there is no lot, or nobody may ring, the auctioneer turns the next card
        nobody = not self._bidders()
        while self.step == "auction" and (nobody or not self.lot):
            self._turn(events)

    def _next_auctioneer(self) -> None:
        """The next auctioneer is found clockwise, whoever bought (45)."""
        self.buyer = None
        self.auctioneer = (self.auctioneer + 1) % len(self.money)
        self.step = "sale"

    # Sell his own fish: value of the sale

    def _sell(self, seat: Seat, kinds: Sequence[Kind], events: list[Event]) -> None:
        """Sell all fish of these kinds, both places of a kind as one number (11); what spoils is decided first (51)."""
        if not kinds:
            return
        spoiling = [
            (owner, place, kind_of(board[place]))
            for owner, board in enumerate(self.boards)
            if owner != seat
            for place in box.CRATES
            if board[place]
        ]
        for kind in kinds:
            self._sell_kind(seat, kind, box.PRICES, events)
            crates: dict[Seat, list[Place]] = {}
            for owner, place, content in spoiling:
                if content == kind:
                    crates.setdefault(owner, []).append(place)
            for owner, places in crates.items():
                self._spoil(owner, places, events)

    def _sell_kind(self, seat: Seat, kind: Kind, prices: tuple[int, ...], events: list[Event]) -> None:
        fish = 0
        for place in self.boards[seat]:
            if place and kind_of(place) == kind:
                fish += fish_on(place)
                self._discard(place)
                place.clear()
        paid = box.price(fish, prices)
        self.money[seat] += paid
        events.append(tell.Sold(seat, kind, fish, paid, prices is box.HALF_PRICES))

    def _discard(self, cards: Iterable[Card]) -> None:
        discards = self.discards
        for card in cards:
            discards[card] = discards.get(card, 0) + 1

    # Spoiled fish of other players (garbage can)

    def _spoil(self, owner: Seat, crates: list[Place], events: list[Event]) -> None:
        """One card spoils among all crates of this kind."""
        board = self.boards[owner]
        place, index = spoils_first(board, crates)
        card = board[place].pop(index)
        self.garbage_cans[owner].append(card)
        events.append(tell.Spoiled(owner, card, place))

    # Execute an auction: offering cards at the auction

    def _turn(self, events: list[Event]) -> None:
        card = self.deck.pop()
        events.append(_TURNED[self.auctioneer][card])
        if card == box.END_PHASE:
            self.end_phase = True
        elif card == box.MARKET_CLOSED:
            self._end(events)
        else:
            self.lot.append(card)

    def _bidders(self) -> list[Seat]:
        """Who may ring: no credit (6), and the auctioneer only in a game for three (46)."""
        barred = -1 if len(self.money) == _AUCTIONEER_BUYS_WITH else self.auctioneer
        return [seat for seat, money in enumerate(self.money) if money >= box.LOT_PRICE and seat != barred]

    # Ending the auction

    def _beat(self, choices: Chosen, events: list[Event]) -> None:
        """Each card turned is a beat (4); those who ring on the same beat rang together (1)."""
        rang = [seat for seat, picks in choices.items() if picks]
        if not rang:
            self._turn(events)
            return
        if len(rang) > 1:
            rang.sort()
        events.append(tell.Rang(tuple(rang)))
        # Game for three: the auctioneer's ring counts only if all others let the card pass (5)
        ahead = rang
        if len(rang) > 1 and self.auctioneer in rang:
            ahead = [seat for seat in rang if seat != self.auctioneer]
        if len(ahead) == 1:
            buyer = ahead[0]
        elif self.bell == "lot":
            buyer = ahead[self.chance.below(len(ahead))]
        else:
            buyer = min(ahead, key=lambda seat: (seat - self.auctioneer) % len(self.money))
        self._buy(buyer, events)

    def _buy(self, buyer: Seat, events: list[Event]) -> None:
        lot = self.lot
        self.money[buyer] -= box.LOT_PRICE
        events.append(tell.Bought(buyer, tuple(lot), box.LOT_PRICE))
        # Commission for the auctioneer (8)
        if buyer != self.auctioneer:
            commission = box.COMMISSION * len(lot)
            self.money[self.auctioneer] += commission
            events.append(tell.Commission(self.auctioneer, commission))
        self.fish_thieves = lot.count(box.FISH_THIEF)
        self.canned_fish = lot.count(box.CANNED_FISH)
        self.catch = [card for card in lot if card in KIND]
        if len(self.catch) > 1:
            self.catch.sort(key=is_joker)
        self.lot = []
        self.buyer = buyer
        self.step = "fish thief"

    # The buyer's order: fish thief, sorting and garbage, canned fish, sale in the end phase (32)

    def _is_asked(self, buyer: Seat, events: list[Event]) -> bool:
        """Take the buyer's steps up to the next real question; returns whether there is one."""
        if self.step == "fish thief":
            while self.fish_thieves:
                if self._thefts(buyer):
                    return True
                self._use_thief(buyer, (), events)
            self.step = "throw away"
        board = self.boards[buyer]
        if self.step == "throw away":
            if left_over(kinds_of(board), self.catch) < 0:
                return True
            self.step = "sorting"
        if self.step == "sorting":
            while catch := self.catch:
                # two different cards give at least two options; only equal cards need a closer look
                if catch.count(catch[0]) != len(catch) or len(options := placings(board, catch)) > 1:
                    return True
                self._place(buyer, options[0], events)
            self.step = "canned fish"
        if self.step == "canned fish":
            if self.canned_fish:
                if self.garbage_cans[buyer]:
                    return True
                self._remove(buyer, (), events)
            self.step = "end phase sale"
        return self.end_phase and any(board)

    # Placing fish cards, joker cards

    def _throw_away(self, buyer: Seat, kind: Kind, events: list[Event]) -> None:
        """All cards of the kind, those of the catch and those of its places with their jokers (24, 26, 53)."""
        thrown = [card for card in self.catch if KIND[card] == kind]
        self.catch = [card for card in self.catch if KIND[card] != kind]
        for place in self.boards[buyer]:
            if kind_of(place) == kind:
                thrown += place
                place.clear()
        self.garbage_cans[buyer] += thrown
        events.append(tell.Threw(buyer, kind, tuple(thrown)))

    def _place(self, buyer: Seat, placing: Placing, events: list[Event]) -> None:
        """Put the card on top; cards already placed keep their order (22)."""
        self.catch.remove(placing.card)
        self.boards[buyer][placing.place].append(placing.card)
        events.append(tell.Placed(buyer, placing.card, placing.place))

    # Action cards: "fish thief" and "canned fish"

    def _thefts(self, buyer: Seat) -> tuple[Theft, ...]:
        """Topmost cards of all places of opponents, clockwise from the buyer (27)."""
        seats = len(self.money)
        return tuple(
            [
                Theft(seat, place, cards[-1])
                for seat in [(buyer + step) % seats for step in range(1, seats)]
                for place, cards in enumerate(self.boards[seat])
                if cards
            ]
        )

    def _use_thief(self, buyer: Seat, picks: tuple[Theft, ...], events: list[Event]) -> None:
        """The card joins the catch. The thief is discarded even if it steals nothing (29)."""
        self.fish_thieves -= 1
        self._discard((box.FISH_THIEF,))
        if not picks:
            events.append(tell.Unused(buyer, box.FISH_THIEF))
        for theft in picks:
            card = self.boards[theft.seat][theft.place].pop()
            self.catch.append(card)
            self.catch.sort(key=is_joker)
            events.append(tell.Stole(buyer, theft.seat, theft.place, card))

    def _removals(self, buyer: Seat) -> Decision:
        can = self.garbage_cans[buyer]
        dearest_first = sorted(range(len(can)), key=lambda index: -box.VALUE[can[index]])
        options = tuple([Removal(can[position], position) for position in dearest_first])
        return Decision(options, 0, min(box.CARDS_PER_CAN * self.canned_fish, len(can)))

    def _remove(self, buyer: Seat, removals: tuple[Removal, ...], events: list[Event]) -> None:
        """Garbage goes to the discard pile, and every canned fish with it; unused removals are lost (31)."""
        can = self.garbage_cans[buyer]
        for index in sorted([removal.at for removal in removals], reverse=True):
            del can[index]
        cards = [removal.card for removal in removals]
        if cards:
            events.append(tell.Canned(buyer, tuple(cards)))
        used = -(-len(cards) // box.CARDS_PER_CAN)
        events += [tell.Unused(buyer, box.CANNED_FISH)] * (self.canned_fish - used)
        self._discard(cards + [box.CANNED_FISH] * self.canned_fish)
        self.canned_fish = 0

    # Game end

    def _end(self, events: list[Event]) -> None:
        """The lot is not sold. All boards are sold at half price and nothing spoils; seats pay for garbage (36-39)."""
        self._discard(self.lot)
        self.lot = []
        self.step = "market closed"
        for seat in range(len(self.money)):
            for kind in fish_by_kind(self.boards[seat]):
                self._sell_kind(seat, kind, box.HALF_PRICES, events)
            if can := self.garbage_cans[seat]:
                bill = box.GARBAGE_PRICE * fish_on(can)
                self.money[seat] -= bill
                events.append(tell.Garbage(seat, tuple(can), bill))
        events.append(tell.Final(tuple(self.money), self.standing().ranks))


# Preparation


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> CashACatch:
    """Set the game up; the first card is turned up by the opening.

    Chance shuffles the supply, then market closed into its last five cards, then draws the first auctioneer (10).

    Raises:
        ValueError: ``seats`` is not from 3 to 5.
    """
    if seats not in range(3, 6):
        raise ValueError(f"expected 3 to 5 seats, got {seats}")
    chance = Chance(seed)
    supply = list(_SUPPLY)
    chance.shuffle(supply)
    beneath = box.LAST_CARDS - 1
    last = [*supply[:beneath], box.MARKET_CLOSED]
    chance.shuffle(last)
    above = box.BELOW_END_PHASE - 1
    return CashACatch(
        chance=chance,
        bell=cast("Literal['lot', 'nearest']", variants["bell"]),
        deck=[*last, *supply[beneath:above], box.END_PHASE, *supply[above:]],
        money=[box.START_MONEY] * seats,
        boards=[[[] for _ in box.PLACES] for _ in range(seats)],
        garbage_cans=[[] for _ in range(seats)],
        discards={},
        auctioneer=chance.below(seats),
    )
