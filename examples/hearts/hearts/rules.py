"""Hearts with 32 cards, from the deal to the last trick. Knows no bot and no clock."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Struct, structs

from arena.chance import Chance
from arena.game import Chosen, Decision, Outcome, Pending, Seat, Whisper, ranks_of
from arena.values import Among, BySeat, Copies, InOrder, Upto

Suit: TypeAlias = Literal["C", "D", "S", "H"]
SUITS: tuple[Suit, ...] = ("C", "D", "S", "H")
RANKS = tuple(range(7, 15))
PASSED = 3
ALL = 21
"""Points in a hand."""


class Card(Struct, frozen=True, tag="card", tag_field="type", order=True):
    """A card, also as an option: to pass it or to play it."""

    rank: Annotated[int, Among(RANKS)]
    suit: Suit

    def __str__(self) -> str:
        return f"{'JQKA'[self.rank - 11] if self.rank > 10 else self.rank}{self.suit}"  # noqa: PLR2004 - court cards


BOX = tuple([Card(rank, suit) for suit in SUITS for rank in RANKS])
QUEEN = Card(12, "S")
COST = {card: 13 * (card == QUEEN) + (card.suit == "H") for card in BOX}


class Play(Struct, frozen=True):
    """A card on the table."""

    seat: Seat
    card: Card


class Dealt(Struct, frozen=True, tag="dealt", tag_field="type"):
    """Each seat hears of its own cards of a later hand."""

    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return f"You are dealt {', '.join(map(str, self.cards))}."


class Received(Struct, frozen=True, tag="received", tag_field="type"):
    """Each seat hears what was passed to it."""

    seat: Seat
    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return f"You get {', '.join(map(str, self.cards))} from seat {self.seat}."


class Played(Struct, frozen=True, tag="played", tag_field="type"):
    """A card is played."""

    seat: Seat
    card: Card

    def __str__(self) -> str:
        return f"seat {self.seat} plays {self.card}."


class Took(Struct, frozen=True, tag="took", tag_field="type"):
    """A trick is over."""

    seat: Seat
    cost: int

    def __str__(self) -> str:
        return f"seat {self.seat} takes the trick" + (f", for {self.cost}." if self.cost else ".")


class Paid(Struct, frozen=True, tag="paid", tag_field="type"):
    """A hand is over: what it cost, by seat."""

    costs: tuple[int, ...]

    def __str__(self) -> str:
        return "The hand costs " + ", ".join(f"seat {seat} {cost}" for seat, cost in enumerate(self.costs)) + "."


class Observation(Struct, frozen=True):
    """All that a seat has learnt."""

    seat: Seat
    seats: int
    hands: Annotated[int, Upto(4)]
    number: Annotated[int, Upto(3)]
    """Of the hand that is played, from 0."""
    hand: Annotated[tuple[Card, ...], Copies(1)]
    passed: Annotated[tuple[Card, ...], Copies(1)]
    received: Annotated[tuple[Card, ...], Copies(1)]
    plays: Annotated[tuple[Play, ...], InOrder(32)]
    """All of this hand, in order."""
    voids: BySeat[Annotated[tuple[Suit, ...], Copies(1)]]
    costs: BySeat[Annotated[int, Upto(ALL)]]
    """Of the tricks that each seat has taken in this hand."""
    paid: BySeat[Annotated[int, Upto(4 * ALL)]]
    """For the hands before."""


class Fact(Struct, frozen=True):
    """What the table knew when a card was played."""

    seat: Seat
    card: Card
    led: Suit | None
    """The suit to follow; None: this card led."""
    broken: bool
    """Whether a heart had been played."""
    over: bool
    """Whether it was the last card of a trick."""
    taker: Seat
    """Who has the highest card of the trick so far."""
    cost: int
    """Of the trick so far."""


def facts(plays: Sequence[Play], seats: int) -> Iterator[Fact]:
    """What the table knew at each play of a hand."""
    broken, best, cost = False, plays[0] if plays else None, 0
    for number, play in enumerate(plays):
        led = None if number % seats == 0 or best is None else best.card.suit
        if led is None or best is None or (play.card.suit == led and play.card.rank > best.card.rank):
            best = play
        cost = COST[play.card] + (cost if led else 0)
        over = number % seats == seats - 1
        yield Fact(play.seat, play.card, led, broken, over=over, taker=best.seat, cost=cost)
        broken = broken or play.card.suit == "H"


def shown_voids(plays: Sequence[Play], seats: int) -> tuple[tuple[Suit, ...], ...]:
    """By seat the suits of which it certainly has no card left: it did not follow, or led a heart too early."""
    voids: list[set[Suit]] = [set() for _ in range(seats)]
    for fact in facts(plays, seats):
        if fact.led is not None and fact.card.suit != fact.led:
            voids[fact.seat].add(fact.led)
        elif fact.led is None and fact.card.suit == "H" and not fact.broken:
            voids[fact.seat] |= set(SUITS) - {"H"}
    return tuple([tuple([suit for suit in SUITS if suit in shown]) for shown in voids])


def legal(hand: Sequence[Card], led: Suit | None, *, broken: bool) -> list[Card]:
    """The cards that may be played."""
    if led is not None:
        return [card for card in hand if card.suit == led] or list(hand)
    return list(hand) if broken else [card for card in hand if card.suit != "H"] or list(hand)


def box(seats: int) -> list[Card]:
    """The cards that are dealt."""
    return list(BOX[len(BOX) % seats :])


class Hearts(Struct):
    """A table. Hands are sorted; ``passed`` is by seat what it passed on in this hand, and empty before."""

    chance: Chance
    rounds: int
    number: int
    hands: list[list[Card]]
    passed: list[list[Card]]
    plays: list[Play]
    costs: list[int]
    paid: list[int]

    @property
    def seats(self) -> int:
        """How many play."""
        return len(self.hands)

    @property
    def step(self) -> int:
        """How many seats on cards are passed in this hand; 0: they are not."""
        return (self.number + 1) % self.seats

    def pending(self) -> Pending | Outcome:
        """Everybody passes, then each in turn plays a card."""
        if not any(self.hands):
            return self.standing()
        if self.step and not self.passed[0]:
            asked = {seat: Decision(tuple(hand), least=PASSED, most=PASSED) for seat, hand in enumerate(self.hands)}
            return Pending(asked)
        seat, led, broken = self.number % self.seats, None, False
        for fact in facts(self.plays, self.seats):
            seat = fact.taker if fact.over else (fact.seat + 1) % self.seats
            led = None if fact.over else fact.led or fact.card.suit
            broken = fact.broken or fact.card.suit == "H"
        return Pending({seat: Decision(tuple(legal(self.hands[seat], led, broken=broken)))})

    def apply(self, chosen: Chosen) -> list[Any]:
        """Cards are passed, or one is played."""
        if self.step and not self.passed[0]:
            return self._pass(chosen)
        ((seat, (card,)),) = chosen.items()
        self.hands[seat].remove(card)
        self.plays.append(Play(seat, card))
        told: list[Any] = [Played(seat, card)]
        *_, fact = facts(self.plays, self.seats)
        if fact.over:
            self.costs[fact.taker] += fact.cost
            told.append(Took(fact.taker, fact.cost))
        if not any(self.hands):
            told += self._settle()
        return told

    def _pass(self, chosen: Chosen) -> list[Any]:
        told = []
        self.passed = [sorted(chosen[seat]) for seat in range(self.seats)]
        for seat, cards in enumerate(self.passed):
            to = (seat + self.step) % self.seats
            self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
            told.append(Whisper((to,), Received(seat, tuple(cards))))
        for seat, cards in enumerate(self.passed):
            to = (seat + self.step) % self.seats
            self.hands[to] = sorted(self.hands[to] + cards)
        return told

    def _settle(self) -> list[Any]:
        if ALL in self.costs:
            self.costs = [ALL - cost for cost in self.costs]
        told: list[Any] = [Paid(tuple(self.costs))]
        self.paid = [before + cost for before, cost in zip(self.paid, self.costs, strict=True)]
        self.costs = [0] * self.seats
        if self.number + 1 < self.rounds:
            self.number += 1
            self.passed, self.plays = [[] for _ in self.hands], []
            self.hands = dealt(self.chance, self.seats)
            told += [Whisper((seat,), Dealt(tuple(hand))) for seat, hand in enumerate(self.hands)]
        return told

    def observe(self, seat: Seat) -> Observation:
        """A seat sees its own cards, and all that was played."""
        return Observation(
            seat,
            self.seats,
            self.rounds,
            self.number,
            hand=tuple(self.hands[seat]),
            passed=tuple(self.passed[seat]),
            received=tuple(self.passed[(seat - self.step) % self.seats]) if self.step else (),
            plays=tuple(self.plays),
            voids=shown_voids(self.plays, self.seats),
            costs=tuple(self.costs),
            paid=tuple(self.paid),
        )

    def standing(self) -> Outcome:
        """Who has paid least is first; a hand that is not over counts as far as it is."""
        scores = tuple([-before - cost for before, cost in zip(self.paid, self.costs, strict=True)])
        return Outcome(ranks_of(scores), scores)

    def copy(self) -> "Hearts":
        """The lists and the chance are its own; cards and plays never change."""
        return structs.replace(
            self,
            chance=self.chance.copy(),
            hands=[hand[:] for hand in self.hands],
            passed=[cards[:] for cards in self.passed],
            plays=self.plays[:],
            costs=self.costs[:],
            paid=self.paid[:],
        )


def dealt(chance: Chance, seats: int) -> list[list[Card]]:
    """All cards, sorted by hand."""
    deck = box(seats)
    chance.shuffle(deck)
    size = len(deck) // seats
    return [sorted(deck[seat * size : (seat + 1) * size]) for seat in range(seats)]


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> Hearts:
    """The first hand is dealt."""
    chance, nothing = Chance(seed), [0] * seats
    hands = dealt(chance, seats)
    return Hearts(chance, int(variants["hands"]), 0, hands, [[] for _ in hands], [], nothing, nothing.copy())
