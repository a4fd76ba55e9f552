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
    obs = observation
    unseen = _unseen(obs).copy()
    chance.permute(unseen)
    assigned: list[tuple[Card, ...]] = []
    packs: list[list[Card]] = [[] for _ in range(obs.seats)]
    drafts: list[list[Card]] = [[] for _ in range(obs.seats)]
    if obs.assigned:
        drafts, assigned = _remembered(obs, unseen, chance)
        # what the others put back was taken from the end of the pile
        chance.permute(unseen)
    elif obs.pack or obs.kept:
        packs, drafts = _drafted(obs, unseen, chance)
    if obs.tie_break:
        unseen.remove(obs.tie_break)
    if len(unseen) != obs.set_aside:
        raise ValueError(f"expected an observation of a table, got one whose Requests do not add up: {obs}")

    selected: list[FishCard] = []
    if obs.step == "choice":
        selected = [CHOICE if seat in obs.choice else HIDDEN[chance.below(len(HIDDEN))] for seat in range(obs.seats)]
        selected[obs.seat] = obs.card or CHOICE

    world = CatchOfTheDay(
        Chance(chance.word().to_bytes(8, "little")),
        obs.mode,
        obs.requests,
        obs.complaints,
        unseen,
        obs.private_requests,
        packs,
        drafts,
        [list(fish) for fish in obs.fish],
        list(obs.bag),
        list(obs.market_supply),
        list(obs.leftover_storage),
        obs.step,
        obs.day,
        selected,
        obs.tie_break,
        assigned=assigned,
    )
    if obs.step == "over":
        world.outcome = world.standing()
    return world


@once_per_observation
def _unseen(observation: Observation) -> list[Card]:
    exclusions = {*observation.requests, *chain.from_iterable(observation.private_requests)}
    if not observation.assigned:
        exclusions.update(observation.pack, observation.kept, observation.passed)
    return [request for request in REQUESTS[observation.seats] if request not in exclusions]


def _drafted(observation: Observation, unseen: list[Card], chance: Chance) -> tuple[list[list[Card]], list[list[Card]]]:
    """Packs and kept Requests of all seats: known Requests lie where they went, the others come from ``unseen``."""
    seats = range(observation.seats)
    neighbor, second = (observation.seat + 1) % observation.seats, (observation.seat + 2) % observation.seats
    known_packs: dict[Seat, tuple[Card, ...]] = {observation.seat: observation.pack}
    known_cards: dict[tuple[Seat, int], Card] = {
        (observation.seat, index): request for index, request in enumerate(observation.kept)
    }
    if len(observation.passed) == PACK:
        # The left neighbor kept one of the first two; nobody knows which. The other went to the next player.
        coin = chance.below(2)
        known_cards |= {
            (neighbor, 1): observation.passed[coin],
            (second, 2): observation.passed[1 - coin],
            (neighbor, 2): observation.passed[2],
        }
    elif observation.passed:
        known_packs[neighbor] = observation.passed
    packs = [
        list(known_packs[seat] if seat in known_packs else in_order([unseen.pop() for _ in observation.pack]))
        for seat in seats
    ]
    drafts = [
        [known_cards.get((seat, index)) or unseen.pop() for index in range(len(observation.kept))] for seat in seats
    ]
    return packs, drafts


def _remembered(
    observation: Observation, set_aside: Sequence[Card], chance: Chance
) -> tuple[list[list[Card]], list[tuple[Card, ...]]]:
    """Once all have assigned: what everyone had kept, and gave to the left and to the right neighbor.

    Each of two Requests between two other players may be from either of them. The third Request of each player is
    somewhere in the set-aside pile. Draws that do not agree with what the seat passed on in the draft are repeated. All
    other draws are equally likely, because each leaves the same number of cards to choose from.
    """
    seats, me = observation.seats, observation.seat
    neighbor, second = (me + 1) % seats, (me + 2) % seats
    reserved = {*observation.kept, *observation.passed}
    while True:
        shared = [list(pair) for pair in observation.private_requests]
        for pair in shared:
            if chance.below(2):
                pair.reverse()
        # The first of a pair belongs to the seat, the second to its left neighbor; the seat knows its own.
        shared[me].sort(key=lambda request: request != observation.assigned[0])
        shared[me - 1].sort(key=lambda request: request == observation.assigned[1])
        assigned: list[tuple[Card, ...]] = [(shared[seat][0], shared[seat - 1][1]) for seat in range(seats)]
        coin = chance.below(2)
        must = {neighbor: [observation.passed[coin], observation.passed[2]], second: [observation.passed[1 - coin]]}
        backs = [request for request in set_aside if request not in reserved]
        drafts: list[list[Card]] = []
        for seat in range(seats):
            tail = must.get(seat, [])
            cards = [request for request in assigned[seat] if request not in tail]
            if seat == me:
                drafts.append(list(observation.kept))
                continue
            if len(cards) + len(tail) < PACK:
                cards.append(backs.pop())
            chance.permute(cards)
            drafts.append([*cards, *tail])
        if all(_put_back(cards, gave) in set_aside for cards, gave in zip(drafts, assigned, strict=True)):
            return drafts, assigned


def _put_back(draft: Sequence[Card], assigned: Sequence[Card]) -> Card | None:
    """The third of the Requests that a seat kept, if it kept both that it assigned."""
    back = [request for request in draft if request not in assigned]
    return back[0] if len(back) == 1 else None
