"""Leduc hold'em for two: a deck of six, two rounds of bets, a card on the table between them.

F. Southey et al., "Bayes' bluff: opponent modelling in poker", UAI 2005. Each pays one chip; a raise is 2 chips in the
first round and 4 in the second; at most two raises a round. A pair with the card on the table wins, else the higher
card.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import Struct, field, structs

from arena.chance import Chance
from arena.game import (
    CHANCE,
    ChanceNode,
    Chosen,
    Decision,
    ExplicitChance,
    Game,
    Outcome,
    Pending,
    Seat,
    Whisper,
    ranks_of,
)
from arena.values import Among, InOrder

Act = Literal["fold", "call", "raise"]
CARDS, SEATS, RAISES = 6, 2, (2, 4)
_MOST_RAISES = 2

Card: TypeAlias = Annotated[int, Among(tuple(range(CARDS)))]
Acts: TypeAlias = Annotated[tuple[Act, ...], InOrder(SEATS + _MOST_RAISES)]


class Dealt(Struct, frozen=True, tag="dealt", tag_field="type"):
    """A card of a hand, which its seat alone sees, or the one on the table. Half of its number is its rank."""

    card: int
    hand: bool

    def __str__(self) -> str:
        return f"You hold card {self.card}." if self.hand else f"Card {self.card} lies on the table."


class Acted(Struct, frozen=True, tag="acted", tag_field="type"):
    """A call of nothing is a check."""

    seat: Seat
    act: Act

    def __str__(self) -> str:
        return f"seat {self.seat} {self.act}s"


class Observation(Struct, frozen=True):
    """The own card and the one on the table, None before they are dealt, and the acts of both rounds."""

    seat: Seat
    card: Card | None
    table: Card | None
    rounds: Annotated[tuple[Acts, ...], InOrder(len(RAISES))]


class Leduc(ExplicitChance):
    """A table; ``cards`` are those of the seats, then the one on the table, as far as they are dealt."""

    MOST_OUTCOMES: ClassVar[int] = CARDS
    MOST_NODES: ClassVar[int] = SEATS + 1

    cards: list[int] = field(default_factory=list)
    rounds: list[list[Act]] = field(default_factory=lambda: [[]])

    def turn(self) -> Pending | ChanceNode | Outcome:
        """Two cards, a round, a card, a round; a fold ends it."""
        if len(self.cards) < SEATS + len(self.rounds) - 1:
            return ChanceNode(tuple(card for card in range(CARDS) if card not in self.cards))
        acts = self.rounds[-1]
        if "fold" in acts or (len(self.rounds) == len(RAISES) and _over(acts)):
            return self.standing()
        options: tuple[Act, ...] = ("fold", "call") if acts and acts[-1] == "raise" else ("call",)
        if acts.count("raise") < _MOST_RAISES:
            options = (*options, "raise")
        return Pending({len(acts) % SEATS: Decision(options)})

    def move(self, chosen: Chosen) -> list[Any]:
        """The next card, or an act of the seat in turn."""
        ((who, (what,)),) = chosen.items()
        if who == CHANCE:
            self.cards.append(what)
            seat, hand = len(self.cards) - 1, len(self.cards) <= SEATS
            return [Whisper((seat,), Dealt(what, hand=True)) if hand else Dealt(what, hand=False)]
        self.rounds[-1].append(what)
        if _over(self.rounds[-1]) and len(self.rounds) < len(RAISES):
            self.rounds.append([])
        return [Acted(who, what)]

    def observe(self, seat: Seat) -> Observation:
        """A seat sees its own card, the one on the table, and every act."""
        card = self.cards[seat] if seat < len(self.cards) else None
        table = self.cards[SEATS] if len(self.cards) > SEATS else None
        return Observation(seat, card, table, tuple(map(tuple, self.rounds)))

    def standing(self) -> Outcome:
        """Who did not fold takes the pot; else the better hand, and of equal ones each its own chips back."""
        paid, folded = self._paid()
        if folded is not None:
            winner: Seat | None = 1 - folded
        elif len(self.cards) <= SEATS:
            winner = None
        else:
            hands = [(card // 2 == self.cards[SEATS] // 2, card // 2) for card in self.cards[:SEATS]]
            winner = None if hands[0] == hands[1] else hands.index(max(hands))
        chips = 0 if winner is None else paid[1 - winner]
        won = [chips if seat == winner else -chips for seat in range(SEATS)]
        return Outcome(ranks_of(won), tuple(won))

    def _paid(self) -> tuple[list[int], Seat | None]:
        """The chips of each seat, and who folded."""
        paid = [1] * SEATS
        for acts, size in zip(self.rounds, RAISES, strict=False):
            for at, act in enumerate(acts):
                seat = at % SEATS
                if act == "fold":
                    return paid, seat
                paid[seat] = max(paid) + (size if act == "raise" else 0)
        return paid, None

    def copy(self) -> "Leduc":
        """The lists and the chance are its own."""
        rounds = [acts[:] for acts in self.rounds]
        return structs.replace(self, chance=self.chance.copy(), cards=self.cards[:], rounds=rounds)


def _over(acts: list[Act]) -> bool:
    """Whether a round is: both have acted, and the last one called."""
    return len(acts) >= SEATS and acts[-1] == "call"


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> Leduc:  # noqa: ARG001 - as the contract has it
    """Nothing is dealt yet: chance does that."""
    return Leduc(Chance(seed))


def imagine(observation: Observation, chance: Chance) -> Leduc:
    """The other holds any card that is not seen."""
    own, table = observation.card, observation.table
    cards = [] if own is None else [own]
    if cards:
        unseen = [card for card in range(CARDS) if card not in {own, table}]
        cards.insert(1 - observation.seat, unseen[chance.below(len(unseen))])
    cards += [] if table is None else [table]
    rounds = [list(acts) for acts in observation.rounds]
    return Leduc(Chance(chance.word().to_bytes(8, "little")), cards, rounds)


def question(seen: Observation) -> str:
    """What the seat in turn is asked."""
    acts = seen.rounds[-1]
    return "Do you fold, call or raise?" if acts and acts[-1] == "raise" else "Do you check or raise?"


def bounds(_seats: int, _variants: Mapping[str, str]) -> tuple[int, int]:
    """What all raises cost: 1, twice 2, and twice 4."""
    return -13, 13


GAME = Game(
    name="leduc-poker",
    title="Leduc hold'em",
    version="1",
    seats=range(SEATS, SEATS + 1),
    usual_seats=SEATS,
    deal=deal,
    imagine=imagine,
    state=Leduc,
    observation=Observation,
    option=Act,
    event=Dealt | Acted,
    question=question,
    objective="score",
    zero_sum=True,
    bounds=bounds,
)
