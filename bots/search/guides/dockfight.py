"""What the search is told of Dockfight: how greedy answers, straight from the state, and how the searching seat does.

Both do what leaves them best off by the same sum over their cards, but for the weights. Matches are played on to their
end: what cards and Fisherman Frank are worth before it is hard to say.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from arena.search import Guide

if TYPE_CHECKING:
    from types import ModuleType

SETS_TO_WIN, BURN, CARDS_OF_A_SET = 3, 3, 3
DAYS = range(1, 13)
MOST_COPIES, MOST_HAULS = 16, 6
SET, WIN = 9.0, 100.0


def guide(_greedy: ModuleType) -> Guide:
    """The searching seat goes by what is left in the pile; it pays for Fisherman Frank only to win."""
    return Guide(quick=Weights(), own=OWN)


class Weights:
    """Points for cards, and what is answered by them. It takes the pile as imagined for all that is out of sight.

    ``gains[left][hauls][cards]`` are points and sets that one more card of a Day brings to so many cards of it, with so
    many BROKEN HAULS and with so many copies left in the pile.
    """

    def __init__(
        self,
        *,
        single: float = 1.0,
        pair: float = 3.0,
        seen_pair: int = 1,
        seen_single: int = 1,
        hope: float = 1.0,
        frank: float = 4.0,
        spoiled: float = 6.0,
    ) -> None:
        """Greedy's own weights, unless others are given.

        Args:
            single: points for a card of which there is one.
            pair: points for two, one short of a set.
            seen_pair: with so many copies left a pair is worth all of its points.
            seen_single: with so many copies left, besides one, a single card is.
            hope: the part that is worth something whatever is left; 1: copies do not matter.
            frank: points for Fisherman Frank when one set is missing.
            spoiled: points for a Cut, for each set of the opponent beyond the first.
        """
        self.frank, self.spoiled = frank, spoiled
        self.worth, self.gains = [], []
        for left in range(MOST_COPIES + 1):
            pairs = pair * (hope + (1 - hope) * min(left / seen_pair, 1)) if left or hope == 1 else 0
            singles = single * (hope + (1 - hope) * min((left - 1) / seen_single, 1)) if left > 1 or hope == 1 else 0
            worth, gains = [], []
            for hauls in range(MOST_HAULS + 1):
                row = []
                for cards in range(MOST_COPIES + 2):
                    built, rest = divmod(cards, CARDS_OF_A_SET)
                    rebuilt = min(rest, hauls)
                    row.append((SET * (built + rebuilt) + (0.0, singles, pairs)[rest - rebuilt], built + rebuilt))
                worth.append(row)
                gains.append([(more[0] - less[0], more[1] - less[1]) for less, more in pairwise(row)])
            self.worth.append(worth)
            self.gains.append(gains)

    def __call__(self, state: Any, seat: int, decision: Any) -> tuple[int, ...]:
        """The picks."""
        if state.step == "hit":
            return (1,) if self.hits(state, seat) else (0,)
        if state.step == "burn":
            return self.burned(state, seat, state.players[seat].livewell, state.move)
        values = [self.value(state, seat, move) for move in decision.options]
        return (values.index(max(values)),)

    def hits(self, state: Any, seat: int) -> bool:
        """Whether one more card is expected to gain more than a bust would lose."""
        me, cast, frank = state.players[seat], state.cast, state.frank == seat
        sets = len(me.stringers)
        if not cast and sets < SETS_TO_WIN:
            return True
        pile, cards, hauls, gains, risked = bytes(state.draw_pile), bytes(me.livewell), me.broken_hauls, self.gains, 0.0
        for day in cast:
            gain, built = gains[pile.count(day)][hauls.count(day) if hauls else 0][cards.count(day)]
            risked += gain
            sets += built
        if sets >= SETS_TO_WIN and (frank or self.wins_by_swipe(state, seat)):
            return False
        if frank and sets == SETS_TO_WIN - 1:
            risked += self.frank
        expected, safe = 0.0, 0
        for day in DAYS:
            if day not in cast and (copies := pile.count(day)):
                gain, built = gains[copies][hauls.count(day) if hauls else 0][cards.count(day)]
                if frank and built and sets >= SETS_TO_WIN - 2:
                    gain = WIN if sets == SETS_TO_WIN - 1 else gain + self.frank
                expected += gain * copies
                safe += copies
        return expected > risked * (len(pile) - safe)

    def wins_by_swipe(self, state: Any, seat: int) -> bool:
        """Whether three sets are left after banking and paying for Fisherman Frank."""
        banked = sorted(state.players[seat].livewell + state.cast)
        return len(banked) >= BURN and self.after(state, seat, banked, "swipe", frank=True) >= WIN

    def value(self, state: Any, seat: int, move: Any) -> float:
        """What is there after a move and BUILD."""
        cards, frank = state.players[seat].livewell, state.frank == seat
        if move == "none":
            return self.points(state, seat, cards, frank=frank)
        if move == "swipe":
            return self.after(state, seat, cards, move, frank=True)
        spoiled = self.spoiled * (len(state.players[move.opponent].stringers) - 1)
        return self.after(state, seat, cards, move, frank=frank) + spoiled

    def after(self, state: Any, seat: int, cards: list[int], move: Any, *, frank: bool) -> float:
        """What is there of these cards after the three for a move."""
        gone = self.burned(state, seat, cards, move)
        rest = [day for at, day in enumerate(cards) if at not in gone]
        return self.points(state, seat, rest if move == "swipe" else [*rest, move.day], frank=frank)

    def points(self, state: Any, seat: int, cards: list[int], *, frank: bool) -> float:
        """What cards are worth to a seat about to BUILD."""
        me, pile = state.players[seat], bytes(state.draw_pile)
        hauls, sets, points = me.broken_hauls, len(me.stringers), 0.0
        points += SET * sets
        for day in set(cards):
            more, built = self.worth[pile.count(day)][hauls.count(day) if hauls else 0][cards.count(day)]
            points += more
            sets += built
        if frank and sets >= SETS_TO_WIN:
            return WIN
        return points + self.frank if frank and sets == SETS_TO_WIN - 1 else points

    def burned(self, state: Any, seat: int, cards: list[int], move: Any) -> tuple[int, ...]:
        """The indexes of the three cards that are missed least if they pay for a move."""
        hauls, pile = state.players[seat].broken_hauls, bytes(state.draw_pile)
        held = cards if move == "swipe" else [*cards, move.day]
        lost, before, first, most = [], 0, 0, 0.0
        for at, day in enumerate(cards):
            if day != before:
                before, first, most = day, at, 0.0
            left = held.count(day) - (at - first)
            # the second of alike cards may cost less, but it goes after the first
            most = max(most, self.gains[pile.count(day)][hauls.count(day) if hauls else 0][left - 1][0])
            lost.append((most, at))
        lost.sort()
        return tuple([at for _, at in lost[:BURN]])


OWN = Weights(single=1.1, pair=4.5, seen_pair=3, seen_single=5, hope=0.27, frank=-1.0, spoiled=6.5)
"""Found by playing many matches with weights drawn at random."""
