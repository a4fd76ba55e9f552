"""One player board of Cash-a-Catch: what its places hold and what may come next. Knows no seat, money or step.

A board is its three places, a place its cards from the bottom to the top. Numbers in brackets are rulings.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import TypeAlias

from arena.games.cash_a_catch.cards import KIND, OCTOPUS, PLACINGS, VALUE, Card, Kind, Place, Placing

Board: TypeAlias = list[list[Card]]

_value = VALUE.__getitem__


def kind_of(place: Sequence[Card]) -> Kind | None:
    """The kind a place holds: that of its fish, octopus if it has octopi only (13, 52), None if it is empty."""
    for card in place:
        kind = KIND[card]
        if kind != OCTOPUS:
            return kind
    return OCTOPUS if place else None


def is_joker(card: Card) -> bool:
    """Whether a fish card is an octopus."""
    return KIND[card] == OCTOPUS


def fish_on(cards: Iterable[Card]) -> int:
    """The fish on these fish cards."""
    return sum(map(_value, cards))


def fish_by_kind(board: Board) -> dict[Kind, int]:
    """Fish of each kind, in board order; octopi count as the kind of their place (12, 13), two places as one (11)."""
    fish: dict[Kind, int] = {}
    for place in board:
        if place and (kind := kind_of(place)):
            fish[kind] = fish.get(kind, 0) + fish_on(place)
    return fish


def spoils_first(board: Board, crates: Iterable[Place]) -> tuple[Place, int]:
    """Which card of these crates, all of one kind, spoils: its place and its index there.

    The highest valued (15, 17); of equal ones the topmost; crate 1 before crate 2 (16).
    """
    _, _, index, place = max(
        (VALUE[card], -place, position, place) for place in crates for position, card in enumerate(board[place])
    )
    return place, index


def kinds_of(board: Board) -> tuple[Kind | None, ...]:
    """The kind of each place."""
    first, second, ice = board
    return kind_of(first) if first else None, kind_of(second) if second else None, kind_of(ice) if ice else None


def left_over(kinds: tuple[Kind | None, ...], catch: Sequence[Card]) -> int:
    """How many places are left over once each new kind of the catch has one, by the kind that each place holds.

    Empty and octopus-only places are free. A number below zero means that kinds must be thrown away (23).
    """
    new = {KIND[card] for card in catch}
    new.discard(OCTOPUS)
    new.difference_update(kinds)
    return kinds.count(None) + kinds.count(OCTOPUS) - len(new)


def extra_kinds(board: Board, catch: Sequence[Card]) -> list[Kind]:
    """Kinds that may be thrown away, fewest fish first, ties as in catch and board; no octopus-only place (53)."""
    fish: dict[Kind, int] = {}
    for card in catch:
        kind = KIND[card]
        fish[kind] = fish.get(kind, 0) + VALUE[card]
    for kind, number in fish_by_kind(board).items():
        fish[kind] = fish.get(kind, 0) + number
    fish.pop(OCTOPUS, None)
    return sorted(fish, key=fish.__getitem__)


def placings(board: Board, catch: Sequence[Card]) -> tuple[Placing, ...]:
    """Which card of the catch may be placed next and where; equal cards count once.

    A fish goes to its own places, then empty, then octopus-only ones. A kind that has a place may be split only while
    places are left over (54). A joker goes anywhere, to occupied places first (25).
    """
    kinds = kinds_of(board)
    # a single card has a place of its kind or takes one, so no count is needed
    split = len(catch) == 1 or left_over(kinds, catch) != 0
    if len(catch) == 1:
        return _places_for(catch[0], kinds, split)
    return tuple(chain.from_iterable([_places_for(card, kinds, split) for card in dict.fromkeys(catch)]))


@cache
def _places_for(card: Card, kinds: tuple[Kind | None, ...], split: bool) -> tuple[Placing, ...]:
    """Where this card may go, by the kinds that the places hold and whether one is left over to split a kind."""
    kind = KIND[card]
    empty = [place for place, other in enumerate(kinds) if other is None]
    if kind == OCTOPUS:
        places = [place for place, other in enumerate(kinds) if other] + empty
    else:
        places = [place for place, other in enumerate(kinds) if other == kind]
        if split or not places:
            places += empty + [place for place, other in enumerate(kinds) if other == OCTOPUS]
    return tuple([PLACINGS[card][place] for place in places])
