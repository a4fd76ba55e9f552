"""Makes up a whole Catch of the Day that one seat could be in. Is given an observation and chance, and nothing else.

Unknown are the Requests of the other players until all have assigned, the order of those set aside, and the Fish cards
of players who did not play Choice while the others pick.
"""

from arena.chance import Chance
from arena.game import Seat
from arena.games.catch_of_the_day.cards import CHOICE, FISH_CARDS, PACK, REQUESTS, Card, FishCard
from arena.games.catch_of_the_day.observation import Observation
from arena.games.catch_of_the_day.rules import CatchOfTheDay, in_order

HIDDEN: tuple[FishCard, ...] = tuple(card for card in FISH_CARDS if card != CHOICE)


def imagine(observation: Observation, chance: Chance) -> CatchOfTheDay:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Raises:
        ValueError: the observation is of no possible table.
    """
    seen = observation
    known = {*seen.requests, seen.tie_break, *seen.pack, *seen.kept, *seen.passed}
    known.update(*seen.private_requests)
    unseen = [request for request in REQUESTS[seen.seats] if request not in known]
    chance.shuffle(unseen)
    packs, kept = _drafted(seen, unseen, chance)
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
    )
    if seen.step == "over":
        world.outcome = world.standing()
    return world


def _drafted(seen: Observation, unseen: list[Card], chance: Chance) -> tuple[list[list[Card]], list[list[Card]]]:
    """Packs and kept Requests of all seats: what the seat has seen where it went, the others out of ``unseen``."""
    seats = range(seen.seats)
    left, second = (seen.seat + 1) % seen.seats, (seen.seat + 2) % seen.seats
    known_packs: dict[Seat, tuple[Card, ...]] = {seen.seat: seen.pack}
    known_cards: dict[tuple[Seat, int], Card] = {(seen.seat, at): request for at, request in enumerate(seen.kept)}
    if len(seen.passed) == PACK:
        # The left neighbor kept one of the first two, nobody knows which, and the other went on to the next.
        one = chance.below(2)
        known_cards |= {(left, 1): seen.passed[one], (second, 2): seen.passed[1 - one], (left, 2): seen.passed[2]}
    elif seen.passed:
        known_packs[left] = seen.passed
    packs = [
        list(known_packs[seat] if seat in known_packs else in_order([unseen.pop() for _ in seen.pack]))
        for seat in seats
    ]
    kept = [[known_cards.get((seat, at)) or unseen.pop() for at in range(len(seen.kept))] for seat in seats]
    return packs, kept
