"""What the search is told of Dockfight: how greedy answers, straight from the state, and the odds of a table.

While a table is played on, all seats choose by the same sum over their cards; the searching seat has weights of its
own. Its first answer is the one with the best odds over all cards that the next HIT may bring.
"""

from __future__ import annotations

import json
from itertools import pairwise
from math import exp
from operator import attrgetter, mul
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from arena.search import Guide

if TYPE_CHECKING:
    from types import ModuleType

SETS_TO_WIN, SETS_TO_BE_CUT, BURN, CARDS_OF_A_SET, PAIR = 3, 2, 3, 3, 2
CARDS_OF_A_TURN = 8
"""More cards than a player draws in most turns."""
COPIES = {2: 6, 3: 8, 4: 16, 5: 16, 6: 16}
DAYS = range(1, 13)
MOST_COPIES, MOST_HAULS = 16, 6
SET, WIN = 9.0, 100.0


def guide(_greedy: ModuleType) -> Guide:
    """The match is played on until the seat's next turn, and judged by the odds there.

    There is no tree: answers differ by hundredths, and a tree that tries them at random makes a HIT look worse.
    """
    weights = json.loads(Path(__file__).with_name("dockfight.json").read_bytes())
    odds = Guide(
        quick=Weights(),
        rollout=OWN,
        phase=attrgetter("turn"),
        phases=lambda seen: seen.seats,
        odds=Odds(weights),
        sure=sure,
        # half a standard error between two answers: the first one is no better than that
        doubt=-0.7,
        deepest=0,
    )
    return replace(odds, first=Ahead(odds))


def sure(seen: Any, _decision: Any) -> tuple[int, ...] | None:
    """HIT first, as long as no STOP wins and the draw pile lasts: that card cannot bust, and no card does harm."""
    lasts = seen.draw_pile > CARDS_OF_A_TURN * seen.seats
    return (
        (1,)
        if seen.step == "hit" and not seen.cast and lasts and len(seen.stringers[seen.seat]) < SETS_TO_WIN
        else None
    )


