"""Kuhn's poker for 2 to 10 players: a card each from a deck with one card more, one bet of one chip.

H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games I, Princeton 1950. With more players
a bet goes round once, as in N. Abou Risk and D. Szafron, "Using counterfactual regret minimization to create
competitive multiplayer poker agents", AAMAS 2010.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

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

Act = Literal["pass", "bet"]


class Dealt(Struct, frozen=True, tag="dealt", tag_field="type"):
    """Only the seat that holds it sees it; 0 is the lowest card."""

    card: int

    def __str__(self) -> str:
        return f"You hold card {self.card}."


class Acted(Struct, frozen=True, tag="acted", tag_field="type"):
    """A pass is a check before there is a bet, and a fold afterwards; a bet is a call if there is one."""

    seat: Seat
    act: Act

    def __str__(self) -> str:
        return f"seat {self.seat} {'passes' if self.act == 'pass' else 'bets'}"


class Observation(Struct, frozen=True):
    """The own card, None before it is dealt, and what all have done, in order from seat 0."""

    seat: Seat
    seats: int
    card: Annotated[int, Among(lambda seats: tuple(range(seats + 1)))] | None
    acts: Annotated[tuple[Act, ...], InOrder(lambda seats: 2 * seats - 1)]


class Kuhn(ExplicitChance):
    """A table; ``cards`` are by seat as far as they are dealt."""

    MOST_OUTCOMES: ClassVar[int] = 11
    MOST_NODES: ClassVar[int] = 10

    seats: int
    cards: list[int] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)

    def turn(self) -> Pending | ChanceNode | Outcome:
        """Deal a card each; then each in turn, once around, and once around from the first bet."""
        if len(self.cards) < self.seats:
            return ChanceNode(tuple(card for card in range(self.seats + 1) if card not in self.cards))
        last = self.acts.index("bet") if "bet" in self.acts else 0
        if len(self.acts) == self.seats + last:
            return self.standing()
        return Pending({len(self.acts) % self.seats: Decision(("pass", "bet"))})

    def move(self, chosen: Chosen) -> list[Any]:
        """A card for the next seat, or an act of the seat in turn."""
        ((who, (what,)),) = chosen.items()
        if who == CHANCE:
            self.cards.append(what)
            return [Whisper((len(self.cards) - 1,), Dealt(what))]
        self.acts.append(what)
        return [Acted(who, what)]

    def observe(self, seat: Seat) -> Observation:
        """A seat sees its own card and every act."""
        card = self.cards[seat] if seat < len(self.cards) else None
        return Observation(seat, self.seats, card, tuple(self.acts))

    def standing(self) -> Outcome:
        """The highest card of those who bet, or of all if nobody did, takes the pot; scores are chips won."""
        bets = {at % self.seats for at, act in enumerate(self.acts) if act == "bet"}
        paid = [1 + (seat in bets) for seat in range(self.seats)]
        won = [-chips for chips in paid]
        if len(self.cards) == self.seats:
            won[max(bets or range(self.seats), key=self.cards.__getitem__)] += sum(paid)
        else:
            won = [0] * self.seats
        return Outcome(ranks_of(won), tuple(won))

    def copy(self) -> "Kuhn":
        """The lists and the chance are its own."""
        return structs.replace(self, chance=self.chance.copy(), cards=self.cards[:], acts=self.acts[:])


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> Kuhn:  # noqa: ARG001 - as the contract has it
    """Nothing is dealt yet: chance does that."""
    return Kuhn(Chance(seed), seats)


def imagine(observation: Observation, chance: Chance) -> Kuhn:
    """The others hold any of the other cards."""
    own, seats = observation.card, observation.seats
    cards = [card for card in range(seats + 1) if card != own]
    chance.shuffle(cards)
    cards.insert(observation.seat, own if own is not None else -1)
    dealt = [] if own is None else cards[:seats]
    return Kuhn(Chance(chance.word().to_bytes(8, "little")), seats, dealt, list(observation.acts))


def question(seen: Observation) -> str:
    """What the seat in turn is asked."""
    return "Do you call?" if "bet" in seen.acts else "Do you bet?"


def bounds(seats: int, _variants: Mapping[str, str]) -> tuple[int, int]:
    """A bet that is lost, and all the others' bets."""
    return -2, 2 * (seats - 1)


GAME = Game(
    name="kuhn-poker",
    title="Kuhn's poker",
    version="1",
    seats=range(2, 11),
    usual_seats=2,
    deal=deal,
    imagine=imagine,
    state=Kuhn,
    observation=Observation,
    option=Act,
    event=Dealt | Acted,
    question=question,
    objective="score",
    zero_sum=True,
    bounds=bounds,
)
