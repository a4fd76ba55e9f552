"""A whole table made up from what one seat of Dockfight knows, for search bots. Is given nothing but the observation.

The unknown cards are those of the draw pile and the other players' unseen ones (ruling 36).
"""

from arena.chance import Chance
from arena.games.dockfight.cards import COPIES, DAYS, HAUL, SET
from arena.games.dockfight.observation import Observation
from arena.games.dockfight.rules import Dockfight, Player


def imagine(observation: Observation, chance: Chance) -> Dockfight:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Every such table is possible; among those that the ``at_most`` of a player allows the weights are not quite even, as
    hands are filled card by card.

    Raises:
        ValueError: the observation is of no possible table.
    """
    seat = observation.seat
    copies = COPIES[observation.seats]
    unknown = [day for day, known in zip(DAYS, known_cards(observation), strict=True) for _ in range(copies - known)]
    chance.shuffle(unknown)

    hands: list[list[int]] = [[] for _ in observation.unseen]
    hands[seat] = list(observation.livewell)
    for day in observation.shown[seat]:
        hands[seat].remove(day)
    places = [
        (hands[other], most)
        for other, (unseen, most) in enumerate(zip(observation.unseen, observation.at_most, strict=True))
        for _ in range(unseen if other != seat else 0)
    ]
    # The most narrowly limited first, so that a dead end is all but impossible while there is a draw pile.
    places.sort(key=lambda place: sum(place[1]) if place[1] else copies * len(DAYS))
    if not fill(places, unknown) or len(unknown) != observation.draw_pile:
        raise ValueError(f"expected an observation of a table, got one whose cards do not add up: {observation}")

    players = [
        Player(sorted([*shown, *hand]), sorted(hand), list(most), list(stringers), list(broken_hauls), protected)
        for hand, shown, most, stringers, broken_hauls, protected in zip(
            hands,
            observation.shown,
            observation.at_most,
            observation.stringers,
            observation.broken_hauls,
            observation.protected,
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


def known_cards(observation: Observation) -> list[int]:
    """How many copies of Day 1 ... Day 12 lie where the seat can tell."""
    known = list(observation.discard_pile)
    rows = [(observation.cast, 1), (observation.livewell, 1)]
    rows += [(shown, 1) for other, shown in enumerate(observation.shown) if other != observation.seat]
    rows += [(days, SET) for days in observation.stringers]
    rows += [(days, HAUL) for days in observation.broken_hauls]
    for days, cards in rows:
        for day in days:
            known[day - 1] += cards
    return known


def fill(places: list[tuple[list[int], tuple[int, ...]]], cards: list[int]) -> bool:
    """Put one of ``cards`` into the hand of each place, as often as its limits allow, going back on dead ends.

    Args:
        places: a hand and its limits by Day (empty: none), once for each card it wants.
        cards: what to take from, the first choice last; the taken ones are removed.

    Returns:
        Whether it could be done; if not, nothing has changed.
    """
    if not places:
        return True
    (hand, most), *rest = places
    tried = set()
    for at in range(len(cards) - 1, -1, -1):
        day = cards[at]
        if day in tried or (most and hand.count(day) >= most[day - 1]):
            continue
        tried.add(day)
        hand.append(cards.pop(at))
        if fill(rest, cards):
            return True
        cards.insert(at, hand.pop())
    return False
