"""The luck of the dice in Lure: the fish that the rolls of a group caught, compared with the mean of such dice.

Knows the contract, the cards and what fish require; nothing of bots. Measured among greedy bots and variants of them
(docs/ratings.md), 40 VP are worth as much as finishing ahead of all opponents.
"""

from bisect import insort
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from math import prod
from typing import Any, Final, NamedTuple, TypeAlias

from arena.game import Chosen, Luck, Seat
from arena.games.lure import events as tell
from arena.games.lure.cards import BIG, EXTRA_DIE, MEETS, NUMBERS, SIDES, Fish, Requirement, can_catch
from arena.games.lure.rules import LureState

VP: Final = 1 / 40
"""The worth of a victory point: the share of all opponents that a player finishes ahead of."""

_Numbers: TypeAlias = tuple[int, ...]
_ALL: Final = frozenset(NUMBERS)
_MATTERS: Final[dict[Requirement, frozenset[int]]] = {
    "contains a 1": frozenset({1}),
    "contains a 6": frozenset({6}),
    "contains a 3": frozenset({3}),
    "contains a 1 and a 5": frozenset({1, 5}),
    "contains two 4s": frozenset({4}),
    "contains a 2 and a 6": frozenset({2, 6}),
    "a die shows 10 or more": frozenset(range(BIG, max(NUMBERS) + 1)),
    "all dice even": frozenset(NUMBERS[::2]),
    "all dice odd": frozenset(NUMBERS[1::2]),
    "no die shows 1": frozenset({1}),
}
"""The numbers that make a roll meet or fail a requirement; other requirements depend on all numbers."""
_LOST: Final = frozenset[Requirement](
    {"all dice even", "all dice odd", "no die shows 1", "no two dice alike"},
)
"""The requirements that a further die can only break; it can only meet the others."""


class _Cast(NamedTuple):
    seat: Seat
    sides: _Numbers
    extra: _Numbers
    rolled: _Numbers


def luck(before: LureState, chosen: Chosen, events: Sequence[Any]) -> list[Luck]:  # noqa: ARG001 - events tell all
    """The luck of each group that rolled: who catches which fish, if nobody uses an Adjust.

    Fish revealed and lures drawn are left out.
    """
    return [_luck(len(before.players), fish, group) for fish, group in _groups(before, events)]


def _groups(before: LureState, events: Sequence[Any]) -> Iterator[tuple[list[Fish], list[_Cast]]]:
    """Each group that rolls, with the fish that are left then."""
    fish = before.fish.copy()
    casts = {seat: (player.dice, player.played) for seat, player in enumerate(before.players)}
    for rolls, part in groupby(events, key=lambda event: len(event.numbers) if isinstance(event, tell.Roll) else 0):
        group: list[_Cast] = []
        for event in part:
            if rolls:
                dice, lures = casts[event.seat]
                extra = tuple(sorted([EXTRA_DIE[lure] for lure in lures if lure in EXTRA_DIE]))
                group.append(_Cast(event.seat, tuple([SIDES[die] for die in dice]), extra, event.numbers))
            elif isinstance(event, tell.Cast):
                casts[event.seat] = event.dice, event.lures
            elif isinstance(event, tell.Reveal):
                fish.append(event.fish)
            elif isinstance(event, tell.Caught):
                fish = [card for card in fish if card.name != event.fish]
        if group:
            yield fish, group


def _luck(seats: int, fish: Sequence[Fish], group: Sequence[_Cast]) -> Luck:
    gains, span = [0.0] * seats, 0.0
    for card in fish:
        odds = chances(card, tuple([(cast.sides, cast.extra) for cast in group]))
        able = [
            (sum(roll), cast.seat) for cast in group if can_catch(card, sum(roll := cast.rolled + cast.extra), roll)
        ]
        lowest = [seat for total, seat in able if total == min(able)[0]]
        for cast, likely in zip(group, odds, strict=True):
            gains[cast.seat] += VP * card.vp * ((lowest == [cast.seat]) - likely)
        # the odds of the seats differ as much as they can: one seat may catch the fish and another not
        span += VP * card.vp * (1 + max(odds))
    return Luck(tuple(gains), span)


@lru_cache(maxsize=1 << 14)
def chances(fish: Fish, group: tuple[tuple[_Numbers, _Numbers], ...]) -> tuple[float, ...]:
    """How likely each of a group is to catch a fish: it can, and has a lower total than all others that can."""
    totals = [_of_dice(fish.catch, fish.requirement, tuple(sorted(sides)), extra) for sides, extra in group]
    most = max([total for odds in totals for total in odds], default=0)
    # by total: how likely it is that a seat cannot catch with this total or a lower one
    above = [[1 - done for done in accumulate([odds.get(total, 0.0) for total in range(most + 1)])] for odds in totals]
    odds = []
    for index, distribution in enumerate(totals):
        others = [*above[:index], *above[index + 1 :]]
        odds.append(sum([likely * prod([other[total] for other in others]) for total, likely in distribution.items()]))
    return tuple(odds)


@lru_cache(maxsize=1 << 12)
def _of_dice(catch: int, requirement: Requirement | None, sides: _Numbers, extra: _Numbers) -> dict[int, float]:
    """How likely a roll of these dice catches a fish, by its total.

    It goes die by die, and keeps of a roll its total, and the numbers that matter or that the requirement is met.
    """
    matters = _ALL if requirement is None else _MATTERS.get(requirement, _ALL)
    ways: dict[tuple[int, _Numbers | None], int] = {(0, ()): 1}
    for die in (*((number,) for number in extra), *(tuple(range(1, side + 1)) for side in sides)):
        after: dict[tuple[int, _Numbers | None], int] = {}
        for (total, numbers), count in ways.items():
            for number in die:
                now = numbers
                if now is not None and number in matters and requirement is not None:
                    faces = list(now)
                    insort(faces, number)
                    meets = MEETS[requirement](faces)
                    if requirement in _LOST and not meets:
                        continue
                    now = None if meets and requirement not in _LOST else tuple(faces)
                state = (total + number, now)
                after[state] = after.get(state, 0) + count
        ways = after
    every = prod(sides)
    chances: dict[int, float] = {}
    for (total, numbers), count in ways.items():
        # None: the requirement is met; if it can only be lost, or there is none, all that is left meets it
        if total >= catch and (numbers is None or requirement is None or requirement in _LOST):
            chances[total] = chances.get(total, 0.0) + count / every
    return chances
