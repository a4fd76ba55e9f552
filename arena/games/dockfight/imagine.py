"""A whole table made up from what one seat of Dockfight knows, for search bots. Is given nothing but the observation.

Unknown are the cards of the draw pile and the unseen cards of the other players (ruling 36).
"""

from collections.abc import Sequence
from itertools import chain, islice, repeat
from math import comb, prod
from typing import Final, NamedTuple

from arena.chance import Chance
from arena.game import once_per_observation
from arena.games.dockfight.cards import COPIES, DAYS, HAUL, SET
from arena.games.dockfight.observation import Observation
from arena.games.dockfight.rules import Dockfight, Player

DEALS: Final = 10_000
"""After this many failed deals an observation counts as impossible; a possible one needs a few deals."""


def imagine(observation: Observation, chance: Chance) -> Dockfight:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Every opening hand that agrees with what has been seen is equally likely. Nothing is concluded from what a player
    wanted.

    Raises:
        ValueError: the observation is of no possible table.
    """
    seat = observation.seat
    hidden = _hidden(observation)
    unseen, unknown = hidden.unseen, hidden.cards.copy()
    hands: list[list[int]] = []
    if hidden.limited:
        pool = hidden.copies.copy()
        hands = deal_within(unseen, hidden.limits, laid=observation.laid, copies=pool, chance=chance)
        unknown = _cards(pool)
    chance.permute(unknown)
    if not hands:
        rest = iter(unknown)
        hands = [list(islice(rest, cards)) for cards in unseen]
        unknown = list(rest)
    hands[seat] = list(observation.livewell)
    for day in observation.shown[seat]:
        hands[seat].remove(day)

    players = [
        Player(
            sorted([*days, *hand]),
            sorted(hand),
            list(most),
            list(stringers),
            list(broken_hauls),
            protected,
            list(laid),
        )
        for hand, days, most, stringers, broken_hauls, protected, laid in zip(
            hands,
            observation.shown,
            observation.at_most,
            observation.stringers,
            observation.broken_hauls,
            observation.protected,
            observation.laid,
            strict=True,
        )
    ]
    return Dockfight(
        Chance(chance.word().to_bytes(8, "little")),
        unknown,
        players,
        observation.turn,
        list(observation.discard_pile),
        list(observation.cast),
        observation.frank,
        observation.step,
        observation.move,
        observation.stalled,
        observation.stalling,
    )


class Limits(NamedTuple):
    """What hands may hold, by seat."""

    at_most: list[Sequence[int]]
    """How often it may have each Day."""
    fitting: list[int]
    """How many of the cards could fit at best."""


class _Hidden(NamedTuple):
    copies: list[int]
    cards: list[int]
    unseen: list[int]
    """By seat, without those of the seat itself."""
    limited: bool
    """Whether some of them are known not to be of certain Days."""
    limits: Limits


@once_per_observation
def _hidden(observation: Observation) -> _Hidden:
    """What the seat does not know.

    Raises:
        ValueError: the cards do not add up.
    """
    copies = COPIES[observation.seats]
    pool = [copies - count for count in known_cards(observation)]
    unseen = list(observation.unseen)
    unseen[observation.seat] = 0
    if sum(pool) - sum(unseen) != observation.draw_pile:
        raise ValueError(f"expected an observation of a table, got one whose cards do not add up: {observation}")
    limited = any(most for most, cards in zip(observation.at_most, unseen, strict=True) if cards)
    return _Hidden(pool, _cards(pool), unseen, limited, limits_of(observation.at_most, pool))


def limits_of(at_most: Sequence[Sequence[int]], copies: Sequence[int]) -> Limits:
    """What hands may hold of these copies of each Day, by how often each seat may have a Day (empty: no limit)."""
    limits = [most or copies for most in at_most]
    fitting = [sum([have for have, most in zip(copies, limit, strict=True) if most]) for limit in limits]
    return Limits(limits, fitting)


def _cards(copies: Sequence[int]) -> list[int]:
    return list(chain.from_iterable(map(repeat, DAYS, copies)))


def known_cards(observation: Observation) -> list[int]:
    """Of how many copies of Day 1 ... Day 12 the seat knows the place."""
    counts = list(observation.discard_pile)
    rows = [(observation.cast, 1), (observation.livewell, 1)]
    rows += [(livewell, 1) for other, livewell in enumerate(observation.shown) if other != observation.seat]
    rows += [(days, SET) for days in observation.stringers]
    rows += [(days, HAUL) for days in observation.broken_hauls]
    for days, cards in rows:
        for day in days:
            counts[day - 1] += cards
    return counts


def deal_within(
    unseen: Sequence[int],
    limits: Limits,
    *,
    laid: Sequence[Sequence[int]],
    copies: list[int],
    chance: Chance,
) -> list[list[int]]:
    """Deal a hand to each seat; all opening hands within the limits are equally likely.

    Each card of a hand is drawn from as many cards as could fit at best. If the draw falls on a card that does not fit
    now, all cards are put back and dealt again. So no deal is preferred because few choices were left on the way to it.
    An opening hand with two equal cards, one of which had to be laid, would come up twice, because either may be the
    one that is left: it is kept half as often.

    Args:
        unseen: by seat, how many cards it wants.
        limits: what the hands may hold of the copies.
        laid: by seat, cards of its opening hand that it had to lay out.
        copies: how many of Day 1 ... Day 12 there are to deal; the dealt ones are taken off.
        chance: to draw from.

    Raises:
        ValueError: no such deal was found in a great many.
    """
    for _ in range(DEALS):
        pool = copies.copy()
        hands = _try(unseen, limits, pool=pool, chance=chance)
        if hands is not None and ((ways := _ways(hands, laid)) == 1 or not chance.below(ways)):
            copies[:] = pool
            return hands
    raise ValueError(f"expected unseen cards that fit {limits.at_most}, got copies {copies}")


def _ways(hands: Sequence[Sequence[int]], laid: Sequence[Sequence[int]]) -> int:
    """In how many ways the laid cards can have been chosen from the opening hands."""
    return prod(
        [
            comb(hand.count(day) + out.count(day), out.count(day))
            for hand, out in zip(hands, laid, strict=True)
            for day in set(out)
        ]
    )


def _try(
    unseen: Sequence[int],
    limits: Limits,
    *,
    pool: list[int],
    chance: Chance,
) -> list[list[int]] | None:
    """One deal, subtracted from ``pool``; None if a draw fell on a card that does not fit."""
    hands: list[list[int]] = []
    for number, most, at_best in zip(unseen, limits.at_most, limits.fitting, strict=True):
        hand: list[int] = []
        room = list(most)
        for size in range(number):
            if at_best <= size:
                return None
            index = chance.below(at_best - size)
            for place, copies in enumerate(pool):
                if room[place]:
                    index -= copies
                    if index < 0:
                        pool[place] -= 1
                        room[place] -= 1
                        hand.append(DAYS[place])
                        break
            else:
                return None
        hands.append(hand)
    return hands
