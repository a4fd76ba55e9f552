"""What the search is told of Fish Food: how greedy answers, straight from the state, and who is ahead."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from arena.search import Guide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

MODIFIERS = {"Fish Food": 1, "Caught in the Net": -1, "Sunken Treasure": 2, "School of Fish": 4}
SECOND = ("Fish Food", "Caught in the Net", "Sunken Treasure")
CREATURES = (7, 7, 7, 5, 4, 3, 3, 2, 1, 1)
LAST_STEP, SMALL = 9, 2
SPARE = 0.2
"""A card is cheaper by this for each card in the hand beyond those that are certainly kept."""


def guide(greedy: ModuleType) -> Guide:
    """Greedy plays on to the end of the turn after the next."""
    return Guide(quick=Quick(greedy), phase=attrgetter("turn"), phases=lambda _seen: 2, estimate=estimate)


class Quick:
    """What greedy answers: the Action that gains most by its points for encounters and cards."""

    def __init__(self, greedy: Any) -> None:
        """The points are those of greedy's page."""
        self.cost: dict[str, float] = greedy.COST
        self.win, self.win_game = greedy.WIN_SIZE, greedy.WIN_GAME
        self.stop_winner, self.stop_leader, self.stop_other = greedy.STOP_WINNER, greedy.STOP_LEADER, greedy.STOP_OTHER
        self.leading, self.knock_out, self.comfort = greedy.LEADING, greedy.KNOCK_OUT, greedy.COMFORT

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
        """The worth for ``me`` if ``seat`` wins or loses the encounter."""
        size = state.sizes[seat]
        if seat == me:
            if wins:
                return float(self.win_game if size == LAST_STEP else self.win)
            return -float(self.win_game if size == 1 else self.win)
        if wins:
            stop = self.stop_leader if size >= self.leading else self.stop_other
            gain = -(self.stop_winner if size == LAST_STEP else stop)
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
        spare = SPARE * max(0, len(hand) - self.comfort)
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
                value = self.win + len(state.hands[target])
            elif card == "Stun":
                # before it wins itself: a player who still has cards could turn it round
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
        """The gain from a second card on the same target, if it turns the encounter round."""
        gains = []
        for other in SECOND:
            if other in hand and (other != card or hand.count(card) > 1):
                turns = (after + sign * MODIFIERS[other] >= 0) != now
                gains.append(turned * turns - self.cost[other] + spare)
        return max(gains, default=0.0)


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
