"""Makes up a whole Catch of the Day that one seat could be in. Is given an observation and chance, and nothing else.

Unknown are the Requests that the other players drafted, the order of those set aside, and the Fish cards of players who
did not play Choice while the others pick.
"""

from collections.abc import Sequence
from itertools import chain

from arena.chance import Chance
from arena.game import Seat, once_per_observation
from arena.games.catch_of_the_day.cards import CHOICE, FISH_CARDS, PACK, REQUESTS, Card, FishCard
from arena.games.catch_of_the_day.observation import Observation
from arena.games.catch_of_the_day.rules import CatchOfTheDay, in_order

HIDDEN: tuple[FishCard, ...] = tuple(card for card in FISH_CARDS if card != CHOICE)


def imagine(observation: Observation, chance: Chance) -> CatchOfTheDay:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Every deal that agrees with what the seat has seen is equally likely: nothing is concluded from what others chose.

    Raises:
        ValueError: the observation is of no possible table.
    """
    seen = observation
    unseen = _unseen(seen).copy()
    chance.permute(unseen)
    assigned: list[tuple[Card, ...]] = []
    packs: list[list[Card]] = [[] for _ in range(seen.seats)]
    kept: list[list[Card]] = [[] for _ in range(seen.seats)]
    if seen.assigned:
        kept, assigned = _remembered(seen, unseen, chance)
        # what the others put back was taken from the end of the pile
        chance.permute(unseen)
    elif seen.pack or seen.kept:
        packs, kept = _drafted(seen, unseen, chance)
    if seen.tie_break:
        unseen.remove(seen.tie_break)
    if len(unseen) != seen.set_aside:
        raise ValueError(f"expected an observation of a table, got one whose Requests do not add up: {seen}")

    selected: list[FishCard] = []
    if seen.step == "choice":
        selected = [CHOICE if seat in seen.choice else HIDDEN[chance.below(len(HIDDEN))] for seat in range(seen.seats)]
        selected[seen.seat] = seen.card or CHOICE

    world = CatchOfTheDay(
        Chance(chance.word().to_bytes(8, "little")),
        seen.mode,
        seen.requests,
        seen.complaints,
        unseen,
        seen.private_requests,
        packs,
        kept,
        [list(fish) for fish in seen.fish],
        list(seen.bag),
        list(seen.market_supply),
        list(seen.leftover_storage),
        seen.step,
        seen.day,
        selected,
        seen.tie_break,
        assigned=assigned,
    )
    if seen.step == "over":
        world.outcome = world.standing()
    return world


@once_per_observation
def _unseen(seen: Observation) -> list[Card]:
    known = {*seen.requests, *chain.from_iterable(seen.private_requests)}
    if not seen.assigned:
        known.update(seen.pack, seen.kept, seen.passed)
    return [request for request in REQUESTS[seen.seats] if request not in known]


def _drafted(seen: Observation, unseen: list[Card], chance: Chance) -> tuple[list[list[Card]], list[list[Card]]]:
    """Packs and kept Requests of all seats: known Requests lie where they went, the others come from ``unseen``."""
    seats = range(seen.seats)
    left, second = (seen.seat + 1) % seen.seats, (seen.seat + 2) % seen.seats
    known_packs: dict[Seat, tuple[Card, ...]] = {seen.seat: seen.pack}
    known_cards: dict[tuple[Seat, int], Card] = {(seen.seat, index): request for index, request in enumerate(seen.kept)}
    if len(seen.passed) == PACK:
        # The left neighbor kept one of the first two; nobody knows which. The other went to the next player.
        one = chance.below(2)
        known_cards |= {(left, 1): seen.passed[one], (second, 2): seen.passed[1 - one], (left, 2): seen.passed[2]}
    elif seen.passed:
        known_packs[left] = seen.passed
    packs = [
        list(known_packs[seat] if seat in known_packs else in_order([unseen.pop() for _ in seen.pack]))
        for seat in seats
    ]
    kept = [[known_cards.get((seat, index)) or unseen.pop() for index in range(len(seen.kept))] for seat in seats]
    return packs, kept


def _remembered(
    seen: Observation, set_aside: Sequence[Card], chance: Chance
) -> tuple[list[list[Card]], list[tuple[Card, ...]]]:
    """Once all have assigned: what everyone had kept, and gave to the left and to the right neighbor.

    Each of two Requests between two other players may be from either of them. The third Request of each player is
    somewhere in the set-aside pile. Draws that do not agree with what the seat passed on in the draft are repeated. All
    other draws are equally likely, because each leaves the same number of cards to choose from.
    """
    seats, me = seen.seats, seen.seat
    neighbor, second = (me + 1) % seats, (me + 2) % seats
    reserved = {*seen.kept, *seen.passed}
    while True:
        shared = [list(pair) for pair in seen.private_requests]
        for pair in shared:
            if chance.below(2):
                pair.reverse()
        # The first of a pair belongs to the seat, the second to its left neighbor; the seat knows its own.
        shared[me].sort(key=lambda request: request != seen.assigned[0])
        shared[me - 1].sort(key=lambda request: request == seen.assigned[1])
        assigned: list[tuple[Card, ...]] = [(shared[seat][0], shared[seat - 1][1]) for seat in range(seats)]
        one = chance.below(2)
        must = {neighbor: [seen.passed[one], seen.passed[2]], second: [seen.passed[1 - one]]}
        backs = [request for request in set_aside if request not in reserved]
        kept: list[list[Card]] = []
        for seat in range(seats):
            known = must.get(seat, [])
            cards = [request for request in assigned[seat] if request not in known]
            if seat == me:
                kept.append(list(seen.kept))
                continue
            if len(cards) + len(known) < PACK:
                cards.append(backs.pop())
            chance.permute(cards)
            kept.append([*cards, *known])
        if all(_put_back(cards, gave) in set_aside for cards, gave in zip(kept, assigned, strict=True)):
            return kept, assigned


def _put_back(kept: Sequence[Card], assigned: Sequence[Card]) -> Card | None:
    """The third of the Requests that a seat kept, if it kept both that it assigned."""
    back = [request for request in kept if request not in assigned]
    return back[0] if len(back) == 1 else None
