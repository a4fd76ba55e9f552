"""A toy game that keeps all of the contract in little, with its census, its redeal and its planted leaks."""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import ClassVar, cast

from msgspec import Struct, structs

from arena.chance import Chance
from arena.game import Chosen, Decision, Game, Outcome, Pending, Seat, Whisper, ranks_of
from arena.laws.odds import Scenario
from arena.laws.table import answers

CARDS = range(1, 21)
HAND = 4
FISH = 30
BIDS = -1


class Bid(Struct, frozen=True, tag="bid", tag_field="type"):
    """An option: this card from the hand."""

    card: int

    def __str__(self) -> str:
        return f"bid {self.card}"


class Trade(Struct, frozen=True, tag="trade", tag_field="type"):
    """An option: throw this card away and take the top of the deck."""

    card: int

    def __str__(self) -> str:
        return f"trade {self.card}"


class Rolled(Struct, frozen=True, tag="rolled", tag_field="type"):
    catch: int

    def __str__(self) -> str:
        return f"The catch is {self.catch} fish."


class Bought(Struct, frozen=True, tag="bought", tag_field="type"):
    bids: tuple[int, ...]
    buyer: Seat

    def __str__(self) -> str:
        return f"The bids are {', '.join(map(str, self.bids))}: seat {self.buyer} takes the catch."


class Traded(Struct, frozen=True, tag="traded", tag_field="type"):
    seat: Seat
    card: int

    def __str__(self) -> str:
        return f"seat {self.seat} throws {self.card} away and draws."


class Drew(Struct, frozen=True, tag="drew", tag_field="type"):
    card: int

    def __str__(self) -> str:
        return f"You draw {self.card}."


class Sight(Struct, frozen=True):
    """What a seat knows. ``asked`` is ``BIDS`` or the seat that may trade."""

    seat: Seat
    asked: Seat
    hand: tuple[int, ...]
    fish: tuple[int, ...]
    catch: int
    discards: tuple[int, ...]
    deck: int
    dice: int
    trades: bool


class ToyState(Struct):
    dice: int
    trades: bool
    chance: Chance
    deck: list[int]
    hands: list[list[int]]
    fish: list[int]
    bank: int
    discards: list[int]
    catch: int = 0
    asked: Seat = BIDS

    spoken_aloud: ClassVar[bool] = False
    """Set by a subclass that plants a leak: the draw is no whisper."""

    def pending(self) -> Pending | Outcome:
        if not self.hands[0]:
            return self.standing()
        if self.asked == BIDS:
            return Pending({seat: Decision(tuple(map(Bid, hand))) for seat, hand in enumerate(self.hands)})
        return Pending({self.asked: Decision(("leave", *map(Trade, self.hands[self.asked])))})

    def apply(self, chosen: Chosen) -> list[object]:
        events: list[object] = []
        if self.asked == BIDS:
            self._sell(tuple(chosen[seat][0].card for seat in range(len(self.hands))), events)
        elif isinstance(trade := chosen[self.asked][0], Trade):
            hand = self.hands[self.asked]
            hand.remove(trade.card)
            self.discards.append(trade.card)
            drew = Drew(self.deck.pop())
            hand.append(drew.card)
            hand.sort()
            events += [Traded(self.asked, trade.card), drew if self.spoken_aloud else Whisper((self.asked,), drew)]
            self.asked = BIDS
        else:
            self.asked = BIDS
        if self.asked == BIDS and self.hands[0]:
            self._roll(events)
            if len(self.hands[0]) == 1:
                self._sell(tuple(hand[0] for hand in self.hands), events)
        return events

    def _sell(self, bids: tuple[int, ...], events: list[object]) -> None:
        buyer = bids.index(max(bids))
        for hand, card in zip(self.hands, bids, strict=True):
            hand.remove(card)
        self.discards += bids
        self.fish[buyer] += self.catch
        self.bank -= self.catch
        events.append(Bought(bids, buyer))
        self.asked = bids.index(min(bids)) if self.trades and self.deck and self.hands[0] else BIDS

    def _roll(self, events: list[object]) -> None:
        self.catch = min(self.bank, sum(self.chance.roll() for _ in range(self.dice)))
        events.append(Rolled(self.catch))

    def observe(self, seat: Seat) -> Sight:
        hand, fish, discards = tuple(self.hands[seat]), tuple(self.fish), tuple(self.discards)
        return Sight(
            seat, self.asked, hand, fish, self.catch, discards, len(self.deck), dice=self.dice, trades=self.trades
        )

    def standing(self) -> Outcome:
        return Outcome(ranks_of(self.fish), tuple(self.fish))

    def copy(self) -> "ToyState":
        return structs.replace(
            self,
            chance=self.chance.copy(),
            deck=self.deck[:],
            hands=[hand[:] for hand in self.hands],
            fish=self.fish[:],
            discards=self.discards[:],
        )


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> ToyState:
    """Four cards each from a shuffled deck of twenty, and the first roll."""
    chance = Chance(seed)
    deck = list(CARDS)
    chance.shuffle(deck)
    hands = [sorted(deck.pop() for _ in range(HAND)) for _ in range(seats)]
    dice = 1 if variants["dice"] == "one" else 2
    state = ToyState(dice, variants["lowest"] == "trades", chance, deck, hands, [0] * seats, FISH, [])
    state._roll([])
    return state


