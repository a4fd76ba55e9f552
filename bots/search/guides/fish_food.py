"""What the search is told of Fish Food: how greedy answers, straight from the state, and how the searching seat does.

Both play the Action that gains most by the same points, but for the weights.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from arena.search import Guide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

MODIFIERS = {"Fish Food": 1, "Caught in the Net": -1, "Sunken Treasure": 2, "School of Fish": 4}
SECOND = ("Fish Food", "Caught in the Net", "Sunken Treasure")
CREATURES = (7, 7, 7, 5, 4, 3, 3, 2, 1, 1)
LAST_STEP, SMALL = 9, 2
WIN_GAME, STOP_WINNER, ROB = 100.0, 50.0, 6.0


def guide(_greedy: ModuleType) -> Guide:
    """To the end of the next turn but one; the searching seat spends less on the encounters of others."""
    return Guide(
        quick=GREEDY,
        own=OWN,
        phase=attrgetter("turn"),
        phases=lambda _seen: 2,
        estimate=estimate,
    )


class Weights(Struct, frozen=True, kw_only=True):
    """Points for encounters and cards; greedy's own, unless others are given."""

    win: float = 6.0
    """For the own encounter."""
    stop_leader: float = 3.0
    """For that of a seat of size ``leading`` or more, shared among all who could stop it."""
    stop_other: float = 2.0
    leading: int = 7
    knock_out: float = 10.0
    spare: float = 0.2
    """By which a card is cheaper for each one in the hand beyond ``comfort``."""
    comfort: int = 4
    cost: dict[str, float]
    """By card, what it is worth in the hand."""

    def __call__(self, state: Any, seat: int, decision: Any) -> tuple[int, ...]:
        """The picks."""
        options = decision.options
        if state.step == "play":
            return self.play(state, seat, options)
        if state.step == "take the bait":
            size = state.sizes[seat]
            left = [copies - gone for copies, gone in zip(CREATURES, state.encounter_discards, strict=False)]
            return (int(size > SMALL and 2 * sum(left[:size]) > sum(left)),)
        cost = self.cost
        return tuple(sorted(range(len(options)), key=lambda at: cost[options[at]])[: decision.least])

    def points(self, state: Any, me: int, seat: int, *, wins: bool) -> float:
        """What it is worth to ``me`` if ``seat`` wins or loses the encounter."""
        size = state.sizes[seat]
        if seat == me:
            if wins:
                return WIN_GAME if size == LAST_STEP else self.win
            return -WIN_GAME if size == 1 else -self.win
        if wins:
            stop = self.stop_leader if size >= self.leading else self.stop_other
            gain = -(STOP_WINNER if size == LAST_STEP else stop)
        else:
            gain = self.knock_out if size == 1 else self.stop_other
        return float(gain * (len(state.players) - 1) ** -0.5)

    def play(self, state: Any, me: int, options: Sequence[Any]) -> tuple[int]:
        """The Action that gains most, if any gains more than it costs."""
        attacked, hand, sizes, modifiers, cost = (
            state.attacked,
            state.hands[me],
            state.sizes,
            state.modifiers,
            self.cost,
        )
        creature = state.encounter + state.creature_modifier
        by = sizes[attacked] + modifiers[attacked] - creature
        now = self.points(state, me, attacked, wins=by >= 0)
        turned = self.points(state, me, attacked, wins=by < 0) - now
        spare = self.spare * max(0, len(hand) - self.comfort)
        best, most = 0, 0.0
        for at, option in enumerate(options):
            if not at:
                continue  # pass
            card, target = option.card, option.target
            if card in MODIFIERS:
                if target not in {attacked, "creature"}:
                    continue
                sign = 1 if target == attacked else -1
                after = by + sign * MODIFIERS[card]
                value = turned if (after >= 0) != (by >= 0) else 0.0
                if not value:
                    value = self.second(hand, card, after=after, sign=sign, now=by >= 0, turned=turned, spare=spare)
                value -= cost[card] - spare
            elif card == "Lost at Sea":
                value = ROB + len(state.hands[target])
            elif card == "Stun":
                # before the own win: who still has cards could turn it round
                winning = attacked == me and by >= 0 and sizes[me] == LAST_STEP
                value = float(winning * len(state.hands[target]))
            elif card == "Swim Away":
                value = -now - cost[card] + spare
            else:
                wins = sizes[target] + modifiers[target] >= creature
                value = self.points(state, me, target, wins=wins) - now - cost[card] + spare
            if value > most:
                best, most = at, value
        return (best,)

    def second(
        self, hand: Sequence[str], card: str, *, after: int, sign: int, now: bool, turned: float, spare: float
    ) -> float:
        """What a second card on the same target gains, if it turns the encounter round."""
        gains = []
        for other in SECOND:
            if other in hand and (other != card or hand.count(card) > 1):
                turns = (after + sign * MODIFIERS[other] >= 0) != now
                gains.append(turned * turns - self.cost[other] + spare)
        return max(gains, default=0.0)


GREEDY = Weights(
    cost={
        "School of Fish": 0.6,
        "Fish Food": 0.8,
        "Caught in the Net": 1.0,
        "Sunken Treasure": 1.3,
        "Stun": 1.6,
        "Lost at Sea": 1.8,
        "Swim Away": 2.1,
        "Switcheroo": 2.3,
    }
)
OWN = Weights(
    win=5.0,
    stop_leader=4.4,
    stop_other=0.38,
    knock_out=5.2,
    spare=0.1,
    comfort=5,
    cost={
        "School of Fish": 0.72,
        "Fish Food": 0.71,
        "Caught in the Net": 1.1,
        "Sunken Treasure": 0.95,
        "Stun": 1.6,
        "Lost at Sea": 1.8,
        "Swim Away": 1.75,
        "Switcheroo": 2.3,
    },
)
"""Found by playing many matches with weights drawn at random."""


SIZES = (-2.7, -0.6, 0.6, 1.3, 1.7, 2.1, 2.5, 2.7, 3.7, 4.7, 8.0)
CARDS = {
    "School of Fish": 0.11,
    "Fish Food": 0.07,
    "Caught in the Net": 0.07,
    "Sunken Treasure": 0.15,
    "Stun": 0.08,
    "Lost at Sea": 0.30,
    "Swim Away": 0.28,
    "Switcheroo": 0.24,
}


def estimate(state: Any) -> list[float]:
    """The odds to finish before others, as logarithms, of a size and of cards: fitted to matches played so."""
    return [
        SIZES[size] + sum([CARDS[card] for card in hand]) for size, hand in zip(state.sizes, state.hands, strict=True)
    ]
