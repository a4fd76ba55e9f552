"""What lies in which hand once lures have been reshuffled, as far as one seat can tell (39).

The lures in all hands at the first reshuffle, and each pile that was made since, are *piles* whose lures are known but
for their order. Everyone sees who draws of a pile and which lures a seat plays, but not of which pile a lure in a hand
came. So a lure that is played tells of the others. Each order of the piles is equally likely, and each lure in a hand
as likely to be played: nothing is concluded from what a player may want. Knows no state and no observation.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Final, Literal, NamedTuple, TypeAlias

from arena.chance import Chance
from arena.games.lure.cards import LURES, PLACE, Lure

DRAW: Final = "draw"
"""The seat took a lure of the newest pile, or held one at the first reshuffle."""
RESHUFFLE: Final = "reshuffle"
"""There is a new pile."""
Move: TypeAlias = Lure | Literal["draw", "reshuffle"]
"""What everyone sees of a seat's lures; a lure was played."""

HYPOTHESES: Final = 400
"""How many are weighed at once; the least likely of more are left out. Few matches ever have as many."""

_RESOLUTION: Final = 1 << 53

Counts: TypeAlias = tuple[int, ...]
"""Copies of each lure, in the order of ``LURES``."""


class _Hypothesis(NamedTuple):
    """One assumption about the piles that the lures played so far came from."""

    played: tuple[int, ...]
    """By pile: lures that the seat looked at has played of it."""
    unseen: tuple[Counts, ...]
    """By pile: its lures that nobody has shown yet."""


class _Way(NamedTuple):
    """How a hypothesis was reached: from which one before, by a lure of which pile (-1: a seat is done)."""

    weight: float
    before: _Hypothesis
    pile: int


_Layer: TypeAlias = dict[_Hypothesis, list[_Way]]


class _Odds(NamedTuple):
    """All that can have happened, in layers, and all possible results with their weights."""

    layers: list[_Layer]
    ends: list[_Hypothesis]
    weights: list[float]


class Whereabouts(NamedTuple):
    """The places of the lures of the piles."""

    hands: list[list[Lure]]
    """By seat: the lures it holds, in no order."""
    drawn: list[list[list[Lure]]]
    """By seat and pile: the lures it drew of it, held or played."""
    rest: list[Lure]
    """What is left of the newest pile, shuffled."""


def whereabouts(piles: tuple[Counts, ...], moves: tuple[tuple[Move, ...], ...], chance: Chance) -> Whereabouts:
    """Draw the lures of some seats, and what is left of the newest pile, by their odds.

    Args:
        piles: the lures of each pile but for those that other seats drew and that are known.
        moves: by seat, all it drew and played since the first reshuffle, in order.
        chance: to draw from.

    Raises:
        ValueError: no hypothesis explains these moves.
    """
    odds = _weigh_hypotheses(piles, moves)
    if not odds.ends:
        raise ValueError(f"expected moves that can be made with the piles {piles}, got {moves}")
    came_from, unseen = _history(odds, chance)
    lures: list[list[Lure]] = []
    for counts in unseen:
        pile = list(chain.from_iterable(map(repeat, LURES, counts)))
        chance.permute(pile)
        lures.append(pile)
    hands: list[list[Lure]] = []
    drawn: list[list[list[Lure]]] = []
    for seat_moves in moves:
        draws: list[list[Lure]] = [[] for _ in piles]
        stock = [0] * len(piles)
        newest = 0
        for move in seat_moves:
            if move == RESHUFFLE:
                newest += 1
            elif move == DRAW:
                stock[newest] += 1
            else:
                origin = next(came_from)
                stock[origin] -= 1
                draws[origin].append(move)
        in_hand = [[pile.pop() for _ in range(number)] for pile, number in zip(lures, stock, strict=True)]
        hands.append([lure for part in in_hand for lure in part])
        drawn.append([played + part for played, part in zip(draws, in_hand, strict=True)])
    return Whereabouts(hands, drawn, lures[-1])


@lru_cache(maxsize=64)
def _weigh_hypotheses(piles: tuple[Counts, ...], moves: tuple[tuple[Move, ...], ...]) -> _Odds:
    """All hypotheses after each lure played, seat by seat, with their weights: the order of seats changes none.

    The result is cached, because a bot that searches asks for the same again and again.
    """
    none = (0,) * len(piles)
    start = _Hypothesis(none, piles)
    layers: list[_Layer] = [{start: [_Way(1.0, start, -1)]}]
    for seat_moves in moves:
        drawn = [0] * len(piles)
        newest = 0
        for move in seat_moves:
            if move == RESHUFFLE:
                newest += 1
            elif move == DRAW:
                drawn[newest] += 1
            else:
                layers.append(_play(layers[-1], PLACE[move], drawn))
        done: _Layer = {}
        for hypothesis, ways in layers[-1].items():
            done.setdefault(_Hypothesis(none, hypothesis.unseen), []).append(_Way(_weight(ways), hypothesis, -1))
        layers.append(done)
    ends = list(layers[-1])
    return _Odds(layers, ends, [_weight(layers[-1][hypothesis]) for hypothesis in ends])


def _play(layer: _Layer, lure: int, drawn: Sequence[int]) -> _Layer:
    """After a seat that has drawn so many of each pile has played this lure, of whichever pile it was."""
    after: _Layer = {}
    for hypothesis, ways in layer.items():
        weight = _weight(ways)
        played, unseen = hypothesis
        for pile, counts in enumerate(unseen):
            stock = drawn[pile] - played[pile]
            if stock and counts[lure]:
                successor = _Hypothesis(
                    (*played[:pile], played[pile] + 1, *played[pile + 1 :]),
                    (*unseen[:pile], (*counts[:lure], counts[lure] - 1, *counts[lure + 1 :]), *unseen[pile + 1 :]),
                )
                way = _Way(weight * stock * counts[lure] / sum(counts), hypothesis, pile)
                after.setdefault(successor, []).append(way)
    if len(after) > HYPOTHESES:
        likely = sorted(after, key=lambda hypothesis: -_weight(after[hypothesis]))
        after = {hypothesis: after[hypothesis] for hypothesis in likely[:HYPOTHESES]}
    return after


def _weight(ways: Sequence[_Way]) -> float:
    return sum([way.weight for way in ways])


def _history(odds: _Odds, chance: Chance) -> tuple[Iterator[int], tuple[Counts, ...]]:
    """One way through the layers by its odds: the pile of each lure played, and what nobody has shown at the end."""
    hypothesis = odds.ends[_pick(odds.weights, chance)]
    unseen = hypothesis.unseen
    piles: list[int] = []
    for layer in odds.layers[:0:-1]:
        ways = layer[hypothesis]
        way = ways[0] if len(ways) == 1 else ways[_pick([way.weight for way in ways], chance)]
        hypothesis = way.before
        if way.pile >= 0:
            piles.append(way.pile)
    return reversed(piles), unseen


def _pick(weights: Sequence[float], chance: Chance) -> int:
    if len(weights) == 1:
        return 0
    remainder = chance.below(_RESOLUTION) / _RESOLUTION * sum(weights)
    for index, weight in enumerate(weights):
        remainder -= weight
        if remainder < 0:
            return index
    return len(weights) - 1