class Weights:
    """The points of cards, and the answers by these points. The imagined pile stands for all cards out of sight.

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
            seen_single: the same for a single card, with so many copies left besides it.
            hope: the part of the points that does not depend on copies left; 1: copies do not matter.
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
        """The points after a move and BUILD."""
        cards, frank = state.players[seat].livewell, state.frank == seat
        if move == "none":
            return self.points(state, seat, cards, frank=frank)
        if move == "swipe":
            return self.after(state, seat, cards, move, frank=True)
        spoiled = self.spoiled * (len(state.players[move.opponent].stringers) - 1)
        return self.after(state, seat, cards, move, frank=frank) + spoiled

    def after(self, state: Any, seat: int, cards: list[int], move: Any, *, frank: bool) -> float:
        """The points of these cards without the three for a move."""
        gone = self.burned(state, seat, cards, move)
        rest = [day for at, day in enumerate(cards) if at not in gone]
        return self.points(state, seat, rest if move == "swipe" else [*rest, move.day], frank=frank)

    def points(self, state: Any, seat: int, cards: list[int], *, frank: bool) -> float:
        """The points of cards for a seat that is about to BUILD."""
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
        """The indexes of the three cards that are worth least, to pay for a move."""
        hauls, pile = state.players[seat].broken_hauls, bytes(state.draw_pile)
        held = cards if move == "swipe" else [*cards, move.day]
        lost, before, first, most = [], 0, 0, 0.0
        for at, day in enumerate(cards):
            if day != before:
                before, first, most = day, at, 0.0
            left = held.count(day) - (at - first)
            # the second of two equal cards may cost less, but it goes after the first
            most = max(most, self.gains[pile.count(day)][hauls.count(day) if hauls else 0][left - 1][0])
            lost.append((most, at))
        lost.sort()
        return tuple([at for _, at in lost[:BURN]])


OWN = Weights(single=1.1, pair=4.5, seen_pair=3, seen_single=5, hope=0.27, frank=-1.0, spoiled=6.5)
"""Found by playing many matches with weights drawn at random."""


class Odds:
    """The share of the others that a seat finishes before, expected between two turns, if these play as greedy does.

    A network with one hidden layer for each number of seats. The seat itself plays as ``Ahead`` does.
    """

    def __init__(self, weights: dict[str, Any]) -> None:
        """By number of seats ``plain``, a constant and a weight for each fact, and ``hidden``.

        Each hidden unit has its weight in the sum, its constant, and a weight for each fact.
        """
        self._plain = {int(seats): tuple(net["plain"]) for seats, net in weights.items()}
        self._hidden = {
            int(seats): [(weight, constant, tuple(row)) for weight, constant, *row in net["hidden"]]
            for seats, net in weights.items()
        }

    def __call__(self, state: Any, seat: int) -> float:
        """From 0 to 1."""
        seats, known = len(state.players), facts(state, seat)
        constant, *plain = self._plain[seats]
        total = constant + sum(map(mul, plain, known))
        for weight, bias, row in self._hidden[seats]:
            value = bias + sum(map(mul, row, known))
            if value > 0:
                total += weight * value
        return 1 / (1 + exp(-total))


def facts(state: Any, seat: int) -> list[float]:
    """What the odds go by: of each player clockwise from this seat the same facts, then those of the table."""
    players, pile, turn, frank = state.players, bytes(state.draw_pile), state.turn, state.frank
    seats, cards = len(players), len(pile)
    part, copies = 1 / cards if cards else 0.0, [pile.count(day) for day in range(DAYS[-1] + 1)]
    known: list[float] = []
    for other in (*range(seat, seats), *range(seat)):
        player = players[other]
        livewell, hauls, sets = player.livewell, player.broken_hauls, len(player.stringers)
        held, has_frank = len(livewell), frank == other
        pairs = singles = paired = single = 0
        for day in set(livewell):
            count = livewell.count(day)
            if count == 1:
                singles += 1
                single += copies[day]
            elif count == PAIR:
                pairs += 1
                paired += copies[day]
        rebuilt = sum([copies[day] for day in set(hauls)])
        known += (
            sets >= 1,
            sets >= 2,  # noqa: PLR2004 - sets as they are
            sets >= 3,  # noqa: PLR2004
            sets >= 4,  # noqa: PLR2004
            has_frank,
            pairs / 3,
            singles / 5,
            held >= BURN,
            held >= 2 * BURN,
            min(held, 15) / 10,
            paired * part,
            single * part,
            len(hauls) / 2,
            rebuilt * part,
            player.protected,
            sum(player.stringers) / 36,
            sets >= SETS_TO_WIN and held >= BURN and not has_frank,
            (paired + rebuilt) * part if sets >= SETS_TO_BE_CUT else 0.0,
            (paired + rebuilt) * part if sets == 1 else 0.0,
        )
    known += (cards / (DAYS[-1] * COPIES[seats]), min(cards / (CARDS_OF_A_TURN * seats), 1.0), frank is None)
    turns = (seat - turn) % seats
    known += [turns == other for other in range(seats)]
    return known


class Ahead:
    """The answer with the best odds at the end of the turn, if STOP follows the next HIT."""

    def __init__(self, odds: Guide) -> None:
        """``odds`` judge a table."""
        self._odds = odds

    def __call__(self, state: Any, seat: int, decision: Any) -> tuple[int, ...] | None:
        """The picks; None for the cards to burn, which the weights choose."""
        if state.step == "hit":
            return (int(self.after_hit(state, seat) > self.after_stop(state, seat)),)
        if state.step == "move":
            values = [self.after_move(state, seat, move) for move in decision.options]
            return (values.index(max(values)),)
        return None

    def after_hit(self, state: Any, seat: int) -> float:
        """The mean over all cards of the draw pile."""
        total = 0.0
        for day in set(state.draw_pile):
            drawn = state.copy()
            drawn.draw_pile.remove(day)
            drawn.draw_pile.append(day)
            drawn.apply({seat: ("hit",)})
            goes_on = drawn.step == "hit" and drawn.turn == seat
            value = self.after_stop(drawn, seat) if goes_on else self.best_move(drawn, seat)
            total += value * state.draw_pile.count(day)
        return total / len(state.draw_pile)

    def after_stop(self, state: Any, seat: int) -> float:
        """The odds after STOP, with the best move."""
        stopped = state.copy()
        stopped.apply({seat: ("stop",)})
        return self.best_move(stopped, seat)

    def best_move(self, state: Any, seat: int) -> float:
        """The odds after the best of the moves that the seat is asked for, if any."""
        if state.step != "move":
            return self._odds.value(state, seat)
        return max([self.after_move(state, seat, move) for move in state.pending().decisions[seat].options])

    def after_move(self, state: Any, seat: int, move: Any) -> float:
        """The odds after a move, paid with the three cards that are worth least."""
        moved = state.copy()
        moved.apply({seat: (move,)})
        if moved.step == "burn":
            livewell = moved.players[seat].livewell
            days = [livewell[at] for at in OWN.burned(moved, seat, livewell, move)]
            moved.apply({seat: tuple(days)})
        return self._odds.value(moved, seat)
