"""The luck of the draw in Dockfight: what a HIT brought, compared with the mean of the DRAW PILE.

Knows the contract and the rules; nothing of bots. The points are the worth of cards to a player who collects sets;
measured among greedy bots and variants of them (docs/ratings.md), 60 points are worth as much as finishing ahead of one
more of one's opponents.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from arena.game import Chosen, Luck
from arena.games.dockfight.cards import DAYS, SET, SETS_TO_WIN
from arena.games.dockfight.events import Hit
from arena.games.dockfight.rules import Dockfight

WORTH: Final = (0.0, 1.0, 3.0)
"""Points of a single card and of a pair in the LIVEWELL."""
SET_WORTH: Final = 9.0
FRANK: Final = 4.0
WIN: Final = 15.0
TURN: Final = 8.0
"""Points of a STOP PHASE, which a BUST takes away."""
POINT: Final = 1 / 60
"""The worth of a point: the share of all opponents that a player finishes ahead of."""


def luck(before: Dockfight, chosen: Chosen, events: Sequence[Any]) -> list[Luck]:  # noqa: ARG001 - events tell all
    """The luck of the card drawn, if the player in turn draws one: each card of the pile is equally likely."""
    if not events or not isinstance(hit := events[0], Hit):
        return []
    pile = Counter(before.draw_pile)
    worth = {day: POINT * _worth(before, day) for day in pile}
    mean = sum([worth[day] * copies for day, copies in pile.items()]) / pile.total()
    gain = worth[hit.day] - mean
    span = max(max(worth.values()) - mean, mean - min(worth.values()))
    return [Luck(tuple([gain * (seat == before.turn) for seat in range(len(before.players))]), span)]


def _worth(state: Dockfight, day: int) -> float:
    """Points of the player in turn after drawing this Day, if the turn ended with it."""
    player, frank = state.players[state.turn], state.frank == state.turn
    busts = day in state.cast
    livewell = player.livewell if busts else [*player.livewell, *state.cast, day]
    sets, points = len(player.stringers), 0.0
    for drawn in DAYS:
        built, rest = divmod(livewell.count(drawn), SET)
        rebuilt = min(rest, player.broken_hauls.count(drawn))
        sets += built + rebuilt
        points += WORTH[rest - rebuilt]
    points += SET_WORTH * sets
    if busts:
        return points - TURN - FRANK * frank
    return points + WIN * (frank and sets >= SETS_TO_WIN)