def imagine(observation: Sight, chance: Chance) -> ToyState:
    """A state in which the cards this seat has not seen lie anywhere."""
    sight = observation
    deck = [card for card in CARDS if card not in sight.hand and card not in sight.discards]
    chance.shuffle(deck)
    hands = [
        list(sight.hand) if seat == sight.seat else sorted(deck.pop() for _ in sight.hand)
        for seat in range(len(sight.fish))
    ]
    fresh = Chance(chance.word().to_bytes(8, "little"))
    fish, bank, discards = list(sight.fish), FISH - sum(sight.fish), list(sight.discards)
    return ToyState(sight.dice, sight.trades, fresh, deck, hands, fish, bank, discards, sight.catch, sight.asked)


def census(state: ToyState) -> Counter[str]:
    """Every card and every fish, wherever it lies."""
    cards = [*state.deck, *state.discards, *(card for hand in state.hands for card in hand)]
    return Counter([f"card {card}" for card in cards]) + Counter(fish=sum(state.fish) + state.bank)


def redeal(state: ToyState, seat: Seat, rng: Random) -> ToyState:
    """Another world that this seat cannot tell from the state."""
    world = state.copy()
    others = [hand for owner, hand in enumerate(world.hands) if owner != seat]
    unseen = world.deck + [card for hand in others for card in hand]
    rng.shuffle(unseen)
    for hand in others:
        hand[:] = sorted(unseen.pop() for _ in hand)
    world.deck = unseen
    world.chance.key = rng.randbytes(32)
    return world


LEAKS: dict[str, Callable[[ToyState, Seat], object]] = {
    "the next card": lambda state, seat: (state.observe(seat), state.deck[-1:]),
    "the other hands": lambda state, _: state.hands,
    "the order of the other hands": lambda state, _: sorted(range(len(state.hands)), key=lambda s: state.hands[s]),
    "the key": lambda state, seat: (state.observe(seat), state.chance),
    "the options of others": lambda state, _: state.pending(),
    "the length of what is hidden": lambda state, _: len(str(state)),
}

GAME = Game(
    name="toy",
    title="Toy",
    version="1",
    seats=range(2, 5),
    usual_seats=3,
    deal=deal,
    imagine=imagine,
    state=ToyState,
    observation=Sight,
    option=Bid | Trade | str,
    event=Rolled | Bought | Traded | Drew,
    variants={"dice": ("one", "two"), "lowest": ("trades", "waits")},
)


def _few_cards(chance: Chance) -> ToyState:
    """Two seats with two cards each and a deck of two; the other fourteen cards have been bid."""
    cards = list(CARDS)[:6]
    chance.shuffle(cards)
    state = ToyState(1, trades=True, chance=chance, deck=cards[4:], hands=[], fish=[0, 0], bank=FISH, discards=[])
    state.hands, state.discards = [sorted(cards[:2]), sorted(cards[2:4])], list(CARDS)[6:]
    return state


SCENARIOS = {
    "dealt": Scenario(
        start=_few_cards,
        answer=lambda state, chance: answers(cast("Pending", state.pending()), chance),
        steps=0,
        hidden=lambda state: (state.hands, state.deck),
    ),
}
